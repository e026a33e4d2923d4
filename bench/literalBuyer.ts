/**
 * The literal-minded buyer through every failure that can be triggered, over every transport: what
 * it ends with, and what the ledger says was taken. Prints a table for docs/benchmarks.md.
 *
 *     TEST_DATABASE_URL=postgres://... deno task bench:buyer [words of a failure]
 *
 * Ends with 1 when a buyer paid twice, or paid without an answer or a refund.
 *
 * @module
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Redacted } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { layerPostgres } from "../src/postgres/client.ts"
import { triggers } from "../src/payments/simulated/triggers.ts"
import { freePort } from "../tests/support/process.ts"
import { freshSchema } from "../tests/support/stores.ts"
import { type Backend, type Fault, faults, openProxy } from "../tests/support/literalBuyer/proxy.ts"
import {
  type Belief,
  buyLiterally,
  type Transport,
  transports,
  type Wanted,
} from "../tests/support/literalBuyer/reader.ts"

/** One product of each settlement order. */
const bought = {
  "compute-first": { path: "/v1/latest", skill: "get_latest" },
  "settle-early": { path: "/v1/resolving", skill: "get_resolving" },
} satisfies Record<string, Wanted>
type Order = keyof typeof bought
const orders: ReadonlyArray<Order> = ["compute-first", "settle-early"]

type Failure = Fault | { readonly name: string; readonly trigger: string }

interface Cell {
  readonly failure: string
  readonly transport: Transport
  readonly order: Order
  readonly payer: string
  readonly belief: Belief
}

/** How many buyers are at work at once. */
const buyersMax = 8
/** After this time no answer can be fetched, and every undelivered one is refunded. */
const holdSeconds = 130

const buyOne = (backend: Backend, failure: Failure, transport: Transport, order: Order) =>
  Effect.acquireUseRelease(
    Effect.sync(() => openProxy(backend, failure)),
    (proxy) =>
      Effect.promise(async (): Promise<Cell> => {
        const key = `0x${crypto.getRandomValues(new Uint8Array(32)).toHex()}` as const
        const base = `http://127.0.0.1:${proxy.addr.port}`
        const belief = await buyLiterally(base, transport, bought[order], key)
        const payer = privateKeyToAddress(key).toLowerCase()
        return { failure: failure.name, transport, order, payer, belief }
      }),
    (proxy) => Effect.promise(() => proxy.shutdown()),
  )

const environment = (url: string, base: string): Record<string, string> => ({
  ...{ DATABASE_URL: url, PUBLIC_BASE_URL: base, NO_COLOR: "1", LOG_LEVEL: "Error" },
  ...{ PORT: new URL(base).port, ADMIN_PORT: String(freePort()) },
  REFUND_ADMIN_PORT: String(freePort()),
  ...{ FREE_LIMIT: "off", DOCUMENT_LIMIT: "off", INVALID_PAYMENT_LIMIT: "off" },
  // Shorter steps, so that an unknown settlement is answered with 503 after some seconds.
  ...{ LEASE: "12 seconds", HOLD: `${holdSeconds} seconds`, SWEEP: "2 seconds" },
  ...{ REFUND_MAX_PER_HOUR_USD: "1000", REFUND_MAX_PER_DAY_USD: "1000" },
})

const processOf = (file: string, args: ReadonlyArray<string>, env: Record<string, string>) =>
  new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      new URL(`../src/${file}`, import.meta.url).pathname,
      ...args,
    ],
    cwd: new URL("..", import.meta.url),
    ...{ env, stdin: "null", stdout: "null", stderr: "inherit" },
  }).spawn()

/** The service and its refund worker as processes, until the scope closes. */
const openBackend = Effect.fnUntraced(function* (url: string) {
  const base = `http://127.0.0.1:${freePort()}`
  const env = environment(url, base)
  yield* Effect.promise(() => processOf("migrate.ts", [], env).status)
  let service = processOf("main.ts", ["dev"], env)
  const worker = processOf("refund-worker.ts", ["dev"], env)
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const child of [service, worker]) {
        child.kill("SIGKILL")
        await child.status
      }
    })
  )
  const sells = async () => {
    const answer = await fetch(`${base}/v1/index`).then((answer) => answer.json()).catch(() => null)
    return answer?.status === "live" && answer.index > 0
  }
  const ready = async () => {
    while (!(await sells())) await new Promise((resolve) => setTimeout(resolve, 250))
  }
  const endWith = (signal: Deno.Signal) => async () => {
    service.kill(signal)
    await service.status
    service = processOf("main.ts", ["dev"], env)
    await ready()
  }
  yield* Effect.promise(ready)
  return { base, crash: endWith("SIGKILL"), restart: endWith("SIGTERM") } satisfies Backend
})

