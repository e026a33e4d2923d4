/**
 * Gamma, the venue's listing: reads all open markets page by page, and requests markets by id. Each
 * row becomes a market, facts or rules, or is rejected for a reason.
 *
 * The listing is read to its last page, or its stream fails: it never ends early without an error.
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
import {
  inMarketBatches,
  type RawRows,
  type RequestLimits,
  type Route,
  rowsIn,
  validMarketIds,
} from "./requests.ts"
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

/** Why a row of the listing is rejected, open or closed. */
type FactsRejection =
  | "undecodable"
  | "missing_id"
  | "bad_slug"
  | "missing_question"
  | "not_binary"
  | "missing_tokens"

/** Why a row of the listing is not a live market. */
type MarketRejection =
  | FactsRejection
  | "closed"
  | "inactive"
  | "not_accepting_orders"
  | "ended_long_ago"

/**
 * A market this long past its scheduled end is ignored, whatever its flags are. Scheduled ends are
 * often kick-offs or first possible dates, and disputes take a week, so the limit is generous.
 */
const endedLongAgoMs = 30 * day

const siteUrl = "https://polymarket.com"

/** Oracle states in which an outcome is proposed and not final. */
const proposedStates: ReadonlySet<string> = new Set([
  "proposed",
  "reproposed",
  "challenged",
  "disputed",
  "arbitration",
])
const resolvedStates: ReadonlySet<string> = new Set(["resolved", "settled"])

/** How many events of a market, and series of an event, are read; most have one. */
const eventsMax = 20

/** The tag slugs of the venue's top-level categories; all other tags are topics. */
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

export function decodeMarkets(rows: ReadonlyArray<unknown>, now: EpochMs): Decoded<Market> {
  return decodeRows(rows, (row) => decodeMarket(row, now))
}

/** The market in a row, or the first reason why it is not live at `now`. */
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

/** The facts of a market, live or closed. */
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

/** How a market ended, by its row of the listing. */
export interface ListedResolution {
  readonly marketId: MarketId
  /** What a share of each outcome paid; null unless the prices are 1 and 0 (old rows often have 0, 0). */
  readonly payouts: readonly [number, number] | null
  readonly closedAt: EpochMs | null
  readonly tokenIds: readonly [string, string]
}

/**
 * How a market ended; null unless the row reports it as finally closed. The oracle's state is empty for
 * markets that resolve without the oracle.
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

/** `active` alone is not enough: the venue keeps it set on markets that ended long ago. */
function whyNotLive(row: WireObject, endsAt: EpochMs | null, now: EpochMs): MarketRejection | null {
  if (flag(row["closed"]) === true || flag(row["archived"]) === true) return "closed"
  if (flag(row["active"]) !== true) return "inactive"
  if (flag(row["acceptingOrders"]) !== true) return "not_accepting_orders"
  if (endsAt !== null && endsAt < now - endedLongAgoMs) return "ended_long_ago"
  return null
}

/** Reads `umaResolutionStatus`, because `umaResolutionStatuses` also lists disputes that are over. */
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

/** `takerBaseFee` is ignored: it belongs to old fee rules. */
function takerFeeRateOf(row: WireObject): number {
  const rate = number(object(row["feeSchedule"])?.["rate"])
  return rate !== null && rate >= 0 && rate <= 1 ? rate : 0
}

/** The first of these fields with an amount; 0 when there is none. */
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

function ownTags(part: WireObject): ReadonlyArray<Tag> {
  return list(part["tags"]).map((tag) => {
    const fields = object(tag)
    const label = text(fields === null ? tag : fields["label"])
    const slug = text(fields?.["slug"]) || label
    return { slug: slug.toLowerCase().replaceAll(" ", "-"), label }
  })
}

/** The row's own category, else that of its tags, else that of its fee table. */
function categoryOf(row: WireObject, tags: ReadonlyArray<Tag>): string | null {
  const own = text(row["category"])
  if (own !== "") return own
  const tag = tags.find(({ slug, label }) => label !== "" && categories.has(slug))
  return tag?.label ?? categoryOfFees(row)
}

