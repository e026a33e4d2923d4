/**
 * The facts of a report about tracked wallets: what they bought in the market, and their records.
 *
 * @module
 */
import {
  countFigure,
  durationFigure,
  priceFigure,
  rateFigure,
  usdFigure,
} from "../../writing/domain/figures.ts"
import { fact, type NewReportFact } from "./report.ts"
import { entriesReadMax, outcomeName, type ReportMaterial } from "./material.ts"
import { figure, joined, name, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { WhaleLabel } from "../../feed/domain/item.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"

/** Entries with a fact of their own, the largest first; all entries that were read are evidence. */
const entryFactsMax = 6

/** The open entries of tracked wallets; says so when there are none, or they could not be read. */
export function entryFacts(material: ReportMaterial): ReadonlyArray<NewReportFact> {
  const { entries } = material
  if (entries === null) {
    return [fact(
      "whales",
      "coverage",
      phrase`The entries of tracked wallets could not be read for this report, so it says nothing about them.`,
    )]
  }
  if (entries.length === 0) {
    return [fact(
      "whales",
      "whale",
      phrase`No tracked wallet is known to have an open entry in this market.`,
    )]
  }
  const directional = entries.filter(({ marketMaker }) => !marketMaker)
  return [
    fact("whales", "whale", totals(material, directional, entries)),
    fact(
      "whales",
      "method",
      phrase`Sales are not tracked, so a wallet may have sold what it bought.`,
    ),
    ...entries.slice(0, entryFactsMax).map((entry) =>
      fact("whales", "whale", describeEntry(material, entry))
    ),
  ]
}

/** The number and the cost, by outcome, of the entries that are not a market maker's. */
function totals(
  material: ReportMaterial,
  directional: ReadonlyArray<OpenEntry>,
  entries: ReadonlyArray<OpenEntry>,
): Statement {
  const makers = entries.length - directional.length
  const onEach = ([0, 1] as const).map((side) => {
    const on = directional.filter(({ outcome }) => outcome === side)
    const stakeUsd = on.reduce((sum, entry) => sum + entry.stakeUsd, 0)
    const outcome = outcomeName(material, side)
    if (on.length === 0) return phrase`no entry on ${outcome}`
    return phrase`${figure(countFigure(on.length, "entry", "entries"))} on ${outcome} for ${
      figure(usdFigure(stakeUsd))
    }`
  })
  const [first = phrase``, second = phrase``] = onEach
  return joined([
    directional.length === 0
      ? phrase`No tracked wallet that takes a view is known to have an open entry in this market.`
      : phrase`Tracked wallets have open entries in this market: ${first} and ${second}.`,
    ...makers === 0 ? [] : [
      phrase`This leaves out ${
        figure(countFigure(makers, "entry", "entries"))
      } by wallets that make markets: they trade without a view on the outcome.`,
    ],
    ...entries.length < entriesReadMax
      ? []
      : [phrase`There may be more entries: only the largest were read.`],
  ])
}

function describeEntry(material: ReportMaterial, entry: OpenEntry): Statement {
  const who = name(entry.name)
  const ago = figure(durationFigure(material.now - entry.firstFillAt))
  return joined([
    phrase`The tracked wallet ${who} bought ${outcomeName(material, entry.outcome)} at ${
      figure(priceFigure(entry.price))
    } for ${figure(usdFigure(entry.stakeUsd))}, starting ${ago} before this report.`,
    entry.marketMaker
      ? phrase`It makes markets, so this is no view on the outcome.`
      : record(entry),
  ])
}

/** The wallet's record, if it has at least `resolvedEntriesMin` resolved entries. */
function record({ calibration }: OpenEntry): Statement {
  const row = calibration?.row
  if (row === undefined || row.resolved < resolvedEntriesMin) {
    return phrase`Too few of its entries have ended to judge it.`
  }
  const rate = (value: number) => figure(rateFigure(roundRate(value)))
  return joined([
    phrase`Over ${
      figure(countFigure(row.resolved, "past entry", "past entries"))
    }, counted as held to resolution, its win rate is ${rate(row.winRate)} at a mean price of ${
      rate(row.meanEntryPrice)
    }; following all of them returned ${rate(row.mirrorRoi)}${
      row.fadeRoi === null
        ? phrase``
        : phrase`, and fading all of them returned ${rate(row.fadeRoi)}`
    }.`,
    meanings[row.label],
  ])
}

/** What each label means. A neutral record may differ from the prices, but not after fees. */
const meanings: Readonly<Record<typeof WhaleLabel.Type, Statement>> = {
  follow:
    phrase`The label of this record is follow: luck hardly explains such good results at these prices.`,
  fade:
    phrase`The label of this record is fade: luck hardly explains such poor results at these prices.`,
  neutral:
    phrase`The label of this record is neutral: after fees, it is not shown to differ from the prices paid.`,
}
