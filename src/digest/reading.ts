/**
 * Reads the material of a digest: the feed, the wallets, the news, and the markets that resolve soon.
 *
 * The feed is required. Any other part may fail: the digest is then written without it, and says so.
 *
 * @module
 */
import { Cause, Duration, Effect, Metric, Option } from "effect"
import type {
  DigestMaterial,
  DigestPart,
  DigestStory,
  MoverItem,
  MoveStep,
  PredeterminedItem,
  QuotedMarket,
} from "./domain/material.ts"
import { describedMoves } from "./domain/moves.ts"
import { describedFindings } from "./domain/outcomes.ts"
import { describedUpcoming } from "./domain/upcoming.ts"
import { describedEntries } from "./domain/whales.ts"
import { day, type EpochMs, hour, minute } from "../core/domain/time.ts"
import type { Detector } from "../predetermined/Detector.ts"
import { tickJob } from "../core/domain/freshness.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { JobSlots } from "../core/JobSlots.ts"
import type { KnownEnd } from "../markets/domain/ladders.ts"
import {
  type Market,
  type MarketFacts,
  type SeriesPoint,
  slugKey,
} from "../markets/domain/market.ts"
import { stepWithin } from "../markets/domain/priceStep.ts"
import { type Quote, quoteOf, quoteOfMid } from "../markets/domain/quote.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import { soonestMarkets } from "../markets/domain/resolving.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { News } from "../news/News.ts"
import type { WalletStore } from "../whales/WalletStore.ts"
import type { WhaleMarketStore } from "../whales/WhaleMarketStore.ts"

interface DigestPorts {
  readonly feed: FeedStore["Service"]
  readonly markets: MarketStore["Service"]
  readonly wallets: WalletStore["Service"]
  readonly whaleMarkets: WhaleMarketStore["Service"]
  readonly news: News["Service"]
  readonly slots: JobSlots["Service"]
  readonly detector: Detector["Service"]
}

/** Where the previous digest ended. */
interface DigestEnd {
  readonly until: EpochMs
  readonly feedIndex: number
}

/** The longest window of a digest, even after a long pause. */
const windowMax = day
/** The newest feed items of one type that are read; the digest states how many were not read. */
const itemsMax = 1_000
/** Far more markets than end in four hours. */
const resolutionsMax = 2_000
/** Resolutions newer than this wait for the next digest: their transaction may still be open. */
const resolutionDelay = minute
/** Stories of each market. */
const relatedMax = 4
const relatedAgeMax = day
/** Ended markets that are compared with their live siblings. */
const endedMax = 200
/** Events whose siblings are read, and live markets of one event. */
const eventsMax = 40
const siblingsMax = 64
/** A listed quote farther than this from the last mid is old. */
const quoteDistanceMax = 0.02
/** A step counts as the move when it is at least this share of it. */
const stepShareMin = 0.5
/** Markets that are expected to resolve soon: the most liquid ones. */
const upcoming = { withinHours: 24, minLiquidity: 5_000, includeNoise: false }
const upcomingMax = 60
/** The maximum age of a market's last mid. */
const midAgeMax = hour
/** Timeouts are generous, because the embedded store is slow during a backfill. */
const partTime = Duration.seconds(40)
const feedTime = Duration.seconds(30)

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
  const feed = yield* readFeed(ports, last?.feedIndex ?? 0, until).pipe(
    Effect.timeout(feedTime),
    Effect.orDie,
  )
  const { movers, whaleEntries, predetermined } = feed
  const whales = yield* part("whales", missing, noWhales, readWhales(ports, from, until))
  const ended = new Set<string>(whales.resolutions.map(({ market }) => slugKey(market.slug)))
  const ending = yield* part("upcoming", missing, [], readUpcoming(ports, until))
  const described: DigestMaterial = {
    from,
    until,
    movers,
    whaleEntries,
    predetermined,
    resolutions: whales.resolutions,
    upcoming: ending.filter(({ slug }) => !ended.has(slugKey(slug))),
    ...{ stories: [], ...noQuotes },
    coverage: {
      marketsWatched: feed.marketsWatched,
      venueReadAt: feed.venueReadAt,
      news: null,
      walletsTracked: whales.tracked,
      detector: ports.detector.name === "rules" ? "rules" : "model",
      itemsUnread: feed.itemsUnread,
      missing,
    },
  }
  const markets = yield* part("quotes", missing, [], readMarkets(ports, described))
  const news = yield* part("news", missing, noNews, readNews(ports, markets, until))
  const quotes = yield* part(
    "quotes",
    missing,
    noQuotes,
    readQuotes(ports, markets, described, whales.resolutions),
  )
  const material: DigestMaterial = {
    ...described,
    ...quotes,
    stories: news.stories,
    coverage: { ...described.coverage, news: news.sources, missing: [...new Set(missing)] },
  }
  return { material, feedIndex: feed.feedIndex }
})

