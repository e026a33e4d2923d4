/**
 * Open values of a text, such as `{F8.from}`, and their filling by code. A model writes only the open
 * value, so it cannot misspell a figure or a name.
 *
 * - `{F8.from}`: the value `from` of the fact F8, in its one spelling.
 * - `{1-F2.price}`: the complement of a price or a rate: the price of the other side.
 * - `{F8.price|cents}`, `{F8.price|percent}`: the same value in cents or in percent.
 *
 * @module
 */
import { Result } from "effect"
import type { Fact } from "./facts.ts"
import type { StatedValue } from "./page.ts"
import { spelled, type Value } from "./values.ts"

/** Quotation marks around an open value are dropped: a name brings its own. */
const openValue =
  /(?<before>[“"]?)\{\s*(?<complement>1\s*[-−]\s*)?(?<id>F\d{1,4})\.(?<slot>[A-Za-z]\w{0,39})\s*(?:\|\s*(?<unit>cents|percent)\s*)?\}(?<after>[”"]?)/g

/** A text with its values, and what each is. */
interface Filled {
  readonly text: string
  readonly values: ReadonlyArray<StatedValue>
}

/** The text with every open value filled, or the reasons why one cannot be. */
export function fillValues(
  text: string,
  facts: ReadonlyMap<string, Fact>,
): Result.Result<Filled, ReadonlyArray<string>> {
  const reasons: Array<string> = []
  const values: Array<StatedValue> = []
  const filled = text.replace(openValue, (whole, ...given) => {
    const groups: Readonly<Record<string, string | undefined>> = given.at(-1)
    const { before = "", complement = "", id = "", slot = "", unit = "", after = "" } = groups
    const value = valueOf(facts.get(id), slot)
    const spelling = value === undefined
      ? undefined
      : spellingOf(value, complement !== "", unit, given.at(-3) === 0)
    if (value === undefined || spelling === undefined) {
      reasons.push(`${whole} is no value of the cited facts`)
      return whole
    }
    values.push({ fact: id, text: spelling, stated: spelled(value) })
    const isQuoted = before !== "" && after !== ""
    return isQuoted ? spelling : `${before}${spelling}${after}`
  })
  if (reasons.length === 0 && /[{}]/.test(withoutSlots(text, " "))) {
    reasons.push("a brace that is no open value")
  }
  return reasons.length === 0 ? Result.succeed({ text: filled, values }) : Result.fail(reasons)
}

/** The open values of a text. */
export function slotsIn(
  text: string,
): ReadonlyArray<{ readonly id: string; readonly slot: string }> {
  return [...text.matchAll(openValue)]
    .map(({ groups }) => ({ id: groups?.["id"] ?? "", slot: groups?.["slot"] ?? "" }))
}

/** The text with a sign in place of each open value: the words of its author. */
export function withoutSlots(text: string, sign: string): string {
  return text.replace(openValue, sign)
}

function valueOf(fact: Fact | undefined, slot: string): Value | undefined {
  return fact !== undefined && Object.hasOwn(fact.values, slot) ? fact.values[slot] : undefined
}

/** Undefined when the value has no complement, or no spelling in this unit. */
function spellingOf(
  value: Value,
  complement: boolean,
  unit: string,
  first: boolean,
): string | undefined {
  const turned = complement ? complementOf(value) : value
  if (turned === undefined) return undefined
  const text = unit === "" ? spelled(turned) : inUnit(turned, unit)
  return first && turned.type === "word" && text !== undefined
    ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
    : text
}

function complementOf(value: Value): Value | undefined {
  return value.type === "price" || value.type === "rate" && value.value >= 0 && value.value <= 1
    ? { type: value.type, value: 1 - value.value }
    : undefined
}

function inUnit(value: Value, unit: string): string | undefined {
  if (value.type !== "price" && value.type !== "change" && value.type !== "rate") return undefined
  if (unit === "percent") {
    const percent = spelled({ type: "rate", value: value.value })
    return value.type === "change" ? `${percent.slice(0, -1)} percentage points` : percent
  }
  return value.type === "rate" ? undefined : spelled({ type: "change", value: value.value })
}
