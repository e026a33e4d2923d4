/**
 * What a person at a terminal reads: the settings a start runs on, what to try, and a line a tick.
 *
 * @module
 */
import { Cause, Duration, Predicate } from "effect"
import { products } from "../catalog/domain/product.ts"
import { usd } from "../core/domain/money.ts"
import type { TickReport } from "../movers/Ingestion.ts"
import type { WhaleReport } from "../whales/Whales.ts"
import type { Budget, Settings } from "./settings.ts"

/** The opening lines of a start. Shows no secret: a database's address is shown without its login. */
export function banner(settings: Settings): string {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["mode", settings.mode],
    ["venue", venueLine(settings)],
    ["payments", paymentsLine(settings)],
    ["store", storeLine(settings)],
    ["narrator", narratorLine(settings)],
    ["news", newsLine(settings)],
    ["tick", `every ${Duration.format(settings.tick)}, aligned`],
    ["limits", limitsLine(settings)],
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)
  return ["Bellwether 1.0.0", ...lines].join("\n")
}

/** Where the demo buyer buys when it is not told. */
const buyDefault = "http://127.0.0.1:8402"

/** What to try once the service listens. */
export function invitation(settings: Settings): string {
  const base = settings.publicBaseUrl
  const from = base === buyDefault ? "" : ` ${base}`
  const paid = Object.values(products).map(({ path, price }) => `${path} $${usd(price)}`)
  const lines = [
    `  listening ${base}   admin http://${settings.host}:${settings.adminPort}/metrics`,
    `  free      curl ${base}/v1/index    also /v1/pulse /v1/digest/brief /v1/track-record /v1/sample /health`,
    `  agents    ${base}/llms.txt    /openapi.json   /.well-known/agent-card.json   POST /a2a (A2A 0.3)   POST /mcp (MCP)`,
    `  paid      ${paid.join("   ")}`,
    ...settings.payments.kind === "simulated"
      ? [
        `  buy       deno task buy /v1/latest${from}    (a throw-away key, play money)`,
        `  agent     deno task agent${from}    (finds, polls, buys and checks within a budget)`,
      ]
      : [],
  ]
  return lines.join("\n")
}

/** One tick in one line: what was read, what was found, what went no further and why. */
export function tickLine(report: TickReport): string {
  const at = new Date(report.slot).toISOString().slice(11, 19)
  const counts = [
    `${report.markets} markets`,
    `${report.books} books`,
    `${report.movers.length} movers`,
    ...(report.seeded > 0 ? [`${report.seeded} histories`] : []),
  ]
  const reasons = Object.entries(report.rejected)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${count}`)
  const failed = report.failed.length > 0 ? `  FAILED ${report.failed.join(", ")}` : ""
  return `tick ${at}  ${counts.join("  ")}  rejected: ${reasons.join(", ") || "none"}  ` +
    `${report.seconds.toFixed(2)} s${failed}`
}

/**
 * One tick of whales in one line: what was read, told, and learnt of how markets ended; and which
 * stages have more to do than fitted in.
 */
export function whaleLine(report: WhaleReport): string {
  const at = new Date(report.slot).toISOString().slice(11, 19)
  const { labels } = report
  const labelled = labels === null ? 0 : labels.follow + labels.fade + labels.neutral
  const counts = [
    `${report.wallets} wallets`,
    `${report.acts.toLocaleString("en-US")} new acts`,
    `${report.items.length} entries told`,
    `${report.resolved.toLocaleString("en-US")} markets resolved`,
    `${labelled} labelled (${labels?.follow ?? 0} follow, ${labels?.fade ?? 0} fade)`,
  ]
  const behind = report.behind.length > 0 ? `  more to do: ${report.behind.join(", ")}` : ""
  const failed = report.failed.length > 0 ? `  FAILED ${report.failed.join(", ")}` : ""
  return `whales ${at}  ${counts.join("  ")}  ${report.seconds.toFixed(2)} s${behind}${failed}`
}

/**
 * Why the service cannot start or go on, in a sentence where it is something to be set right outside;
 * else with its trace. A database's own words are left out: they may hold its login.
 */
export function whyStopped(cause: Cause.Cause<unknown>): string {
  const error = Cause.squash(cause)
  if (error instanceof Deno.errors.NotCapable) {
    return `Cannot start: ${error.message.split(",")[0]}. ` +
      "The process was started without that permission: start it with the task, which computes them"
  }
  switch (Predicate.hasProperty(error, "_tag") ? error._tag : null) {
    case "InvalidSettings":
    case "DataDirBusy":
    case "StoreNotServed":
    case "OtherVenue":
    case "SchemaDiverged":
    case "MigrationNeeded":
    case "BadApiKey":
      return String(Predicate.hasProperty(error, "message") ? error.message : error)
    case "CannotListen":
      return Predicate.hasProperty(error, "hostname") && Predicate.hasProperty(error, "port")
        ? `Cannot listen on ${error.hostname}:${error.port}: is the port taken?`
        : String(error)
    case "VenueUnavailable":
      return "Cannot read the folder of REPLAY_DIR"
    case "SqlError":
      return "Cannot reach or use PostgreSQL at DATABASE_URL: check the address, the login and the rights"
    default:
      return Cause.pretty(cause)
  }
}

function venueLine({ venue }: Settings): string {
  switch (venue.kind) {
    case "simulated":
      return `simulated, seed ${venue.seed}, in real time, with 8 days of history`
    case "replay":
      return `replay of ${venue.dir}`
    case "polymarket":
      return "polymarket, live"
  }
}

function paymentsLine({ payments, payTo }: Settings): string {
  if (payments.kind === "simulated") {
    return `simulated: real signatures, play money, no chain (payTo ${payTo})`
  }
  const chain = payments.rehearsal ? "a REHEARSAL on a node of this machine" : "real USDC on Base"
  return `live: ${chain}, through ${new URL(payments.facilitator.url).host} (payTo ${payTo})`
}

function narratorLine({ model }: Settings): string {
  if (model === null) return "template: rules write and detect (no OPENAI_API_KEY)"
  return `${model.model} at ${model.baseUrl.host}, every word checked; rules where it fails`
}

function newsLine({ news }: Settings): string {
  switch (news.kind) {
    case "off":
      return "off: written products say so"
    case "simulated":
      return "of the simulated world"
    case "real":
      return [...news.gdelt ? ["GDELT"] : [], ...news.feeds.map(({ name }) => name)].join(", ")
  }
}

function storeLine({ database }: Settings): string {
  return database.kind === "postgres"
    ? "PostgreSQL at DATABASE_URL"
    : `embedded PostgreSQL in ${database.dir} (one process; not power-loss safe; no role wall)`
}

function limitsLine(settings: Settings): string {
  const show = (budget: Budget) =>
    budget === "off" ? "OFF (benchmarks only)" : `${budget.limit} in ${budget.windowMs / 1000} s`
  return `free ${show(settings.freeLimit)}, documents ${show(settings.documentLimit)}, ` +
    `invalid payments ${show(settings.invalidPaymentLimit)}, a client address`
}
