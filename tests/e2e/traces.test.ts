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
import { type Service, startService, temporaryFolder } from "../support/process.ts"

const waitMax = "4 minutes"

interface LogLine {
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** `main.ts start` through the launcher, with play money; its log lines are read as JSON. */
const started = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
  const service = yield* startService(["run", "-A", "src/launch.ts", "start"], {
    ...{ DATA_DIR: yield* temporaryFolder, TICK: "10 seconds" },
    ...{ VENUE: "simulated", PAYMENTS: "simulated" },
    ...variables,
  })
  const lines = () =>
    service.printed().split("\n").filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as LogLine)
  yield* service.until("/v1/index", ({ index }) => Number(index) > 0)
  return { ...service, lines }
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

/** One sale; a busy machine may refuse the first tries. */
const bought = ({ buy }: Service) =>
  until(async () => {
    const { stdout } = await Effect.runPromise(buy("/v1/latest", "--json"))
    return JSON.parse(stdout).status === 200
  })

const label = ({ name, attributes }: Collector["spans"][number]) =>
  [name, attributes["operation"]].filter((part) => part !== undefined).join(" ")

/** The spans of the trace in which a product was sold. */
const saleOf = ({ spans }: Collector, product: string) => {
  const sale = spans.find(({ attributes }) =>
    attributes["product"] === product && attributes["outcome"] === "charged"
  )
  return spans.filter(({ traceId }) => traceId === sale?.traceId)
}

liveTest(
  "a paid call is one trace from the request to the store, log lines have its ids, and a collector " +
    "that dies changes no sale",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector()
      const service = yield* started({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key",
      })
      yield* bought(service)
      yield* refusedCall(service.base)
      yield* until(() => saleOf(collector, "latest").some(({ name }) => name === "request"))
      yield* until(() => spanOf(collector, "job", "tick") !== undefined)
      yield* until(() => spanOf(collector, "request.id", idOfRefused) !== undefined)
      checkSale(collector)
      checkRefused(collector)
      checkTick(collector, service.lines())
      equal(collector.headers[0]?.get("authorization"), "Bearer key")

      const requests = collector.bodies.length
      collector.behaviour = "silent"
      yield* bought(service)
      yield* until(() => collector.bodies.length > requests)
      yield* bought(service)
      const warnings = () =>
        service.lines().filter(({ message }) => String(message).startsWith("Cannot deliver traces"))
      yield* until(() => warnings().length > 0)
      equal(yield* service.stop, 0)
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
}
