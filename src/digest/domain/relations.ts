/**
 * The facts of a digest about related markets: ladders and events whose prices contradict each other,
 * and prices that a proposal or a result of another rung implies.
 *
 * @module
 */
import {
  cents,
  count,
  factOf,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  type Speller,
  usd,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestSection } from "./digest.ts"
import {
  type Contradiction,
  contradictionsOf,
  type ImpliedEnd,
  impliedEnds,
  type LadderRung,
  laddersOf,
} from "../../markets/domain/ladders.ts"
import type { DigestMaterial } from "./material.ts"
import { complement, quoteOfOutcome } from "../../markets/domain/quote.ts"
import { type SiblingSum, siblingSums } from "../../markets/domain/siblings.ts"
import { slugKey } from "../../markets/domain/market.ts"

/** Contradictions of ladders, implied prices, and sums of events with a fact of their own. */
const contradictionsMax = 6
const impliedMax = 4
const sumsMax = 3
/** Pairs of one ladder from which the rung that they share is named. */
const commonMin = 3
/** A sum of mids this far above 1 is more than the rounding of its prices. */
const excessMin = 0.02

/** `sectionOf`: the section that a market of the digest is described in; null for a mere sibling. */
export function relationFacts(
  { quoted, wholeEvents }: DigestMaterial,
  sectionOf: (slug: string) => DigestSection | null,
): ReadonlyArray<NewDigestFact> {
  const ladders = laddersOf(quoted)
  const whole = new Set(wholeEvents.map(slugKey))
  const sums = siblingSums(quoted, (event) => whole.has(slugKey(event)))
    .filter(({ distance }) => distance >= excessMin)
    .toSorted((a, b) => b.distance - a.distance || (a.eventSlug < b.eventSlug ? -1 : 1))
  const section = (...markets: ReadonlyArray<{ readonly slug: string }>) =>
    markets.flatMap(({ slug }) => sectionOf(slug) ?? [])[0] ?? "watch"
  return [
    ...ladderGroups(contradictionsOf(ladders).slice(0, contradictionsMax)).flatMap((group, n) => {
      const common = commonRung(group)
      return group.map((it, i) => ladderFact(it, `L${n + 1}`, i === 0 ? common : {}))
    }),
    ...impliedEnds(ladders).slice(0, impliedMax).flatMap((it) =>
      impliedFact(it, section(it.target.market, it.source.market))
    ),
    ...sums.slice(0, sumsMax).flatMap((it) =>
      sumFact(it, section(...it.markets.map(({ market }) => market)))
    ),
  ]
}

const outcomeOf = ({ market }: LadderRung, outcome: 0 | 1) => labelValue(market.outcomes[outcome])
const otherOf = (outcome: 0 | 1) => outcome === 0 ? 1 : 0

/** Contradictions of one ladder together, the strongest first. */
function ladderGroups(
  contradictions: ReadonlyArray<Contradiction>,
): ReadonlyArray<ReadonlyArray<Contradiction>> {
  const key = ({ harder, kind }: Contradiction) =>
    [harder.market.eventKey, kind, harder.rung.template].join("\n")
  return [...Map.groupBy(contradictions, key).values()]
}

/** Of several pairs the rung that most of them have: it alone may be wrong. */
function commonRung(group: ReadonlyArray<Contradiction>): Values {
  if (group.length < commonMin) return {}
  const labels = group.flatMap(({ easier, harder }) => [easier.rung.label, harder.rung.label])
  const counts = [...Map.groupBy(labels, (label) => label)]
    .map(([label, of]) => ({ label, count: of.length }))
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1))
  const [first, second] = counts
  const isClear = first !== undefined && first.count > (second?.count ?? 0)
  return !isClear || first.count < commonMin ? {} : {
    common: labelValue(first.label),
    involved: count(first.count, "of them", "of them"),
    pairs: count(group.length, "pair"),
  }
}

/** Which rung most of the pairs have, and what to check of it. */
export function commonWords(spell: Speller): string {
  return spell`Of ${"pairs"}, ${"common"} is in ${"involved"}: check first whether its quote is old, or its rules differ.`
}

