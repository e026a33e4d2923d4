/**
 * Everything the processes print: the banner of a start, hints, one line for each finished job, and why
 * a process stopped.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Predicate } from "effect"
import type { Product } from "../catalog/domain/product.ts"
import { usd } from "../core/domain/money.ts"
import { releaseName } from "../core/domain/version.ts"
import { isoTime } from "../core/domain/time.ts"
import type { MoneySettings, WorkerSettings } from "./moneySettings.ts"
import type { ServiceSettings } from "./settings.ts"
import type { Mode } from "./variables.ts"

/** Prints what a job did: a readable line in `dev`, structured log fields in `start`. */
export const printer = (mode: Mode) => (name: string, report: object) =>
  mode === "dev"
    ? Console.log(reportLine(name, report))
    : Effect.annotateLogs(Effect.logInfo(name), { ...report })

/** Prints why a program failed; nothing if it was interrupted. */
export const printStopReason = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.tapCause(
    program,
    (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(stopReason(cause)),
  )

/** The first lines of the service. They contain no secret, and no address of a database. */
export function serviceBanner(settings: ServiceSettings): string {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["mode", settings.mode],
    ["venue", venueTexts[settings.venue]],
    ["payments", paymentsLine(settings)],
    ["store", storeLine(settings)],
    ["narrator", narratorLine(settings)],
    ["news", newsLine(settings)],
    ["tick", `every ${Duration.format(settings.tick)}, aligned`],
    ["limits", limitsLine(settings)],
  ]
  return [releaseName(settings.commit), ...columns(rows)].join("\n")
}

/** The first lines of a refund worker. */
export function workerBanner(settings: WorkerSettings): string {
  const { treasury, maxPerHour, maxPerDay, maxUnmatchedPerDay, sweep } = settings
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["payments", paymentsLine(settings)],
    ["treasury", treasury],
    [
      "caps",
      `$${usd(maxPerHour)} an hour, $${usd(maxPerDay)} a day; unmatched transfers ` +
      `$${usd(maxUnmatchedPerDay)} a day`,
    ],
    ["sweep", `every ${Duration.format(sweep)}`],
    ["admin", `http://${settings.adminHost}:${settings.adminPort}/metrics`],
  ]
  return [releaseName(settings.commit, "refund worker"), ...columns(rows)].join("\n")
}

function columns(rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> {
  return rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)
}

/** Where the demo buyer buys when its command names no address. */
const buyerDefaultUrl = "http://127.0.0.1:8402"
/** Runs a task where Deno is not installed. */
const run = "npx -y deno@2.9.6 task"

/** Commands to try once the service listens, and its paid products. */
export function startupHints(settings: ServiceSettings, sold: ReadonlyArray<Product>): string {
  const base = settings.publicBaseUrl
  const from = base === buyerDefaultUrl ? "" : ` ${base}`
  const paid = sold.map(({ path, price }) => `${path} $${usd(price)}`)
  const lines = [
    `  listening ${
      socketLine(settings)
    }   admin http://${settings.adminHost}:${settings.adminPort}/metrics`,
    `  free      curl ${base}/v1/index    also /v1/pulse /v1/digest/brief /v1/track-record /v1/sample /health`,
    `  agents    ${base}/llms.txt    /openapi.json   /.well-known/agent-card.json   POST /a2a (A2A 0.3)   POST /mcp (MCP)`,
    `  paid      ${paid.join("   ")}`,
    ...settings.payments.kind === "simulated"
      ? [
        `  buy       ${run} buy /v1/latest${from}    (a throw-away key, play money)`,
        `  agent     ${run} agent${from}    (polls, buys and verifies within a budget, for 2 minutes)`,
      ]
      : [],
    ...settings.mode === "start" || settings.payments.kind === "live"
      ? [
        "  refunds   a refund worker pays them: deno task refunds, with TREASURY_PRIVATE_KEY, " +
        "its own login in DATABASE_URL and the same payment settings",
      ]
      : [],
  ]
  return lines.join("\n")
}

