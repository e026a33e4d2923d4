/**
 * Paid answers and unpaid 402s a second over HTTP, compared with the reference seller in the same run.
 *
 *     deno task bench:paid
 *
 * Our service checks the signature and stores every state of a payment in PostgreSQL, with fsync,
 * before it answers. `@x402/hono` on Deno checks with viem and stores nothing. Both facilitators are
 * in process. Each authorization is distinct and signed before the round. The client writes to bare
 * sockets, so it costs little. Rounds of the two servers alternate; the first one warms up. Needs a
 * PostgreSQL (`needs.ts`).
 *
 * @module
 */
import process from "node:process"
import { Console, Effect } from "effect"
import { products } from "../src/catalog/domain/product.ts"
import { Bytes32 } from "../src/payments/domain/payment.ts"
import { buyer, sign } from "../tests/support/payments/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../tests/support/payments/terms.ts"
import { benchDatabase } from "./needs.ts"
import { sendAll } from "./peers/socket.ts"

const rounds = Number(Deno.env.get("ROUNDS") ?? 5)
const sales = Number(Deno.env.get("SALES") ?? 3_000)
const unpaid = 10_000
const connections = Number(Deno.env.get("CONNECTIONS") ?? 32)
const buyers = 50
const startWithinMs = 60_000
/** Clock ticks per second in /proc; 100 on common Linux systems. */
const ticksPerSecond = 100
const product = products.latest

interface Server {
  readonly name: string
  readonly port: number
  readonly process: Deno.ChildProcess
}

async function start(name: string, script: string, port: number, env: Record<string, string>) {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--lock=tests/deno.lock", "--no-check", "-A", `bench/peers/${script}`],
    env: { ...env, PORT: String(port) },
    stdout: "null",
    stderr: "inherit",
  }).spawn()
  const giveUpAt = performance.now() + startWithinMs
  while (performance.now() < giveUpAt) {
    const answer = await fetch(`http://127.0.0.1:${port}${product.path}`).catch(() => null)
    await answer?.body?.cancel()
    if (answer !== null) return { name, port, process } satisfies Server
  }
  throw new Error(`${script} does not listen on ${port}`)
}

/** CPU seconds of a process so far; 0 when it has ended. */
function cpuSeconds(pid: number | string): number {
  try {
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? []
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return 0
  }
}

/** Processes of PostgreSQL that serve all databases. */
const sharedProcesses = /(checkpointer|walwriter|background writer|autovacuum)/

/** CPU seconds of PostgreSQL for `database`: its sessions and the shared processes. */
function postgresSeconds(database: string): number {
  let seconds = 0
  for (const { name } of Deno.readDirSync("/proc")) {
    const title = /^\d+$/.test(name) ? titleOf(name) : ""
    if (!title.startsWith("postgres: ")) continue
    if (title.includes(` ${database} `) || sharedProcesses.test(title)) seconds += cpuSeconds(name)
  }
  return seconds
}

function titleOf(pid: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`)
  } catch {
    return ""
  }
}

const requestOf = (header: string | null) =>
  `GET ${product.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${
    header === null ? "" : `payment-signature: ${header}\r\n`
  }\r\n`

/** `sales` requests, each with an authorization of its own. */
const freshPayments = Effect.forEach(Array.from({ length: sales }), (_, n) => {
  const account = buyer(n % buyers)
  const nonce = Bytes32.make(`0x${crypto.randomUUID().replaceAll("-", "").padStart(64, "0")}`)
  const now = Math.floor(Date.now() / 1_000)
  const authorization = authorizationFor(account, product, now, { nonce })
  return Effect.map(
    sign(account, authorization),
    (signature) => requestOf(headerOf(wirePayment(product, authorization, signature))),
  )
})

interface Sample {
  readonly perSecond: number
  readonly server: number
  readonly postgres: number
  readonly client: number
}

/** Sends all requests to `server`; every answer must have `status`. */
async function sample(
  server: Server,
  requests: ReadonlyArray<string>,
  status: number,
  database: string,
): Promise<Sample> {
  const cpu = () => [
    cpuSeconds(server.process.pid),
    postgresSeconds(database),
    cpuSeconds(process.pid),
  ]
  const before = cpu()
  const began = performance.now()
  await sendAll({ port: server.port, requests, connections, status })
  const seconds = (performance.now() - began) / 1_000
  const micros = cpu().map((now, i) => (now - (before[i] ?? 0)) / requests.length * 1e6)
  const [ours = NaN, postgres = NaN, client = NaN] = micros
  return { perSecond: requests.length / seconds, server: ours, postgres, client }
}

const sorted = (numbers: ReadonlyArray<number>) => numbers.toSorted((a, b) => a - b)
const median = (numbers: ReadonlyArray<number>) =>
  sorted(numbers)[Math.floor(numbers.length / 2)] ?? NaN
const spread = (numbers: ReadonlyArray<number>) => {
  const [first = NaN, last = NaN] = [sorted(numbers)[0], sorted(numbers).at(-1)]
  return [first, median(numbers), last].map(Math.round).join(" / ")
}

async function compare(
  what: string,
  servers: ReadonlyArray<Server>,
  database: string,
  status: number,
  requests: () => Promise<ReadonlyArray<string>>,
) {
  const samples = servers.map((): Array<Sample> => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [at, server] of servers.entries()) {
      const taken = await sample(server, await requests(), status, database)
      if (round > 0) samples[at]?.push(taken)
    }
  }
  const rows = servers.map(({ name }, at) => {
    const of = (key: keyof Sample) => (samples[at] ?? []).map((sample) => sample[key])
    return {
      [what]: name,
      "a second: min / median / max": spread(of("perSecond")),
      "server CPU us": Math.round(median(of("server"))),
      "PostgreSQL CPU us": Math.round(median(of("postgres"))),
      "client CPU us": Math.round(median(of("client"))),
    }
  })
  const [ours, ...others] = samples.map((taken) => median(taken.map(({ perSecond }) => perSecond)))
  await Effect.runPromise(Console.table(rows))
  for (const [at, other] of others.entries()) {
    const ratio = ((ours ?? NaN) / other).toFixed(2)
    const name = servers[at + 1]?.name
    await Effect.runPromise(Console.log(`${what}: ours / ${name} ${ratio} by the second`))
  }
}

const program = Effect.gen(function* () {
  const url = yield* benchDatabase
  const database = new URL(url).pathname.slice(1)
  const servers = yield* Effect.acquireRelease(
    Effect.promise(async () => [
      await start("ours", "payingService.ts", 29_911, { DATABASE_URL: url }),
      await start("@x402/hono", "seller.ts", 29_912, {}),
    ]),
    (servers) =>
      Effect.promise(() =>
        Promise.all(servers.map(({ process }) => {
          process.kill("SIGTERM")
          return process.status
        }))
      ),
  )
  const fresh = () => Effect.runPromise(freshPayments)
  yield* Effect.promise(() => compare("paid", servers, database, 200, fresh))
  const bare = Array.from({ length: unpaid }, () => requestOf(null))
  yield* Effect.promise(() => compare("402", servers, database, 402, () => Promise.resolve(bare)))
  yield* Console.log(
    `${rounds} rounds of ${sales} sales and ${unpaid} challenges, ${connections} at a time`,
  )
})

await Effect.runPromise(Effect.scoped(program))
