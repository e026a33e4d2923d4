/**
 * What became of each published item, as the service's own score has it.
 *
 * An outcome is free once its item is older than `outcomeDelayMs`: before, it would say what is sold.
 * It names neither the market nor the wallet, so only a buyer of the item can compare the two.
 *
 * @module
 */
import { Schema } from "effect"
import { described } from "../../core/domain/fields.ts"
import { Count, Price } from "../../core/domain/number.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"
import type { ScoredEntry } from "./entryScore.ts"
import { type CheckVerdict, isFirstKind, publishedAt, type ScoreCheck } from "./selfScore.ts"

/** A mover's last check is judged half an hour after its day. */
export const outcomeDelayMs = day + hour

/** The most items in one answer. */
export const outcomesMax = 100

const published = {
  feedIndex: described(Count, "The item, as in /v1/signals"),
  publishedAt: described(IsoTime, "When the item was published"),
}
const typeText = "What the item is about"
const stateText = "open: not judged yet; unknown: no price was known at that time"
const LaterPrice = Schema.NullOr(Price)

const MoveResult = Schema.Struct({
  state: Schema.Literals(["persisted", "reverted", "unknown", "open"]).annotate({
    description: `persisted: at or beyond half of the move. ${stateText}`,
  }),
  price: described(
    LaterPrice,
    "Mid, or payout, of the item's outcome then, USD; null if not known",
  ),
  drift: described(
    Schema.NullOr(Schema.Finite),
    "(price - priceNow) x the sign of the item's delta, USD per share; null if not known",
  ),
}).annotate({ identifier: "MoveResult" })

const EntryPrice = Schema.Struct({
  state: Schema.Literals(["priced", "unknown", "open"]).annotate({ description: stateText }),
  price: described(LaterPrice, "Price of the outcome bought, USD per share; null if not known"),
  closingLineValue: described(
    Schema.NullOr(Schema.Finite),
    "price minus the item's entryPrice, USD per share; null if not known",
  ),
}).annotate({ identifier: "EntryResult" })

/** What became of one item, on the wire. */
export const Outcome = Schema.Union([
  Schema.Struct({
    ...published,
    type: described(Schema.Literal("mover"), typeText),
    after1h: MoveResult.annotateKey({ description: "An hour after publication" }),
    after6h: MoveResult.annotateKey({ description: "Six hours after publication" }),
    after24h: MoveResult.annotateKey({ description: "A day after publication" }),
  }),
  Schema.Struct({
    ...published,
    type: described(Schema.Literal("whale_entry"), typeText),
    state: Schema.Literals(["paid", "cancelled", "open"]).annotate({
      description: "Whether the market paid out or was cancelled; open: not resolved yet",
    }),
    payout: described(LaterPrice, "Paid per share of the outcome bought, USD; null unless paid"),
    after24h: EntryPrice.annotateKey({ description: "A day after publication" }),
  }),
  Schema.Struct({
    ...published,
    type: described(Schema.Literal("predetermined"), typeText),
    state: Schema.Literals(["correct", "wrong", "uneven", "cancelled", "open"]).annotate({
      description:
        "correct: its outcome was paid; uneven: the payout was split; open: not resolved yet",
    }),
  }),
]).annotate({ identifier: "Outcome", description: "What became of one item" })
export type Outcome = typeof Outcome.Type

/** A check as it is stored, with what its item said. */
export interface StoredOutcome {
  readonly feedIndex: number
  readonly kind: ScoreCheck["kind"]
  readonly at: EpochMs
  readonly verdict: CheckVerdict | null
  /** Of a mover. */
  readonly priceStart: number | null
  readonly priceNow: number | null
  /** Of a mover, in half price steps. */
  readonly drift: number | null
  /** Of a whale entry: its later price, what the wallet paid, and how its market ended. */
  readonly value: number | null
  readonly entryPrice: number | null
  readonly result: ScoredEntry["result"]
  readonly payout: number | null
}

/**
 * The outcomes of items, ascending, up to the first one that is younger than `outcomeDelayMs` at `now`;
 * at most `limit`. All checks of an item are adjacent.
 */
export function outcomesOf(
  stored: ReadonlyArray<StoredOutcome>,
  now: EpochMs,
  limit: number,
): ReadonlyArray<Outcome> {
  const outcomes: Array<Outcome> = []
  for (const [, checks] of Map.groupBy(stored, ({ feedIndex }) => feedIndex)) {
    const first = checks.find(isFirstKind)
    if (first === undefined || publishedAt(first) > now - outcomeDelayMs) break
    if (outcomes.length < limit) outcomes.push(outcomeOf(first, checks))
  }
  return outcomes
}

function outcomeOf(first: StoredOutcome, checks: ReadonlyArray<StoredOutcome>): Outcome {
  const of = (kind: StoredOutcome["kind"]) => checks.find((check) => check.kind === kind)
  const published = { feedIndex: first.feedIndex, publishedAt: isoTime(publishedAt(first)) }
  switch (first.kind) {
    case "predetermined":
      return { ...published, type: "predetermined", state: outcomeState(first.verdict) }
    case "whale_24h":
      return {
        ...published,
        type: "whale_entry",
        state: first.result ?? "open",
        payout: first.payout,
        after24h: entryResult(first),
      }
    default:
      return {
        ...published,
        type: "mover",
        after1h: moveResult(of("mover_1h")),
        after6h: moveResult(of("mover_6h")),
        after24h: moveResult(of("mover_24h")),
      }
  }
}

const outcomeState = (verdict: CheckVerdict | null) =>
  verdict === "correct" || verdict === "wrong" || verdict === "uneven" || verdict === "cancelled"
    ? verdict
    : "open"

function moveResult(check: StoredOutcome | undefined): typeof MoveResult.Type {
  const { verdict, priceStart, priceNow, drift } = check ?? {}
  const state = verdict === "persisted" || verdict === "reverted" || verdict === "unknown"
    ? verdict
    : "open"
  if (
    typeof drift !== "number" || typeof priceNow !== "number" || typeof priceStart !== "number"
  ) return { state, price: null, drift: null }
  const now = halfSteps(priceNow)
  const direction = Math.sign(now - halfSteps(priceStart))
  return {
    state,
    price: fromHalfSteps(now + direction * drift),
    drift: fromHalfSteps(drift),
  }
}

function entryResult({ verdict, value, entryPrice }: StoredOutcome): typeof EntryPrice.Type {
  if (verdict === "priced" && value !== null) {
    const closingLineValue = entryPrice === null ? null : roundRate(value - entryPrice)
    return { state: "priced", price: value, closingLineValue }
  }
  return { state: verdict === "unknown" ? verdict : "open", price: null, closingLineValue: null }
}
