/**
 * A wallet's record: its results that count so far, and their evidence, computed from all its positions.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import { resultsAt, type ScheduledPosition } from "./due.ts"
import { type Entry, isSweep } from "./entry.ts"
import { type Bet, type Evidence, evidenceOf } from "./evidence.ts"
import { sumsOf, type WalletSums } from "./score.ts"
import type { TrackedWallet } from "./tracking.ts"

/** A wallet's entries in one market, and how the market ended. */
export interface RecordedPosition extends ScheduledPosition {
  readonly marketId: MarketId
  /** Positions with the same theme are one trial (`theme.ts`). */
  readonly theme: number | string
  readonly feeRate: number
  readonly entries: ReadonlyArray<Entry>
  /** USD a share of each outcome; null while the market is open, and when it was cancelled. */
  readonly payouts: readonly [number, number] | null
}

/** What a wallet is judged by. */
export interface WalletRecord {
  readonly sums: WalletSums
  readonly evidence: Evidence
}

/**
 * The record of a wallet at `now`; the markets whose results count for the first time; and when more of
 * them may count, if no position changes. A wallet of a profit board is judged by what it bought since.
 * A part takes less than a millisecond for 1,000 positions.
 */
export function* recordOf(
  { source, trackedAt }: Pick<TrackedWallet, "source" | "trackedAt">,
  positions: ReadonlyArray<RecordedPosition>,
  now: EpochMs,
) {
  const chosen = positions.map((position) => ({
    ...position,
    entries: source === "profit"
      ? position.entries.filter(({ firstFillAt }) => firstFillAt >= trackedAt)
      : position.entries,
  }))
  yield
  const { counted, nextAt } = resultsAt(chosen, now)
  yield
  const sums = sumsOf(Map.groupBy(counted, ({ theme }) => theme).values())
  yield
  const bets = chosen.flatMap(betOf)
  yield
  const record: WalletRecord = { sums, evidence: evidenceOf(bets, trackedAt) }
  const newlyCounted = counted.filter(({ isCounted }) => !isCounted)
  return { record, newlyCounted: newlyCounted.map(({ marketId }) => marketId), nextAt }
}

/** The first entry of a market that is no sweep, whatever became of it. */
function betOf({ entries, endedAt, payouts }: RecordedPosition): ReadonlyArray<Bet> {
  const [first] = entries.filter((entry) => !isSweep(entry)).toSorted((a, b) =>
    a.firstFillAt - b.firstFillAt || a.openingPrice - b.openingPrice || a.outcome - b.outcome
  )
  return first === undefined ? [] : [{
    price: first.openingPrice,
    openedAt: first.firstFillAt,
    endedAt,
    paid: payouts?.[first.outcome] ?? null,
  }]
}
