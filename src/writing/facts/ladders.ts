/**
 * Facts about markets that are tied together: rungs of a ladder, and the exclusive outcomes of an event.
 *
 * @module
 */
import type { Contradiction, ImpliedEnd, LadderRung } from "../../markets/domain/ladders.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { complement, quoteOfOutcome } from "../../markets/domain/quote.ts"
import type { SiblingSum } from "../../markets/domain/siblings.ts"
import { listed, phrase, type Statement } from "../domain/statement.ts"
import { type About, cents, count, factOf, named, type NewFact, price, time, usd } from "./fact.ts"

/** What a pair of purchases costs and gains whichever of two contradicting prices is wrong, why, and at which prices. */
export function pairFacts(found: Contradiction, now: EpochMs | null): ReadonlyArray<NewFact> {
  const { harder, easier, bid, ask, gainPerShare, reason, size } = found
  if (size === null) return []
  const outcome = named("outcome", easier.market.outcomes[easier.rung.outcome])
  const opposite = named("outcome2", harder.market.outcomes[harder.rung.outcome === 0 ? 1 : 0])
  const first = phrase`${outcome} in ${questionOf(easier, "market")}`
  const second = phrase`${opposite} in ${questionOf(harder, "market2")}`
  const facts = [
    phrase`${first} and ${second} together cost ${usd("stake", size.costUsd)} and gain ${
      usd("gainUsd", size.gainUsd)
    } after fees.`,
    phrase`The reason: ${reason}. The gain is ${
      cents("gain", gainPerShare)
    } a share, if both are decided as their titles read.`,
    now !== null
      ? phrase`${first} is asked at ${price("ask", ask)}${endOf(easier, now)}.`
      : phrase`They are asked at ${price("ask", ask)} and ${price("ask2", complement(bid))}.`,
  ].map((statement) => factOf("relation", easier.market.slug, statement))
  if (now === null) return facts
  const other = phrase`${second} is asked at ${price("ask2", complement(bid))}${
    endOf(harder, now)
  }.`
  return [...facts, factOf("relation", harder.market.slug, other)]
}

function endOf({ market: { endsAt } }: LadderRung, now: EpochMs): Statement {
  return endsAt === null ? phrase`` : phrase`; its listed date is ${time("endsAt", endsAt, now)}`
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
      questionOf(source, "market2")
    }, and ${reason}: then ${here} must be paid in ${questionOf(target, "market")}, at ${
      price("price", mid)
    } now${implied.conflict ? "; its own proposal says the opposite" : ""}.`,
  )
}

/** Rungs that are listed with their prices: those nearest to this market. */
const listedMax = 7

/** All priced rungs of a ladder, the easiest first. */
export function rungsFact(about: About, rungs: ReadonlyArray<LadderRung>): NewFact {
  const own = rungs.findIndex(({ market }) => market.slug === about.slug)
  const first = Math.max(0, Math.min(own - 3, rungs.length - listedMax))
  const prices = rungs.slice(first, first + listedMax).map((rung, n) =>
    phrase`${named(`rung${n + 1}`, rung.rung.label)} ${price(`price${n + 1}`, priceOfRung(rung))}`
  )
  return factOf(
    "relation",
    about.slug,
    phrase`Its ladder has ${count("rungs", rungs.length, "priced rung")}, the easiest first: ${
      listed(prices)
    }.`,
  )
}

/** What the exclusive outcomes of the event are bid and asked for, and a basket that gains. */
export function sumFact(about: About, sum: SiblingSum): NewFact {
  const { bidSum, askSum, basket } = sum
  const outcomes = count("siblings", sum.markets.length, "exclusive outcome")
  const event = about.isNamed
    ? phrase`the event of ${named("market", about.question)}`
    : "its event"
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
      ? phrase`${sides}; at most one is paid, and no purchase of the others gains after fees.`
      : phrase`${sides}; at most one is paid: the second outcomes of the ${
        count("basket", basket.outcomes, "dearest", "dearest")
      } cost ${usd("stake", basket.costUsd)} at their quotes and gain ${
        usd("gainUsd", basket.gainUsd)
      } after fees.`,
  )
}

function questionOf({ market }: LadderRung, slot: string): Statement {
  return named(slot, market.question)
}

function priceOfRung({ quote, rung }: LadderRung): number {
  return quote === null ? 0 : quoteOfOutcome(quote, rung.outcome).mid
}
