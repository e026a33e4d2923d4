/**
 * Reads the material of a research report. A price history, the venue's answer about the order book
 * (which may be empty) and the tracked wallets are required; anything else may be missing, and the
 * report then says so.
 *
 * @module
 */
import { Clock, Duration, Effect, Result } from "effect"
import { microstructure } from "../markets/domain/book.ts"
import { stepWithin } from "../markets/domain/priceStep.ts"
import type { Market, SeriesPoint, Slug } from "../markets/domain/market.ts"
import { VenueFailed } from "./domain/report.ts"
import {
  entriesReadMax,
  isLive,
  priceActionMs,
  type RelatedNews,
  type ReportMaterial,
  type Siblings,
  siblingsReadMax,
  storiesReadMax,
} from "./domain/material.ts"
import { viewOf } from "./domain/page.ts"
import { resampleHourly } from "./domain/research.ts"
import { type MarketMove, moveOf, newestMove, type PublishedMove } from "../writing/facts/moves.ts"
import { estimateIn } from "../writing/facts/view.ts"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import { DataStale, inputs } from "../core/domain/freshness.ts"
import { day, type EpochMs, hour } from "../core/domain/time.ts"
import type { Freshness } from "../core/Freshness.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import { offersOf, quoteOfBook, quoteOfMid } from "../markets/domain/quote.ts"
import type { News } from "../news/News.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { TrackRecord } from "../track-record/TrackRecord.ts"
import type { Decoded, VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"
import type { EntryStore } from "../whales/EntryStore.ts"
import type { WalletStore } from "../whales/WalletStore.ts"

/** Timeout of one venue request; all requests run at once. Less than the ten seconds of a check. */
const venueTime = Duration.seconds(8)
/** Timeout of an optional part. */
const optionalTime = Duration.seconds(5)
/** Timeout of the news: a search reads rules for 3 s and waits 10 s for a model, then has its matches. */
const newsTime = Duration.seconds(15)
/** An older mid of a sibling market is not compared with a price now. */
const siblingMidAgeMax = 2 * hour
/** With an older newest point of our own, the venue's price history is read. */
const ownAgeMax = 2 * hour
/** Without a book, a report on an older price would not be worth its own. */
const priceAgeMax = day
/** With fewer hourly points of our own, the venue's price history is read. */
const hoursMin = 24

export interface ReportPorts {
  readonly markets: MarketStore["Service"]
  readonly venue: VenueClient["Service"]
  readonly whales: EntryStore["Service"]
  readonly wallets: WalletStore["Service"]
  readonly news: News["Service"]
  readonly freshness: Freshness["Service"]
  readonly feed: Pick<FeedStore["Service"], "moversSince">
  readonly trackRecord: Pick<TrackRecord["Service"], "scorecard">
}

/** What a report on a market requires of the venue. */
export type RequiredOfVenue = Pick<ReportMaterial, "priceAction" | "ticks" | "book">

/** Reads prices and book; fails when no price is known, or the venue does not answer. */
export const readRequired = Effect.fnUntraced(function* (
  ports: Pick<ReportPorts, "markets" | "venue">,
  market: Market,
) {
  const now = yield* Clock.currentTimeMillis
  const [{ hourly: [first, ...rest], ticks }, book] = yield* Effect.all([
    priceAction(ports, market, now),
    liveBook(ports, market),
  ], { concurrency: 2 })
  if (first === undefined) return yield* noPrices
  const last = rest.at(-1) ?? first
  if (book === null && now - last.at > priceAgeMax) return yield* notTraded
  const required: RequiredOfVenue = { priceAction: [first, ...rest], ticks, book }
  return required
})

/** Reads everything concurrently; `readingRequired` is `readRequired`, or has what it read before. */
export const readMaterial = Effect.fnUntraced(function* <E>(
  ports: ReportPorts,
  market: Market,
  readingRequired: Effect.Effect<RequiredOfVenue, E>,
) {
  const now = yield* Clock.currentTimeMillis
  const { slug } = market
  const { required, wallets, event, record, recentMoves, ...read } = yield* Effect.all({
    required: readingRequired,
    wallets: walletsIn(ports, market),
    news: relatedNews(ports, market, now),
    event: eventOf(ports, market, now),
    record: optional(slug, "our record", ports.trackRecord.scorecard),
    recentMoves: optional(slug, "recent moves", ports.feed.moversSince(now - day)),
    isListingRead: Effect.isSuccess(ports.freshness.fresh(inputs.listing)),
  }, { concurrency: "unbounded" })
  const material: ReportMaterial = {
    ...{ market, now, estimate: null },
    ...required,
    ...wallets,
    ...event,
    ...read,
    published: publishedMove(market, recentMoves ?? [], required),
  }
  const estimate = record === null || recentMoves === null || !isLive(material)
    ? null
    : estimateIn(viewOf(material), record, recentMoves, material.priceAction)
  return { ...material, estimate }
})

/** The move that the feed published lately, which a digest states too. */
function publishedMove(
  { slug }: Market,
  moves: ReadonlyArray<PublishedMove>,
  { ticks }: RequiredOfVenue,
): MarketMove | null {
  const newest = newestMove(moves, slug)
  if (newest === null) return null
  const { createdAt, data: { startedAt } } = newest
  return moveOf(newest, stepWithin(ticks, Date.parse(startedAt), Date.parse(createdAt)))
}

const notTraded = new BelowThreshold({
  message: "This market has no order book, and no price of the last 24 hours",
})
const noPrices = new BelowThreshold({ message: "No prices of this market are available" })

/** Our own series if it is long and recent enough, else the longer of ours and the venue's. */
const priceAction = Effect.fn("Research.priceAction")(function* (
  { markets, venue }: Pick<ReportPorts, "markets" | "venue">,
  market: Market,
  now: EpochMs,
) {
  const from = now - priceActionMs
  const ticks = yield* markets.series(market.id, { from, to: now })
  const own = resampleHourly(ticks)
  const last = own.at(-1)
  const isOld = last === undefined || now - last.at > ownAgeMax
  if (own.length >= hoursMin && !isOld) return { hourly: own, ticks }
  const history = yield* requiredFromVenue(
    venue.priceHistory(market.tokenIds[0], { from, to: now, stepMs: hour }),
  )
  const theirs = resampleHourly(history.map(({ at, price }): SeriesPoint => ({ at, mid: price })))
  const isNewer = isOld && (theirs.at(-1)?.at ?? 0) > (last?.at ?? 0)
  const isBetter = isNewer || theirs.length > own.length
  return isBetter ? { hourly: theirs, ticks: [] } : { hourly: own, ticks }
})

/** Null when there is no book, or it is invalid. */
const liveBook = Effect.fn("Research.liveBook")(function* (
  { venue }: Pick<ReportPorts, "venue">,
  { tokenIds: [token] }: Market,
) {
  const { rows } = yield* requiredFromVenue(venue.books([token]))
  const book = rows.find(({ tokenId }) => tokenId === token)
  const read = book === undefined ? null : Result.getOrElse(microstructure(book), () => null)
  const quote = book === undefined ? null : quoteOfBook(book)
  return read === null || book === undefined || quote === null
    ? null
    : { microstructure: read, quote, offers: offersOf(book) }
})

const requiredFromVenue = <A>(request: Effect.Effect<A, VenueUnavailable>) =>
  request.pipe(
    Effect.timeout(venueTime),
    Effect.mapError(() => new VenueFailed({ message: "The venue did not answer" })),
  )

/**
 * Fails when the wallets were not read for too long, or none of them was read yet: silence would look
 * like no positions.
 */
export const walletsRead = Effect.fnUntraced(function* (
  { wallets, freshness }: Pick<ReportPorts, "wallets" | "freshness">,
) {
  yield* freshness.fresh(inputs.walletRecords)
  const tracked = yield* wallets.tracked
  const read = tracked.filter(({ history }) => history !== "reading").length
  if (tracked.length > 0 && read === 0) return yield* walletsUnread
  return { tracked: tracked.length, read }
})

const walletsIn = (ports: ReportPorts, { id, slug }: Market) =>
  Effect.all({
    walletsRead: walletsRead(ports),
    entries: ports.whales.entriesIn(id, entriesReadMax),
  }, { concurrency: 2 }).pipe(
    Effect.timeoutOrElse({ duration: optionalTime, orElse: () => Effect.fail(walletsUnread) }),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logWarning(`Research of ${slug} cannot read the wallets`, defect),
        Effect.fail(walletsUnread),
      )
    ),
  )

