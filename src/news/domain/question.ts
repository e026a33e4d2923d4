/**
 * What a market's question asks, as sets of words: its names, its other words, its numbers, and the words
 * that a headline may answer it with (`scope.json`).
 *
 * @module
 */
import type { Clause } from "../../markets/domain/clause.ts"
import type { Market } from "../../markets/domain/market.ts"
import known from "./scope.json" with { type: "json" }
import { withoutDates } from "./times.ts"
import { isInformative, termsOf, tokensOf, withSpellings } from "./words.ts"

export type ScopedMarket = Pick<
  Market,
  "question" | "eventSlug" | "outcomes" | "endsAt" | "gameStartsAt" | "exclusive"
>

/** What a question asks: the words that say it happened, that it did not, and that stand with them. */
interface Meaning {
  readonly yes: ReadonlySet<string>
  readonly no: ReadonlySet<string>
  readonly also: ReadonlySet<string>
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" ").flatMap(termsOf))
const meanings = known.meanings.map((row) => {
  const [keys = "", yes = "", no = "", also = ""] = row.split("|")
  return { keys: setOf(keys), yes: setOf(yes), no: setOf(no), also: setOf(also) }
})
/** Words of a question that need not stand in a headline. */
const [matchFree, fillers] = [setOf(known.matchFree), setOf(known.fillers)]
/** Parts of a contest that mean nothing else in rules. */
const ruleParts = setOf("half halftime quarter inning corner corners card cards booking")
/** Words by what they are in any headline. */
export const lists = {
  /** They stand before a person's name. */
  titles: setOf(known.titles),
  /** Institutions, which name no single thing. */
  offices: setOf(known.offices),
  /** Parts of a contest: in the headline if and only if in the question or its rules. */
  parts: setOf(known.parts),
  /** Of another competition, body, measure or degree of finality: only if in the question. */
  others: setOf(known.others),
  doubts: setOf(`${known.doubts} ${known.parts} ${known.others}`),
  negations: setOf("not never no without fail miss refuse decline"),
}

export interface Question {
  readonly isMatch: boolean
  /** Each name as its terms: one of them must stand in the headline. */
  readonly names: ReadonlyArray<ReadonlyArray<string>>
  /** Other words: all of them must stand there. */
  readonly words: ReadonlyArray<string>
  /** All terms, those of the outcomes included. */
  readonly terms: ReadonlySet<string>
  /** Parts of a contest that the rules name and the question does not. */
  readonly parts: ReadonlySet<string>
  /** Those with a capital. */
  readonly capitals: ReadonlySet<string>
  /** Numbers that are no date. */
  readonly numbers: ReadonlyArray<Figure>
  readonly meaning: Meaning
  readonly text: string
}

/** `deciding`: the sentence of the rules that decides; empty when it is unknown. */
export function readQuestion(
  { question, outcomes, gameStartsAt }: ScopedMarket,
  deciding: string,
): Question {
  const text = withoutDates(question)
  const named = outcomes.filter((outcome) =>
    !/^(?:yes|no|over|under|draw|tie|up|down|odd|even)\b/i.test(outcome)
  )
  const sides = sidesOf(text) ?? (named.length === 2 ? named : [])
  const isMatch = sides.length > 0 || gameStartsAt !== null
  // "both teams score in Kestrels" is no side: its small words must stand in a headline too.
  const sideTerms = sides.map((side) => {
    const tokens = tokensOf(side)
    const named = tokens.filter(({ written }) => !/^\p{Ll}/u.test(written))
    return (named.length > 0 ? named : tokens).map(({ term }) => term)
  })
  const distinct = sideTerms.map((own, n) => {
    const others = own.filter((term) => !sideTerms[1 - n]?.includes(term))
    const names = others.filter((term) => isInformative(term) && !lists.offices.has(term))
    // Of a long name the last word is the side's, the others may be a place's.
    return names.length === 0 ? others : own.length > 2 ? names.slice(-1) : names
  })
  const runs = sides.length > 0 ? sideTerms : namesOf(text)
  const names = sides.length > 0 ? distinct : runs.map((run) => run.filter(isNaming))
  const capitals = new Set(runs.flat())
  const rest = termsOf(isMatch ? withoutCompetition(text) : text).filter((term) =>
    !capitals.has(term) && !/\d/.test(term)
  )
  const terms = new Set([...termsOf(text), ...outcomes.flatMap(termsOf)])
  const meaning = meaningOf(new Set(termsOf(isMatch ? `${text} match` : text)))
  return {
    isMatch,
    names: names.filter((name) => name.length > 0),
    words: rest.filter((term) =>
      isMatch ? !matchFree.has(term) : isInformative(term) && !fillers.has(term) &&
        ![meaning.yes, meaning.no, meaning.also].some((it) => it.has(term))
    ),
    terms,
    capitals,
    parts: ruleParts.intersection(new Set(termsOf(deciding))).difference(terms),
    numbers: figuresOf(text),
    meaning,
    text,
  }
}

