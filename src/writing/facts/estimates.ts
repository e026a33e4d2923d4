/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { Estimate } from "../domain/estimate.ts"
import { listed, phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  factOf,
  type NewFact,
  outcomeOf,
  part,
  price,
  rate,
  rounded,
  titleOf,
  unnamed,
  usd,
  word,
} from "./fact.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import {
  isDoubted,
  isOutdated,
  labelledPositions,
  type MarketView,
  priceOfOutcome,
  type Side,
  storyFor,
  type Trade,
} from "./view.ts"
import { edgeLeftAt, favouredBy } from "./wallets.ts"

/** What the record counts, by ingredient. */
const counted: Readonly<Partial<typeof reasons>> = {
  proposal: "doubted proposals",
  reports: "reported outcomes",
}

/** What moves the number from the market's price, by ingredient; after its record where that is counted. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "the record of such moves",
  proposal: "were upheld",
  reports: "were paid, counted half at a doubting price",
  wallets: "estimated from wallets' records, discounted for chance",
  ladder: "the prices of its event's other markets",
}

function reasonOf({ cases, ingredient, meanPrice, won }: Estimate["basis"][number], n: number) {
  const reason = word(`basis${n || ""}`, reasons[ingredient])
  if (cases === null || won === null) return phrase`${reason}`
  const noun = counted[ingredient] ?? "cases"
  const priced = meanPrice === null
    ? phrase``
    : phrase`, priced ${rounded("meanPrice", meanPrice)} on average,`
  return phrase`${part(`won${n}`, won)} ${count(`cases${n}`, cases, noun, noun)}${priced} ${reason}`
}

/** `Our fair price of Yes is 0.402 (0.357 to 0.448), the market's 0.365: estimated from wallets' records, discounted for chance.` */
export function estimateFact(
  about: About,
  { basis, high, low, mid, probability }: Estimate,
): NewFact {
  const interval = low === null || high === null
    ? phrase``
    : phrase` (${rounded("low", low)} to ${rounded("high", high)})`
  return factOf(
    "method",
    about.slug,
    phrase`Our fair price of ${outcomeOf(about, 0)} is ${
      rounded("probability", probability)
    }${interval}, the market's ${rounded("price", mid)}: ${listed(basis.map(reasonOf))}.`,
  )
}

/** Why the number is the market's: what the text shows of it, else that nothing of it is a signal. */
export function noViewFact(about: About, estimate: Estimate, view: MarketView): NewFact {
  const { proposal, reported } = view
  const isSplit = ([0, 1] as const).every((outcome) => storyFor(view, outcome) !== null)
  const why = estimate.provenWorse
    ? phrase`what we stated so far did worse than it`
    : proposal?.disputed === true
    ? phrase`a vote decides the disputed proposal`
    : isSplit
    ? phrase`its headlines point both ways`
    : reported !== null
    ? phrase`our record of such reports does not move it`
    : proposal !== null && isDoubted(view)
    ? doubtedWords(unnamed(about), proposal, priceOfOutcome(view, proposal.outcome), estimate)
    : phrase`${idleWords(view)}`
  return factOf(
    "method",
    about.slug,
    phrase`${word("basis", "No view beyond the market's price")}: ${why}.`,
  )
}

/** What became of such proposals, their card says. */
function doubtedWords(about: About, { outcome }: Proposal, mid: number, { doubted }: Estimate) {
  const other = outcomeOf(about, outcome === 0 ? 1 : 0, "outcome2")
  const few = doubted === null ? "; too few such proposals have ended to say which is right" : ""
  const words = mid < 0.5 ? "favours" : "leaves a chance of"
  return phrase`the price ${words} ${other}, the proposal says ${outcomeOf(about, outcome)}${few}`
}

