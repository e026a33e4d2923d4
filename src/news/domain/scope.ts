/**
 * Whether the words of a headline say what a market's question asks, so that a model's claim that it
 * decides the question can be believed.
 *
 * The model reads the meaning. Code knows few words (`scope.json`), so a word that it does not know
 * refuses: in the clause that the model quotes, each must be a word of the question, a word for what the
 * question asks, or one that joins them. The other clauses must have no word of doubt and name no part of
 * a contest. They cannot detect a false report.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { Clause } from "../../markets/domain/clause.ts"
import type { Market } from "../../markets/domain/market.ts"
import {
  figure,
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
import { isInformative, termsOf, tokensOf, withSpellings, type Word } from "./words.ts"

/** Another market of the event. */
export type SiblingMarket = Pick<Market, "question" | "exclusive">

/** What the rules add to a question; `deciding` is their sentence that decides, empty when it is unknown. */
type RulesScope = Pick<Clause, "series" | "deadlineAt"> & { readonly deciding: string }

interface ScopedClaim {
  readonly title: string
  /** The words of the title that are said to decide. */
  readonly quote: string
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
  const { clause, rest } = clausesOf(title, claim.quote)
  const stated = new Set(termsOf(clause))
  if (!hasNames(question, stated)) return "another_name"
  const isOut = outcome === 1 && /\b(?:knocked|crash\w*) out\b|\beliminated\b/i.test(clause)
  if (!isOut && hasOtherPart(question, stated)) return "another_part"
  if (!isKnown(question, clause) || hasDoubt(question, rest)) return "unknown_words"
  if (!numbersAgree(question, clause, outcome)) return "another_number"
  if (!isAnswer(market, question, clause, outcome)) return "another_answer"
  if (!wordsAgree(question, stated)) return "other_words"
  if (!isOfSeries(claim.rules, stated)) return "another_series"
  return timesAgree(market, { ...claim, deadlineAt: claim.rules.deadlineAt })
    ? null
    : "another_time"
}

