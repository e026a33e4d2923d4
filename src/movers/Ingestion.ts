/**
 * One tick: reads the venue's listing and books, and appends movers to the feed.
 *
 * Four stages, each with a time limit: listing, seeding, books, movers. A failed stage is logged,
 * counted and reported; the next ones still run. A bad row, book or history never stops a tick.
 *
 * Each market has a series of mid prices: seeded once from the venue's history, then one point a tick.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Result, Stream } from "effect"
import {
  type BookFault,
  type Microstructure,
  microstructure,
  type OrderBook,
} from "../markets/domain/book.ts"
import {
  type Market,
  type PricePoint,
  type SeriesPoint,
  slugKey,
} from "../markets/domain/market.ts"
import { isNarrow, screenMarket } from "../markets/domain/quality.ts"
import { tickJob } from "../core/domain/freshness.ts"
import { day, type EpochMs, hour, minute, second } from "../core/domain/time.ts"
import { feedRetentionMs, type MoveWindow } from "../feed/domain/item.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import {
  confirmMove,
  emittedMove,
  type Judgement,
  judgeMove,
  type MarketMove,
  moverItem,
  type MoverRejection,
  pointsRange,
  screenMove,
  selectMovers,
  startRange,
  tradedUsdBeyondHalf,
} from "./domain/gates.ts"
import { runTick, tally, type TickReport } from "../core/stages.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
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

/** The ports of a tick. */
interface Services {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
}

/** A candidate and its order book. */
interface BookReading {
  readonly market: Market
  /** Null when the venue returned no book. */
  readonly book: Result.Result<Microstructure, BookFault> | null
}

/** The counts of one tick. `rejected` has each market's rejected moves too, one per window. */
interface IngestionReport extends TickReport<Stage> {
  readonly markets: number
  readonly candidates: number
  readonly seeded: number
  readonly books: number
}

/** Whether the feed is current after this tick. Seeding may fail: the next tick tries it again. */
export function isGoodTick(report: IngestionReport): boolean {
  return report.failed.every((stage) => stage === "seeding")
}

export class Ingestion extends Context.Service<Ingestion, {
  /** Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<IngestionReport>
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

/** The counts so far. They are mutated in place, so that an interrupted stage is counted too. */
const makeProgress = () => ({
  markets: 0,
  candidates: 0,
  seeded: 0,
  books: 0,
  items: Array.of<string>(),
  rejected: {} as Record<string, number>,
})

const tick = Effect.fn("Ingestion.tick")(function* (
  services: Services,
  tickIntervalMs: number,
  slot: EpochMs,
) {
  const progress = makeProgress()
  const { rejected } = progress
  return yield* runTick(
    { name: tickJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      const listed: Array<Market> = []
      yield* stage("listing", list(services, slot, listed, progress), undefined)
      const candidates = mostLiquid(listed, rejected)
      progress.candidates = candidates.length
      const seeding = seedSeries(services, candidates, slot, tickIntervalMs)
      progress.seeded = yield* stage("seeding", seeding, 0)
      const readings: Array<BookReading> = []
      yield* stage("books", readBooks(services, candidates, slot, readings, rejected), undefined)
      progress.books = readings.filter(({ book }) => book !== null).length
      const finding = findMovers(services, readings, slot, tickIntervalMs, rejected)
      const items = yield* stage("movers", finding, [])
      progress.items.push(...items.map(({ title }) => title))
      yield* Metric.update(marketsListed, progress.markets)
    }),
  )
})

/** Saves the listing, and adds its candidates to `candidates`, so that an interrupted read keeps them. */
function list(
  { venue, markets }: Services,
  slot: EpochMs,
  candidates: Array<Market>,
  progress: ReturnType<typeof makeProgress>,
) {
  const { rejected } = progress
  return Effect.gen(function* () {
    let unsaved: Array<Market> = []
    const save = Effect.suspend(() => {
      const batch = unsaved
      unsaved = []
      return batch.length === 0 ? Effect.void : markets.save(batch, slot)
    })
    const read = yield* venue.listMarkets.pipe(
      // The venue sends the next page while this one is read and saved.
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach((page) => {
        tally(rejected, page.rejected)
        progress.markets += page.rows.length
        for (const market of page.rows) {
          unsaved.push(market)
          const screened = screenMarket(market)
          if (Result.isSuccess(screened)) candidates.push(market)
          else tally(rejected, { [screened.failure]: 1 })
        }
        if (candidates.length > candidatesMax) {
          candidates.splice(0, Infinity, ...mostLiquid(candidates, rejected))
        }
        return unsaved.length >= saveBatch ? save : Effect.void
      }),
      Effect.result,
    )
    yield* save
    return yield* Effect.fromResult(read)
  })
}

/** The most liquid candidates, at most `booksMax`, each market once. */
function mostLiquid(
  candidates: ReadonlyArray<Market>,
  rejected: Record<string, number>,
): Array<Market> {
  const unique = [...new Map(candidates.map((market) => [market.id, market])).values()]
  if (unique.length > booksMax) tally(rejected, { over_budget: unique.length - booksMax })
  return unique.sort((a, b) => b.liquidityUsd - a.liquidityUsd).slice(0, booksMax)
}

/** Books per request, and concurrent requests. */
const booksBatches = { size: 500, concurrency: 4 }

/**
 * Reads the books of these markets into `readings`, and adds a point to the series of each market
 * with a valid book. A mid is not stored when its spread is too wide for the movers' gate, so that no
 * move can start from it.
 */
