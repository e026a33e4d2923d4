/**
 * Whether a figure of a claim is a value of a fact: the same number in an equivalent form, or rounded
 * correctly.
 *
 * Equivalent forms: 0.345 = 34.5 cents = 34.5%; a rate 0.628 = 62.8%; 1 hour = 60 minutes. A figure may
 * have fewer digits than the value if it is rounded correctly and the error is harmless: half a cent of a
 * price, half a percent of an amount. Marked as rounded (`about`), the error may be a tenth of the value.
 *
 * @module
 */
import { day, hour, isoTime, minute } from "../../../core/domain/time.ts"
import { spelled, type Value } from "../values.ts"
import type { Figure, Unit } from "./figures.ts"

const harmlessPrice = 0.005
const harmlessShare = 0.005
const markedShare = 0.1
/** A price and its digits are compared with this slack, for binary fractions. */
const slack = 1e-9

/** Units in which a value of each type may be written. */
const writable: Readonly<Record<Value["type"], ReadonlySet<Unit>>> = {
  price: new Set<Unit>(["bare", "cents", "percent", "usd"]),
  change: new Set<Unit>(["bare", "cents", "points"]),
  rate: new Set<Unit>(["bare", "percent", "points"]),
  usd: new Set<Unit>(["usd"]),
  count: new Set<Unit>(["bare"]),
  deviations: new Set<Unit>(["deviations", "bare"]),
  duration: new Set<Unit>(["duration"]),
  time: new Set<Unit>(["clock", "date"]),
  name: new Set<Unit>(),
  word: new Set<Unit>(),
}

function isWritable(unit: Unit, value: Value): boolean {
  return writable[value.type].has(unit)
}

/** Whether the figure states this value. `opposite`: of the other outcome, at 1 less the price. */
export function states(figure: Figure, value: Value, opposite: boolean = false): boolean {
  const isSpelled = value.type !== "name" && value.type !== "word" && spelled(value) === figure.text
  if (isSpelled && !opposite && figure.sign === 0) return true
  if (!isWritable(figure.unit, value)) return false
  switch (value.type) {
    case "price": {
      const price = opposite ? 1 - value.value : value.value
      return figure.sign === 0 && isRounded(figure, price, inPart(figure), harmlessPrice)
    }
    case "change":
      return isRounded(figure, Math.abs(value.value), inPart(figure), harmlessPrice)
    case "rate":
      return (figure.sign < 0) === value.value < 0 &&
        isRounded(figure, Math.abs(value.value), inPart(figure), harmlessPrice)
    case "usd":
      return isRounded(figure, value.value, 1, harmlessShare * value.value)
    case "count":
    case "deviations":
      return figure.value === value.value ||
        isRounded(figure, value.value, 1, value.type === "count" ? 0 : 0.05)
    case "duration":
      return isDuration(figure, value.ms)
    case "time":
      return isTime(figure, value.at)
    case "name":
    case "word":
      return false
  }
}

/** What one unit of the figure is worth in a price or a rate. */
function inPart({ unit }: Figure): number {
  return unit === "bare" || unit === "usd" ? 1 : 0.01
}

/** Whether the digits of a figure are `exact`, rounded to the step that they are written with. */
function isRounded(
  { value, step, approximate }: Figure,
  exact: number,
  worth: number,
  harmless: number,
): boolean {
  const error = Math.abs(value * worth - exact)
  if (error <= slack * Math.max(1, exact)) return true
  if (error > step * worth / 2 + slack) return false
  return error <= harmless + slack || approximate && error <= markedShare * Math.abs(exact)
}

/** To the nearest of its unit, as our own texts write it. */
function isDuration({ value, step, approximate }: Figure, ms: number): boolean {
  const error = Math.abs(value - ms)
  const unit = step >= day ? day : step >= hour ? hour : minute
  if (error <= Math.min(unit / 2, markedShare * ms)) return true
  return approximate && error <= 2 * markedShare * ms && error <= unit / 2 * 2
}

function isTime({ unit, value }: Figure, at: number): boolean {
  const [date = "", time = ""] = isoTime(at).split("T")
  const [, month, ofMonth] = date.split("-").map(Number)
  const [hours = 0, minutes = 0] = time.split(":").map(Number)
  return unit === "date"
    ? value === (month ?? 0) * 100 + (ofMonth ?? 0)
    : value === hours * 60 + minutes
}
