/**
 * The facts of a digest about predetermined outcomes, contested proposals and ended markets. Of these
 * only findings and resolutions are certain; a proposal is not.
 *
 * @module
 */
import {
  cents,
  count,
  duration,
  factOf,
  headlineValue,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  rate,
  type Speller,
  time,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestMaterial, EndedMarket, PredeterminedItem } from "./material.ts"
import { breakEvenProbability } from "../../markets/domain/tradeCosts.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { mechanicalSign } from "../../markets/domain/market.ts"
import { challengeWindowMs, proposalAgeMs, proposalWords } from "../../markets/domain/proposal.ts"
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Findings and proposals with a fact of their own. */
const findingsMax = 8
/** Ended markets with a fact of their own. */
const endedMax = 8

/**
 * The strongest findings and proposals, and how often such proposals were paid. `hasReports`: headlines
 * report a result at a contested price.
 */
export function predeterminedFacts(
  material: DigestMaterial,
  hasReports: boolean,
): ReadonlyArray<NewDigestFact> {
  const described = describedFindings(material)
  if (described.length === 0) return hasReports ? [] : [noFinding]
  return [
    ...described.map((item) =>
      isContested(item) ? proposalFact(item, material) : findingFact(item, material)
    ),
    ...upheldFact(material.predetermined),
  ]
}

/** One per market: evidence before proposals, high confidence first, then the largest implied edge. */
export function describedFindings(
  { predetermined }: DigestMaterial,
): ReadonlyArray<PredeterminedItem> {
  const found = new Map<string, PredeterminedItem>()
  for (const item of predetermined.toSorted(byEdge)) {
    const { slug } = item.data.market
    if (!found.has(slug)) found.set(slug, item)
  }
  return [...found.values()].slice(0, findingsMax)
}

const isContested = ({ data }: PredeterminedItem): boolean => data.kind === "contested_proposal"

function byEdge(a: PredeterminedItem, b: PredeterminedItem): number {
  return Number(isContested(a)) - Number(isContested(b)) ||
    Number(b.data.confidence === "high") - Number(a.data.confidence === "high") ||
    b.data.impliedEdge - a.data.impliedEdge || b.feedIndex - a.feedIndex
}

const parts = { kind: "predetermined", section: "predetermined" } as const

const noFinding = factOf(
  { ...parts, topic: "absence", negative: true },
  {},
  () => "No market was found whose outcome is reported or proposed at a contested price.",
)

/** Says what is proposed and at what price, and nothing about what happened. */
function proposalFact(
  { data }: PredeterminedItem,
  { quoted, until }: DigestMaterial,
): NewDigestFact {
  const { confidence, detectedAt, evidence: [{ publishedAt }], market, marketPrice, proposal } =
    data
  const proposedAt = Date.parse(proposal?.proposedAt ?? publishedAt)
  const state = { proposedAt, disputed: proposal?.disputed ?? false }
  // Whether it was disputed later is not known.
  const seenAt = Math.min(until, Date.parse(detectedAt))
  const age = proposalAgeMs(state, seenAt)
  const values = {
    outcome: labelValue(data.outcome),
    market: marketValue(market),
    proposedAt: time(proposedAt, until),
    age: duration(age),
    seenAt: time(seenAt, until),
    price: price(marketPrice),
    edge: cents(fromHalfSteps(halfSteps(1) - halfSteps(marketPrice))),
    confidence: word(confidence),
    state: word(proposalWords(state, seenAt)),
    reason: word(reasonOf(marketPrice, seenAt - proposedAt, state.disputed)),
    disputeEndsAt: time(proposedAt + challengeWindowMs, until),
    ended: word(proposedAt + challengeWindowMs <= seenAt ? "ended" : "ends"),
    ...costOf(data, quoted),
  }
  const { age: _, seenAt: __, ...withoutAge } = values
  return factOf(
    { ...parts, topic: "proposal", subject: market.slug },
    state.disputed || age === 0 ? withoutAge : values,
    (spell) => {
      const words = state.disputed || age === 0
        ? spell`${"state"}`
        : spell`proposed, undisputed for ${"age"} at ${"seenAt"}`
      return spell`${"outcome"} in ${"market"} is ` + words +
        spell` (since ${"proposedAt"}), and trades at ${"price"}: ${"edge"} below the payout of such a share, if the proposal stands. ` +
        proposalEnd(values, spell)
    },
  )
}

/** Why our confidence is what it is, by the rule of the detector (`predetermined.ts`). */
function reasonOf(marketPrice: number, age: number, disputed: boolean): string {
  const isLow = marketPrice < 0.5
  const priced = isLow ? "the price is below one half" : "the price is at least one half"
  return disputed || age < challengeWindowMs / 2
    ? priced
    : `it is undisputed past half of the usual time, ${isLow ? "but" : "and"} ${priced}`
}

/** When it can be disputed, why the confidence is what it is, and what a share costs. */
export function proposalEnd(values: Values, spell: Speller): string {
  const isOpen = values["state"]?.type === "word" && !values["state"].text.includes("and disputed")
  const hasEnded = values["ended"]?.type === "word" && values["ended"].text === "ended"
  const period = isOpen
    ? spell`The usual time for a dispute ${"ended"} at ${"disputeEndsAt"}` +
      (hasEnded ? ", and no dispute was raised in it. " : ". ")
    : ""
  const cost = "ask" in values
    ? spell` At the ask of ${"ask"}, a buyer breaks even at a probability of ${"breakEven"}.`
    : ""
  return period +
    spell`Our confidence that the proposal stands is ${"confidence"}: ${"reason"}.` + cost
}

