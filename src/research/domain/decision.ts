/**
 * What a reader can decide with, as numbers: what each side costs, and is worth at the stated
 * probability, when the market pays, and how long the report is valid.
 *
 * @module
 */
import { Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import { Amount, Count, Price, Rate } from "../../core/domain/number.ts"
import { type EpochMs, hour, IsoTime, isoTime, minute } from "../../core/domain/time.ts"
import { averagePriceOf } from "../../markets/domain/tradeCosts.ts"
import { type Estimate, ingredients } from "../../writing/domain/estimate.ts"
import { averageUsd } from "../../writing/facts/quotes.ts"
import { settlesAtOf } from "../../writing/facts/proposals.ts"
import { isDisputable, type MarketView, payoutOf, sidesOf } from "../../writing/facts/view.ts"
import { roundOrNull, roundRate } from "../../whales/domain/oddsBands.ts"
import { isLive, type ReportMaterial } from "./material.ts"

const PriceOrNull = (description: string) => described(Schema.NullOr(Price), description)

const DecisionSide = Schema.Struct({
  outcome: text("The outcome that these numbers are about"),
  ask: PriceOrNull("Lowest ask, USD per share; null without an order book"),
  breakEven: described(
    Schema.NullOr(Rate),
    "Probability, 0 to 1, from which buying at `ask` gains on average, fee included; null without an ask or a known fee",
  ),
  averagePrice100Usd: PriceOrNull(
    "Mean price of buying for 100 USD, without fees; null when the book offers less",
  ),
  averagePrice1000Usd: PriceOrNull(
    "Mean price of buying for 1,000 USD, without fees; null when the book offers less",
  ),
  limitPrice: PriceOrNull(
    "Highest price of an order, USD per share before the fee, that leaves 0.01 a share after it at the stated probability; null without a view beyond the market or a known fee, and next to `legs`",
  ),
  sizeUsd: described(
    Schema.NullOr(Amount),
    "What the book offers at `limitPrice` or less, USD: 0 when all offers are dearer; null without a limit",
  ),
}).annotate({ identifier: "DecisionSide", description: "One outcome: what it costs, and is worth" })

const StatedNumber = Schema.Struct({
  outcome: text("The market's first outcome; all numbers here are of it"),
  probability: described(
    Rate,
    "The service's own probability, 0 to 1; equal to marketPrice without a view beyond the market",
  ),
  low: described(
    Schema.NullOr(Rate),
    "Lower end, 0 to 1, of the 95 % interval of the probability, by the errors of the records in `basis` (`reports`: from the price to the record's lower end); null without such a record",
  ),
  high: described(Schema.NullOr(Rate), "Upper end of it, 0 to 1; null where `low` is"),
  dayLow: described(
    Schema.NullOr(Rate),
    "Lower end of the 90 % range of the market's mid a day later, USD per share; null when it will probably end before",
  ),
  dayHigh: described(
    Schema.NullOr(Rate),
    "Upper end of it, USD per share; null where `dayLow` is. Scored in /v1/track-record",
  ),
  marketPrice: described(Price, "The market's mid when the report was written, USD per share"),
  basis: Schema.Array(Schema.Struct({
    ingredient: Schema.Literals(ingredients).annotate({
      description:
        "move: the record of such moves. proposal: the record of proposals. reports: the record of reported outcomes. wallets: labelled wallets, their edge shrunk. ladder: quotes and results of other markets of the event",
    }),
    shift: described(Schema.Finite, "How much it moves the probability, -1 to 1"),
    won: described(Schema.NullOr(Count), "Cases of its record that were paid; null for no count"),
    cases: described(Schema.NullOr(Count), "All cases of its record; null where `won` is"),
  })).annotate({ description: "What moved it from the market's price; empty for no view" }),
}).annotate({
  identifier: "StatedNumber",
  description: "Computed, not written by a model",
})

export const Decision = Schema.Struct({
  verdict: Schema.Struct({
    action: Schema.Literals(["buy", "combination", "none"]).annotate({
      description:
        "buy: `outcome` at its limitPrice or less. combination: all `legs`. none: nothing gains at these prices",
    }),
    outcome: described(Schema.NullOr(Schema.String), "The outcome to buy alone; null for none"),
    legs: Schema.Array(Schema.Struct({
      market: text("The slug to buy in"),
      outcome: text("The outcome to buy"),
      limitPrice: described(Price, "USD per share, before the fee"),
      shares: described(Count, "As many of each leg"),
    })).annotate({ description: "The purchases of a combination" }),
    reason: text("Why, in a sentence of the thesis"),
  }).annotate({ identifier: "Verdict", description: "What the thesis opens with" }),
  estimate: described(
    Schema.NullOr(StatedNumber),
    "The service's own number; null when it could not be read, or nothing can be traded",
  ),
  sides: Schema.Array(DecisionSide).annotate({
    description: "Both outcomes in the market's order; empty when nothing can be traded",
  }),
  expectedPayoutAt: described(
    Schema.NullOr(IsoTime),
    "Median time of the payout; null when it is not known, or the market has ended",
  ),
  payoutWithin24h: described(
    Schema.NullOr(Rate),
    "Probability of a payout within 24 hours, 0 to 1; null where expectedPayoutAt is, and while a proposal can be disputed that is doubted or early",
  ),
  validUntil: described(IsoTime, "After this time the report is old: an event that it waits for"),
}).annotate({ identifier: "Decision", description: "What the report comes to, in numbers" })
export type Decision = typeof Decision.Type

export function decisionOf(
  material: ReportMaterial,
  { verdict, view }: { readonly verdict: Decision["verdict"]; readonly view: MarketView },
): Decision {
  const { market: { outcomes }, estimate } = material
  const payout = isLive(material) ? payoutOf(view) : null
  const [first, second] = averageUsd
  // Next to a pair, a limit from the same quotes would say which of its prices is wrong. Without a view
  // an order at the limit of the market's own price would gain nothing.
  const isPair = verdict.action === "combination" && verdict.outcome === null
  const hasLimit = !isPair && estimate !== null && estimate.basis.length > 0
  return {
    verdict,
    estimate: estimate === null ? null : statedNumber(outcomes[0], estimate),
    sides: isLive(material)
      ? sidesOf(view).map(({ ask, breakEven, limit, outcome, sizeUsd }) => ({
        ...{ outcome: outcomes[outcome], ask, breakEven },
        ...hasLimit ? { sizeUsd, limitPrice: limit } : { sizeUsd: null, limitPrice: null },
        averagePrice100Usd: averagePriceOf(view.offers[outcome], first),
        averagePrice1000Usd: averagePriceOf(view.offers[outcome], second),
      }))
      : [],
    expectedPayoutAt: payout === null ? null : isoTime(payout.at - payout.at % minute),
    payoutWithin24h: isDisputable(view) ? null : roundOrNull(payout?.probability24h ?? null),
    validUntil: isoTime(validityOf(material).until),
  }
}

function statedNumber(
  outcome: string,
  { basis, dayHigh, dayLow, high, low, mid, probability }: Estimate,
): typeof StatedNumber.Type {
  return {
    ...{ outcome, probability: roundRate(probability), low, high, dayLow, dayHigh },
    marketPrice: mid,
    basis: basis.map(({ cases, ingredient, shift, won }) => ({ cases, ingredient, shift, won })),
  }
}

/** Without an event before it, a report is valid for so long; and while a game is played. */
const validMs = 6 * hour
const playMs = 30 * minute

/** Until the next event that the report waits for. */
export function validityOf(
  material: ReportMaterial,
): { readonly until: EpochMs; readonly why: string } {
  const { clause, now, market: { gameStartsAt, endsAt }, proposal } = material
  const isPlayed = gameStartsAt !== null && gameStartsAt <= now && proposal === null
  const events: ReadonlyArray<readonly [EpochMs | null, string]> = [
    [proposal?.disputed === false ? settlesAtOf(proposal) : null, "the challenge window ends"],
    [clause?.deadlineAt ?? null, "what counts ends"],
    [gameStartsAt, "the kick-off"],
    [gameStartsAt === null ? endsAt : null, "the listed date"],
    [isPlayed ? now + playMs : null, "the game goes on, or has ended"],
  ]
  const [next] = events.flatMap(([at, why]) => at === null || at <= now ? [] : [{ until: at, why }])
    .toSorted((a, b) => a.until - b.until)
  return next !== undefined && next.until <= now + validMs
    ? next
    : { until: now + validMs, why: "" }
}
