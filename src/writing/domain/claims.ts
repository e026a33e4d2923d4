/**
 * Claims as a model drafts them, what a narrator is asked for, and the claims that the hard checks leave.
 *
 * @module
 */
import { Result } from "effect"
import { hardFaults } from "./checks.ts"
import type { Fact } from "./facts.ts"
import { fillValues } from "./fill.ts"
import type { Claim, ClaimKind, Slot } from "./page.ts"

/** A claim whose values are still open: `{F8.market} fell to {F8.to}.` */
export interface ClaimDraft {
  readonly slot: string
  readonly kind: ClaimKind
  readonly text: string
  readonly facts: ReadonlyArray<string>
}

/** What a narrator is asked for. */
export interface DraftRequest {
  readonly use: "digest" | "report"
  /** What the text is, and who reads it. */
  readonly task: string
  readonly facts: ReadonlyArray<Fact>
  readonly slots: ReadonlyArray<Slot>
}

/** Characters of a draft, its values open. */
export const draftLengthMax = 400
/** Facts that one claim may cite. */
export const claimFactsMax = 6
/** Claims in one slot; further ones are refused. */
export const slotClaimsMax = 6

/** The claim with its values filled, or why it is refused. `facts`: all facts of the page, by id. */
export function checkedClaim(
  draft: ClaimDraft,
  slots: ReadonlyArray<Slot>,
  facts: ReadonlyMap<string, Fact>,
): Result.Result<Claim, ReadonlyArray<string>> {
  const slot = slots.find(({ id, aboutItself }) => id === draft.slot && !aboutItself)
  if (slot === undefined) return Result.fail([`${draft.slot} is no slot of this page`])
  if (draft.text.length > draftLengthMax) {
    return Result.fail([`it has more than ${draftLengthMax} characters`])
  }
  const ids = [...new Set(draft.facts)]
  const cited = ids.flatMap((id) => facts.get(id) ?? [])
  const filled = fillValues(draft.text.trim(), new Map(cited.map((fact) => [fact.id, fact])))
  const reasons = [
    ...ids.length === 0 ? ["it cites no fact"] : [],
    ...ids.length > claimFactsMax ? [`it cites more than ${claimFactsMax} facts`] : [],
    ...ids.filter((id) => !facts.has(id)).map((id) => `${id} is no fact`),
    ...draft.kind === "inference" && ids.length === 1 ? ["an inference rests on two facts"] : [],
    ...Result.isFailure(filled) ? filled.failure : [],
    ...hardFaults(draft.text, cited, [...facts.values()]),
  ]
  if (reasons.length > 0 || Result.isFailure(filled)) return Result.fail([...new Set(reasons)])
  const { text, values } = filled.success
  return Result.succeed({ ...draft, slot: slot.id, text: ended(text), facts: ids, values })
}

function ended(text: string): string {
  return /[.!?…]["”’')]*$/.test(text) ? text : `${text}.`
}
