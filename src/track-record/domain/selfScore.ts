/**
 * The scores of the service's own feed items: whether a mover's price persisted for an hour and a day,
 * and whether a predetermined outcome was the one that was paid.
 *
 * Every item counts, including wrong ones. An unknown result has its own count and is never a success.
 *
 * @module
 */
import { Schema } from "effect"
import { halfSteps } from "../../markets/domain/book.ts"
import type { FeedItem } from "../../feed/domain/item.ts"
import type { Market, MarketId, SeriesPoint } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"

/** The time from a mover's publication to the instant of its check. */
const horizonMs = { mover_1h: hour, mover_24h: day } as const

/** The maximum distance of a price from the instant of a check: three ticks of ten minutes. */
export const priceOffsetMsMax = 30 * minute

/** A mover is judged this long after the instant of its check, when every price that counts is known. */
export const judgingDelayMs = priceOffsetMsMax

/** Whether a mover's price persisted. */
interface MoverCheck {
  readonly kind: "mover_1h" | "mover_24h"
  readonly feedIndex: number
  /** Null for a market that is no longer stored: its result stays unknown. */
  readonly marketId: MarketId | null
  /** The instant whose price is compared. */
  readonly at: EpochMs
  readonly priceStart: number
  readonly priceNow: number
}

/** Whether a predetermined outcome was paid. */
interface OutcomeCheck {
  readonly kind: "predetermined"
  readonly feedIndex: number
  readonly marketId: MarketId | null
  /** When the item was published. */
  readonly at: EpochMs
  readonly outcome: 0 | 1
}

/** A check of an item that can be judged only later. */
export type ScoreCheck = MoverCheck | OutcomeCheck

const moverVerdicts = ["persisted", "reverted", "unknown"] as const
type MoverVerdict = (typeof moverVerdicts)[number]

/** `uneven`: the payout was shared between the outcomes. */
const outcomeVerdicts = ["correct", "wrong", "uneven", "cancelled"] as const
type OutcomeVerdict = (typeof outcomeVerdicts)[number]

export type CheckVerdict = MoverVerdict | OutcomeVerdict

/** The checks of an item: two for a mover, one for a predetermined outcome, none for a whale entry. */
export function checksOf(item: FeedItem, market: Market | null): ReadonlyArray<ScoreCheck> {
  const publishedAt = Date.parse(item.createdAt)
  const shared = { feedIndex: item.feedIndex, marketId: market?.id ?? null }
  switch (item.type) {
    case "mover": {
      const { priceStart, priceNow } = item.data
      return (["mover_1h", "mover_24h"] as const).map((kind) => ({
        ...{ kind, ...shared, at: publishedAt + horizonMs[kind] },
        ...{ priceStart, priceNow },
      }))
    }
    case "predetermined": {
      const outcomes = item.data.market.outcomes ?? market?.outcomes
      const outcome = item.data.outcome === outcomes?.[0] ? 0 : 1
      return [{ kind: "predetermined", ...shared, at: publishedAt, outcome }]
    }
    case "whale_entry":
      return []
  }
}

/**
 * The point of a market's series that gives its price at an instant: the last point at or before the
 * instant; without one, the first after it. Points more than `priceOffsetMsMax` away do not count. They
 * may be in any order.
 */
export function pointAt(
  at: EpochMs,
  points: ReadonlyArray<SeriesPoint>,
): SeriesPoint | null {
  const near = points.filter((point) => Math.abs(point.at - at) <= priceOffsetMsMax)
  const before = near.filter((point) => point.at <= at)
  if (before.length > 0) return before.reduce((a, b) => b.at >= a.at ? b : a)
  return near.length === 0 ? null : near.reduce((a, b) => b.at < a.at ? b : a)
}

/**
 * The price of a market's first outcome at an instant, from its point (`pointAt`) and its resolution;
 * null when unknown.
 *
 * - If the market was paid by then: the payout.
 * - Else the point, unless it is after both the instant and the payout.
 * - Without such a point: a payout within `priceOffsetMsMax` after the instant.
 *
 * A payout of unknown time and a cancelled market give no price.
 */
