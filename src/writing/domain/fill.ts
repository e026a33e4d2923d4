/**
 * Fills the open values of a claim: `{F8.market}` is the value `market` of the fact F8, in its one spelling.
 *
 * @module
 */
import { Result } from "effect"
import type { Fact } from "./facts.ts"
import type { StatedValue } from "./page.ts"
import { spelled } from "./values.ts"

/** Quotation marks around an open value are dropped: a name brings its own. */
const openValue =
  /(?<before>[“"]?)\{\s*(?<id>F\d{1,4})\.(?<slot>[A-Za-z]\w{0,39})\s*\}(?<after>[”"]?)/g

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
  const filled = text.replace(openValue, (whole, before, id, slot, after, at) => {
    const all = facts.get(id)?.values ?? {}
    const value = Object.hasOwn(all, slot) ? all[slot] : undefined
    if (value === undefined) {
      reasons.push(`${whole} is no value of the cited facts`)
      return whole
    }
    const spelling = spelled(value)
    values.push({ fact: id, text: spelling })
    const isQuoted = before !== "" && after !== ""
    return at === 0 && value.type === "word"
      ? `${spelling.slice(0, 1).toUpperCase()}${spelling.slice(1)}`
      : isQuoted
      ? spelling
      : `${before}${spelling}${after}`
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
