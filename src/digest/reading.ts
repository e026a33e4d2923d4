/**
 * What a digest is made of, read from everywhere: the feed, the wallets, the news, and what ends soon.
 *
 * Without the feed there is no digest. Any other part may fail: the digest is then made without it,
 * and says so.
 *
 * @module
 */
import { Cause, Duration, Effect, Metric, Option } from "effect"
import type { DigestHeadline, DigestMaterial, DigestPart } from "./domain/material.ts"
import { day, type EpochMs, hour, minute } from "../core/domain/time.ts"
import type { Detector } from "../predetermined/Detector.ts"
import { tickJob } from "../feed/Feed.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { JobSlots } from "../core/JobSlots.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { News } from "../news/News.ts"
import type { WalletStore } from "../whales/WalletStore.ts"
import type { WhaleMarketStore } from "../whales/WhaleMarketStore.ts"

/** The ports a digest is read from. */
interface DigestPorts {
  readonly feed: FeedStore["Service"]
  readonly markets: MarketStore["Service"]
  readonly wallets: WalletStore["Service"]
  readonly whaleMarkets: WhaleMarketStore["Service"]
  readonly news: News["Service"]
  readonly slots: JobSlots["Service"]
  readonly detector: Detector["Service"]
}

/** Where the digest before ended; null when it is unknown. */
interface DigestEnd {
  readonly until: EpochMs
  readonly feedIndex: number
}

/** A digest tells of no more than this, however long none was written. */
const backMax = day
/** Items of one type that are read: the newest. More are counted. */
const itemsMax = 1_000
/** Far more than end in four hours: a digest counts them. */
const resolutionsMax = 2_000
/** What was told within it waits for the next digest: its transaction may not be over yet. */
const toldSettles = minute
/** Headlines of the window, and of each market in play. */
const headlinesMax = 60
const relatedMax = 4
/** Markets in play that headlines are looked for, and how old such a headline may be. */
const playMax = 20
const playMoversMax = 12
const relatedFor = day
/** What ends within these hours, is worth this much, and how many of them, the most liquid. */
const upcoming = { withinHours: 24, minLiquidity: 5_000, includeNoise: false }
const upcomingMax = 60
/** How old a market's last mid may be. */
const midFreshFor = hour
/** How long a part may take, and the feed: an embedded store that reads wallets' pasts is slow. */
const partTime = Duration.seconds(40)
const feedTime = Duration.seconds(30)

/** Everything a digest is made of, and where the next one begins. Dies when the feed cannot be read. */
export const readMaterial = Effect.fnUntraced(function* (
  ports: DigestPorts,
  last: DigestEnd | null,
  until: EpochMs,
) {
  const from = Math.max(last?.until ?? 0, until - backMax)
  const missing: Array<DigestPart> = []
  const feed = yield* readFeed(ports, last?.feedIndex ?? 0, until).pipe(
    Effect.timeout(feedTime),
    Effect.orDie,
  )
  const { movers, whaleEntries, predetermined } = feed
  const whales = yield* part("whales", missing, noWhales, readWhales(ports, from, until))
  const news = yield* part("news", missing, noNews, readNews(ports, inPlay(feed), from, until))
  const ended = new Set<string>(whales.resolutions.map(({ market }) => market.slug))
  const ending = yield* part("upcoming", missing, [], readUpcoming(ports, until))
  const material: DigestMaterial = {
    from,
    until,
    movers,
    whaleEntries,
    predetermined,
    resolutions: whales.resolutions,
    headlines: news.headlines,
    upcoming: ending.filter(({ slug }) => !ended.has(slug)),
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

/** What `read` gives; `otherwise` when it fails, breaks or takes too long, and then `missing` grows. */
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
    // Only an interruption is left, and that has no value to fail with.
    Effect.orDie,
  )

/** The stretch of the feed that became visible since the digest before. */
const readFeed = Effect.fnUntraced(function* (
  { feed, markets, slots }: DigestPorts,
  after: number,
  until: EpochMs,
) {
  const { index: upTo } = yield* feed.head(until)
  const stretch = { after, upTo, since: until - backMax, limit: itemsMax }
  const movers = yield* feed.between({ ...stretch, type: "mover" })
  const whaleEntries = yield* feed.between({ ...stretch, type: "whale_entry" })
  const predetermined = yield* feed.between({ ...stretch, type: "predetermined" })
  return {
    movers: movers.items,
    whaleEntries: whaleEntries.items,
    predetermined: predetermined.items,
    itemsUnread: [movers, whaleEntries, predetermined]
      .reduce((unread, { items, total }) => unread + total - items.length, 0),
    feedIndex: upTo,
    marketsWatched: yield* markets.watched(until - midFreshFor),
    venueReadAt: Option.getOrNull(yield* slots.lastOk(tickJob)),
  }
})

/** Who is tracked, and the markets of their entries of which the end became known since. */
const readWhales = Effect.fnUntraced(function* (
  { wallets, whaleMarkets }: DigestPorts,
  from: EpochMs,
  until: EpochMs,
) {
  return {
    tracked: (yield* wallets.tracked).length,
    resolutions: yield* whaleMarkets.ended({
      endedFrom: until - backMax,
      changed: { from: from - toldSettles, to: until - toldSettles },
      limit: resolutionsMax,
    }),
  }
})

/** The slugs of the markets that a digest will speak of first, each once. */
function inPlay({ predetermined, movers, whaleEntries }: FeedItems): ReadonlyArray<string> {
  const strongest = movers.toSorted((a, b) => Math.abs(b.data.delta) - Math.abs(a.data.delta))
  const items = [
    ...predetermined,
    ...strongest.slice(0, playMoversMax),
    ...whaleEntries.toSorted((a, b) => b.data.stakeUsd - a.data.stakeUsd),
  ]
  return [...new Set(items.map(({ data }) => data.market.slug))].slice(0, playMax)
}

type FeedItems = Pick<DigestMaterial, "movers" | "whaleEntries" | "predetermined">

/** The window's headlines, and those about markets in play, which may be older. */
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
    const related = yield* news.relatedTo(market.value, until - relatedFor, relatedMax)
    for (const headline of related.headlines) {
      const markets = found.get(headline.url)?.markets ?? []
      found.set(headline.url, { ...headline, markets: [...markets, slug] })
    }
  }
  return { sources: { sources, answered }, headlines: [...found.values()] }
})

/** What ends soon, the most liquid first, as far as its price is known. */
const readUpcoming = Effect.fnUntraced(function* ({ markets }: DigestPorts, until: EpochMs) {
  const ending = (yield* markets.endingWithin(upcoming, until))
    .toSorted((a, b) => b.liquidityUsd - a.liquidityUsd).slice(0, upcomingMax)
  const mids = yield* markets.lastMids(
    ending.map(({ id }) => id),
    { notBefore: until - midFreshFor, atOrBefore: until },
  )
  // Said to be unread, or the digest would say that nothing is due.
  if (ending.length > 0 && mids.size === 0) return yield* Effect.die("no price of what ends soon")
  return ending.flatMap(({ id, slug, question, outcomes, liquidityUsd, endsAt }) => {
    const mid = mids.get(id)?.mid
    return mid === undefined ? [] : [{ slug, question, outcomes, liquidityUsd, endsAt, mid }]
  })
})

const partFailures = Metric.counter("digest_part_failures_total", {
  description: "Parts of a digest's material that could not be read",
  incremental: true,
})
