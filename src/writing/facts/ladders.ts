/**
 * Facts about markets that are tied together: rungs of a ladder, and the exclusive outcomes of an event.
 *
 * @module
 */
import type { Contradiction, ImpliedEnd } from "../../markets/domain/ladders.ts"
import { complement } from "../../markets/domain/quote.ts"
import type { SiblingSum } from "../../markets/domain/siblings.ts"
import { listed, phrase, type Statement } from "../domain/statement.ts"
import { type EventView, priceOfRung } from "../domain/event.ts"
import {
  type About,
  cents,
  count,
  factOf,
  named,
  type NewFact,
  price,
  titleOf,
  usd,
} from "./fact.ts"

/** What a pair of purchases costs and gains whichever of two contradicting prices is wrong, why, and at which prices. */
export function pairFacts(
  found: Contradiction,
): readonly [NewFact, ...ReadonlyArray<NewFact>] | null {
  const { ask, bid, easier, gainPerShare, harder, reason, size } = found
  if (size === null) return null
  const outcome = named("outcome", easier.market.outcomes[easier.rung.outcome])
  const opposite = named("outcome2", harder.market.outcomes[harder.rung.outcome === 0 ? 1 : 0])
  const fact = (statement: Statement) => factOf("relation", easier.market.slug, statement)
  return [
    fact(
      phrase`${outcome} in ${titleOf(easier.market)} and ${opposite} in ${
        titleOf(harder.market, "market2")
      } together cost ${usd("stake", size.costUsd)} and gain ${
        usd("gainUsd", size.gainUsd)
      } after fees.`,
    ),
    fact(
      phrase`The pair of ${named("rung", easier.rung.label)} and ${
        named("rung2", harder.rung.label)
      } gains because ${reason}: at least ${
        cents("gain", gainPerShare)
      } a share, if both are decided as their titles read.`,
    ),
    fact(phrase`They are asked at ${price("ask", ask)} and ${price("ask2", complement(bid))}.`),
  ]
}

/** What the proposal or the result of another rung implies here; null without a price here. */
export function impliedFact(implied: ImpliedEnd): NewFact | null {
  const { source, target, outcome, mid, state, reason } = implied
  if (mid === null || source.known === null) return null
  const known = named("outcome2", source.market.outcomes[source.known.outcome])
  const here = named("outcome", target.market.outcomes[outcome])
  return factOf(
    "relation",
    target.market.slug,
    phrase`${known} is ${state === "proposed" ? "proposed" : "paid"} in ${
      titleOf(source.market, "market2")
    }, and ${reason}: then ${here} must be paid in ${titleOf(target.market)}, at ${
      price("price", mid)
    } now${implied.conflict ? "; its own proposal says the opposite" : ""}.`,
  )
}

/** Rungs that are listed with their prices: those nearest to this market. */
const listedMax = 7
/** Inversions that are stated: those of the listed rungs that differ most. */
const inversionsMax = 2

/** All priced rungs of a ladder, the easiest first, then the neighbours in the wrong order. */
export function rungFacts(
  about: About,
  { inversions, rungs }: Pick<EventView, "rungs" | "inversions">,
): ReadonlyArray<NewFact> {
  if (rungs.length < 2) return []
  const own = rungs.findIndex(({ market }) => market.slug === about.slug)
  const first = Math.max(0, Math.min(own - 3, rungs.length - listedMax))
  const prices = rungs.slice(first, first + listedMax).map((rung, n) =>
    phrase`${named(`rung${n + 1}`, rung.rung.label)} ${price(`price${n + 1}`, priceOfRung(rung))}`
  )
  const gap = ([easier, harder]: EventView["inversions"][number]) =>
    priceOfRung(harder) - priceOfRung(easier)
  return [
    factOf(
      "relation",
      about.slug,
      phrase`Its ladder has ${count("rungs", rungs.length, "priced rung")}, the easiest first: ${
        listed(prices)
      }.`,
    ),
    ...inversions.toSorted((a, b) => gap(b) - gap(a)).slice(0, inversionsMax).map((pair) =>
      inversionFact(about, pair)
    ),
  ]
}

/** The inversions with one market, as a text states them that does not list its ladder. */
export function inversionFacts(about: About, { inversions }: EventView): ReadonlyArray<NewFact> {
  return inversions.filter((pair) => pair.some(({ market }) => market.slug === about.slug))
    .slice(0, inversionsMax).map((pair) => inversionFact(about, pair))
}

/** A harder rung above an easier one, which no world allows, although the quotes may not pay for it. */
function inversionFact(about: About, [easier, harder]: EventView["inversions"][number]): NewFact {
  return factOf(
    "relation",
    about.slug,
    phrase`One price is wrong: the harder ${named("rung", harder.rung.label)} at ${
      price("price", priceOfRung(harder))
    } is above the easier ${named("rung2", easier.rung.label)} at ${
      price("price2", priceOfRung(easier))
    }.`,
  )
}

/** What the exclusive outcomes of the event are bid and asked for, and a basket that gains. */
export function sumFact(about: About, sum: SiblingSum): NewFact {
  const { bidSum, askSum, basket } = sum
  const outcomes = count("siblings", sum.markets.length, "exclusive outcome")
  const event = about.isNamed ? phrase`the event of ${titleOf(about)}` : "its event"
  const total = phrase`The ${outcomes} of ${event}${sum.partial ? " that were read" : ""}`
  const sides = bidSum === null || askSum === null
    ? phrase`${total} are not all quoted`
    : phrase`${total} are bid ${price("bidSum", bidSum)} and asked ${
      price("askSum", askSum)
    } together`
  return factOf(
    "relation",
    about.slug,
    basket === null
      ? phrase`${sides}; no purchase of them gains after fees.`
      : phrase`${sides}; at most one is paid: the second outcomes of the ${
        count("basket", basket.outcomes, "dearest", "dearest")
      } cost ${usd("stake", basket.costUsd)} at their quotes and gain ${
        usd("gainUsd", basket.gainUsd)
      } after fees.`,
  )
}
