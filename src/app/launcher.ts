/**
 * Starts the processes of the product, each in its sandbox, with the variables of its own and no
 * others.
 *
 * @module
 */
import { Console, Duration, Effect, Schedule, Schema } from "effect"
import { loadWorker } from "./moneySettings.ts"
import {
  backfillSandbox,
  commandLine,
  migrationSandbox,
  type Place,
  type Sandbox,
  serviceSandbox,
  workerSandbox,
} from "./sandbox.ts"
import { loadBackfill, loadMigration, loadService, type ServiceSettings } from "./settings.ts"

class CannotLaunch
  extends Schema.TaggedError<CannotLaunch>()("CannotLaunch", { message: Schema.String }) {}

/** The environment of the launcher, by name: it is never enumerated. */
type Environment = (name: string) => string | undefined

const root = new URL("../..", import.meta.url)

/** What the runtime itself reads: its caches, certificates, proxies and the terminal. */
const runtimeVariables = [
  ...["HOME", "DENO_DIR", "XDG_CACHE_HOME", "PATH", "TMPDIR", "TZ", "LANG", "TERM", "NO_COLOR"],
  ...["DENO_CERT", "DENO_TLS_CA_STORE", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"],
]

/** A worker that ends by itself is started again, so many times and so much later. */
const restartsMax = 5
const restartDelay = Duration.seconds(2)
/** How long the worker may take to stop before the service, and with it the store, is asked to. */
const workerStopMax = Duration.seconds(5)
/** A service drains first, and ends what buyers wait for. */
const serviceStopMax = Duration.seconds(60)
/** How often and how many times the service's listener is tried before the worker starts. */
const readyEvery = Duration.millis(100)
const readyTimes = 600
/** How often a dev launcher checks that the process which started it is still there. */
const parentEvery = Duration.seconds(1)

const place: Place = {
  storePackages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs"].map((name) =>
    decodeURIComponent(new URL("..", import.meta.resolve(name)).pathname).replace(/\/$/, "")
  ),
}

interface Launch {
  readonly main: Sandbox
  /** Runs beside it, started when it listens. */
  readonly worker: { readonly sandbox: Sandbox; readonly after: ServiceSettings } | null
  readonly get: Environment
}

/** Starts what `args` name and waits for its end; its processes are stopped when the scope closes. */
export const launch = Effect.fnUntraced(function* (
  [command, ...options]: ReadonlyArray<string>,
  environment: Environment,
) {
  const { main, worker, get } = yield* planned(command, environment)
  const sandboxes = worker === null ? [main] : [main, worker.sandbox]
  if (options.includes("--print")) {
    for (const sandbox of sandboxes) {
      yield* Console.log(["deno", ...commandLine(sandbox)].map(quoted).join(" "))
    }
    return
  }
  yield* fetchPackages(sandboxes.map(({ entry }) => entry))
  const child = yield* spawn(main, get, serviceStopMax)
  void child.status.then(({ code }) => mainCode = code)
  // Forked after the service, so that it is interrupted first: the store outlives its users.
  if (worker !== null) yield* Effect.forkScoped(keepWorker(worker.sandbox, worker.after, get))
  yield* worker === null ? exitCode(child) : Effect.raceFirst(exitCode(child), orphaned)
}, Effect.scoped)

const planned = Effect.fnUntraced(function* (
  command: string | undefined,
  environment: Environment,
) {
  switch (command) {
    case "dev": {
      const get = servingStore(environment)
      const settings = yield* loadService("dev", get)
      const main = serviceSandbox(settings, place)
      const sandbox = workerSandbox(yield* loadWorker("dev", get))
      return { main, worker: { sandbox, after: settings }, get } satisfies Launch
    }
    case "start": {
      const main = serviceSandbox(yield* loadService("start", environment), place)
      return { main, worker: null, get: environment } satisfies Launch
    }
    case "refunds": {
      const main = workerSandbox(yield* loadWorker("start", environment))
      return { main, worker: null, get: environment } satisfies Launch
    }
    case "backfill": {
      const main = backfillSandbox(yield* loadBackfill(environment), place)
      return { main, worker: null, get: environment } satisfies Launch
    }
    case "migrate": {
      const { databaseUrl } = yield* loadMigration(environment)
      return {
        main: migrationSandbox(databaseUrl),
        worker: null,
        get: environment,
      } satisfies Launch
    }
    default:
      return yield* new CannotLaunch({
        message: "Say what to start: launch.ts dev, start, refunds, backfill or migrate",
      })
  }
})

