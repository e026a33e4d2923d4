/**
 * Reads the material of a digest: the feed, the markets with their books and proposals, the wallets and
 * the news.
 *
 * The feed is required. Any other part may fail: the digest is then written without it, says so, and
 * denies nothing that it would have shown. Without a book, the price is that of the last listing.
 *
 * @module
 */
import { Cause, Duration, Effect, Option, Result } from "effect"
import {
  type DigestMarket,
  type DigestMaterial,
  type DigestPart,
  type EndedMarket,
  type MoverItem,
  type QuotedMarket,
} from "./domain/material.ts"
import { chosenSlugs, contradictoryMarkets, distinctMoves } from "./domain/chosen.ts"
import { calledSlugs } from "./domain/facts.ts"
import type { StoredDigest } from "./DigestStore.ts"
import { tickJob, whaleJob } from "../core/domain/freshness.ts"
import { day, type EpochMs, hour, minute } from "../core/domain/time.ts"
import type { JobSlots } from "../core/JobSlots.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { microstructure } from "../markets/domain/book.ts"
import { type Market, type MarketId, slugKey } from "../markets/domain/market.ts"
import { stepWithin } from "../markets/domain/priceStep.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import { offersOf, type Quote, quoteOf, quoteOfBook, quoteOfMid } from "../markets/domain/quote.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { Decoded, VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"
import type { News } from "../news/News.ts"
import type { TrackRecord } from "../track-record/TrackRecord.ts"
import type { EntryStore } from "../whales/EntryStore.ts"
import type { WalletStore } from "../whales/WalletStore.ts"
import type { WhaleMarketStore } from "../whales/WhaleMarketStore.ts"

interface DigestPorts {
  readonly feed: FeedStore["Service"]
  readonly markets: MarketStore["Service"]
  readonly venue: VenueClient["Service"]
  readonly wallets: WalletStore["Service"]
  readonly whales: EntryStore["Service"]
  readonly trackRecord: Pick<TrackRecord["Service"], "scorecard">
  readonly whaleMarkets: WhaleMarketStore["Service"]
  readonly news: News["Service"]
  readonly slots: JobSlots["Service"]
}

/** Where the previous digest ended, and what it is about. */
interface DigestEnd extends Pick<StoredDigest, "until" | "feedIndex"> {
  readonly digest: Pick<StoredDigest["digest"], "facts">
}

/** The longest window of a digest, even after a long pause. */
const windowMax = day
/** The newest feed items of one type that are read; the digest states how many were not read. */
const itemsMax = 1_000
/** Markets whose moves are looked up in their price series: the strongest moves. */
const movesMax = 60
/** Priced markets that are read, the most liquid first. */
const pricedMax = 2_000
/** Far more markets than end in four hours. */
const resolutionsMax = 2_000
/** Resolutions newer than this wait for the next digest: their transaction may still be open. */
const resolutionDelay = minute
/** Stories of each market: those of a report on it. */
const relatedMax = 10
const relatedAgeMax = 7 * day
/** Markets whose proposals are read: two requests of the adapter. */
const proposalsMax = 200
/** Markets whose books are read, those of the events of the chosen ones last, and whose rules are. */
const booksMax = 120
const rulesMax = 100
/** Entries of tracked wallets in each market. */
const entriesMax = 50
/** A listed quote farther than this from the last mid is old. */
const quoteDistanceMax = 0.02
/** The maximum age of a market's last mid. */
const midAgeMax = hour
/** Timeouts are generous, because the embedded store is slow during a backfill. */
const partTime = Duration.seconds(40)
const feedTime = Duration.seconds(30)
/** Books and rules make a digest better, and are worth no longer wait. */
const venueTime = Duration.seconds(15)

/** The first tick publishes entries that are older than itself by as much. */
const firstTickReach = hour

/** Where the window of a digest begins. */
export const windowStart = (last: DigestEnd | null, until: EpochMs): EpochMs =>
  Math.max(last?.until ?? 0, until - windowMax)

/** The material, and the feed index where the next digest begins. Dies when the feed cannot be read. */
export const readMaterial = Effect.fnUntraced(function* (
  ports: DigestPorts,
  last: DigestEnd | null,
  until: EpochMs,
) {
  const from = windowStart(last, until)
  const missing: Array<DigestPart> = []
  const { feedIndex, itemsUnread, recentMoves, ...items } = yield* readFeed(
    ports,
    last?.feedIndex ?? 0,
    until,
  ).pipe(Effect.timeout(feedTime), Effect.orDie)
  const priced = yield* part("markets", missing, noPrices, readPrices(ports, until))
  const moves = yield* part("markets", missing, [], readMoves(ports, items.movers, from))
  const { whaleEntries, predetermined } = items
  const entriesFrom = yield* entriesReadFrom(ports, last, until).pipe(
    Effect.timeout(feedTime),
    Effect.orDie,
  )
  const { tracked, readAt, ...whales } = yield* part(
    "whales",
    missing,
    noWhales,
    readWhales(ports, from, until),
  )
  const called = yield* part("markets", missing, [], readCalled(ports, last, priced.markets))
  const resolutions = [...whales.resolutions, ...called]
  const events = { moves, whaleEntries, predetermined, resolutions }
  const slugs = chosenSlugs(events, priced.markets)
  const chosen = yield* part("markets", missing, [], readChosen(ports, slugs, priced.markets))
  const { proposals, unread: proposalsUnread } = yield* part(
    "proposals",
    missing,
    noProposals,
    readProposals(ports, priced.markets, chosen),
  )
  const inPlay = new Set(chosen.map(({ eventKey }) => eventKey))
  const siblings = priced.markets.flatMap(({ market }) =>
    inPlay.has(market.eventKey) ? [market] : []
  )
  const contradictory = contradictoryMarkets(priced.markets)
  const books = yield* readBooks(ports, [...contradictory, ...chosen, ...siblings])
  const rules = yield* readRules(ports, [...contradictory, ...chosen])
  const entries = yield* part("whales", missing, new Map(), readEntries(ports, chosen))
  const news = yield* part("news", missing, noNews, readNews(ports, chosen, until))
  const record = yield* part("record", missing, null, ports.trackRecord.scorecard)
  const read = { books, entries, proposals, rules, stories: news.stories }
  const { markets, quoted } = marketsOf(chosen, priced.markets, read)
  const material: DigestMaterial = {
    ...{
      from,
      until,
      ...events,
      markets,
      quoted,
      record,
      recentMoves,
      previous: last?.digest.facts ?? null,
    },
    coverage: {
      marketsWatched: priced.watched,
      venueReadAt: priced.readAt,
      news: news.sources,
      wallets: { tracked, readAt, from: entriesFrom },
      itemsUnread: itemsUnread + Math.max(0, distinctMoves(items.movers).length - movesMax),
      proposalsUnread,
      missing: [...new Set(missing)],
    },
  }
  return { material, feedIndex }
})

/** The chosen markets, and all priced ones, with what was read of each. */
function marketsOf(
  chosen: ReadonlyArray<Market>,
  priced: Priced,
  { books, entries, proposals, rules, stories }: {
    readonly books: Effect.Success<ReturnType<typeof readBooks>>
    readonly entries: ReadonlyMap<MarketId, DigestMarket["entries"]>
    readonly proposals: ReadonlyMap<MarketId, Proposal>
    readonly rules: ReadonlyMap<MarketId, string>
    readonly stories: ReadonlyMap<MarketId, DigestMarket["stories"]>
  },
) {
  const readOf = ({ id }: Market) => ({
    proposal: proposals.get(id) ?? null,
    rules: rules.get(id) ?? null,
  })
  const quoted = priced.map(({ market, quote }): QuotedMarket => ({
    ...{ market, ...readOf(market) },
    quote: books.get(market.tokenIds[0])?.quote ?? quote,
  }))
  const byId = new Map(quoted.map((one) => [one.market.id, one]))
  const markets = chosen.map((market): DigestMarket => ({
    ...{ market, ...readOf(market) },
    quote: byId.get(market.id)?.quote ?? null,
    book: books.get(market.tokenIds[0])?.book ?? null,
    offers: books.get(market.tokenIds[0])?.offers ?? [[], []],
    entries: entries.get(market.id) ?? [],
    stories: stories.get(market.id) ?? [],
  }))
  return { markets, quoted }
}

/**
 * From when on the window's entries were read: in the first digest not before the service watched the
 * venue, as its oldest feed item says, or without any its last tick.
 */
const entriesReadFrom = Effect.fnUntraced(function* (
  { feed, slots }: DigestPorts,
  last: DigestEnd | null,
  until: EpochMs,
) {
  const start = windowStart(last, until)
  if (last !== null) return start
  const [oldest] = yield* feed.page({ since: 0, count: 1, type: null })
  const readAt = Option.getOrElse(yield* slots.lastOk(tickJob), () => start)
  const watchedFrom = oldest === undefined ? readAt : Date.parse(oldest.createdAt)
  return Math.min(until, Math.max(start, watchedFrom - firstTickReach))
})

const noProposals = { proposals: new Map<MarketId, Proposal>(), unread: 0 }
const noPrices = { watched: 0, readAt: null, markets: [] }
const noWhales = { tracked: 0, readAt: null, resolutions: [] }
const noNews: Effect.Success<ReturnType<typeof readNews>> = { sources: null, stories: new Map() }

/** The result of `read`. If it fails or times out: `otherwise`, and `name` is added to `missing`. */
const part = <A>(
  name: DigestPart,
  missing: Array<DigestPart>,
  otherwise: A,
  read: Effect.Effect<A, unknown>,
): Effect.Effect<A> =>
  read.pipe(
    Effect.timeout(partTime),
    Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), (cause) => {
      missing.push(name)
      return Effect.as(Effect.logWarning(`Cannot read the ${name} for a digest`, cause), otherwise)
    }),
    // Only interruption is left.
    Effect.orDie,
  )

