/**
 * Whether the words of a headline fit what a market's question asks, so that a model's claim that it
 * decides the question can be believed.
 *
 * The model reads the meaning. Code compares names, numbers and dates: each of the question must stand in
 * the headline, and no word that code knows may say a doubt, another part of a contest, another thing of
 * the same name or another outcome. It cannot detect a false report.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import type { Market } from "../../markets/domain/market.ts"
import {
  figuresOf,
  isThreshold,
  lists,
  numbersAgree,
  type Question,
  readQuestion,
  same,
  type ScopedMarket,
} from "./question.ts"
import known from "./scope.json" with { type: "json" }
import { isYesNo, timesAgree, withoutDates } from "./times.ts"
import { isInformative, termsOf, tokensOf, type Word } from "./words.ts"

/** Another market of the event. */
export type SiblingMarket = Pick<Market, "question" | "exclusive">

/** What the rules add to a question; `deciding` is their sentence that decides, empty when it is unknown. */
type RulesScope = Pick<Clause, "series" | "deadlineAt" | "operator"> & { readonly deciding: string }

interface ScopedClaim {
  readonly title: string
  readonly publishedAt: EpochMs
  /** The outcome that it is said to decide for. */
  readonly outcome: 0 | 1
  /** What the rules add to the question. */
  readonly rules: RulesScope
}

/** The first fault of the claim that a headline decides the question; null for none. */
export function scopeFault(
  market: ScopedMarket,
  siblings: ReadonlyArray<SiblingMarket>,
  claim: ScopedClaim,
): string | null {
  const { title, outcome } = claim
  // Of exclusive markets one winner decides all others.
  const rivals = outcome === 1 && market.exclusive
    ? siblings.filter(({ exclusive }) => exclusive)
    : []
  const isWonByRival = rivals.some(({ question }) =>
    scopeFault({ ...market, question, exclusive: false }, [], { ...claim, outcome: 0 }) === null
  )
  if (isWonByRival) return null
  const question = readQuestion(market, claim.rules.deciding)
  const stated = new Set(termsOf(title))
  if (!hasNames(question, stated)) return "another_name"
  if (hasOtherPart(question, stated)) return "another_part"
  if (hasDoubt(question, title)) return "doubt"
  const tokens = tokensOf(withoutDates(title))
  if (isToCome(question, tokens)) return "to_come"
  if (isOtherName(question, tokens)) return "another_name"
  if (!numbersAgree(question, title, outcome, claim.rules.operator)) return "another_number"
  if (!mayAnswer(market, question, title, outcome)) return "another_answer"
  if (!wordsAgree(question, stated)) return "other_words"
  if (!isOfSeries(claim.rules, stated)) return "another_series"
  return timesAgree(market, { ...claim, deadlineAt: claim.rules.deadlineAt })
    ? null
    : "another_time"
}

/** Whether a headline that favours an outcome can be about the question: its names, parts and numbers. */
export function isAbout(
  market: ScopedMarket,
  { title, outcome, rules }: ScopedClaim,
): boolean {
  const question = readQuestion(market, rules.deciding)
  const stated = new Set(termsOf(title))
  // A headline without a number contradicts none.
  const isBare = figuresOf(withoutDates(title)).length === 0
  return hasNames(question, stated) && !hasOtherPart(question, stated) &&
    lists.others.intersection(stated).isSubsetOf(question.terms) &&
    (isBare || numbersAgree(question, title, outcome, rules.operator))
}

/** A market of one station or series is decided by a headline that names it. */
function isOfSeries({ series }: RulesScope, stated: ReadonlySet<string>): boolean {
  return series === null ||
    termsOf(series).some((term) =>
      isInformative(term) && !lists.offices.has(term) && stated.has(term)
    )
}

const hasNames = ({ names }: Question, stated: ReadonlySet<string>): boolean =>
  names.every((name) => name.some((term) => stated.has(term)))

const disputed = new RegExp(`\\b(?:${known.corrections.replaceAll(" ", "|")})\\b`, "gi")

/** Whether a headline corrects, denies or questions a report, by a word that the question does not have. */
export function disputes(title: string, question: string): boolean {
  const asked = new Set(termsOf(question))
  return (title.match(disputed) ?? []).flatMap(termsOf).some((term) => !asked.has(term))
}

/** Whether one of both names a part of a contest that the other does not. */
function hasOtherPart(question: Question, stated: ReadonlySet<string>): boolean {
  const asked = question.parts.union(question.terms)
  const [own, others] = [termsOf(question.text), [...stated]].map(numberedParts)
  return [...lists.parts].some((part) => asked.has(part) !== stated.has(part)) ||
    own === undefined || others === undefined || own.symmetricDifference(others).size > 0
}

/** "round 2" of "the second round", "game 3" of "Game 3". */
function numberedParts(terms: ReadonlyArray<string>): ReadonlySet<string> {
  return new Set(terms.flatMap((term, n) => {
    if (!lists.parts.has(term) && term !== "game") return []
    return [terms[n - 1] ?? "", terms[n + 1] ?? ""].filter((it) => /^\d$/.test(it))
      .map((number) => `${term} ${number}`)
  }))
}

const score = /\b\d{1,3}[-–]\d{1,3}\b/g

/** Whether what is asked is still to come: "Lumen to launch", "agree to sign"; a side may "rally to win". */
function isToCome({ isMatch, meaning }: Question, tokens: ReadonlyArray<Word>): boolean {
  const at = tokens.findIndex(({ term }) => term === "to")
  const next = tokens.slice(at + 1, at + 3)
  if (at < 1 || !/^\p{Ll}/u.test(next[0]?.written ?? "")) return false
  const isFirst = tokens.slice(0, at)
    .every(({ term, capitalised }) => capitalised || joining.has(term))
  const isAsked = next.some(({ term }) => meaning.yes.has(term))
  return isFirst || !isMatch && isAsked
}
const joining: ReadonlySet<string> = new Set(["and", "of", "the"])

