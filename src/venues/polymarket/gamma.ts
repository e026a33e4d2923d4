/**
 * Gamma, the venue's listing: a sweep of its open markets, and questions about markets by their
 * identity. Its rows become markets, facts or rules, or are rejected for a reason.
 *
 * A sweep goes page after page to the end or to a failure, and never stops in silence.
 *
 * @module
 */
import { Clock, Effect, Option, Result, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import { type Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import {
  type Market,
  type MarketFacts,
  MarketId,
  type MarketStatus,
  type MechanicalEvidence,
  mechanicalSign,
  Slug,
  TokenId,
} from "../../markets/domain/market.ts"
import { type MarketRules, rulesLengthMax } from "../../markets/domain/proposal.ts"
import { askable, byMarkets, type Limits, type Route, type Rows, rowsIn } from "./requests.ts"
import {
  conditionId,
  decodeRows,
  flag,
  id,
  instant,
  list,
  merge,
  number,
  object,
  text,
  type WireObject,
} from "./wire.ts"

/** Why a row of the listing is no market of ours, open or closed. */
type FactsRejection =
  | "undecodable"
  | "missing_id"
  | "bad_slug"
  | "missing_question"
  | "not_binary"
  | "missing_tokens"

/** Why a row of the listing is no live market of ours. */
type MarketRejection =
  | FactsRejection
  | "closed"
  | "inactive"
  | "not_accepting_orders"
  | "ended_long_ago"

/**
 * A market this long past its scheduled end is dead weight, whatever its flags say. Ends are often
 * kick-offs or first possible dates, and disputes take a week, so the grace is generous.
 */
const endedLongAgoMs = 30 * day

const siteUrl = "https://polymarket.com"

/** Outcome states at the oracle in which an outcome was put forward and is not final. */
const proposedStates: ReadonlySet<string> = new Set([
  "proposed",
  "reproposed",
  "challenged",
  "disputed",
  "arbitration",
])
const resolvedStates: ReadonlySet<string> = new Set(["resolved", "settled"])

/** Events of one market, and series of one event, that are looked through; there is mostly one. */
const eventsMax = 20

/** The venue's own top-level categories, by tag slug: what a reader would call the market. */
const categories: ReadonlySet<string> = new Set([
  "politics",
  "sports",
  "crypto",
  "finance",
  "economy",
  "economics",
  "tech",
  "culture",
  "pop-culture",
  "geopolitics",
  "world",
  "weather",
  "mentions",
  "elections",
  "esports",
])

/** Decodes a page of rows as of `now`. */
export function decodeMarkets(rows: ReadonlyArray<unknown>, now: EpochMs): Decoded<Market> {
  return decodeRows(rows, (row) => decodeMarket(row, now))
}

/** The live market a row describes as of `now`, or the first reason why it is none. */
export function decodeMarket(
  value: unknown,
  now: EpochMs,
): Result.Result<Market, MarketRejection> {
  const decoded = decodeFacts(value)
  const row = object(value)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  if (row === null) return Result.fail("undecodable")
  const facts = decoded.success
  const notLive = whyNotLive(row, facts.endsAt, now)
  if (notLive !== null) return Result.fail(notLive)
  return Result.succeed({
    ...facts,
    volumeUsd: amount(row, "volumeNum", "volume", "volumeClob"),
    liquidityUsd: amount(row, "liquidityNum", "liquidity", "liquidityClob"),
    status: statusOf(row),
    listed: listedOf(row),
    mechanical: mechanicalSign(evidenceOf(row, facts.slug)),
  })
}

/** What a row says of a market whether it is live or long closed. */
export function decodeFacts(value: unknown): Result.Result<MarketFacts, FactsRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const marketId = conditionId(row["conditionId"])
  if (marketId === null) return Result.fail("missing_id")
  const slug = row["slug"]
  if (!isSlug(slug)) return Result.fail("bad_slug")
  const question = text(row["question"])
  if (question === "") return Result.fail("missing_question")
  const outcomes = pair(row["outcomes"], (outcome) => text(outcome) || null)
  if (outcomes === null || row["marketType"] === "scalar") return Result.fail("not_binary")
  const tokenIds = pair(row["clobTokenIds"], id)
  if (tokenIds === null || tokenIds[0] === tokenIds[1]) return Result.fail("missing_tokens")
  const event = eventOf(row)
  const eventSlug = isSlug(event?.["slug"]) ? event["slug"] : slug
  return Result.succeed({
    id: MarketId.make(marketId),
    slug: Slug.make(slug),
    question,
    eventSlug,
    url: pageUrl(slug, eventSlug),
    category: categoryOf(row, tagsOf(row, event)),
    outcomes,
    tokenIds: [TokenId.make(tokenIds[0]), TokenId.make(tokenIds[1])],
    endsAt: instant(row["endDate"]) ?? instant(row["endDateIso"]),
    takerFeeRate: takerFeeRateOf(row),
  })
}

/** What each outcome's share paid, as far as a row of the listing tells it. */
export interface ListedResolution {
  readonly marketId: MarketId
  /** Null where the two prices are not one and nothing: those of legacy rows are often both 0. */
  readonly payouts: readonly [number, number] | null
  readonly closedAt: EpochMs | null
  readonly tokenIds: readonly [string, string]
}

/**
 * How a market of ours ended by its row of the listing; null when the row does not call it closed for
 * good.
 * An empty state is that of markets which resolve without the oracle.
 */
export function decodeListedResolution(value: unknown): ListedResolution | null {
  const row = object(value)
  const marketId = conditionId(row?.["conditionId"])
  if (row === null || marketId === null || flag(row["closed"]) !== true) return null
  const state = text(row["umaResolutionStatus"]).toLowerCase()
  const tokenIds = pair(row["clobTokenIds"], id)
  if (tokenIds === null || (state !== "" && !resolvedStates.has(state))) return null
  const prices = list(row["outcomePrices"]).map(number).join()
  return {
    marketId: MarketId.make(marketId),
    payouts: prices === "1,0" ? [1, 0] : prices === "0,1" ? [0, 1] : null,
    closedAt: instant(row["closedTime"]),
    tokenIds,
  }
}

/** `active` alone proves nothing: the venue keeps it set on markets that ended long ago. */
function whyNotLive(row: WireObject, endsAt: EpochMs | null, now: EpochMs): MarketRejection | null {
  if (flag(row["closed"]) === true || flag(row["archived"]) === true) return "closed"
  if (flag(row["active"]) !== true) return "inactive"
  if (flag(row["acceptingOrders"]) !== true) return "not_accepting_orders"
  if (endsAt !== null && endsAt < now - endedLongAgoMs) return "ended_long_ago"
  return null
}

/** The singular field: the plural one keeps disputes that are long over. */
function statusOf(row: WireObject): MarketStatus {
  const state = text(row["umaResolutionStatus"]).toLowerCase()
  if (proposedStates.has(state)) return "proposed"
  return resolvedStates.has(state) ? "resolved" : "open"
}

function listedOf(row: WireObject): Market["listed"] {
  const bestBid = number(row["bestBid"])
  const bestAsk = number(row["bestAsk"])
  if (bestBid === null || bestAsk === null) return null
  return bestBid >= 0 && bestBid < bestAsk && bestAsk <= 1 ? { bestBid, bestAsk } : null
}

/** `takerBaseFee` is a left-over of old rules and says nothing. */
function takerFeeRateOf(row: WireObject): number {
  const rate = number(object(row["feeSchedule"])?.["rate"])
  return rate !== null && rate >= 0 && rate <= 1 ? rate : 0
}

/** The first of these fields that holds an amount; 0 when none does. */
function amount(row: WireObject, ...fields: ReadonlyArray<string>): number {
  for (const field of fields) {
    const value = number(row[field])
    if (value !== null && value >= 0) return value
  }
  return 0
}

interface Tag {
  readonly slug: string
  readonly label: string
}

function tagsOf(row: WireObject, event: WireObject | null): ReadonlyArray<Tag> {
  const own = ownTags(row)
  return own.length > 0 || event === null ? own : ownTags(event)
}

function ownTags(holder: WireObject): ReadonlyArray<Tag> {
  return list(holder["tags"]).map((tag) => {
    const fields = object(tag)
    const label = text(fields === null ? tag : fields["label"])
    const slug = text(fields?.["slug"]) || label
    return { slug: slug.toLowerCase().replaceAll(" ", "-"), label }
  })
}

/** The row's own category, else the tag that names one; the rest of the tags are topics. */
function categoryOf(row: WireObject, tags: ReadonlyArray<Tag>): string | null {
  const own = text(row["category"])
  if (own !== "") return own
  const tag = tags.find(({ slug, label }) => label !== "" && categories.has(slug))
  return tag?.label ?? categoryOfFees(row)
}

/** The fee table goes by category, so its name tells one: `sports_fees_v2` is Sports. */
function categoryOfFees(row: WireObject): string | null {
  const name = /^([a-z]+)(?:_[a-z]+)?_fees(?:_v\d+)?$/.exec(text(row["feeType"]))?.[1]
  return name === undefined || !categories.has(name)
    ? null
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

function eventOf(row: WireObject): WireObject | null {
  return object(list(row["events"])[0])
}

/** Every sign counts, wherever it stands: in the row, its event, or any series of theirs. */
function evidenceOf(row: WireObject, slug: string): MechanicalEvidence {
  const holders = [row, ...objects(row["events"])]
  const series = holders.flatMap((holder) => objects(holder["series"]))
  const texts = (values: ReadonlyArray<unknown>) =>
    values.map((value) => text(value).toLowerCase()).filter((value) => value !== "")
  return {
    slug,
    seriesSlugs: texts([
      ...holders.map((holder) => holder["seriesSlug"]),
      ...series.map((one) => one["slug"]),
    ]),
    recurrences: texts(series.map((one) => one["recurrence"])),
    tags: holders.flatMap(ownTags).map((tag) => tag.slug),
    resolutionSources: texts(holders.map((holder) => holder["resolutionSource"])),
  }
}

function objects(value: unknown): ReadonlyArray<WireObject> {
  return list(value).slice(0, eventsMax).flatMap((part): ReadonlyArray<WireObject> => {
    const found = object(part)
    return found === null ? [] : [found]
  })
}

function pageUrl(slug: string, eventSlug: string): string {
  return eventSlug === slug ? `${siteUrl}/event/${slug}` : `${siteUrl}/event/${eventSlug}/${slug}`
}

function isSlug(value: unknown): value is string {
  return typeof value === "string" && /^[a-z0-9][a-z0-9-]{0,199}$/.test(value)
}

function pair(
  value: unknown,
  read: (part: unknown) => string | null,
): readonly [string, string] | null {
  const parts = list(value)
  if (parts.length !== 2) return null
  const first = read(parts[0])
  const second = read(parts[1])
  return first === null || second === null ? null : [first, second]
}

interface Sweep {
  /** No market that ended before this is asked for: the venue keeps them by the hundred thousand. */
  readonly endedAfter: string
  readonly cursor: string | null
  readonly pages: number
  /** Cursors that were followed: one that returns would lead in a circle. */
  readonly followed: Set<string>
  /** The least and the greatest id of each page: the same page twice hides another. */
  readonly seen: Set<string>
}

/**
 * A page is asked for with the same cursor until it comes. A page that leads back, or that was
 * already served under another cursor, counts as not having come: taking it would skip markets.
 */
export function listMarkets(
  { ask, url }: Route,
  limits: Limits,
): Stream.Stream<Decoded<Market>, VenueUnavailable> {
  const page = Effect.fnUntraced(function* (sweep: Sweep) {
    if (sweep.pages >= limits.pagesMax) {
      return yield* new VenueUnavailable({ operation: "listMarkets", reason: "too many pages" })
    }
    const request = HttpClientRequest.get(`${url}/markets/keyset`, {
      urlParams: {
        limit: limits.pageRows,
        closed: "false",
        include_tag: "true",
        end_date_min: sweep.endedAfter,
        ...(sweep.cursor === null ? {} : { after_cursor: sweep.cursor }),
      },
    })
    const found = yield* ask("listMarkets", request, (body) => unseenPage(body, sweep))
    const now = yield* Clock.currentTimeMillis
    sweep.seen.add(found.mark)
    if (found.next !== null) sweep.followed.add(found.next)
    const decoded = decodeMarkets(found.rows, now)
    const next: Option.Option<Sweep> = found.next === null
      ? Option.none()
      : Option.some({ ...sweep, cursor: found.next, pages: sweep.pages + 1 })
    return [[decoded], next] as const
  })
  const start = (now: EpochMs): Sweep => ({
    endedAfter: new Date(now - endedLongAgoMs).toISOString(),
    cursor: null,
    pages: 0,
    followed: new Set(),
    seen: new Set(),
  })
  return Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (now) => Stream.paginate(start(now), page)),
  )
}

