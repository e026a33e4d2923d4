/**
 * What a digest may state of the entries of tracked wallets, read through their calibration.
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

/** Entries that are stated: as many as a page holds. */
const entriesMax = 10
/** Markets whose flow is summed up. */
const flowsMax = 3
/** Entries that make a flow: a single one is stated by itself. */
const flowMin = 2
/** Sides of a market that a flow names. */
const sidesMax = 2

/** The sums of all entries by label, the largest flows into one market, the largest entries. */
export function whaleFacts(
  entries: ReadonlyArray<WhaleEntryItem>,
  until: EpochMs,
): ReadonlyArray<NewDigestFact> {
  const largest = entries.toSorted(byStake)
  const shown = largest.slice(0, entriesMax)
  return [
    countFact(entries),
    ...limitFact(sums, entries.length - shown.length, "entry", "entries"),
    ...flowFacts(largest),
    ...shown.map((entry) => entryFact(entry, until)),
  ]
}

function byStake(a: WhaleEntryItem, b: WhaleEntryItem): number {
  return b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex
}

const sums: FactAttributes = { kind: "whale_entry", topic: "count", section: "whales" }

/** How the labels are spoken of. An entry without calibration has none. */
const labels = ["follow", "fade", "neutral", "unlabelled"] as const
type Label = typeof labels[number]

const wallets: Readonly<Record<Label, string>> = {
  follow: "wallets labelled follow",
  fade: "wallets labelled fade",
  neutral: "wallets labelled neutral",
  unlabelled: "wallets of which too little is known to label them",
}

function labelOf({ data }: WhaleEntryItem): Label {
  return data.calibration?.label ?? "unlabelled"
}

/** What came from whom; that nothing came from those with an edge is said as well. */
function countFact(entries: ReadonlyArray<WhaleEntryItem>): NewDigestFact {
  if (entries.length === 0) return absenceFact(sums, phrase`No entry of a tracked wallet was told.`)
  const by = figure(
    countFigure(new Set(entries.map(({ data }) => data.wallet)).size, "tracked wallet"),
  )
  const shares = labels.flatMap((label) => {
    const of = entries.filter((entry) => labelOf(entry) === label)
    return of.length === 0 ? [] : [phrase`${stake(of)} in ${entryCount(of)} from ${wallets[label]}`]
  })
  const statement = phrase`${by} put ${stake(entries)} into ${entryCount(entries)}: ${
    listed(shares)
  }.`
  const edged = entries.some((entry) => ["follow", "fade"].includes(labelOf(entry)))
  const none = phrase`Nothing came from a wallet labelled follow or fade.`
  return factOf(sums, edged ? statement : joined([statement, none]))
}

/** Where several entries met, the largest sums first. */
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
  const about: FactAttributes = { ...sums, topic: "flow" }
  return factOf(about, phrase`In ${market}, ${listed(sides)}.`)
}

function entryFact({ data }: WhaleEntryItem, until: EpochMs): NewDigestFact {
  const { market, outcome, stakeUsd, entryPrice, fills, lastFillAt, wallet } = data
  const who = labelName(data.pseudonym, wallet)
  const usd = figure(usdFigure(stakeUsd))
  const what = phrase`${outcomeName(outcome)} in ${marketName(market)}`
  const known = data.calibration === null
    ? phrase`not labelled`
    : phrase`labelled ${data.calibration.label} by ${resolvedCount(data.calibration.resolved)}`
  const statement = phrase`${who} bought ${what} for ${usd}, at a mean price of ${
    figure(rateFigure(entryPrice))
  } in ${figure(countFigure(fills, "fill"))}, the last at ${
    figure(whenFigure(Date.parse(lastFillAt), until))
  }. ${recordOf(data.calibration)}`
  const about: FactAttributes = { kind: "whale_entry", topic: "entry", section: "whales" }
  return factOf(about, statement, phrase`${who}, ${known}, put ${usd} on ${what}.`)
}

/** How far luck explains the record, by its label. */
const reading = {
  follow: "luck at these prices would hardly do so well",
  fade: "luck at these prices would hardly do so badly",
  neutral: "luck at these prices is enough to explain it",
} as const

/** A label never goes without its evidence. */
function recordOf(calibration: WhaleEntryItem["data"]["calibration"]): Statement {
  if (calibration === null) return phrase`Too little is known of this wallet to label it.`
  const { edge, edgeHigh, edgeLow, label, meanEntryPrice, resolved, winRate } = calibration
  const rate = (value: number) => figure(rateFigure(value))
  return phrase`The wallet was labelled ${label}: over ${
    resolvedCount(resolved)
  } held to the end, a win rate of ${rate(winRate)} beside a mean entry price of ${
    rate(meanEntryPrice)
  }, and an edge of ${rate(edge)}, with an interval from ${rate(edgeLow)} to ${rate(edgeHigh)}; ${
    reading[label]
  }.`
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

/** Summed in one order whatever order they came in, so that it is the same sum to the last bit. */
function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  return entries.map(({ data }) => data.stakeUsd).sort((a, b) => a - b)
    .reduce((sum, usd) => sum + usd, 0)
}

function stake(entries: ReadonlyArray<WhaleEntryItem>): Statement {
  return figure(usdFigure(stakeOf(entries)))
}
