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
import { isPlainName } from "./values.ts"

/** A claim whose values are still open: `{F8.market} fell to {F8.to}.` */
export interface ClaimDraft {
  readonly slot: string
  readonly kind: ClaimKind
  readonly text: string
  readonly facts: ReadonlyArray<string>
}

/** A claim of the previous draft, with the reasons when it was refused. */
interface DraftedClaim {
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
  const own = cited.flatMap((id) => facts.get(id) ?? [])
  const claim: Claim = { slot: slot.id, kind: draft.kind, text, facts: cited }
  if (claim.kind === "fact" && isRestated(text, own)) return { verdict: "pass", claim }
  const exposed = [...exposedNames(text, own, facts), ...falseSpeech(text, own)]
  if (exposed.length > 0) return refuse(...exposed)
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

/** Whether every sentence of the text is a sentence of the cited statements: true by construction. */
function isRestated(text: string, cited: ReadonlyArray<Fact>): boolean {
  const names = cited.flatMap((fact) => fact.names)
  const stated = new Set(cited.flatMap(({ statement }) => wholeSentencesOf(statement, names)))
  return wholeSentencesOf(text, names).every((sentence) => stated.has(sentence))
}

function sentencesOf(text: string): ReadonlyArray<string> {
  return text.split(/(?<=[.!?…])\s+/)
}

/** Stands for a space inside a name. No statement and no claim has it. */
const nameSpace = "\u0000"

/** The sentences, none of which begins or ends inside a quotation or a name: those are a stranger's. */
function wholeSentencesOf(text: string, names: ReadonlyArray<string>): ReadonlyArray<string> {
  const joined = (name: string) => name.replaceAll(/\s/gu, nameSpace)
  const quotesJoined = text.replace(/“[^“”]*”/g, joined)
  return sentencesOf(
    names.filter((name) => sentencesOf(name).length > 1).toSorted((a, b) => b.length - a.length)
      .reduce((bare, name) => bare.replaceAll(name, joined(name)), quotesJoined),
  )
}

/** The shortest run of letters and digits that can be an address or a key. */
const codeLengthMin = 6

/**
 * Untrusted words outside quotation marks: a sentence that mostly repeats a name, unless the name is a
 * short plain one, and a code (`0xde70…`) that no statement of ours has.
 */
function exposedNames(
  text: string,
  cited: ReadonlyArray<Fact>,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<string> {
  const bare = unquoted(text)
  const names = new Set(
    [...facts.values()].flatMap((fact) => fact.names).filter((name) => !isPlainName(name)),
  )
  const sentences = sentencesOf(bare).map(wordsOf)
  const own = cited.map(({ statement }) => unquoted(statement)).join(" ")
  const ownWords = new Set(wordsOf(own))
  const repeated = [...names].filter((name) => {
    const named = wordsOf(name)
    return sentences.some((words) => isMostly(words, named, ownWords))
  })
  const codes = bare.split(/[\s“”"'’(),;:!?]+/).filter((word) =>
    word.length >= codeLengthMin && /\p{L}/u.test(word) && /\p{N}/u.test(word) &&
    !own.includes(word.replace(/[.…]+$/, ""))
  )
  return [
    ...repeated.length > 0 ? ["a name without quotation marks"] : [],
    ...codes.length > 0 ? ["a code that no statement has"] : [],
  ]
}

const speech =
  /\b(?:says?|said|wr[io]tes?|reports?|reported|claims?|claimed|states?|stated)\b[^“”.!?]{0,20}“([^“”]*)”/giu

/** A speaker says only what a headline or the rules say: no wallet's name and no market's question. */
function falseSpeech(text: string, cited: ReadonlyArray<Fact>): ReadonlyArray<string> {
  const said = cited.flatMap(({ values }) =>
    Object.entries(values).flatMap(([slot, value]) =>
      value.type === "name" && /^(?:headline|quote)\d?$/.test(slot) ? [value.text] : []
    )
  )
  const isFalse = [...text.matchAll(speech)].some(([, quoted = ""]) =>
    !said.some((words) => words.includes(quoted))
  )
  return isFalse ? ["words that no headline says"] : []
}

/** Words of a name, in a row or in any order, from which a sentence repeats it; fewer if it has no more. */
const repeatedWordsMin = { inRow: 3, anyOrder: 4 } as const

/** Whether at least half of a sentence is words of a name; those of our own statement do not count. */
function isMostly(
  words: ReadonlyArray<string>,
  named: ReadonlyArray<string>,
  own: ReadonlySet<string>,
): boolean {
  const half = Math.ceil(words.length / 2)
  const length = Math.max(Math.min(repeatedWordsMin.inRow, words.length), half)
  const whole = ` ${named.join(" ")} `
  const isInRow = words.some((_, from) =>
    from + length <= words.length &&
    whole.includes(` ${words.slice(from, from + length).join(" ")} `)
  )
  const foreign = words.filter((word) => named.includes(word) && !own.has(word))
  return isInRow || foreign.length >= Math.max(repeatedWordsMin.anyOrder, half)
}

function wordsOf(text: string): ReadonlyArray<string> {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function unquoted(text: string): string {
  return text.replace(/“[^“”]*”/g, " ")
}

function ended(text: string): string {
  return /[.!?…]["”’')]*$/.test(text) ? text : `${text}.`
}

function refuse(...reasons: ReadonlyArray<string>): Judgement {
  return { verdict: "refuse", reasons }
}
