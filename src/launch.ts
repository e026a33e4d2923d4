/**
 * Starts the processes of the product, each in its sandbox: `launch.ts dev | start | refunds |
 * backfill | migrate`.
 *
 * It alone reads the whole environment: a process gets the variables of its own list and no others.
 * With `--print` it prints the command lines instead, for the unit files of those who run their own
 * supervisor.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Exit, Fiber, Schedule, Schema } from "effect"
import { whyStopped } from "./app/announce.ts"
import {
  backfillSandbox,
  commandLine,
  migrationSandbox,
  type Place,
  type Sandbox,
  serviceSandbox,
  workerSandbox,
} from "./app/sandbox.ts"
import { load, loadBackfill, type Settings } from "./app/settings.ts"
import type { Get } from "./app/settingsReader.ts"
import type { Variable } from "./app/variables.ts"
import { loadMigration, loadWorker } from "./app/workerSettings.ts"

/** What went wrong while starting, in a sentence. */
class CannotLaunch
  extends Schema.TaggedError<CannotLaunch>()("CannotLaunch", { message: Schema.String }) {}

const root = new URL("..", import.meta.url)
const environment: Get = (name) => Deno.env.get(name)

/** What the runtime itself looks at: its caches, certificates, proxies and the terminal. */
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
/** How often and how many times the worker's turn to start is looked for. */
const readyEvery = Duration.millis(100)
const readyTimes = 600
/** How often it is looked whether whoever started a dev launcher is still there. */
const parentEvery = Duration.seconds(1)

const place: Place = {
  storePackages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs"].map((name) =>
    decodeURIComponent(new URL("..", import.meta.resolve(name)).pathname).replace(/\/$/, "")
  ),
}

interface Launch {
  readonly main: Sandbox
  /** Runs beside it, started when it listens. */
  readonly worker: { readonly sandbox: Sandbox; readonly after: Settings } | null
  readonly get: Get
}

const planned = Effect.fnUntraced(function* (command: string | undefined) {
  switch (command) {
    case "dev": {
      const get = servingStore(environment)
      const settings = yield* load("dev", get)
      const main = serviceSandbox(settings, place)
      const sandbox = workerSandbox(yield* loadWorker("dev", get))
      return { main, worker: { sandbox, after: settings }, get } satisfies Launch
    }
    case "start": {
      const main = serviceSandbox(yield* load("start", environment), place)
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
function servingStore(get: Get): Get {
  if ((get("DATABASE_URL") ?? "") !== "") return get
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
  const { port } = listener.addr
  listener.close()
  const password = crypto.randomUUID().replaceAll("-", "")
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`
  const served: Partial<Record<Variable, string>> = { STORE_URL: url, REFUND_DATABASE_URL: url }
  return (name) => served[name] ?? get(name)
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
const spawn = (sandbox: Sandbox, get: Get, stopMax: Duration.Duration) =>
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

function environmentOf({ variables }: Sandbox, get: Get): Record<string, string> {
  const given = [
    ...runtimeVariables.map((name) => [name, Deno.env.get(name)] as const),
    ...variables.map((name) => [name, get(name)] as const),
  ]
  return Object.fromEntries(
    given.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  )
}

/** Every process that runs. */
const running = new Set<Deno.ChildProcess>()

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
const keepWorker = (sandbox: Sandbox, settings: Settings, get: Get) =>
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

const listening = ({ host, port }: Settings) =>
  Effect.tryPromise(async () => {
    const hostname = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
    const connection = await Deno.connect({ hostname, port })
    connection.close()
  }).pipe(Effect.retry({ schedule: Schedule.spaced(readyEvery), times: readyTimes }))

const program = Effect.gen(function* () {
  const { main, worker, get } = yield* planned(Deno.args[0])
  const sandboxes = worker === null ? [main] : [main, worker.sandbox]
  if (Deno.args.includes("--print")) {
    for (const sandbox of sandboxes) {
      yield* Console.log(["deno", ...commandLine(sandbox)].map(quoted).join(" "))
    }
    return
  }
  yield* fetchPackages(sandboxes.map(({ entry }) => entry))
  const child = yield* spawn(main, get, serviceStopMax)
  void child.status.then((status) => code = status.code)
  // Forked after the service, so that it is interrupted first: the store outlives its users.
  if (worker !== null) yield* Effect.forkScoped(keepWorker(worker.sandbox, worker.after, get))
  yield* worker === null ? exitCode(child) : Effect.raceFirst(exitCode(child), orphaned)
}).pipe(Effect.scoped)

/**
 * Done when the process that started this one is gone. A terminal or a test that was killed tells
 * nobody; what it tried out would go on for ever, and hold its port and its store.
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

/** Runs until a signal, or until the service ends; a second signal does not wait. */
let asked = false
let code = 0
const fiber = Effect.runFork(program)
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(name, () => {
    if (asked) running.forEach((child) => signal(child, "SIGTERM"))
    asked = true
    Effect.runFork(Fiber.interrupt(fiber))
  })
}
const exit = await Effect.runPromise(Fiber.await(fiber))
if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
  const error = Cause.squash(exit.cause)
  await Effect.runPromise(
    Console.error(error instanceof CannotLaunch ? error.message : whyStopped(exit.cause)),
  )
  code = 1
}
Deno.exit(code)
