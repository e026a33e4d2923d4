/**
 * How the service's own items fared: whether a mover's price stood an hour and a day later, and whether
 * an outcome that was told to exist already was the one paid.
 *
 * Every item counts, the wrong ones too, and what nobody can know counts apart: never as a hit.
 *
 * @module
 */
import { Schema } from "effect"
import { halfSteps } from "../../markets/domain/book.ts"
import type { FeedItem } from "../../feed/domain/item.ts"
import type { Market, MarketId, SeriesPoint } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"

/** When a mover is looked at again, after it was told. */
const horizonMs = { mover_1h: hour, mover_24h: day } as const

/** How far from the instant a price may lie to be the price then: three ticks of ten minutes. */
export const priceOffsetMsMax = 30 * minute

/**
 * A mover is judged this long after the instant it is looked at: by then every price that may count
 * has come in.
 */
export const judgingDelayMs = priceOffsetMsMax

/** A mover that is looked at once more. */
interface MoverCheck {
  readonly kind: "mover_1h" | "mover_24h"
  readonly feedIndex: number
  /** Null for a market that is not held any more: nothing will be known of it. */
  readonly marketId: MarketId | null
  /** The instant whose price counts. */
  readonly at: EpochMs
  readonly priceStart: number
  readonly priceNow: number
}

/** An outcome that was told to exist, to be compared with the payout. */
interface OutcomeCheck {
  readonly kind: "predetermined"
  readonly feedIndex: number
  readonly marketId: MarketId | null
  /** When it was told. */
  readonly at: EpochMs
  readonly outcome: 0 | 1
}

/** One thing about an item that will be known later. */
export type Check = MoverCheck | OutcomeCheck

const moverVerdicts = ["persisted", "reverted", "unknown"] as const
type MoverVerdict = (typeof moverVerdicts)[number]

/** `uneven`: the payout was shared between the outcomes. */
const outcomeVerdicts = ["correct", "wrong", "uneven", "cancelled"] as const
type OutcomeVerdict = (typeof outcomeVerdicts)[number]

export type Verdict = MoverVerdict | OutcomeVerdict

/** What will be known of an item: two looks at a mover, one at an outcome, none at a whale's entry. */
export function checksOf(item: FeedItem, market: Market | null): ReadonlyArray<Check> {
  const told = Date.parse(item.createdAt)
  const shared = { feedIndex: item.feedIndex, marketId: market?.id ?? null }
  switch (item.type) {
    case "mover": {
      const { priceStart, priceNow } = item.data
      return (["mover_1h", "mover_24h"] as const).map((kind) => ({
        ...{ kind, ...shared, at: told + horizonMs[kind] },
        ...{ priceStart, priceNow },
      }))
    }
    case "predetermined": {
      const outcomes = item.data.market.outcomes ?? market?.outcomes
      const outcome = item.data.outcome === outcomes?.[0] ? 0 : 1
      return [{ kind: "predetermined", ...shared, at: told, outcome }]
    }
    case "whale_entry":
      return []
  }
}

/**
 * The point of a market's series that is its price at an instant: the last at or before it that is no
 * older than `priceOffsetMsMax`; without one the first after it, as near. The points may come in any order.
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
 * The price of a market's first outcome at an instant, given its own point there; null when nobody can
 * know.
 *
 * - A market that had been paid out by then is worth its payout.
 * - Else the point, unless it lies after the instant and the payout came before it.
 * - Without a point, a payout within `priceOffsetMsMax` after the instant.
 *
 * A payout of unknown time says nothing of the instant, nor does a market that was cancelled.
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
 * `persisted` when the price stands at or beyond half of the way from `priceStart` to `priceNow`:
 * a move of 0.50 to 0.60 persists at 0.55 and above, one of 0.60 to 0.50 at 0.55 and below.
 * In half price steps, so that no float error decides.
 */
export function moverVerdict(
  { priceStart, priceNow }: Pick<MoverCheck, "priceStart" | "priceNow">,
  price: number | null,
): MoverVerdict {
  if (price === null) return "unknown"
  const start = halfSteps(priceStart)
  const moved = halfSteps(priceNow) - start
  const stands = (halfSteps(price) - start) * Math.sign(moved)
  return 2 * stands >= Math.abs(moved) ? "persisted" : "reverted"
}

/** What the payout says of an outcome; null while the market has not ended. */
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

/** How movers fared, on the wire. */
export const MoverScore = Schema.Struct({
  emitted: Count.annotate({ description: "Movers ever told, and taken up for judging" }),
  judgedAfter1h: Count,
  persistedAfter1h: Count,
  unknownAfter1h: Count,
  judgedAfter24h: Count,
  persistedAfter24h: Count,
  unknownAfter24h: Count,
}).annotate({
  description: "A mover persisted when its market's own mid, an hour or a day after it was told, " +
    "stood at or beyond half of the move; a market that had been paid out is worth its payout. " +
    "Judged: persisted or not. Unknown: no price within " + priceWithin + " of the instant. " +
    "The rest of the emitted is not due yet",
})

/** How predetermined items fared, on the wire. */
export const PredeterminedScore = Schema.Struct({
  emitted: Count.annotate({ description: "Items ever told, and taken up for judging" }),
  resolved: Count.annotate({ description: "Of these, in markets that paid one outcome in full" }),
  correct: Count.annotate({ description: "Of the resolved, those whose outcome was paid" }),
  uneven: Count.annotate({ description: "In markets that shared the payout: not in `resolved`" }),
  cancelled: Count.annotate({ description: "In markets without a payout: not in `resolved`" }),
})

/** How many checks there are of each kind, by verdict; `open` while there is none. */
export type VerdictCounts = Readonly<
  Record<Check["kind"], Readonly<Partial<Record<Verdict | "open", number>>>>
>

/** Both scores, from counts of verdicts. */
export function selfScore(counts: VerdictCounts) {
  const { mover_1h: hourly, mover_24h: daily, predetermined } = counts
  const sum = (of: VerdictCounts["predetermined"], ...verdicts: ReadonlyArray<Verdict | "open">) =>
    verdicts.reduce((total, verdict) => total + (of[verdict] ?? 0), 0)
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