export function priceOfOutcomeAt(
  at: EpochMs,
  point: SeriesPoint | null,
  resolution: Resolution | null,
): number | null {
  const paidAt = resolution?.state === "paid" ? resolution.resolvedAt : null
  if (resolution?.state !== "paid" || paidAt === null) return point?.mid ?? null
  const [payout] = resolution.payouts
  if (paidAt <= at) return payout
  if (point !== null && (point.at <= at || point.at < paidAt)) return point.mid
  return paidAt <= at + priceOffsetMsMax ? payout : null
}

/**
 * `persisted` when the price is at or beyond the midpoint of `priceStart` and `priceNow`: a move from
 * 0.50 to 0.60 persists at 0.55 and above, one from 0.60 to 0.50 at 0.55 and below. Compared in half
 * price steps, so that no float error decides.
 */
export function moverVerdict(
  { priceStart, priceNow }: Pick<MoverCheck, "priceStart" | "priceNow">,
  price: number | null,
): MoverVerdict {
  if (price === null) return "unknown"
  const start = halfSteps(priceStart)
  const moved = halfSteps(priceNow) - start
  const kept = (halfSteps(price) - start) * Math.sign(moved)
  return 2 * kept >= Math.abs(moved) ? "persisted" : "reverted"
}

/** Null while the market is not resolved. */
export function outcomeVerdict(
  { outcome }: Pick<OutcomeCheck, "outcome">,
  resolution: Resolution | null,
): OutcomeVerdict | null {
  if (resolution === null) return null
  if (resolution.state === "cancelled") return "cancelled"
  const paid = resolution.payouts[outcome]
  return paid === 1 ? "correct" : paid === 0 ? "wrong" : "uneven"
}

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const priceWithin = `${priceOffsetMsMax / minute} minutes`

/** The score of movers, on the wire. */
export const MoverScore = Schema.Struct({
  emitted: Count.annotate({ description: "All published movers that are scored" }),
  judgedAfter1h: Count,
  persistedAfter1h: Count,
  unknownAfter1h: Count,
  judgedAfter24h: Count,
  persistedAfter24h: Count,
  unknownAfter24h: Count,
}).annotate({
  description:
    "A mover persisted when its market's mid, an hour or a day after publication, was at " +
    "or beyond half of the move; for a market that was paid, the payout is the price. Judged: " +
    "persisted or not. Unknown: no price within " + priceWithin + " of the instant. The other " +
    "movers are not due yet",
})

/** The score of predetermined items, on the wire. */
export const PredeterminedScore = Schema.Struct({
  emitted: Count.annotate({ description: "All published items that are scored" }),
  resolved: Count.annotate({ description: "Of these, in markets that paid one outcome in full" }),
  correct: Count.annotate({ description: "Of the resolved, those whose outcome was paid" }),
  uneven: Count.annotate({ description: "In markets with a split payout; not in `resolved`" }),
  cancelled: Count.annotate({ description: "In cancelled markets; not in `resolved`" }),
})

/** The number of checks of each kind, by verdict; `open` without a verdict. */
export type VerdictCounts = Readonly<
  Record<ScoreCheck["kind"], Readonly<Partial<Record<CheckVerdict | "open", number>>>>
>

/** Both scores, from counts of verdicts. */
export function selfScore(counts: VerdictCounts) {
  const { mover_1h: hourly, mover_24h: daily, predetermined } = counts
  const sum = (
    of: VerdictCounts["predetermined"],
    ...verdicts: ReadonlyArray<CheckVerdict | "open">
  ) => verdicts.reduce((total, verdict) => total + (of[verdict] ?? 0), 0)
  return {
    movers: {
      emitted: sum(hourly, "open", ...moverVerdicts),
      judgedAfter1h: sum(hourly, "persisted", "reverted"),
      persistedAfter1h: sum(hourly, "persisted"),
      unknownAfter1h: sum(hourly, "unknown"),
      judgedAfter24h: sum(daily, "persisted", "reverted"),
      persistedAfter24h: sum(daily, "persisted"),
      unknownAfter24h: sum(daily, "unknown"),
    } satisfies typeof MoverScore.Type,
    predetermined: {
      emitted: sum(predetermined, "open", ...outcomeVerdicts),
      resolved: sum(predetermined, "correct", "wrong"),
      correct: sum(predetermined, "correct"),
      uneven: sum(predetermined, "uneven"),
      cancelled: sum(predetermined, "cancelled"),
    } satisfies typeof PredeterminedScore.Type,
  }
}