/** The socket of the public listener, and the address that buyers use when it is another. */
function socketLine({ host, port, publicBaseUrl }: ServiceSettings): string {
  const socket = `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  return socket === publicBaseUrl ? socket : `${socket}, for buyers ${publicBaseUrl}`
}

/**
 * A report on one line: its slot, then its counts by name, without those that are 0 or empty. Of a list
 * of titles it says how many, of a list of names which.
 */
function reportLine(name: string, report: object): string {
  const { slot, ...rest } = { slot: null, ...report }
  const at = typeof slot === "number" ? ` ${isoTime(slot).slice(11, 19)}` : ""
  const parts = Object.entries(rest).flatMap(([field, value]) => {
    const text = valueText(value)
    return text === "" ? [] : [`${field === "failed" ? "FAILED" : wordsOf(field)} ${text}`]
  })
  return [`${name}${at}`, ...parts].join("  ")
}

const wordsOf = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function valueText(value: unknown): string {
  if (typeof value === "number") return value === 0 ? "" : formatCount(value)
  if (typeof value === "string") return value
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) {
    const isNames = value.every((one) => /^[\w-]+$/.test(one))
    return value.length === 0 ? "" : isNames ? value.join(", ") : `${value.length}`
  }
  if (typeof value !== "object" || value === null) return ""
  return Object.entries(value)
    .sort(([, a], [, b]) => Number(b) - Number(a))
    .flatMap(([reason, count]) => count === 0 ? [] : [`${reason} ${count}`])
    .join(", ")
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US", { maximumFractionDigits: 2 })
}

/**
 * Why a process stopped: one sentence if an operator can fix the cause, else the stack trace.
 * Database messages are omitted, because they may contain the login.
 */
function stopReason(cause: Cause.Cause<unknown>): string {
  const error = Cause.squash(cause)
  if (error instanceof Deno.errors.NotCapable) {
    return `Cannot start: ${error.message.split(",")[0]}. ` +
      "The process was started without that permission: start it with its task"
  }
  switch (Predicate.hasProperty(error, "_tag") ? error._tag : null) {
    case "ChainUnavailable":
      return "Cannot read the chain at RPC_URL: check the address, and try again"
    case "SqlError":
      return "Cannot reach or use PostgreSQL at DATABASE_URL: check address, login and rights"
  }
  // A failure that we foresee has a sentence of its own; that of a migration is the database's.
  const isForeseen = cause.reasons.some(Cause.isFailReason) &&
    !Predicate.isTagged(error, "MigrationError")
  return isForeseen && error instanceof Error && error.message !== ""
    ? error.message
    : Cause.pretty(cause)
}

const venueTexts = {
  simulated: "simulated, in real time, with 8 days of history",
  polymarket: "polymarket, live",
} as const

function paymentsLine({ payments, network, payTo }: MoneySettings): string {
  if (payments.kind === "simulated") {
    return `simulated: real signatures, play money, no chain (payTo ${payTo})`
  }
  const chain = payments.rehearsal
    ? "a REHEARSAL on a node on this machine"
    : network.isTest
    ? `a REHEARSAL on ${network.title}`
    : `real USDC on ${network.title}`
  const hosts = payments.facilitator.urls.map((url) => new URL(url).host).join(", ")
  return `live: ${chain}, through ${hosts} (payTo ${payTo})`
}

function narratorLine({ model }: ServiceSettings): string {
  if (model === null) return "rules, without a model (no OPENAI_API_KEY)"
  const { baseUrl, checkModel, reasoningEffort } = model
  const effort = reasoningEffort === null ? "" : ` (effort ${reasoningEffort})`
  const judge = checkModel ?? "itself"
  return `${model.model}${effort} at ${baseUrl.host}, judged by ${judge} once that is measured; rules if it fails`
}

function newsLine({ news }: ServiceSettings): string {
  switch (news.kind) {
    case "off":
      return "off"
    case "simulated":
      return "simulated"
    case "real":
      return [...news.gdelt ? ["GDELT"] : [], ...news.feeds.map(({ name }) => name)].join(", ")
  }
}

function storeLine({ database }: ServiceSettings): string {
  return database.kind === "postgres"
    ? "PostgreSQL at DATABASE_URL"
    : `embedded PostgreSQL in ${database.dir} (one process; not power-loss safe; no roles)`
}

function limitsLine({ limits }: ServiceSettings): string {
  const texts = Object.entries(limits).map(([of, budget]) =>
    `${wordsOf(of)} ${budget === "off" ? "OFF" : `${budget.limit} in ${budget.windowMs / 1_000} s`}`
  )
  return `${texts.join(", ")}, for each client address`
}
