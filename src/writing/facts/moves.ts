/**
 * Facts about what a price did: the move, its largest step, or that there was none.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { slugKey } from "../../markets/domain/market.ts"
import { headlineLag, type PriceStep } from "../../markets/domain/priceStep.ts"
import { halfGivenBackAt } from "../../markets/domain/tradeCosts.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { joined, phrase, type Statement } from "../domain/statement.ts"
import type { Placed } from "./headlines.ts"
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

/** A move of the first outcome's price, and when it began and reached its end. */
interface PriceMove {
  readonly from: number
  readonly to: number
  readonly startedAt: EpochMs
  readonly at: EpochMs
}

/** With its window, and the step in which most of it came; null where the series does not say. */
export interface MarketMove extends PriceMove {
  readonly windowMs: number
  readonly step: PriceMove | null
}

/** A move as the feed published it. */
export interface PublishedMove {
  readonly createdAt: string
  readonly data: {
    readonly market: { readonly slug: string }
    readonly delta: number
    readonly phase: "running" | "settled"
    readonly priceStart: number
    readonly priceNow: number
    readonly startedAt: string
    readonly window: "1h" | "24h"
  }
}

/** The move that every text states of a market: the newest publication, and of its windows the larger. */
export function newestMove<Move extends PublishedMove>(
  moves: ReadonlyArray<Move>,
  slug: string,
): Move | null {
  return moves.filter(({ data }) => slugKey(data.market.slug) === slugKey(slug)).toSorted((a, b) =>
    Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
    Math.abs(b.data.delta) - Math.abs(a.data.delta)
  )[0] ?? null
}

export function moveOf({ createdAt, data }: PublishedMove, step: PriceStep | null): MarketMove {
  const { priceNow, priceStart, startedAt, window } = data
  return {
    ...{ from: priceStart, to: priceNow, windowMs: window === "1h" ? hour : day },
    ...{ startedAt: Date.parse(startedAt), at: Date.parse(createdAt) },
    step: step === null
      ? null
      : { from: step.priceFrom, to: step.priceTo, startedAt: step.from, at: step.to },
  }
}

/** Where a publication stands to a move: to its step, else to its whole window. */
export function placeOf(move: MarketMove, publishedAt: EpochMs): Placed {
  const { at: to, startedAt: from } = move.step ?? move
  const { position, lagMsMin, lagMsMax } = headlineLag(publishedAt, { from, to })
  const isStep = move.step !== null
  const lagMs = isStep || position === "after" ? Math.abs(lagMsMax) : lagMsMin
  return { position, lagMs: Math.max(0, lagMs), isStep }
}

function directionOf({ from, to }: Pick<PriceMove, "from" | "to">): "up" | "down" | null {
  const size = halfSteps(to) - halfSteps(from)
  return size === 0 ? null : size > 0 ? "up" : "down"
}

/** The price at which half of a move is given back: from there on it was noise. */
export const halfLevelOf = ({ from, to }: Pick<PriceMove, "from" | "to">): number =>
  halfGivenBackAt({ priceStart: from, priceNow: to })

/** Whether the price has given back half of a move since. */
export function isGivenBack(move: Pick<PriceMove, "from" | "to">, mid: number): boolean {
  const level = halfSteps(halfLevelOf(move))
  return move.to > move.from ? halfSteps(mid) <= level : halfSteps(mid) >= level
}

/** A step counts as the move when it is at least this share of it. */
const stepShareMin = 0.5

/** The end of an older move is dated. */
const recentMs = 10 * minute

/** A price at least this far from the end of a move is stated with it, USD a share. */
const movedOnMin = halfSteps(0.01)

/** `; now 0.585` where the price went on, or back, since it was at `to`; `slot` names the value. */
export function nowWords(to: number, mid: number | null, slot = "now", sign = ";"): Statement {
  return mid === null || Math.abs(halfSteps(mid) - halfSteps(to)) < movedOnMin
    ? phrase``
    : phrase`${sign} now ${price(slot, mid)}`
}

/**
 * `Yes rose 12.5 cents in 24 hours, from 0.462 to 0.587 at 06:10 UTC, most of it by 05:20 UTC; now 0.61.`
 * `mid` is the price now.
 */
export function moveFact(about: About, move: MarketMove, mid: number, now: EpochMs): NewFact {
  const { at, from, step, to, windowMs } = move
  const [direction, change] = [directionOf(move), fromHalfSteps(halfSteps(to) - halfSteps(from))]
  return factOf(
    "price",
    about.slug,
    phrase`${outcomeOf(about, 0)} ${direction === "down" ? "fell" : "rose"} ${
      cents("change", change)
    } in ${duration("window", windowMs)}, from ${price("from", from)} to ${price("to", to)}${
      now - at < recentMs ? phrase`` : phrase` at ${time("until", at, now)}`
    }${
      windowMs > hour && step !== null && (now - at < recentMs || at - step.at >= minute) &&
        (step.to - step.from) / (to - from) >= stepShareMin
        ? phrase`, most of it by ${time("at", step.at, now)}`
        : phrase``
    }${nowWords(to, mid)}.`,
    { direction },
  )
}

/**
 * `Yes is at 0.675, a day ago 0.66, 7 days ago 0.64, in 7 days between 0.63 and 0.69.` `isMoved`: the move
 * of its last day is stated, with the price now. Null where nothing is left to state.
 */
export function pastFact(
  about: About,
  mid: number,
  { before, day: dayAgo, high, low, spanMs }: PricePast,
  isMoved: boolean,
): NewFact | null {
  const past = [
    ...isMoved ? [] : [phrase`${outcomeOf(about, 0)} is at ${price("price", mid)}`],
    ...dayAgo === null || isMoved ? [] : [phrase`a day ago ${price("dayAgo", dayAgo)}`],
    ...spanMs < 2 * day ? [] : [phrase`${duration("span", spanMs)} ago ${price("before", before)}`],
    ...low === high || spanMs < hour ? [] : [
      phrase`in ${duration("window", spanMs)} between ${price("low", low)} and ${
        price("high", high)
      }`,
    ],
  ]
  return past.length === 0 ? null : factOf(
    "price",
    about.slug,
    phrase`${isMoved ? "Before: " : ""}${joined(past, ", ")}.`,
  )
}

/** What a price was: at the first known time, a day ago (null for under that), and its range since. */
export interface PricePast {
  readonly before: number
  readonly day: number | null
  readonly low: number
  readonly high: number
  readonly spanMs: number
}
