/**
 * Reads the material of a digest: the feed, the wallets, the news, and the markets that resolve soon.
 *
 * The feed is required. Any other part may fail: the digest is then written without it, and says so.
 *
 * @module
 */
import { Cause, Duration, Effect, Metric, Option } from "effect"
import type { DigestHeadline, DigestMaterial, DigestPart } from "./domain/material.ts"
import { day, type EpochMs, hour, minute } from "../core/domain/time.ts"
import type { Detector } from "../predetermined/Detector.ts"
import { tickJob } from "../core/domain/freshness.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { JobSlots } from "../core/JobSlots.ts"
import { type Market, slugKey } from "../markets/domain/market.ts"
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
/** Headlines of the window, and of each market in the digest. */
const headlinesMax = 60
const relatedMax = 4
/** Markets whose headlines are searched, and the age of such headlines. */
const importantMarketsMax = 20
const importantMoversMax = 12
const relatedAgeMax = day
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
  const news = yield* part(
    "news",
    missing,
    noNews,
    readNews(ports, importantMarkets(feed), from, until),
  )
  const ended = new Set<string>(whales.resolutions.map(({ market }) => slugKey(market.slug)))
  const ending = yield* part("upcoming", missing, [], readUpcoming(ports, until))
  const material: DigestMaterial = {
    from,
    until,
    movers,
    whaleEntries,
    predetermined,
    resolutions: whales.resolutions,
    headlines: news.headlines,
    upcoming: ending.filter(({ slug }) => !ended.has(slugKey(slug))),
    coverage: {
      marketsWatched: feed.marketsWatched,
      venueReadAt: feed.venueReadAt,
      news: news.sources,
      walletsTracked: whales.tracked,
      detector: ports.detector.name === "rules" ? "rules" : "model",
      itemsUnread: feed.itemsUnread,
      missing,
    },
  }
  return { material, feedIndex: feed.feedIndex }
})

const noWhales = { tracked: 0, resolutions: [] }
const noNews = { sources: null, headlines: [] }

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

/** The slugs of the digest's most important markets, without duplicates. */
function importantMarkets(
  { predetermined, movers, whaleEntries }: FeedItems,
): ReadonlyArray<string> {
  const strongest = movers.toSorted((a, b) => Math.abs(b.data.delta) - Math.abs(a.data.delta))
  const items = [
    ...predetermined,
    ...strongest.slice(0, importantMoversMax),
    ...whaleEntries.toSorted((a, b) => b.data.stakeUsd - a.data.stakeUsd),
  ]
  return [...new Set(items.map(({ data }) => data.market.slug))].slice(0, importantMarketsMax)
}

type FeedItems = Pick<DigestMaterial, "movers" | "whaleEntries" | "predetermined">

/** The window's headlines, and those about important markets, which may be older. */
const readNews = Effect.fnUntraced(function* (
  { news, markets }: DigestPorts,
  slugs: ReadonlyArray<string>,
  from: EpochMs,
  until: EpochMs,
) {
  const recent = yield* news.recent(from, headlinesMax)
  const { sources, answered } = recent.coverage
  if (sources === 0) return noNews
  const found = new Map<string, DigestHeadline>(
    recent.headlines.map((headline) => [headline.url, { ...headline, markets: [] }]),
  )
  for (const slug of slugs) {
    const market = yield* markets.bySlug(slug)
    if (Option.isNone(market)) continue
    const related = yield* news.relatedTo(market.value, until - relatedAgeMax, relatedMax)
    for (const headline of related.headlines) {
      const markets = found.get(headline.url)?.markets ?? []
      found.set(headline.url, { ...headline, markets: [...markets, slug] })
    }
  }
  return { sources: { sources, answered }, headlines: [...found.values()] }
})

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
