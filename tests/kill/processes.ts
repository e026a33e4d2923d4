/**
 * Processes that are killed with SIGKILL and started again at once, as a supervisor would.
 *
 * @module
 */
import { Effect } from "effect"
import { killAndWait } from "../support/postgresCluster.ts"

export interface Kept {
  readonly name: string
  /** SIGKILL, now. It is started again by itself. False when there was nothing to kill. */
  readonly kill: () => boolean
  /** Whether it has come as far as to work. */
  readonly works: () => boolean
  /** Ends that were none of ours: a start without a store, mostly. */
  readonly failures: () => number
}

export interface KeptOptions {
  readonly name: string
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Everything it says goes there. */
  readonly log: string
  /** What it says when it works. */
  readonly worksWhen: string
}

/** How long a supervisor waits before it starts again what has ended by itself. */
const restartMs = 200

const root = new URL("../..", import.meta.url)

/** Keeps a process running until the scope closes; then it is killed for good. */
export const keep = Effect.fn("keep")(function* (options: KeptOptions) {
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.open(options.log, { write: true, create: true, append: true })),
    (log) => Effect.sync(() => log.close()),
  )
  let running: Deno.ChildProcess | null = null
  let killed = false
  let works = false
  let closing = false
  let failures = 0

  const write = async (from: ReadableStream<Uint8Array>) => {
    for await (const chunk of from) {
      works ||= new TextDecoder().decode(chunk).includes(options.worksWhen)
      await log.write(chunk)
    }
  }

  const supervise = async () => {
    while (!closing) {
      killed = false
      const child = command(options).spawn()
      running = child
      const said = [write(child.stdout), write(child.stderr)]
      await child.status
      running = null
      await Promise.all(said)
      works = false
      if (!killed && !closing) {
        failures++
        await new Promise((done) => setTimeout(done, restartMs))
      }
    }
  }
  const supervisor = supervise()
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      closing = true
      if (running !== null) await killAndWait(running)
      await supervisor
    })
  )
  const kept: Kept = {
    name: options.name,
    kill: () => {
      if (running === null || killed) return false
      killed = true
      running.kill("SIGKILL")
      return true
    },
    works: () => works && !killed,
    failures: () => failures,
  }
  return kept
})

function command({ script, args, env }: KeptOptions): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", "-A", script, ...args],
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  })
}
