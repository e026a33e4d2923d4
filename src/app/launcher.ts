/**
 * Starts a process of the product in its sandbox and with its own variables only.
 *
 * @module
 */
import { Console, Duration, Effect, Option, Schedule, Schema } from "effect"
import { releaseName } from "../core/domain/version.ts"
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
  workerSandbox,
} from "./sandbox.ts"
import { loadMigration, loadRestore, loadService } from "./settings.ts"
import { commitDigits, type Mode } from "./variables.ts"
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

/** Enough for the service to drain and to finish the requests in flight. */
const stopMax = Duration.seconds(60)
/** How often a dev launcher checks that its parent process is still running. */
const parentEvery = Duration.seconds(1)

const machinePaths: MachinePaths = {
  storePackages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs"].map((name) =>
    decodeURIComponent(new URL("..", import.meta.resolve(name)).pathname).replace(/\/$/, "")
  ),
}

/** Starts the process of a command and waits for its end. Closing the scope stops it. */
export const launch = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment,
) {
  const release = releaseName(environment("COMMIT")?.slice(0, commitDigits) || null)
  if (args.includes("--version")) return yield* Console.log(release)
  if (args.includes("--help")) yield* Console.log(`${release}\n`)
  const passedOn = args.filter((option) => option !== printOption)
  const command = yield* readCommand(passedOn)
  if (command === null) return
  for (const name of ["REFUND_DATABASE_URL", "MIGRATION_DATABASE_URL"]) {
    if (!environment(name)) continue
    const message = `${name} is not read any more: give each process its login as DATABASE_URL`
    return yield* new CannotLaunch({ message })
  }
  const sandbox = yield* sandboxOf(command, passedOn, environment)
  if (args.includes(printOption)) {
    return yield* Console.log(["deno", ...commandLine(sandbox)].map(shellQuoted).join(" "))
  }
  yield* fetchPackages(sandbox.entry)
  const child = yield* spawn(sandbox, environment)
  void child.status.then(({ code }) => mainCode = code)
  yield* command.kind === "dev" ? Effect.raceFirst(exitCode(child), parentExited) : exitCode(child)
}, Effect.scoped)

/** The one option of the launcher itself. */
const printOption = "--print"

/** Most starts have no arguments, and do not wait for what reads them. */
const readCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [kind, ...rest] = args
  if (rest.length === 0 && (kind === "dev" || kind === "start" || kind === "refunds")) {
    return { kind } as const
  }
  const { readCommand } = yield* Effect.promise(() => import("./arguments.ts"))
  return yield* readCommand(args)
})

/** The sandbox of a command's process. */
const sandboxOf = Effect.fnUntraced(function* (
  command: Command,
  args: ReadonlyArray<string>,
  get: Environment,
) {
  switch (command.kind) {
    case "dev":
    case "start":
      return yield* serviceOf(get, command.kind)
    case "refunds":
      return workerSandbox(yield* loadWorker(get))
    case "check": {
      const service = yield* Effect.option(serviceOf(get, "start"))
      const files = [get("FAMILY_FILE")].flatMap((file) => file || [])
      return checkSandbox(Option.getOrNull(service), files)
    }
    case "restore": {
      const { journals, since } = command
      return restoreSandbox(yield* loadRestore(since !== null, get), journals, args)
    }
    default:
      return ownerSandbox((yield* loadMigration(get)).databaseUrl, args)
  }
})

const serviceOf = (get: Environment, mode: Mode) =>
  Effect.map(loadService(mode, get), (settings) => serviceSandbox(settings, machinePaths))

/**
 * Downloads missing packages of deno.lock, so that the processes need no permission for it. `deno
 * cache` asks the registry for each package on every start, so it runs only if one is missing.
 */
const fetchPackages = Effect.fnUntraced(function* (entry: string) {
  if (yield* Effect.promise(() => hasAllPackages().catch(() => false))) return
  const complete = yield* runDeno(
    ["install", "--quiet", "--frozen", "--cached-only", "--entrypoint", entry],
    "null",
  )
  if (complete || (yield* runDeno(["cache", "--frozen", entry], "inherit"))) return
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
const spawn = (sandbox: Sandbox, get: Environment) =>
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
      running = child
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

let running: Deno.ChildProcess | null = null

/** Sends SIGTERM again, on a second signal to the launcher. */
export function stopAgain(): void {
  if (running !== null) signal(running, "SIGTERM")
}

/** The exit code of the process; 0 while it runs. */
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
