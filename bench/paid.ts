/**
 * Paid answers a second over HTTP, beside the reference seller in the same run.
 *
 *     createdb bench
 *     DATABASE_URL=postgres://postgres@127.0.0.1/bench deno run -A bench/paid.ts
 *
 * Ours checks the signature itself and keeps every move of a payment in PostgreSQL (fsync as the
 * server has it) before it answers. `@x402/hono` on Deno checks it with viem and keeps no record.
 * Facilitators answer in process for both. Each round every server is paid by distinct, freshly
 * signed authorizations, `connections` at a time; medians count. The CPU of PostgreSQL is not in the
 * CPU of ours; it is in the requests a second, since all share the machine.
 *
 * @module
 */
import { Console, Effect } from "effect"
import { products } from "../src/domain/product.ts"
import { Bytes32 } from "../src/domain/payment.ts"
import { buyer, sign } from "../tests/support/buyers.ts"
import { authorizationFor, headerOf, wirePayment } from "../tests/support/terms.ts"

const rounds = Number(Deno.env.get("ROUNDS") ?? 3)
const sales = Number(Deno.env.get("SALES") ?? 2_000)
const connections = 32
const buyers = 50
const startWithinMs = 15_000
/** Clock ticks a second in /proc; 100 on every Linux in use. */
const ticksPerSecond = 100
const product = products.latest

interface Server {
  readonly name: string
  readonly port: number
  readonly process: Deno.ChildProcess
}

async function start(name: string, port: number, script: string): Promise<Server> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", `bench/peers/${script}`],
    env: { PORT: String(port) },
    stdout: "null",
    stderr: "inherit",
  }).spawn()
  const giveUpAt = performance.now() + startWithinMs
  while (performance.now() < giveUpAt) {
    const answer = await fetch(`http://127.0.0.1:${port}${product.path}`).catch(() => null)
    await answer?.body?.cancel()
    if (answer !== null) return { name, port, process }
  }
  throw new Error(`${script} does not listen on ${port}`)
}

function cpuSeconds(pid: number): number {
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** As many payments, each its own authorization, signed now. */
const freshPayments = Effect.forEach(Array.from({ length: sales }), (_, n) => {
  const account = buyer(n % buyers)
  const nonce = Bytes32.make(`0x${crypto.randomUUID().replaceAll("-", "").padStart(64, "0")}`)
  const now = Math.floor(Date.now() / 1_000)
  const authorization = authorizationFor(account, product, now, { nonce })
  return Effect.map(
    sign(account, authorization),
    (signature) => headerOf(wirePayment(product, authorization, signature)),
  )
})

/** Pays `server` with every one of these; each must be answered 200. */
async function pay(server: Server, payments: ReadonlyArray<string>) {
  const cpu = cpuSeconds(server.process.pid)
  const began = performance.now()
  let next = 0
  const payOne = async () => {
    for (let header = payments[next++]; header !== undefined; header = payments[next++]) {
      const response = await fetch(`http://127.0.0.1:${server.port}${product.path}`, {
        headers: { "payment-signature": header },
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${server.name}: ${response.status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, payOne))
  return {
    perSecond: payments.length / (performance.now() - began) * 1_000,
    cpuMicros: (cpuSeconds(server.process.pid) - cpu) / payments.length * 1e6,
  }
}

const median = (numbers: ReadonlyArray<number>) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

const servers = [
  await start("ours", 9911, "till.ts"),
  await start("@x402/hono", 9912, "seller.ts"),
]
try {
  const samples = new Map(
    servers.map(({ name }) => [name, [] as Array<Awaited<ReturnType<typeof pay>>>]),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const server of servers) {
      const sample = await pay(server, await Effect.runPromise(freshPayments))
      // The first round warms up.
      if (round > 0) samples.get(server.name)?.push(sample)
    }
  }
  const rows = [...samples].map(([name, taken]) => ({
    name,
    perSecond: Math.round(median(taken.map((sample) => sample.perSecond))),
    cpuMicros: Math.round(median(taken.map((sample) => sample.cpuMicros))),
  }))
  const [ours, theirs] = rows
  await Effect.runPromise(Console.table(rows))
  await Effect.runPromise(Console.log(
    `${rounds} rounds of ${sales} sales, ${connections} at a time, medians; ours / reference ` +
      `${((ours?.perSecond ?? NaN) / (theirs?.perSecond ?? NaN)).toFixed(2)} by sales a second, ` +
      `${((theirs?.cpuMicros ?? NaN) / (ours?.cpuMicros ?? NaN)).toFixed(2)} by CPU`,
  ))
} finally {
  for (const { process } of servers) process.kill("SIGTERM")
}
