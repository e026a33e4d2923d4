/**
 * When a result may count.
 *
 * A Yes is often paid before its deadline, and a No after it. If results counted when they are paid, the
 * winners of a wallet that buys Yes would count before its losers. So the results of a wallet count in
 * the order of the schedule, which no result changes:
 *
 * 1. A result waits until its market is due, however early it is paid.
 * 2. It also waits while a position of the wallet that was due before it, or at the same time, is open,
 *    but for no position longer than `overdueMsMax` after that was due. A No is paid some days after the
 *    deadline, and a Yes of the same deadline must not count without it.
 * 3. A counted result stays counted: a correction of it counts at once.
 *
 * @module
 */
import { day, type EpochMs } from "../../core/domain/time.ts"
import { gameEndMsMax } from "../../markets/domain/expectedResolution.ts"
import type { MarketFacts } from "../../markets/domain/market.ts"

/** How long an open position may delay later ones: 95 % of markets are paid a week after their end. */
export const overdueMsMax = 7 * day

/** What the rule needs of a position with entries. */
export interface ScheduledPosition {
  /** When its market is due; null: its result counts when it is paid. */
  readonly dueAt: EpochMs | null
  /** When its market ended; null while it is open. */
  readonly endedAt: EpochMs | null
  /** Whether its result has counted already. */
  readonly isCounted: boolean
}

/**
 * The positions of a wallet whose results count at `now`, and when another one may count if none of them
 * changes; null when no result waits.
 */
export function resultsAt<P extends ScheduledPosition>(
  positions: ReadonlyArray<P>,
  now: EpochMs,
): { readonly counted: ReadonlyArray<P>; readonly nextAt: EpochMs | null } {
  const earliest = (times: ReadonlyArray<number>) =>
    times.reduce((least, at) => Math.min(least, at), Infinity)
  const due = ({ dueAt }: P) => dueAt ?? -Infinity
  const openSince = earliest(
    positions.filter((one) =>
      one.endedAt === null && due(one) <= now && due(one) > now - overdueMsMax
    ).map(due),
  )
  const ended = positions.filter(({ endedAt }) => endedAt !== null)
  const counts = (one: P) => one.isCounted || (due(one) <= now && due(one) < openSince)
  const waiting = ended.filter((one) => !counts(one)).map(due)
  const nextAt = earliest(waiting.map((at) => at > now ? at : openSince + overdueMsMax))
  return { counted: ended.filter(counts), nextAt: waiting.length === 0 ? null : nextAt }
}

/**
 * When a market is due: at the start of its game, else at its scheduled end. Null without either: its
 * results count when they are paid. Games may carry an end date 7 to 14 days later. The start is enough,
 * because an open position delays those that are due after it.
 */
export function dueAt({ endsAt, gameStartsAt }: MarketFacts): EpochMs | null {
  const isGame = gameStartsAt !== null &&
    (endsAt === null || endsAt - gameStartsAt <= gameEndMsMax)
  return isGame ? gameStartsAt : endsAt
}
