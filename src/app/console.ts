/**
 * Everything the processes print: the banner of a start, hints, one line for each finished job,
 * and why a process stopped.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Predicate } from "effect"
import type { Product } from "../catalog/domain/product.ts"
import { usd } from "../core/domain/money.ts"
import { releaseName } from "../core/domain/version.ts"
import type { DigestReport } from "../digest/Digest.ts"
import type { TickReport } from "../movers/Ingestion.ts"
import type { NewsReport } from "../news/News.ts"
import type { RefundOutcome } from "../payments/domain/refund.ts"
import type { PredeterminedReport } from "../predetermined/Predetermined.ts"
import type { ReadingReport, ScoreReport } from "../track-record/SelfScore.ts"
import type { BackfillReport } from "../whales/Backfill.ts"
import type { TrackingReport } from "../whales/Tracking.ts"
import type { WhaleReport } from "../whales/Whales.ts"
import type { WorkerSettings } from "./moneySettings.ts"
import type { ServiceSettings } from "./settings.ts"
import type { Budget, Mode } from "./variables.ts"

/** Prints what a job did: a readable line in `dev`, structured log fields in `start`. */
export const printer = (mode: Mode) => (name: string, line: string, fields: object) =>
  mode === "dev" ? Console.log(line) : Effect.annotateLogs(Effect.logInfo(name), { ...fields })

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
    ["venue", venueLine(settings)],
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
  const { mode, payments, payTo, treasury, maxPerHour, maxPerDay, sweep } = settings
  const { maxUnmatchedPerDay } = settings
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["mode", mode],
    [
      "payments",
      payments.kind === "simulated"
        ? "simulated: real signatures, play money, no chain"
        : `live, through ${payments.facilitator.urls.join(", ")}${
          payments.rehearsal ? " (a rehearsal)" : ""
        }`,
    ],
    ["treasury", `${treasury} refunds payments to ${payTo}`],
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
        `  buy       deno task buy /v1/latest${from}    (a throw-away key, play money)`,
        `  agent     deno task agent${from}    (discovers, polls, buys and verifies within a budget)`,
      ]
      : [],
    ...settings.mode === "start"
      ? [
        "  refunds   a refund worker pays them: deno task refunds, with TREASURY_PRIVATE_KEY, " +
        "its own REFUND_DATABASE_URL and the same payment settings",
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

/** One tick: what was read and found, and what was rejected for which reason. */
export function tickLine(report: TickReport): string {
  return line("tick", report, [
    `${report.markets} markets`,
    `${report.books} books`,
    `${report.movers.length} movers`,
    ...(report.seeded > 0 ? [`${report.seeded} price histories fetched`] : []),
    `rejected: ${byCount(report.rejected) || "none"}`,
  ])
}

/** One whale tick: what was read and published, and which stages have a backlog. */
export function whaleLine(report: WhaleReport): string {
  const { labels } = report
  const labelled = labels === null ? 0 : labels.follow + labels.fade + labels.neutral
  const counts = [
    `${report.wallets} wallets`,
    `${formatCount(report.activityAdded)} new activity events`,
    `${report.items.length} entries published`,
    `${formatCount(report.resolved)} markets resolved`,
    `${labelled} labelled (${labels?.follow ?? 0} follow, ${labels?.fade ?? 0} fade)`,
  ]
  return line("whales", report, counts, report.behind)
}

/** One tick of predetermined outcomes: reviewed, published, or rejected for which reason. */
export function predeterminedLine(report: PredeterminedReport): string {
  const counts = [
    `${formatCount(report.markets)} open markets`,
    `${report.withNewEvidence} with new evidence`,
    `${report.questions} sent to the detector`,
    ...(report.unanswered > 0 ? [`${report.unanswered} unanswered`] : []),
    `${report.items.length} published`,
  ]
  return line("outcomes", report, [...counts, `rejected: ${byCount(report.rejected) || "none"}`])
}

/** One tick of the self-score. */
export function scoreLine(report: ScoreReport): string {
  const counts = [
    `${report.itemsRead} new items`,
    `${report.resolved} markets resolved`,
    `${report.forecasts} forecasts`,
    `judged: ${byCount(report.verdicts) || "none"}`,
  ]
  return line("scores", report, counts)
}

/** One run of the job that reads books after published whale entries. */
export function readingLine(report: ReadingReport): string {
  return line("books after entries", report, [byCount(report.readings) || "none"])
}

/** One update of the news. */
export function headlinesLine(report: NewsReport): string {
  return line("news", report, [
    `${report.headlines} new headlines`,
    `${report.answered} of ${report.sources} sources answered`,
  ])
}

/** One digest: narrator, size, claims, missing sections and title. */
export function digestLine(report: DigestReport): string {
  const counts = [
    `by ${report.narrator}`,
    `${report.words} words from ${report.facts} facts`,
    `${report.accepted} claims accepted`,
    `${report.refused} refused`,
    ...(report.unwritten > 0 ? [`${report.unwritten} requests failed`] : []),
    ...(report.missing.length > 0 ? [`without ${report.missing.join(", ")}`] : []),
    ...(report.belowThreshold ? ["below the threshold of a sale"] : []),
    ...(report.stored ? [] : ["not stored: another replica was first"]),
  ]
  return `${line("digest", { ...report, failed: [] }, counts)}\n  ${report.title}`
}

/** One refund. It omits the signature, because anyone who has it can broadcast the refund. */
export function refundLine({ paymentId, from, to, reason }: RefundOutcome): string {
  return `refund ${paymentId}  ${from} -> ${to}${reason === null ? "" : `  (${reason})`}`
}

/** One run of the backfill. */
export function backfillLine(report: BackfillReport): string {
  const { wallets, whole, truncated, failed, activityAdded } = report
  return [
    "backfill",
    `${whole} of ${wallets} wallets complete`,
    ...truncated > 0 ? [`${truncated} truncated`] : [],
    `${formatCount(activityAdded)} activity events`,
    ...failed > 0 ? [`${failed} failed`] : [],
  ].join("  ")
}

/** One update of the tracked wallets from the leaderboards. */
export function trackingLine(report: TrackingReport): string {
  const { boards, failed, found, added, unnamed, overBudget } = report
  const parts = [
    `${boards - failed.length} of ${boards} boards`,
    `${found} wallets`,
    `${added} new`,
    ...unnamed > 0 ? [`${unnamed} without a name`] : [],
    ...overBudget > 0 ? [`${overBudget} over the limit`] : [],
  ]
  return `tracking  ${parts.join("  ")}${failed.length > 0 ? `  FAILED ${failed.join(", ")}` : ""}`
}

function formatCount(count: number): string {
  return count.toLocaleString("en-US")
}

/**
 * Why a process stopped: one sentence if an operator can fix the cause, else the stack trace.
 * Database messages are omitted, because they may contain the login.
 */
export function stopReason(cause: Cause.Cause<unknown>): string {
  const error = Cause.squash(cause)
  if (error instanceof Deno.errors.NotCapable) {
    return `Cannot start: ${error.message.split(",")[0]}. ` +
      "The process was started without that permission: start it with its task"
  }
  switch (Predicate.hasProperty(error, "_tag") ? error._tag : null) {
    case "InvalidSettings":
    case "DataDirBusy":
    case "StoreListenFailed":
    case "StoreMismatch":
    case "SchemaDiverged":
    case "OwnerMigrationRequired":
    case "BadApiKey":
    case "SchemaMissing":
    case "NoTrackedWallets":
    case "CannotLaunch":
    case "InvalidArguments":
    case "BlockRefused":
      return String(Predicate.hasProperty(error, "message") ? error.message : error)
    case "CannotListen":
      return Predicate.hasProperty(error, "hostname") && Predicate.hasProperty(error, "port")
        ? `Cannot listen on ${error.hostname}:${error.port}: is the port in use?`
        : String(error)
    case "VenueUnavailable":
      return "Cannot read recorded pages from REPLAY_DIR"
    case "ChainUnavailable":
      return "Cannot read the chain at RPC_URL: check the address, and try again"
    case "SqlError":
      return "Cannot reach or use PostgreSQL at its address (DATABASE_URL, in the refund worker " +
        "REFUND_DATABASE_URL): check address, login and rights"
    default:
      return Cause.pretty(cause)
  }
}

function venueLine({ venue }: ServiceSettings): string {
  switch (venue.kind) {
    case "simulated":
      return `simulated, seed ${venue.seed}, in real time, with 8 days of history`
    case "replay":
      return `replay of ${venue.dir}`
    case "polymarket":
      return "polymarket, live"
  }
}

function paymentsLine({ payments, payTo }: ServiceSettings): string {
  if (payments.kind === "simulated") {
    return `simulated: real signatures, play money, no chain (payTo ${payTo})`
  }
  const chain = payments.rehearsal ? "a REHEARSAL on a node on this machine" : "real USDC on Base"
  const hosts = payments.facilitator.urls.map((url) => new URL(url).host).join(", ")
  return `live: ${chain}, through ${hosts} (payTo ${payTo})`
}

function narratorLine({ model }: ServiceSettings): string {
  if (model === null) return "rules, without a model (no OPENAI_API_KEY)"
  const { baseUrl, checkModel, reasoningEffort } = model
  const effort = reasoningEffort === null ? "" : ` (effort ${reasoningEffort})`
  const checkedBy = checkModel === null ? "" : `, doubtful claims by ${checkModel}`
  return `${model.model}${effort} at ${baseUrl.host}, every claim checked${checkedBy}; rules if it fails`
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

function limitsLine(settings: ServiceSettings): string {
  const text = (budget: Budget) =>
    budget === "off" ? "OFF (benchmarks only)" : `${budget.limit} in ${budget.windowMs / 1000} s`
  return `free ${text(settings.freeLimit)}, documents ${text(settings.documentLimit)}, ` +
    `pages ${text(settings.pageLimit)}, ` +
    `invalid payments ${text(settings.invalidPaymentLimit)}, for each client address`
}

/** The fields that every job report has. */
interface JobReport {
  readonly slot: number
  readonly seconds: number
  readonly failed: ReadonlyArray<string>
}

function line(
  name: string,
  { slot, seconds, failed }: JobReport,
  parts: ReadonlyArray<string>,
  behind: ReadonlyArray<string> = [],
): string {
  const at = new Date(slot).toISOString().slice(11, 19)
  return [
    `${name} ${at}`,
    ...parts,
    `${seconds.toFixed(2)} s`,
    ...behind.length > 0 ? [`backlog: ${behind.join(", ")}`] : [],
    ...failed.length > 0 ? [`FAILED ${failed.join(", ")}`] : [],
  ].join("  ")
}

/** Reasons with their counts, most frequent first. */
function byCount(
  counts: Readonly<Record<string, number>>,
  format: (count: number) => string = String,
): string {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${format(count)}`)
    .join(", ")
}
