/**
 * What a text says is not there, against the other facts of the same text.
 *
 * @module
 */
import type { Fact } from "../../src/writing/domain/facts.ts"

type Stated = Pick<Fact, "statement" | "values">

const says = (pattern: RegExp) => ({ statement }: Stated) => pattern.test(statement)
const has = (slot: string) => ({ values }: Stated) => values[slot] !== undefined

const ended = says(/ is proposed(?:,| and disputed,) | is reported by |^The proposal of /)

/** The words of an absence, and the facts that contradict it. */
const absences: ReadonlyArray<readonly [RegExp, (fact: Stated) => boolean]> = [
  [/^Our word match found no headline/, has("headline")],
  [/none opened a position here|^No wallet is tracked/, says(/ bought .*(?:for \$| of )/)],
  [/^No outcome is proposed/, says(/ is proposed(?:,| and disputed,) |^The proposal of /)],
  [/lists no date for its end/, has("payoutAt")],
  [/has no order book/, has("bid")],
  [/^No trade in /, has("limit")],
  [/nothing decides it/, ended],
  [/no signal beyond it in/, says(/ is proposed(?: and disputed)?, but | is reported by /)],
]

/** Absences of a text that another fact of it contradicts. */
export function contradictedAbsences(facts: ReadonlyArray<Stated>): ReadonlyArray<string> {
  return absences.flatMap(([absence, isThere]) => {
    const stated = facts.find(says(absence))
    const other = stated === undefined ? undefined : facts.find(isThere)
    return stated === undefined || other === undefined
      ? []
      : [`${stated.statement} But: ${other.statement}`]
  })
}