interface ListingPage {
  readonly rows: ReadonlyArray<unknown>
  readonly next: string | null
  readonly mark: string
}

function unseenPage(body: unknown, sweep: Sweep): ListingPage | null {
  const fields = object(body)
  const rows = fields?.["markets"]
  if (!Array.isArray(rows)) return null
  const next = fields?.["next_cursor"]
  const cursor = typeof next === "string" && next !== "" ? next : null
  const ids = rows.flatMap(rowId).sort()
  const mark = ids.length === 0 ? `none ${sweep.pages}` : `${ids[0]} ${ids.at(-1)}`
  if (sweep.seen.has(mark) || (cursor !== null && sweep.followed.has(cursor))) return null
  return { rows, next: cursor, mark }
}

function rowId(row: unknown): ReadonlyArray<string> {
  const found = id(object(row)?.["id"]) ?? id(object(row)?.["conditionId"])
  return found === null ? [] : [found]
}

/** The listing's rows of these markets, as far as they are closed or not. */
export function listingRows(
  { ask, url }: Route,
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  closed: boolean,
): Effect.Effect<Rows, VenueUnavailable> {
  const urlParams = {
    condition_ids: marketIds,
    closed: String(closed),
    include_tag: "true",
    limit: marketIds.length,
  }
  return ask(
    operation,
    HttpClientRequest.get(`${url}/markets/keyset`, { urlParams }),
    rowsIn("markets"),
  )
}

