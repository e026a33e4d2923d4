/**
 * How long `deno task dev` takes to its first answer, on a new store and on one reopened, and the peak
 * memory of its processes after half a minute.
 *
 *     deno task bench:start
 *
 * @module
 */
import { Console, Effect } from "effect"

const port = 29_931
const startMsMax = 60_000
const memoryAfterMs = 30_000
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

async function firstAnswer(): Promise<void> {
  for (let waited = 0; waited < startMsMax; waited += pollMs) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/index`).catch(() => null)
    await response?.body?.cancel()
    if (response?.ok) return
    await wait(pollMs)
  }
  throw new Error(`No answer within ${startMsMax / 1_000} s`)
}

async function start(dir: string, memoryMs: number): Promise<string> {
  const began = performance.now()
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "dev"],
    env: { PORT: `${port}`, ADMIN_PORT: `${port + 1}`, DATA_DIR: dir },
    stdout: "null",
    stderr: "null",
  }).spawn()
  try {
    await firstAnswer()
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    await wait(memoryMs)
    const peaks = familyOf(child.pid).map((pid) =>
      `${roleOf(pid)} ${Math.round(statusOf(pid, "VmHWM") / 1_024)} MB`
    )
    return `first answer after ${seconds} s; peak memory: ${peaks.join(", ")}`
  } finally {
    for (const pid of familyOf(child.pid).toReversed()) {
      if (statusOf(pid, "PPid") !== 0) Deno.kill(pid, "SIGTERM")
    }
    await child.status
  }
}

const dir = await Deno.makeTempDir()
const report = [
  `new store: ${await start(dir, memoryAfterMs)}`,
  `store reopened: ${await start(dir, memoryAfterMs)}`,
]
await Deno.remove(dir, { recursive: true })
Effect.runSync(Console.log(report.join("\n")))
