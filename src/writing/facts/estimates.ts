/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import { complement } from "../../markets/domain/quote.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import type { Estimate } from "../domain/estimate.ts"
import { joined, listed, phrase } from "../domain/statement.ts"
import {
  type About,
  cents,
  count,
  factOf,
  type NewFact,
  outcomeOf,
  part,
  price,
  rate,
  rounded,
  time,
  titleOf,
  unnamed,
  usd,
  word,
} from "./fact.ts"
import {
  exitOf,
  isDead,
  isDoubted,
  isOutdated,
  labelledPositions,
  limitAt,
  type MarketView,
  priceOfOutcome,
  type Side,
  sidesOf,
  storyFor,
  type Trade,
  worthOf,
} from "./view.ts"
import { edgeLeftAt, favouredBy, type LabelledPosition } from "./wallets.ts"

/** What the record counts, by ingredient. */
const counted: Readonly<Partial<typeof reasons>> = {
  proposal: "doubted proposals",
  reports: "reported outcomes",
}

/** What moves the number from the market's price, by ingredient; after its record where that is counted. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "the discounted record of such moves",
  proposal: "upheld",
  reports: "paid at any price, counted half as the price doubts this one",
  wallets: "the records of its labelled wallets",
  ladder: "the prices of its event's other markets",
}

function reasonOf({ cases, ingredient, meanPrice, won }: Estimate["basis"][number], n: number) {
  const reason = word(`basis${n || ""}`, reasons[ingredient])
  if (cases === null || won === null) return reason
  const noun = counted[ingredient] ?? "cases"
  const priced = meanPrice === null
    ? phrase``
    : phrase`, priced ${rounded("meanPrice", meanPrice)} on average`
  return phrase`${part(`won${n}`, won)} ${count(`cases${n}`, cases, noun, noun)} ${reason}${priced}`
}

/** Labelled wallets with an edge left may hold both sides. */
function isContested(view: MarketView): boolean {
  return new Set(withEdge(view, labelledPositions(view)).map(favouredBy)).size > 1
}

const withEdge = (view: MarketView, labelled: ReadonlyArray<LabelledPosition>) =>
  labelled.filter((one) => edgeLeftAt(one, priceOfOutcome(view, favouredBy(one))).edge > 0)

/** `Our fair price of No is 0.598 (0.552 to 0.643), the market's 0.635: the records of its labelled wallets.` */
export function estimateFact(
  about: About,
  estimate: Estimate,
  outcome: 0 | 1,
  view: MarketView,
): NewFact {
  const { basis, high, low, mid } = estimate
  const split = isContested(view) ? ", which hold both sides" : ""
  const whys = basis.map((one, n) =>
    one.ingredient === "wallets" ? phrase`${reasonOf(one, n)}${split}` : reasonOf(one, n)
  )
  const of = (price: number) => outcome === 0 ? price : 1 - price
  const [from, to] = outcome === 0 ? [low, high] : [high, low]
  const interval = from === null || to === null
    ? phrase``
    : phrase` (${rounded("low", of(from))} to ${rounded("high", of(to))})`
  return factOf(
    "method",
    about.slug,
    phrase`Our fair price of ${outcomeOf(about, outcome)} is ${
      rounded("probability", worthOf(estimate, outcome))
    }${interval}, the market's ${rounded("price", of(mid))}: ${listed(whys)}.`,
  )
}

/** Why the number is the market's. */
export function noViewFact(about: About, estimate: Estimate, view: MarketView): NewFact {
  const { proposal, reported } = view
  const labelled = labelledPositions(view)
  const sided = ([0, 1] as const).filter((outcome) => storyFor(view, outcome) !== null)
  const why = isDead(view)
    ? proposal === null || proposal.disputed
      ? "its price has decided it"
      : "we have no record of how proposals at such prices end"
    : estimate.provenWorse
    ? "what we stated so far did worse than the market"
    : proposal?.disputed === true
    ? "a vote decides the disputed proposal"
    : sided.length > 1
    ? "its headlines point both ways"
    : reported !== null
    ? "our record of such reports does not move the price"
    : isDoubted(view)
    ? estimate.doubted === null
      ? "too few such proposals have ended to say whether the price or the proposal is right"
      : "such proposals were upheld about as often as their prices said"
    : labelled.length > 0
    ? idleWords(view, labelled)
    : estimate.moved !== null
    ? estimate.moved.meanDrift === null
      ? "too few such moves are a day old to say what follows them"
      : isDrift(estimate.moved)
      ? "what is left of the drift after such moves is too small"
      : "a day after such moves the price was on average where it had been"
    : sided.length > 0
    ? "its headlines decide nothing, and nothing else says otherwise"
    : "nothing that we read says otherwise"
  return factOf(
    "method",
    about.slug,
    phrase`${word("basis", "No view beyond the market's price")}: ${why}.`,
  )
}

