/**
 * What the launcher starts for a command: the process in its sandbox, with its own variables only.
 *
 * @module
 */
import { Console, Effect, Option, Schema } from "effect"
import { releaseName } from "../core/domain/version.ts"
import type { Command } from "./arguments.ts"
import { loadWorker } from "./moneySettings.ts"
import {
  checkSandbox,
  commandLine,
  type MachinePaths,
  ownerSandbox,
  restoreSandbox,
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

const machinePaths: MachinePaths = {
  storePackages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs"].map((name) =>
    decodeURIComponent(new URL("..", import.meta.resolve(name)).pathname).replace(/\/$/, "")
  ),
}

/** What the launcher starts. */
interface Plan {
  /** What comes after `deno`. */
  readonly args: ReadonlyArray<string>
  /** The variables that the process gets, where they are set. */
  readonly variables: ReadonlyArray<string>
}

/**
 * The process of a command: its plan as JSON for the launcher, or with `--print` its command line for a
 * shell. With `--help` or `--version` it prints that.
 */
export const printPlan = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  environment: Environment,
) {
  const release = releaseName(environment("COMMIT")?.slice(0, commitDigits) || null)
  if (args.includes("--version")) return yield* Console.log(release)
  if (args.includes("--help")) yield* Console.log(`${release}\n`)
  const passedOn = args.filter((option) => option !== printOption)
  const command = yield* readCommand(passedOn)
  if (command === null) return
  for (const [name, instead] of Object.entries(removedSettings)) {
    if (!environment(name)) continue
    return yield* new CannotLaunch({ message: `${name} is not read any more: ${instead}` })
  }
  const sandbox = yield* sandboxOf(command, passedOn, environment)
  if (args.includes(printOption)) {
    return yield* Console.log(["deno", ...commandLine(sandbox)].map(shellQuoted).join(" "))
  }
  const plan: Plan = {
    args: [...commandLine(sandbox), stopWithLauncher],
    variables: [...runtimeVariables, ...sandbox.variables],
  }
  yield* Console.log(JSON.stringify(plan))
})

/** Settings of earlier commits, and what to do instead. */
const removedSettings = {
  REFUND_DATABASE_URL: "give each process its login as DATABASE_URL",
  MIGRATION_DATABASE_URL: "give each process its login as DATABASE_URL",
  LIMITS: "set FREE_LIMIT, DOCUMENT_LIMIT, PAGE_LIMIT and INVALID_PAYMENT_LIMIT",
}

/** The one option that is no command's. */
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

/** An argument, quoted for a shell. */
function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
