/**
 * Whether the words of a headline favour an outcome of a market or go against it.
 *
 * It reads only the direction of the words: not whether they are true, are about the same date, or were
 * known before. In doubt the bearing is null. Precision is measured in `tests/news/domain/bearing.test.ts`.
 *
 * @module
 */
import {
  afterPrice,
  agreementCues,
  beforeLevel,
  contestCues,
  type Cue,
  doubtful,
  irregular,
  levelWords,
  negators,
  open,
  type Phrase,
  priceCues,
  resultCues,
  sideCues,
  topics,
} from "./bearingWords.ts"
import { periodsDiffer, periodsOf } from "./periods.ts"
import { isInformative, type Word, wordsOf } from "./oldWords.ts"

type Bearing = "for" | "against"

type Sign = -1 | 0 | 1

/** Characters read of a title, a question and an outcome. */
const charactersMax = 300
/** Words between a subject and the words about it. */
const gapMax = 4
/** Words between a subject and the question's own verb: "let November 22 pass and do not sign". */
const verbGapMax = 8
/** Words in front of a cue that may reverse it. */
const negationGap = 3
/** Above this share of capitalised words a title's capitals mark no names. */
const titleCaseShare = 0.75

/** Of `outcome`, the label of one of the market's outcomes: "Yes", "No", "Over" or a side's name. */
export function bearingOf(title: string, question: string, outcome: string): Bearing | null {
  const [head, asked, label] = [title, question, outcome].map(prepared)
  if (head === undefined || asked === undefined || label === undefined) return null
  const words = wordsOf(head)
  if (head.includes("?") || words.some(({ term }) => open.has(term))) return null
  const sign = signOf(words, head, asked, label)
  return sign === 0 ? null : sign > 0 ? "for" : "against"
}