const noWhales = { tracked: 0, resolutions: [] }
const noNews = { sources: null, stories: [] }
const noQuotes = { quoted: [], wholeEvents: [], steps: [] }

/** The result of `read`. If it fails or times out: `otherwise`, and `name` is added to `missing`. */
const part = <A>(
  name: DigestPart,
  missing: Array<DigestPart>,
  otherwise: A,
  read: Effect.Effect<A>,
): Effect.Effect<A> =>
  read.pipe(
    Effect.timeout(partTime),
    Effect.catchCauseIf((cause) => !Cause.hasInterruptsOnly(cause), (cause) =>
      Effect.gen(function* () {
        missing.push(name)
        yield* Effect.logWarning(`Cannot read the ${name} for a digest`, cause)
        yield* Metric.update(partFailures.pipe(Metric.withAttributes({ part: name })), 1)
        return otherwise
      })),
    // Only interruption is left.
    Effect.orDie,
  )

/** The feed items that became visible since the previous digest. */
const readFeed = Effect.fnUntraced(function* (
  { feed, markets, slots }: DigestPorts,
  after: number,
  until: EpochMs,
) {
  const { index: upTo } = yield* feed.head(until)
  const range = { after, upTo, since: until - windowMax, limit: itemsMax }
  const movers = yield* feed.between({ ...range, type: "mover" })
  const whaleEntries = yield* feed.between({ ...range, type: "whale_entry" })
  const predetermined = yield* feed.between({ ...range, type: "predetermined" })
  return {
    movers: movers.items,
    whaleEntries: whaleEntries.items,
    predetermined: predetermined.items,
    itemsUnread: [movers, whaleEntries, predetermined]
      .reduce((unread, { items, total }) => unread + total - items.length, 0),
    feedIndex: upTo,
    marketsWatched: yield* markets.watched(until - midAgeMax),
    venueReadAt: Option.getOrNull(yield* slots.lastOk(tickJob)),
  }
})

/** The number of tracked wallets, and the markets of their entries whose end became known. */
const readWhales = Effect.fnUntraced(function* (
  { wallets, whaleMarkets }: DigestPorts,
  from: EpochMs,
  until: EpochMs,
) {
  return {
    tracked: (yield* wallets.tracked).length,
    resolutions: yield* whaleMarkets.ended({
      endedFrom: until - windowMax,
      changed: { from: from - resolutionDelay, to: until - resolutionDelay },
      limit: resolutionsMax,
    }),
  }
})

/** The stored listings of the markets that the digest describes, without duplicates. */
const readMarkets = Effect.fnUntraced(function* (
  { markets }: DigestPorts,
  material: DigestMaterial,
) {
  const items = [
    ...describedMoves(material),
    ...describedFindings(material),
    ...describedEntries(material),
  ]
  const slugs = new Set([
    ...items.map(({ data }) => data.market.slug),
    ...describedUpcoming(material).map(({ slug }) => slug),
  ])
  const found = yield* Effect.forEach(slugs, (slug) => markets.bySlug(slug))
  return found.flatMap(Option.toArray)
})

/** The stories about the described markets, which may be older than the window. */
const readNews = Effect.fnUntraced(function* (
  { news }: DigestPorts,
  markets: ReadonlyArray<Market>,
  until: EpochMs,
) {
  const { stories, coverage } = yield* news.storiesAbout(
    markets,
    until - relatedAgeMax,
    relatedMax,
  )
  const { sources, answered } = coverage
  if (sources === 0) return noNews
  const found = new Map<string, DigestStory>()
  markets.forEach(({ slug }, i) => {
    for (const { strength, ...story } of stories[i] ?? []) {
      const others = found.get(story.url)?.markets ?? []
      found.set(story.url, { ...story, markets: [...others, { slug, strength }] })
    }
  })
  return { sources: { sources, answered }, stories: [...found.values()] }
})

