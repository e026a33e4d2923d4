/**
 * A claim as tokens: words, numbers, marks, and names of facts. Names are recognized first, so that a
 * question with figures and full stops stays one token.
 *
 * @module
 */
import { isPlainName } from "../values.ts"
import { sureWords, tradeVerbs } from "./words.ts"
import { isNameWord, type Named, nameWords, outcomeWords, withoutPossessive } from "./names.ts"

export interface Token {
  readonly kind: "word" | "number" | "name" | "mark"
  readonly text: string
  readonly lower: string
  /** The number of its sentence and of its clause, from 0. */
  readonly sentence: number
  readonly clause: number
  /** Whether it begins a sentence, a line, or what follows a colon: its capital says nothing there. */
  readonly opens: boolean
  /** Whether it stands directly after the token before it, without a space. */
  readonly joined: boolean
  /** The names of cited facts that it is, or is a part of. */
  readonly refs: ReadonlyArray<Named>
}

export interface Reading {
  readonly tokens: ReadonlyArray<Token>
  /** Quotations that no cited fact has. */
  readonly foreign: ReadonlyArray<string>
}

/** Tokens of a claim: more than a claim has characters, so that nothing is left unread. */
const tokensMax = 1_000

const lexeme =
  /0x[\da-f…]+|\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?::\d{2})?(?!\d)|\$?\d+(?:,\d{3})*(?:\.\d+)?(?:%|¢|°[CF]|(?:st|nd|rd|th|[kKmMhx])(?![\p{L}\p{N}]))?|\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?|\S/uy

interface Raw {
  readonly text: string
  readonly joined: boolean
  readonly refs: ReadonlyArray<Named>
  readonly name: boolean
}

/** Reads a claim. `names` are those of all facts. */
export function tokensOf(text: string, names: ReadonlyArray<Named>): Reading {
  const foreign: Array<string> = []
  const raw = rawTokens(text, names, foreign)
  return { tokens: placed(raw, names.filter(({ cited }) => cited)), foreign }
}

function rawTokens(
  text: string,
  names: ReadonlyArray<Named>,
  foreign: Array<string>,
): ReadonlyArray<Raw> {
  const whole = names.filter(({ cited, text }) => cited && isBareName(text))
    .toSorted((a, b) => b.text.length - a.text.length)
  const raw: Array<Raw> = []
  let at = 0
  let end = -1
  const add = (found: string, refs: ReadonlyArray<Named>, name: boolean, to: number) => {
    raw.push({ text: found, joined: at === end, refs, name })
    at = to
    end = to
  }
  while (at < text.length && raw.length < tokensMax) {
    if (/\s/u.test(text[at] ?? "")) {
      at++
      continue
    }
    const quotation = quotationAt(text, at)
    if (quotation !== null) {
      const { refs, isName } = quotedRefs(quotation, names)
      if (isName) {
        if (refs.length === 0) foreign.push(quotation)
        add(quotation, refs, true, at + quotation.length + 2)
        continue
      }
    }
    const name = whole.find((name) => standsAt(text, at, name.text))
    if (name !== undefined) {
      const refs = whole.filter((other) => other.text === name.text)
      add(name.text, refs, true, at + name.text.length)
      continue
    }
    lexeme.lastIndex = at
    const found = lexeme.exec(text)?.[0] ?? text[at] ?? " "
    add(found, [], false, at + found.length)
  }
  return raw
}

/**
 * Whether a name may stand without quotation marks: a short plain one, or a wallet with its address. A
 * name with a word of an order or of certainty is read as words.
 */
function isBareName(text: string): boolean {
  if (outcomeWords.has(text)) return false
  const isWallet = /^[\p{L}\p{N}-]{1,30} \(0x[\da-f]{1,8}…[\da-f]{1,8}\)$/u.test(text)
  return (isWallet || isPlainName(text)) &&
    !nameWords(text).some((word) =>
      tradeVerbs.has(word.toLowerCase()) || sureWords.has(word.toLowerCase())
    )
}

/** The text between quotation marks that open here; null when none do. */
function quotationAt(text: string, at: number): string | null {
  const open = text[at]
  if (open !== "“" && open !== '"') return null
  const close = text.indexOf(open === "“" ? "”" : '"', at + 1)
  return close < 0 ? null : text.slice(at + 1, close)
}

