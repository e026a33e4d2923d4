/**
 * From book readings to movers in the feed: the pure rule of `domain/gates.ts`, given what it asks
 * for, cheapest first.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { FeedItem, MoveWindow } from "../feed/domain/item.ts"
import type { MarketId, SeriesPoint } from "../markets/domain/market.ts"
import type { Move, Mover } from "./domain/move.ts"
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
import type { BookReading, SeriesServices } from "./MidSeries.ts"
import { type Rejections, tally } from "../core/stages.ts"

/** The ports a tick works through. */
export interface MoverServices extends SeriesServices {
  readonly feed: FeedStore["Service"]
}

export interface MoversFound {
  readonly items: ReadonlyArray<FeedItem>
  readonly rejected: Rejections
}

const windows: ReadonlyArray<MoveWindow> = ["1h", "24h"]

/** Moves whose history and trades are loaded in one tick, and how many at once. */
const judgedMax = 200
const judgeConcurrency = 8
/** How long the venue may take over all trades of a tick; moves after it are judged without. */
const tapeMs = 40 * second
/** How many ticks back the tick before this one may lie. */
const previousTicks = 2

/** Finds this tick's movers among the readings and puts them into the feed. */
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
  for (const verdict of judged) {
    if (Result.isSuccess(verdict)) movers.push(verdict.success)
    else reject(verdict.failure)
  }
  const selection = selectMovers(movers)
  selection.dropped.forEach(({ reason }) => reject(reason))
  const now = yield* Clock.currentTimeMillis
  const items = yield* services.feed.append(
    selection.chosen.map((mover) => moverItem(mover, now)),
  )
  return { items, rejected } satisfies MoversFound
})

/** Reasons that hold over one window and may not over the other; all others reject the market. */
const ofWindow: ReadonlySet<MoverRejection> = new Set(["no_history", "small_move"])

/** Gates 1-4 over both windows, with one query a window for the starting points. */
const screen = Effect.fnUntraced(function* (
  { markets }: MoverServices,
  readings: ReadonlyArray<BookReading>,
  slot: EpochMs,
  tickIntervalMs: number,
  reject: (reason: MoverRejection) => void,
) {
  const moves: Array<Move> = []
  const sound = readings.filter(({ book }) => book !== null && Result.isSuccess(book))
  const ids = sound.map(({ market }) => market.id)
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
      if (!ofWindow.has(screened.failure)) break
    }
  }
  return moves
})

/**
 * Gates 5-7 for each move, with its history, its trades and what the feed said of it lately. Trades
 * can only confirm a move, or say by what it is confirmed: the venue is asked for those of the moves
 * that every other gate lets pass.
 */
const judge = Effect.fnUntraced(function* (
  { venue, markets, feed }: MoverServices,
  moves: ReadonlyArray<Move>,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  if (moves.length === 0) return []
  const recent = yield* feed.moversSince(slot - day)
  const previous: ReadonlyMap<MarketId, SeriesPoint> = yield* markets.lastMids(
    [...new Set(moves.map(({ market }) => market.id))],
    { notBefore: slot - previousTicks * tickIntervalMs, atOrBefore: slot - 1 },
  )
  const tapeUntil = (yield* Clock.currentTimeMillis) + tapeMs
  const judgeOne = Effect.fnUntraced(function* (move: Move) {
    const untaped = {
      history: yield* markets.series(move.market.id, historyRange(move)),
      trades: [],
      previous: previous.get(move.market.id),
      emitted: recent
        .filter((item) => item.data.market.slug === move.market.slug)
        .map(emittedMove),
    }
    const verdict = judgeMove(move, untaped)
    if (Result.isFailure(verdict) && verdict.failure !== "unconfirmed") return verdict
    const left = tapeUntil - (yield* Clock.currentTimeMillis)
    if (left <= 0) return verdict
    // Without the tape, two ticks in a row may still confirm the move.
    const trades = yield* venue.trades(move.market.id, move.startedAt).pipe(
      Effect.map(({ rows }) => rows),
      Effect.timeout(left),
      Effect.catchTag(["VenueUnavailable", "TimeoutError"], () => Effect.succeed([])),
    )
    return judgeMove(move, { ...untaped, trades })
  })
  return yield* Effect.forEach(moves, judgeOne, { concurrency: judgeConcurrency })
})