/** The prices of the described markets and their siblings, what is known of their ends, and the steps. */
const readQuotes = Effect.fnUntraced(function* (
  { markets: store }: DigestPorts,
  markets: ReadonlyArray<Market>,
  material: DigestMaterial,
  resolutions: ReadonlyArray<EndedMarket>,
) {
  const { until } = material
  const ended = resolutions.slice(0, endedMax)
  const events = [
    ...new Set([...markets, ...ended.map(({ market }) => market)].map((it) => it.eventSlug)),
  ].slice(0, eventsMax)
  const siblings = yield* Effect.forEach(events, (event) => store.liveOfEvent(event, siblingsMax))
  const all = new Map([...markets, ...siblings.flat()].map((market) => [market.id, market]))
  for (const { market } of ended) all.delete(market.id)
  const range = { notBefore: until - midAgeMax, atOrBefore: until }
  const mids = yield* store.lastMids([...all.keys()], range)
  const proposals = new Map(material.predetermined.flatMap(proposedEnd))
  const live = [...all.values()].map((market): QuotedMarket => ({
    market,
    quote: quoteAt(market, mids.get(market.id)?.mid),
    known: proposals.get(slugKey(market.slug)) ?? null,
  }))
  const bySlug = new Map(markets.map((market) => [slugKey(market.slug), market]))
  const steps = yield* Effect.forEach(describedMoves(material), (move) => {
    const market = bySlug.get(slugKey(move.data.market.slug))
    const to = Date.parse(move.createdAt)
    return market === undefined ? Effect.succeed([]) : Effect.map(
      store.series(market.id, { from: Date.parse(move.data.startedAt), to }),
      (series) => stepOf(move, series),
    )
  })
  return {
    quoted: [...live, ...ended.flatMap(resolvedMarket)],
    wholeEvents: events.filter((_, i) => (siblings[i] ?? []).length < siblingsMax),
    steps: steps.flat(),
  }
})

type EndedMarket = { readonly market: MarketFacts; readonly resolution: Resolution }

/** The listed quote, unless it is old: then the last mid, where there is one. */
function quoteAt({ listed }: Market, mid: number | undefined): Quote | null {
  if (mid === undefined) return null
  const quote = listed === null ? null : quoteOf(listed)
  return quote !== null && Math.abs(quote.mid - mid) <= quoteDistanceMax ? quote : quoteOfMid(mid)
}

/** The proposed end of a contested proposal that is not disputed. */
function proposedEnd({ data }: PredeterminedItem): ReadonlyArray<readonly [string, KnownEnd]> {
  const side = data.market.outcomes?.indexOf(data.outcome) ?? -1
  const isProposed = data.kind === "contested_proposal" && data.proposal?.disputed === false
  return isProposed && (side === 0 || side === 1)
    ? [[slugKey(data.market.slug), { outcome: side, state: "proposed" }]]
    : []
}

/** A market that paid one outcome in full. */
function resolvedMarket({ market, resolution }: EndedMarket): ReadonlyArray<QuotedMarket> {
  if (resolution.state !== "paid") return []
  const outcome = resolution.payouts[0] === 1 ? 0 : resolution.payouts[1] === 1 ? 1 : null
  return outcome === null ? [] : [{
    market: { ...market, liquidityUsd: 0 },
    quote: null,
    known: { outcome, state: "resolved" },
  }]
}

/** The step of a move, if it is most of it. */
function stepOf(
  { createdAt, data }: MoverItem,
  series: ReadonlyArray<SeriesPoint>,
): ReadonlyArray<MoveStep> {
  const { delta, market: { slug }, startedAt } = data
  const step = stepWithin(series, Date.parse(startedAt), Date.parse(createdAt))
  return step !== null && step.delta / delta >= stepShareMin
    ? [{ slug, from: step.from, to: step.to }]
    : []
}

/** The markets that are expected to resolve soon and have a known price, the most liquid first. */
const readUpcoming = Effect.fnUntraced(function* ({ markets }: DigestPorts, until: EpochMs) {
  const candidates = yield* markets.resolvingCandidates(upcoming, until)
  const mids = yield* markets.lastMids(
    candidates.map(({ id }) => id),
    { notBefore: until - midAgeMax, atOrBefore: until },
  )
  const reading = ({ id }: Market) => ({ mid: mids.get(id)?.mid ?? null, proposal: null })
  const ending = soonestMarkets(candidates, reading, upcoming, until)
    .filter(({ expected }) => expected.at <= until + upcoming.withinHours * hour)
    .toSorted((a, b) => b.market.liquidityUsd - a.market.liquidityUsd).slice(0, upcomingMax)
  // Counts as unread; otherwise the digest would say that no market resolves soon.
  if (ending.length > 0 && mids.size === 0) {
    return yield* Effect.die("no price of any market that resolves soon")
  }
  return ending.flatMap(({ market: { slug, question, outcomes, liquidityUsd }, mid, expected }) =>
    mid === null ? [] : [{ slug, question, outcomes, liquidityUsd, resolvesAt: expected.at, mid }]
  )
})

const partFailures = Metric.counter("digest_part_failures_total", {
  description: "Parts of a digest's material that could not be read",
  incremental: true,
})