/** Why labelled wallets, if there are any, do not move the number. */
function idleWords(view: MarketView): string {
  const labelled = labelledPositions(view)
  const live = labelled.filter((position) => !isOutdated(view, position))
  const sides = live.map(favouredBy).filter((outcome, n) =>
    live[n] !== undefined && edgeLeftAt(live[n], priceOfOutcome(view, outcome)).edge > 0
  )
  if (labelled.length === 0) {
    return "no signal beyond it in moves, proposals, reports, labelled wallets or related markets"
  }
  if (live.length === 0) {
    return "a headline for the other side came after its labelled wallets bought"
  }
  if (sides.length === 0) return "at this price nothing is left of its labelled wallets' edge"
  return new Set(sides).size > 1
    ? "its labelled wallets disagree"
    : "what is left of its labelled wallets' edge is too small"
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own fair price could not be read.`)
}

/** A reference class whose share of wins is known less exactly says nothing of a price. */
const referenceWidthMax = 0.15

/** `Reference: of 812 settled entries of tracked wallets at 0.25 to 0.50, 36.1% won (31% to 41.5%), for 0.38 on average.` */
export function referenceFact(about: About, { reference }: Estimate): NewFact | null {
  if (reference === null) return null
  const { entries, from, meanEntryPrice, to, winRate, winRateHigh, winRateLow } = reference
  if (winRate === null || winRateHigh === null || winRateLow === null) return null
  return winRateHigh - winRateLow > referenceWidthMax ? null : factOf(
    "method",
    about.slug,
    phrase`Reference: of ${
      count("reference", entries, "settled entry", "settled entries")
    } of tracked wallets at ${price("from", from)} to ${price("to", to)}, ${
      rate("won", winRate)
    } won (${rate("wonLow", winRateLow)} to ${rate("wonHigh", winRateHigh)}), for ${
      rounded("meanPrice", meanEntryPrice)
    } on average.`,
  )
}

/** Where its price is a day later in nine of ten cases; null where it will probably end before. */
export function rangeFact(about: About, { dayHigh, dayLow }: Estimate): NewFact | null {
  return dayLow === null || dayHigh === null ? null : factOf(
    "method",
    about.slug,
    phrase`A day from now its price is between ${rounded("dayLow", dayLow)} and ${
      rounded("dayHigh", dayHigh)
    } in nine of ten cases, by last week's changes.`,
  )
}

/** `No in “…” at 0.645 or less before the fee, up to $10,234: $1,000 is expected to gain $40 after the fee (range -$46 to +$125), $15 at the limit.` */
export function tradeFact(about: About, trade: Trade): NewFact {
  const { gainAtLimitUsd, gainRangeUsd, gainUsd, limit, outcome, sizeUsd, stakeUsd } = trade
  const range = gainRangeUsd === null
    ? phrase``
    : phrase` (range ${signedUsd("gainLow", gainRangeUsd[0])} to ${
      signedUsd("gainHigh", gainRangeUsd[1])
    })`
  return factOf(
    "method",
    about.slug,
    phrase`${outcomeOf(about, outcome)} at ${
      rounded("limit", limit)
    } or less before the fee, up to ${usd("size", sizeUsd)}: ${
      usd("stake", stakeUsd)
    } is expected to gain ${usd("gainUsd", gainUsd)} after the fee${range}, ${
      usd("gainAtLimit", gainAtLimitUsd)
    } at the limit.`,
  )
}

/** Why nothing is bought at these prices: what each side costs, next to the stated number. */
export function noTradeFact(
  about: About,
  [first, second]: readonly [Side, Side],
  estimate: Estimate | null,
): NewFact {
  const titled = phrase`No trade in ${titleOf(about)}`
  const own = outcomeOf(unnamed(about), 0)
  return factOf(
    "method",
    about.slug,
    first.breakEven === null || second.breakEven === null
      ? phrase`${titled}: ${
        first.ask === null || second.ask === null
          ? "not both sides are offered"
          : "its fee is not known"
      }.`
      : phrase`${titled} at these prices: ${
        first.breakEven === first.ask ? "" : "with the fee "
      }${own} costs ${rounded("cost", first.breakEven)} and ${
        outcomeOf(unnamed(about), 1, "outcome2")
      } ${rounded("cost2", second.breakEven)}${
        estimate === null
          ? phrase``
          : estimate.basis.length === 0
          ? phrase`, against a market price of ${rounded("fair", estimate.mid)}`
          : phrase`, and our fair price of ${own} is ${
            rounded("fair", estimate.probability)
          }: under a cent a share is left`
      }.`,
  )
}

/** `+$261`, or `-$51`; to the dollar. */
const signedUsd = (slot: string, of: number): Statement =>
  phrase`${Math.round(of) < 0 ? "-" : "+"}${usd(slot, Math.abs(of))}`
