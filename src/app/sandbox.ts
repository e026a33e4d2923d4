/**
 * What each process may do, computed from its settings: the narrowest permissions that it runs with.
 *
 * A process that is taken over can talk to the addresses it talks to anyway, read what it reads
 * anyway, and start nothing. It cannot name a variable of another process, fetch code, or make code
 * out of strings.
 *
 * @module
 */
import { Redacted } from "effect"
import { gdeltUrl } from "../news/sources/feeds.ts"
import { polymarketUrls } from "../venues/polymarket/venue.ts"
import type { MoneySettings, WorkerSettings } from "./moneySettings.ts"
import type { BackfillSettings, ServiceSettings, VenueStore } from "./settings.ts"
import { type Variable, variablesOf } from "./variables.ts"

/** What is known of the machine only. */
export interface Place {
  /** The folders of the packages whose files the embedded store reads when it opens. */
  readonly storePackages: ReadonlyArray<string>
}

/** A process: what it runs, and within which walls. */
export interface Sandbox {
  readonly entry: `src/${string}.ts`
  readonly args: ReadonlyArray<string>
  /** The variables it is given, and may ask for. */
  readonly variables: ReadonlyArray<Variable>
  /** Addresses with their ports. */
  readonly net: ReadonlyArray<string>
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
}

/** Nothing is asked, downloaded, or compiled from a string; the versions are those of deno.lock. */
const walls = [
  ...["--no-prompt", "--no-remote", "--cached-only", "--frozen", "--config=deno.json"],
  "--v8-flags=--disallow-code-generation-from-strings",
]

const migrations = "migrations"

export function serviceSandbox(settings: ServiceSettings, place: Place): Sandbox {
  const { mode, host, port, adminPort, database, deliveryJournal, files } = settings
  const { net, read, write } = venueStoreWalls(settings, place)
  const hosted = host.includes(":") ? `[${host}]` : host
  return {
    entry: "src/main.ts",
    args: [mode],
    variables: variablesOf("service"),
    net: [
      ...[port, adminPort].map((port) => `${hosted}:${port}`),
      ...database.kind === "embedded" && database.served !== null
        ? [`127.0.0.1:${database.served.port}`]
        : [],
      ...moneyHosts(settings),
      ...net,
      ...intelligenceHosts(settings),
    ],
    read: [deliveryJournal, ...files, ...read],
    write: [deliveryJournal, ...write],
  }
}

export function backfillSandbox(settings: BackfillSettings, place: Place): Sandbox {
  return {
    entry: "src/backfill.ts",
    args: [],
    variables: variablesOf("backfill"),
    ...venueStoreWalls(settings, place),
  }
}

/** What reading the venue into the store takes. */
function venueStoreWalls(
  { database, venue }: VenueStore,
  { storePackages }: Place,
): Pick<Sandbox, "net" | "read" | "write"> {
  const embedded = database.kind === "embedded" ? [database.dir] : []
  return {
    net: [
      ...database.kind === "postgres" ? [databaseHost(database.url)] : [],
      ...venue.kind === "polymarket" ? Object.values(polymarketUrls).map(hostOf) : [],
    ],
    read: [
      migrations,
      ...embedded,
      ...database.kind === "embedded" ? storePackages : [],
      ...venue.kind === "replay" ? [venue.dir] : [],
    ],
    write: embedded,
  }
}

export function workerSandbox(settings: WorkerSettings): Sandbox {
  return {
    entry: "src/refund-worker.ts",
    args: [settings.mode],
    variables: variablesOf("worker"),
    net: [databaseHost(settings.databaseUrl), ...moneyHosts(settings)],
    read: [],
    write: [],
  }
}

export function migrationSandbox(databaseUrl: Redacted.Redacted): Sandbox {
  return {
    entry: "src/migrate.ts",
    args: [],
    variables: variablesOf("migration"),
    net: [databaseHost(databaseUrl)],
    read: [migrations],
    write: [],
  }
}

/** The permissions, as Deno's command line has them. What is empty is not allowed at all. */
export function flagsOf({ variables, net, read, write }: Omit<Sandbox, "entry" | "args">) {
  const allow = (name: string, values: ReadonlyArray<string>) =>
    values.length === 0
      ? []
      : [`--allow-${name}=${values.map((value) => value.replaceAll(",", ",,")).join(",")}`]
  return [
    ...walls,
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
    : [payments.facilitator.url, Redacted.value(payments.rpcUrl)].map(hostOf)
}

/** The model, and every source of news. */
function intelligenceHosts({ model, news }: ServiceSettings): ReadonlyArray<string> {
  const sources = news.kind !== "real"
    ? []
    : [...news.gdelt ? [gdeltUrl] : [], ...news.feeds.map(({ url }) => url)]
  return [
    ...sources.map(hostOf),
    ...model === null ? [] : [hostOf(model.baseUrl.href)],
  ]
}

const usualPorts: Readonly<Record<string, string>> = { "https:": "443", "http:": "80" }

function hostOf(address: string): string {
  const { protocol, hostname, port } = new URL(address)
  return `${hostname}:${port || usualPorts[protocol]}`
}

/** Where the client of the store connects; query parameters go first, as they do there. */
function databaseHost(address: Redacted.Redacted): string {
  const { hostname, port, searchParams } = new URL(Redacted.value(address))
  const host = searchParams.get("host") ?? (hostname || "localhost")
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
  return `${decodeURIComponent(bracketed)}:${searchParams.get("port") ?? (port || "5432")}`
}
