/**
 * Figures as texts spell them: each with its unit and with exactly one spelling.
 *
 * @module
 */
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import { day, type EpochMs, hour, isoTime, minute } from "../../core/domain/time.ts"

/** `0.60`, not `0.6`. */
const decimalsMin = 2
/** Decimals of a price at most: it is a whole number of half steps of 0.00005. */
const priceDecimals = 5
/** Above this, durations are rounded to hours: `3 hours`, but `95 minutes`. */
const minutesUntil = 2 * hour
/** Above this, durations are rounded to days. */
const hoursUntil = 2 * day

/** A quoted price or a mid, 0..1: `0.62`, `0.00125`. Exact. */
export function priceFigure(price: number): string {
  const exact = Number(fromHalfSteps(halfSteps(price)).toFixed(priceDecimals))
  const [whole, fraction = ""] = String(exact + 0).split(".")
  return `${whole}.${fraction.padEnd(decimalsMin, "0")}`
}

/** `1 entry`, `26 entries`, `1,200 markets`. */
export function countFigure(count: number, noun: string, nouns: string = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : nouns}`
}

/** The minute: `2026-11-21 14:20 UTC`. */
export function timeFigure(at: EpochMs): string {
  const [date = "", time = ""] = isoTime(at).split("T")
  return `${date} ${time.slice(0, 5)} UTC`
}

/** An hour of the day names one time within so long before and after another. */
const undatedMs = 12 * hour

/** The minute, with its date unless it is near to `now`. */
export function whenFigure(at: EpochMs, now: EpochMs): string {
  const figure = timeFigure(at)
  return Math.abs(at - now) < undatedMs ? figure.slice("2026-12-31 ".length) : figure
}

/** To the nearest of its unit: `95 minutes`, `4 hours`, `6 days`. Never negative. */
export function durationFigure(ms: number): string {
  const length = Math.max(0, ms)
  if (length < minutesUntil && length % hour !== 0 || length < minute) {
    return countFigure(Math.round(length / minute), "minute")
  }
  return length < hoursUntil
    ? countFigure(Math.round(length / hour), "hour")
    : countFigure(Math.round(length / day), "day")
}

/** A whole number with thousands separators, however large. */
function grouped(value: number): string {
  return BigInt(Math.round(value)).toString().replace(/\B(?=(?:\d{3})+$)/g, ",")
}
