/**
 * Starts the processes of the product, each in its sandbox and with its own variables only.
 *
 * @module
 */
import { Console, Duration, Effect, Schedule, Schema } from "effect"
import { releaseName } from "../core/domain/version.ts"
import { commitIn } from "./commit.ts"
import type { Command } from "./arguments.ts"
import { loadWorker } from "./moneySettings.ts"
import {
  checkSandbox,
  commandLine,
  type MachinePaths,
  ownerSandbox,
  restoreSandbox,
  type Sandbox,
  serviceSandbox,
  unsetSandbox,
  workerSandbox,
} from "./sandbox.ts"
import { loadMigration, loadRestore, loadService, type ServiceSettings } from "./settings.ts"
import { commitDigits, together } from "./variables.ts"
import { stopWithLauncher } from "./untilSignal.ts"

class CannotLaunch
  extends Schema.TaggedError<CannotLaunch>()("CannotLaunch", { message: Schema.String }) {}

/** Reads one variable of the launcher's environment, which is never enumerated. */
type Environment = (name: string) => string | undefined

const root = new URL("../..", import.meta.url)

/** Variables of the Deno runtime: caches, certificates, proxies, the terminal, and use of memory. */
const runtimeVariables = [
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "PATH",
  "TMPDIR",
  "TZ",
  "LANG",
  "TERM",
  "NO_COLOR",
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "SSL_CERT_FILE",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "DENO_V8_FLAGS",
  "MALLOC_ARENA_MAX",
  "MALLOC_TRIM_THRESHOLD_",
]

/** Stops the Deno runtime from looking for a newer version of itself. */
const noUpdateCheck = { DENO_NO_UPDATE_CHECK: "1" }

/** How often, and after which delay, a worker that ended by itself is started again. */
const restartsMax = 5
const restartDelay = Duration.seconds(2)
/** The worker stops first, within this time, because the service serves the worker's store. */
const workerStopMax = Duration.seconds(5)
/** Enough for the service to drain and to finish the requests in flight. */
const serviceStopMax = Duration.seconds(60)
/** The worker starts when the service's port accepts a connection: interval and number of tries. */
const readyEvery = Duration.millis(100)
const readyTimes = 600
/** How often a dev launcher checks that its parent process is still running. */
const parentEvery = Duration.seconds(1)

const machinePaths: MachinePaths = {
  storePackages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs"].map((name) =>
    decodeURIComponent(new URL("..", import.meta.resolve(name)).pathname).replace(/\/$/, "")
  ),
}

interface Launch {
  readonly main: Sandbox
  /** Starts when the service listens, and runs next to it. */
  readonly worker: { readonly sandbox: Sandbox; readonly service: ServiceSettings } | null
  readonly get: Environment
}

/** Starts the named command and waits for its end. Closing the scope stops its processes. */
export const launch = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  given: Environment,
) {
  const environment = withCommit(given)
  const release = releaseName(environment("COMMIT")?.slice(0, commitDigits) ?? null)
  if (args.includes("--version")) return yield* Console.log(release)
  if (args.includes("--help")) yield* Console.log(`${release}\n`)
  const plan = yield* planOf(args.filter(isPassedOn), environment)
  if (plan === null) return
  const { main, worker, get } = plan
  const sandboxes = worker === null ? [main] : [main, worker.sandbox]
  if (args.includes("--print")) {
    for (const sandbox of sandboxes) {
      yield* Console.log(["deno", ...commandLine(sandbox)].map(shellQuoted).join(" "))
    }
    return
  }
  yield* fetchPackages(sandboxes.map(({ entry }) => entry))
  const child = yield* spawn(main, get, serviceStopMax)
  void child.status.then(({ code }) => mainCode = code)
  // Forked after the service, so that it is interrupted first: the store closes after its users.
  if (worker !== null) yield* Effect.forkScoped(runWorker(worker.sandbox, worker.service, get))
  yield* worker === null ? exitCode(child) : Effect.raceFirst(exitCode(child), parentExited)
}, Effect.scoped)

/** Most starts have no arguments, and do not wait for what reads them. */
const readCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [kind, ...rest] = args
  if (rest.length === 0 && (kind === "dev" || kind === "start" || kind === "refunds")) {
    return { kind } as const
  }
  const { readCommand } = yield* Effect.promise(() => import("./arguments.ts"))
  return yield* readCommand(args)
})

