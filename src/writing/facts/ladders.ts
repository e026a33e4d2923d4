/**
 * Facts about markets that are tied together: rungs of a ladder, and the exclusive outcomes of an event.
 *
 * @module
 */
import { expectedResolution } from "../../markets/domain/expectedResolution.ts"
import type { Contradiction, ImpliedEnd, LadderRung } from "../../markets/domain/ladders.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import { complement } from "../../markets/domain/quote.ts"
import { sentencesOf } from "../../markets/domain/clause.ts"
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
  quotation,
  rate,
  rounded,
  titleOf,
  usd,
} from "./fact.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/** A purchase of several that gain together. */
export interface Leg {
  readonly market: string
  readonly outcome: string
  /** USD a share, before the fee. */
  readonly limitPrice: number
  readonly shares: number
}

/** A pair of purchases that gains whichever of two contradicting prices is wrong. */
interface Pair {
  /** Whether the rules of both read the same but for their figures; else the gain has a condition. */
  readonly isSure: boolean
  /** What it costs and gains, with the names of both markets. */
  readonly lead: NewFact
  /** The same by the names of the rungs, where the first market is named already. */
  readonly opening: NewFact
  readonly details: ReadonlyArray<NewFact>
  readonly legs: ReadonlyArray<Leg>
}

/** What the type of a rung's market leaves out. */
const unlisted = { status: "open", mechanical: null } as const

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
      market: { ...unlisted, ...market },
      ...{ mid: quote?.mid ?? null, proposal: null },
    }, now)?.at ?? []
  )
  const [first, second] = [rulesOf(easier), rulesOf(harder)]
  const isSure = first !== "" && first === second
  const condition = isSure ? phrase`` : phrase` if both settle alike`
  const words = (first: Statement, second: Statement) =>
    fact(
      phrase`${outcome} ${first} at ${price("ask", ask)} and ${opposite} ${second} at ${
        price("ask2", complement(bid))
      } together cost ${usd("stake", size.costUsd)} for ${
        count("shares", Math.floor(size.shares), "share")
      } of each and gain at least ${
        usd("gainUsd", Math.floor(size.gainUsd))
      } after fees${condition}.`,
      isSure ? "method" : "relation",
    )
  const shares = Math.floor(size.shares)
  const other = harder.rung.outcome === 0 ? 1 : 0
  return {
    isSure,
    legs: [legOf(easier.market, easier.rung.outcome, ask, shares)].concat(
      legOf(harder.market, other, complement(bid), shares),
    ),
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
      ...isSure ? [] : [fact(
        phrase`Where they settle differently both may pay nothing: ${
          usd("worst", size.costUsd)
        } is lost.`,
        "market",
      )],
      ...differenceFacts(easier, harder),
      ...payouts.length < 2 ? [] : [fact(
        phrase`Locked until payout, expected about ${
          date("until", Math.max(...payouts))
        }: a return of ${rate("return", size.gainUsd / size.costUsd)} in ${
          count("days", Math.max(1, Math.round((Math.max(...payouts) - now) / day)), "day")
        }, or a gain of ${usd("gainBoth", size.gainUsd + size.shares)} where both pay.`,
      )],
    ],
  }
}

const legOf = (
  { outcomes, slug }: Pick<LadderRung["market"], "slug" | "outcomes">,
  outcome: 0 | 1,
  limitPrice: number,
  shares: number,
): Leg => ({ market: slug, outcome: outcomes[outcome], limitPrice, shares })

export const basketLegs = ({ legs, shares }: NonNullable<SiblingSum["basket"]>) =>
  legs.map(({ market, price }) => legOf(market, 1, price, Math.floor(shares)))

/** The rules of a rung without their figures, in which those of a ladder differ; empty for none. */
const rulesOf = ({ rules }: LadderRung): string => withoutFigures(rules ?? "")
const withoutFigures = (text: string) =>
  text.toLowerCase().replace(/\d[\d.,:]*/g, "0").replace(month, "month")
const month =
  /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/g
/** Characters of rules that are compared. */
const rulesMax = 6_000

/** Characters of a quoted sentence of the rules. */
const quoteMax = 240

/** The first sentence of each rules that the other ones lack; of long ones only what differs. */
function differenceFacts(easier: LadderRung, harder: LadderRung): ReadonlyArray<NewFact> {
  const read = [easier, harder].map(({ rules }) => sentencesOf(excerpt(rules ?? "", rulesMax)))
  if (read.some(({ length }) => length === 0)) return []
  const lacked = read.map((own, n) => {
    const others = (read[1 - n] ?? []).map(withoutFigures)
    return own.find((sentence) => !others.includes(withoutFigures(sentence))) ?? null
  })
  return [easier, harder].flatMap(({ market: { slug }, rung }, n) => {
    const [own = null, other = null] = [lacked[n], lacked[1 - n]]
    if (own === null) return []
    const quote = own.length > quoteMax ? differenceOf(own, other ?? "") : own
    return [factOf(
      "market",
      slug,
      phrase`Only ${named("rung", rung.label)} says ${
        quotation("quote", quote.replace(/\.$/, ""), quoteMax)
      }.`,
    )]
  })
}