/** What the ledger says of a payer: its payments to the service, and the transfers back to it. */
interface Truth {
  readonly payer: string
  readonly taken: number
  readonly refunded: number
}

const truths = (sql: SqlClient) =>
  sql<Truth>`
    SELECT account.address AS payer,
      (SELECT count(*)::int FROM simulated_authorization
        WHERE payer = account.address AND recipient IS NOT NULL) AS taken,
      (SELECT count(*)::int FROM simulated_authorization
        WHERE recipient = account.address) AS refunded
    FROM simulated_account AS account`.pipe(Effect.orDie)

/** The end of a purchase in the ledger, next to what the buyer believes. */
function endOf({ belief }: Cell, truth: Truth | undefined): string {
  const { taken = 0, refunded = 0 } = truth ?? {}
  const money = taken === 0
    ? "not charged"
    : taken - refunded > 1
    ? `PAID ${taken - refunded} TIMES`
    : refunded === taken
    ? "refunded"
    : "paid once"
  const isAnswered = belief.end === "answered"
  const agrees = money === "paid once" ? isAnswered : money === belief.end
  const end = money === "paid once" && isAnswered ? "paid once, answered" : money
  return agrees ? end : `${end} (THE BUYER BELIEVES: ${belief.end})`
}

const program = Effect.gen(function* () {
  const words = Deno.args.join(" ")
  const all: ReadonlyArray<Failure> = [
    ...triggers.map(({ name }) => ({ name, trigger: name })),
    ...faults,
  ].filter(({ name }) => name.includes(words))
  const server = Deno.env.get("TEST_DATABASE_URL")
  if (server === undefined) return yield* Effect.die("Set TEST_DATABASE_URL")
  const url = Redacted.value(yield* freshSchema(server))
  const sql = Context.get(
    yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 1 })),
    SqlClient,
  )
  const backend = yield* openBackend(url)
  const cells = (found: ReadonlyArray<Failure>, concurrency: number) =>
    Effect.forEach(
      found.flatMap((failure) =>
        transports.flatMap((transport) =>
          orders.map((order) => buyOne(backend, failure, transport, order))
        )
      ),
      (cell) => cell,
      { concurrency },
    )
  const isAlone = (failure: Failure) => "isAlone" in failure
  const together = yield* cells(all.filter((failure) => !isAlone(failure)), buyersMax)
  const alone = yield* cells(all.filter(isAlone), 1)
  // Until every answer that was not delivered is refunded.
  yield* Effect.sleep(`${holdSeconds + 30} seconds`)
  return report([...together, ...alone], yield* truths(sql))
}).pipe(Effect.scoped) satisfies Effect.Effect<boolean, unknown, Exclude<never, Scope.Scope>>

/** Prints the table; false when a purchase ended wrong. */
function report(cells: ReadonlyArray<Cell>, found: ReadonlyArray<Truth>): boolean {
  const ends = cells.map((cell) => ({
    ...cell,
    end: endOf(cell, found.find(({ payer }) => payer === cell.payer)),
  }))
  const print = (line: string) => {
    // deno-lint-ignore no-console
    console.log(line)
  }
  print(`| failure | ${transports.join(" | ")} |\n|---|${transports.map(() => "---|").join("")}`)
  for (const failure of new Set(cells.map(({ failure }) => failure))) {
    const columns = transports.map((transport) => {
      const of = ends.filter((cell) => cell.failure === failure && cell.transport === transport)
      const texts = new Set(of.map(({ end }) => end))
      return texts.size === 1
        ? [...texts].join("")
        : of.map(({ order, end }) => `${order}: ${end}`).join("; ")
    })
    print(`| ${failure} | ${columns.join(" | ")} |`)
  }
  const wrong = ends.filter(({ end }) => /[A-Z]{4}/.test(end) || end === "paid once")
  const signatures = cells.reduce((sum, { belief }) => sum + belief.signatures, 0)
  print(
    `\n${cells.length} purchases, ${signatures} signatures, ${
      ends.filter(({ end }) => end.includes("TIMES")).length
    } paid twice, ${wrong.length} with a wrong end.`,
  )
  for (const { failure, transport, order, belief } of wrong) {
    print(`- ${failure}, ${transport}, ${order}: ${JSON.stringify(belief)}`)
  }
  return wrong.length === 0
}

Deno.exit(await Effect.runPromise(program) ? 0 : 1)