/** Whether a headline that favours an outcome can be about the question: its names, parts and numbers. */
export function isAbout(
  market: ScopedMarket,
  { title, outcome, rules }: Omit<ScopedClaim, "quote">,
): boolean {
  const question = readQuestion(market, rules.deciding)
  const stated = new Set(termsOf(title))
  // A headline without a number contradicts none.
  const isBare = figuresOf(withoutDates(title)).length === 0
  return hasNames(question, stated) && !hasOtherPart(question, stated) &&
    lists.others.intersection(stated).isSubsetOf(question.terms) &&
    (isBare || numbersAgree(question, title, outcome))
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

const disputed = new RegExp(`\\b(?:${known.corrections.replaceAll(" ", "|")})\\b`, "i")

/** Whether a headline corrects, denies or questions a report. */
export const disputes = (title: string): boolean => disputed.test(title)

/** Where a clause of a headline ends. A colon and a dash end none: what stands there is part of it. */
const boundary =
  /[,;] | (?:as|after|amid|despite|following|with) | to (?=(?:reach|keep|win|lift|claim|take|seal|advance) )/gi

/** The clause that the quotation is part of, and the others. */
function clausesOf(title: string, quote: string): { clause: string; rest: string } {
  const from = Math.max(0, title.toLowerCase().indexOf(quote.toLowerCase()))
  const ends = [...title.matchAll(boundary)].map((
    { index, 0: mark },
  ) => [index, index + mark.length])
  const start = Math.max(0, ...ends.flatMap(([, end = 0]) => end <= from ? [end] : []))
  const end = Math.min(
    title.length,
    ...ends.flatMap(([at = 0]) => at >= from + quote.length ? [at] : []),
  )
  return { clause: title.slice(start, end), rest: `${title.slice(0, start)} ${title.slice(end)}` }
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

/** Whether code knows each word of a clause, and no verb in it is still to come. */
function isKnown(question: Question, clause: string): boolean {
  const tokens = tokensOf(withoutFigures(question, clause))
  const opponent = opponentOf(question, tokens)
  const isToCome = tokens.some(({ term }, n) => {
    const next = tokens[n + 1]
    return term === "to" && next !== undefined && n + 1 !== opponent &&
      !question.capitals.has(next.term) &&
      !/^(?:the|a|all|\d.*)$/.test(next.term)
  })
  return !/\?/.test(clause) && !isToCome && !isTurned(question, tokens) &&
    (unknownIn(question, tokens).length === 0 || opponent !== null)
}

/** Without dates; a score, and a figure with a unit, is 0: `numbersAgree` compares them. */
function withoutFigures({ isMatch, meaning, text }: Question, clause: string): string {
  const isShare = meaning.also.has("rate") || /%|percent/.test(text)
  const isScored = isMatch || meaning.yes.has("adopt")
  return withSpellings(withoutDates(clause)).replace(isScored ? score : /^$/, " 0 ").replace(
    figure,
    (whole, sign?: string, _digits?: string, unit?: string) =>
      sign === undefined && (unit === undefined || /%|percent/.test(unit) && !isShare)
        ? whole
        : " 0 ",
  )
}

/** The places of the words that are none of the question, and not listed for what it asks. */
function unknownIn(question: Question, tokens: ReadonlyArray<Word>): ReadonlyArray<number> {
  const { terms, meaning, names } = question
  const own = new Set(names.flat())
  const words = [...terms].filter((term) => !own.has(term))
  return tokens.flatMap(({ term }, n) => {
    const next = tokens[n + 1]?.term ?? ""
    const isTitle = lists.titles.has(term) && (own.has(next) || lists.titles.has(next))
    const isListed = [meaning.yes, meaning.no, meaning.also, lists.between, lists.negations]
      .some((it) => it.has(term))
    const isOwn = terms.has(term) || words.some((word) => same(word, term))
    return isTitle || isListed || isOwn || /^(?:to|0)$/.test(term) ? [] : [n]
  })
}

/** The place of the other side: the only name that is not the question's; null for none. */
function opponentOf(question: Question, tokens: ReadonlyArray<Word>): number | null {
  const unknown = unknownIn(question, tokens)
  const [first] = unknown
  if (first === undefined || !question.isMatch || question.names.length !== 1) return null
  const own = question.names.flat()
  const isPartOfName = [tokens[first - 1], tokens[first + unknown.length]]
    .some((it) => it !== undefined && own.includes(it.term))
  return !isPartOfName &&
      unknown.every((at, n) =>
        at === first + n && tokens[at]?.capitalised === true && !lists.doubts.has(tokens[at].term)
      )
    ? first
    : null
}

/** "Dahl minister" for "Minister Dahl": another person. */
function isTurned({ text }: Question, tokens: ReadonlyArray<Word>): boolean {
  const pairs = new Set(
    tokensOf(text).flatMap(({ term, capitalised, follows }, n, all) =>
      capitalised && follows && all[n - 1]?.capitalised === true
        ? [`${term} ${all[n - 1]?.term}`]
        : []
    ),
  )
  return tokens.some(({ term }, n) => pairs.has(`${tokens[n - 1]?.term} ${term}`))
}

const hasDoubt = ({ terms }: Question, rest: string): boolean =>
  /\?/.test(rest) || disputes(rest) ||
  !lists.doubts.difference(terms).isDisjointFrom(new Set(termsOf(rest)))

/** Words that a match is level, and a score that says so. */
const drawn =
  /\b(?:draws?|drew|drawn|tied?|ties|stalemate|goalless|held|level|(?:points|spoils) shared)\b|\b(\d+)[-–]\1\b/i
/** A match on the way to a title decides no title, and a name on a list names no winner. */
const onTheWay =
  /\b(?:wins?|won|winning) (?:in|at|over|against|away|home|again|\d)|\b(?:named|picked|chosen) (?:in|for|to|among|by|at)\b/i
/** Verbs by which someone does to another what the question asks about. */
const acting =
  /\b(?:sack|fire|oust|remove|dismisse|convict|acquit|clear|name|appoint|elect|arrest|charge|indict|confirm)s\b/i
const undergoes = /\bbe (?:\w+ )?\w+(?:ed|en)\b|\b(?:resign|out|elected|quit|leave|step)\b/i
const level =
  /\b(?:to|at|was|is|hits?|reach\w*|of|above|below|over|under|tops?|past|exceed\w*|breaks?) [$€£]?\d/i
const change = /\b(?:grow\w*|change|increase|rise|fall|by)\b/i

/** Whether the clause answers the question, and with this outcome. */
function isAnswer(
  market: ScopedMarket,
  question: Question,
  clause: string,
  outcome: 0 | 1,
): boolean {
  const { meaning, isMatch, text, names, numbers } = question
  const tokens = tokensOf(withoutFigures(question, clause))
  const stated = new Set(tokens.map(({ term }) => term))
  const says = (words: ReadonlySet<string>) => !words.isDisjointFrom(stated)
  if (meaning.yes.size > 0 && !says(meaning.yes) && !says(meaning.no)) return false
  const places = names.map((name) => tokens.findIndex(({ term }) => name.includes(term)))
  const [first = -1, second = -1] = places
  if (isMatch && !isFinalScore(text, clause)) return false
  if (isMatch && drawn.test(text)) return drawn.test(clause) === (outcome === 0)
  if (!isYesNo(market) || /\b(?:beat|defeat)\b/i.test(text) && names.length > 1) {
    return winnerOf(question, tokens, first, second) === outcome
  }
  if (onTheWay.test(clause) && !isMatch) return false
  if (numbers.some((it) => isThreshold(question, it))) {
    return !/[%°]|percent/.test(text) || level.test(clause) || change.test(text)
  }
  if (/\p{Lu}\w+ (?:and|x) \p{Lu}/u.test(text) && !stated.has("and")) return false
  const [, after = ""] = clause.split(new RegExp(tokens[first]?.written ?? "^$", "i"))
  if (undergoes.test(text) && acting.test(after)) return false
  const isPassive = stated.has("by") || stated.has("sold")
  if (/\b(?:acquire|buy)\b/i.test(text) && first < second === isPassive) return false
  if (isMatch && names.length === 1 && !drawn.test(clause)) {
    const other = opponentOf(question, tokens)
    // "Larks beaten": alone, such a word may be passive.
    const winner = other === null
      ? ["win", "won", "victory"].some((word) => stated.has(word)) ? 0 : says(meaning.no) ? 1 : null
      : winnerOf(question, tokens, first, other)
    return winner === outcome
  }
  const isNo = says(meaning.no) || says(lists.negations.difference(question.terms)) ||
    isMatch && drawn.test(clause)
  return isNo === (outcome === 1)
}

/** Whether a score is that of a whole series: of three, five or seven games the first to two, three or four. */
function isFinalScore(question: string, clause: string): boolean {
  const [, games] = /\bBO(\d)\b/i.exec(question) ?? []
  const [won] = clause.match(score) ?? []
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

/** Whether enough of the question's other words stand in the headline: all where no name identifies it. */
function wordsAgree(
  { words, names, isMatch, meaning }: Question,
  stated: ReadonlySet<string>,
): boolean {
  const isStated = (term: string) => [...stated].some((other) => same(term, other))
  const found = words.filter(isStated).length
  // Of two contests one word differs.
  const isTitle = meaning.also.has("crown") && !meaning.also.has("race")
  return isMatch || isTitle || names.length === 0
    ? found === words.length
    : 2 * found >= words.length
}
