/**
 * Processes that a test kills with SIGKILL and a supervisor restarts.
 *
 * @module
 */
import { Effect } from "effect"
import { killAndWait } from "../support/postgresCluster.ts"

export interface SupervisedProcess {
  readonly name: string
  /** Sends SIGKILL; the process is restarted. False when no process was running. */
  readonly kill: () => boolean
  readonly isReady: () => boolean
  /** How often it exited without being killed, mostly because it started without a store. */
  readonly unexpectedExits: () => number
}

export interface SupervisedOptions {
  readonly name: string
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** The path of the file that gets its output. */
  readonly log: string
  /** The text of its output that shows that it is ready. */
  readonly readyText: string
}

/** How long the supervisor waits before it restarts a process that was not killed. */
const restartMs = 200

const root = new URL("../..", import.meta.url)

/** Runs and restarts a process until the scope closes; then kills it. */
export const supervised = Effect.fn("supervised")(function* (options: SupervisedOptions) {
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.open(options.log, { write: true, create: true, append: true })),
    (log) => Effect.sync(() => log.close()),
  )
  let running: Deno.ChildProcess | null = null
  let killed = false
  let isReady = false
  let closing = false
  let unexpectedExits = 0

  const write = async (from: ReadableStream<Uint8Array>) => {
    for await (const chunk of from) {
      isReady ||= new TextDecoder().decode(chunk).includes(options.readyText)
      await log.write(chunk)
    }
  }

  const supervise = async () => {
    while (!closing) {
      killed = false
      const child = command(options).spawn()
      running = child
      const copies = [write(child.stdout), write(child.stderr)]
      await child.status
      running = null
      await Promise.all(copies)
      isReady = false
      if (!killed && !closing) {
        unexpectedExits++
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
  const process: SupervisedProcess = {
    name: options.name,
    kill: () => {
      if (running === null || killed) return false
      killed = true
      running.kill("SIGKILL")
      return true
    },
    isReady: () => isReady && !killed,
    unexpectedExits: () => unexpectedExits,
  }
  return process
})

function command({ script, args, env }: SupervisedOptions): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--no-prompt", "-A", script, ...args],
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  })
}
