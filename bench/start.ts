/**
 * How long `deno task dev` takes to its first answer, on a new store and on one reopened, how fast
 * /v1/index is answered in the 70 seconds after it, and the peak memory of the processes then.
 *
 *     deno task bench:start
 *
 * The index is requested 20 times a second, sent on time whatever is still waiting.
 *
 * @module
 */
import { Console, Effect } from "effect"

const port = 29_931
const startMsMax = 60_000
const measuredMs = 70_000
const pollMs = 50

/** The process and everything it started, parents first. */
function familyOf(pid: number): ReadonlyArray<number> {
  const children = [...Deno.readDirSync("/proc")]
    .filter(({ name }) => /^\d+$/.test(name))
    .filter(({ name }) => statusOf(Number(name), "PPid") === pid)
    .map(({ name }) => Number(name))
  return [pid, ...children.flatMap(familyOf)]
}

function statusOf(pid: number, field: string): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`)
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}

function roleOf(pid: number): string {
  const line = Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ")
  return /src\/([\w-]+)\.ts/.exec(line)?.[1] ?? "task runner"
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Answer {
  readonly ms: number
  readonly status: number
}

async function request(): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/v1/index`).catch(() => null)
  await response?.body?.cancel()
  return { ms: performance.now() - began, status: response?.status ?? 0 }
}

async function firstAnswer(): Promise<void> {
  for (let waited = 0; waited < startMsMax; waited += pollMs) {
    if ((await request()).status === 200) return
    await wait(pollMs)
  }
  throw new Error(`No answer within ${startMsMax / 1_000} s`)
}

/** Sends a request every `pollMs`, without waiting for the one before. */
async function poll(): Promise<ReadonlyArray<Answer>> {
  const began = performance.now()
  const answers: Array<Promise<Answer>> = []
  for (let sent = 0; sent * pollMs < measuredMs; sent++) {
    await wait(Math.max(0, began + sent * pollMs - performance.now()))
    answers.push(request())
  }
  return await Promise.all(answers)
}

function latencies(answers: ReadonlyArray<Answer>): string {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN)
  const refused = answers.filter(({ status }) => status !== 200).length
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms, ` +
    `${refused} of ${answers.length} not 200`
}

async function start(dir: string): Promise<string> {
  const began = performance.now()
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "dev"],
    env: {
      PORT: `${port}`,
      ADMIN_PORT: `${port + 1}`,
      DATA_DIR: dir,
      DATABASE_URL: "",
      FREE_LIMIT: "off",
    },
    stdout: "null",
    stderr: "null",
  }).spawn()
  try {
    await firstAnswer()
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    const index = latencies(await poll())
    const peaks = familyOf(child.pid).map((pid) =>
      `${roleOf(pid)} ${Math.round(statusOf(pid, "VmHWM") / 1_024)} MB`
    )
    return `first answer after ${seconds} s\n  /v1/index: ${index}\n  peak memory: ${
      peaks.join(", ")
    }`
  } finally {
    for (const pid of familyOf(child.pid).toReversed()) {
      if (statusOf(pid, "PPid") !== 0) Deno.kill(pid, "SIGTERM")
    }
    await child.status
  }
}

const dir = await Deno.makeTempDir()
const report = [`new store: ${await start(dir)}`, `store reopened: ${await start(dir)}`]
await Deno.remove(dir, { recursive: true })
Effect.runSync(Console.log(report.join("\n")))