/** The harder rung is dearer than the easier one that it implies. `ladder`: of one ladder the same. */
function ladderFact(
  { ask, bid, easier, harder, level, reason, risklessSpread, size }: Contradiction,
  ladder: string,
  common: Values,
): NewDigestFact {
  const midOf = ({ quote, rung }: LadderRung) =>
    quote === null ? 0 : quoteOfOutcome(quote, rung.outcome).mid
  const values: Values = {
    outcome: outcomeOf(harder, harder.rung.outcome),
    market: marketValue(harder.market),
    rung: labelValue(harder.rung.label),
    price: price(midOf(harder)),
    outcome2: outcomeOf(easier, easier.rung.outcome),
    market2: marketValue(easier.market),
    rung2: labelValue(easier.rung.label),
    price2: price(midOf(easier)),
    reason: word(reason),
    level: word(level),
    ladder: word(ladder),
    ...common,
    ...bid === null || ask === null || risklessSpread === null ? {} : {
      ask: price(ask),
      ask2: price(complement(bid)),
      opposite: outcomeOf(harder, otherOf(harder.rung.outcome)),
      riskless: cents(risklessSpread),
      liquidity: usd(easier.market.liquidityUsd),
      liquidity2: usd(harder.market.liquidityUsd),
      ...size === null ? {} : { stake: usd(size.costUsd) },
    },
  }
  return factOf(
    { kind: "relation", topic: "ladder", section: "repriced", subject: harder.market.slug },
    values,
    (spell) =>
      spell`${"outcome"} in ${"market"} costs ${"price"} and ${"outcome2"} in ${"market2"} ${"price2"}, but ${"rung"} implies ${"rung2"}: ${"reason"}. ` +
      tradeWords(values, spell) + (values["common"] === undefined ? "" : ` ${commonWords(spell)}`),
  )
}

/** What the contradiction is worth: both legs at their asks, after fees. */
export function tradeWords(values: Values, spell: Speller): string {
  if (values["riskless"] === undefined) {
    return "Only their mid prices are known, so the spread after fees is not."
  }
  const trade =
    spell`${"outcome2"} at ${"rung2"} for ${"ask"} and ${"opposite"} at ${"rung"} for ${"ask2"}`
  const isRiskless = values["level"]?.type === "word" && values["level"].text === "riskless"
  if (!isRiskless) return `${trade} ${spell`together lose ${"riskless"} a share after fees.`}`
  const depth = values["stake"] === undefined
    ? spell`; the depth at these quotes is not known, the liquidity is ${"liquidity"} and ${"liquidity2"}.`
    : spell`, for at most ${"stake"} at these quotes.`
  return `${trade} ` +
    spell`together gain ${"riskless"} a share after fees, if both are paid by their rules` + depth
}

/** A proposal or a result of one rung says how another one must end. */
function impliedFact(
  { conflict, mid, outcome, reason, source, state, target }: ImpliedEnd,
  section: DigestSection,
): ReadonlyArray<NewDigestFact> {
  if (mid === null || source.known === null) return []
  const values = {
    outcome: outcomeOf(target, outcome),
    market: marketValue(target.market),
    price: price(mid),
    outcome2: outcomeOf(source, source.known.outcome),
    market2: marketValue(source.market),
    opposite: outcomeOf(target, otherOf(outcome)),
    reason: word(reason),
    state: word(state === "proposed" ? "proposed" : "the paid outcome"),
  }
  return [
    factOf(
      { kind: "relation", topic: "implied", section, subject: target.market.slug },
      values,
      (spell) =>
        spell`${"outcome2"} in ${"market2"} is ${"state"}, and implies ${"outcome"} in ${"market"}, which trades at ${"price"}: ${"reason"}.` +
        (conflict ? spell` But ${"opposite"} is proposed there: one of the two is wrong.` : ""),
    ),
  ]
}

/** The first outcomes of one event cost more together than the one that can be paid. */
function sumFact(
  { markets, midSum, partial, risklessSpread, shares }: SiblingSum,
  section: DigestSection,
): ReadonlyArray<NewDigestFact> {
  const [dearest, second] = markets.flatMap(({ market, quote }) =>
    quote === null ? [] : [{ market, quote }]
  )
  if (dearest === undefined || second === undefined) return []
  const isRiskless = risklessSpread !== null && risklessSpread > 0
  const values = {
    markets: count(
      markets.length,
      partial ? "outcome seen" : "outcome",
      partial ? "outcomes seen" : "outcomes",
    ),
    market: marketValue(dearest.market),
    price: price(dearest.quote.mid),
    market2: marketValue(second.market),
    price2: price(second.quote.mid),
    sum: price(midSum),
    riskless: cents(risklessSpread ?? 0),
    shares: count(Math.floor(shares ?? 0), "share"),
  }
  return [
    factOf(
      { kind: "relation", topic: "sum", section, subject: dearest.market.slug },
      values,
      (spell) => {
        const contradiction =
          spell`The prices of ${"markets"} of one event add up to ${"sum"}, but at most one of them can be paid; the dearest are ${"market"} at ${"price"} and ${"market2"} at ${"price2"}.`
        if (!isRiskless) {
          return `${contradiction} After fees and spreads nothing is left of the difference.`
        }
        const depth = shares === null
          ? "; the depth at these quotes is not known."
          : spell`, for at most ${"shares"} of each.`
        return `${contradiction} ` +
          spell`The other side of each together gains ${"riskless"} a share after fees` + depth
      },
    ),
  ]
}
