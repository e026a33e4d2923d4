/**
 * The first 70 seconds of `deno task dev` on a new store: latencies of /v1/index at 20 requests a
 * second, sent on time whatever is still waiting, and what /readyz says after its first 200.
 *
 *     deno run --lock=tests/deno.lock -A bench/firstSeconds.ts
 *
 * @module
 */
import { Console, Effect } from "effect"

const port = 29_941
const startMsMax = 60_000
const measuredMs = 70_000
const indexEveryMs = 50
const readyEveryMs = 250

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Answer {
  /** Milliseconds since the first answer, and until the answer. */
  readonly at: number
  readonly ms: number
  readonly status: number
}

async function request(url: string, began: number): Promise<Answer> {
  const at = performance.now()
  const response = await fetch(url).catch(() => null)
  await response?.body?.cancel()
  return { at: at - began, ms: performance.now() - at, status: response?.status ?? 0 }
}

/** Sends a request every `everyMs`, without waiting for the one before. */
async function poll(url: string, everyMs: number): Promise<ReadonlyArray<Answer>> {
  const began = performance.now()
  const answers: Array<Promise<Answer>> = []
  for (let sent = 0; sent * everyMs < measuredMs; sent++) {
    await wait(Math.max(0, began + sent * everyMs - performance.now()))
    answers.push(request(url, began))
  }
  return await Promise.all(answers)
}

function latencies(answers: ReadonlyArray<Answer>): string {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN)
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`
}

async function firstAnswer(): Promise<void> {
  for (const began = performance.now(); performance.now() - began < startMsMax;) {
    if ((await request(`http://127.0.0.1:${port}/v1/index`, 0)).status === 200) return
    await wait(50)
  }
  throw new Error(`No answer within ${startMsMax / 1_000} s`)
}

const dir = await Deno.makeTempDir()
const child = new Deno.Command(Deno.execPath(), {
  args: ["task", "dev"],
  env: {
    ...{ PORT: `${port}`, ADMIN_PORT: `${port + 1}`, DATA_DIR: dir, FREE_LIMIT: "off" },
    DATABASE_URL: "",
  },
  stdout: "null",
  stderr: "null",
}).spawn()
try {
  await firstAnswer()
  const [index, ready] = await Promise.all([
    poll(`http://127.0.0.1:${port}/v1/index`, indexEveryMs),
    poll(`http://127.0.0.1:${port + 1}/readyz`, readyEveryMs),
  ])
  const readyAt = ready.findIndex(({ status }) => status === 200)
  const after = ready.slice(readyAt)
  const lost = after.filter(({ status }) => status !== 200)
  const slow = index.filter(({ ms }) => ms > 100)
    .map(({ at, ms }) => `${(at / 1_000).toFixed(1)} s: ${Math.round(ms)} ms`)
  const lines = [
    `/v1/index: ${index.length} requests, ${latencies(index)}`,
    `  not 200: ${index.filter(({ status }) => status !== 200).length}`,
    `/readyz: 200 after ${((ready[readyAt]?.at ?? NaN) / 1_000).toFixed(1)} s, then ` +
    `${lost.length} of ${after.length} not 200; ${latencies(after)}`,
    ...Deno.args.includes("--slow") ? [`slower than 100 ms: ${slow.join(", ")}`] : [],
  ]
  Effect.runSync(Console.log(lines.join("\n")))
} finally {
  child.kill("SIGTERM")
  await child.status
  await Deno.remove(dir, { recursive: true })
}
