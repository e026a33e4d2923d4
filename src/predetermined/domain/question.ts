/**
 * What a market's question asks, as far as its words show: who, what, which level, and when.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { safeName } from "../../core/domain/untrusted.ts"
import { familiesOf, type Family, verbKind } from "./eventVerbs.ts"
import { type NamedDate, titleText, type Token, type Unit } from "./titleWords.ts"

/** A level that a figure is compared with. */
export interface Level {
  readonly value: number
  readonly unit: Unit
  /** Whether the question asks for a figure above the level, or below it. */
  readonly isUp: boolean
  /** Whether the level itself counts. */
  readonly isInclusive: boolean
  /** Whether the level has to be touched once (`hit`), at any time. */
  readonly isTouch: boolean
}

/** What must be reported for the first outcome of a market to happen. */
export interface Asked {
  /** Who or what: of several parts (`Norway and Chile`) each must be named. */
  readonly subjects: ReadonlyArray<ReadonlyArray<Token>>
  /** Words of the verb's families; empty when the question has no verb that is known. */
  readonly families: ReadonlyArray<Family>
  /** Whether the subject undergoes the event: `be convicted`, `be elected`. */
  readonly isPassive: boolean
  /** Informative words of what is done, without names of places. */
  readonly objects: ReadonlySet<string>
  /** Names that a headline must repeat: `Dana Roe` in `confirm Dana Roe`. */
  readonly names: ReadonlyArray<ReadonlyArray<Token>>
  /** Names after `in`, `of` or `at`, which a headline may leave out. */
  readonly places: ReadonlySet<string>
  readonly level: Level | null
  /** Whether a single match is asked about, so that `names` are its other side. */
  readonly isMatch: boolean
}

/** Words that never identify anything. */
export const emptyWords: ReadonlySet<string> = new Set([
  ...[
    "the",
    "a",
    "an",
    "and",
    "or",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "by",
    "with",
    "from",
    "x",
  ],
  ...[
    "be",
    "is",
    "are",
    "was",
    "were",
    "been",
    "will",
    "his",
    "her",
    "its",
    "their",
    "this",
    "that",
  ],
  ...["most", "as", "before", "until", "than", "vs", "v", "it", "yes", "no", "end", "not", "do"],
  ...["does", "did", "has", "have", "had", "over", "under", "above", "below", "more", "less"],
  ...[
    "next",
    "there",
    "into",
    "least",
    "fewer",
    "exactly",
    "between",
    "during",
    "up",
    "down",
    "out",
  ],
])
/** Titles before a person's name. */
export const titles: ReadonlySet<string> = new Set([
  ...["prime", "minister", "president", "senator", "mayor", "pm", "governor", "chancellor", "king"],
  ...["queen", "judge", "incumbent", "mr", "mrs", "ms", "dr", "sir", "ceo", "premier", "leader"],
  ...["veteran", "striker", "coach", "pope", "speaker", "secretary", "justice", "fc", "club"],
])
const prepositions: ReadonlySet<string> = new Set([
  ...[
    "in",
    "of",
    "at",
    "from",
    "for",
    "on",
    "by",
    "to",
    "with",
    "before",
    "after",
    "as",
    "against",
  ],
  ...["until", "into", "over", "between", "near", "during", "than", "through"],
])
const placeWords: ReadonlySet<string> = new Set(["in", "of", "at", "for", "between"])

export function isPreposition(word: string): boolean {
  return prepositions.has(word)
}

/** Words of one meaning in questions and headlines about elections. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ elect: "election", elects: "election", elected: "election", vote: "election" },
  ...{ presidential: "president", presidency: "president", parliamentary: "parliament" },
  ...{ mayoral: "mayor" },
}

/** Without the `s` of a plural; of several words for one thing the same. */
export function stem(word: string): string {
  const singular = word.length > 3 && word.endsWith("s") && !word.endsWith("ss")
  return synonyms[word] ?? (singular ? word.slice(0, -1) : word)
}

/** What the question asks of its first outcome; for a market of two named sides, of either one. */
export function askedOf(
  { question, outcomes }: Pick<Market, "question" | "outcomes">,
  outcome: 0 | 1,
): Asked | null {
  const sides = sidesOf({ question, outcomes })
  if (sides !== null && !isTotal(outcomes)) {
    const [own, other] = outcome === 0 ? sides : [sides[1], sides[0]]
    return contest([own], [other])
  }
  if (sides !== null) return null
  if (asksYesOrNo({ outcomes })) return yesAsked(question)
  const own = titleText(outcomes[outcome]).tokens
  const all = new Set(outcomes.flatMap((name) => titleText(name).tokens.map(({ word }) => word)))
  const objects = titleText(question).tokens.filter(({ word }) =>
    isInformative(word) && !all.has(word) && !["who", "takes", "wins", "win"].includes(word)
  )
  if (own.length === 0 || isTotal(outcomes)) return null
  if (objects.length === 0) {
    return contest([own], [nameWords(titleText(outcomes[outcome === 0 ? 1 : 0]).tokens)])
  }
  return { ...contest([own], []), objects: new Set(objects.map(({ word }) => stem(word))) }
}