const walletsUnread = new DataStale({
  input: inputs.walletRecords.name,
  asOf: null,
  retryAfterSeconds: 60,
})

const relatedNews = ({ news }: ReportPorts, market: Market, now: EpochMs) =>
  optional<RelatedNews>(
    market.slug,
    "news",
    Effect.map(
      news.storiesAbout([market], now - priceActionMs, storiesReadMax),
      ({ stories: [stories = []], coverage: { sources, answered } }) => ({
        stories,
        sources,
        answered,
      }),
    ),
    newsTime,
  )

/**
 * The rules and the open proposal of a market, and the other live markets of its event with theirs, quoted
 * by their books; where there is no book, by their last mid.
 */
const eventOf = Effect.fn("Research.eventOf")(function* (
  { markets, venue, news }: ReportPorts,
  market: Market,
  now: EpochMs,
) {
  const listed = yield* optional(
    market.slug,
    "siblings",
    Effect.forEach(eventSlugsOf(market), (slug) => markets.liveOfEvent(slug, siblingsReadMax + 1)),
  )
  const live = listed?.flat() ?? []
  const others = live.filter(({ id }) => id !== market.id).slice(0, siblingsReadMax)
  const all = [market, ...others]
  const proposed = all.filter(({ status }) => status === "proposed").map(({ id }) => id)
  const { books, rules, proposals, mids } = yield* Effect.all({
    books: rowsOf(venue.books, others.map(({ tokenIds: [token] }) => token), (it) => it.tokenId),
    rules: rowsOf(venue.rules, all.map(({ id }) => id), (it) => it.marketId),
    proposals: rowsOf(venue.proposals, proposed, (it) => it.marketId),
    mids: optional(
      market.slug,
      "last prices of siblings",
      markets.lastMids(others.map(({ id }) => id), {
        notBefore: now - siblingMidAgeMax,
        atOrBefore: now,
      }),
    ),
  }, { concurrency: "unbounded" })
  const readOf = ({ id }: Market) => ({
    proposal: proposals.get(id) ?? null,
    rules: rules.get(id)?.text ?? null,
  })
  const quoted = others.map((market) => {
    const [book, last] = [books.get(market.tokenIds[0]), mids?.get(market.id)]
    const quote = book === undefined ? null : quoteOfBook(book)
    return {
      ...{ market, ...readOf(market) },
      quote: quote ?? (last === undefined ? null : quoteOfMid(last.mid)),
    }
  })
  const own = readOf(market)
  const siblings: Siblings = { markets: quoted, complete: live.length <= siblingsReadMax }
  return {
    ...own,
    siblings: listed === null ? null : siblings,
    clause: own.rules === null ? null : yield* news.clause(market.question, own.rules),
  }
})

