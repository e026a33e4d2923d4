/**
 * Facts about markets that are tied together: rungs of a ladder, and the exclusive outcomes of an event.
 *
 * @module
 */
import { expectedResolution } from "../../markets/domain/expectedResolution.ts"
import type { Contradiction, ImpliedEnd } from "../../markets/domain/ladders.ts"
import { complement } from "../../markets/domain/quote.ts"
import type { SiblingSum } from "../../markets/domain/siblings.ts"
import { listed, phrase, type Statement } from "../domain/statement.ts"
import type { FactKind } from "../domain/facts.ts"
import { type EventView, priceOfRung } from "../domain/event.ts"
import {
  type About,
  count,
  date,
  factOf,
  named,
  type NewFact,
  price,
  rate,
  titleOf,
  usd,
} from "./fact.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/** A pair of purchases that gains whichever of two contradicting prices is wrong. */
interface Pair {
  /** Whether the rules of both read the same but for their figures; else the gain has a condition. */
  readonly isSure: boolean
  /** What it costs and gains, with the names of both markets. */
  readonly lead: NewFact
  /** The same by the names of the rungs, where the first market is named already. */
  readonly opening: NewFact
  readonly details: ReadonlyArray<NewFact>
}

/** What the type of a rung's market leaves out. */
const unlisted = { status: "open", mechanical: null, gameStartsAt: null } as const

/** Null without a size at the quotes. */
export function pairOf(found: Contradiction, now: EpochMs): Pair | null {
  const { ask, bid, easier, harder, reason, size } = found
  if (size === null) return null
  const outcome = named("outcome", easier.market.outcomes[easier.rung.outcome])
  const opposite = named("outcome2", harder.market.outcomes[harder.rung.outcome === 0 ? 1 : 0])
  const fact = (statement: Statement, kind: FactKind = "relation") =>
    factOf(kind, easier.market.slug, statement)
  const payouts = [easier, harder].flatMap(({ market, quote }) =>
    expectedResolution({
      market: { ...unlisted, eventSlug: market.eventKey, ...market },
      ...{ mid: quote?.mid ?? null, proposal: null },
    }, now)?.at ?? []
  )
  const [first, second] = [rulesOf(easier), rulesOf(harder)]
  const isSure = first !== "" && first === second
  const condition = isSure ? phrase`` : phrase` if both settle on the same figure`
  const words = (first: Statement, second: Statement) =>
    fact(
      phrase`${outcome} ${first} at ${price("ask", ask)} and ${opposite} ${second} at ${
        price("ask2", complement(bid))
      } together cost ${usd("stake", size.costUsd)} for ${
        count("shares", Math.floor(size.shares), "share")
      } of each and gain at least ${usd("gainUsd", size.gainUsd)} after fees${condition}.`,
      "method",
    )
  return {
    isSure,
    lead: words(
      phrase`in ${titleOf(easier.market)}`,
      phrase`in ${titleOf(harder.market, "market2")}`,
    ),
    opening: words(
      phrase`of ${named("rung", easier.rung.label)}`,
      phrase`of ${named("rung2", harder.rung.label)}`,
    ),
    details: [
      fact(
        phrase`Why: ${reason}, ${
          isSure
            ? "and the rules of both read the same but for their figures"
            : first === "" || second === ""
            ? "but their rules could not be read"
            : "but their rules differ in more than figures"
        }.`,
      ),
      fact(
        phrase`Where both pay, the gain is ${usd("gainBoth", size.gainUsd + size.shares)}.`,
        "market",
      ),
      ...payouts.length < 2 ? [] : [fact(
        phrase`Locked until payout, expected about ${
          date("until", Math.max(...payouts))
        }: a return of ${rate("return", size.gainUsd / size.costUsd)} in ${
          count("days", Math.max(1, Math.round((Math.max(...payouts) - now) / day)), "day")
        }.`,
      )],
    ],
  }
}

/** The rules of a rung without their figures, in which those of a ladder differ; empty for none. */
const rulesOf = ({ rules }: Contradiction["easier"]): string =>
  (rules ?? "").toLowerCase().replace(/\d[\d.,:]*/g, "0")

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
  return [
    factOf(
      "relation",
      about.slug,
      phrase`Its ladder has ${count("rungs", rungs.length, "priced rung")}, the easiest first: ${
        listed(prices)
      }.`,
    ),
    ...inversionFacts(about, inversions),
  ]
}

type Inversion = EventView["inversions"][number]
const gapOf = ([easier, harder]: Inversion) => priceOfRung(harder) - priceOfRung(easier)

/** A harder rung above an easier one, which no world allows, although the quotes may not pay for it; the widest first. */
export function inversionFacts(
  about: About,
  inversions: ReadonlyArray<Inversion>,
): ReadonlyArray<NewFact> {
  return inversions.toSorted((a, b) => gapOf(b) - gapOf(a)).map(([easier, harder]) =>
    factOf(
      "relation",
      about.slug,
      phrase`Either ${named("rung2", easier.rung.label)} at ${
        price("price2", priceOfRung(easier))
      } is too low, or the harder ${named("rung", harder.rung.label)} at ${
        price("price", priceOfRung(harder))
      } too high.`,
    )
  )
}

/** A basket of the exclusive outcomes of the event that gains. */
export function sumFact(
  about: About,
  { markets, partial }: SiblingSum,
  basket: NonNullable<SiblingSum["basket"]>,
): NewFact {
  const event = about.isNamed ? phrase`the event of ${titleOf(about)}` : "its event"
  return factOf(
    "relation",
    about.slug,
    phrase`Of the ${count("siblings", markets.length, "exclusive outcome")} of ${event}${
      partial ? " that were read" : ""
    } at most one is paid: the second outcomes of the ${
      count("basket", basket.outcomes, "dearest", "dearest")
    } cost ${usd("stake", basket.costUsd)} at their quotes and gain ${
      usd("gainUsd", basket.gainUsd)
    } after fees.`,
  )
}