export function asksYesOrNo({ outcomes }: Pick<Market, "outcomes">): boolean {
  return /^yes$/i.test(safeName(outcomes[0]))
}

function contest(subjects: Asked["subjects"], names: Asked["names"]): Asked {
  const common = { families: ["win" as const], isPassive: false, objects: new Set<string>() }
  return { ...common, subjects, names, places: new Set(), level: null, isMatch: names.length > 0 }
}

const isTotal = ([first]: Market["outcomes"]): boolean => /^(?:over|under|more|less)\b/i.test(first)

/** The two sides of a match; null for another question. */
export function sidesOf(
  { question, outcomes }: Pick<Market, "question" | "outcomes">,
): readonly [ReadonlyArray<Token>, ReadonlyArray<Token>] | null {
  const [, a, b] = /^(.+?) (?:vs?\.?|@) ([^:(]+)/i.exec(question) ?? []
  const named = !isTotal(outcomes) && !asksYesOrNo({ outcomes })
  const [first, second] = named && a !== undefined ? outcomes : [a, b]
  if (first === undefined || second === undefined) return null
  const words = (text: string) => nameWords(titleText(text.split(":").at(-1) ?? "").tokens)
  const sides = [words(first), words(second)] as const
  return sides[0].length === 0 || sides[1].length === 0 ? null : sides
}

/** The level of a total: `A vs. B: O/U 2.5`. */
export function totalOf(question: string): number | null {
  const [, level] = /O\/U (\d+(?:\.\d+)?)/i.exec(question) ?? []
  return level === undefined ? null : Number(level)
}

/** When the event begins that a match's evidence must follow; null when it is no match. */
export function startOf(market: Market, rules: string): EpochMs | null {
  if (market.gameStartsAt !== null) return market.gameStartsAt
  if (sidesOf(market) === null) return null
  const [, date = "", time = "00:00"] =
    /\b(?:begin|start|scheduled|played)\b[^.]{0,40}?(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}))?/i
      .exec(rules) ?? []
  const [, ofSlug = ""] = /(\d{4}-\d{2}-\d{2})/.exec(market.eventSlug) ?? []
  const at = Date.parse(date !== "" ? `${date}T${time}Z` : `${ofSlug}T00:00Z`)
  return Number.isNaN(at) ? null : at
}

/** The time that a question is about: evidence from before `from` decides nothing. */
export interface Period {
  readonly from: EpochMs | null
  /** The first instant after it. */
  readonly until: EpochMs
  readonly date: NamedDate
}

/** The last date that the question names; null when it names none. */
export function periodOf({ question, endsAt }: Market, now: EpochMs): Period | null {
  const date = titleText(question).dates.at(-1)
  if (date === undefined) return null
  const { from, until } = rangeOf(date, endsAt ?? now)
  return { from: date.isDeadline ? null : from, until, date }
}

/** The instants of a named date; a year that is not named is the one nearest to `near`. */
export function rangeOf(
  { month, day: dayOfMonth, year }: NamedDate,
  near: EpochMs,
): { readonly from: EpochMs; readonly until: EpochMs } {
  const around = new Date(near).getUTCFullYear()
  const candidates = year === null ? [around - 1, around, around + 1] : [year]
  const [from = near] = candidates
    .map((candidate) => Date.UTC(candidate, month - 1, dayOfMonth ?? 1))
    .sort((a, b) => Math.abs(a - near) - Math.abs(b - near))
  const start = new Date(from)
  return {
    from,
    until: dayOfMonth === null
      ? Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)
      : from + day,
  }
}

export function isInformative(word: string): boolean {
  return word.length > 1 && !emptyWords.has(word)
}

/** A name without articles and titles. */
function nameWords(tokens: ReadonlyArray<Token>): ReadonlyArray<Token> {
  const named = tokens.filter(({ word, number }) => number === null ? !emptyWords.has(word) : true)
  const bare = named.filter(({ word }) => !titles.has(word))
  return bare.length > 0 ? bare : named
}

