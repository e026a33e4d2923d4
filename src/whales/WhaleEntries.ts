/**
 * From acts to entries: every position whose acts changed has its entries made anew, and each new one
 * is given its wallet's calibration as it stood before.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { entriesOf, isMarketMaker } from "./domain/entry.ts"
import { carryOver, isDue, type Telling } from "./domain/heldEntry.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { CalibratedWhale } from "./domain/whale.ts"
import { calibrationBefore } from "./domain/whaleRow.ts"
import type { Terms } from "./WhaleItems.ts"
import type { MadePosition, StalePosition, WhaleStore } from "./WhaleStore.ts"

/** Positions made in one transaction, and in one tick. */
const positionsBatch = 200
const positionsMax = 200_000

/** What was made so far; it grows in place, so that a stage cut short tells what it did. */
interface MakingTally {
  made: number
}

/** Makes the entries of stale positions, oldest first, until none is left or `until`. */
export const makeEntries = Effect.fnUntraced(function* (
  whales: WhaleStore["Service"],
  terms: Terms,
  until: EpochMs,
  tally: MakingTally,
) {
  const makers = new Set(
    (yield* whales.tracked).filter(isMarketMaker).map(({ wallet }) => wallet),
  )
  while (tally.made < positionsMax && (yield* Clock.currentTimeMillis) < until) {
    const stale = yield* whales.stale(positionsBatch)
    if (stale.length === 0) return true
    const calibrations = yield* whales.calibrations([
      ...new Set(stale.map(({ wallet }) => wallet)),
    ])
    yield* whales.saveMade(stale.map((position) => {
      const { wallet } = position
      const telling = { ...terms, marketMaker: makers.has(wallet) }
      return remade(position, calibrations.get(wallet) ?? [], telling)
    }))
    tally.made += stale.length
  }
  return false
})

function remade(
  { wallet, market, version, acts, entries }: StalePosition,
  calibrations: ReadonlyArray<CalibratedWhale>,
  telling: Telling,
): MadePosition {
  const made = entriesOf(acts, market.tokenIds)
  const held = carryOver(
    entries,
    made.entries,
    (instant) => calibrationBefore(calibrations, instant),
  )
  return {
    wallet,
    marketId: market.id,
    version,
    entries: held,
    boughtBoth: made.boughtBoth,
    due: held.some((entry) => isDue(entry, telling)),
  }
}
