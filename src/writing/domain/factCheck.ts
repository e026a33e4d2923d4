/**
 * Whether a passage says only what its own facts say.
 *
 * The wall between a narrator, who may be a model that reads what strangers wrote, and those who
 * pay: whoever wrote a passage, and whatever was in the prompt, only this can be published:
 *
 * - figures, names (between “ and ”) and links of the facts the passage names, exactly;
 * - plain words (plainWords.ts): what strangers wrote stands between quotation marks or not at all,
 *   for a headline in our own words would be our own claim;
 * - words of certainty (certainty.ts) where one of those facts is certain;
 *
 * and where a sentence quotes names, only figures and links of the facts that hold them, and certainty
 * only when each of them stands in a certain fact.
 *
 * It sees words, not sense: not which figure belongs to which name of one sentence, not whether a
 * price rose or fell, not a slanted adjective.
 *
 * @module
 */
import { isWordOfCertainty, isWordOfNumber } from "./certainty.ts"
import type { Fact, Passage } from "./facts.ts"
import { isPlainWord, isUnitWord, mayFollowFigure } from "./plainWords.ts"
import { type ProseToken, tokenize, type Vocabulary } from "./prose.ts"
import { named } from "../../core/domain/untrusted.ts"

/** Characters of one passage: a paragraph of a dozen sentences with their quoted questions. */
export const passageLengthMax = 2_400
/** Sentences of one passage. */
export const passageSentencesMax = 14
/** Facts of one passage: with all of them named, every figure would be its own. */
export const passageFactsMax = 8
/** Characters of what was found that a fault repeats. */
export const foundLengthMax = 60
/** Faults told of one passage: more teach nobody anything. */
export const faultsMax = 12

/** What is wrong with a passage. */
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
  /** The words that are at fault, a few of them, made harmless. */
  readonly found: string
}

/** The facts of one text by their ids. */
export function factsById(facts: ReadonlyArray<Fact>): ReadonlyMap<string, Fact> {
  return new Map(facts.map((fact) => [fact.id, fact]))
}

/** What is wrong with a passage, the first `faultsMax` of it; empty when it may be published. */
export function faultsOf(
  { text, facts: ids }: Passage,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Fault> {
  if (ids.length === 0) return [fault("no_facts", "")]
  if (ids.length > passageFactsMax) return [fault("length", `${ids.length} facts`)]
  const unknown = ids.filter((id) => !facts.has(id))
  if (unknown.length > 0) return unknown.map((id) => fault("unknown_fact", id))
  // Before anything is read, so that the work has a limit.
  if (text.length > passageLengthMax) return [fault("length", `${text.length} characters`)]
  const own = ids.flatMap((id) => facts.get(id) ?? [])
  return proseFaults(text, own)
}

/** A fault in a sentence that a narrator can act on. */
export function complaintOf({ code, found }: Fault, where: string): string {
  return `${where}: ${advice[code](`“${harmless(found)}”`)}`
}

const advice: Readonly<Record<FaultCode, (found: string) => string>> = {
  no_facts: () => "it names no facts; name the ids of those it rests on",
  unknown_fact: (found) => `${found} is not the id of a fact; name ids from the list only`,
  figure: (found) =>
    `${found} is no figure of the facts it names, belongs to other names than its sentence quotes, ` +
    `or has another word or sign beside it; copy a figure whole, with its unit and nothing added, ` +
    `and write no numbers in words`,
  name: (found) =>
    `${found} is no name in the facts it names; quote a name whole and letter by letter, between ` +
    `“ and ”, and use no other quotation marks`,
  word: (found) =>
    `${found} is neither a plain word nor in a name of the facts it names; say it in plain lower ` +
    `case words`,
  link: (found) => `${found} is no link of the facts it names; leave addresses out`,
  certainty: (found) =>
    `${found} speaks with certainty, and no fact that its sentence is about is certain; say what is ` +
    `known`,
  markup: (found) => `${found} is no plain text; write sentences without marks or lists`,
  length: (found) =>
    `${found} is too much or too little: between one word and ${passageLengthMax} characters, ` +
    `${passageSentencesMax} sentences and ${passageFactsMax} facts make a passage`,
}

/**
 * Words as readers count them: neither the marks of Markdown nor the ids of facts in brackets are
 * any.
 */
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
    const judge = judgeOf(factsIn(sentence, own), mayBeCertain(sentence, own))
    return sentence.flatMap((chunk, n) => {
      const code = judge(chunk, sentence[n - 1], sentence[n + 1])
      return code === null ? [] : [fault(code, chunk.text)]
    })
  }).slice(0, faultsMax)
}

