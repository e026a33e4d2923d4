/**
 * Facts that no sentence of the template states, for the claims of a model and for the evidence.
 *
 * @module
 */
import { cents, duration, type Line, line, named, price, usd, word } from "./lines.ts"
import { outcomeName, type ReportMaterial } from "./material.ts"
import { directionOf, movementOf } from "./movement.ts"
import { directional } from "./whaleView.ts"
import { phrase } from "../../writing/domain/statement.ts"

/** Entries with a fact of their own, the largest stakes first. */
const entriesMax = 5

export function asideLines(material: ReportMaterial): ReadonlyArray<Line> {
  const details = { subject: material.market.slug }
  const { microstructure: book, market } = material
  const { whole, main } = movementOf(material)
  const week = whole === null || whole === main ? [] : [line(
    "price",
    phrase`In ${duration("window", whole.to.at - whole.from.at)} the price went from ${
      price("from", whole.from.mid)
    } to ${price("to", whole.to.mid)}.`,
    { ...details, direction: directionOf(whole) },
  )]
  const quotes = book === null ? [] : [line(
    "book",
    phrase`The best bid is ${price("bid", book.bestBid)} and the best ask ${
      price("ask", book.bestAsk)
    }, a spread of ${cents("spread", book.spread)}; ${
      usd("depth", book.depthUsdWithin5c.total)
    } of orders are within ${cents("change", 0.05)} of the middle, and ${
      usd("volume", market.volumeUsd)
    } was traded so far.`,
    details,
  )]
  const entries = directional(material.entries ?? []).slice(0, entriesMax).map((entry) =>
    line(
      "whale",
      phrase`${named("wallet", entry.name)} bought ${
        outcomeName(material, entry.outcome, "outcome")
      } at ${price("entryPrice", entry.price)} for ${usd("stake", entry.stakeUsd)}, ${
        duration("age", material.now - entry.firstFillAt)
      } ago; its label is ${word("label", entry.calibration?.row.label ?? "not known yet")}.`,
      { subject: entry.wallet },
    )
  )
  return [...week, ...quotes, ...entries]
}
