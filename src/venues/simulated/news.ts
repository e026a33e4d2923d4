/**
 * The news of a simulated world: stories about its markets, the invented outlets that publish them,
 * and an index that can be searched, on Effect's clock.
 *
 * A story appears before or after a planted jump, before a market's end, or once its outcome exists.
 * Some headlines are about no market.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import type { Parts } from "../../core/domain/parts.ts"
import { inSlices } from "../../core/slices.ts"
import { day, type EpochMs, hour, isoTime, minute, second } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { type NewsSource, NewsSources } from "../../news/NewsSources.ts"
import type { Headline } from "../../news/domain/headline.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import { makeMemo, marketCacheSize } from "./memo.ts"
import { between, hex, type Key, mix, uniform } from "./seed.ts"
import { headlineOf, slugOf, type Subject, wordOf } from "./words.ts"
import words from "./words.json" with { type: "json" }
import type { World } from "./world.ts"

/** Its host is a reserved name (RFC 2606). */
type Outlet = Readonly<(typeof words.outlets)[number]>

export const outlets: ReadonlyArray<Outlet> = words.outlets

/** The index finds the articles of all outlets; it is not an outlet itself. */
export const indexName = "Wayfarer Index"

/** A published headline and what it is about. */
export interface Article extends Headline {
  readonly kind: StoryKind
  /** Null for one that is about no market. */
  readonly marketId: MarketId | null
}

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

export interface NewsArchive {
  /** An outlet's articles in `[from, to]`, newest first. */
  readonly published: (outlet: Outlet, range: Range) => ReadonlyArray<Article>
  /** Computes in parts what all outlets publish in a range, so that `published` is then quick. */
  readonly prepare: (range: Range) => Parts<void>
}

type Published = Pick<NewsArchive, "published">

/** A feed contains the last day, at most `feedRowsMax` rows. */
const feedMs = day
export const feedRowsMax = 60
/** Rows of one search result, and topics of one search. */
export const indexRowsMax = 100
const topicsMax = 50
/** An outlet publishes an unrelated headline in this share of the periods of `noiseMs`. */
const noiseShare = 0.5
const noiseMs = 40 * minute

/** News sources over the world. */
export function layer(world: World): Layer.Layer<NewsSources> {
  const archive = makeNewsArchive(world)
  const now = Effect.tap(
    Clock.currentTimeMillis,
    (at) => inSlices(() => archive.prepare({ from: at - feedMs, to: at })),
  )
  const headline = ({ title, url, source, publishedAt }: Article): Headline => ({
    title,
    url,
    source,
    publishedAt: Math.floor(publishedAt / second) * second,
  })
  const feeds = outlets.map((outlet): NewsSource => ({
    name: outlet.name,
    read: () =>
      Effect.map(now, (at) => ({ rows: feedOf(archive, outlet, at).map(headline), rejected: {} })),
  }))
  const index: NewsSource = {
    name: indexName,
    read: (topics) =>
      Effect.map(
        now,
        (at) => ({ rows: searchIndex(archive, topics, at).map(headline), rejected: {} }),
      ),
  }
  return Layer.succeed(NewsSources, [...feeds, index])
}

/** The content of an outlet's feed at `at`. */
export function feedOf(archive: Published, outlet: Outlet, at: EpochMs): ReadonlyArray<Article> {
  return archive.published(outlet, { from: at - feedMs, to: at }).slice(0, feedRowsMax)
}