/** With "not" as a word of its own. */
function prepared(text: string): string {
  return text.slice(0, charactersMax).replace(/\bcan['’]t\b/gi, "can not").replace(
    /n['’]t\b/gi,
    " not",
  ).replace(/\bwo not\b/gi, "will not")
}

function signOf(words: ReadonlyArray<Word>, title: string, question: string, outcome: string) {
  const sides = matchOf(question)
  if (sides !== null) return matchSign(words, title, question, outcome, sides)
  const turn = outcomeSign(outcome) * (/\b(?:not|fails? to)\b/i.test(question) ? -1 : 1)
  const limit = limitOf(question)
  const sign = limit === "several"
    ? 0
    : limit === null
    ? eventSign(words, question)
    : limitSign(words, title, question, limit)
  return sign * turn
}

function outcomeSign(outcome: string): Sign {
  const label = outcome.trim().toLowerCase()
  return label === "yes" || label === "over" ? 1 : label === "no" || label === "under" ? -1 : 0
}

/** The one direction of several signs; 0 when they differ. */
function agreed(signs: ReadonlyArray<number>): Sign {
  const [up, down] = [signs.some((sign) => sign > 0), signs.some((sign) => sign < 0)]
  return up === down ? 0 : up ? 1 : -1
}

// Limits

interface Limit {
  /** Whether the value is at or above the limit. */
  readonly higher: boolean
  readonly value: number
}

const amount = String
  .raw`[$€£]?(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(\.\d{1,6})? ?(k|m|bn?|tn?|thousand|million|billion|trillion)?(?![\w/])`
const higherLimit = new RegExp(
  `\\b(?:above|over|exceed(?:s|ed)?|more than|greater than|higher than|at least|reach(?:es|ed)?|tops?|gain(?:s|ed)?|hit \\(high\\)|o/u|an?) ${amount}|${amount}[%°CF]{0,2} or (?:more|above|higher|over)`,
  "i",
)
const lowerLimit = new RegExp(
  `\\b(?:below|under|less than|fewer than|lower than|at most|(?:dips?|falls?|drops?) (?:to|below)|hit \\(low\\)) ${amount}|${amount}[%°CF]{0,2} or (?:less|below|lower|under)`,
  "i",
)
const scales: Readonly<Record<string, number>> = {
  ...{ k: 1e3, thousand: 1e3, m: 1e6, million: 1e6 },
  ...{ b: 1e9, bn: 1e9, billion: 1e9, t: 1e12, tn: 1e12, trillion: 1e12 },
}

/** The limit that a text names: null for none, `several` for a range. */
function limitOf(text: string): Limit | "several" | null {
  const [up, down] = [higherLimit.exec(text), lowerLimit.exec(text)]
  if (up !== null && down !== null) return "several"
  const found = up ?? down
  if (found === null) return null
  const [whole = "", part = "", scale = ""] = found.slice(1).filter((it) => it !== undefined)
    .reduce<ReadonlyArray<string>>(
      (parts, it, i) =>
        i === 0
          ? [it, "", ""]
          : it.startsWith(".")
          ? [parts[0] ?? "", it, parts[2] ?? ""]
          : [parts[0] ?? "", parts[1] ?? "", it],
      [],
    )
  const value = Number(`${whole.replaceAll(",", "")}${part}`) * (scales[scale.toLowerCase()] ?? 1)
  return { higher: up !== null, value }
}

function limitSign(
  words: ReadonlyArray<Word>,
  title: string,
  question: string,
  limit: Limit,
): Sign {
  const asked = wordsOf(question)
  const names = namesIn(asked)
  if (names.length === 0 || !names.every((name) => words.some(({ term }) => term === name))) {
    return 0
  }
  const topic = topics.find(({ term }) => asked.some(({ plain }) => plain === term))
  if (topic?.title?.test(title) === false) return 0
  // "Cools less than expected" may be a rise.
  if (/\bless\b(?! than \W?\d)|\bthan (?!\W?\d)/i.test(title)) return 0
  const reported = reportedSign(words, title, question, limit)
  const plain = limitOf(title) === null ? plainSign(words, title, question, limit) : 0
  if (plain === null) return 0
  // "Eases to 3.2%" is above 3%.
  if (topic !== undefined && plain !== 0) return plain
  // "Fell below 5%" says nothing about 4.6%.
  if (topic !== undefined && reported === 0 && limitOf(title) !== null) return 0
  const last = Math.max(...names.map((name) => words.findIndex(({ term }) => term === name)))
  const signs = topic === undefined
    ? signsOf(
      words,
      priceCues,
      (at, { phrase }) =>
        at > last && isBare(words.slice(last + 1, at)) && hasNoObject(words, at + phrase.length),
    )
    : signsOf(
      words,
      topic.cues,
      (at, { phrase }) =>
        topic.title === null || isOfTopic(words, at, at + phrase.length, new Set(names)),
    )
  const turn = limit.higher ? 1 : -1
  return agreed([...signs.map((sign) => sign * turn), reported, plain])
}

/** The subject of a rate, what may stand between it and its verb, and what may follow the verb. */
const topicWords = /^(?:inflation|prices?|unemployment|jobless|gdp|economy)$/
const fromTopic = /^(?:rate|growth|annual|month|year)$/
const afterTopic = /^(?:in|to|last|this|more|faster|slower|sharply)$/

/** Whether a rate is the subject of the words from `at` up to `end`, and they have no object. */
function isOfTopic(
  words: ReadonlyArray<Word>,
  at: number,
  end: number,
  names: ReadonlySet<string>,
): boolean {
  const next = words[end]
  if (next !== undefined && topicWords.test(next.plain)) return true
  const subject = words.findLastIndex(({ plain }, n) => n < at && topicWords.test(plain))
  return subject >= 0 &&
    words.slice(subject + 1, at).every(({ plain, term }) =>
      !isInformative(term) || names.has(term) || fromTopic.test(plain) || negators.has(term)
    ) && (hasNoObject(words, end) || afterTopic.test(next?.plain ?? ""))
}

/** Words between the verb of a price and its level: "to a new record". */
const levelGapMax = 3

/** Whether the word at `next` is no object of the verb in front of it. */
function hasNoObject(words: ReadonlyArray<Word>, next: number): boolean {
  const word = words[next]
  if (word === undefined || !word.follows) return true
  const behind = words.slice(next + 1, next + 1 + levelGapMax)
  // "Gains 500 jobs", but "jumps 6% after".
  if (/^\d/.test(word.written)) {
    const [thing] = behind
    return thing === undefined || !thing.follows || /^(?:percent|points?)$/.test(thing.plain)
  }
  if (word.plain === "for") {
    return /^(?:an?|first|second|third|fourth|fifth)$/.test(behind[0]?.plain ?? "")
  }
  return afterPrice.has(word.plain) || beforeLevel.has(word.plain) &&
      behind.some(({ plain }) => /^\d/.test(plain) || levelWords.has(plain)) ||
    word.plain === "on" && behind[0]?.capitalised === false
}

/** A figure with the unit of a level, and the words in front of it. */
const figure =
  /((?:[\p{L}.]+ ){0,6})([$€£]?)(\d[\d,]*(?:\.\d+)?) ?(k|m|bn?|tn?|thousand|million|billion|trillion)?(?![\p{L}\d])( ?(?:%|percent|°|degrees))?/giu
/** What is measured, with the verb that gives its figure: not "rises 0.3%", not "a rate of". */
const stated =
  /\b(?:inflation|CPI|unemployment|jobless|GDP|growth|temperature)(?: rate| in \p{L}+)? (?:\p{L}+ )?(?:to|at|was|is|hits?) $/iu
/** Another quantity than the question's. */
const otherQuantity =
  /\b(?:core|food|fuel|energy|grocery|producer|import|monthly|youth|expectations?|forecasts?|lows?|lowest|targets?|goals?|close to|set to|up to|near)\b/i

/** The sign of the only figure of a title; 0 when it has none, null when it cannot be compared. */
function plainSign(
  words: ReadonlyArray<Word>,
  title: string,
  question: string,
  limit: Limit,
): Sign | null {
  const found = figuresOf(title).filter(({ unit }) => unit === unitOf(question))
  const [first] = found
  if (first === undefined) return 0
  // A price that moves by this figure, or has not reached the level yet.
  if (unitOf(question) === "$") return null
  const isDoubtful = words.some(({ term }) => negators.has(term) || doubtful.has(term))
  if (found.length > 1 || isDoubtful || otherQuantity.test(title)) return null
  if (!stated.test(first.lead) || first.value === limit.value) return null
  return first.value > limit.value === limit.higher ? 1 : -1
}

function figuresOf(title: string) {
  return [...title.replace(/['’]s\b/g, "").matchAll(figure)].map(
    ([, lead = "", sign = "", digits = "", scale = "", unit = ""]) => ({
      lead,
      unit: sign !== "" ? "$" : /°|degrees/i.test(unit) ? "°" : unit === "" ? "" : "%",
      value: Number(digits.replaceAll(",", "")) * (scales[scale.toLowerCase()] ?? 1),
    }),
  )
}

/** The unit of the question's level. */
function unitOf(question: string): string {
  return /[$€£]\d/.test(question)
    ? "$"
    : /\d ?°/.test(question)
    ? "°"
    : /\d ?(?:%|percent)/.test(question)
    ? "%"
    : ""
}

/** No other thing stands between a name and the words about it. */
function isBare(between: ReadonlyArray<Word>): boolean {
  return between.length <= gapMax &&
    between.every(({ term }) => !isInformative(term) || term === "price")
}

/** What a title that names a value says of the limit: "was above 4.6%", "stayed below 21°C". */
function reportedSign(
  words: ReadonlyArray<Word>,
  title: string,
  question: string,
  limit: Limit,
): Sign {
  const said = limitOf(title)
  if (said === null || said === "several") return 0
  const isSameUnit = figuresOf(title).some(({ unit, value }) =>
    unit === unitOf(question) && value === said.value
  )
  if (!isSameUnit || unitOf(question) !== "" && otherQuantity.test(title)) return 0
  const isDenied = words.some(({ term }) => negators.has(term)) || /\bshort of\b/i.test(title)
  const higher = said.higher !== isDenied
  const isBeyond = higher ? said.value >= limit.value : said.value <= limit.value
  return !isBeyond ? 0 : higher === limit.higher ? 1 : -1
}

// Matches

type Sides = readonly [string, string]

function matchOf(question: string): Sides | null {
  const match = /^(.{2,80}?) (?:vs|v)\.? (.{2,80}?)(?:$|[:(,])/i.exec(question)
  return match === null ? null : [match[1] ?? "", match[2] ?? ""]
}

function matchSign(
  words: ReadonlyArray<Word>,
  title: string,
  question: string,
  outcome: string,
  sides: Sides,
): number {
  const limit = limitOf(question)
  if (limit !== null) {
    const isKnown = limit !== "several" && spansOf(words, sides).every((span) => span !== null)
    return isKnown ? reportedSign(words, title, question, limit) * outcomeSign(outcome) : 0
  }
  const side = sides.findIndex((name) => name.trim().toLowerCase() === outcome.trim().toLowerCase())
  if (side < 0) return 0
  const found = [...sideSigns(words, sides, resultCues, true), ...sideSigns(words, sides, sideCues)]
  return agreed(found) * (side === 0 ? 1 : -1)
}

function spansOf(words: ReadonlyArray<Word>, sides: Sides): ReadonlyArray<Span | null> {
  return sides.map((side) => spanOf(words, wordsOf(side).map(({ term }) => term)))
}

/** The signs for the first side. `faced`: the other side stands behind the words. */
function sideSigns(
  words: ReadonlyArray<Word>,
  sides: Sides,
  cues: ReadonlyArray<Cue>,
  faced = false,
): ReadonlyArray<number> {
  const spans = spansOf(words, sides)
  return spans.flatMap((own, i) => {
    const other = spans[1 - i] ?? null
    if (own === null || (faced && other === null)) return []
    const isAbout = (at: number) =>
      at > own.end && isBare(words.slice(own.end + 1, at)) &&
      (!faced || other !== null && other.start > at)
    return signsOf(words, cues, isAbout).map((sign) => i === 0 ? sign : -sign)
  })
}

/** Whether a title reports the result of a match of these two sides: of an open market, another match. */
export function reportsResult(title: string, question: string): boolean {
  const sides = matchOf(question)
  return sides !== null && sideSigns(wordsOf(prepared(title)), sides, resultCues, true).length > 0
}

interface Span {
  readonly start: number
  readonly end: number
}

function spanOf(words: ReadonlyArray<Word>, phrase: Phrase): Span | null {
  const start = words.findIndex((_, i) => startsAt(words, phrase, i))
  return start < 0 || phrase.length === 0 ? null : { start, end: start + phrase.length - 1 }
}

function startsAt(words: ReadonlyArray<Word>, phrase: Phrase, at: number): boolean {
  return phrase.every((term, i) => words[at + i]?.term === term)
}

// Events

const contest = /\b(?:win|top|most seats|nominee|nomination|champions?|winner|be the next)\b/i
const agreement = /\b(?:deal|treaty|accord|pact|agreement|ceasefire|truce|memorandum)\b/i

/** What a title says of an event that has a subject and a verb: "Will Norway and Portugal sign …". */
function eventSign(words: ReadonlyArray<Word>, question: string): Sign {
  const event = eventOf(question)
  if (event === null) return 0
  const places = event.names.map((name) => words.findIndex(({ term }) => term === name))
  if (places.some((place) => place < 0)) return 0
  const span = { start: Math.min(...places), end: Math.max(...places) }
  const isRelevant = event.object.filter((term) => words.some((word) => word.term === term)).length
  const isAgreement = agreement.test(question)
  const cues = isAgreement
    ? isRelevant * 2 >= event.object.length ? agreementCues : []
    : contest.test(question)
    ? contestCues
    : []
  const near = (at: number, { phrase, subject }: Cue) => {
    const between = subject === "before"
      ? words.slice(span.end + 1, at)
      : words.slice(at + phrase.length, span.start)
    const isOrdered = subject === "before" ? at > span.end : at + phrase.length <= span.start
    if (isAgreement) return isOfAgreement(words, at)
    return isOrdered && isQuiet(words, between, gapMax)
  }
  return agreed([
    ...signsOf(words, cues, near),
    ...isRelevant * 3 >= event.object.length * 2 && event.object.length > 0
      ? [verbSign(words, event, span)]
      : [],
  ])
}

/** Verbs that also have other objects than an agreement. */
const refusal = /^(?:reject|cancel|delay|postpon|suspend)/

/** Whether what is refused is the agreement, and not a report of it. */
function isOfAgreement(words: ReadonlyArray<Word>, at: number): boolean {
  if (words.some(({ term }) => /^(?:deny|claim|accus|alleg|dismis)/.test(term))) return false
  const around = words.slice(Math.max(0, at - negationGap), at + 1 + negationGap)
  return !refusal.test(words[at]?.term ?? "") ||
    around.some(({ plain }) => agreement.test(plain) || plain === "talks")
}

interface Event {
  readonly names: ReadonlyArray<string>
  /** Its forms. */
  readonly verb: ReadonlyArray<string>
  /** What the verb is about, without names of periods. */
  readonly object: ReadonlyArray<string>
}

const skipped = new Set(["the", "and", "of", "in", "for", "a", "an", "de", "or"])

function eventOf(question: string): Event | null {
  const words = wordsOf(question.replace(/^will\s+/i, ""))
  const first = words.findIndex(({ capitalised }) => capitalised)
  const place = words.findIndex(({ capitalised, written }, i) =>
    i > first && !capitalised && !skipped.has(written) && !/^\d/.test(written)
  )
  const verb = words[place]
  if (first < 0 || verb === undefined) return null
  const names = namesIn(words.slice(0, place))
  const object = words.slice(place + 1).filter(({ term, written }) =>
    isInformative(term) && !/\d/.test(written)
  ).map(({ term }) => term)
  if (names.length === 0) return null
  return { names, verb: irregular.get(verb.term) ?? [verb.term], object: [...new Set(object)] }
}

/** The question's own verb in a title, with the subject in front: "expected to sign", "do not win". */
function verbSign(words: ReadonlyArray<Word>, { object, verb }: Event, { start, end }: Span): Sign {
  const without = words.findIndex(({ term }, i) =>
    i > end && term === "without" &&
    words.slice(i + 1, i + 1 + gapMax).some((word) => object.includes(word.term))
  )
  if (without > 0) return -1
  const at = words.findIndex(({ term }, i) => i > end && verb.includes(term))
  if (at < 0) return 0
  const between = words.slice(end + 1, at)
  if (!isQuiet(words, between, verbGapMax)) return 0
  // "Wins appeal over title banner".
  const next = words.slice(at + 1).find(({ term, written }) =>
    isInformative(term) && !/\d/.test(written)
  )
  if (next !== undefined && !object.includes(next.term)) return 0
  if (words.slice(0, at).some(({ term }) => doubtful.has(term))) return 0
  const before = words.slice(Math.max(0, start - negationGap), start)
  const denials = [...before, ...between].filter(({ term }) => negators.has(term)).length
  return denials === 0 ? 1 : denials === 1 ? -1 : 0
}

/** No other name stands between; in title case, where every word has a capital, hardly any word. */
function isQuiet(
  words: ReadonlyArray<Word>,
  between: ReadonlyArray<Word>,
  max: number,
): boolean {
  const share = words.filter(({ capitalised }) => capitalised).length / words.length
  if (share > titleCaseShare) return between.every(({ term }) => !isInformative(term))
  return between.length <= max &&
    between.every(({ capitalised, term }) => !capitalised || !isInformative(term))
}

/** May stand between the subject and the verb of a report: "have finally signed". */
const auxiliaries = new Set(["have", "has", "both", "finally", "officially"])
const pastForms = new Set(["won", "met", "left"])

/**
 * What a title reports as the result of the event of a question, for its outcome "Yes"; null for a title
 * that only is a sign of it. Precision first: it has no information beyond that of the question.
 */
export function resultOf(title: string, question: string): Bearing | null {
  const [head, asked] = [prepared(title), prepared(question)]
  const bearing = bearingOf(title, question, "Yes")
  const event = eventOf(asked)
  if (bearing === null || event === null || limitOf(asked) !== null) return null
  const [said, period] = [periodsOf(head, "with"), periodsOf(asked, "with")]
  // What is so today may not be so on the day of the question.
  const isOfDay = period.days.size > 0 && !/\b(?:by|before|until) \p{Lu}/u.test(asked)
  if (periodsDiffer(said, period) || isOfDay && said.days.size === 0) return null
  const words = wordsOf(head)
  const end = Math.max(...event.names.map((name) => words.findIndex(({ term }) => term === name)))
  const at = words.findIndex(({ term }, i) => i > end && event.verb.includes(term))
  const [before, after] = [words.slice(end + 1, at), words.slice(at + 1)]
  const known = new Set(wordsOf(asked).map(({ term }) => term))
  const isWhole = at > end && event.object.every((term) => after.some((word) => word.term === term))
  const isOther = ({ term, written }: Word) =>
    isInformative(term) && !known.has(term) && !/^(?:let|pass|\d+)$/i.test(written)
  if (!isWhole || words.some((word, i) => i !== at && !before.includes(word) && isOther(word))) {
    return null
  }
  return happened(before, words[at]?.written ?? "", event) ||
      said.days.size > 0 && passed(before) && !before.some(isOther)
    ? bearing
    : null
}

function happened(before: ReadonlyArray<Word>, verb: string, { names }: Event): boolean {
  const form = verb.toLowerCase()
  const isFinite = /(?:s|ed)$/.test(form) || pastForms.has(form) ||
    names.length > 1 && before.length === 0
  return isFinite && !/ing$|er$/.test(form) &&
    before.every(({ written }) => auxiliaries.has(written.toLowerCase()))
}

/** A day went by without the event: "let November 22 pass and do not sign". */
function passed(before: ReadonlyArray<Word>): boolean {
  const said = before.map(({ written }) => written.toLowerCase())
  return said.includes("let") && said.includes("pass") && said.includes("not")
}

/** The names in a question; a name of a period is none. */
function namesIn(words: ReadonlyArray<Word>): ReadonlyArray<string> {
  const names = words.filter(({ capitalised, term, written }) =>
    capitalised && isInformative(term) && !/\d/.test(written)
  ).map(({ term }) => term)
  return [...new Set(names)]
}

/** The signs of the cues in a title, reversed by a negation in front; 0 where it is doubtful. */
function signsOf(
  words: ReadonlyArray<Word>,
  cues: ReadonlyArray<Cue>,
  isAbout: (at: number, cue: Cue) => boolean,
): ReadonlyArray<number> {
  return words.flatMap((_, at) => {
    const [cue] = cues.filter(({ phrase }) => startsAt(words, phrase, at))
      .sort((a, b) => b.phrase.length - a.phrase.length)
    if (cue === undefined || !isAbout(at, cue)) return []
    const before = words.slice(Math.max(0, at - negationGap), at)
    if (before.some(({ term }) => doubtful.has(term))) return []
    const denials = before.filter(({ term }) => negators.has(term)).length
    return denials > 1 ? [] : [denials === 1 ? -cue.sign : cue.sign]
  })
}