/** Fee tables are named after categories: `sports_fees_v2` is Sports. */
function categoryOfFees(row: WireObject): string | null {
  const name = /^([a-z]+)(?:_[a-z]+)?_fees(?:_v\d+)?$/.exec(text(row["feeType"]))?.[1]
  return name === undefined || !categories.has(name)
    ? null
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

function eventOf(row: WireObject): WireObject | null {
  return object(list(row["events"])[0])
}

/** Collects the evidence from the row, its events and all their series. */
function evidenceOf(row: WireObject, slug: string): MechanicalEvidence {
  const parts = [row, ...objects(row["events"])]
  const series = parts.flatMap((part) => objects(part["series"]))
  const texts = (values: ReadonlyArray<unknown>) =>
    values.map((value) => text(value).toLowerCase()).filter((value) => value !== "")
  return {
    slug,
    seriesSlugs: texts([
      ...parts.map((part) => part["seriesSlug"]),
      ...series.map((one) => one["slug"]),
    ]),
    recurrences: texts(series.map((one) => one["recurrence"])),
    tags: parts.flatMap(ownTags).map((tag) => tag.slug),
    resolutionSources: texts(parts.map((part) => part["resolutionSource"])),
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

/** How far the listing has been read. */
interface ListingRead {
  /** Excludes markets that ended before this time: the venue lists hundreds of thousands of them. */
  readonly endedAfter: string
  readonly cursor: string | null
  readonly pages: number
  /** Cursors already followed: following one again would loop. */
  readonly followed: Set<string>
  /** The fingerprint of each page so far: a page served twice would hide another. */
  readonly seen: Set<string>
}

/**
 * Retries a page with the same cursor until it arrives. A page whose next cursor was already followed,
 * or that was already served under another cursor, is a fault: accepting it would skip markets.
 */
export function listMarkets(
  { send, url }: Route,
  limits: RequestLimits,
): Stream.Stream<Decoded<Market>, VenueUnavailable> {
  const page = Effect.fnUntraced(function* (reading: ListingRead) {
    if (reading.pages >= limits.pagesMax) {
      return yield* new VenueUnavailable({ operation: "listMarkets", reason: "too many pages" })
    }
    const request = HttpClientRequest.get(`${url}/markets/keyset`, {
      urlParams: {
        limit: limits.pageRows,
        closed: "false",
        include_tag: "true",
        end_date_min: reading.endedAfter,
        ...(reading.cursor === null ? {} : { after_cursor: reading.cursor }),
      },
    })
    const found = yield* send("listMarkets", request, (body) => newPage(body, reading))
    const now = yield* Clock.currentTimeMillis
    reading.seen.add(found.fingerprint)
    if (found.next !== null) reading.followed.add(found.next)
    const decoded = decodeMarkets(found.rows, now)
    const next: Option.Option<ListingRead> = found.next === null
      ? Option.none()
      : Option.some({ ...reading, cursor: found.next, pages: reading.pages + 1 })
    return [[decoded], next] as const
  })
  const start = (now: EpochMs): ListingRead => ({
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
  /** The least and the greatest market id of the page. */
  readonly fingerprint: string
}

function newPage(body: unknown, reading: ListingRead): ListingPage | null {
  const fields = object(body)
  const rows = fields?.["markets"]
  if (!Array.isArray(rows)) return null
  const next = fields?.["next_cursor"]
  const cursor = typeof next === "string" && next !== "" ? next : null
  const ids = rows.flatMap(rowId).sort()
  const fingerprint = ids.length === 0 ? `none ${reading.pages}` : `${ids[0]} ${ids.at(-1)}`
  if (reading.seen.has(fingerprint) || (cursor !== null && reading.followed.has(cursor))) {
    return null
  }
  return { rows, next: cursor, fingerprint }
}

function rowId(row: unknown): ReadonlyArray<string> {
  const found = id(object(row)?.["id"]) ?? id(object(row)?.["conditionId"])
  return found === null ? [] : [found]
}

/** The listing's rows of these markets: closed ones or open ones, as `closed` selects. */
export function listingRows(
  { send, url }: Route,
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  closed: boolean,
): Effect.Effect<RawRows, VenueUnavailable> {
  const urlParams = {
    condition_ids: marketIds,
    closed: String(closed),
    include_tag: "true",
    limit: marketIds.length,
  }
  return send(
    operation,
    HttpClientRequest.get(`${url}/markets/keyset`, { urlParams }),
    rowsIn("markets"),
  )
}

/** Reads closed markets first: most of a wallet's past activity is in them. */
export function facts(listing: Route, limits: RequestLimits) {
  return openAndClosed(listing, "facts", [true, false], limits, decodeFacts, ({ id }) => id)
}

/** Reads open markets first: rules are needed mostly for markets that still have a price. */
export function rules(listing: Route, limits: RequestLimits) {
  return openAndClosed(listing, "rules", [false, true], limits, decodeRules, (row) => row.marketId)
}

/**
 * A listing request returns either closed markets or open ones, so there are two requests, in the order
 * of `closedInOrder`. The second is for the markets that the first did not return. A market that closes
 * in between is absent until the next call.
 */
function openAndClosed<A>(
  listing: Route,
  operation: string,
  closedInOrder: readonly [boolean, boolean],
  limits: RequestLimits,
  decode: (row: unknown) => Result.Result<A, string>,
  idOf: (row: A) => MarketId,
) {
  const read = (marketIds: ReadonlyArray<MarketId>, closed: boolean) =>
    inMarketBatches(marketIds, limits.factsBatch, limits, (batch) => {
      const requested = new Set(batch)
      return Effect.map(
        listingRows(listing, operation, batch, closed),
        ({ rows }) =>
          decodeRows(
            rows,
            (row): Result.Result<A, string> =>
              Result.filterOrFail(decode(row), (found) =>
                requested.has(idOf(found)), () =>
                "not_requested"),
          ),
      )
    })
  return Effect.fn(`polymarket.${operation}`)(function* (marketIds: ReadonlyArray<MarketId>) {
    const requested = validMarketIds(marketIds)
    const first = yield* read(requested, closedInOrder[0])
    const found = new Set(first.rows.map(idOf))
    const second = yield* read(requested.filter((id) => !found.has(id)), closedInOrder[1])
    const { rows, rejected } = merge([first, second])
    return { rows: [...new Map(rows.map((row) => [idOf(row), row])).values()], rejected }
  })
}

/** Why a row has no usable rules. */
type RulesRejection = "undecodable" | "missing_id" | "missing_rules"

/** Characters of a text that are processed; folding its white space and cutting it come after. */
const readLengthMax = 8 * rulesLengthMax

/** The rules in a row of the listing, or else those of its event. */
export function decodeRules(value: unknown): Result.Result<MarketRules, RulesRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const id = conditionId(row["conditionId"])
  if (id === null) return Result.fail("missing_id")
  const event = object(list(row["events"])[0])
  const text = rulesText(row["description"]) || rulesText(event?.["description"])
  return text === ""
    ? Result.fail("missing_rules")
    : Result.succeed({ marketId: MarketId.make(id), text })
}

function rulesText(value: unknown): string {
  return typeof value === "string" ? excerpt(value.slice(0, readLengthMax), rulesLengthMax) : ""
}
