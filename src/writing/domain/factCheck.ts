/**
 * The fact check: whether a passage says only what its own facts say.
 *
 * A narrator may be a model whose prompt contains untrusted text. Whatever it writes, a passage is
 * published only if it consists of:
 *
 * - figures, names (between “ and ”) and links of the facts it cites, spelled exactly;
 * - plain words (plainWords.ts): untrusted text may appear only in quotation marks, because a headline
 *   in our own words would be our own claim;
 * - words of certainty (certainty.ts), if one of the cited facts is certain.
 *
 * A sentence that quotes names may use only figures and links of the facts that contain these names,
 * and words of certainty only if each name is in a certain fact.
 *
 * The check sees words, not meaning. It does not see which figure of a sentence belongs to which name,
 * whether a price rose or fell, or a biased adjective.
 *
 * @module
 */
import { isWordOfCertainty, isWordOfNumber } from "./certainty.ts"
import type { Fact, Passage } from "./facts.ts"
import { isPlainWord, isUnitWord, mayFollowFigure } from "./plainWords.ts"
import { type ProseToken, tokenize, type Vocabulary } from "./prose.ts"
import { safeName } from "../../core/domain/untrusted.ts"

/** Characters of one passage: a paragraph of a dozen sentences with their quoted questions. */
export const passageLengthMax = 2_400
/** Sentences of one passage. */
export const passageSentencesMax = 14
/** Facts of one passage: a passage that cites all facts could use every figure. */
export const passageFactsMax = 8
/** Characters of the text that a fault quotes. */
export const foundLengthMax = 60
/** Faults reported for one passage: more do not help the narrator. */
export const faultsMax = 12

export type FaultCode =
  | "no_facts"
  | "unknown_fact"
  | "figure"
  | "name"
  | "word"
  | "link"
  | "certainty"
  | "markup"
  | "length"

interface Fault {
  readonly code: FaultCode
  /** The first words at fault, sanitized. */
  readonly found: string
}

/** The facts of one text by their ids. */
export function factsById(facts: ReadonlyArray<Fact>): ReadonlyMap<string, Fact> {
  return new Map(facts.map((fact) => [fact.id, fact]))
}