function meaningOf(terms: ReadonlySet<string>): Meaning {
  const asked = meanings.filter(({ keys }) => !keys.isDisjointFrom(terms))
  const all = (part: (meaning: Meaning) => ReadonlySet<string>) =>
    new Set(asked.flatMap((meaning) => [...part(meaning)]))
  const yes = all(({ yes }) => yes)
  return {
    yes,
    no: all(({ no }) => no).difference(terms),
    also: all(({ also }) => also),
  }
}

/** "A vs. B" of a question, without what follows. */
function sidesOf(text: string): ReadonlyArray<string> | null {
  const found =
    /^(?:[^:]{1,60}: )?(?:will )?(.{2,60}?) vs?\.? (.{2,60}?)(?= ?[:(–—]| - |\?|$| end in)/i.exec(
      text,
    )
  return found === null ? null : found.slice(1)
}

/** Without "LoL: " before the sides of a match, and without "(BO3)" and "- Playoffs" after them. */
const withoutCompetition = (text: string): string => text.replace(/^[^:]{1,60}: (?=.* vs)/i, "")

/** Names: runs of words with a capital, each once; in title case there are none. */
function namesOf(text: string): ReadonlyArray<ReadonlyArray<string>> {
  const all = tokensOf(text.replace(/^(?:will|did|does|is|has|do)\s+(?:the\s+)?/i, ""))
  const runs: Array<Array<string>> = []
  for (const [place, { term, capitalised, follows, written }] of all.entries()) {
    if (!capitalised && !/^\p{L}+\d/u.test(written)) continue
    const run = runs.at(-1)
    if (run !== undefined && follows && all[place - 1]?.capitalised === true) run.push(term)
    else runs.push([term])
  }
  return runs.filter((run) => run.some(isNaming))
}

/** Whether a term of a name is no office or article in it: "Meridian" of "Lab Meridian". */
const isNaming = (term: string): boolean => !lists.offices.has(term) && term !== "the"

/** Two forms of one word: "president" and "presidency". */
export function same(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (/\d/.test(short) || short.length < 5) return short === long
  let shared = 0
  while (shared < short.length && short[shared] === long[shared]) shared += 1
  return shared >= short.length - 1 && long.length <= short.length + 4
}

interface Figure {
  readonly value: number
  readonly unit: string
}

const figure =
  /([$€£])?(?<![\p{L}\d.])(\d+(?:[.,]\d+)*)\s?(%|percent\b|°[CF]?|k\b|m\b|bn\b|million\b|billion\b|trillion\b|bps?\b|basis\b)?/giu
const powers: Readonly<Record<string, number>> = {
  k: 1e3,
  m: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  trillion: 1e12,
}

export function figuresOf(text: string): ReadonlyArray<Figure> {
  return [...text.matchAll(figure)].map(([, sign = "", digits = "", suffix = ""]) => {
    const unit = suffix.toLowerCase()
    const power = powers[unit] ?? 1
    return {
      value: Number(digits.replace(/,(?=\d{3})/g, "")) * power,
      unit: sign !== "" ? sign : power > 1 ? "" : unit.replace("percent", "%").replace(/[cf]$/, "")
        .replace(/^b(?:p|ps|asis)$/, "bp"),
    }
  })
}

const upward =
  /\b(?:above|over|more|at least|exceed\w*|greater|higher|reach\w*|hits?|tops?|surpass\w*|gains?)\b|≥|\+/i
const downward = /\b(?:below|under|less|fewer|lower|at most|dips?|falls? to|short)\b|≤/i
const included =
  /\b(?:or (?:more|higher|above|less|lower|below|fewer)|at least|at most|reach\w*|hits?|tops?)\b|[≥≤]/i

/** Whether the question asks on which side of a number something ends. */
export const isThreshold = ({ text, isMatch }: Question, { value, unit }: Figure): boolean =>
  upward.test(text) !== downward.test(text) && (unit !== "" || value >= 100) && !isMatch

/**
 * Whether the question's numbers stand in the headline. A threshold may be passed instead: then the
 * headline has one number of its unit, and the comparison gives the outcome. Whether the threshold itself
 * counts is said by the `operator` of the rules, else by the words of the question.
 */
export function numbersAgree(
  question: Question,
  title: string,
  outcome: 0 | 1,
  operator: Clause["operator"],
): boolean {
  const stated = figuresOf(withSpellings(withoutDates(title)))
  const { numbers, text } = question
  const isUp = upward.test(text)
  return numbers.every(({ value, unit }) => {
    const of = stated.filter((it) => it.unit === unit)
    const isSame = of.some((it) => it.value === value)
    if (!isThreshold(question, { value, unit })) return isSame
    const [goesUp, goesDown] = [upward.test(title), downward.test(title)]
    if (isSame && (goesUp || goesDown)) {
      const isPassed = (isUp ? goesUp : goesDown) &&
        lists.negations.isDisjointFrom(new Set(termsOf(title)))
      return isPassed === (outcome === 0)
    }
    const [only] = of
    if (only === undefined || of.length > 1) return false
    const isPassed = isUp ? only.value > value : only.value < value
    const isIncluded = operator === null ? included.test(text) : operator.endsWith("=")
    return (isPassed || isIncluded && only.value === value) === (outcome === 0)
  })
}