function readBooks(
  { venue, markets }: Services,
  candidates: ReadonlyArray<Market>,
  slot: EpochMs,
  readings: Array<BookReading>,
  rejected: Record<string, number>,
) {
  const save = Effect.fnUntraced(
    function* (books: ReadonlyArray<OrderBook>, batch: ReadonlyArray<Market>) {
      const byToken = new Map(books.map((book) => [book.tokenId, book]))
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
    },
  )
  const request = (batch: ReadonlyArray<Market>) =>
    venue.books(batch.map(({ tokenIds }) => tokenIds[0]))
  return requestInBatches(candidates, rejected, request, save, booksBatches)
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
function seedSeries(
  services: Services,
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
  { venue }: Services,
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

const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

/** Moves that are judged in one tick, with their history; and how many at once. */
const judgedMax = 200
const judgeConcurrency = 8
/** Time for all trade requests of a tick; after it, moves are judged without trades. */
const tradesTimeoutMs = 40 * second

/** Appends the movers of one tick to the feed; returns the new items. Counts what it rejects. */
function findMovers(
  services: Services,
  readings: ReadonlyArray<BookReading>,
  slot: EpochMs,
  tickIntervalMs: number,
  rejected: Record<string, number>,
) {
  return Effect.gen(function* () {
    const reject = (reason: MoverRejection | "over_budget") => tally(rejected, { [reason]: 1 })

    const moves = yield* screen(services, readings, slot, tickIntervalMs, reject)
    const strongest = moves.toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    strongest.slice(judgedMax).forEach(() => reject("over_budget"))
    const chosen = strongest.slice(0, judgedMax)
    const judged = accepted(yield* judge(services, chosen, slot), reject)
    const movers = accepted(yield* confirm(services, judged), reject)
    const selection = selectMovers(movers)
    selection.dropped.forEach(({ reason }) => reject(reason))
    const now = yield* Clock.currentTimeMillis
    return yield* services.feed.append(selection.chosen.map((mover) => moverItem(mover, now)))
  })
}

/** The moves that passed; the others are rejected with their reasons. */
function accepted<M>(
  results: ReadonlyArray<Result.Result<M, MoverRejection>>,
  reject: (reason: MoverRejection) => void,
): ReadonlyArray<M> {
  return results.flatMap((result) => {
    if (Result.isSuccess(result)) return [result.success]
    reject(result.failure)
    return []
  })
}

/** Reasons that apply to one window only; every other reason rejects the market. */
const windowReasons: ReadonlySet<MoverRejection> = new Set(["no_history", "small_move"])

/** Gates 1-4 for both windows, with one query per window for the start points. */
function screen(
  { markets }: Services,
  readings: ReadonlyArray<BookReading>,
  slot: EpochMs,
  tickIntervalMs: number,
  reject: (reason: MoverRejection) => void,
) {
  return Effect.gen(function* () {
    const moves: Array<MarketMove> = []
    const withValidBook = readings.filter(({ book }) => book !== null && Result.isSuccess(book))
    const ids = withValidBook.map(({ market }) => market.id)
    const starts = yield* Effect.forEach(
      windows,
      (window) => markets.lastMids(ids, startRange(window, slot, tickIntervalMs)),
    )
    for (const { market, book } of readings) {
      for (const [n, window] of windows.entries()) {
        const start = starts[n]?.get(market.id)
        const screened = screenMove({ market, book, window, now: slot, tickIntervalMs, start })
        if (Result.isSuccess(screened)) {
          moves.push(screened.success)
          continue
        }
        reject(screened.failure)
        if (!windowReasons.has(screened.failure)) break
      }
    }
    return moves
  })
}

/** Gates 5 and 6 for each move, with its points and the market's recent movers. */
function judge(
  { markets, feed }: Services,
  moves: ReadonlyArray<MarketMove>,
  slot: EpochMs,
) {
  return Effect.gen(function* () {
    if (moves.length === 0) return []
    const published = yield* feed.moversSince(slot - day)
    const judgeOne = Effect.fnUntraced(function* (move: MarketMove) {
      const points = yield* markets.series(move.market.id, pointsRange(move))
      const emitted = published
        .filter((item) => slugKey(item.data.market.slug) === slugKey(move.market.slug))
        .map(emittedMove)
      return judgeMove(move, { points, emitted })
    })
    return yield* Effect.forEach(moves, judgeOne, { concurrency: judgeConcurrency })
  })
}

/** Confirms each move by its trades; the venue may not return them in time. */
function confirm(
  { venue }: Services,
  moves: ReadonlyArray<MarketMove & Judgement>,
) {
  return Effect.gen(function* () {
    const deadline = (yield* Clock.currentTimeMillis) + tradesTimeoutMs
    const confirmOne = Effect.fnUntraced(function* (move: MarketMove & Judgement) {
      const leftMs = deadline - (yield* Clock.currentTimeMillis)
      if (leftMs <= 0) return confirmMove(move, null)
      const tradedUsd = yield* venue.trades(move.market.id, move.startedAt).pipe(
        Effect.map(({ rows }) => tradedUsdBeyondHalf(move, rows)),
        Effect.timeout(leftMs),
        Effect.catchTag(["VenueUnavailable", "TimeoutError"], () => Effect.succeed(null)),
      )
      return confirmMove(move, tradedUsd)
    })
    return yield* Effect.forEach(moves, confirmOne, { concurrency: judgeConcurrency })
  })
}

const marketsListed = Metric.gauge("markets_listed", {
  description: "Markets in the listing of the last tick",
})
