/**
 * Reads the material of a research report. A price history, the venue's answer about the order book
 * (which may be empty) and the tracked wallets are required; anything else may be missing, and the
 * report then says so.
 *
 * Each step logs one line: the market, the step and its duration.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit, Result } from "effect"
import { microstructure } from "../markets/domain/book.ts"
import { stepWithin } from "../markets/domain/priceStep.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
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
import type { VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"
import type { EntryStore } from "../whales/EntryStore.ts"
import type { WalletStore } from "../whales/WalletStore.ts"

/** Timeout of one venue request; all requests run at once. Less than the ten seconds of a check. */
const venueTime = Duration.seconds(8)
/** Timeout of an optional part. */
const optionalTime = Duration.seconds(5)
/** Timeout of the news: a search reads rules for 3 s and waits 10 s for a model, then has its matches. */
const newsTime = Duration.seconds(15)
/** Timeout of each request about sibling markets; without books their last mids are used. */
const siblingTime = Duration.seconds(2)
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
  const { slug } = market
  const [{ hourly: [first, ...rest], ticks }, book] = yield* Effect.all([
    loggedStep(slug, "prices", priceAction(ports, market, now)),
    loggedStep(slug, "book", liveBook(ports, market)),
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
  const [
    required,
    wallets,
    news,
    proposal,
    siblings,
    { rules, clause },
    record,
    recentMoves,
    isListingRead,
  ] = yield* Effect
    .all([
      readingRequired,
      loggedStep(slug, "wallets", walletsIn(ports, market)),
      loggedStep(slug, "news", relatedNews(ports, market, now)),
      loggedStep(slug, "proposal", proposalOf(ports, market)),
      loggedStep(slug, "siblings", siblingsOf(ports, market, now)),
      loggedStep(slug, "rules", rulesOf(ports, market)),
      loggedStep(slug, "record", optional(slug, "our record", ports.trackRecord.scorecard)),
      optional(slug, "recent moves", ports.feed.moversSince(now - day)),
      Effect.isSuccess(ports.freshness.fresh(inputs.listing)),
    ], { concurrency: "unbounded" })
  const material: ReportMaterial = {
    market,
    now,
    ...required,
    ...wallets,
    published: publishedMove(market, recentMoves ?? [], required),
    news,
    proposal,
    siblings,
    rules,
    clause,
    isListingRead,
    estimate: null,
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

/** Runs a step of a report, and logs its outcome and duration. */
export const loggedStep = <A, E, R>(slug: Slug, name: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    return yield* Effect.onExit(work, (exit) =>
      Effect.flatMap(Clock.currentTimeMillis, (ended) => {
        const outcome = Exit.isSuccess(exit) ? "done" : "failed"
        return Effect.logInfo(
          `Research of ${slug}: ${name} ${outcome} after ${(ended - started) / 1_000} s`,
        )
      }))
  })

const notTraded = new BelowThreshold({
  message: "This market has no order book, and no price of the last 24 hours",
})
const noPrices = new BelowThreshold({ message: "No prices of this market are available" })

/** Our own series if it is long and recent enough, else the longer of ours and the venue's. */
const priceAction = Effect.fnUntraced(function* (
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
  const isNewer = (theirs.at(-1)?.at ?? 0) > (last?.at ?? 0)
  return isOld && isNewer || theirs.length > own.length
    ? { hourly: theirs, ticks: [] }
    : { hourly: own, ticks }
})

/** Null when there is no book, or it is invalid. */
const liveBook = Effect.fnUntraced(function* (
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
 * The other live markets of the event, with quotes of their books in one request; where there is no
 * book, with their last mid.
 */
const siblingsOf = ({ markets, venue }: ReportPorts, market: Market, now: EpochMs) =>
  optional<Siblings>(
    market.slug,
    "siblings",
    Effect.gen(function* () {
      const read = (yield* Effect.forEach(
        eventSlugsOf(market),
        (slug) => markets.liveOfEvent(slug, siblingsReadMax + 1),
      )).flat()
      const others = read.filter(({ id }) => id !== market.id).slice(0, siblingsReadMax)
      if (others.length === 0) return { markets: [], complete: true }
      const books = yield* venue.books(others.map(({ tokenIds: [token] }) => token)).pipe(
        Effect.timeout(siblingTime),
        Effect.map(({ rows }) => new Map(rows.map((book) => [book.tokenId, quoteOfBook(book)]))),
        Effect.orElseSucceed(() => new Map()),
      )
      const rules = yield* venue.rules(others.map(({ id }) => id)).pipe(
        Effect.timeout(siblingTime),
        Effect.map(({ rows }) => new Map(rows.map((it) => [it.marketId, it.text]))),
        Effect.orElseSucceed(() => new Map()),
      )
      const mids = yield* markets.lastMids(others.map(({ id }) => id), {
        notBefore: now - siblingMidAgeMax,
        atOrBefore: now,
      })
      const proposed = others.filter(({ status }) => status === "proposed").map(({ id }) => id)
      const proposals = proposed.length === 0 ? [] : yield* venue.proposals(proposed).pipe(
        Effect.timeout(siblingTime),
        Effect.map(({ rows }) => rows),
        Effect.orElseSucceed(() => []),
      )
      const quoted = others.map((market) => {
        const last = mids.get(market.id)
        const quote = books.get(market.tokenIds[0]) ??
          (last === undefined ? null : quoteOfMid(last.mid))
        const proposal = proposals.find(({ marketId }) => marketId === market.id) ?? null
        return { market, quote, proposal, rules: rules.get(market.id) ?? null }
      })
      return { markets: quoted, complete: read.length <= siblingsReadMax }
    }),
  )

/** The event of a market; of a game also its main event and that one's largest part. */
function eventSlugsOf({ eventSlug, eventKey, gameStartsAt }: Market): ReadonlyArray<string> {
  return gameStartsAt === null || eventKey.includes(":")
    ? [eventSlug]
    : [...new Set([eventSlug.toLowerCase(), eventKey, `${eventKey}-more-markets`])]
}

/** Null also when the market has no rules. */
const rulesOf = Effect.fnUntraced(function* (
  { venue, news }: ReportPorts,
  { id, slug, question }: Market,
) {
  const rules = yield* optional<string | null>(
    slug,
    "rules",
    Effect.map(
      venue.rules([id]),
      ({ rows }) => rows.find(({ marketId }) => marketId === id)?.text ?? null,
    ),
  )
  return { rules, clause: rules === null ? null : yield* news.clause(question, rules) }
})

/** Requested only for a market with a proposal. */
const proposalOf = ({ venue }: ReportPorts, { id, slug, status }: Market) =>
  status !== "proposed" ? Effect.succeed(null) : optional<Proposal | null>(
    slug,
    "proposal",
    Effect.map(
      venue.proposals([id]),
      ({ rows }) => rows.find(({ marketId }) => marketId === id) ?? null,
    ),
  )

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