/** What is known of markets. Closed ones are asked for first: most of a wallet's past is in them. */
export function facts(listing: Route, limits: Limits) {
  return byIdentity(listing, "facts", [true, false], limits, decodeFacts, ({ id }) => id)
}

/** By which words markets are decided. Open ones are asked for first: they still have a price. */
export function rules(listing: Route, limits: Limits) {
  return byIdentity(listing, "rules", [false, true], limits, decodeRules, (row) => row.marketId)
}

/**
 * The listing shows either closed markets or open ones: it is asked for the one, then for those it
 * did not show; a market that closes in between is absent until asked again.
 */
function byIdentity<A>(
  listing: Route,
  operation: string,
  order: readonly [boolean, boolean],
  limits: Limits,
  decode: (row: unknown) => Result.Result<A, string>,
  idOf: (row: A) => MarketId,
) {
  const read = (marketIds: ReadonlyArray<MarketId>, closed: boolean) =>
    byMarkets(marketIds, limits.factsBatch, limits, (batch) => {
      const asked = new Set(batch)
      return Effect.map(
        listingRows(listing, operation, batch, closed),
        ({ rows }) =>
          decodeRows(
            rows,
            (row): Result.Result<A, string> =>
              Result.filterOrFail(decode(row), (found) => asked.has(idOf(found)), () => "unasked"),
          ),
      )
    })
  return Effect.fn(`polymarket.${operation}`)(function* (marketIds: ReadonlyArray<MarketId>) {
    const asked = askable(marketIds)
    const first = yield* read(asked, order[0])
    const found = new Set(first.rows.map(idOf))
    const second = yield* read(asked.filter((id) => !found.has(id)), order[1])
    const { rows, rejected } = merge([first, second])
    return { rows: [...new Map(rows.map((row) => [idOf(row), row])).values()], rejected }
  })
}

/** Why a row tells no rules. */
type RulesRejection = "undecodable" | "missing_id" | "missing_rules"

/** Of a text longer than this only the beginning is read: it is folded and cut much shorter. */
const readLengthMax = 8 * rulesLengthMax

/** The rules in a row of the listing; its event's where it has none of its own. */
export function decodeRules(value: unknown): Result.Result<MarketRules, RulesRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const id = conditionId(row["conditionId"])
  if (id === null) return Result.fail("missing_id")
  const event = object(list(row["events"])[0])
  const text = plain(row["description"]) || plain(event?.["description"])
  return text === ""
    ? Result.fail("missing_rules")
    : Result.succeed({ marketId: MarketId.make(id), text })
}

function plain(value: unknown): string {
  return typeof value === "string" ? excerpt(value.slice(0, readLengthMax), rulesLengthMax) : ""
}
