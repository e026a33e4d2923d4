/**
 * Processes that a test kills with SIGKILL and a supervisor restarts, or that it stops and starts.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { killAndWait } from "../support/process.ts"

export interface SupervisedProcess {
  readonly name: string
  /** Sends SIGKILL, or another signal; the process is restarted. False when none was running. */
  readonly kill: (signal?: Deno.Signal) => boolean
  /** Sends SIGTERM, after a while SIGKILL; the process is not restarted. */
  readonly stop: Effect.Effect<void>
  /** Starts the stopped process again, and waits until it is ready; from another folder if given. */
  readonly start: (root?: URL) => Effect.Effect<void>
  /** Null while it is not running. */
  readonly pid: () => number | null
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
  /** The text of its output that shows that it is ready; by default any. */
  readonly readyText?: string
  /** The folder of the version that runs; by default this one. */
  readonly root?: URL | undefined
  /** Its working folder; by default that of the version. */
  readonly dir?: string
}

/** How long the supervisor waits before it restarts a process that was not killed. */
const restartMs = 200

/** How long a process may take to stop. A service waits up to 20 seconds for its sales. */
const stopMsMax = 40_000
const readyInterval = "50 millis"
const readyChecksMax = 2_400

const thisRoot = new URL("../..", import.meta.url)

/** Runs and restarts a process until the scope closes; then kills it. */
export const supervised = Effect.fn("supervised")(function* (options: SupervisedOptions) {
  const log = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.open(options.log, { write: true, create: true, append: true })),
    (log) => Effect.sync(() => log.close()),
  )
  let running: Deno.ChildProcess | null = null
  let killed = false
  let isReady = false
  let isWanted = true
  let root = options.root ?? thisRoot
  let unexpectedExits = 0

  const write = async (from: ReadableStream<Uint8Array>) => {
    for await (const chunk of from) {
      isReady ||= new TextDecoder().decode(chunk).includes(options.readyText ?? "")
      await log.write(chunk)
    }
  }

  const supervise = async () => {
    while (isWanted) {
      killed = false
      const child = command(options, root).spawn()
      running = child
      const copies = [write(child.stdout), write(child.stderr)]
      await child.status
      running = null
      await Promise.all(copies)
      isReady = false
      if (!killed && isWanted) {
        unexpectedExits++
        await new Promise((done) => setTimeout(done, restartMs))
      }
    }
  }
  let supervisor = supervise()
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      isWanted = false
      if (running !== null) await killAndWait(running)
      await supervisor
    })
  )
  const untilReady = Effect.suspend(() => isReady ? Effect.void : Effect.fail("not ready")).pipe(
    Effect.retry({ schedule: Schedule.spaced(readyInterval), times: readyChecksMax }),
    Effect.orDie,
  )
  const process: SupervisedProcess = {
    name: options.name,
    kill: (signal = "SIGKILL") => {
      if (running === null || killed) return false
      try {
        running.kill(signal)
      } catch {
        // It has just ended by itself, and its supervisor does not know yet.
        return false
      }
      killed = true
      return true
    },
    stop: Effect.promise(async () => {
      isWanted = false
      const child = running
      if (child !== null && !killed) child.kill("SIGTERM")
      const timer = setTimeout(() => child?.kill("SIGKILL"), stopMsMax)
      await supervisor
      clearTimeout(timer)
    }),
    start: (from = root) =>
      Effect.andThen(
        Effect.sync(() => {
          root = from
          isWanted = true
          supervisor = supervise()
        }),
        untilReady,
      ),
    pid: () => running?.pid ?? null,
    isReady: () => isReady && !killed,
    unexpectedExits: () => unexpectedExits,
  }
  return process
})

function command({ script, args, env, dir }: SupervisedOptions, root: URL): Deno.Command {
  const { pathname } = root
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", `--config=${pathname}deno.json`, `--lock=${pathname}tests/deno.lock`],
      ...["--no-check", "--no-prompt", "-A", `${pathname}${script}`, ...args],
    ],
    cwd: dir ?? root,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  })
}