/** What the proposal of another rung implies here. */
export function impliedFact(implied: ImpliedEnd): NewFact {
  const { source, target, outcome, mid, proposed, reason } = implied
  const known = named("outcome2", source.market.outcomes[proposed])
  const here = named("outcome", target.market.outcomes[outcome])
  return factOf(
    "relation",
    target.market.slug,
    phrase`${known} is proposed in ${
      titleOf(source.market, "market2")
    }, and ${reason}: then ${here} must be paid in ${titleOf(target.market)}, at ${
      price("price", mid)
    } now${target.proposed === null ? "" : "; its own proposal says the opposite"}.`,
  )
}

/** Rungs that are listed with their prices: those nearest to this market. */
const listedMax = 7

/** All priced rungs of a ladder, the easiest first. */
export function rungsFact(about: About, { rungs }: Pick<EventView, "rungs">): NewFact {
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

/**
 * `By these prices the median lies between “28°C or more” and “29°C or more”, and 80% from “26°C or more” to “31°C or more”.`
 * Where a harder rung is priced above an easier one, which those are; null where a pair says so already.
 */
export function middleFact(
  about: About,
  { contradictions, rungs }: Pick<EventView, "contradictions" | "rungs">,
): NewFact | null {
  const prices = rungs.map(priceOfRung)
  const label = (slot: string, { rung }: LadderRung) => named(slot, rung.label)
  const fact = (statement: Statement) => factOf("relation", about.slug, statement)
  const wrong = prices.findIndex((price, n) => price > (prices[n - 1] ?? 1))
  const [easier, harder] = [rungs[wrong - 1], rungs[wrong]]
  if (easier !== undefined && harder !== undefined) {
    return contradictions.length > 0 ? null : fact(
      phrase`${label("harder", harder)} is priced above the easier ${
        label("easier", easier)
      }: one of the two is wrong, or their rules differ.`,
    )
  }
  const hardest = (least: number) => rungs[prices.findLastIndex((price) => price >= least)]
  const easiest = (below: number) => rungs[prices.findIndex((price) => price < below)]
  const [above, below, low, high] = [hardest(0.5), easiest(0.5), hardest(0.9), easiest(0.1 + 1e-9)]
  const middle = below === undefined
    ? above && phrase`beyond ${label("above", above)}`
    : above === undefined
    ? phrase`short of ${label("below", below)}`
    : phrase`between ${label("above", above)} and ${label("below", below)}`
  if (middle === undefined) return null
  const most = low === undefined || high === undefined
    ? phrase``
    : phrase`, and at least ${rate("most", 0.8)} from ${label("low", low)} to ${
      label("high", high)
    }`
  return fact(phrase`By these prices the median lies ${middle}${most}.`)
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
      count("basket", basket.legs.length, "dearest", "dearest")
    } cost ${usd("stake", basket.costUsd)} at their quotes and gain ${
      usd("gainUsd", basket.gainUsd)
    } after fees.`,
  )
}

/** `400 shares of each: No of “Lab Tessera” at 0.60 and No of “Lab Verity” at 0.66.` */
export function legsFact(
  { question, slug }: About,
  { legs, shares }: NonNullable<SiblingSum["basket"]>,
): NewFact {
  const other = legs.find(({ market }) => market.question !== question)?.market.question ?? ""
  const purchases = legs.map(({ market, price: at }, n) => {
    const own = differenceOf(market.question, market.question === question ? other : question)
    return phrase`${named(`outcome${n + 1}`, market.outcomes[1])} of ${
      quotation(`leg${n + 1}`, own)
    } at ${price(`price${n + 1}`, at)}`
  })
  const each = count("shares", Math.floor(shares), "share")
  return factOf("method", slug, phrase`${each} of each: ${listed(purchases)}.`)
}

/** Exclusive outcomes that are listed: the dearest. */
const exclusiveMax = 4

/** `Of its other outcomes “Google” is at 0.41 and “xAI” at 0.12; all together at 1.02.` Null where there are none. */
export function outcomesFact(about: About, { sum }: Pick<EventView, "sum">): NewFact | null {
  const others = (sum?.markets ?? []).filter(({ market }) => market.slug !== about.slug)
  if (sum === null || others.length === 0) return null
  const prices = others.slice(0, exclusiveMax).map(({ market, quote }, n) =>
    phrase`${named(`other${n + 1}`, differenceOf(market.question, about.question))} ${
      price(`price${n + 1}`, quote?.mid ?? 0)
    }`
  )
  const all = sum.markets.reduce((all, { quote }) => all + (quote?.mid ?? 0), 0)
  return factOf(
    "relation",
    about.slug,
    phrase`Its other outcomes${sum.partial ? " that were read" : ""}: ${listed(prices)}${
      others.length > exclusiveMax
        ? phrase`, the dearest of ${count("others", others.length, "other", "others")}`
        : phrase``
    }; all with this one ${rounded("all", all)}.`,
  )
}

/** What a title says that another one does not: without the words that both begin and end with. */
function differenceOf(title: string, other: string): string {
  const [words, others] = [title.split(" "), other.split(" ")]
  const start = words.findIndex((word, n) => word !== others[n])
  const end = words.toReversed().findIndex((word, n) => word !== others.at(-1 - n))
  const part = words.slice(Math.max(0, start), words.length - Math.max(0, end)).join(" ")
  return part === "" ? title : part
}
