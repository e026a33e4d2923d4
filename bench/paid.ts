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
import { benchDatabase } from "./needs.ts"
import { sendAll } from "./peers/socket.ts"
import { cpuSeconds } from "../tests/support/processUse.ts"
import { paidRequests, requestOf, type Server, startServer } from "./peers/server.ts"

const rounds = Number(Deno.env.get("ROUNDS") ?? 5)
const sales = Number(Deno.env.get("SALES") ?? 3_000)
const unpaid = 10_000
const connections = Number(Deno.env.get("CONNECTIONS") ?? 32)
const product = products.latest

/** Processes of PostgreSQL that serve all databases. */
const sharedProcesses = /(checkpointer|walwriter|background writer|autovacuum)/

/** CPU seconds of PostgreSQL for `database`: its sessions and the shared processes. */
function postgresSeconds(database: string): number {
  let seconds = 0
  for (const { name } of Deno.readDirSync("/proc")) {
    const title = /^\d+$/.test(name) ? titleOf(name) : ""
    if (!title.startsWith("postgres: ")) continue
    if (title.includes(` ${database} `) || sharedProcesses.test(title)) {
      seconds += cpuSeconds(name) || 0
    }
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
  servers: ReadonlyArray<Server & { readonly name: string }>,
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
      { name: "ours", ...await startServer("payingService.ts", 29_911, { DATABASE_URL: url }) },
      { name: "@x402/hono", ...await startServer("seller.ts", 29_912, {}) },
    ]),
    (servers) =>
      Effect.promise(() =>
        Promise.all(servers.map(({ process }) => {
          process.kill("SIGTERM")
          return process.status
        }))
      ),
  )
  const fresh = () => Effect.runPromise(paidRequests(product, sales))
  yield* Effect.promise(() => compare("paid", servers, database, 200, fresh))
  const bare = Array.from({ length: unpaid }, () => requestOf(product.path))
  yield* Effect.promise(() => compare("402", servers, database, 402, () => Promise.resolve(bare)))
  yield* Console.log(
    `${rounds} rounds of ${sales} sales and ${unpaid} challenges, ${connections} at a time`,
  )
})

await Effect.runPromise(Effect.scoped(program))
