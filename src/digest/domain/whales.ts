/**
 * The facts of a digest about entries of tracked wallets and the calibration of these wallets.
 *
 * @module
 */
import {
  absenceFact,
  type FactAttributes,
  factOf,
  labelName,
  limitFact,
  marketName,
  type NewDigestFact,
} from "./factBuilders.ts"
import type { WhaleEntryItem } from "./material.ts"
import { countFigure, rateFigure, usdFigure, whenFigure } from "../../writing/domain/figures.ts"
import { figure, joined, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Entries with a fact of their own: as many as fit on a page. */
const entriesMax = 10
/** Markets with a fact about their flow. */
const flowsMax = 3
/** A single entry is not a flow: it has a fact of its own. */
const flowMin = 2
/** Sides of a market that a flow names. */
const sidesMax = 2

/** The totals of all entries by label, the largest flows into one market, the largest entries. */
export function whaleFacts(
  entries: ReadonlyArray<WhaleEntryItem>,
  until: EpochMs,
): ReadonlyArray<NewDigestFact> {
  const largest = entries.toSorted(byStake)
  const described = largest.slice(0, entriesMax)
  return [
    countFact(entries),
    ...limitFact(totals, entries.length - described.length, "entry", "entries"),
    ...flowFacts(largest),
    ...described.map((entry) => entryFact(entry, until)),
  ]
}

function byStake(a: WhaleEntryItem, b: WhaleEntryItem): number {
  return b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex
}

const totals: FactAttributes = { kind: "whale_entry", topic: "count", section: "whales" }

/** `unlabelled` for an entry without calibration. */
const labels = ["follow", "fade", "neutral", "unlabelled"] as const
type Label = typeof labels[number]

const labelPhrases: Readonly<Record<Label, string>> = {
  follow: "labelled follow",
  fade: "labelled fade",
  neutral: "labelled neutral",
  unlabelled: "without a label",
}

function labelOf({ data }: WhaleEntryItem): Label {
  return data.calibration?.label ?? "unlabelled"
}

/** The totals by label; says so when no entry came from a wallet with an edge. */
function countFact(entries: ReadonlyArray<WhaleEntryItem>): NewDigestFact {
  if (entries.length === 0) {
    return absenceFact(totals, phrase`No new position of a tracked wallet was reported.`)
  }
  const by = figure(
    countFigure(new Set(entries.map(({ data }) => data.wallet)).size, "tracked wallet"),
  )
  const byLabel = labels.flatMap((label) => {
    const of = entries.filter((entry) => labelOf(entry) === label)
    return of.length === 0 ? [] : [{ of, which: labelPhrases[label] }]
  })
  const shares = byLabel.map(({ of, which }) =>
    phrase`${stake(of)} in ${entryCount(of)} from wallets ${which}`
  )
  const total = phrase`${by} put ${stake(entries)} into ${entryCount(entries)}`
  const [only, ...others] = byLabel
  const statement = only === undefined || others.length > 0
    ? phrase`${total}: ${listed(shares)}.`
    : phrase`${total}, ${
      only.of.length === 1 ? "from a wallet" : "all from wallets"
    } ${only.which}.`
  const hasEdge = entries.some((entry) => ["follow", "fade"].includes(labelOf(entry)))
  const none = phrase`No entry came from a wallet labelled follow or fade.`
  return factOf(totals, hasEdge ? statement : joined([statement, none]))
}

/** The markets with several entries, the largest sums first. */
function flowFacts(largest: ReadonlyArray<WhaleEntryItem>): ReadonlyArray<NewDigestFact> {
  const markets = Map.groupBy(largest, ({ data }) => data.market.slug)
  return [...markets]
    .filter(([, entries]) => entries.length >= flowMin)
    .sort(bySum)
    .slice(0, flowsMax)
    .map(([, entries]) => flowFact(entries))
}

type Group = readonly [string, ReadonlyArray<WhaleEntryItem>]

function bySum([a, ofA]: Group, [b, ofB]: Group): number {
  return stakeOf(ofB) - stakeOf(ofA) || (a < b ? -1 : 1)
}

function flowFact(entries: ReadonlyArray<WhaleEntryItem>): NewDigestFact {
  const [newest] = entries.toSorted((a, b) => b.feedIndex - a.feedIndex)
  const sides = [...Map.groupBy(entries, ({ data }) => data.outcome)]
    .sort(bySum)
    .slice(0, sidesMax)
    .map(([side, of]) => phrase`${stake(of)} in ${entryCount(of)} went to ${outcomeName(side)}`)
  const market = newest === undefined ? phrase`a market` : marketName(newest.data.market)
  return factOf({ ...totals, topic: "flow" }, phrase`In ${market}, ${listed(sides)}.`)
}

function entryFact({ data }: WhaleEntryItem, until: EpochMs): NewDigestFact {
  const { market, outcome, stakeUsd, entryPrice, fills, lastFillAt, wallet } = data
  const who = labelName(data.pseudonym, wallet)
  const usd = figure(usdFigure(stakeUsd))
  const what = phrase`${outcomeName(outcome)} in ${marketName(market)}`
  const known = data.calibration === null
    ? phrase`not labelled`
    : phrase`labelled ${data.calibration.label} after ${resolvedCount(data.calibration.resolved)}`
  const statement = phrase`${who} bought ${what} for ${usd}, at a mean price of ${
    figure(rateFigure(entryPrice))
  } in ${figure(countFigure(fills, "fill"))}, the last at ${
    figure(whenFigure(Date.parse(lastFillAt), until))
  }. ${recordOf(data.calibration)}`
  return factOf(
    { ...totals, topic: "entry" },
    statement,
    phrase`${who}, ${known}, put ${usd} on ${what}.`,
  )
}

/** What each label means. A neutral record may differ from the prices, but not after fees. */
const meanings = {
  follow: "luck hardly explains such good results at these prices",
  fade: "luck hardly explains such poor results at these prices",
  neutral: "after fees, this record is not shown to differ from the prices paid",
} as const

/** The label with its evidence. */
function recordOf(calibration: WhaleEntryItem["data"]["calibration"]): Statement {
  if (calibration === null) return phrase`Too little is known about this wallet to label it.`
  const { edge, edgeHigh, edgeLow, label, meanEntryPrice, resolved, winRate } = calibration
  const rate = (value: number) => figure(rateFigure(value))
  return phrase`The wallet was labelled ${label}: over ${
    resolvedCount(resolved)
  }, counted as held to resolution, it had a win rate of ${
    rate(winRate)
  } at a mean entry price of ${rate(meanEntryPrice)}, and an edge of ${
    rate(edge)
  } with an interval from ${rate(edgeLow)} to ${rate(edgeHigh)}; ${meanings[label]}.`
}

function resolvedCount(resolved: number): Statement {
  return figure(countFigure(resolved, "entry", "entries"))
}

function outcomeName(outcome: string): Statement {
  return labelName(outcome)
}

function entryCount(entries: ReadonlyArray<WhaleEntryItem>): Statement {
  return figure(countFigure(entries.length, "entry", "entries"))
}

/** Sums in a fixed order, so that floating-point rounding does not depend on the input order. */
function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  return entries.map(({ data }) => data.stakeUsd).sort((a, b) => a - b)
    .reduce((sum, usd) => sum + usd, 0)
}

function stake(entries: ReadonlyArray<WhaleEntryItem>): Statement {
  return figure(usdFigure(stakeOf(entries)))
}