/** What to start; null when the help was printed instead. */
const planOf = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment,
) {
  const command = yield* readCommand(args)
  if (command === null) return null
  if (command.kind === "dev") {
    const get = withWorkerAddresses(environment)
    const { service: settings, worker } = yield* together({
      service: loadService("dev", get),
      worker: loadWorker("dev", get),
    })
    const main = serviceSandbox(settings, machinePaths)
    const sandbox = workerSandbox(worker)
    return { main, worker: { sandbox, service: settings }, get } satisfies Launch
  }
  const main = yield* sandboxOf(command, args, environment)
  return { main, worker: null, get: environment } satisfies Launch
})

/** The sandbox of a command that is one process. */
const sandboxOf = Effect.fnUntraced(function* (
  command: Exclude<Command, { readonly kind: "dev" }>,
  args: ReadonlyArray<string>,
  get: Environment,
) {
  switch (command.kind) {
    case "start":
      return yield* serviceOf(get)
    case "refunds":
      return yield* workerOf(get)
    case "check": {
      const { role, json } = command
      const process = { service: serviceOf, refunds: workerOf, migrate: ownerOf }[role](get, args)
      const files = [get("FAMILY_FILE")].flatMap((file) => file || [])
      const known = yield* Effect.catch(
        process,
        () => Effect.succeed(unsetSandbox(role, role === "service" ? files : [])),
      )
      return checkSandbox(known, role === "refunds" ? json ? ["--json"] : [] : args)
    }
    case "restore": {
      const { journals, since } = command
      return restoreSandbox(yield* loadRestore(since !== null, get), journals, args)
    }
    default:
      return yield* ownerOf(get, args)
  }
})

const serviceOf = (get: Environment) =>
  Effect.map(loadService("start", get), (settings) => serviceSandbox(settings, machinePaths))
const workerOf = (get: Environment) => Effect.map(loadWorker("start", get), workerSandbox)
const ownerOf = (get: Environment, args: ReadonlyArray<string>) =>
  Effect.map(loadMigration(get), ({ databaseUrl }) => ownerSandbox(databaseUrl, args))

/** Options of the launcher itself are not passed on. */
const isPassedOn = (option: string) => option !== "--print"

/** The environment, plus the commit of this working copy. */
function withCommit(get: Environment): Environment {
  const commit = get("COMMIT") || commitIn(root) || undefined
  return (name) => name === "COMMIT" ? commit : get(name)
}

/**
 * The environment, plus a free port for the worker's probes, and an address where the embedded store
 * is served to the worker.
 */
function withWorkerAddresses(get: Environment): Environment {
  const isUnset = (name: string) => (get(name) ?? "") === ""
  const added = new Map<string, string>()
  if (isUnset("REFUND_ADMIN_PORT")) added.set("REFUND_ADMIN_PORT", `${freePort()}`)
  if (isUnset("DATABASE_URL")) {
    const password = crypto.randomUUID().replaceAll("-", "")
    const url = `postgres://postgres:${password}@127.0.0.1:${freePort()}/postgres?sslmode=disable`
    for (const name of ["STORE_URL", "REFUND_DATABASE_URL"]) added.set(name, url)
  }
  return (name) => added.get(name) ?? get(name)
}

/** A port of this machine that nothing uses now. */
function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  return port
}

/**
 * Downloads missing packages of deno.lock, so that the processes need no permission for it. `deno
 * cache` asks the registry for each package on every start, so it runs only if one is missing.
 */
const fetchPackages = Effect.fnUntraced(function* (entries: ReadonlyArray<string>) {
  if (yield* Effect.promise(() => hasAllPackages().catch(() => false))) return
  const complete = yield* runDeno(
    ["install", "--quiet", "--frozen", "--cached-only", "--entrypoint", ...entries],
    "null",
  )
  if (complete || (yield* runDeno(["cache", "--frozen", ...entries], "inherit"))) return
  return yield* new CannotLaunch({ message: "Cannot download the packages of deno.lock" })
})

/**
 * Whether Deno's cache has a folder for each package of deno.lock, which it renames into place when it
 * is complete. A look at the folders takes a few milliseconds; a process that looks takes 100.
 */