/** The first `faultsMax` faults of a passage; empty when it may be published. */
export function faultsOf(
  { text, facts: ids }: Passage,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Fault> {
  if (ids.length === 0) return [fault("no_facts", "")]
  if (ids.length > passageFactsMax) return [fault("length", `${ids.length} facts`)]
  const unknown = ids.filter((id) => !facts.has(id))
  if (unknown.length > 0) return unknown.map((id) => fault("unknown_fact", id))
  // Checked before tokenizing, to bound the work.
  if (text.length > passageLengthMax) return [fault("length", `${text.length} characters`)]
  const own = ids.flatMap((id) => facts.get(id) ?? [])
  return proseFaults(text, own)
}

/** The fault as an instruction for the narrator. */
export function complaintOf({ code, found }: Fault, where: string): string {
  return `${where}: ${advice[code](`“${sanitized(found)}”`)}`
}

const advice: Readonly<Record<FaultCode, (found: string) => string>> = {
  no_facts: () => "it cites no facts; cite the ids of the facts it uses",
  unknown_fact: (found) => `${found} is not the id of a fact; cite only ids from the list`,
  figure: (found) =>
    `${found} is not a figure of the cited facts, belongs to other names than its sentence quotes, ` +
    `or has another word or sign next to it; copy a figure whole, with its unit and nothing added, ` +
    `and write no numbers in words`,
  name: (found) =>
    `${found} is not a name of the cited facts; quote a name whole and letter by letter, between ` +
    `“ and ”, and use no other quotation marks`,
  word: (found) =>
    `${found} is neither a plain word nor in a name of the cited facts; use plain lower case words`,
  link: (found) => `${found} is not a link of the cited facts; write no addresses`,
  certainty: (found) =>
    `${found} is a word of certainty, and no fact of its sentence is certain; say only what is known`,
  markup: (found) => `${found} is not plain text; write sentences without markup or lists`,
  length: (found) =>
    `${found}: a passage has at least one word, and at most ${passageLengthMax} characters, ` +
    `${passageSentencesMax} sentences and ${passageFactsMax} facts`,
}

/** Words as a reader counts them, without Markdown marks and without fact ids in brackets. */
export function wordCount(text: string): number {
  return text.replace(/\\?[[(]F\d+(?:, ?F\d+)*\\?[\])]/g, " ").split(/\s+/)
    .filter((run) => /[\p{L}\p{N}]/u.test(run)).length
}

function proseFaults(text: string, own: ReadonlyArray<Fact>): ReadonlyArray<Fault> {
  const vocabulary = vocabularyOf(own)
  const sentences = sentencesOf(tokenize(text, vocabulary))
  if (sentences.length === 0) return [fault("length", "an empty passage")]
  if (sentences.length > passageSentencesMax) {
    return [fault("length", `${sentences.length} sentences`)]
  }
  return sentences.flatMap((sentence) => {
    const check = tokenCheck(factsIn(sentence, own), mayBeCertain(sentence, own))
    return sentence.flatMap((token, n) => {
      const code = check(token, sentence[n - 1], sentence[n + 1])
      return code === null ? [] : [fault(code, token.text)]
    })
  }).slice(0, faultsMax)
}

function sentencesOf(tokens: ReadonlyArray<ProseToken>): ReadonlyArray<ReadonlyArray<ProseToken>> {
  const sentences: Array<Array<ProseToken>> = []
  let ended = true
  for (const token of tokens) {
    if (ended) sentences.push([token])
    else sentences.at(-1)?.push(token)
    ended = /[.!?]/.test(token.mark)
  }
  return sentences
}

/** The facts that contain a name the sentence quotes; all facts when it quotes none. */
function factsIn(
  sentence: ReadonlyArray<ProseToken>,
  own: ReadonlyArray<Fact>,
): ReadonlyArray<Fact> {
  const quoted = quotedIn(sentence)
  if (quoted.length === 0) return own
  return own.filter(({ names }) => quoted.some((name) => names.includes(name)))
}

/** A certain fact about one market does not cover another market quoted in the same sentence. */
function mayBeCertain(sentence: ReadonlyArray<ProseToken>, own: ReadonlyArray<Fact>): boolean {
  const certain = own.filter((fact) => fact.certain)
  return certain.length > 0 &&
    quotedIn(sentence).every((name) => certain.some(({ names }) => names.includes(name)))
}

function quotedIn(sentence: ReadonlyArray<ProseToken>): ReadonlyArray<string> {
  return sentence.flatMap(({ kind, text }) => kind === "name" ? [text] : [])
}

function vocabularyOf(own: ReadonlyArray<Fact>): Vocabulary {
  const longestFirst = (phrases: ReadonlyArray<string>) =>
    [...new Set(phrases)].sort((a, b) => b.length - a.length)
  return {
    figures: longestFirst(
      own.flatMap(({ figures }) => figures.filter((figure) => /\p{N}/u.test(figure))),
    ),
    names: new Set(own.flatMap(({ names }) => names.filter((name) => name !== ""))),
    links: longestFirst(
      own.flatMap(({ links }) => links.filter((link) => /^https?:\/\/[!-~]+$/.test(link))),
    ),
  }
}

type TokenCheck = (
  token: ProseToken,
  before: ProseToken | undefined,
  after: ProseToken | undefined,
) => FaultCode | null

/** Checks the tokens of a sentence about `facts`. */
function tokenCheck(facts: ReadonlyArray<Fact>, certain: boolean): TokenCheck {
  const { names, figures, links } = vocabularyOf(facts)
  return (token, before, after) => {
    switch (token.kind) {
      case "figure":
        return figures.includes(token.text) && standsAlone(token, before, after) ? null : "figure"
      case "name":
        return names.has(token.text) ? null : "name"
      case "link":
        return links.includes(token.text) ? null : "link"
      case "dash":
        return before === undefined || after === undefined ? "markup" : null
      case "invalid":
        return codeOfInvalid(token.text)
      case "word":
        return wordFault(token, after, certain)
    }
  }
}

/** Whether the neighbours leave a figure's meaning unchanged: no sign, no unit, no other figure. */
function standsAlone(
  { text, mark }: ProseToken,
  before: ProseToken | undefined,
  after: ProseToken | undefined,
): boolean {
  if (before?.kind === "dash" || signs.test(before?.text ?? "")) return false
  if (before?.mark === "" && (before.kind === "figure" || before.kind === "invalid")) return false
  if (mark !== "" || after === undefined) return true
  if (/[\p{L}%]/u.test(text)) {
    return after.kind !== "word" ||
      !isUnitWord(after.text.toLowerCase()) && !rates.test(`${text} ${after.text}`)
  }
  if (before?.mark === "" && before.kind === "name") return false
  return after.kind === "dash" || after.kind === "word" && mayFollowFigure(after.text)
}

/** Words that would act as the sign or the factor of a following figure. */
const signs = /(?:positive|negative|^times)$/i
/** Words that would turn the preceding figure into a rate: `12,300 USD a minute`. */
const rates = / (?:a|per|each|every|daily|weekly|monthly|yearly)$| USD an$/i

function wordFault(
  { text, first, mark }: ProseToken,
  after: ProseToken | undefined,
  certain: boolean,
): FaultCode | null {
  for (const [n, part] of text.replaceAll("’", "'").split("-").entries()) {
    const asStarts = first && n === 0 ? part[0]?.toLowerCase() + part.slice(1) : part
    const word = part.toLowerCase()
    if (isWordOfNumber(word)) return "figure"
    if (isWordOfCertainty(word)) {
      const isRate = asStarts + mark === "win" && /^rates?$/.test(after?.text ?? "")
      if (!certain && !isRate) return "certainty"
      if (asStarts !== word) return "word"
    } else if (!isPlainWord(asStarts)) return "word"
  }
  return null
}

/** The fault code of what the invalid token was most likely meant to be. */
function codeOfInvalid(text: string): FaultCode {
  if (/:\/\/|@|^0x|^www\.|\p{L}\.\p{L}|\p{L}:\p{L}|^\(?#\p{L}/u.test(text)) return "link"
  if (/[\p{N}%‰\p{Sc}+±~≈−]/u.test(text)) return "figure"
  return /["'`´‘’“”«»„‟‹›]/.test(text) ? "name" : "markup"
}

function fault(code: FaultCode, found: string): Fault {
  return { code, found: sanitized(found) }
}

function sanitized(found: string): string {
  return safeName(found, foundLengthMax)
}
