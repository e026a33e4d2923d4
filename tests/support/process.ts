/**
 * Starts the service as a process, as the README describes, on free ports and in its own folder; and a
 * refund worker, which live payments need.
 *
 * @module
 */
import { Duration, Effect, Schedule } from "effect"

/** How long `until` waits: three times what a first digest takes on cores that other tests use. */
const untilTimeout = Duration.minutes(3)
/** Free requests are limited to five a minute, so tests that poll raise the budget. */
const freeLimit = "1000/60s"

export interface Service {
  readonly base: string
  /** The base URL of its metrics. */
  readonly admin: string
  /** Polls a free path until its body satisfies the predicate. */
  readonly until: (
    path: string,
    satisfied: (body: Readonly<Record<string, unknown>>) => boolean,
  ) => Effect.Effect<Readonly<Record<string, unknown>>, string>
  /** Runs the demo buyer; returns its output. */
  readonly buy: (path: string) => Effect.Effect<string>
  /** Sends SIGTERM; returns the exit code. */
  readonly stop: Effect.Effect<number>
}

/** Deletes a folder; a killed process may still write into it, so this is tried for five seconds. */
export const removeFolder = (folder: string): Effect.Effect<void> =>
  Effect.tryPromise(() => Deno.remove(folder, { recursive: true })).pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
    Effect.orDie,
  )

/** A new folder for a service's data, deleted with the scope. */
export const dataFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    await Deno.mkdir(".data", { recursive: true })
    return Deno.makeTempDir({ dir: ".data", prefix: "e2e-" })
  }),
  removeFolder,
)

/** Runs `deno task dev` in `dir` with additional variables; killed when the scope closes. */
export const startDev = Effect.fn("startDev")(function* (
  dir: string,
  env: Readonly<Record<string, string>> = {},
) {
  const port = freePort()
  const base = `http://127.0.0.1:${port}`
  const adminPort = freePort()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      task(["dev"], {
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        DATA_DIR: dir,
        PUBLIC_BASE_URL: base,
        FREE_LIMIT: freeLimit,
        DATABASE_URL: "",
        ...env,
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  let exitCode: number | null = null
  void child.status.then(({ code }) => exitCode = code)
  const service: Service = {
    base,
    admin: `http://127.0.0.1:${adminPort}`,
    until: (path, satisfied) =>
      Effect.tryPromise({
        try: async () => {
          const body = await (await fetch(`${base}${path}`)).json()
          if (!satisfied(body)) throw new Error(`not yet: ${JSON.stringify(body)}`)
          return body
        },
        catch: (error) => exitCode === null ? String(error) : `dev has ended: code ${exitCode}`,
      }).pipe(
        Effect.retry({ schedule: Schedule.spaced("250 millis"), while: () => exitCode === null }),
        Effect.timeout(untilTimeout),
        Effect.orDie,
      ),
    buy: (path) =>
      Effect.promise(async () => {
        const { stdout, stderr } = await task(["buy", path], { BASE_URL: base }).output()
        return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)
      }),
    stop: Effect.promise(async () => {
      child.kill("SIGTERM")
      return (await child.status).code
    }),
  }
  return service
})

/** Runs `deno task refunds`; stopped when the scope closes. */
export const startRefundWorker = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => task(["refunds"], { REFUND_ADMIN_PORT: String(freePort()), ...env }).spawn()),
    (child) => Effect.promise(() => killAndWait(child, "SIGTERM")),
  )

function task(args: ReadonlyArray<string>, env: Record<string, string>): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", ...args],
    cwd: new URL("../..", import.meta.url),
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: args[0] === "buy" ? "piped" : "null",
    stderr: args[0] === "buy" ? "piped" : "null",
  })
}

/** Sends SIGKILL, or another signal, and waits until the process has ended. */
export async function killAndWait(
  child: Deno.ChildProcess,
  signal: Deno.Signal = "SIGKILL",
): Promise<void> {
  try {
    child.kill(signal)
  } catch {
    // The process has already ended.
  }
  await child.status
}

/** A port that is free now. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  return port
}

/**
 * A port that is free now, for a process that listens on it again later: below the ports that systems
 * give to outgoing connections, which could take it in between.
 */
export function lastingPort(): number {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close()
      return port
    } catch {
      // It is in use.
    }
  }
}
