/**
 * Traces and ids of the whole service, as processes under their sandbox: a paid call is one trace from
 * the socket to the store, its log lines have its ids, and without a collector it sells as before.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Schedule } from "effect"
import { type Collector, startCollector, treeOf } from "../support/collector.ts"
import { liveTest } from "../support/effect.ts"
import { freePort, killAndWait, removeFolder } from "../support/process.ts"

const waitMax = "4 minutes"

interface LogLine {
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** `main.ts start` through the launcher, with play money; its log lines are read as JSON. */
const started = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  const dir = yield* Effect.acquireRelease(Effect.promise(() => Deno.makeTempDir()), removeFolder)
  const port = freePort()
  const base = `http://127.0.0.1:${port}`
  const output = { text: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "src/launch.ts", "start"],
        cwd: new URL("../..", import.meta.url),
        env: {
          ...{ PORT: String(port), ADMIN_PORT: String(freePort()), DATA_DIR: dir },
          ...{ VENUE: "simulated", PAYMENTS: "simulated", ALLOW_SIMULATED_PAYMENTS: "1" },
          ...{ PUBLIC_BASE_URL: base, TICK: "10 seconds", FREE_LIMIT: "off" },
          ...{ DATABASE_URL: "", NO_COLOR: "1" },
          ...variables,
        },
        stdin: "null",
        stdout: "piped",
        stderr: "inherit",
      }).spawn()
      child.stdout.pipeThrough(new TextDecoderStream())
        .pipeTo(new WritableStream({ write: (text) => void (output.text += text) }))
        .catch(() => {})
      return child
    }),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  const lines = () =>
    output.text.split("\n").filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as LogLine)
  const stop = Effect.promise(async () => {
    child.kill("SIGTERM")
    return (await child.status).code
  })
  yield* until(async () => {
    const body = await (await fetch(`${base}/v1/index`)).json()
    return Number(body.index) > 0
  })
  return { base, lines, stop }
})

/** Waits until a condition is true. */
const until = (condition: () => boolean | Promise<boolean>) =>
  Effect.tryPromise(async () => {
    if (!await condition()) throw new Error("not yet")
  }).pipe(
    Effect.retry(Schedule.spaced("250 millis")),
    Effect.timeoutOrElse({
      duration: waitMax,
      orElse: () => Effect.die(`not within ${waitMax}: ${condition}`),
    }),
    Effect.orDie,
  )

/** One call of the demo buyer. */
const buy = (base: string, path: string) =>
  Effect.promise(async () => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", "buy", path, "--json"],
      cwd: new URL("../..", import.meta.url),
      env: { BASE_URL: base, NO_COLOR: "1" },
      stdin: "null",
    }).output()
    return JSON.parse(new TextDecoder().decode(stdout)) as { status: number; charged: boolean }
  })

/** One sale; a busy machine may refuse the first tries. */
const bought = (base: string) =>
  until(async () => (await Effect.runPromise(buy(base, "/v1/latest"))).status === 200)

const label = ({ name, attributes }: Collector["spans"][number]) =>
  [name, attributes["operation"]].filter((part) => part !== undefined).join(" ")

/** The spans of the trace in which a product was sold, without statements. */
const saleOf = ({ spans }: Collector, product: string) => {
  const sale = spans.find(({ attributes }) =>
    attributes["product"] === product && attributes["outcome"] === "charged"
  )
  return spans.filter(({ name, traceId }) => traceId === sale?.traceId && name !== "sql")
}

liveTest(
  "a paid call is one trace from the request to the store, log lines have its ids, and a collector " +
    "that dies changes no sale",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const { base, lines, stop } = yield* started({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key",
      })
      yield* bought(base)
      yield* refusedCall(base)
      yield* until(() => saleOf(collector, "latest").some(({ name }) => name === "request"))
      yield* until(() => spanOf(collector, "job", "tick") !== undefined)
      yield* until(() => spanOf(collector, "request.id", idOfRefused) !== undefined)
      checkSale(collector)
      checkRefused(collector)
      checkTick(collector, lines())
      equal(collector.headers[0]?.get("authorization"), "Bearer key")

      const requests = collector.bodies.length
      collector.behaviour = "silent"
      yield* bought(base)
      yield* until(() => collector.bodies.length > requests)
      yield* bought(base)
      const warnings = () =>
        lines().filter(({ message }) => String(message).startsWith("Cannot deliver traces"))
      yield* until(() => warnings().length > 0)
      equal(yield* stop, 0)
      equal(warnings().map(({ message }) => message), ["Cannot deliver traces: no answer in time"])
    }),
)

const idOfRefused = "request-of-a-test"

/** A call whose payment cannot be read. Its caller names a trace of its own. */
const refusedCall = (base: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${base}/v1/latest`, {
      headers: {
        "payment-signature": btoa(JSON.stringify({ canary: "canary" })),
        "x-request-id": idOfRefused,
        traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
      },
    })
    await response.body?.cancel()
  })

const spanOf = ({ spans }: Collector, key: string, value: string) =>
  spans.find(({ attributes }) => attributes[key] === value)

function checkSale(collector: Collector): void {
  const sold = saleOf(collector, "latest")
  const tree = treeOf(sold, label)
  equal(tree.slice(0, 2), ["request", "  sale"])
  // The delivery is recorded after the sale has ended.
  equal(tree.filter((line) => line === "  store markSent").length, 1)
  equal(
    tree.filter((line) => line.startsWith("    ")).map((line) => line.slice(4)).toSorted(),
    [
      ...["chain nonce", "chain settling", "compute", "prove", "  chain proof", "settle", "verify"],
      ...["store answer", "store claim", "store findWithKey", "store intend"],
    ].toSorted(),
  )
  const request = sold.find(({ name }) => name === "request")
  const sale = sold.find(({ name }) => name === "sale")
  equal(request?.attributes["http.route"], "/v1/latest")
  equal(request?.attributes["http.response.status_code"], 200)
  ok(/^0x[0-9a-f]{64}$/.test(String(sale?.attributes["payment.id"])))
  equal(sale?.attributes["outcome"], "charged")
  ok(collector.spans.some(({ name, traceId }) => name === "sql" && traceId === sale?.traceId))
}

function checkRefused(collector: Collector): void {
  const refused = spanOf(collector, "request.id", idOfRefused)
  equal(refused?.links, ["ab".repeat(16)])
  ok(refused?.traceId !== "ab".repeat(16) && refused?.parentSpanId === null)
  ok(!collector.bodies.join().includes("canary"))
}

function checkTick(collector: Collector, lines: ReadonlyArray<LogLine>): void {
  const tick = spanOf(collector, "job", "tick")
  const tickId = tick?.attributes["tick.id"]
  const line = lines.find(({ message, annotations }) =>
    message === "tick" && annotations["tickId"] === tickId
  )
  equal(line?.annotations["traceId"], tick?.traceId)
  ok(collector.spans.some(({ name, traceId }) => name === "stage" && traceId === tick?.traceId))
  const jobs = new Set(
    collector.spans.filter(({ name }) => name === "job").map(({ traceId }) => traceId),
  )
  ok(!collector.spans.some(({ name, traceId }) => name === "sql" && jobs.has(traceId)))
}