/** Why labelled wallets do not move the number. */
function idleWords(view: MarketView, labelled: ReadonlyArray<LabelledPosition>): string {
  const live = labelled.filter((position) => !isOutdated(view, position))
  const left = withEdge(view, live)
  return live.length === 0
    ? "a headline for the other side came after its labelled wallets bought"
    : left.length === 0
    ? "at this price nothing is left of its labelled wallets' edge"
    : new Set(left.map(favouredBy)).size > 1
    ? "its labelled wallets hold both sides"
    : "what is left of its labelled wallets' edge is too small"
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own fair price could not be read.`)
}

/** A reference class whose share of wins is known less exactly says nothing of a price. */
const referenceWidthMax = 0.15

/** `Reference: such prices were fair: 36.1% of 812 settled entries at 0.25 to 0.50 won, for 0.38 on average; Yes at its ask must win 39.5%.` Of an outcome's price. */
export function referenceFact(
  about: About,
  { references }: Estimate,
  { breakEven, outcome }: Pick<Side, "breakEven" | "outcome">,
): NewFact | null {
  const reference = references[outcome]
  if (reference === null) return null
  const { entries, from, meanEntryPrice, to, winRate, winRateHigh, winRateLow } = reference
  if (winRate === null || winRateHigh === null || winRateLow === null) return null
  const verdict = meanEntryPrice < winRateLow
    ? "too low"
    : meanEntryPrice > winRateHigh
    ? "too high"
    : "fair"
  return winRateHigh - winRateLow > referenceWidthMax ? null : factOf(
    "method",
    about.slug,
    phrase`Reference: such prices were ${word("verdict", verdict)}: ${rate("won", winRate)} of ${
      count("reference", entries, "settled entry", "settled entries")
    } at ${price("from", from)} to ${price("to", to)} won, for ${
      rounded("meanPrice", meanEntryPrice)
    } on average${
      breakEven === null
        ? phrase``
        : phrase`; ${outcomeOf(about, outcome)} at its ask must win ${rate("needed", breakEven)}`
    }.`,
  )
}

/** `Scored: 1,204 of our fair prices a day later, Brier 0.0121 against the mid's 0.0124.` */
export function scoredFact({ scored }: Estimate): NewFact {
  const { brier, judged, midBrier } = scored
  const judgedText = count("judged", judged, "stated price", "stated prices")
  return factOf(
    "record",
    null,
    brier === null || midBrier === null
      ? phrase`Scored: ${judgedText} a day later, too few for a Brier score.`
      : phrase`Scored: ${judgedText} a day later, Brier ${
        price("brier", brier)
      } against the mid's ${price("midBrier", midBrier)}.`,
  )
}

/** Whether its 95 % interval is on one side of 0. */
const isDrift = ({ driftHigh, driftLow }: NonNullable<Estimate["moved"]>): boolean =>
  (driftLow ?? 0) > 0 || (driftHigh ?? 0) < 0

/** `After 1,412 such moves the price went on by 1.2 cents in a day on average (0.5 to 1.9).` Null where that is not known. */
export function movedFact(about: About, { moved }: Estimate): NewFact | null {
  if (moved === null) return null
  const { driftHigh, driftLow, meanDrift, moves } = moved
  if (meanDrift === null || driftLow === null || driftHigh === null) return null
  const after = phrase`After ${count("moves", moves, "such move")} the price`
  const [near, far] = meanDrift < 0 ? [driftHigh, driftLow] : [driftLow, driftHigh]
  return factOf(
    "record",
    about.slug,
    isDrift(moved)
      ? phrase`${after} ${word("way", meanDrift > 0 ? "went on by" : "gave back")} ${
        cents("drift", meanDrift)
      } in a day on average (${cents("driftNear", near)} to ${cents("driftFar", far)}).`
      : phrase`${after} was a day later on average where it had been, within ${
        cents("driftMost", Math.max(-driftLow, driftHigh))
      }.`,
  )
}

/** `No in “…” at 0.645 or less before the fee, up to $10,234: $1,000 is expected to gain $40 after the fee (range -$46 to $125). It pays $1,563 if No is paid; else $1,021 is lost, with the fee.` */
export function tradeFact(about: About, trade: Trade): NewFact {
  const { costUsd, gainRangeUsd, gainUsd, limit, outcome, payoutUsd, sizeUsd, stakeUsd } = trade
  const range = gainRangeUsd === null
    ? phrase``
    : phrase` (range ${usd("gainLow", gainRangeUsd[0])} to ${usd("gainHigh", gainRangeUsd[1])})`
  return factOf(
    "method",
    about.slug,
    phrase`${outcomeOf(about, outcome)} at ${
      rounded("limit", limit)
    } or less before the fee, up to ${usd("size", sizeUsd)}: ${
      usd("stake", stakeUsd)
    } is expected to gain ${usd("gainUsd", gainUsd)} after the fee${range}. It pays ${
      usd("payout", payoutUsd)
    } if ${outcomeOf(unnamed(about), outcome)} is paid; else ${
      usd("worst", costUsd)
    } is lost, with the fee.`,
  )
}

/** `No trade in “…” unless your own chance of Yes is above 0.758 (Yes at its ask of 0.75) or below 0.711 (No at 0.28): our fair price of Yes is 0.73.` */
export function noTradeFact(
  about: About,
  [first, second]: readonly [Side, Side],
  estimate: Estimate | null,
): NewFact {
  const titled = about.isNamed ? phrase`No trade in ${titleOf(about)}` : phrase`No trade`
  const own = outcomeOf(unnamed(about), 0)
  return factOf(
    "method",
    about.slug,
    first.ask === null || second.ask === null
      ? phrase`${titled}: not both sides are offered.`
      : first.breakEven === null || second.breakEven === null
      ? phrase`${titled}: its fee is not known.`
      : phrase`${titled} unless your own chance of ${own} is above ${
        rounded("cost", first.breakEven)
      } (${own} at its ask of ${price("ask", first.ask)}) or below ${
        rounded("cost2", complement(second.breakEven))
      } (${outcomeOf(unnamed(about), 1, "outcome2")} at ${price("ask2", second.ask)})${
        estimate === null
          ? phrase``
          : phrase`: ${
            estimate.basis.length === 0 ? "the market's" : "our fair"
          } price of ${own} is ${rounded("fair", estimate.probability)}${
            estimate.probability > first.breakEven ||
              complement(estimate.probability) > second.breakEven
              ? ", which leaves less than a cent"
              : ""
          }`
      }.`,
  )
}

/** `Watch 2026-12-02 09:01 UTC: nine times in ten its mid is then 0.034 to 0.341.` Null without a range. */
export function rangeFact(
  about: About,
  { dayHigh, dayLow }: Estimate,
  now: EpochMs,
): NewFact | null {
  return dayLow === null || dayHigh === null ? null : factOf(
    "method",
    about.slug,
    phrase`Watch ${time("watchAt", now + day, now)}: nine times in ten its mid is then ${
      rounded("dayLow", dayLow)
    } to ${rounded("dayHigh", dayHigh)}.`,
  )
}

/** A price farther from what is offered is not worth watching, USD a share. */
const nearMax = 0.1

/**
 * `Act at: Yes at 0.773 or less, No at 0.191 or less: that leaves a cent a share after the fee at our fair price, unless news explains it.`
 * Without a view the prices at which a combination gains. Null where there are none near to what is offered.
 */
export function actFact(about: About, view: MarketView): NewFact | null {
  const { estimate, event: { bounds }, market: { takerFeeRate } } = view
  const isViewed = estimate !== null && estimate.basis.length > 0
  const limits = sidesOf(view).flatMap(({ ask, limit: own, outcome }) => {
    const bound = outcome === 0 ? bounds?.low ?? 0 : complement(bounds?.high ?? 1)
    const limit = isViewed ? own : limitAt(bound, takerFeeRate)
    const isNear = limit !== null && ask !== null && limit < ask && ask - limit <= nearMax
    return !isNear || limit < 0.01 ? [] : [
      phrase`${outcomeOf(about, outcome, `outcome${outcome + 1}`)} at ${
        rounded(`limit${outcome + 1}`, limit)
      } or less`,
    ]
  })
  const why = isViewed
    ? "at our fair price, unless news explains it"
    : "with its event's other markets, if all settle alike"
  return limits.length === 0 ? null : factOf(
    "method",
    about.slug,
    phrase`Act at: ${joined(limits, ", ")}: that leaves a cent a share after the fee ${why}.`,
  )
}

/** `Bought and sold again at once, $1,000 of Yes loses $38, and $1,000 of No finds bids for $340 only.` */
export function exitFact(about: About, view: MarketView): NewFact {
  const sides = ([0, 1] as const).map((outcome) => {
    const side = outcomeOf(about, outcome, `outcome${outcome + 1}`)
    const exit = exitOf(view, outcome)
    if (exit === null) return phrase`${side} is not offered`
    const { backUsd, isWhole, stakeUsd } = exit
    const staked = phrase`${usd(`stake${outcome + 1}`, stakeUsd)} of ${side}`
    const slot = `exit${outcome + 1}`
    return isWhole
      ? phrase`${staked} loses ${usd(slot, stakeUsd - backUsd)}`
      : phrase`${staked} finds bids for ${usd(slot, backUsd)} only`
  })
  return factOf(
    "book",
    about.slug,
    view.market.takerFeeRate === null
      ? phrase`Its fee is not known, so neither is what it costs to sell again.`
      : phrase`Bought and sold again at once, ${joined(sides, ", and ")}.`,
  )
}
