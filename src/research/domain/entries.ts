/**
 * The facts of a report about tracked wallets: what they bought here, and what their record is worth.
 *
 * @module
 */
import {
  countFigure,
  durationFigure,
  priceFigure,
  rateFigure,
  usdFigure,
} from "../../writing/domain/phrases.ts"
import { fact, type Unnumbered } from "./report.ts"
import { entriesReadMax, outcomeName, type ReportMaterial } from "./material.ts"
import { figure, joined, name, say, type Statement } from "../../writing/domain/statement.ts"
import type { WhaleLabel } from "../../feed/domain/item.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"

/** Entries that are facts of their own, the largest first; all that were read are evidence. */
const entriesToldMax = 6

/** What tracked wallets hold; that nothing is known is a fact too. */
export function entryFacts(material: ReportMaterial): ReadonlyArray<Unnumbered> {
  const { entries } = material
  if (entries === null) {
    return [fact(
      "whales",
      "coverage",
      say`The entries of tracked wallets could not be read for this report, so nothing is said of them.`,
    )]
  }
  if (entries.length === 0) {
    return [fact(
      "whales",
      "whale",
      say`No tracked wallet is known to have an open entry in this market.`,
    )]
  }
  const views = entries.filter(({ marketMaker }) => !marketMaker)
  return [
    fact("whales", "whale", totals(material, views, entries)),
    fact(
      "whales",
      "method",
      say`Sales are not followed, so a wallet may have sold what it bought since.`,
    ),
    ...entries.slice(0, entriesToldMax).map((entry) =>
      fact("whales", "whale", entryStated(material, entry))
    ),
  ]
}

/** What they come to by outcome. */
function totals(
  material: ReportMaterial,
  views: ReadonlyArray<OpenEntry>,
  entries: ReadonlyArray<OpenEntry>,
): Statement {
  const makers = entries.length - views.length
  const onEach = ([0, 1] as const).map((side) => {
    const on = views.filter(({ outcome }) => outcome === side)
    const stakeUsd = on.reduce((sum, entry) => sum + entry.stakeUsd, 0)
    return say`${figure(countFigure(on.length, "entry", "entries"))} on ${
      outcomeName(material, side)
    } for ${figure(usdFigure(stakeUsd))}`
  })
  const [first = say``, second = say``] = onEach
  return joined([
    views.length === 0
      ? say`No tracked wallet that takes a view is known to have an open entry in this market.`
      : say`Tracked wallets have open entries in this market: ${first}, ${second}.`,
    ...makers === 0 ? [] : [
      say`Left out of that is ${
        figure(countFigure(makers, "entry", "entries"))
      } by wallets that make markets: to them it is a trade and no view.`,
    ],
    ...entries.length < entriesReadMax ? [] : [say`There may be more: only the largest were read.`],
  ])
}

function entryStated(material: ReportMaterial, entry: OpenEntry): Statement {
  const who = name(entry.name)
  const ago = figure(durationFigure(material.now - entry.firstFillAt))
  return joined([
    say`The tracked wallet ${who} bought ${outcomeName(material, entry.outcome)} at ${
      figure(priceFigure(entry.price))
    } for ${figure(usdFigure(entry.stakeUsd))}, beginning ${ago} before this report.`,
    entry.marketMaker ? say`It makes markets, so that is its trade and no view.` : record(entry),
  ])
}

/** What a wallet's entries came to before. */
function record({ calibration }: OpenEntry): Statement {
  const row = calibration?.row
  if (row === undefined || row.resolved < resolvedEntriesMin) {
    return say`Too few of its entries have ended to judge it.`
  }
  const rate = (value: number) => figure(rateFigure(roundRate(value)))
  return joined([
    say`Over ${
      figure(countFigure(row.resolved, "past entry", "past entries"))
    }, held to the end, its rate of success is ${rate(row.winRate)} at a mean price of ${
      rate(row.meanEntryPrice)
    }; to follow them all came to a return of ${rate(row.mirrorRoi)}, and to fade them all to ${
      rate(row.fadeRoi)
    }.`,
    worth[row.label],
  ])
}

const worth: Readonly<Record<typeof WhaleLabel.Type, Statement>> = {
  follow: say`The label of that record is follow: luck would hardly explain it.`,
  fade: say`The label of that record is fade: luck would hardly explain that it is so weak.`,
  neutral: say`The label of that record is neutral: luck may explain it.`,
}
