/**
 * What the feed has already said of a market, and whether a move says more.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { type FeedItem, type MoveWindow, windowMs } from "../../feed/domain/item.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** What gate 7 remembers of a mover that went out. */
export interface EmittedMove {
  readonly window: MoveWindow
  readonly delta: number
  readonly emittedAt: EpochMs
}

/** What a mover in the feed leaves for gate 7 to remember; its market is `data.market.slug`. */
export function emittedMove(item: Extract<FeedItem, { type: "mover" }>): EmittedMove {
  const { window, delta } = item.data
  return { window, delta, emittedAt: Date.parse(item.createdAt) }
}

/** A further move in the same direction is news again once it is this much larger. Inclusive. */
const growthMin = 1.2

/**
 * Gate 7: whether the feed does not say this yet. After an item a market is quiet over a window, for
 * as long as that window, unless the move grew to 1.2 times the one emitted or turned round.
 *
 * When both windows qualify one item speaks for both, so the last item of each window is heard: else
 * the next tick would repeat the same move under the other window's name.
 */
export function isNovel(
  move: { readonly window: MoveWindow; readonly delta: number; readonly now: EpochMs },
  emitted: ReadonlyArray<EmittedMove>,
): boolean {
  return (["1h", "24h"] as const).every((window) => {
    const last = lastOf(emitted.filter((item) => item.window === window))
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
