/**
 * The facts of a digest about predetermined outcomes and ended markets. No other facts may call
 * something decided.
 *
 * @module
 */
import {
  absenceFact,
  type FactAttributes,
  factOf,
  headlineName,
  labelName,
  limitFact,
  marketName,
  type NewDigestFact,
} from "./factBuilders.ts"
import type { DigestMaterial, EndedMarket, PredeterminedItem } from "./material.ts"
import { countFigure, priceFigure, rateFigure, whenFigure } from "../../writing/domain/figures.ts"
import { figure, joined, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Findings with a fact of their own. */
const findingsMax = 8
/** Ended markets with a fact of their own. */
const endedMax = 8

/** The number of findings, and the strongest of them. */
export function predeterminedFacts(
  items: ReadonlyArray<PredeterminedItem>,
  window: Pick<DigestMaterial, "from" | "until">,
): ReadonlyArray<NewDigestFact> {
  const described = items.toSorted(byEdge).slice(0, findingsMax)
  const contested = items.filter(isContested).length
  return [
    findingCount(items.length - contested),
    ...(contested === 0 ? [] : [contestedCount(contested)]),
    ...limitFact(findings, items.length - described.length, "finding"),
    ...described.map((item) => findingFact(item, window)),
  ]
}

const isContested = ({ data }: PredeterminedItem): boolean => data.kind === "contested_proposal"

/** Evidence before proposals, high confidence first, then the largest implied edge. */
function byEdge(a: PredeterminedItem, b: PredeterminedItem): number {
  return Number(isContested(a)) - Number(isContested(b)) ||
    Number(b.data.confidence === "high") - Number(a.data.confidence === "high") ||
    b.data.impliedEdge - a.data.impliedEdge || b.feedIndex - a.feedIndex
}

const findings: FactAttributes = { kind: "predetermined", topic: "count", section: "predetermined" }

function findingCount(count: number): NewDigestFact {
  if (count === 0) return absenceFact(findings, phrase`No predetermined outcome was found.`)
  return factOf(
    findings,
    phrase`A predetermined outcome was found in ${marketCount(count)}.`,
  )
}

function contestedCount(count: number): NewDigestFact {
  return factOf(
    findings,
    phrase`A proposed outcome was found in ${
      marketCount(count)
    } at a contested price; such a proposal may fail.`,
  )
}

/** Says what was proposed and at what price, and nothing about what happened. */
function contestedFact({ data }: PredeterminedItem, window: FactWindow): NewDigestFact {
  const { confidence, detectedAt, evidence: [{ publishedAt, source }], market, marketPrice } = data
  const price = figure(priceFigure(marketPrice))
  const name = labelName(source)
  const claim = phrase`${labelName(data.outcome)} was proposed for ${marketName(market)}`
  const proposed = figure(whenFigure(Date.parse(publishedAt), window.until))
  const seen = figure(whenFigure(Date.parse(detectedAt), window.until))
  const statement = joined([
    phrase`${claim} on ${name} at ${proposed}, without a dispute until ${seen}.`,
    phrase`Its price was ${price} then, so the proposal is contested; the confidence is ${confidence}.`,
  ])
  return factOf(
    { ...findings, topic: "predetermined", source: name },
    statement,
    phrase`${claim}, at a contested price of ${price}.`,
  )
}

type FactWindow = Pick<DigestMaterial, "from" | "until">

function findingFact(item: PredeterminedItem, window: FactWindow): NewDigestFact {
  if (isContested(item)) return contestedFact(item, window)
  const { data } = item
  const { from, until } = window
  const { confidence, detectedAt, detector, evidence, impliedEdge, market, marketPrice } = data
  const outcome = labelName(data.outcome)
  const price = figure(priceFigure(marketPrice))
  const by = detector === "rules" ? phrase`Rules` : phrase`The model ${labelName(detector)}`
  const [first] = evidence
  const source = labelName(first.source)
  const at = figure(whenFigure(Date.parse(detectedAt), until))
  const claim = phrase`${outcome} is already the outcome of ${marketName(market)}`
  const edge = figure(rateFigure(impliedEdge))
  const pieces = countFigure(evidence.length, "piece of evidence", "pieces of evidence")
  const statement = joined([
    phrase`${by} found at ${at} with ${confidence} confidence that ${claim}.`,
    phrase`Its price was ${price} then, an implied edge of ${edge}; the finding rests on ${
      figure(pieces)
    }${evidence.length === 1 ? ": " : ", first "}${headlineName(first.title)} from ${source}.`,
  ])
  // Of older evidence it is not known whether its source answered in the window.
  const used = Date.parse(first.publishedAt) >= from ? { source } : {}
  return factOf(
    { ...findings, topic: "predetermined", certain: true, ...used },
    statement,
    phrase`${claim}, at a price of ${price}.`,
  )
}

/** The number of markets that ended, by how they ended, and the latest of them. */
export function endedFacts(
  { coverage, resolutions: ended, until }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  if (ended.length === 0 && coverage.missing.includes("whales")) return []
  const described = ended.toSorted(byEnd).slice(0, endedMax)
  return [
    endedCount(ended),
    ...limitFact(ends, ended.length - described.length, "end of a market", "ends of markets"),
    ...described.map((it) => endedFact(it, until)),
  ]
}

/** The latest first. */
function byEnd(a: EndedMarket, b: EndedMarket): number {
  return b.endedAt - a.endedAt || (a.market.slug < b.market.slug ? -1 : 1)
}

const ends: FactAttributes = { kind: "resolution", topic: "count", section: "predetermined" }

function endedCount(ended: ReadonlyArray<EndedMarket>): NewDigestFact {
  if (ended.length === 0) {
    return absenceFact(
      ends,
      phrase`No market with entries of tracked wallets is known to have ended.`,
    )
  }
  const paid = ended.filter(({ resolution }) => resolution.state === "paid").length
  const cancelled = ended.length - paid
  const ways = [
    ...(paid > 0 ? [phrase`${marketCount(paid)} paid out`] : []),
    ...(cancelled > 0 ? [phrase`${marketCount(cancelled)} closed without a payout`] : []),
  ]
  return factOf(
    ends,
    phrase`Among markets with entries of tracked wallets that ended, ${listed(ways)}.`,
  )
}

function endedFact({ endedAt, market, resolution }: EndedMarket, until: EpochMs): NewDigestFact {
  const at = figure(whenFigure(resolution.resolvedAt ?? endedAt, until))
  const when = resolution.resolvedAt === null ? phrase`, known since ${at}` : phrase` at ${at}`
  const attributes = {
    kind: "resolution",
    topic: "resolution",
    section: "predetermined",
    certain: true,
  } as const
  const question = marketName(market)
  if (resolution.state === "cancelled") {
    return factOf(attributes, phrase`${question} was closed without a payout${when}.`)
  }
  const [first, second] = market.outcomes.map((outcome) => labelName(outcome))
  const [a, b] = resolution.payouts
  if (a === 1 && b === 0) {
    return factOf(attributes, phrase`${question} resolved as ${first ?? ""}${when}.`)
  }
  if (a === 0 && b === 1) {
    return factOf(attributes, phrase`${question} resolved as ${second ?? ""}${when}.`)
  }
  const share = (payout: number) => figure(`${rateFigure(payout)} USD`)
  return factOf(
    attributes,
    phrase`${question} resolved with ${share(a)} for a share of ${first ?? ""} and ${
      share(b)
    } for a share of ${second ?? ""}${when}.`,
  )
}

function marketCount(count: number): Statement {
  return figure(countFigure(count, "market"))
}
