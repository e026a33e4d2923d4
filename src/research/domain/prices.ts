/**
 * The facts of a report about prices: the current price, its history, and the cost of trading.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import {
  durationFigure,
  moveFigure,
  priceFigure,
  timeFigure,
  usdFigure,
} from "../../writing/domain/figures.ts"
import { fact, type NewReportFact } from "./report.ts"
import { outcomeName, priceOf, type ReportMaterial } from "./material.ts"
import { convergenceOf } from "../../markets/domain/resolving.ts"
import { figure, joined, phrase, type Statement } from "../../writing/domain/statement.ts"
import { day, hour } from "../../core/domain/time.ts"

/** A point may be this much older than a day and still count as a day ago: an hour may lack a price. */
const dayStartSlack = 2 * hour
/** The longest time between two points that count as consecutive hours: one hour may be missing. */
const stepMax = 2 * hour

export function priceFacts(material: ReportMaterial): ReadonlyArray<NewReportFact> {
  const { priceAction } = material
  const yes = outcomeName(material, 0)
  const price = priceOf(material)
  const [first] = priceAction
  const span = figure(durationFigure(price.at - first.at))
  const now = figure(priceFigure(price.mid))
  const at = figure(timeFigure(price.at))
  const mids = [...priceAction, price].map(({ mid }) => mid)
  const low = figure(priceFigure(Math.min(...mids)))
  const high = figure(priceFigure(Math.max(...mids)))
  return [
    fact("thesis", "price", phrase`The price of ${yes} was ${now} at ${at}.`),
    fact(
      "thesis",
      "price",
      price.at - first.at < hour
        ? phrase`No price from more than an hour earlier is known.`
        : phrase`Over the previous ${span}, ${
          moveOf(first, price)
        }; it stayed between ${low} and ${high}.`,
    ),
    ...lastDay(material, price),
    fact("bottom", "price", bottomLineOf(material, price)),
  ]
}

/** The change between two points, as the end of a sentence. */
function moveOf(from: SeriesPoint, to: SeriesPoint): Statement {
  const delta = to.mid - from.mid
  const start = figure(priceFigure(from.mid))
  if (halfSteps(to.mid) === halfSteps(from.mid)) {
    return phrase`the price ended where it began, at ${start}`
  }
  const [by, end] = [figure(moveFigure(delta)), figure(priceFigure(to.mid))]
  return delta > 0
    ? phrase`the price rose by ${by}, from ${start} to ${end}`
    : phrase`the price fell by ${by}, from ${start} to ${end}`
}

function lastDay(
  { priceAction }: ReportMaterial,
  price: SeriesPoint,
): ReadonlyArray<NewReportFact> {
  const before = priceAction.findLast(({ at }) => at <= price.at - day)
  if (before === undefined || before.at < price.at - day - dayStartSlack) return []
  const span = figure(durationFigure(day))
  return [fact("thesis", "price", phrase`In the last ${span}, ${moveOf(before, price)}.`)]
}

/** The largest move from one hour to the next: whether the price drifted or jumped. */
export function stepFacts({ priceAction }: ReportMaterial): ReadonlyArray<NewReportFact> {
  const steps = priceAction.slice(1).flatMap((to, n) => {
    const from = priceAction[n]
    return from === undefined || to.at - from.at > stepMax ? [] : [{ from, to }]
  })
  const size = ({ from, to }: { from: SeriesPoint; to: SeriesPoint }) =>
    Math.abs(halfSteps(to.mid) - halfSteps(from.mid))
  const largest = steps.toSorted((a, b) => size(b) - size(a))[0]
  if (largest === undefined || size(largest) === 0) return []
  return [fact(
    "thesis",
    "price",
    phrase`The largest change from hour to hour was seen at ${figure(timeFigure(largest.to.at))}: ${
      moveOf(largest.from, largest.to)
    }.`,
  )]
}

function bottomLineOf(material: ReportMaterial, price: SeriesPoint): Statement {
  const now = figure(priceFigure(price.mid))
  const [yes, no] = [outcomeName(material, 0), outcomeName(material, 1)]
  if (convergenceOf(price.mid) === "contested") {
    const { proposal } = material
    return proposal === null
      ? phrase`With ${yes} at ${now}, the market treats the question as open.`
      : phrase`With ${yes} at ${now}, the market treats the question as open, though the outcome ${
        outcomeName(material, proposal.outcome)
      } was proposed at the venue.`
  }
  return phrase`With ${yes} at ${now}, the market leaves little chance for ${
    price.mid > 0.5 ? no : yes
  }.`
}

export function bookFacts({ microstructure }: ReportMaterial): ReadonlyArray<NewReportFact> {
  if (microstructure === null) {
    return [fact(
      "aside",
      "book",
      phrase`No valid order book was found when this report was written.`,
    )]
  }
  const { bestBid, bestAsk, spread, depthUsdWithin5c: depth, impactUsd } = microstructure
  const cents = figure(priceFigure(0.05))
  return [
    fact(
      "thesis",
      "book",
      joined([
        phrase`The best bid is ${figure(priceFigure(bestBid))} and the best ask is ${
          figure(priceFigure(bestAsk))
        }, a spread of ${figure(priceFigure(spread))}.`,
        phrase`Orders within ${cents} around the midpoint total ${
          figure(usdFigure(depth.total))
        }: ${figure(usdFigure(depth.bid))} to buy and ${figure(usdFigure(depth.ask))} to sell.`,
      ]),
    ),
    fact(
      "aside",
      "book",
      joined([
        impactUsd.up5c === null
          ? phrase`There are not enough offers to move the price up by ${cents}.`
          : phrase`It takes ${
            figure(usdFigure(impactUsd.up5c))
          } of buying to move the price up by ${cents}.`,
        impactUsd.down5c === null
          ? phrase`There are not enough bids to move the price down by ${cents}.`
          : phrase`It takes ${
            figure(usdFigure(impactUsd.down5c))
          } of selling to move the price down by ${cents}.`,
      ]),
    ),
  ]
}
