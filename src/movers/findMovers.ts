/**
 * Finds movers among the book readings: loads the input of the gates (`domain/gates.ts`), cheapest
 * first, and appends the movers to the feed.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { FeedItem, MoveWindow } from "../feed/domain/item.ts"
import type { MarketId, SeriesPoint } from "../markets/domain/market.ts"
import type { Mover, PriceMove } from "./domain/priceMove.ts"
import {
  historyRange,
  judgeMove,
  moverItem,
  type MoverRejection,
  screenMove,
  selectMovers,
  startRange,
} from "./domain/gates.ts"
import { emittedMove } from "./domain/novelty.ts"
import { day, type EpochMs, second } from "../core/domain/time.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { BookReading, SeriesServices } from "./midSeries.ts"
import { type Rejections, tally } from "../core/stages.ts"

/** The ports of a tick. */
export interface MoverServices extends SeriesServices {
  readonly feed: FeedStore["Service"]
}

export interface MoversFound {
  readonly items: ReadonlyArray<FeedItem>
  readonly rejected: Rejections
}

const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

/** Moves that are judged in one tick, with their history and trades; and how many at once. */
const judgedMax = 200
const judgeConcurrency = 8
/** Time for all trade requests of a tick; after it, moves are judged without trades. */
const tradesTimeoutMs = 40 * second
/** How many ticks old the previous mid may be. */
const previousTicksMax = 2

export const findMovers = Effect.fnUntraced(function* (
  services: MoverServices,
  readings: ReadonlyArray<BookReading>,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  const rejected: Record<string, number> = {}
  const reject = (reason: MoverRejection | "over_budget") => tally(rejected, { [reason]: 1 })

  const moves = yield* screen(services, readings, slot, tickIntervalMs, reject)
  const strongest = moves.toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
  strongest.slice(judgedMax).forEach(() => reject("over_budget"))
  const chosen = strongest.slice(0, judgedMax)
  const judged = yield* judge(services, chosen, slot, tickIntervalMs)

  const movers: Array<Mover> = []
  for (const result of judged) {
    if (Result.isSuccess(result)) movers.push(result.success)
    else reject(result.failure)
  }
  const selection = selectMovers(movers)
  selection.dropped.forEach(({ reason }) => reject(reason))
  const now = yield* Clock.currentTimeMillis
  const items = yield* services.feed.append(
    selection.chosen.map((mover) => moverItem(mover, now)),
  )
  return { items, rejected } satisfies MoversFound
})

/** Reasons that apply to one window only; every other reason rejects the market. */
const windowReasons: ReadonlySet<MoverRejection> = new Set(["no_history", "small_move"])

/** Gates 1-4 for both windows, with one query per window for the start points. */
const screen = Effect.fnUntraced(function* (
  { markets }: MoverServices,
  readings: ReadonlyArray<BookReading>,
  slot: EpochMs,
  tickIntervalMs: number,
  reject: (reason: MoverRejection) => void,
) {
  const moves: Array<PriceMove> = []
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

/**
 * Gates 5-7 for each move, with its history, its trades and the market's recent movers. Trades can only
 * confirm a move or change its `confirmedBy`, so they are requested only for moves that pass every
 * other gate.
 */
const judge = Effect.fnUntraced(function* (
  { venue, markets, feed }: MoverServices,
  moves: ReadonlyArray<PriceMove>,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  if (moves.length === 0) return []
  const recent = yield* feed.moversSince(slot - day)
  const previous: ReadonlyMap<MarketId, SeriesPoint> = yield* markets.lastMids(
    [...new Set(moves.map(({ market }) => market.id))],
    { notBefore: slot - previousTicksMax * tickIntervalMs, atOrBefore: slot - 1 },
  )
  const tradesDeadline = (yield* Clock.currentTimeMillis) + tradesTimeoutMs
  const judgeOne = Effect.fnUntraced(function* (move: PriceMove) {
    const withoutTrades = {
      history: yield* markets.series(move.market.id, historyRange(move)),
      trades: [],
      previous: previous.get(move.market.id),
      emitted: recent
        .filter((item) => item.data.market.slug === move.market.slug)
        .map(emittedMove),
    }
    const result = judgeMove(move, withoutTrades)
    if (Result.isFailure(result) && result.failure !== "unconfirmed") return result
    const leftMs = tradesDeadline - (yield* Clock.currentTimeMillis)
    if (leftMs <= 0) return result
    // Without trades, the previous tick may still confirm the move.
    const trades = yield* venue.trades(move.market.id, move.startedAt).pipe(
      Effect.map(({ rows }) => rows),
      Effect.timeout(leftMs),
      Effect.catchTag(["VenueUnavailable", "TimeoutError"], () => Effect.succeed([])),
    )
    return judgeMove(move, { ...withoutTrades, trades })
  })
  return yield* Effect.forEach(moves, judgeOne, { concurrency: judgeConcurrency })
})
