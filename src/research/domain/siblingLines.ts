/**
 * What the other markets of the event say about the price.
 *
 * @module
 */
import { siblingSums } from "../../markets/domain/siblings.ts"
import { cents, count, type Line, line, named, price } from "./lines.ts"
import { ownQuote, priceOf, type ReportMaterial } from "./material.ts"
import { phrase } from "../../writing/domain/statement.ts"
import { quoteOfMid } from "../../markets/domain/quote.ts"

/** The outcomes of an event may sum to this much more or less than 1 without being worth a sentence. */
const distanceMin = 0.02

/** The sum of the exclusive outcomes of the event, and the dearest rival. */
export function siblingLines(material: ReportMaterial): ReadonlyArray<Line> {
  const { market, siblings } = material
  if (siblings === null) return []
  const own = { market, quote: ownQuote(material) ?? quoteOfMid(priceOf(material).mid) }
  const [sum] = siblingSums([own, ...siblings.markets], () => siblings.complete)
  if (sum === undefined) return []
  const rival = sum.markets.find(({ market: { id } }) => id !== market.id)
  if (rival === undefined || rival.quote === null) return []
  const seen = count("siblings", sum.markets.length, "outcome")
  const total = phrase`The ${seen} of this event${sum.partial ? " that were read" : ""} sum to ${
    price("sum", sum.midSum)
  }`
  const nearest = phrase`the dearest other one is ${named("market2", rival.market.question)} at ${
    price("price2", rival.quote.mid)
  }`
  const details = { subject: market.slug }
  if (sum.risklessSpread !== null && sum.risklessSpread > 0) {
    return [line(
      "relation",
      phrase`${total}, a contradiction: buying the second outcome of each gains ${
        cents("riskless", sum.risklessSpread)
      } a share after fees, whichever happens; ${nearest}.`,
      details,
    )]
  }
  const off = sum.distance > distanceMin
    ? phrase`, ${cents("excess", sum.distance)} more than all of them can be worth`
    : phrase``
  return [line("relation", phrase`${total}${off}; ${nearest}.`, details)]
}
