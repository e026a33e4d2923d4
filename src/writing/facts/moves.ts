/**
 * Facts about what a price did: the move, its largest step, and the level where half of it is gone.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { phrase } from "../domain/statement.ts"
import {
  type About,
  cents,
  duration,
  factOf,
  type NewFact,
  outcomeOf,
  price,
  rate,
  rounded,
  time,
} from "./fact.ts"

/** A move of the first outcome's price. */
interface PriceMove {
  readonly from: number
  readonly to: number
  readonly windowMs: number
}

function directionOf({ from, to }: Pick<PriceMove, "from" | "to">): "up" | "down" | null {
  const size = halfSteps(to) - halfSteps(from)
  return size === 0 ? null : size > 0 ? "up" : "down"
}

/** `Yes rose 12.5 cents in 24 hours, from 0.462 to 0.587.` */
export function moveFact(about: About, move: PriceMove): NewFact {
  const { from, to, windowMs } = move
  const [direction, change] = [directionOf(move), fromHalfSteps(halfSteps(to) - halfSteps(from))]
  const window = duration("window", windowMs)
  const outcome = outcomeOf(about, 0)
  return factOf(
    "price",
    about.slug,
    direction === null
      ? phrase`${outcome} is at ${price("to", to)}, as ${window} before.`
      : phrase`${outcome} ${direction === "up" ? "rose" : "fell"} ${
        cents("change", change)
      } in ${window}, from ${price("from", from)} to ${price("to", to)}.`,
    { direction },
  )
}

/** For a price whose past is not known. */
export function priceFact(about: About, mid: number, at: EpochMs, now: EpochMs): NewFact {
  return factOf(
    "price",
    about.slug,
    phrase`${outcomeOf(about, 0)} was at ${price("price", mid)} at ${time("at", at, now)}.`,
  )
}

/** When most of a move happened. */
export function stepFact(
  about: About,
  move: PriceMove,
  step: PriceMove & { readonly at: EpochMs },
  now: EpochMs,
): NewFact {
  const share = (step.to - step.from) / (move.to - move.from)
  const at = time("at", step.at, now)
  const details = { direction: directionOf(step) }
  return factOf(
    "price",
    about.slug,
    share >= 0.95
      ? phrase`The move came in one step, seen at ${at}.`
      : phrase`${rate("share", Math.round(share * 100) / 100)} of the move came in one step of ${
        cents("change", step.to - step.from)
      }, seen at ${at}.`,
    details,
  )
}

/** Where the move is half undone: from there on it was noise. */
export function halfFact(about: About, move: PriceMove): NewFact {
  const half = halfGivenBackAt({ priceStart: move.from, priceNow: move.to })
  return factOf(
    "price",
    about.slug,
    phrase`Half of the move is given back at ${rounded("halfLevel", half)}.`,
  )
}

export function rangeFact(
  about: About,
  range: { readonly low: number; readonly high: number; readonly spanMs: number },
): NewFact {
  return factOf(
    "price",
    about.slug,
    phrase`In ${duration("window", range.spanMs)} the price was between ${
      price("low", range.low)
    } and ${price("high", range.high)}.`,
  )
}
