/**
 * The scores of the service's own feed items: whether a mover's price persisted for 1, 6 and
 * 24 hours, whether a predetermined outcome was the one that was paid, and what became of a whale entry
 * (`entryScore.ts`).
 *
 * Every item counts, including wrong ones. An unknown result has its own count and is never a success.
 *
 * @module
 */
import { Schema } from "effect"
import { described } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import { type FeedItem, type MovePhase, ProposalRecord } from "../../feed/domain/item.ts"
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import type { Market, MarketId, SeriesPoint } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { namedOutcome } from "./entryScore.ts"
import { outcomeOf } from "./moverDrift.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { roundRate, winRateOf } from "../../whales/domain/oddsBands.ts"

/** The time from an item's publication to the instant of its check. */
const horizonMs = {
  mover_1h: hour,
  mover_6h: 6 * hour,
  mover_24h: day,
  whale_24h: day,
} as const

/** The maximum distance of a price from the instant of a check: three ticks of ten minutes. */
export const priceOffsetMsMax = 30 * minute

/** A price is judged this long after its instant, when every price that counts is known. */
const judgingDelayMs = priceOffsetMsMax

const moverKinds = ["mover_1h", "mover_6h", "mover_24h"] as const

/** What the sums of drift need of a move. */
interface CheckedMove {
  readonly phase: MovePhase
  /** Moves with the same key are one independent trial. */
  readonly eventKey: string
}

/** Whether a mover's price persisted. */
interface MoverCheck {
  readonly kind: (typeof moverKinds)[number]
  readonly feedIndex: number
  /** Null for a market that is no longer stored: its result stays unknown. */
  readonly marketId: MarketId | null
  /** The instant whose price is compared. */
  readonly at: EpochMs
  readonly priceStart: number
  readonly priceNow: number
  /** Null without a stored market: it counts in no sum of drift. */
  readonly move: CheckedMove | null
}

/** Whether a predetermined outcome was paid. */
interface OutcomeCheck {
  readonly kind: "predetermined"
  readonly feedIndex: number
  readonly marketId: MarketId | null
  /** When the item was published. */
  readonly at: EpochMs
  readonly outcome: 0 | 1
  /** The price of the outcome of a proposal alone; null for other items. */
  readonly contestedPrice: number | null
}

/** The price of a whale entry's outcome a day later. The rest of its score is in `entryScore.ts`. */
interface EntryCheck {
  readonly kind: "whale_24h"
  readonly feedIndex: number
  readonly marketId: MarketId | null
  /** The instant whose price is compared. */
  readonly at: EpochMs
  /** The outcome that the wallet bought. */
  readonly outcome: 0 | 1
}

/** A check of an item that can be judged only later. */
export type ScoreCheck = MoverCheck | OutcomeCheck | EntryCheck

/** The kinds of checks that `selfScore` counts. */
type CountedKind = Exclude<ScoreCheck["kind"], EntryCheck["kind"]>

const moverVerdicts = ["persisted", "reverted", "unknown"] as const
type MoverVerdict = (typeof moverVerdicts)[number]

/** `uneven`: the payout was shared between the outcomes. */
const outcomeVerdicts = ["correct", "wrong", "uneven", "cancelled"] as const
type OutcomeVerdict = (typeof outcomeVerdicts)[number]

type EntryVerdict = "priced" | "unknown"

export type CheckVerdict = MoverVerdict | OutcomeVerdict | EntryVerdict

