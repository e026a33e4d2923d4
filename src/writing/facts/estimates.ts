/**
 * Facts about the number that a text states: the service's probability, next to the market's, and what
 * it is worth at the quotes.
 *
 * @module
 */
import type { Estimate } from "../domain/estimate.ts"
import { phrase } from "../domain/statement.ts"
import { type About, factOf, type NewFact, outcomeOf, rounded, usd, word } from "./fact.ts"
import type { Side } from "./view.ts"

/** What moves the number from the market's price, by ingredient. */
const reasons: Readonly<Record<Estimate["basis"][number]["ingredient"], string>> = {
  move: "what such moves did in the next day",
  proposal: "how doubted proposals ended",
  reports: "how such reports ended",
  wallets: "the records of the labelled wallets in it",
  ladder: "the prices of the other markets of its event",
}

/** `Our fair price of Yes is 0.402, the market's 0.365: the records of the labelled wallets in it.` */
export function estimateFact(about: About, { basis, mid, probability }: Estimate): NewFact {
  const market = rounded("price", mid)
  return factOf(
    "method",
    about.slug,
    basis.length === 0
      ? phrase`${word("basis", "No view beyond the market")}: ${outcomeOf(about, 0)} at ${
        rounded("probability", probability)
      }.`
      : phrase`Our fair price of ${outcomeOf(about, 0)} is ${
        rounded("probability", probability)
      }, the market's ${market}: ${
        word("basis", basis.map(({ ingredient }) => reasons[ingredient]).join(" and "))
      }.`,
  )
}

/** In place of a number: the record could not be read or written. */
export function noNumberFact(about: About): NewFact {
  return factOf("method", about.slug, phrase`Our own fair price could not be read.`)
}

/** Where its price is a day later in nine of ten cases; null where it will probably end before. */
export function rangeFact(about: About, { high, low }: Estimate): NewFact | null {
  return low === null || high === null ? null : factOf(
    "method",
    about.slug,
    phrase`By last week's changes, its price a day from now is between ${rounded("low", low)} and ${
      rounded("high", high)
    } in nine of ten cases.`,
  )
}

/** What a view comes to at the book; null without a limit. */
export function tradeFact(about: About, trade: Side | null): NewFact | null {
  if (trade === null) {
    return factOf("method", about.slug, phrase`Neither side is offered cheaply enough for that.`)
  }
  const { limit, outcome, sizeUsd } = trade
  return limit === null || sizeUsd === null ? null : factOf(
    "method",
    about.slug,
    phrase`That favours ${outcomeOf(about, outcome)} up to ${
      rounded("limit", limit)
    }, where it breaks even; ${usd("size", sizeUsd)} is offered up to there.`,
  )
}