async function hasAllPackages(): Promise<boolean> {
  const cache = new URL("../../../..", import.meta.resolve("@electric-sql/pglite"))
  const { npm } = JSON.parse(await Deno.readTextFile(new URL("deno.lock", root)))
  const folders = Object.keys(npm).map((key) => {
    // A version may be followed by those of the packages next to it: `a@1.0.0_b@2.0.0`.
    const [, name, version] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? []
    return Deno.stat(new URL(`${name}/${version}`, cache))
  })
  return (await Promise.all(folders)).every(({ isDirectory }) => isDirectory)
}

/** Whether the command succeeds. */
const runDeno = (args: ReadonlyArray<string>, stderr: "inherit" | "null") =>
  Effect.promise(async () => {
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: root,
      env: noUpdateCheck,
      stdin: "null",
      stderr,
    })
    return (await command.spawn().status).success
  })

/**
 * Starts a process in its sandbox; closing the scope stops it and waits for its end. It leads its
 * own process group, so that Ctrl-C in a terminal reaches it once, through the launcher. Its standard
 * input is never written to: it ends when the launcher exits, and the process stops then.
 */
const spawn = (sandbox: Sandbox, get: Environment, stopMax: Duration.Duration) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = new Deno.Command(Deno.execPath(), {
        args: [...commandLine(sandbox), stopWithLauncher],
        cwd: root,
        clearEnv: true,
        env: { ...environmentOf(sandbox, get), ...noUpdateCheck },
        stdin: "piped",
        detached: true,
      }).spawn()
      running.add(child)
      void child.status.then(() => running.delete(child))
      return child
    }),
    (child) =>
      Effect.sync(() => signal(child, "SIGTERM")).pipe(
        Effect.andThen(exitCode(child)),
        Effect.timeoutOrElse({
          duration: stopMax,
          orElse: () => Effect.sync(() => signal(child, "SIGKILL")),
        }),
      ),
  )

function environmentOf({ variables }: Sandbox, get: Environment): Record<string, string> {
  const values = [...runtimeVariables, ...variables].map((name) => [name, get(name)] as const)
  return Object.fromEntries(
    values.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  )
}

/** The running processes. */
const running = new Set<Deno.ChildProcess>()

/** Sends SIGTERM to all processes at once, on a second signal to the launcher. */
export function stopAll(): void {
  running.forEach((child) => signal(child, "SIGTERM"))
}

/** The exit code of the main process; 0 while it runs. */
export let mainCode = 0

function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name)
  } catch {
    // It has ended already.
  }
}

const exitCode = (child: Deno.ChildProcess) =>
  Effect.map(Effect.promise(() => child.status), ({ code }) => code)

/** Runs the worker once the service listens, and restarts it when it ends, up to `restartsMax`. */
const runWorker = (sandbox: Sandbox, settings: ServiceSettings, get: Environment) =>
  listening(settings).pipe(
    Effect.andThen(
      Effect.scoped(Effect.flatMap(spawn(sandbox, get, workerStopMax), exitCode)).pipe(
        Effect.tap((code) => Console.error(`The refund worker ended with code ${code}`)),
        Effect.repeat({ schedule: Schedule.spaced(restartDelay), times: restartsMax }),
      ),
    ),
    Effect.matchEffect({
      onFailure: () =>
        Console.error("The service does not listen: the refund worker was not started"),
      onSuccess: () =>
        Console.error(`The refund worker ended ${restartsMax + 1} times and is not started again`),
    }),
  )

const listening = ({ host, port }: ServiceSettings) =>
  Effect.tryPromise(async () => {
    const hostname = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
    const connection = await Deno.connect({ hostname, port })
    connection.close()
  }).pipe(Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }))

/**
 * Ends when the parent process has exited. A terminal or test that was killed sends no signal, so
 * the processes would otherwise keep running and keep their port and store.
 */
const parentExited = Effect.suspend(() => {
  const parent = Deno.ppid
  return Effect.sync(() => Deno.ppid === parent).pipe(
    Effect.repeat({ while: (isRunning) => isRunning, schedule: Schedule.spaced(parentEvery) }),
  )
})

/** An argument, quoted for a shell. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
