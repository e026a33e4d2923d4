/**
 * One tick: reads the venue's listing and books, and appends movers to the feed.
 *
 * Four stages, each with a time limit: listing, seeding, books, movers. A failed stage is logged,
 * counted and reported; the next ones still run. A bad row, book or history never stops a tick.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Result, Stream } from "effect"
import type { Market } from "../markets/domain/market.ts"
import { screenMarket } from "../markets/domain/quality.ts"
import { day, type EpochMs, minute } from "../core/domain/time.ts"
import { feedRetentionMs } from "../feed/domain/item.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type BookReading, readBooks, seedSeries } from "./midSeries.ts"
import { findMovers, type MoverServices, type MoversFound } from "./findMovers.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

/** Books requested in one tick. */
const booksMax = 5_000
/** Candidates in memory while the listing is read; beyond this the least liquid are dropped. */
const candidatesMax = 2 * booksMax
/** Markets in one call of the store. */
const saveBatch = 1_000
/** Points older than this are deleted. */
const seriesRetentionMs = 9 * day
/** Longer than any feed item about the market is kept. */
const unlistedRetentionMs = 100 * day

const stageLimits = {
  listing: Duration.minutes(4),
  seeding: Duration.minutes(2),
  books: Duration.minutes(2),
  movers: Duration.minutes(1),
} as const
type Stage = keyof typeof stageLimits

/** The counts of one tick. */
interface TickReport {
  readonly slot: EpochMs
  readonly markets: number
  readonly candidates: number
  readonly seeded: number
  readonly books: number
  readonly movers: ReadonlyArray<string>
  /** Rejected listing rows, markets and moves, by reason; a market has one move per window. */
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

/** Whether the feed is current after this tick. Seeding may fail: the next tick tries it again. */
export function isGoodTick(report: TickReport): boolean {
  return report.failed.every((stage) => stage === "seeding")
}

export class Ingestion extends Context.Service<Ingestion, {
  /** Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<TickReport>
  /**
   * Deletes points older than 9 days, feed items older than 90 days, and markets that the venue has
   * not listed for 100 days.
   */
  readonly prune: Effect.Effect<void>
}>()("bellwether/movers/Ingestion") {
  static readonly layer = (options: { readonly tick: Duration.Duration }) =>
    Layer.effect(
      Ingestion,
      Effect.gen(function* () {
        const services = {
          venue: yield* VenueClient,
          markets: yield* MarketStore,
          feed: yield* FeedStore,
        }
        const tickIntervalMs = Math.max(Duration.toMillis(options.tick), minute)
        return Ingestion.of({
          tick: (slot) => tick(services, tickIntervalMs, slot),
          prune: Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            yield* services.markets.prune(now - seriesRetentionMs)
            yield* services.feed.prune(now - feedRetentionMs)
            yield* services.markets.pruneUnlisted(now - unlistedRetentionMs)
          }),
        })
      }),
    )
}

const tick = Effect.fn("Ingestion.tick")(function* (
  services: MoverServices,
  tickIntervalMs: number,
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const failed: Array<Stage> = []
  const rejected: Record<string, number> = {}
  const stage = stages("Tick", stageLimits, stageFailures, failed)

  const listing: Listing = { markets: 0, candidates: [] }
  yield* stage("listing", list(services, slot, listing, rejected), undefined)
  const candidates = mostLiquid(listing.candidates, rejected)
  const seeded = yield* stage("seeding", seedSeries(services, candidates, slot, tickIntervalMs), 0)
  const readings: Array<BookReading> = []
  yield* stage("books", readBooks(services, candidates, slot, readings, rejected), undefined)
  const none: MoversFound = { items: [], rejected: {} }
  const found = yield* stage("movers", findMovers(services, readings, slot, tickIntervalMs), none)
  tally(rejected, found.rejected)

  const report: TickReport = {
    slot,
    markets: listing.markets,
    candidates: candidates.length,
    seeded,
    books: readings.filter(({ book }) => book !== null).length,
    movers: found.items.map((item) => item.title),
    rejected,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

/** The listing so far. It is mutated in place, so that an interrupted read keeps its markets. */
interface Listing {
  markets: number
  candidates: Array<Market>
}

const list = Effect.fnUntraced(function* (
  { venue, markets }: MoverServices,
  slot: EpochMs,
  listing: Listing,
  rejected: Record<string, number>,
) {
  let unsaved: Array<Market> = []
  const save = Effect.suspend(() => {
    const batch = unsaved
    unsaved = []
    return batch.length === 0 ? Effect.void : markets.save(batch, slot)
  })
  const read = yield* venue.listMarkets.pipe(
    Stream.runForEach((page) => {
      tally(rejected, page.rejected)
      listing.markets += page.rows.length
      for (const market of page.rows) {
        unsaved.push(market)
        const screened = screenMarket(market)
        if (Result.isSuccess(screened)) listing.candidates.push(market)
        else tally(rejected, { [screened.failure]: 1 })
      }
      if (listing.candidates.length > candidatesMax) {
        listing.candidates = mostLiquid(listing.candidates, rejected)
      }
      return unsaved.length >= saveBatch ? save : Effect.void
    }),
    Effect.result,
  )
  yield* save
  return yield* Effect.fromResult(read)
})

/** The most liquid candidates, at most `booksMax`, each market once. */
function mostLiquid(
  candidates: ReadonlyArray<Market>,
  rejected: Record<string, number>,
): Array<Market> {
  const unique = [...new Map(candidates.map((market) => [market.id, market])).values()]
  if (unique.length > booksMax) tally(rejected, { over_budget: unique.length - booksMax })
  return unique.sort((a, b) => b.liquidityUsd - a.liquidityUsd).slice(0, booksMax)
}

const stageFailures = Metric.counter("tick_stage_failures_total", {
  description: "Failed stages of ticks that read the venue, by stage",
  incremental: true,
})
const rejections = Metric.counter("tick_rejections_total", {
  description: "Listing rows, markets and moves that were rejected, by reason",
  incremental: true,
})
const moversEmitted = Metric.counter("movers_total", {
  description: "Movers that were published",
  incremental: true,
})
const tickSeconds = Metric.gauge("tick_seconds", {
  description: "Duration of the last tick that read the venue",
})
const marketsListed = Metric.gauge("markets_listed", {
  description: "Markets in the listing of the last tick",
})
const booksRead = Metric.gauge("books_read", {
  description: "Order books that the last tick read",
})

const measure = (report: TickReport) =>
  Effect.all([
    Metric.update(tickSeconds, report.seconds),
    Metric.update(marketsListed, report.markets),
    Metric.update(booksRead, report.books),
    Metric.update(moversEmitted, report.movers.length),
    ...Object.entries(report.rejected).map(([reason, count]) =>
      Metric.update(rejections.pipe(Metric.withAttributes({ reason })), count)
    ),
  ])
