/**
 * What a digest may state of outcomes: those that were found to exist already, and markets that
 * ended. Only these speak of what is decided.
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
import { figure, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Findings that are stated. */
const findingsMax = 8
/** Ended markets that are stated. */
const endedMax = 8

/** How many findings there are, and the strongest of them. */
export function predeterminedFacts(
  items: ReadonlyArray<PredeterminedItem>,
  until: EpochMs,
): ReadonlyArray<NewDigestFact> {
  const shown = items.toSorted(byEdge).slice(0, findingsMax)
  return [
    findingCount(items.length),
    ...limitFact(findings, items.length - shown.length, "finding"),
    ...shown.map((item) => findingFact(item, until)),
  ]
}

/** The surer ones first; among these, the most that the market leaves on the table. */
function byEdge(a: PredeterminedItem, b: PredeterminedItem): number {
  return Number(b.data.confidence === "high") - Number(a.data.confidence === "high") ||
    b.data.impliedEdge - a.data.impliedEdge || b.feedIndex - a.feedIndex
}

const findings: FactAttributes = { kind: "predetermined", topic: "count", section: "predetermined" }

function findingCount(count: number): NewDigestFact {
  if (count === 0) return absenceFact(findings, phrase`No outcome was found that exists already.`)
  return factOf(
    findings,
    phrase`In ${marketCount(count)} an outcome was found that exists already.`,
  )
}

function findingFact({ data }: PredeterminedItem, until: EpochMs): NewDigestFact {
  const { confidence, detectedAt, detector, evidence, impliedEdge, market, marketPrice } = data
  const outcome = labelName(data.outcome)
  const price = figure(priceFigure(marketPrice))
  const by = detector === "rules" ? phrase`rules` : phrase`the model ${labelName(detector)}`
  const [first] = evidence
  const source = labelName(first.source)
  const found = phrase`${by} found at ${figure(whenFigure(Date.parse(detectedAt), until))}`
  const edge = figure(rateFigure(impliedEdge))
  const pieces = countFigure(evidence.length, "piece of evidence", "pieces of evidence")
  const statement = phrase`The outcome ${outcome} of ${
    marketName(market)
  } exists already, as ${found} with ${confidence} confidence, when its price was ${price}: an implied edge of ${edge}. Behind it ${
    evidence.length === 1 ? "stands" : "stand"
  } ${figure(pieces)}, with ${headlineName(first.title)} from ${source} first.`
  return factOf(
    { ...findings, topic: "predetermined", certain: true, source },
    statement,
    phrase`${outcome} in ${
      marketName(market)
    } exists already as an outcome, at a price of ${price}.`,
  )
}

/** How many markets ended and how, and those that ended last. */
export function endedFacts(
  { coverage, resolutions: ended, until }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  if (ended.length === 0 && coverage.missing.includes("whales")) return []
  const shown = ended.toSorted(byEnd).slice(0, endedMax)
  return [
    endedCount(ended),
    ...limitFact(ends, ended.length - shown.length, "end of a market", "ends of markets"),
    ...shown.map((it) => endedFact(it, until)),
  ]
}

/** The last first. */
function byEnd(a: EndedMarket, b: EndedMarket): number {
  return b.endedAt - a.endedAt || (a.market.slug < b.market.slug ? -1 : 1)
}

const ends: FactAttributes = { kind: "resolution", topic: "count", section: "predetermined" }

function endedCount(ended: ReadonlyArray<EndedMarket>): NewDigestFact {
  if (ended.length === 0) {
    return absenceFact(ends, phrase`No market of tracked wallets is known to have ended.`)
  }
  const paid = ended.filter(({ resolution }) => resolution.state === "paid").length
  const cancelled = ended.length - paid
  const ways = [
    ...(paid > 0 ? [phrase`${marketCount(paid)} paid out`] : []),
    ...(cancelled > 0 ? [phrase`${marketCount(cancelled)} closed without a payout`] : []),
  ]
  return factOf(ends, phrase`Of markets of tracked wallets that ended, ${listed(ways)}.`)
}

function endedFact({ endedAt, market, resolution }: EndedMarket, until: EpochMs): NewDigestFact {
  const at = figure(whenFigure(resolution.resolvedAt ?? endedAt, until))
  const when = resolution.resolvedAt === null ? phrase`, as known at ${at}` : phrase` at ${at}`
  const about = {
    kind: "resolution",
    topic: "resolution",
    section: "predetermined",
    certain: true,
  } as const
  const question = marketName(market)
  if (resolution.state === "cancelled") {
    return factOf(about, phrase`${question} was closed without a payout${when}.`)
  }
  const [first, second] = market.outcomes.map((outcome) => labelName(outcome))
  const [a, b] = resolution.payouts
  if (a === 1 && b === 0) {
    return factOf(about, phrase`${question} resolved as ${first ?? ""}${when}.`)
  }
  if (a === 0 && b === 1) {
    return factOf(about, phrase`${question} resolved as ${second ?? ""}${when}.`)
  }
  const share = (payout: number) => figure(`${rateFigure(payout)} USD`)
  return factOf(
    about,
    phrase`${question} resolved with ${share(a)} for a share of ${first ?? ""} and ${
      share(b)
    } for a share of ${second ?? ""}${when}.`,
  )
}

function marketCount(count: number): Statement {
  return figure(countFigure(count, "market"))
}
