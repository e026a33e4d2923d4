/**
 * Free answers and unpaid 402s a second: the index compared with a bare `Deno.serve`, the 402 with the
 * reference seller, the 429 under a flood, and the index with the exact shared limit.
 *
 *     deno task bench:http
 *
 * Each server is a process of its own. wrk loads one after the other for `rounds` rounds; the median
 * counts. The CPU per request is less sensitive to other processes than the rate. In the first two
 * comparisons our request limits are off. Needs wrk and a PostgreSQL (`needs.ts`).
 *
 * @module
 */
/// <reference lib="deno.ns" />
import { Effect } from "effect"
import { benchDatabase, needProgram } from "./needs.ts"
import { cpuSeconds } from "../tests/support/processUse.ts"
import { type Server, startServer } from "./peers/server.ts"

const rounds = Number(Deno.env.get("ROUNDS") ?? 3)
const seconds = Number(Deno.env.get("SECONDS") ?? 5)
const connections = 32
const warmUpSeconds = 2

interface Case {
  readonly name: string
  readonly server: Server
  readonly path: string
  readonly manyClients?: true
  /** The expected status; another one fails the run. */
  readonly status: number
}

interface Sample {
  readonly perSecond: number
  readonly cpuMicros: number
}

/** Of a peer: the network and the environment only, and the migrations of the repository. */
const permissions = ["--allow-net", "--allow-env", "--allow-read=migrations"]

/** The body and headers of our index, which the bare server sends. */
async function indexAnswer(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/index`)
  const own = ["date", "content-length", "vary"]
  const headers = [...response.headers].filter(([name]) => !own.includes(name))
  return JSON.stringify({ body: await response.text(), headers })
}

async function load(of: Case, duration: number, seed: number): Promise<Sample> {
  const before = cpuSeconds(of.server.process.pid)
  const { stdout } = await new Deno.Command("wrk", {
    args: [
      "-t1",
      `-c${connections}`,
      `-d${duration}`,
      ...(of.manyClients ? ["-s", "bench/addresses.lua"] : []),
      `http://127.0.0.1:${of.server.port}${of.path}`,
    ],
    env: { SEED: String(seed) },
  }).output()
  const text = new TextDecoder().decode(stdout)
  const requests = Number(/(\d+) requests in/.exec(text)?.[1])
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]),
    cpuMicros: ((cpuSeconds(of.server.process.pid) - before) / requests) * 1e6,
  }
}

const median = (numbers: ReadonlyArray<number>) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

async function expectStatus(of: Case): Promise<void> {
  const headers: Record<string, string> = of.manyClients
    ? { "x-forwarded-for": "198.51.100.1" }
    : {}
  const response = await fetch(`http://127.0.0.1:${of.server.port}${of.path}`, { headers })
  await response.body?.cancel()
  if (response.status !== of.status) throw new Error(`${of.name}: status ${response.status}`)
}

async function bench(databaseUrl: string): Promise<void> {
  const ours = await startServer("freeService.ts", 9901, { LIMITS: "off" }, { permissions })
  const bare = await startServer("bare.ts", 9902, { ANSWER: await indexAnswer(9901) }, {
    permissions,
  })
  const seller = await startServer("seller.ts", 9903, {}, { permissions })
  const limited = await startServer("freeService.ts", 9904, {
    LIMITS: "postgres",
    DATABASE_URL: databaseUrl,
  }, { permissions })
  const servers = [ours, bare, seller, limited]

  const cases: ReadonlyArray<Case> = [
    { name: "bare Deno.serve, same answer", server: bare, path: "/v1/index", status: 200 },
    { name: "GET /v1/index, limits off", server: ours, path: "/v1/index", status: 200 },
    { name: "@x402/hono, unpaid", server: seller, path: "/v1/latest", status: 402 },
    { name: "GET /v1/latest, unpaid, limits off", server: ours, path: "/v1/latest", status: 402 },
    { name: "429, one address floods", server: limited, path: "/v1/index", status: 429 },
    {
      name: "GET /v1/index, exact shared limit",
      server: limited,
      path: "/v1/index",
      manyClients: true,
      status: 200,
    },
  ]

  try {
    const samples = new Map<string, Array<Sample>>()
    for (const of of cases) await load(of, warmUpSeconds, 0)
    for (const of of cases) await expectStatus(of)
    for (let round = 1; round <= rounds; round++) {
      for (const of of cases) {
        const sample = await load(of, seconds, round)
        samples.set(of.name, [...(samples.get(of.name) ?? []), sample])
      }
    }
    const rows = cases.map(({ name }) => {
      const taken = samples.get(name) ?? []
      return {
        name,
        perSecond: Math.round(median(taken.map((sample) => sample.perSecond))),
        cpuMicros: Number(median(taken.map((sample) => sample.cpuMicros)).toFixed(1)),
      }
    })
    const of = (name: string) => rows.find((row) => row.name.startsWith(name))
    const ratio = (a: string, b: string) => {
      const [x, y] = [of(a), of(b)]
      const perSecond = (x?.perSecond ?? NaN) / (y?.perSecond ?? NaN)
      const cpu = (y?.cpuMicros ?? NaN) / (x?.cpuMicros ?? NaN)
      return `${perSecond.toFixed(2)} by requests a second, ${cpu.toFixed(2)} by CPU`
    }
    // deno-lint-ignore no-console
    console.table(rows)
    // deno-lint-ignore no-console
    console.log(
      `${rounds} rounds of ${seconds} s, ${connections} connections, medians\n` +
        `index / bare: ${ratio("GET /v1/index, limits", "bare")} (aim 0.5)\n` +
        `402 / @x402/hono: ${ratio("GET /v1/latest", "@x402/hono")} (aim 1.5)\n` +
        `429 flood / answer under the same limit: ${
          ratio("429", "GET /v1/index, exact")
        } (aim > 1)`,
    )
  } finally {
    for (const { process } of servers) process.kill("SIGTERM")
  }
}

needProgram("wrk", "apt-get install wrk")
await Effect.runPromise(Effect.scoped(
  Effect.flatMap(benchDatabase, (url) => Effect.promise(() => bench(url))),
))
