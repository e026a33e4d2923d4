/**
 * Processes of a drill, with their CPU time and memory as /proc shows them.
 *
 * @module
 */
import { Effect } from "effect"
import { killAndWait } from "../../tests/support/process.ts"

export interface DrillProcess {
  readonly pid: number
  /** Its working folder, in which a service makes the folder of its delivery journal. */
  readonly dir: string
  readonly hasEnded: () => boolean
  readonly kill: Effect.Effect<void>
  readonly cpuSeconds: () => number
  readonly residentBytes: () => number
}

export interface DrillProcessOptions {
  /** Relative to the root of the project. */
  readonly script: string
  readonly args?: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** An existing folder. Its output, and how it ended, are written to `log` in it. */
  readonly dir: string
  /** The checkout whose script runs; by default this one. */
  readonly root?: string
}

const ownRoot = new URL("../..", import.meta.url).pathname
/** Clock ticks per second in /proc; 100 on common Linux systems. */
const ticksPerSecond = 100

/** Starts a process; killed when the scope closes. */
export const startProcess = Effect.fn("startProcess")(function* (options: DrillProcessOptions) {
  const { script, args = [], env, dir, root: from } = options
  const root = from === undefined ? ownRoot : `${from.replace(/\/$/, "")}/`
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.open(`${dir}/log`, { create: true, append: true })),
    (log) => Effect.sync(() => log.close()),
  )
  const command = [
    ...["run", "--config", `${root}deno.json`, "--no-check"],
    `--lock=${root}tests/deno.lock`,
    ...["--no-prompt", "-A", `${root}${script}`, ...args],
  ]
  let ended = false
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(Deno.execPath(), {
        args: command,
        cwd: dir,
        env: { ...env, NO_COLOR: "1" },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn()
    ),
    (child) => Effect.promise(() => ended ? Promise.resolve() : killAndWait(child)),
  )
  void child.status.then(({ code, signal }) => {
    ended = true
    Deno.writeTextFileSync(`${dir}/log`, `ended: ${signal ?? `code ${code}`}\n`, { append: true })
  })
  for (const output of [child.stdout, child.stderr]) copy(output, log).catch(() => {})
  const process: DrillProcess = {
    pid: child.pid,
    dir,
    hasEnded: () => ended,
    kill: Effect.promise(() => killAndWait(child)),
    cpuSeconds: () => cpuSeconds(child.pid),
    residentBytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readProc(child.pid, "status"))?.[1] ?? NaN) * 1_024,
  }
  return process
})

async function copy(from: ReadableStream<Uint8Array>, to: Deno.FsFile): Promise<void> {
  for await (const chunk of from) await to.write(chunk)
}

function readProc(pid: number, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`)
  } catch {
    return ""
  }
}

function cpuSeconds(pid: number): number {
  const fields = readProc(pid, "stat").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