/** The checks of an item: three for a mover, one for another item. */
export function checksOf(item: FeedItem, market: Market | null): ReadonlyArray<ScoreCheck> {
  const publishedAt = Date.parse(item.createdAt)
  const shared = { feedIndex: item.feedIndex, marketId: market?.id ?? null }
  switch (item.type) {
    case "mover": {
      const { priceStart, priceNow, phase } = item.data
      const move = market === null ? null : { phase, eventKey: market.eventKey }
      return moverKinds.map((kind) => ({
        kind,
        ...shared,
        at: publishedAt + horizonMs[kind],
        priceStart,
        priceNow,
        move,
      }))
    }
    case "predetermined": {
      const outcome = namedOutcome(item, market)
      const contestedPrice = item.data.kind === "proposal" ? item.data.marketPrice : null
      return [{ kind: "predetermined", ...shared, at: publishedAt, outcome, contestedPrice }]
    }
    case "whale_entry": {
      const outcome = namedOutcome(item, market)
      return [{ kind: "whale_24h", ...shared, at: publishedAt + horizonMs.whale_24h, outcome }]
    }
  }
}

/** Whether it is the first check of its item; every item has one. */
export const isFirstKind = ({ kind }: Pick<ScoreCheck, "kind">): boolean =>
  kind === "mover_1h" || kind === "predetermined" || kind === "whale_24h"

/** When the item of a first check was published. */
export const publishedAt = ({ kind, at }: Pick<ScoreCheck, "kind" | "at">): EpochMs =>
  kind === "predetermined" ? at : at - horizonMs[kind]

