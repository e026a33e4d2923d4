/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { Estimate } from "../domain/estimate.ts"
import { joined, listed, phrase, type Statement } from "../domain/statement.ts"
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
import type { Side, Trade } from "./view.ts"

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
  wallets: "the records of labelled wallets, shrunk for luck",
  ladder: "the prices of its event's other markets",
}

/** What was looked for and is not there, and what is there but proves too little. */
const lacking: Readonly<Record<"absent" | "weak", typeof reasons>> = {
  absent: {
    move: "no published move of the last day",
    proposal: "no proposal with a record",
    reports: "no report of its end",
    wallets: "no labelled wallet",
    ladder: "no price of another market that limits it",
  },
  weak: {
    move: "moves like its last one led nowhere on average",
    proposal: "too few proposals like this one have ended",
    reports: "too few reports like these were settled",
    wallets: "its labelled wallets have no edge left at this price",
    ladder: "the other markets' prices contradict each other",
  },
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

/**
 * `Our fair price of Yes is 0.402 (0.357 to 0.448), the market's 0.365: the records of labelled wallets, shrunk for luck.`
 * Without a view, what it lacks: `isDoubted` of a proposal that it says nothing about.
 */
export function estimateFact(about: About, estimate: Estimate, isDoubted: boolean): NewFact {
  const { basis, high, lacks, low, mid, probability } = estimate
  const interval = low === null || high === null
    ? phrase``
    : phrase` (${rounded("low", low)} to ${rounded("high", high)})`
  const lackingOf = (isAbsent: boolean) =>
    lacks.filter(({ ingredient, why }) =>
      (why === "absent") === isAbsent && (isDoubted || ingredient !== "proposal")
    ).map(({ ingredient, why }) => phrase`${lacking[why][ingredient]}`)
  const [absent, weak] = [lackingOf(true), lackingOf(false)]
  return factOf(
    "method",
    about.slug,
    basis.length === 0
      ? phrase`${word("basis", "No view beyond the market's price")}: ${
        lacks.length === 0 ? phrase`what we stated so far did worse than the price` : joined(
          [...weak, ...absent.length === 0 ? [] : [phrase`there is ${listed(absent)}`]],
          "; ",
        )
      }.`
      : phrase`Our fair price of ${outcomeOf(about, 0)} is ${
        rounded("probability", probability)
      }${interval}, the market's ${rounded("price", mid)}: ${listed(basis.map(reasonOf))}.`,
  )
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own fair price could not be read.`)
}

/** `Reference: of 812 settled entries of tracked wallets at 0.25 to 0.50, 36.1% won (31% to 41.5%), for 0.38 on average.` */
export function referenceFact(about: About, { reference }: Estimate): NewFact | null {
  if (reference === null) return null
  const { entries, from, meanEntryPrice, to, winRate, winRateHigh, winRateLow } = reference
  if (winRate === null || winRateHigh === null || winRateLow === null) return null
  return factOf(
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

/** `No in “…” at 0.645 or less, up to $10,234: $1,000 gains $40 on average after the fee (mean minus $46 to $125), and is lost if Yes is paid.` */
export function tradeFact(about: About, trade: Trade): NewFact {
  const { gainRangeUsd, gainUsd, limit, outcome, sizeUsd, stakeUsd } = trade
  const range = gainRangeUsd === null
    ? phrase``
    : phrase` (mean ${signedUsd("gainLow", gainRangeUsd[0])} to ${
      signedUsd("gainHigh", gainRangeUsd[1])
    })`
  return factOf(
    "method",
    about.slug,
    phrase`${outcomeOf(about, outcome)} at ${rounded("limit", limit)} or less, up to ${
      usd("size", sizeUsd)
    }: ${usd("stake", stakeUsd)} gains ${
      usd("gainUsd", gainUsd)
    } on average after the fee${range}, and is lost if ${
      outcomeOf(unnamed(about), outcome === 0 ? 1 : 0, "outcome2")
    } is paid.`,
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
          : phrase`, and our fair price of ${own} is ${rounded("fair", estimate.probability)}`
      }.`,
  )
}

/** `$261`, or `minus $51`; to the dollar. */
const signedUsd = (slot: string, of: number): Statement =>
  phrase`${Math.round(of) < 0 ? "minus " : ""}${usd(slot, Math.abs(of))}`