function sentencesOf(chunks: ReadonlyArray<ProseToken>): ReadonlyArray<ReadonlyArray<ProseToken>> {
  const sentences: Array<Array<ProseToken>> = []
  let ended = true
  for (const chunk of chunks) {
    if (ended) sentences.push([chunk])
    else sentences.at(-1)?.push(chunk)
    ended = /[.!?]/.test(chunk.mark)
  }
  return sentences
}

/** The facts a sentence can be about: those with a name that it quotes, or all when it quotes none. */
function factsIn(
  sentence: ReadonlyArray<ProseToken>,
  own: ReadonlyArray<Fact>,
): ReadonlyArray<Fact> {
  const quoted = quotedIn(sentence)
  if (quoted.length === 0) return own
  return own.filter(({ names }) => quoted.some((name) => names.includes(name)))
}

/** A decided market lends no certainty to an open one that is quoted beside it. */
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

type Judge = (
  chunk: ProseToken,
  before: ProseToken | undefined,
  after: ProseToken | undefined,
) => FaultCode | null

/** Judges the chunks of a sentence about `facts`. */
function judgeOf(facts: ReadonlyArray<Fact>, certain: boolean): Judge {
  const { names, figures, links } = vocabularyOf(facts)
  return (chunk, before, after) => {
    switch (chunk.kind) {
      case "figure":
        return figures.includes(chunk.text) && standsAlone(chunk, before, after) ? null : "figure"
      case "name":
        return names.has(chunk.text) ? null : "name"
      case "link":
        return links.includes(chunk.text) ? null : "link"
      case "dash":
        return before === undefined || after === undefined ? "markup" : null
      case "stray":
        return codeOfStray(chunk.text)
      case "word":
        return wordFault(chunk, after, certain)
    }
  }
}

/** Whether nothing beside a figure changes what it says: a sign, a unit, another figure. */
function standsAlone(
  { text, mark }: ProseToken,
  before: ProseToken | undefined,
  after: ProseToken | undefined,
): boolean {
  if (before?.kind === "dash" || signs.test(before?.text ?? "")) return false
  if (before?.mark === "" && (before.kind === "figure" || before.kind === "stray")) return false
  if (mark !== "" || after === undefined) return true
  if (/[\p{L}%]/u.test(text)) {
    return after.kind !== "word" ||
      !isUnitWord(after.text.toLowerCase()) && !rates.test(`${text} ${after.text}`)
  }
  if (before?.mark === "" && before.kind === "name") return false
  return after.kind === "dash" || after.kind === "word" && mayFollowFigure(after.text)
}

/** Words that would be read as the sign of a figure behind them, or multiply it. */
const signs = /(?:positive|negative|^times)$/i
/** Words that would make a rate of the figure before them: `12,300 USD a minute`. */
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

/** What a stray was most likely meant to be. */
function codeOfStray(text: string): FaultCode {
  if (/:\/\/|@|^0x|^www\.|\p{L}\.\p{L}|\p{L}:\p{L}|^\(?#\p{L}/u.test(text)) return "link"
  if (/[\p{N}%‰\p{Sc}+±~≈−]/u.test(text)) return "figure"
  return /["'`´‘’“”«»„‟‹›]/.test(text) ? "name" : "markup"
}

function fault(code: FaultCode, found: string): Fault {
  return { code, found: harmless(found) }
}

function harmless(found: string): string {
  return named(found, foundLengthMax)
}
