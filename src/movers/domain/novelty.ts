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
  readonly emittedAt: EpochMs
}

/** The caller passes only items of the move's market, found by `data.market.slug`. */
export function emittedMove(item: Extract<FeedItem, { type: "mover" }>): EmittedMove {
  const { window, phase, delta } = item.data
  return { window, phase, delta, emittedAt: Date.parse(item.createdAt) }
}

/** A move in the same direction is novel again when it is this many times larger. Inclusive. */
const growthMin = 1.2

/**
 * Gate 6: after an item, a market has no further item for the length of the window, unless the move
 * grows to 1.2 times the published one or reverses.
 *
 * A settled move is compared with settled ones only: it is published once more after it was published
 * running. When both windows qualify, one item covers both. So the last item of each window is checked;
 * otherwise the next tick would publish the same move for the other window.
 */
export function isNovel(
  move: Omit<EmittedMove, "emittedAt"> & { readonly now: EpochMs },
  emitted: ReadonlyArray<EmittedMove>,
): boolean {
  const compared = emitted.filter(({ phase }) => move.phase === "running" || phase === "settled")
  return (["1h", "24h"] as const).every((window) => {
    const last = lastOf(compared.filter((item) => item.window === window))
    if (last === undefined || move.now - last.emittedAt >= windowMs[move.window]) return true
    if (Math.sign(last.delta) !== Math.sign(move.delta)) return true
    // Both deltas are whole half steps, so tenths of them are exact integers.
    return Math.abs(halfSteps(move.delta)) * 10 >=
      Math.abs(halfSteps(last.delta)) * Math.round(growthMin * 10)
  })
}

function lastOf(items: ReadonlyArray<EmittedMove>): EmittedMove | undefined {
  return items.reduce<EmittedMove | undefined>(
    (last, item) => last === undefined || item.emittedAt > last.emittedAt ? item : last,
    undefined,
  )
}