/** What the venue says of these, by key; nothing when it does not answer in time. */
const rowsOf = <K, A>(
  read: (keys: ReadonlyArray<K>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
  keys: ReadonlyArray<K>,
  keyOf: (row: A) => K,
): Effect.Effect<ReadonlyMap<K, A>> =>
  keys.length === 0 ? Effect.succeed(new Map()) : read(keys).pipe(
    Effect.timeout(optionalTime),
    Effect.map(({ rows }) => new Map(rows.map((row) => [keyOf(row), row]))),
    Effect.orElseSucceed(() => new Map()),
  )

/** The event of a market; of a game also its main event and that one's largest part. */
function eventSlugsOf({ eventSlug, eventKey, gameStartsAt }: Market): ReadonlyArray<string> {
  return gameStartsAt === null || eventKey.includes(":")
    ? [eventSlug]
    : [...new Set([eventSlug.toLowerCase(), eventKey, `${eventKey}-more-markets`])]
}

/** Null when the part fails; the report then says what is missing. */
export const optional = <A>(
  slug: Slug,
  what: string,
  work: Effect.Effect<A, unknown>,
  time = optionalTime,
) =>
  work.pipe(
    Effect.timeout(time),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Research of ${slug} continues without ${what}`, cause), null)
    ),
  )