/** "West Lorne" for "Lorne": a word with a capital that makes another name of one of the question's. */
function isOtherName({ capitals, terms, isMatch }: Question, tokens: ReadonlyArray<Word>): boolean {
  const isInTitleCase = tokens.filter(({ capitalised }) => capitalised).length > tokens.length / 2
  const isForeign = (word: Word | undefined) =>
    word?.capitalised === true && !terms.has(word.term) && !lists.titles.has(word.term)
  return !isMatch && !isInTitleCase && tokens.some((word, n) => {
    const before = tokens[n - 1]
    if (n < 2 || !word.follows || before === undefined) return false
    return capitals.has(word.term) && isForeign(before) ||
      capitals.has(before.term) && isForeign(word)
  })
}

/** The place of the other side: the first word with a capital that is not the question's; null for none. */
function opponentOf({ capitals, terms }: Question, tokens: ReadonlyArray<Word>): number | null {
  const at = tokens.findIndex(({ term, capitalised }) =>
    capitalised && !capitals.has(term) && !terms.has(term)
  )
  return at < 0 ? null : at
}

/** A negation is no doubt: it may be the answer. */
function hasDoubt({ terms, text }: Question, title: string): boolean {
  const doubts = lists.doubts.difference(terms).difference(lists.negations)
  return /\?/.test(title) || disputes(title, text) ||
    !doubts.isDisjointFrom(new Set(termsOf(title)))
}

/** Words that a match is level, and a score that says so. */
const drawn =
  /\b(?:draws?|drew|drawn|tied?|ties|stalemate|goalless|held|level|(?:points|spoils) shared)\b|\b(\d+)[-–]\1\b/i
/** A match on the way to a title decides no title, and a name on a list names no winner. */
const onTheWay =
  /\b(?:wins?|won|winning) (?:in|at|over|against|away|home|again|\d)|\b(?:named|picked|chosen) (?:in|for|to|among|by|at)\b/i
/** Whether the headline can answer the question with this outcome: no word that code knows says another. */
function mayAnswer(
  market: ScopedMarket,
  question: Question,
  title: string,
  outcome: 0 | 1,
): boolean {
  const { meaning, isMatch, text, names, numbers } = question
  const tokens = tokensOf(withoutDates(title))
  const stated = new Set(tokens.map(({ term }) => term))
  const says = (words: ReadonlySet<string>) => !words.isDisjointFrom(stated)
  const places = names.map((name) => tokens.findIndex(({ term }) => name.includes(term)))
  const [first = -1, second = -1] = places
  if (isMatch && !isFinalScore(text, title)) return false
  if (isMatch && drawn.test(text)) return drawn.test(title) === (outcome === 0)
  if (!isYesNo(market) || /\b(?:beat|defeat)\b/i.test(text) && names.length > 1) {
    return !drawn.test(title) && agrees(winnerOf(question, tokens, first, second), outcome)
  }
  if (onTheWay.test(title) && !isMatch) return false
  if (numbers.some((it) => isThreshold(question, it))) return true
  if (isMatch && names.length === 1 && !drawn.test(title)) {
    const other = opponentOf(question, tokens)
    if (other !== null) return agrees(winnerOf(question, tokens, first, other), outcome)
  }
  const isNo = says(meaning.no) || says(lists.negations.difference(question.terms)) ||
    isMatch && drawn.test(title)
  return agrees(isNo ? 1 : says(meaning.yes) ? 0 : null, outcome)
}

/** Whether code knows of no other outcome than the claimed one. */
const agrees = (known: 0 | 1 | null, claimed: 0 | 1): boolean => known === null || known === claimed

/** Whether a score is that of a whole series: of three, five or seven games the first to two, three or four. */
function isFinalScore(question: string, title: string): boolean {
  const [, games] = /\bBO(\d)\b/i.exec(question) ?? []
  const [won] = title.match(score) ?? []
  return games === undefined || won === undefined ||
    Math.max(...won.split(/[-–]/).map(Number)) === (Number(games) + 1) / 2
}

/** Which of two sides, by their places, the words between them say has won; null for neither. */
function winnerOf(
  { meaning }: Question,
  tokens: ReadonlyArray<Word>,
  first: number,
  second: number,
): 0 | 1 | null {
  if (first < 0 || second < 0 || drawn.test(tokens.map(({ written }) => written).join(" "))) {
    return null
  }
  const [from, to] = [Math.min(first, second), Math.max(first, second)]
  const between = tokens.slice(from + 1, to).filter(({ term, capitalised }) =>
    term !== "the" && (!capitalised || meaning.yes.has(term))
  ).map(({ term }) => term)
  const last = between.at(-1) ?? ""
  const has = (...words: ReadonlyArray<string>) => words.some((word) => between.includes(word))
  const isLost = has("lose", "lost", "fall", "fell", "defeat", "loss") &&
      /^(?:to|at|by|against)$/.test(last) ||
    last === "by" && between.some((term) => meaning.yes.has(term))
  const isWon = has("win", "won", "victory", "winner") && /^(?:over|against|at|past)$/.test(last) ||
    meaning.yes.has(last)
  if (isLost === isWon) return null
  return isWon === (first < second) ? 0 : 1
}

/** Whether each of the question's other words stands in the headline, in a form of its own. */
function wordsAgree({ words }: Question, stated: ReadonlySet<string>): boolean {
  return words.every((term) => [...stated].some((other) => same(term, other)))
}
