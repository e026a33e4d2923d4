/**
 * Gate 6: whether a move is new, compared with the published movers of its market.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { type FeedItem, type MovePhase, type MoveWindow, windowMs } from "../../feed/domain/item.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** A mover in the feed, as gate 6 needs it. */
export interface EmittedMove {
  readonly window: MoveWindow
  readonly phase: MovePhase
  readonly delta: number
  readonly priceNow: number
  readonly emittedAt: EpochMs
}

/** The caller passes only items of the move's market, found by `data.market.slug`. */
export function emittedMove(item: Extract<FeedItem, { type: "mover" }>): EmittedMove {
  const { window, phase, delta, priceNow } = item.data
  return { window, phase, delta, priceNow, emittedAt: Date.parse(item.createdAt) }
}

/** A move in the same direction is novel again when it has this many tenths of the last one. Inclusive. */
const growthTenths = 12

/**
 * Gate 6: after an item, a market has no further item for the length of the window, unless the move
 * grows to 1.2 times the published one or reverses. The price itself must have gone on since the item,
 * by a fifth of the published move: a start that slides, or the other window, makes no news.
 *
 * A settled move is compared with settled ones: it is published once more after it was published
 * running. It repeats a running item of the other window for an hour. The last item of each window is
 * checked, because one item covers both.
 */
export function isNovel(
  move: Omit<EmittedMove, "emittedAt"> & { readonly now: EpochMs },
  emitted: ReadonlyArray<EmittedMove>,
): boolean {
  const recent = emitted.filter(({ emittedAt }) => move.now - emittedAt < windowMs[move.window])
  const compared = move.phase === "running"
    ? recent
    : recent.filter(({ phase }) => phase === "settled")
  const running = emitted.filter(({ window, phase, emittedAt }) =>
    phase === "running" && window !== move.window && move.now - emittedAt < windowMs["1h"]
  )
  return [compared.filter(isOver("1h")), compared.filter(isOver("24h")), running]
    .every((items) => isNews(move, lastOf(items)))
}

function isNews(move: Omit<EmittedMove, "emittedAt">, last: EmittedMove | undefined): boolean {
  if (last === undefined) return true
  const direction = Math.sign(move.delta)
  const published = Math.abs(halfSteps(last.delta))
  const went = (halfSteps(move.priceNow) - halfSteps(last.priceNow)) * direction
  // All are whole half steps, so tenths of them are exact integers.
  if (went * 10 < published * (growthTenths - 10)) return false
  return Math.sign(last.delta) !== direction ||
    Math.abs(halfSteps(move.delta)) * 10 >= published * growthTenths
}

const isOver = (window: MoveWindow) => (item: EmittedMove) => item.window === window

function lastOf(items: ReadonlyArray<EmittedMove>): EmittedMove | undefined {
  return items.toSorted((a, b) => a.emittedAt - b.emittedAt).at(-1)
}