/** The feed items that became visible since the previous digest. */
const readFeed = Effect.fnUntraced(function* (
  { feed }: DigestPorts,
  after: number,
  until: EpochMs,
) {
  const { index: upTo } = yield* feed.head(until)
  const range = { after, upTo, since: until - windowMax, limit: itemsMax }
  const movers = yield* feed.between({ ...range, type: "mover" })
  const whaleEntries = yield* feed.between({ ...range, type: "whale_entry" })
  const predetermined = yield* feed.between({ ...range, type: "predetermined" })
  return {
    recentMoves: yield* feed.moversSince(until - windowMax),
    movers: movers.items,
    whaleEntries: whaleEntries.items,
    predetermined: predetermined.items,
    itemsUnread: [movers, whaleEntries, predetermined]
      .reduce((unread, { items, total }) => unread + total - items.length, 0),
    feedIndex: upTo,
  }
})

/** The markets with a recent price, and their listed quotes. */
const readPrices = Effect.fnUntraced(function* (
  { markets, slots }: DigestPorts,
  until: EpochMs,
) {
  const range = { notBefore: until - midAgeMax, atOrBefore: until }
  return {
    watched: yield* markets.watched(until - midAgeMax),
    readAt: Option.getOrNull(yield* slots.lastOk(tickJob)),
    markets: (yield* markets.recentlyPriced(range, pricedMax)).map(({ market, price }) => ({
      market,
      quote: quoteAt(market, price.mid),
    })),
  }
})

