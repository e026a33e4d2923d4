/**
 * In-memory ports for the products: markets, a venue, news and calibrated wallets. A test can change
 * them while they are in use.
 *
 * @module
 */
import { clauseOf } from "../../src/markets/domain/clause.ts"
import { Clock, Effect, Layer, Option, Ref } from "effect"
import type { OrderBook } from "../../src/markets/domain/book.ts"
import {
  type Market,
  MarketId,
  type PricePoint,
  type SeriesPoint,
  Slug,
  slugKey,
  TokenId,
} from "../../src/markets/domain/market.ts"
import { type EpochMs, hour } from "../../src/core/domain/time.ts"
import type { Proposal } from "../../src/markets/domain/proposal.ts"
import type { WalletSums } from "../../src/whales/domain/score.ts"
import { noForecasts } from "../../src/track-record/domain/forecasts.ts"
import type { ScoredEntry } from "../../src/track-record/domain/entryScore.ts"
import { type VerdictCounts } from "../../src/track-record/domain/selfScore.ts"
import type { MoveTotals } from "../../src/track-record/domain/moverDrift.ts"
import type { TrackedWallet } from "../../src/whales/domain/tracking.ts"
import type { CalibratedWhale, WhaleRow } from "../../src/whales/domain/whale.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { News } from "../../src/news/News.ts"
import type { Headline } from "../../src/news/domain/headline.ts"
import { runParts } from "./runParts.ts"
import { storiesInParts } from "../../src/news/domain/stories.ts"
import { VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { CalibrationStore } from "../../src/whales/CalibrationStore.ts"
import { EntryStore } from "../../src/whales/EntryStore.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { market } from "./movers/market.ts"
import type { OpenEntry } from "../../src/whales/domain/storedEntry.ts"
import { resolvingCandidates } from "./markets/resolvingCandidates.ts"

/** The same stories for every market, none of them read. */
interface StoredNews {
  readonly headlines: ReadonlyArray<Headline>
  readonly coverage: { sources: number; answered: number }
}

export interface ProductPorts {
  readonly markets: Ref.Ref<ReadonlyArray<Market>>
  /** One series for every market. */
  readonly series: Ref.Ref<ReadonlyArray<SeriesPoint>>
  readonly books: Ref.Ref<ReadonlyArray<OrderBook>>
  /** What the venue answers to a lookup by slug. */
  readonly listed: Ref.Ref<ReadonlyArray<Market>>
  readonly history: Ref.Ref<ReadonlyArray<PricePoint>>
  /** False: every venue request fails. */
  readonly venueUp: Ref.Ref<boolean>
  readonly latencyMs: Ref.Ref<number>
  /** How many requests the venue has received. */
  readonly venueRequests: Ref.Ref<number>
  /** The same for every market. */
  readonly entries: Ref.Ref<ReadonlyArray<OpenEntry>>
  readonly news: Ref.Ref<StoredNews>
  /** False: the news cannot be read. */
  readonly newsUp: Ref.Ref<boolean>
  /** How long a search of the news takes. */
  readonly newsSeconds: Ref.Ref<number>
  readonly proposals: Ref.Ref<ReadonlyArray<Proposal>>
  readonly whales: Ref.Ref<ReadonlyArray<CalibratedWhale>>
  /** The verdicts on the feed's own items. */
  readonly verdicts: Ref.Ref<VerdictCounts>
  /** Of published whale entries, by label and by wallet. */
  readonly published: Ref.Ref<ReadonlyArray<ScoredEntry>>
  readonly moves: Ref.Ref<ReadonlyArray<MoveTotals>>
  readonly tracked: Ref.Ref<ReadonlyArray<TrackedWallet>>
  readonly walletRecords: Ref.Ref<ReadonlyArray<WalletSums>>
  /** False: the wallet stores cannot be read. */
  readonly whalesUp: Ref.Ref<boolean>
  /** Entries are read only for a report, after its payment. When they are down, they answer after `latencyMs`. */
  readonly entriesUp: Ref.Ref<boolean>
  /** How often the calibrated wallets were read. */
  readonly whalesRead: Ref.Ref<number>
  /** When every job except the tick last ended well. */
  readonly jobsOkAt: Ref.Ref<number | null>
}

/** The counts before the first item. */
export const noVerdicts: VerdictCounts = {
  mover_1h: {},
  mover_6h: {},
  mover_24h: {},
  predetermined: {},
  contested: {},
  contestedMeanPrice: null,
}

export const makeProductPorts = Effect.gen(function* () {
  const ports: ProductPorts = {
    markets: yield* Ref.make<ReadonlyArray<Market>>([]),
    series: yield* Ref.make<ReadonlyArray<SeriesPoint>>([]),
    books: yield* Ref.make<ReadonlyArray<OrderBook>>([]),
    listed: yield* Ref.make<ReadonlyArray<Market>>([]),
    history: yield* Ref.make<ReadonlyArray<PricePoint>>([]),
    venueUp: yield* Ref.make(true),
    latencyMs: yield* Ref.make(0),
    venueRequests: yield* Ref.make(0),
    entries: yield* Ref.make<ReadonlyArray<OpenEntry>>([]),
    news: yield* Ref.make<StoredNews>({ headlines: [], coverage: silence }),
    newsUp: yield* Ref.make(true),
    newsSeconds: yield* Ref.make(0),
    proposals: yield* Ref.make<ReadonlyArray<Proposal>>([]),
    whales: yield* Ref.make<ReadonlyArray<CalibratedWhale>>([]),
    verdicts: yield* Ref.make(noVerdicts),
    published: yield* Ref.make<ReadonlyArray<ScoredEntry>>([]),
    moves: yield* Ref.make<ReadonlyArray<MoveTotals>>([]),
    tracked: yield* Ref.make<ReadonlyArray<TrackedWallet>>([]),
    walletRecords: yield* Ref.make<ReadonlyArray<WalletSums>>([]),
    whalesUp: yield* Ref.make(true),
    entriesUp: yield* Ref.make(true),
    whalesRead: yield* Ref.make(0),
    jobsOkAt: yield* Ref.make<number | null>(yield* Clock.currentTimeMillis),
  }
  return ports
})

const silence = { sources: 0, answered: 0 }

/** The n-th market: it ends `n` hours after `now`. */
export function endingMarket(n: number, now: number, fields: Partial<Market> = {}): Market {
  return market({
    id: MarketId.make(`m${n}`),
    slug: Slug.make(`market-${n}`),
    eventSlug: `event-${n}`,
    tokenIds: [TokenId.make(`yes-${n}`), TokenId.make(`no-${n}`)],
    endsAt: now + n * hour,
    ...fields,
  })
}

/** A valid, deep book of a market's first outcome, one cent wide around `mid`. */
export function bookOf({ tokenIds: [tokenId] }: Market, now: number, mid = 0.6): OrderBook {
  return {
    tokenId,
    bids: [{ price: mid - 0.005, size: 10_000 }],
    asks: [{ price: mid + 0.005, size: 10_000 }],
    observedAt: now,
  }
}

/** A price for each of the last `hours` hours, from `from` to `to` in even steps. */
export function pricesOver(
  hours: number,
  now: number,
  { from, to }: { readonly from: number; readonly to: number },
): ReadonlyArray<SeriesPoint> {
  return Array.from({ length: hours }, (_, n) => ({
    at: now - (hours - 1 - n) * hour,
    mid: from + (to - from) * n / Math.max(1, hours - 1),
  }))
}

export const whaleRow = (fields: Partial<WhaleRow> = {}): WhaleRow => ({
  pseudonym: "Some Wallet",
  wallet: "0x00000000000000000000000000000000000000f1",
  resolved: 84,
  winRate: 0.64,
  fadeRoi: -0.22,
  label: "neutral",
  source: "volume",
  marketMaker: false,
  events: 70,
  winRateLow: 0.53,
  winRateHigh: 0.73,
  mirrorRoi: 0.18,
  mirrorRoiLow: 0.02,
  mirrorRoiHigh: 0.34,
  fadeRoiLow: -0.4,
  fadeRoiHigh: -0.04,
  effectiveEntries: 31,
  meanEntryPrice: 0.52,
  edge: 0.12,
  edgeLow: 0.02,
  edgeHigh: 0.21,
  stakeUsd: 410_000,
  openEntries: 7,
  oddsBands: [],
  sweeps: { entries: 0, stakeUsd: 0, meanEntryPrice: null, winRate: null, followRoi: null },
  ...fields,
})

/** Every input was read in full just now. */
export const alwaysFresh = Layer.succeed(Freshness, {
  asOf: () => Clock.currentTimeMillis,
  fresh: () => Clock.currentTimeMillis,
})

const marketStore = ({ markets, series }: ProductPorts) =>
  Layer.mock(MarketStore, {
    save: (found) => Ref.update(markets, (all) => [...all, ...found]),
    bySlug: (slug) =>
      Effect.map(
        Ref.get(markets),
        (all) => Option.fromUndefinedOr(all.find((row) => slugKey(row.slug) === slugKey(slug))),
      ),
    byIds: (ids) =>
      Effect.map(
        Ref.get(markets),
        (all) => new Map(all.filter(({ id }) => ids.includes(id)).map((row) => [row.id, row])),
      ),
    liveOfEvent: (slug, limit) =>
      Effect.map(
        Ref.get(markets),
        (all) =>
          all
            .filter(({ eventSlug, status }) =>
              slugKey(eventSlug) === slugKey(slug) && (status === "open" || status === "proposed")
            )
            .slice(0, limit),
      ),
    resolvingCandidates: (query, now) =>
      Effect.map(Ref.get(markets), (all) => resolvingCandidates(all, query, now)),
    mostLiquid: (limit) =>
      Effect.map(
        Ref.get(markets),
        (all) => all.toSorted((a, b) => b.liquidityUsd - a.liquidityUsd).slice(0, limit),
      ),
    count: Effect.map(Ref.get(markets), (all) => all.length),
    watched: () => Effect.map(Ref.get(markets), (all) => all.length),
    lastMids: (ids, { notBefore, atOrBefore }) =>
      Effect.map(Ref.get(series), (points) => {
        const last = points.filter(({ at }) => notBefore <= at && at <= atOrBefore).at(-1)
        return new Map(last === undefined ? [] : ids.map((id) => [id, last]))
      }),
    series: (_, { from, to }) =>
      Effect.map(Ref.get(series), (points) => points.filter(({ at }) => from <= at && at <= to)),
  })

const venue = (
  { books, listed, history, proposals, venueUp, latencyMs, venueRequests }: ProductPorts,
) => {
  const answer = <A>(operation: string, rows: Ref.Ref<A>) =>
    Effect.gen(function* () {
      yield* Ref.update(venueRequests, (count) => count + 1)
      yield* Effect.sleep(yield* Ref.get(latencyMs))
      if (!(yield* Ref.get(venueUp))) {
        return yield* new VenueUnavailable({ operation, reason: "down" })
      }
      return yield* Ref.get(rows)
    })
  return Layer.mock(VenueClient, {
    bySlug: (slug) =>
      Effect.map(answer("bySlug", listed), (all) => {
        const own = all.filter((market) => market.slug === slug)
        const rows = own.length > 0 ? own : all.filter(({ eventSlug }) => eventSlug === slug)
        return { rows, rejected: {} }
      }),
    books: (tokenIds) =>
      Effect.map(answer("books", books), (all) => ({
        rows: all.filter(({ tokenId }) => tokenIds.includes(tokenId)),
        rejected: {},
      })),
    priceHistory: (_, { from, to }) =>
      Effect.map(
        answer("priceHistory", history),
        (all) => all.filter(({ at }) => from <= at && at <= to),
      ),
    proposals: () => Effect.map(answer("proposals", proposals), (rows) => ({ rows, rejected: {} })),
    rules: () => Effect.succeed({ rows: [], rejected: {} }),
    wallets: null,
  })
}

const whaleStores = (
  { whales, entries, tracked, walletRecords, whalesUp, whalesRead, ...ports }: ProductPorts,
) => {
  const readIfUp = <A>(rows: Ref.Ref<A>) =>
    Effect.flatMap(
      Ref.get(whalesUp),
      (up) => up ? Ref.get(rows) : Effect.die("the whale stores are down"),
    )
  return Layer.mergeAll(
    Layer.mock(CalibrationStore, {
      calibrationVersion: Effect.map(readIfUp(whales), (rows) => JSON.stringify(rows)),
      calibrated: Effect.tap(readIfUp(whales), () => Ref.update(whalesRead, (count) => count + 1)),
      counted: Effect.map(
        readIfUp(walletRecords),
        (all) =>
          new Map(all.map((sums, n) => [`0x${n}`, { sums, evidence: { follow: 1, fade: 1 } }])),
      ),
    }),
    Layer.mock(WalletStore, { tracked: readIfUp(tracked) }),
    Layer.mock(EntryStore, {
      entriesIn: Effect.fnUntraced(function* (_, limit) {
        if (!(yield* Ref.get(ports.entriesUp))) {
          yield* Effect.sleep(yield* Ref.get(ports.latencyMs))
          return yield* Effect.die("the entries are down")
        }
        return (yield* readIfUp(entries)).slice(0, limit)
      }),
    }),
  )
}

const newsOf = ({ news, newsUp, newsSeconds }: ProductPorts) => {
  const found = Effect.gen(function* () {
    const seconds = yield* Ref.get(newsSeconds)
    if (seconds > 0) yield* Effect.sleep(`${seconds} seconds`)
    if (!(yield* Ref.get(newsUp))) return yield* Effect.die("the news store is down")
    return yield* Ref.get(news)
  })
  return Layer.mock(News, {
    clause: (question, rules) => Effect.succeed(clauseOf(question, rules)),
    storiesAbout: (subjects) =>
      Effect.map(found, ({ headlines, coverage }) => ({
        stories: subjects.map(() =>
          runParts(storiesInParts(headlines)).map((story) => ({
            ...story,
            reading: null,
          }))
        ),
        coverage,
      })),
  })
}

const scoreStore = ({ verdicts, moves, published }: ProductPorts) =>
  Layer.mock(ScoreStore, {
    counts: Ref.get(verdicts),
    outcomes: () => Effect.succeed([]),
    forecastTotals: Effect.succeed({ resolution: noForecasts, price: noForecasts }),
    addForecasts: () => Effect.void,
    moveTotals: Ref.get(moves),
    entries: Ref.get(published),
    version: Effect.zipWith(
      Ref.get(verdicts),
      Ref.get(published),
      (...parts) => JSON.stringify(parts),
    ),
  })

/** The ports that the products use. */
export const productPortsLayer = (ports: ProductPorts) =>
  Layer.mergeAll(
    marketStore(ports),
    venue(ports),
    whaleStores(ports),
    scoreStore(ports),
    newsOf(ports),
  )

/** Fills the ports so that every route has something to sell: these markets, with their books. */
export const stock = Effect.fnUntraced(function* (
  { markets, books, series, whales }: ProductPorts,
  now: EpochMs,
  sold: ReadonlyArray<Market> = [endingMarket(1, now)],
  booked: ReadonlyArray<Market> = sold,
) {
  yield* Ref.set(markets, sold)
  yield* Ref.set(books, booked.map((market) => bookOf(market, now)))
  yield* Ref.set(series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
})
