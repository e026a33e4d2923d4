/**
 * Each market's own series of mid prices: seeded once from the venue's history, then one point a tick.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { type BookFault, type Microstructure, microstructure } from "../markets/domain/book.ts"
import type { Market, PricePoint, SeriesPoint } from "../markets/domain/market.ts"
import { isNarrow } from "../markets/domain/quality.ts"
import { day, type EpochMs, hour } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"

/** The ports for the series. */
export interface SeriesServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
}

/** A candidate and its order book. */
export interface BookReading {
  readonly market: Market
  /** Null when the venue returned no book. */
  readonly book: Result.Result<Microstructure, BookFault> | null
}

/** Books per request, and concurrent requests. */
const booksBatch = 500
const booksConcurrency = 4

/**
 * Reads the books of these markets into `readings`, and adds a point to the series of each market
 * with a valid book. A mid is not stored when its spread is too wide for the movers' gate, so that no
 * move can start from it.
 *
 * A batch that is not available is counted and does not stop the others; the effect fails with its
 * error after all batches.
 */
export function readBooks(
  { venue, markets }: SeriesServices,
  candidates: ReadonlyArray<Market>,
  slot: EpochMs,
  readings: Array<BookReading>,
  rejected: Record<string, number>,
) {
  return Effect.gen(function* () {
    const batches = Array.from(
      { length: Math.ceil(candidates.length / booksBatch) },
      (_, i) => candidates.slice(i * booksBatch, (i + 1) * booksBatch),
    )
    const failures: Array<VenueUnavailable> = []
    const read = Effect.fnUntraced(function* (batch: ReadonlyArray<Market>) {
      const answer = yield* Effect.result(venue.books(batch.map((market) => market.tokenIds[0])))
      if (Result.isFailure(answer)) {
        failures.push(answer.failure)
        return tally(rejected, { unavailable: batch.length })
      }
      const books = answer.success
      tally(rejected, books.rejected)
      const byToken = new Map(books.rows.map((book) => [book.tokenId, book]))
      const found = batch.map((market): BookReading => {
        const book = byToken.get(market.tokenIds[0])
        return { market, book: book === undefined ? null : microstructure(book) }
      })
      yield* markets.appendMids(
        found.flatMap(({ market, book }) =>
          book !== null && Result.isSuccess(book) && isNarrow(book.success)
            ? [{ marketId: market.id, at: slot, mid: book.success.mid }]
            : []
        ),
      )
      readings.push(...found)
    })
    yield* Effect.forEach(batches, read, { concurrency: booksConcurrency, discard: true })
    const [failure] = failures
    if (failure !== undefined) return yield* failure
  })
}

/** Markets seeded in one tick, and histories read at once. */
const seedsMax = 1_000
const seedConcurrency = 8
/** How far back a series is seeded: with one point per hour, and with one point per tick. */
const seedMs = 9 * day
const seedFineMs = 25 * hour

/**
 * Seeds the series of markets that were never seeded, most liquid first, so that a new store has
 * movers before its first day has passed. A market without an available history is tried again at the
 * next tick. Returns how many were seeded.
 */
export function seedSeries(
  services: SeriesServices,
  candidates: ReadonlyArray<Market>,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  return Effect.gen(function* () {
    const { markets } = services
    const unseeded = new Set(yield* markets.unseeded(candidates.map((market) => market.id)))
    const chosen = candidates.filter((market) => unseeded.has(market.id)).slice(0, seedsMax)
    const seeded = yield* Effect.forEach(
      chosen,
      (market) =>
        history(services, market, slot, tickIntervalMs).pipe(
          Effect.flatMap((points) =>
            markets.appendMids(points.map((point) => ({ marketId: market.id, ...point })))
          ),
          Effect.andThen(markets.markSeeded([market.id], slot)),
          Effect.as(true),
          Effect.catchTag("VenueUnavailable", () => Effect.succeed(false)),
        ),
      { concurrency: seedConcurrency },
    )
    return seeded.filter((done) => done).length
  })
}

/** The last day with one point per tick, the days before with one per hour; all before `slot`. */
function history(
  { venue }: SeriesServices,
  market: Market,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  return Effect.gen(function* () {
    const token = market.tokenIds[0]
    const fineFrom = slot - seedFineMs
    const coarse = yield* venue.priceHistory(token, {
      from: slot - seedMs,
      to: fineFrom,
      stepMs: hour,
    })
    const fine = yield* venue.priceHistory(token, {
      from: fineFrom,
      to: slot - 1,
      stepMs: tickIntervalMs,
    })
    return [...lastPerStep(coarse, hour), ...lastPerStep(fine, tickIntervalMs)].filter(({ at }) =>
      at < slot
    )
  })
}

/** The last point of each step, ascending. Prices outside (0, 1) are dropped. */
function lastPerStep(
  points: ReadonlyArray<PricePoint>,
  stepMs: number,
): ReadonlyArray<SeriesPoint> {
  const ofStep = new Map<number, SeriesPoint>()
  for (const { at, price } of points) {
    const step = Math.floor(at / stepMs)
    const last = ofStep.get(step)
    if (price > 0 && price < 1 && (last === undefined || at >= last.at)) {
      ofStep.set(step, { at, mid: price })
    }
  }
  return [...ofStep.values()].sort((a, b) => a.at - b.at)
}