type Priced = Effect.Success<ReturnType<typeof readPrices>>["markets"]

/** The listed quote, unless it is old: then the last mid. */
function quoteAt({ listed }: Market, mid: number): Quote | null {
  const quote = listed === null ? null : quoteOf(listed)
  return quote !== null && Math.abs(quote.mid - mid) <= quoteDistanceMax ? quote : quoteOfMid(mid)
}

/** The move of each market, without those whose largest step was before the window. */
const readMoves = Effect.fnUntraced(function* (
  { markets }: DigestPorts,
  movers: ReadonlyArray<MoverItem>,
  from: EpochMs,
) {
  const moves = yield* Effect.forEach(
    distinctMoves(movers).slice(0, movesMax),
    (item) =>
      Effect.gen(function* () {
        const market = yield* markets.bySlug(item.data.market.slug)
        if (Option.isNone(market)) return { item, step: null }
        const range = { from: Date.parse(item.data.startedAt), to: Date.parse(item.createdAt) }
        const series = yield* markets.series(market.value.id, range)
        return { item, step: stepWithin(series, range.from, range.to) }
      }),
  )
  return moves.filter(({ step }) => step === null || step.to > from)
})

/** The tracked wallets, and the markets whose end became known. */
const readWhales = Effect.fnUntraced(function* (
  { wallets, whaleMarkets, slots }: DigestPorts,
  from: EpochMs,
  until: EpochMs,
) {
  return {
    tracked: (yield* wallets.tracked).length,
    readAt: Option.getOrNull(yield* slots.lastOk(whaleJob)),
    resolutions: yield* whaleMarkets.ended({
      endedFrom: until - windowMax,
      changed: { from: from - resolutionDelay, to: until - resolutionDelay },
      limit: resolutionsMax,
    }),
  }
})