/** Articles whose title contains every word of a topic. Their source is the outlet's host. */
export function searchIndex(
  archive: Published,
  topics: ReadonlyArray<ReadonlyArray<string>>,
  at: EpochMs,
): ReadonlyArray<Article> {
  const searched = topics.slice(0, topicsMax).filter((words) => words.length > 0)
    .map((words) => words.map((word) => word.toLowerCase()))
  const range = { from: at - feedMs, to: at }
  return outlets
    .flatMap((outlet) =>
      archive.published(outlet, range).map((row) => ({ ...row, source: outlet.host }))
    )
    .filter(({ title }) => {
      const lower = title.toLowerCase()
      return searched.some((words) => words.every((word) => lower.includes(word)))
    })
    .sort((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
    .slice(0, indexRowsMax)
}

export function makeNewsArchive(world: World): NewsArchive {
  const cached = makeMemo<ReadonlyArray<Story>>(marketCacheSize(world.catalogue.slots))
  const storiesOf = (market: SimulatedMarket): ReadonlyArray<Story> =>
    cached(market.number, () => storiesAbout(world, market))
  function* marketsIn({ from, to }: Range): Generator<SimulatedMarket> {
    for (let slot = 0; slot < world.catalogue.slots; slot++) {
      let market = world.catalogue.at(slot, to)
      while (market.kind !== "mechanical" && market.resolvedAt + storiesAfterMs > from) {
        yield market
        market = world.catalogue.generation(slot, market.generation - 1)
      }
    }
  }
  return {
    prepare: function* (range) {
      for (const market of marketsIn(range)) {
        storiesOf(market)
        yield
      }
    },
    published: (outlet, range) => {
      const rows = [...noiseOf(world, outlet, range)]
      for (const market of marketsIn(range)) {
        for (const [n, story] of storiesOf(market).entries()) {
          const row = articleOf(outlet, market, story, n, range)
          if (row !== null) rows.push(row)
        }
      }
      return rows.sort((a, b) => b.publishedAt - a.publishedAt || (a.url < b.url ? -1 : 1))
    },
  }
}

/**
 * The story as this outlet publishes it; null if it does not, or not in the range. One outlet is
 * first, others may follow.
 */
function articleOf(
  outlet: Outlet,
  market: SimulatedMarket,
  story: Story,
  nth: number,
  { from, to }: Range,
): Article | null {
  const key = mix(mix(market.key, 96), nth)
  const place = outlets.indexOf(outlet)
  const isFirst = key % outlets.length === place
  const draw = mix(key, place)
  if (!isFirst && uniform(draw) >= 0.35) return null
  const late = isFirst ? 0 : between(mix(draw, 1), 2, 50) * minute
  const publishedAt = story.at + Math.floor(late / second) * second
  if (publishedAt < from || publishedAt > to) return null
  return {
    title: story.title,
    url: urlOf(outlet, story.title, publishedAt, mix(draw, 2)),
    source: outlet.name,
    publishedAt,
    kind: story.kind,
    marketId: market.id,
  }
}

function* noiseOf(
  world: World,
  outlet: Outlet,
  range: Range,
): Generator<Article> {
  const own = mix(mix(world.options.seed, 97), outlets.indexOf(outlet))
  for (let n = Math.floor(range.from / noiseMs); n * noiseMs <= range.to; n++) {
    const key = mix(own, n)
    const at = Math.floor((n + uniform(mix(key, 1))) * noiseMs / second) * second
    if (uniform(key) >= noiseShare || at < range.from || at > range.to) continue
    const title = unrelated(mix(key, 2))
    const url = urlOf(outlet, title, at, mix(key, 3))
    yield { title, url, source: outlet.name, publishedAt: at, kind: "noise", marketId: null }
  }
}

function urlOf({ host }: Outlet, title: string, at: EpochMs, key: number): string {
  const date = isoTime(at).slice(0, 10).replaceAll("-", "/")
  return `https://${host}/${date}/${slugOf(title).slice(0, 80)}-${hex(key, 8)}`
}

/** `misreport` reports the wrong outcome; a `correction` follows it. */
type StoryKind =
  | "preview"
  | "before_jump"
  | "after_jump"
  | "done"
  | "misreport"
  | "correction"
  | "noise"

interface Story {
  readonly at: EpochMs
  readonly title: string
  readonly kind: StoryKind
}

/** Shares of markets and jumps that have a story. */
const shares = { preview: 0.6, jump: 0.6, beforeJump: 0.4, done: 0.8 } as const

/** Every story about a market in its whole life, in any order; mechanical markets have none. */
export function storiesAbout(world: World, market: SimulatedMarket): ReadonlyArray<Story> {
  const { subject } = market
  if (subject === null) return []
  const key = mix(market.key, 95)
  const stories: Array<Story> = []
  const previewAt = wholeSecond(market.revealsAt - between(mix(key, 1), 2, 40) * hour)
  if (uniform(mix(key, 2)) < shares.preview && previewAt > market.opensAt) {
    stories.push({ at: previewAt, title: headlineOf(subject, "preview"), kind: "preview" })
  }
  for (const [n, jump] of world.truth.jumps(market, market.opensAt, market.closesAt).entries()) {
    const draw = mix(mix(key, 3), n)
    if (uniform(draw) >= shares.jump) continue
    const early = uniform(mix(draw, 1)) < shares.beforeJump
    const away = between(mix(draw, 2), 3, 45) * minute
    stories.push({
      at: wholeSecond(Math.max(market.opensAt, jump.at + (early ? -away : away))),
      title: headlineOf(subject, jump.to > jump.from ? "rise" : "fall"),
      kind: early ? "before_jump" : "after_jump",
    })
  }
  return [...stories, ...storiesAtEnd(world, market, subject, mix(key, 4))]
}

/** Stories once the outcome exists. Where a wrong outcome is proposed, the first story is wrong too. */
function storiesAtEnd(
  world: World,
  market: SimulatedMarket,
  subject: Subject,
  key: Key,
): ReadonlyArray<Story> {
  const payout = world.truth.payouts(market)?.[0]
  if (market.end !== "decided" || uniform(key) >= shares.done) return []
  const [first, second] = [headlineOf(subject, "first"), headlineOf(subject, "second")]
  const [right, wrong] = payout === 1 ? [first, second] : [second, first]
  const at = wholeSecond(market.closesAt + between(mix(key, 1), 1, 45) * minute)
  if (!world.truth.firstProposalIsWrong(market)) return [{ at, title: right, kind: "done" }]
  const correctedAt = wholeSecond(at + between(mix(key, 2), 2, 5) * hour)
  return [
    { at, title: wrong, kind: "misreport" },
    { at: correctedAt, title: `Correction: ${right}`, kind: "correction" },
  ]
}

/** The last story about a market is at most this long after its end. */
const storiesAfterMs = day

/** A headline that is about no market. */
function unrelated(key: Key): string {
  return `${wordOf(key, "towns")} ${wordOf(mix(key, 1), "townNews")}`
}

function wholeSecond(ms: number): EpochMs {
  return Math.floor(ms / second) * second
}
