/**
 * Facts about what a price did: the move, its largest step, or that there was none.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  cents,
  duration,
  factOf,
  type NewFact,
  outcomeOf,
  price,
  time,
} from "./fact.ts"

/** A move of the first outcome's price. */
export interface PriceMove {
  readonly from: number
  readonly to: number
  readonly windowMs: number
}

function directionOf({ from, to }: Pick<PriceMove, "from" | "to">): "up" | "down" | null {
  const size = halfSteps(to) - halfSteps(from)
  return size === 0 ? null : size > 0 ? "up" : "down"
}

/** The price at which half of a move is given back: from there on it was noise. */
export const halfLevelOf = ({ from, to }: Pick<PriceMove, "from" | "to">): number =>
  halfGivenBackAt({ priceStart: from, priceNow: to })

/** Whether the price has given back half of a move since. */
export function isGivenBack(move: PriceMove, mid: number): boolean {
  const level = halfSteps(halfLevelOf(move))
  return move.to > move.from ? halfSteps(mid) <= level : halfSteps(mid) >= level
}

/** A step counts as the move when it is at least this share of it. */
const stepShareMin = 0.5

/** A price at least this far from the end of a move is stated with it, USD a share. */
const movedOnMin = halfSteps(0.01)

/** `; now 0.585` where the price went on, or back, since it was at `to`; `slot` names the value. */
export function nowWords(to: number, mid: number | null, slot = "now", sign = ";"): Statement {
  return mid === null || Math.abs(halfSteps(mid) - halfSteps(to)) < movedOnMin
    ? phrase``
    : phrase`${sign} now ${price(slot, mid)}`
}

/**
 * `Yes rose 12.5 cents in 24 hours, from 0.462 to 0.587, most of it by 05:20 UTC; now 0.61.` `mid` is the
 * price now.
 */
export function moveFact(
  about: About,
  move: PriceMove,
  mid: number,
  step: Pick<PriceMove, "from" | "to"> & { readonly at: EpochMs } | null,
  now: EpochMs,
): NewFact {
  const { from, to, windowMs } = move
  const [direction, change] = [directionOf(move), fromHalfSteps(halfSteps(to) - halfSteps(from))]
  return factOf(
    "price",
    about.slug,
    phrase`${outcomeOf(about, 0)} ${direction === "down" ? "fell" : "rose"} ${
      cents("change", change)
    } in ${duration("window", windowMs)}, from ${price("from", from)} to ${price("to", to)}${
      windowMs > hour && step !== null && (step.to - step.from) / (to - from) >= stepShareMin
        ? phrase`, most of it by ${time("at", step.at, now)}`
        : phrase``
    }${nowWords(to, mid)}.`,
    { direction },
  )
}

/** A price without a move, and the range that it kept to; null for an unknown past. */
export function steadyFact(
  about: About,
  mid: number,
  range: { readonly low: number; readonly high: number; readonly spanMs: number } | null,
): NewFact {
  const kept = range === null
    ? phrase``
    : phrase`; in ${duration("window", range.spanMs)} it was between ${
      price("low", range.low)
    } and ${price("high", range.high)}`
  return factOf(
    "price",
    about.slug,
    phrase`${outcomeOf(about, 0)} is at ${price("price", mid)}${kept}.`,
  )
}