/** How the markets that the digest before called ended, of those without a price. */
const readCalled = Effect.fnUntraced(function* (
  ports: DigestPorts,
  last: DigestEnd | null,
  priced: Priced,
) {
  const known = new Set<string>(priced.map(({ market }) => market.slug))
  const slugs = calledSlugs(last?.digest.facts ?? []).filter((slug) => !known.has(slug))
  const markets = yield* readChosen(ports, [...new Set(slugs)], priced)
  if (markets.length === 0) return []
  const { rows } = yield* ports.venue.resolutions(markets.map(({ id }) => id))
  return rows.flatMap((resolution): ReadonlyArray<EndedMarket> => {
    const market = markets.find(({ id }) => id === resolution.marketId)
    return market === undefined ? [] : [{ market, resolution }]
  })
})

/** The open entries in these markets, whenever they were opened. */
const readEntries = ({ whales }: DigestPorts, markets: ReadonlyArray<Market>) =>
  Effect.map(
    Effect.forEach(markets, ({ id }) => whales.entriesIn(id, entriesMax)),
    (entries) => new Map(markets.map(({ id }, n) => [id, entries[n] ?? []])),
  )

/** The open proposals of the chosen markets, and of all that the venue lists as proposed. */
const readProposals = Effect.fnUntraced(function* (
  { venue }: DigestPorts,
  priced: Priced,
  chosen: ReadonlyArray<Market>,
) {
  const proposed = priced.map(({ market }) => market).filter(({ status }) => status === "proposed")
  const ids = [...new Set([...chosen, ...proposed].map(({ id }) => id))]
  if (ids.length === 0) return noProposals
  const { rows } = yield* venue.proposals(ids.slice(0, proposalsMax))
  return {
    proposals: new Map(rows.map((proposal) => [proposal.marketId, proposal])),
    unread: Math.max(0, ids.length - proposalsMax),
  }
})

/** The stored listings of these markets. */
const readChosen = Effect.fnUntraced(function* (
  { markets }: DigestPorts,
  slugs: ReadonlyArray<string>,
  priced: Priced,
) {
  const known = new Map(priced.map(({ market }) => [slugKey(market.slug), market]))
  const found = yield* Effect.forEach(slugs, (slug) => {
    const market = known.get(slugKey(slug))
    return market === undefined ? markets.bySlug(slug) : Effect.succeedSome(market)
  })
  return found.flatMap(Option.toArray)
})

/** The first outcomes' books; those that cannot be read are absent. */
const readBooks = ({ venue }: DigestPorts, markets: ReadonlyArray<Market>) =>
  extra(
    venue.books([...new Set(markets.map(({ tokenIds }) => tokenIds[0]))].slice(0, booksMax)),
    (book) =>
      [book.tokenId, {
        ...{ quote: quoteOfBook(book), offers: offersOf(book) },
        book: Result.getOrElse(microstructure(book), () => null),
      }] as const,
  )

/** The rules; those that cannot be read are absent. */
const readRules = ({ venue }: DigestPorts, markets: ReadonlyArray<Market>) =>
  extra(
    venue.rules([...new Set(markets.map(({ id }) => id))].slice(0, rulesMax)),
    ({ marketId, text }) => [marketId, text] as const,
  )

/** Rows of the venue by key; none when it does not answer in time. */
const extra = <A, K, V>(
  read: Effect.Effect<Decoded<A>, VenueUnavailable>,
  entryOf: (row: A) => readonly [K, V],
): Effect.Effect<ReadonlyMap<K, V>> =>
  read.pipe(
    Effect.timeout(venueTime),
    Effect.map(({ rows }) => new Map(rows.map(entryOf))),
    Effect.catch(() => Effect.succeed(new Map<K, V>())),
  )

/** The stories about the chosen markets, which may be older than the window. */
const readNews = Effect.fnUntraced(function* (
  { news }: DigestPorts,
  markets: ReadonlyArray<Market>,
  until: EpochMs,
) {
  const { stories, coverage: { sources, answered } } = yield* news.storiesAbout(
    markets,
    until - relatedAgeMax,
    relatedMax,
  )
  return {
    sources: sources === 0 ? null : { sources, answered },
    stories: new Map(markets.map(({ id }, i) => [id, stories[i] ?? []])),
  }
})
