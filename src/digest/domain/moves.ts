/**
 * The facts of a digest about price moves: the move itself, where half of it is given back, and what it
 * costs to trade there.
 *
 * @module
 */
import {
  cents,
  count,
  duration,
  factOf,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  rate,
  time,
  usd,
  word,
} from "./factBuilders.ts"
import type { DigestMaterial, MoverItem } from "./material.ts"
import { windowMs } from "../../feed/domain/item.ts"
import {
  breakEvenProbability,
  halfGivenBackAt,
  roundTripOf,
} from "../../markets/domain/tradeCosts.ts"
import { quoteOf } from "../../markets/domain/quote.ts"
import type { Value } from "../../writing/domain/values.ts"

/** Markets with a fact about their strongest move: as many as fit on a page. */
const movesMax = 5

/** The facts of the described moves, the strongest first; an absence when nothing moved. */
export function moveFacts(material: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const described = describedMoves(material)
  if (described.length === 0) return [absence(material)]
  return [
    ...described.map((move) => moveFact(move, material)),
    ...described.map((move) => levelFact(move, material)),
    ...described.flatMap((move) => costFact(move, material)),
  ]
}

/**
 * The strongest move in each of at most `movesMax` markets, the strongest first. A move to a converged
 * price is left out: the question is decided, or nearly.
 */
export function describedMoves({ movers }: DigestMaterial): ReadonlyArray<MoverItem> {
  const markets = new Map<string, MoverItem>()
  for (const move of movers.filter(({ data }) => data.converged !== true).toSorted(byWeight)) {
    const { slug } = move.data.market
    if (!markets.has(slug)) markets.set(slug, move)
  }
  return [...markets.values()].slice(0, movesMax)
}

/**
 * Orders by size times liquidity. A high z-score depends more on how quiet the market was before than on
 * how much the move matters, so it only breaks ties.
 */
function byWeight(a: MoverItem, b: MoverItem): number {
  return weight(b) - weight(a) || b.data.zScore - a.data.zScore || b.feedIndex - a.feedIndex
}

function weight({ data }: MoverItem): number {
  return Math.abs(data.delta) * data.market.liquidityUsd
}

function absence({ movers }: DigestMaterial): NewDigestFact {
  const parts = { kind: "mover", topic: "absence", section: "repriced", negative: true } as const
  return movers.length === 0
    ? factOf(parts, {}, () => "No market moved far enough to be reported.")
    : factOf(
      parts,
      { moves: count(movers.length, "move") },
      (spell) =>
        spell`No contested market moved far enough: the prices of ${"moves"} were already close to 0 or 1.`,
    )
}

/** The first outcome of a market, to which prices refer. */
function firstOutcome({ outcomes }: { readonly outcomes?: readonly [string, string] }): Value {
  return outcomes === undefined ? word("The price") : labelValue(outcomes[0])
}

function moveFact(
  { createdAt, data }: MoverItem,
  { steps, until }: DigestMaterial,
): NewDigestFact {
  const { market, microstructure, tradedUsd } = data
  const step = steps.find(({ slug }) => slug === market.slug)
  const rose = data.delta >= 0
  const isTraded = (tradedUsd ?? 0) >= 1
  const values = {
    market: marketValue(market),
    outcome: firstOutcome(market),
    change: cents(data.delta),
    window: duration(windowMs[data.window]),
    from: price(data.priceStart),
    to: price(data.priceNow),
    at: time(Date.parse(createdAt), until),
    deviations: { type: "deviations", value: data.zScore } as const,
    depth: usd(microstructure.depthUsdWithin5c.total),
    spread: cents(microstructure.spread),
    volume: usd(tradedUsd ?? 0),
    basis: word(data.confirmedBy),
    usual: word(data.window === "1h" ? "usual hourly change" : "usual daily change"),
    ...step === undefined ? {} : {
      stepFrom: time(step.from, until),
      stepTo: time(step.to, step.from),
      ago: duration(until - step.to),
    },
  }
  const reason = (spell: Parameters<Parameters<typeof factOf>[2]>[0]) =>
    isTraded ? spell`with ${"volume"} traded beyond half of it` : "and the new price was stable"
  return factOf(
    {
      kind: "mover",
      topic: "move",
      section: "repriced",
      subject: market.slug,
      direction: rose ? "up" : "down",
    },
    values,
    (spell) =>
      (rose
        ? spell`${"outcome"} in ${"market"} rose ${"change"} within ${"window"}`
        : spell`${"outcome"} in ${"market"} fell ${"change"} within ${"window"}`) +
      spell`, from ${"from"} to ${"to"}, ` +
      (step === undefined
        ? spell`seen at ${"at"}`
        : spell`at least half of it between ${"stepFrom"} and ${"stepTo"}, ${"ago"} before this digest (seen at ${"at"})`) +
      spell`. The move was ${"deviations"} of the ${"usual"}, ` +
      `${reason(spell)}; ` +
      spell`the book had ${"depth"} of depth near the price and a spread of ${"spread"}.`,
  )
}

/** Where half of the move is given back, and the price now. */
function levelFact({ data }: MoverItem, { quoted }: DigestMaterial): NewDigestFact {
  const { market } = data
  const now = quoted.find((it) => it.market.slug === market.slug)?.quote?.mid ?? null
  const values = {
    market: marketValue(market),
    outcome: market.outcomes === undefined ? word("the price") : firstOutcome(market),
    halfLevel: price(halfGivenBackAt(data)),
    price: price(now ?? 0),
  }
  return factOf(
    { kind: "record", topic: "level", section: "repriced", subject: market.slug },
    values,
    (spell) =>
      spell`Half of the move of ${"outcome"} in ${"market"} is given back at ${"halfLevel"}` +
      (now === null ? "." : spell`; the price is ${"price"} now.`),
  )
}

/** The quotes of the move stand for those now while the price is at most this far from them. */
const quoteDistanceMax = 0.02

/** The cost of buying the first outcome at the quotes now; none when they are not known. */
function costFact({ data }: MoverItem, { quoted }: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const { market, microstructure } = data
  const known = quoted.find((it) => it.market.slug === market.slug)
  if (known === undefined || known.quote === null) return []
  const ofMove = quoteOf(microstructure)
  const isNear = ofMove !== null && Math.abs(ofMove.mid - known.quote.mid) <= quoteDistanceMax
  const quote = known.quote.ask === null && isNear ? ofMove : known.quote
  if (quote.ask === null) return []
  const { takerFeeRate } = known.market
  const values = {
    market: marketValue(market),
    outcome: firstOutcome(known.market),
    ask: price(quote.ask),
    breakEven: rate(breakEvenProbability(quote.ask, takerFeeRate)),
    roundTrip: cents(roundTripOf(quote, takerFeeRate)?.costPerShare ?? 0),
  }
  return [
    factOf(
      { kind: "book", topic: "cost", section: "repriced", subject: market.slug },
      values,
      (spell) =>
        spell`At the ask of ${"ask"}, a buyer of ${"outcome"} in ${"market"} breaks even at a probability of ${"breakEven"}; buying and selling at once costs ${"roundTrip"} a share.`,
    ),
  ]
}