/** The environment, with an address at which an embedded store is served to the worker. */
function servingStore(get: Environment): Environment {
  if ((get("DATABASE_URL") ?? "") !== "") return get
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  const password = crypto.randomUUID().replaceAll("-", "")
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`
  const served = new Map(["STORE_URL", "REFUND_DATABASE_URL"].map((name) => [name, url]))
  return (name) => served.get(name) ?? get(name)
}

/** Downloads what deno.lock names and the cache lacks, so that the processes need not be let to. */
const fetchPackages = Effect.fnUntraced(function* (entries: ReadonlyArray<string>) {
  const { success } = yield* Effect.promise(() =>
    new Deno.Command(Deno.execPath(), {
      args: ["cache", "--frozen", ...entries],
      cwd: root,
      stdin: "null",
    }).spawn().status
  )
  if (!success) {
    return yield* new CannotLaunch({ message: "Cannot fetch the packages that deno.lock names" })
  }
})

/**
 * A process in its sandbox; asked to stop when the scope closes, and waited for. It leads a group of
 * its own, so that a terminal's interrupt reaches it once, through the launcher.
 */
const spawn = (sandbox: Sandbox, get: Environment, stopMax: Duration.Duration) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = new Deno.Command(Deno.execPath(), {
        args: [...commandLine(sandbox)],
        cwd: root,
        clearEnv: true,
        env: environmentOf(sandbox, get),
        stdin: "null",
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
  const given = [...runtimeVariables, ...variables].map((name) => [name, get(name)] as const)
  return Object.fromEntries(
    given.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  )
}

/** Every process that runs. */
const running = new Set<Deno.ChildProcess>()

/** Asks every process to stop at once, where it was asked to stop in turn already. */
export function stopAll(): void {
  running.forEach((child) => signal(child, "SIGTERM"))
}

/** What the main process ended with; 0 while it runs. */
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

/** The worker, once what it works on is there; started again when it ends, so many times. */
const keepWorker = (sandbox: Sandbox, settings: ServiceSettings, get: Environment) =>
  listening(settings).pipe(
    Effect.andThen(
      Effect.scoped(Effect.flatMap(spawn(sandbox, get, workerStopMax), exitCode)).pipe(
        Effect.tap((code) => Console.error(`The refund worker ended with code ${code}`)),
        Effect.repeat({ schedule: Schedule.spaced(restartDelay), times: restartsMax }),
      ),
    ),
    Effect.matchEffect({
      onFailure: () => Console.error("The service does not listen: no refund worker was started"),
      onSuccess: () =>
        Console.error(`The refund worker ended ${restartsMax + 1} times and stays ended`),
    }),
  )

const listening = ({ host, port }: ServiceSettings) =>
  Effect.tryPromise(async () => {
    const hostname = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
    const connection = await Deno.connect({ hostname, port })
    connection.close()
  }).pipe(Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }))

/**
 * Done when the process that started this one is gone. A terminal or a test that was killed sends
 * no signal; what it started would run for ever, and keep its port and its store.
 */
const orphaned = Effect.suspend(() => {
  const parent = Deno.ppid
  return Effect.sync(() => Deno.ppid === parent).pipe(
    Effect.repeat({ while: (stays) => stays, schedule: Schedule.spaced(parentEvery) }),
  )
})

/** A word of a command line, as a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
