/**
 * One tick: the venue's listing in, movers out.
 *
 * Four stages, each with its time limit: listing, seeding, books, movers. A stage that fails is
 * reported and counted; the next ones work with what there is. A market's bad row, book or history
 * never stops a tick.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Result, Stream } from "effect"
import type { Market } from "../markets/domain/market.ts"
import { screenMarket } from "../markets/domain/quality.ts"
import { day, type EpochMs, minute } from "../core/domain/time.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type BookReading, readBooks, seed } from "./MidSeries.ts"
import { findMovers, type MoverServices, type MoversFound } from "./Movers.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

/** Books asked for in one tick. */
const booksMax = 5_000
/** Candidates held during a sweep; beyond it the least liquid go. */
const candidatesMax = 2 * booksMax
/** Markets handed to the store at once. */
const saveBatch = 1_000
/** Points and feed items older than these are forgotten. */
const seriesKept = 9 * day
const feedKept = 90 * day

const stageLimits = {
  listing: Duration.minutes(4),
  seeding: Duration.minutes(2),
  books: Duration.minutes(2),
  movers: Duration.minutes(1),
} as const
type Stage = keyof typeof stageLimits

/** What one tick saw and did. */
export interface TickReport {
  readonly slot: EpochMs
  readonly markets: number
  readonly candidates: number
  readonly seeded: number
  readonly books: number
  readonly movers: ReadonlyArray<string>
  /** Listing rows, markets and moves that went no further, by reason; a market has two moves. */
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

/** Whether the feed is up to date with this tick: only histories may be had later. */
export function isGood(report: TickReport): boolean {
  return report.failed.every((stage) => stage === "seeding")
}

export class Ingestion extends Context.Service<Ingestion, {
  /** Reads the venue once. Never fails: what went wrong is in the report. */
  readonly tick: (slot: EpochMs) => Effect.Effect<TickReport>
  /** Forgets what is older than its keep: points 9 days, items 90 days. */
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
        const resolution = Math.max(Duration.toMillis(options.tick), minute)
        return Ingestion.of({
          tick: (slot) => tick(services, resolution, slot),
          prune: Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            yield* services.markets.prune(now - seriesKept)
            yield* services.feed.prune(now - feedKept)
          }),
        })
      }),
    )
}

const tick = Effect.fn("Ingestion.tick")(function* (
  services: MoverServices,
  resolution: number,
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const failed: Array<Stage> = []
  const rejected: Record<string, number> = {}
  const stage = stages("Tick", stageLimits, stageFailures, failed)

  const listing: Listing = { markets: 0, candidates: [] }
  yield* stage("listing", list(services, slot, listing, rejected), undefined)
  const candidates = mostLiquid(listing.candidates, rejected)
  const seeded = yield* stage("seeding", seed(services, candidates, slot, resolution), 0)
  const readings: Array<BookReading> = []
  yield* stage("books", readBooks(services, candidates, slot, readings, rejected), undefined)
  const nothing: MoversFound = { items: [], rejected: {} }
  const found = yield* stage("movers", findMovers(services, readings, slot, resolution), nothing)
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

/** What the listing gave so far; it grows in place, so that a sweep cut short keeps what it has. */
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
  const sweep = yield* venue.listMarkets.pipe(
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
  return yield* Effect.fromResult(sweep)
})

/** The most liquid candidates there are books for, each market once. */
function mostLiquid(
  candidates: ReadonlyArray<Market>,
  rejected: Record<string, number>,
): Array<Market> {
  const unique = [...new Map(candidates.map((market) => [market.id, market])).values()]
  if (unique.length > booksMax) tally(rejected, { over_budget: unique.length - booksMax })
  return unique.sort((a, b) => b.liquidityUsd - a.liquidityUsd).slice(0, booksMax)
}

const stageFailures = Metric.counter("tick_stage_failures_total", { incremental: true })
const rejections = Metric.counter("tick_rejections_total", { incremental: true })
const moversEmitted = Metric.counter("movers_total", { incremental: true })
const tickSeconds = Metric.gauge("tick_seconds")
const marketsListed = Metric.gauge("markets_listed")
const booksRead = Metric.gauge("books_read")

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
