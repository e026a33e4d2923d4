/**
 * The permissions of each process, computed from its settings and as narrow as possible.
 *
 * A compromised process can connect only to its usual addresses and read only its usual files. It
 * cannot start a process, read a variable of another process, fetch code or compile strings.
 *
 * @module
 */
import { Redacted } from "effect"
import { gdeltUrl } from "../news/sources/feeds.ts"
import { polymarketUrls } from "../venues/polymarket/addresses.ts"
import type { MoneySettings, WorkerSettings } from "./moneySettings.ts"
import type { RestoreSettings, ServiceSettings } from "./settings.ts"
import { type Variable, variablesOf } from "./variables.ts"

/** Paths that depend on the machine. */
export interface MachinePaths {
  /** Folders of the packages that the embedded store reads when it opens. */
  readonly storePackages: ReadonlyArray<string>
}

/** What a process runs, and its permissions. */
export interface Sandbox {
  readonly entry: `src/${string}.ts`
  readonly args: ReadonlyArray<string>
  /** The environment variables it gets and may read. */
  readonly variables: ReadonlyArray<Variable>
  /** Hosts with ports. */
  readonly net: ReadonlyArray<string>
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
}

/** No prompts, no downloads, no code from strings; package versions as in deno.lock. */
const baseFlags = [
  "--no-prompt",
  "--no-remote",
  "--cached-only",
  "--frozen",
  "--config=deno.json",
  "--v8-flags=--disallow-code-generation-from-strings",
]

const migrations = "migrations"
/** What buyers install, as the release has built it. */
export const packageFolder = "packages/built"
/** The runtime reads the entry of a worker with the process's own permissions. */
const storeWorker = "src/postgres/embeddedWorker.ts"

export function serviceSandbox(
  settings: ServiceSettings,
  { storePackages }: MachinePaths,
): Sandbox {
  const { mode, database, venue, deliveryJournal, files } = settings
  const kept = "folder" in settings.signing.key ? [settings.signing.key.folder] : []
  const isEmbedded = database.kind === "embedded"
  const store = isEmbedded ? [database.dir] : []
  return {
    entry: mode === "dev" ? "src/dev.ts" : "src/main.ts",
    args: [],
    variables: variablesOf("service"),
    net: [
      bound(settings.host, settings.port),
      bound(settings.adminHost, settings.adminPort),
      ...moneyHosts(settings),
      ...isEmbedded ? [] : [databaseHost(database.url)],
      ...venue === "polymarket" ? Object.values(polymarketUrls).map(hostOf) : [],
      ...intelligenceHosts(settings),
      ...settings.collector === null ? [] : [hostOf(settings.collector.url)],
    ],
    read: [
      deliveryJournal,
      packageFolder,
      ...kept,
      ...files,
      migrations,
      ...store,
      ...isEmbedded ? [storeWorker, ...storePackages] : [],
    ],
    write: [deliveryJournal, ...kept, ...store],
  }
}

const bound = (host: string, port: number) =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

export function workerSandbox(settings: WorkerSettings): Sandbox {
  return {
    entry: "src/refund-worker.ts",
    args: [],
    variables: variablesOf("worker"),
    net: [
      bound(settings.adminHost, settings.adminPort),
      databaseHost(settings.databaseUrl),
      ...moneyHosts(settings),
    ],
    read: [],
    write: [],
  }
}

/** A command of the owner of the tables. `args`: its name, and its own. */
export function ownerSandbox(
  databaseUrl: Redacted.Redacted,
  args: ReadonlyArray<string>,
): Sandbox {
  return {
    entry: "src/command.ts",
    args,
    variables: variablesOf("migration"),
    net: [databaseHost(databaseUrl)],
    read: args[0]?.startsWith("refunds:") ? [] : [migrations],
    write: [],
  }
}

/** `args`: of the command, with the `journals` that they name. */
export function restoreSandbox(
  { databaseUrl, scan }: RestoreSettings,
  journals: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
): Sandbox {
  const chain = scan === null || scan.chain === "simulated"
    ? []
    : Redacted.value(scan.chain.rpcUrls)
  return {
    entry: "src/command.ts",
    args,
    variables: variablesOf("restore"),
    net: [databaseHost(databaseUrl), ...chain.map(hostOf)],
    read: journals,
    write: [],
  }
}

/**
 * What a check may: reach what the service reaches, and write nothing. `service` is null when its
 * settings have a problem, which is printed and nothing tried. `files` are named by settings.
 */
export function checkSandbox(service: Sandbox | null, files: ReadonlyArray<string>): Sandbox {
  return {
    entry: "src/command.ts",
    args: ["check"],
    variables: variablesOf("service"),
    net: service?.net ?? [],
    read: files,
    write: [],
  }
}

/** The permissions as flags of Deno. An empty list allows nothing. */
export function flagsOf({ variables, net, read, write }: Omit<Sandbox, "entry" | "args">) {
  const allow = (name: string, values: ReadonlyArray<string>) =>
    values.length === 0
      ? []
      : [`--allow-${name}=${values.map((value) => value.replaceAll(",", ",,")).join(",")}`]
  return [
    ...baseFlags,
    ...allow("env", variables),
    ...allow("net", [...new Set(net)]),
    ...allow("read", read),
    ...allow("write", write),
  ]
}

/** What comes after `deno` on the command line. */
export function commandLine(sandbox: Sandbox): ReadonlyArray<string> {
  return ["run", ...flagsOf(sandbox), sandbox.entry, ...sandbox.args]
}

function moneyHosts({ payments }: MoneySettings): ReadonlyArray<string> {
  return payments.kind === "simulated"
    ? []
    : [...payments.facilitator.urls, ...Redacted.value(payments.rpcUrls)].map(hostOf)
}

/** The model, and every source of news. */
function intelligenceHosts(
  { model, news }: Pick<ServiceSettings, "model" | "news">,
): ReadonlyArray<string> {
  const sources = news.kind !== "real"
    ? []
    : [...news.gdelt ? [gdeltUrl] : [], ...news.feeds.map(({ url }) => url)]
  return [
    ...sources.map(hostOf),
    ...model === null ? [] : [hostOf(model.baseUrl.href)],
  ]
}

const defaultPorts: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" }

function hostOf(address: string): string {
  const { protocol, hostname, port } = new URL(address)
  return `${hostname}:${port || defaultPorts[protocol]}`
}

/**
 * The host the PostgreSQL client connects to. Query parameters have precedence, as in the client.
 */
function databaseHost(address: Redacted.Redacted): string {
  const { hostname, port, searchParams } = new URL(Redacted.value(address))
  const host = searchParams.get("host") ?? (hostname || "localhost")
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
  return `${decodeURIComponent(bracketed)}:${searchParams.get("port") ?? (port || "5432")}`
}