/** What a share of the proposed outcome costs now; nothing when it is not known. */
function costOf(
  { market, outcome }: PredeterminedItem["data"],
  quoted: DigestMaterial["quoted"],
): Values {
  const known = quoted.find((it) => it.market.slug === market.slug)
  const side = known?.market.outcomes.indexOf(outcome) ?? -1
  if (known === undefined || known.quote === null || (side !== 0 && side !== 1)) return {}
  const { ask } = quoteOfOutcome(known.quote, side)
  return ask === null ? {} : {
    ask: price(ask),
    breakEven: rate(breakEvenProbability(ask, known.market.takerFeeRate)),
  }
}

function findingFact({ data }: PredeterminedItem, { from, until }: DigestMaterial): NewDigestFact {
  const { confidence, detectedAt, evidence, market, marketPrice } = data
  const [first] = evidence
  const publishedAt = Date.parse(first.publishedAt)
  const one = evidence.length === 1
  const values = {
    outcome: labelValue(data.outcome),
    market: marketValue(market),
    at: time(Date.parse(detectedAt), until),
    price: price(marketPrice),
    edge: cents(fromHalfSteps(halfSteps(1) - halfSteps(marketPrice))),
    confidence: word(confidence),
    evidence: count(evidence.length, "report"),
    headline: headlineValue(first.title),
    publisher: labelValue(first.source),
    publishedAt: time(publishedAt, until),
    ...one ? {} : { several: word("several") },
  }
  return factOf(
    {
      ...{ ...parts, topic: "finding", subject: market.slug, certain: true },
      // Of older evidence it is not known whether its publisher answered in the window.
      source: publishedAt >= from ? safeName(first.source) : null,
    },
    values,
    (spell) =>
      spell`${"outcome"} is the reported outcome of ${"market"}, by ${"evidence"}` +
      (one ? ": " : ", first ") +
      spell`${"headline"} of ${"publisher"} at ${"publishedAt"}. It traded at ${"price"} at ${"at"}, ${"edge"} below the payout; the confidence is ${"confidence"}.`,
  )
}

/** The service's own record of earlier proposals, as the newest item has it. */
function upheldFact(items: ReadonlyArray<PredeterminedItem>): ReadonlyArray<NewDigestFact> {
  const [newest] = items.filter(({ data }) => (data.proposal?.record ?? null) !== null)
    .toSorted((a, b) => b.feedIndex - a.feedIndex)
  const record = newest?.data.proposal?.record ?? null
  if (record === null || record.proposals === 0) return []
  const values = {
    resolved: count(record.proposals, "earlier contested proposal"),
    base: rate(record.upheldRate),
    baseLow: rate(record.upheldRateLow),
    baseHigh: rate(record.upheldRateHigh),
  }
  return [
    factOf(
      { kind: "record", topic: "upheld", section: "predetermined" },
      values,
      (spell) =>
        spell`Of ${"resolved"}, ${"base"} were paid as proposed, with an interval from ${"baseLow"} to ${"baseHigh"}.`,
    ),
  ]
}

/** How the markets of tracked wallets ended: the totals, and the latest that are no short interval. */
export function endedFacts(
  { resolutions: ended, until }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  if (ended.length === 0) return []
  const described = ended.toSorted(byEnd).slice(0, endedMax)
  return [endedCount(ended), ...described.map((it) => endedFact(it, until))]
}

/** Ordinary markets first, then the latest. */
function byEnd(a: EndedMarket, b: EndedMarket): number {
  return Number(isInterval(a)) - Number(isInterval(b)) || b.endedAt - a.endedAt ||
    (a.market.slug < b.market.slug ? -1 : 1)
}

function isInterval({ market: { slug, question } }: EndedMarket): boolean {
  const unknown = { seriesSlugs: [], recurrences: [], tags: [], resolutionSources: [] }
  return mechanicalSign({ slug, question, ...unknown }) !== null
}

const ends = { kind: "resolution", section: "predetermined" } as const

function endedCount(ended: ReadonlyArray<EndedMarket>): NewDigestFact {
  const paid = ended.filter(({ resolution }) => resolution.state === "paid").length
  const values = {
    resolved: count(paid, "market"),
    cancelled: count(ended.length - paid, "market"),
  }
  return factOf(
    { ...ends, topic: "endings" },
    values,
    (spell) => {
      const start = "Among markets with entries of tracked wallets that ended, "
      const way = paid === 0
        ? spell`${"cancelled"} closed without a payout`
        : paid === ended.length
        ? spell`${"resolved"} paid out`
        : spell`${"resolved"} paid out and ${"cancelled"} closed without a payout`
      return `${start}${way}.`
    },
  )
}

function endedFact({ endedAt, market, resolution }: EndedMarket, until: EpochMs): NewDigestFact {
  const [a, b] = resolution.state === "paid" ? resolution.payouts : [0, 0]
  const whole = a === 1 && b === 0 ? 0 : a === 0 && b === 1 ? 1 : null
  const [first, second] = market.outcomes
  const values = {
    market: marketValue(market),
    at: time(resolution.resolvedAt ?? endedAt, until),
    outcome: labelValue(whole === 1 ? second : first),
    outcome2: labelValue(second),
    price: price(a),
    price2: price(b),
  }
  return factOf(
    { ...ends, topic: "resolution", subject: market.slug, certain: true },
    values,
    (spell) => {
      const when = resolution.resolvedAt === null
        ? spell`, known since ${"at"}.`
        : spell` at ${"at"}.`
      const how = resolution.state === "cancelled"
        ? spell`${"market"} was closed without a payout`
        : whole !== null
        ? spell`${"market"} resolved as ${"outcome"}`
        : spell`${"market"} resolved with ${"price"} for a share of ${"outcome"} and ${"price2"} for a share of ${"outcome2"}`
      return `${how}${when}`
    },
  )
}
