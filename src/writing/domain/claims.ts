/**
 * Claims as a model drafts them, and their judgement: the form is checked, code fills their values, and
 * the grounding compares the sentence with the cited facts.
 *
 * @module
 */
import { Result } from "effect"
import type { Fact } from "./facts.ts"
import { fillValues, openIds, ownWords } from "./fill.ts"
import { ground } from "./grounding.ts"
import type { Claim, ClaimKind, Slot } from "./page.ts"

/** A claim whose values are still open: `{F8.market} fell to {F8.to}.` */
export interface ClaimDraft {
  readonly slot: string
  readonly kind: ClaimKind
  readonly text: string
  readonly facts: ReadonlyArray<string>
}

/** A claim of the previous draft, with the reasons when it was refused. */
export interface DraftedClaim {
  readonly draft: ClaimDraft
  /** Empty when it is kept. */
  readonly refusals: ReadonlyArray<string>
}

/** What a narrator is asked for. */
export interface DraftRequest {
  readonly use: "digest" | "report"
  /** What the text is, and who reads it. */
  readonly task: string
  readonly facts: ReadonlyArray<Fact>
  readonly slots: ReadonlyArray<Slot>
  /** Empty for the first draft; else the answer replaces the refused claims only. */
  readonly previous: ReadonlyArray<DraftedClaim>
}

/** Characters of a draft, and of a filled claim. */
export const draftLengthMax = 400
const claimLengthMax = 600
/** Facts that one claim may cite. */
export const claimFactsMax = 6
/** Claims in one slot; further ones are refused. */
export const slotClaimsMax = 6

export type Judgement =
  | { readonly verdict: "pass" | "ask"; readonly claim: Claim }
  | { readonly verdict: "refuse"; readonly reasons: ReadonlyArray<string> }

/** `facts`: all facts of the text. */
export function judgementOf(
  draft: ClaimDraft,
  slots: ReadonlyArray<Slot>,
  facts: ReadonlyMap<string, Fact>,
): Judgement {
  const slot = slots.find(({ id, aboutItself }) => id === draft.slot && !aboutItself)
  if (slot === undefined) return refuse(`${draft.slot} is no slot of this page`)
  const cited = [...new Set([...draft.facts, ...openIds(draft.text)])]
  const outside = cited.filter((id) => !slot.facts.includes(id) || !facts.has(id))
  if (cited.length === 0) return refuse("it cites no fact")
  if (cited.length > claimFactsMax) return refuse(`it cites more than ${claimFactsMax} facts`)
  if (outside.length > 0) return refuse(`${slot.id} may not cite ${outside.join(", ")}`)
  const faults = formFaults(draft.text)
  if (faults.length > 0) return refuse(...faults)
  const filled = fillValues(draft.text.trim(), facts)
  if (Result.isFailure(filled)) return refuse(...filled.failure)
  const text = ended(filled.success)
  if (text.length > claimLengthMax) return refuse(`it has more than ${claimLengthMax} characters`)
  const claim: Claim = { slot: slot.id, kind: draft.kind, text, facts: cited }
  const grounding = ground(claim, facts)
  return grounding.verdict === "refuse"
    ? refuse(...grounding.reasons)
    : { verdict: grounding.verdict, claim }
}

/** What the author's own words may not contain. Names bring their own characters. */
function formFaults(text: string): ReadonlyArray<string> {
  const words = ownWords(text)
  return [
    ...text.trim() === "" ? ["it is empty"] : [],
    ...text.length > draftLengthMax ? [`it has more than ${draftLengthMax} characters`] : [],
    ...words.match(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
      ? ["a line break or an invisible character"]
      : [],
    ...words.match(/[*_`#|~<>[\]\\^@]/) ? ["markup"] : [],
    ...words.match(/:\/\/|www\.|\p{L}\.\p{L}{2}/iu) ? ["a link"] : [],
  ]
}

function ended(text: string): string {
  return /[.!?…]["”’')]*$/.test(text) ? text : `${text}.`
}

function refuse(...reasons: ReadonlyArray<string>): Judgement {
  return { verdict: "refuse", reasons }
}