/** Words of a quotation in lower case that quotes no name: a word in scare quotes. */
const plainQuotationWordsMax = 2

/**
 * The names that a quotation is, or is a part of. A question that another fact has whole is not a part
 * of a cited one.
 */
function quotedRefs(quotation: string, names: ReadonlyArray<Named>) {
  const bare = quotation.trim().replace(/\s*(?:…|\.{3})$/u, "").replace(/[.,;]$/u, "")
  const exact = names.filter(({ text }) => text === bare || text === quotation)
  const cited = exact.filter((name) => name.cited)
  if (cited.length > 0) return { refs: cited, isName: true }
  const wholeElsewhere = exact.some((name) => name.class === "market" || name.slot === "headline")
  const partOf = names.filter((name) => name.cited && standsIn(name.text, bare))
  if (bare !== "" && partOf.length > 0 && !wholeElsewhere) return { refs: partOf, isName: true }
  const plain = exact.length === 0 && !/[\p{Lu}\p{N}]/u.test(bare) &&
    bare.split(" ").length <= plainQuotationWordsMax
  return { refs: [], isName: !plain && !outcomeWords.has(bare) && !isJoinedName(bare, names) }
}

/** Words of a quotation that joins words of the names of one fact: “Over 1.5”. */
const joinedWordsMax = 3

function isJoinedName(quotation: string, names: ReadonlyArray<Named>): boolean {
  const words = nameWords(quotation)
  return words.length <= joinedWordsMax && words.length > 0 &&
    [...Map.groupBy(names.filter(({ cited }) => cited), ({ fact }) => fact).values()].some((own) =>
      words.every((word) => own.some((name) => name.words.includes(word)))
    )
}

function standsAt(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at) && !isInWord(text, at) && !isInWord(text, at + name.length)
}

/** Whether a position is between two characters of one word. */
function isInWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") && /[\p{L}\p{N}]/u.test(text[at] ?? "")
}

function standsIn(name: string, part: string): boolean {
  const at = name.indexOf(part)
  return at >= 0 && standsAt(name, at, part)
}

const clauseWords = new Set([
  ...["while", "but", "whereas", "although", "though", "which", "who", "because", "so", "yet"],
])
/** Words with a full stop that do not end a sentence. */
const abbreviations = new Set(["vs", "st", "dr", "mr", "ms", "e", "g", "i", "no"])

function placed(
  raw: ReadonlyArray<Raw>,
  cited: ReadonlyArray<Named>,
): ReadonlyArray<Token> {
  let sentence = 0
  let clause = 0
  let opens = true
  const tokens: Array<Token> = []
  raw.forEach(({ text, joined, refs, name }, n) => {
    const lower = text.toLowerCase()
    const kind = name ? "name" : kindOf(text)
    if (kind === "word" && clauseWords.has(lower)) clause++
    const own = name ? refs : kind === "mark" ? [] : partsOf(withoutPossessive(text), cited)
    tokens.push({ kind, text, lower, sentence, clause, opens, joined, refs: own })
    opens = kind === "mark" && (opens || /[:“"‘•]/u.test(text))
    const before = raw[n - 1]
    const ends = /[!?]/u.test(text) || text === "." && (raw[n + 1]?.joined !== true) &&
        !(before !== undefined && !before.name && abbreviations.has(before.text.toLowerCase()) &&
          n < raw.length - 1 && before.text.toLowerCase() !== "no")
    if (kind === "mark" && ends) {
      sentence++
      clause++
      opens = true
    } else if (kind === "mark" && /^[,;:()—–]$/u.test(text)) clause++
  })
  return tokens
}

function kindOf(text: string): Token["kind"] {
  return /^\$?\d(?!x)/u.test(text) ? "number" : /^(?:\p{L}|0x)/u.test(text) ? "word" : "mark"
}

/** The cited names that have this word: with a capital as it is, or a number. */
function partsOf(word: string, cited: ReadonlyArray<Named>): ReadonlyArray<Named> {
  if (!/^[\p{Lu}\d]/u.test(word)) return []
  return cited.filter(({ words }) => words.some((of) => isNameWord(word, of)))
}