/** When a new check is first due; null when only a resolution makes it due. */
export function firstDueAt({ kind, at }: ScoreCheck): EpochMs | null {
  return kind === "predetermined" ? null : at + judgingDelayMs
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

/** `persisted` when the price is at or beyond the midpoint of `priceStart` and `priceNow`. */
export function moverVerdict(
  move: Pick<MoverCheck, "priceStart" | "priceNow">,
  price: number | null,
): MoverVerdict {
  if (price === null) return "unknown"
  return outcomeOf(move, price).margin >= 0 ? "persisted" : "reverted"
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

/** The price of a whale entry's outcome, from that of the first one. */
export function priceOfBought({ outcome }: Pick<EntryCheck, "outcome">, first: number): number {
  return fromHalfSteps(outcome === 0 ? halfSteps(first) : halfSteps(1) - halfSteps(first))
}

const priceWithin = `${priceOffsetMsMax / minute} minutes`

/** The score of movers, on the wire. */
export const MoverScore = Schema.Struct({
  emitted: Count.annotate({ description: "All published movers that are scored" }),
  judgedAfter1h: described(Count, "Movers whose price an hour later is known"),
  persistedAfter1h: described(Count, "Of these, movers that persisted"),
  unknownAfter1h: described(Count, "Movers without a known price an hour later"),
  judgedAfter6h: described(Count, "Movers whose price six hours later is known"),
  persistedAfter6h: described(Count, "Of these, movers that persisted"),
  unknownAfter6h: described(Count, "Movers without a known price six hours later"),
  judgedAfter24h: described(Count, "Movers whose price a day later is known"),
  persistedAfter24h: described(Count, "Of these, movers that persisted"),
  unknownAfter24h: described(Count, "Movers without a known price a day later"),
})

export const moverScoreText =
  "A mover persisted when its market's mid (after a payout: the payout), 1, 6 or 24 hours after " +
  "publication, was at or beyond half of the move. Unknown: no price within " + priceWithin +
  " of the " +
  "instant. The other movers are not due yet"

const outcomeCounts = {
  emitted: Count.annotate({ description: "All published items that are scored" }),
  resolved: Count.annotate({ description: "Of these, in markets that paid one outcome in full" }),
  correct: Count.annotate({ description: "Of the resolved, those whose outcome was paid" }),
  uneven: Count.annotate({ description: "In markets with a split payout; not in `resolved`" }),
  cancelled: Count.annotate({ description: "In cancelled markets; not in `resolved`" }),
}

/** The score of predetermined items, on the wire. */
export const PredeterminedScore = Schema.Struct({
  ...outcomeCounts,
  byKind: Schema.Struct({
    evidence: Schema.Struct(outcomeCounts).annotate({
      description: "Also the items of earlier versions, whose kind is not known",
    }),
    proposal: Schema.Struct({
      ...outcomeCounts,
      record: described(Schema.NullOr(ProposalRecord), "Null before the first result"),
      meanPrice: described(
        Schema.NullOr(Rate),
        "Mean price of the proposed outcomes of `record` when published, USD per share: fair prices are upheld so often. Null without one",
      ),
    }).annotate({ description: "Outcomes that rested on their proposal at the venue alone" }),
  }).annotate({ description: "The same by kind of item" }),
}).annotate({ description: "Whether the outcomes of predetermined items were paid" })

/** The number of checks of each counted kind, by verdict; `open` without a verdict. */
export type VerdictCounts = Readonly<
  & Record<CountedKind, CountsByVerdict>
  /** Of contested proposals; these are not in `predetermined`. */
  & { contested?: CountsByVerdict; contestedMeanPrice?: number | null }
>
type CountsByVerdict = Readonly<Partial<Record<CheckVerdict | "open", number>>>

/** Both scores, from counts of verdicts. */
export function selfScore(counts: VerdictCounts) {
  const { mover_1h: hourly, mover_6h: later, mover_24h: daily, predetermined, contested = {} } =
    counts
  return {
    movers: {
      emitted: sum(hourly, "open", ...moverVerdicts),
      judgedAfter1h: sum(hourly, "persisted", "reverted"),
      persistedAfter1h: sum(hourly, "persisted"),
      unknownAfter1h: sum(hourly, "unknown"),
      judgedAfter6h: sum(later, "persisted", "reverted"),
      persistedAfter6h: sum(later, "persisted"),
      unknownAfter6h: sum(later, "unknown"),
      judgedAfter24h: sum(daily, "persisted", "reverted"),
      persistedAfter24h: sum(daily, "persisted"),
      unknownAfter24h: sum(daily, "unknown"),
    } satisfies typeof MoverScore.Type,
    predetermined: {
      ...outcomeScore(predetermined, contested),
      byKind: {
        evidence: outcomeScore(predetermined),
        proposal: { ...outcomeScore(contested), ...contestedScore(counts) },
      },
    } satisfies typeof PredeterminedScore.Type,
  }
}

/**
 * How often published contested proposals were upheld, with Wilson's 95 % interval. A split payout and a
 * cancelled market count as not upheld, because the proposed outcome was not paid in full. Null before the
 * first one was judged.
 */
export function proposalRecord(
  { contested = {} }: Pick<VerdictCounts, "contested">,
): ProposalRecord | null {
  const { correct = 0, wrong = 0, uneven = 0, cancelled = 0 } = contested
  const proposals = correct + wrong + uneven + cancelled
  if (proposals === 0) return null
  const { winRate, winRateLow, winRateHigh } = winRateOf({ wins: correct, decisive: proposals })
  return {
    proposals,
    upheld: correct,
    upheldRate: roundRate(winRate),
    upheldRateLow: roundRate(winRateLow),
    upheldRateHigh: roundRate(winRateHigh),
  }
}

/** The record of contested proposals, and the price that it is compared with. */
function contestedScore(counts: VerdictCounts) {
  const { contestedMeanPrice = null } = counts
  return {
    record: proposalRecord(counts),
    meanPrice: contestedMeanPrice === null ? null : roundRate(contestedMeanPrice),
  }
}

/** The checks with one of these verdicts. */
const sum = (of: CountsByVerdict, ...verdicts: ReadonlyArray<CheckVerdict | "open">): number =>
  verdicts.reduce((total, verdict) => total + (of[verdict] ?? 0), 0)

/** The counts of one or more kinds of predetermined item. */
function outcomeScore(...kinds: ReadonlyArray<CountsByVerdict>) {
  const count = (...verdicts: ReadonlyArray<CheckVerdict | "open">) =>
    kinds.reduce((total, kind) => total + sum(kind, ...verdicts), 0)
  return {
    emitted: count("open", ...outcomeVerdicts),
    resolved: count("correct", "wrong"),
    correct: count("correct"),
    uneven: count("uneven"),
    cancelled: count("cancelled"),
  }
}
