/**
 * Finds movers among the book readings: loads the input of the gates (`domain/gates.ts`), cheapest
 * first, and appends the movers to the feed.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { MoveWindow } from "../feed/domain/item.ts"
import { type Market, slugKey } from "../markets/domain/market.ts"
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
import { day, type EpochMs, second } from "../core/domain/time.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { BookFault, Microstructure } from "../markets/domain/book.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import { tally } from "../core/stages.ts"

/** The ports of a tick. */
export interface MoverServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
}

/** A candidate and its order book. */
export interface BookReading {
  readonly market: Market
  /** Null when the venue returned no book. */
  readonly book: Result.Result<Microstructure, BookFault> | null
}

const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

/** Moves that are judged in one tick, with their history; and how many at once. */
const judgedMax = 200
const judgeConcurrency = 8
/** Time for all trade requests of a tick; after it, moves are judged without trades. */
const tradesTimeoutMs = 40 * second

/** Appends the movers of one tick to the feed; returns the new items. Counts what it rejects. */
export function findMovers(
  services: MoverServices,
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
  { markets }: MoverServices,
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
  { markets, feed }: MoverServices,
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
  { venue }: MoverServices,
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