/** A question of yes or no: `Will <subject> <verb> <object>?` or `<subject> out by <date>?`. */
function yesAsked(question: string): Asked | null {
  const { tokens } = titleText(question)
  const will = tokens[0]?.word === "will" ? 1 : 0
  const verbAt = will === 0
    ? tokens.findIndex(({ word }) => word === "out" || word === "ceasefire" || word === "truce")
    : tokens.findIndex(({ word, isCapital }, n) =>
      n > will && !isCapital && !["the", "a", "an"].includes(tokens[n - 1]?.word ?? "") &&
      (word === "be" || levelVerbs.has(word) || familiesOf(word).length > 0)
    )
  if (verbAt < 0) return null
  const verb = tokens[verbAt]?.word ?? ""
  const rest = tokens.slice(verbAt + (will === 0 && verb !== "out" ? 0 : 1))
  const level = will === 0 ? null : levelOf(tokens, verbAt)
  const { core, places } = split(tokens.slice(will, verbAt))
  const object = split(rest.filter(({ number }) => level === null || number?.value !== level.value))
  const participle = verb === "be" ? rest[0]?.word ?? "" : ""
  const families = verb === "out" || participle === "out"
    ? ["leave" as const]
    : will === 0
    ? ["sign" as const]
    : verb === "be"
    ? familiesOf(participle).length > 0 ? familiesOf(participle) : ["win" as const]
    : familiesOf(verb)
  const names = namesIn(object.core)
  const named = new Set(names.flat().map(({ word }) => word))
  const objects = object.core.filter(({ word, number }) =>
    number === null && isInformative(word) && word !== participle && !named.has(word)
  )
  return {
    subjects: partsOf(core),
    families,
    isPassive: verb === "be" && participle !== "out",
    objects: new Set(objects.map(({ word }) => stem(word))),
    names,
    places: new Set([...places, ...object.places]),
    level,
    isMatch: verbKind(verb, "win") === "beats" || rest.some(({ word }) => word === "against"),
  }
}

const levelVerbs: ReadonlySet<string> = new Set([
  ...[
    "hit",
    "reach",
    "exceed",
    "surpass",
    "gain",
    "dip",
    "drop",
    "fall",
    "rise",
    "average",
    "close",
  ],
])

/** Words before the first place, and the names of places. */
function split(tokens: ReadonlyArray<Token>) {
  const places: Array<string> = []
  const core: Array<Token> = []
  let inPlace = false
  for (const [n, token] of tokens.entries()) {
    if (placeWords.has(token.word)) {
      const next = tokens[n + 1]
      const named = next?.word === "the" ? tokens[n + 2] : next
      inPlace = named?.isCapital === true && named.number === null
      continue
    }
    if (prepositions.has(token.word)) inPlace = false
    if (inPlace && token.isCapital) places.push(token.word)
    else if (token.word !== "the") core.push(token)
  }
  return { core, places }
}

/** `Norway and Chile` has two parts. */
function partsOf(core: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> {
  const parts: Array<Array<Token>> = [[]]
  for (const token of core) {
    if (token.word === "and" || token.word === "x") parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.map(nameWords).filter((part) => part.length > 0)
}

/** Runs of words with a capital, a number at their end included. */
function namesIn(tokens: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> {
  const runs: Array<Array<Token>> = []
  let isOpen = false
  for (const token of tokens) {
    const belongs: boolean = token.isCapital || isOpen && token.number !== null
    if (belongs && isOpen) runs.at(-1)?.push(token)
    else if (belongs) runs.push([token])
    isOpen = belongs
  }
  return runs.map(nameWords).filter((run) => run.length > 0)
}

const upWords = /^(?:above|over|more|greater|higher|least|exceed|hit|reach|surpass|gain|top|rise)$/
const downWords = /^(?:below|under|less|fewer|lower|dip|drop|fall)$/
const touchWords = /^(?:hit|reach|surpass|gain|dip|drop|fall|rise)$/

/** The level in the words around the first number with a comparison; null without one. */
function levelOf(tokens: ReadonlyArray<Token>, verbAt: number): Level | null {
  for (const [n, { number }] of tokens.entries()) {
    if (number === null || n < verbAt) continue
    const before = tokens.slice(Math.max(verbAt, n - 3), n).map(({ word }) => word)
    const after = tokens.slice(n + 1, n + 3).map(({ word }) => word)
    const orMore = after[0] === "or" && upWords.test(after[1] ?? "")
    const orLess = after[0] === "or" && downWords.test(after[1] ?? "")
    const up = orMore || before.some((word) => upWords.test(word))
    const down = orLess || before.some((word) => downWords.test(word))
    if (up === down) continue
    const isTouch = touchWords.test(tokens[verbAt]?.word ?? "")
    const isInclusive = orMore || orLess || isTouch || before.includes("least")
    return { ...number, isUp: up, isInclusive, isTouch }
  }
  return null
}
