/**
 * Programs that tests start: the service on free ports and in its own folder, the refund worker that
 * live payments need, and others that run to their end.
 *
 * @module
 */
import { Duration, Effect, Schedule } from "effect"

/** How long `until` waits: three times what a first digest takes on cores that other tests use. */
const untilTimeout = Duration.minutes(3)

export interface Service {
  readonly base: string
  /** The base URL of its metrics. */
  readonly admin: string
  /** Polls a free path until its body satisfies the predicate. */
  readonly until: (
    path: string,
    satisfied: (body: Readonly<Record<string, unknown>>) => boolean,
  ) => Effect.Effect<Readonly<Record<string, unknown>>, string>
  readonly port: number
  readonly pid: number
  /** What it has printed. */
  readonly printed: () => string
  /** Runs the demo buyer. */
  readonly buy: (path: string, ...options: ReadonlyArray<string>) => Effect.Effect<Ran>
  /** Its exit code, when it ends. */
  readonly ended: Effect.Effect<number>
  /** Sends SIGTERM; returns the exit code. */
  readonly stop: Effect.Effect<number>
}

/** Deletes a folder; a killed process may still write into it, so this is tried for five seconds. */
export const removeFolder = (folder: string): Effect.Effect<void> =>
  Effect.tryPromise(() => Deno.remove(folder, { recursive: true })).pipe(
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 50 }),
    Effect.orDie,
  )

/** A new folder, deleted with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => Deno.makeTempDir()),
  removeFolder,
)

/** A new folder for a service's data, deleted with the scope. */
export const dataFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    await Deno.mkdir(".data", { recursive: true })
    return Deno.makeTempDir({ dir: ".data", prefix: "e2e-" })
  }),
  removeFolder,
)

const root = new URL("../..", import.meta.url)

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, by default in the folder of the repository. */
export const run = (
  [program = "", ...args]: ReadonlyArray<string>,
  options: Pick<Deno.CommandOptions, "clearEnv" | "cwd" | "env" | "signal"> = {},
): Effect.Effect<Ran> =>
  Effect.promise(async () => {
    const { env = {}, ...others } = options
    const command = new Deno.Command(program, {
      ...{ args, cwd: root, stdin: "null", ...others },
      env: { NO_COLOR: "1", ...env },
    })
    const { code, stdout, stderr } = await command.output()
    const text = new TextDecoder()
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) }
  })

/**
 * Runs a script of a folder with packages of its own, which are not the project's: it reads JSON on
 * standard input, and answers with JSON on standard output.
 */
export async function ask<Answer>(
  folder: URL,
  script: string,
  question: unknown,
  { permission = "-A", msMax = 60_000 } = {},
): Promise<Answer> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--node-modules-dir=manual", permission, script],
    cwd: folder,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
    signal: AbortSignal.timeout(msMax),
  }).spawn()
  await new Blob([JSON.stringify(question)]).stream().pipeTo(process.stdin)
  const { success, stdout } = await process.output()
  if (!success) throw new Error(`${script} failed`)
  return JSON.parse(new TextDecoder().decode(stdout))
}

/** Starts a service by these arguments of Deno, on free ports; killed when the scope closes. */
export const startService = Effect.fn("startService")(function* (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
) {
  const [port, adminPort] = [freePort(), freePort()]
  const base = `http://127.0.0.1:${port}`
  const output = { text: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(Deno.execPath(), {
        args: [...args],
        cwd: root,
        env: {
          ...{ PORT: String(port), ADMIN_PORT: String(adminPort), PUBLIC_BASE_URL: base },
          // Tests poll, and free requests are limited to five a minute.
          ...{ FREE_LIMIT: "off", INVALID_PAYMENT_LIMIT: "off" },
          ...{ DATABASE_URL: "", NO_COLOR: "1" },
          ...env,
        },
        ...{ stdin: "null", stdout: "piped", stderr: "null" },
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child)),
  )
  child.stdout.pipeThrough(new TextDecoderStream())
    .pipeTo(new WritableStream({ write: (text) => void (output.text += text) }))
    .catch(() => {})
  let exitCode: number | null = null
  void child.status.then(({ code }) => exitCode = code)
  const service: Service = {
    ...{ base, admin: `http://127.0.0.1:${adminPort}`, port, pid: child.pid },
    printed: () => output.text,
    until: (path, satisfied) =>
      Effect.tryPromise({
        try: async () => {
          const body = await (await fetch(`${base}${path}`)).json()
          if (!satisfied(body)) throw new Error(`not yet: ${JSON.stringify(body)}`)
          return body
        },
        catch: (error) => exitCode === null ? String(error) : `it has ended: code ${exitCode}`,
      }).pipe(
        Effect.retry({ schedule: Schedule.spaced("250 millis"), while: () => exitCode === null }),
        Effect.timeout(untilTimeout),
        Effect.orDie,
      ),
    buy: (path, ...options) => run(task("buy", path, ...options), { env: { BASE_URL: base } }),
    ended: Effect.promise(async () => (await child.status).code),
    stop: Effect.promise(async () => {
      child.kill("SIGTERM")
      return (await child.status).code
    }),
  }
  return service
})

/** Runs `deno task dev` in `dir` with additional variables; killed when the scope closes. */
export const startDev = (dir: string, env: Readonly<Record<string, string>> = {}) =>
  startService(task("dev").slice(1), { DATA_DIR: dir, ...env })

/** Runs `deno task refunds`; stopped when the scope closes. */
export const startRefundWorker = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(Deno.execPath(), {
        args: task("refunds").slice(1),
        cwd: root,
        env: { REFUND_ADMIN_PORT: String(freePort()), ...env, NO_COLOR: "1" },
        ...{ stdin: "null", stdout: "null", stderr: "null" },
      }).spawn()
    ),
    (child) => Effect.promise(() => killAndWait(child, "SIGTERM")),
  )

/** The command of a task. */
const task = (...args: ReadonlyArray<string>) => [Deno.execPath(), "task", "--quiet", ...args]

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
