/**
 * Gamma, the venue's listing: reads all live markets page by page, and requests markets by id. Each
 * row becomes a market, facts or rules, or is rejected for a reason.
 *
 * The listing is read to its last page, or its stream fails: it never ends early without an error.
 * Markets without a scheduled end, or long past it, are found by their volume.
 *
 * @module
 */
import { Clock, Effect, Option, Result, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import { type Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import { eventKeyOf, type PriceWindow } from "../../markets/domain/eventKey.ts"
import {
  isCryptoPrice,
  type Market,
  type MarketFacts,
  MarketId,
  type MarketStatus,
  type MechanicalEvidence,
  mechanicalSign,
  Slug,
  TokenId,
} from "../../markets/domain/market.ts"
import { rulesDatesOf } from "../../markets/domain/rungs.ts"
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
  | "not_traded"

/**
 * The first pass over the listing leaves out markets this long past their scheduled end: the venue flags
 * over 200,000 of them as active. The pass by volume finds those that still trade.
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

/** Categories of games: lower case. */
const gameCategories: ReadonlySet<string> = new Set(["sports", "esports"])

export function decodeMarkets(rows: ReadonlyArray<unknown>): Decoded<Market> {
  return decodeRows(rows, decodeMarket)
}

/** The market in a row, or the first reason why it is not live. */
export function decodeMarket(value: unknown): Result.Result<Market, MarketRejection> {
  const decoded = decodeRow(value)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  const { row, facts, mechanical } = decoded.success
  const volume24hUsd = volume24hOf(row)
  const notLive = whyNotLive(row, volume24hUsd)
  if (notLive !== null) return Result.fail(notLive)
  return Result.succeed({
    ...facts,
    volumeUsd: amount(row, "volumeNum", "volume", "volumeClob") ?? 0,
    volume24hUsd,
    liquidityUsd: amount(row, "liquidityNum", "liquidity", "liquidityClob") ?? 0,
    status: statusOf(row),
    listed: listedOf(row),
    mechanical,
  })
}

/** The facts of a market, live or closed. */
export function decodeFacts(value: unknown): Result.Result<MarketFacts, FactsRejection> {
  return Result.map(decodeRow(value), ({ facts }) => facts)
}

/** A row, and what does not depend on whether its market is live. */
interface DecodedRow extends Pick<Market, "mechanical"> {
  readonly row: WireObject
  readonly facts: MarketFacts
}

function decodeRow(value: unknown): Result.Result<DecodedRow, FactsRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const marketId = conditionId(row["conditionId"])
  if (marketId === null) return Result.fail("missing_id")
  const question = text(row["question"])
  if (question === "") return Result.fail("missing_question")
  const outcomes = pair(row["outcomes"], (outcome) => text(outcome) || null)
  if (outcomes === null || row["marketType"] === "scalar") return Result.fail("not_binary")
  const tokenIds = pair(row["clobTokenIds"], id)
  if (tokenIds === null || tokenIds[0] === tokenIds[1]) return Result.fail("missing_tokens")
  const event = eventOf(row)
  const slugs = slugsOf(row, event, marketId)
  if (slugs === null) return Result.fail("bad_slug")
  const { slug, eventSlug } = slugs
  const category = categoryOf(row, tagsOf(row, event))
  const endsAt = instant(row["endDate"]) ?? instant(row["endDateIso"])
  const mainEventId = mainEventOf(row, event)
  const evidence = evidenceOf(row, slug, question)
  const mechanical = mechanicalSign(evidence)
  const assets = isCryptoPrice({ ...evidence, eventSlug }) ? "crypto" : null
  const facts: MarketFacts = {
    id: MarketId.make(marketId),
    slug,
    question,
    eventSlug,
    url: slugs.url,
    category,
    outcomes,
    tokenIds: [TokenId.make(tokenIds[0]), TokenId.make(tokenIds[1])],
    endsAt,
    createdAt: instant(row["createdAt"]),
    rulesDates: rulesDatesOf(question, rulesOf(row, event)),
    gameStartsAt: isGame(row, mainEventId, category) ? instant(row["gameStartTime"]) : null,
    eventKey: eventKeyOf({
      eventSlug,
      mainEventId,
      window: windowOf(mechanical !== null, assets, category, endsAt),
    }),
    exclusive: flag(row["negRisk"]) === true,
    takerFeeRate: takerFeeRateOf(row),
  }
  return Result.succeed({ row, facts, mechanical })
}

/**
 * The id of a game's main event; null for another market. A part of a game often has no id of the game, but
 * always that of its main event.
 */
function mainEventOf(row: WireObject, event: WireObject | null): string | null {
  const gameId = id(event?.["gameId"]) ?? id(row["gameId"])
  const isGame = gameId !== null && Number(gameId) !== 0
  return id(event?.["parentEventId"]) ?? (isGame ? id(event?.["id"]) ?? gameId : null)
}

/**
 * The venue also sends a `gameStartTime` for markets that are not about a game, such as the start of the
 * week in which posts are counted. It delays orders in games, but not in all.
 */
function isGame(row: WireObject, mainEventId: string | null, category: string | null): boolean {
  return mainEventId !== null || text(row["sportsMarketType"]) !== "" ||
    gameCategories.has(category?.toLowerCase() ?? "") || (number(row["secondsDelay"]) ?? 0) > 0
}

/** The window of a market on a price; null for other markets. */
function windowOf(
  short: boolean,
  assets: string | null,
  category: string | null,
  endsAt: EpochMs | null,
): PriceWindow | null {
  if (endsAt === null || !(short || assets !== null)) return null
  return { assets: assets ?? category ?? "other", endsAt, short }
}

/** How a market ended, by its row of the listing. */
export interface ListedResolution {
  readonly marketId: MarketId
  /**
   * What a share of each outcome paid; null unless the prices are 1 and 0 (old rows often have 0, 0), or
   * half each and the row says that the oracle decided.
   */
  readonly payouts: readonly [number, number] | null
  /** Whether the prices are half each: what the market paid if the oracle decided it. */
  readonly even: boolean
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
  const even = prices === "0.5,0.5"
  return {
    marketId: MarketId.make(marketId),
    payouts: prices === "1,0"
      ? [1, 0]
      : prices === "0,1"
      ? [0, 1]
      : even && state !== ""
      ? [0.5, 0.5]
      : null,
    even,
    closedAt: instant(row["closedTime"]),
    tokenIds,
  }
}

/**
 * The flags alone are not enough: the venue keeps them on markets that ended long ago. The scheduled end
 * is no sign at all. A live market traded in the last 24 hours, or has a bid and an ask. A row that says
 * nothing of either is not rejected for that.
 */
function whyNotLive(row: WireObject, volume24hUsd: number | null): MarketRejection | null {
  if (flag(row["closed"]) === true || flag(row["archived"]) === true) return "closed"
  if (flag(row["active"]) !== true) return "inactive"
  if (flag(row["acceptingOrders"]) !== true) return "not_accepting_orders"
  const listed = listedOf(row)
  const twoSided = listed !== null && listed.bestBid > 0 && listed.bestAsk < 1
  const isKnown = volume24hUsd !== null || number(row["bestBid"]) !== null ||
    number(row["bestAsk"]) !== null
  return (volume24hUsd ?? 0) > 0 || twoSided || !isKnown ? null : "not_traded"
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
  // The venue's values of a side without orders.
  if (bestBid === 0 && bestAsk === 1) return null
  return bestBid >= 0 && bestBid < bestAsk && bestAsk <= 1 ? { bestBid, bestAsk } : null
}

/**
 * 0 only where the row says so. Null for a schedule that is missing, is no rate of the stake, or has
 * another formula than rate x p x (1 - p), which is that of exponent 1. `takerBaseFee` is ignored: it
 * belongs to old fee rules.
 */
function takerFeeRateOf(row: WireObject): number | null {
  const schedule = object(row["feeSchedule"]) ?? object(list(`[${text(row["feeSchedule"])}]`)[0])
  const rate = number(schedule?.["rate"])
  if (schedule === null || rate === null) return flag(row["feesEnabled"]) === false ? 0 : null
  const exponent = schedule["exponent"] === undefined ? 1 : number(schedule["exponent"])
  return rate === 0 || (exponent === 1 && rate > 0 && rate <= 1) ? rate : null
}

/** The first of these fields with an amount; null when there is none. */
function amount(row: WireObject, ...fields: ReadonlyArray<string>): number | null {
  for (const field of fields) {
    const value = number(row[field])
    if (value !== null && value >= 0) return value
  }
  return null
}

function volume24hOf(row: WireObject): number | null {
  return amount(row, "volume24hr", "volume24hrClob")
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
function evidenceOf(row: WireObject, slug: string, question: string): MechanicalEvidence {
  const parts = [row, ...objects(row["events"])]
  const series = parts.flatMap((part) => objects(part["series"]))
  const texts = (values: ReadonlyArray<unknown>) =>
    values.map((value) => text(value).toLowerCase()).filter((value) => value !== "")
  return {
    slug,
    question,
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

/**
 * A market is not dropped for its name: one with an unusable slug has its id as its slug, and the page of
 * its event, or else the venue's first page. Null when its id is no slug either.
 */
function slugsOf(
  row: WireObject,
  event: WireObject | null,
  marketId: string,
): Pick<MarketFacts, "slug" | "eventSlug" | "url"> | null {
  const own = slugOf(row["slug"])
  const ofEvent = slugOf(event?.["slug"])
  const slug = own ?? slugOf(marketId)
  if (slug === null) return null
  const page = [...new Set([ofEvent, own])].filter((part) => part !== null)
  return {
    slug,
    eventSlug: ofEvent ?? slug,
    url: page.length === 0 ? siteUrl : [siteUrl, "event", ...page].join("/"),
  }
}

const decodeSlug = Schema.decodeUnknownOption(Slug)

function slugOf(value: unknown): Slug | null {
  return Option.getOrNull(decodeSlug(value))
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

const tooManyPages = "too many pages"
const tooSlow = "too slow"

/** One pass over the listing. */
interface Pass {
  readonly query: Readonly<Record<string, string>>
  readonly pagesMax: number
  /** How long the pass may take; null for no limit of its own. */
  readonly timeMaxMs: number | null
  /** Whether a page with these rows is the last one that is needed. */
  readonly endsWith: (rows: ReadonlyArray<unknown>) => boolean
}

/** How far a pass has come. */
interface PassRead {
  readonly startedAt: EpochMs
  readonly cursor: string | null
  readonly pages: number
  /** Cursors already followed: following one again would loop. */
  readonly followed: Set<string>
  /** The fingerprint of each page so far: a page served twice would hide another. */
  readonly seen: Set<string>
}

/**
 * All live markets, each once, in two passes. The first reads every market with a scheduled end that is
 * not long past, and fails if it cannot. The second reads the markets with the most volume of the last
 * 24 hours, whatever their end, until the volume is 0, or `volumePagesMax` or `volumePassMsMax` is reached;
 * when it fails or is cut, that is counted and the first pass stays valid.
 */
export function listMarkets(
  route: Route,
  limits: RequestLimits,
): Stream.Stream<Decoded<Market>, VenueUnavailable> {
  const all = (now: EpochMs): Pass => ({
    query: { end_date_min: new Date(now - endedLongAgoMs).toISOString() },
    pagesMax: limits.pagesMax,
    timeMaxMs: null,
    endsWith: () => false,
  })
  const byVolume: Pass = {
    query: { order: "volume24hr", ascending: "false" },
    pagesMax: limits.volumePagesMax,
    timeMaxMs: limits.volumePassMsMax,
    endsWith: (rows) => {
      const volumes = rows.map((row) => volume24hOf(object(row) ?? {})).filter((usd) =>
        usd !== null
      )
      return volumes.length === 0 || volumes.some((usd) => usd <= 0)
    },
  }
  return Stream.unwrap(Effect.map(Clock.currentTimeMillis, (now) => {
    const decode = decodeNew()
    const second = readPass(route, byVolume, limits).pipe(
      Stream.map(decode),
      Stream.catch(({ reason }) => {
        const isCut = reason === tooManyPages || reason === tooSlow
        const failure = isCut ? "volume_pass_cut" : "volume_pass_failed"
        return Stream.succeed({ rows: [], rejected: { [failure]: 1 } })
      }),
      // Most of its pages contain only markets of the first pass.
      Stream.filter(({ rows, rejected }) => rows.length > 0 || Object.keys(rejected).length > 0),
    )
    return readPass(route, all(now), limits).pipe(Stream.map(decode), Stream.concat(second))
  }))
}

/** Decodes rows of markets that it has not seen before; rows without an id are all decoded. */
function decodeNew(): (rows: ReadonlyArray<unknown>) => Decoded<Market> {
  const seen = new Set<string>()
  return (rows) => {
    const fresh = rows.filter((row) => {
      const id = conditionId(object(row)?.["conditionId"])
      if (id === null) return true
      const isNew = !seen.has(id)
      seen.add(id)
      return isNew
    })
    return decodeMarkets(fresh)
  }
}

/**
 * The rows of a pass, page by page. Retries a page with the same cursor until it arrives. A page whose
 * next cursor was already followed, or that was already served under another cursor, is a fault:
 * accepting it would skip markets.
 */
function readPass(
  { send, url }: Route,
  { query, pagesMax, timeMaxMs, endsWith }: Pass,
  { pageRows }: RequestLimits,
): Stream.Stream<ReadonlyArray<unknown>, VenueUnavailable> {
  const page = Effect.fnUntraced(function* (reading: PassRead) {
    if (reading.pages >= pagesMax) {
      return yield* new VenueUnavailable({ operation: "listMarkets", reason: tooManyPages })
    }
    const request = HttpClientRequest.get(`${url}/markets/keyset`, {
      urlParams: {
        limit: pageRows,
        closed: "false",
        include_tag: "true",
        ...query,
        ...(reading.cursor === null ? {} : { after_cursor: reading.cursor }),
      },
    })
    const sent = send("listMarkets", request, (body) => newPage(body, reading))
    const leftMs = timeMaxMs === null
      ? null
      : reading.startedAt + timeMaxMs - (yield* Clock.currentTimeMillis)
    const found = yield* leftMs === null ? sent : sent.pipe(
      Effect.timeout(Math.max(0, leftMs)),
      Effect.catchTag(
        "TimeoutError",
        () => Effect.fail(new VenueUnavailable({ operation: "listMarkets", reason: tooSlow })),
      ),
    )
    reading.seen.add(found.fingerprint)
    if (found.next !== null) reading.followed.add(found.next)
    const next: Option.Option<PassRead> = found.next === null || endsWith(found.rows)
      ? Option.none()
      : Option.some({ ...reading, cursor: found.next, pages: reading.pages + 1 })
    return [[found.rows], next] as const
  })
  return Stream.unwrap(Effect.map(Clock.currentTimeMillis, (startedAt) => {
    const read = { startedAt, cursor: null, pages: 0 }
    const start: PassRead = { ...read, followed: new Set(), seen: new Set() }
    return Stream.paginate(start, page)
  }))
}

/** Null when the page is none, or was served before; `fingerprint` is its least and greatest market id. */
function newPage(body: unknown, reading: PassRead) {
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

/** The market of a slug, or else the markets of its event. The row of an event contains its markets. */
export function bySlug({ send, url }: Route) {
  const read = (path: "markets" | "events", slug: string) =>
    send(
      "bySlug",
      HttpClientRequest.get(`${url}/${path}/keyset`, {
        urlParams: { slug, closed: "false", include_tag: "true", limit: slugRowsMax },
      }),
      rowsIn(path),
    )
  return Effect.fn("polymarket.bySlug")(function* (slug: string) {
    const own = yield* read("markets", slug)
    const markets = own.rows.filter((row) => hasSlug(row, slug))
    const rows = markets.length > 0 ? markets : (yield* read("events", slug)).rows
      .filter((row) => hasSlug(row, slug))
      .flatMap((row) => marketsOfEvent(object(row) ?? {}))
    return decodeMarkets(rows)
  })
}

/** Rows of one slug: the venue keeps slugs unique. */
const slugRowsMax = 5

const hasSlug = (row: unknown, slug: string): boolean =>
  text(object(row)?.["slug"]).toLowerCase() === slug.toLowerCase()

/** Adds the event to each of its markets, which do not contain it. */
function marketsOfEvent(event: WireObject): ReadonlyArray<WireObject> {
  return list(event["markets"]).flatMap((value) => {
    const market = object(value)
    return market === null ? [] : [{ events: [{ ...event, markets: [] }], ...market }]
  })
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
    inMarketBatches(operation, marketIds, limits.factsBatch, limits, (batch) => {
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
  const rules = excerpt(rulesOf(row, eventOf(row)), rulesLengthMax)
  return rules === ""
    ? Result.fail("missing_rules")
    : Result.succeed({ marketId: MarketId.make(id), text: rules })
}

/** The text of a row, or else of its event, as the venue wrote it. */
function rulesOf(row: WireObject, event: WireObject | null): string {
  const texts = [row["description"], event?.["description"]].flatMap((value) =>
    typeof value === "string" && value.trim() !== "" ? [value.slice(0, readLengthMax)] : []
  )
  return texts[0] ?? ""
}
