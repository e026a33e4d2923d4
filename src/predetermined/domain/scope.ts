/**
 * Whether a headline can be about a market's own event: its dates, places, numbers and stage must not
 * conflict with the question, and it must have been published after the event began.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import {
  type Asked,
  askedOf,
  type Period,
  periodOf,
  rangeOf,
  sidesOf,
  startOf,
  stem,
} from "./question.ts"
import { type TitleText, titleText } from "./titleWords.ts"

/** What the scope of a headline depends on. */
interface ScopeContext {
  readonly market: Market
  readonly rules: string
  readonly now: EpochMs
}

/** The question's side of the comparison, read once for many headlines. */
interface Scope {
  readonly market: Market
  readonly asked: Asked | null
  readonly isMatch: boolean
  readonly startsAt: EpochMs | null
  readonly period: Period | null
  readonly question: TitleText
  /** Years of the rules; used when the question names none. */
  readonly otherYears: ReadonlyArray<number>
  /** Words of the question, the rules, the event's slug and the outcomes. */
  readonly known: ReadonlySet<string>
}

/** A headline that names no date is about the question's period until this long after it. */
const afterPeriodMsMax = 2 * day
/** A day that a headline names is at most this long before its publication. */
const namedDayAgeMsMax = 7 * day
/** Months before the publication that a headline about a month can name. */
const namedMonthAgeMsMax = 62 * day

/**
 * Words for a part or a kind of an event (`semi-final`, `exit poll`, `core inflation`). A headline with
 * one that the question and the rules do not have is about something else.
 */
const stages: ReadonlySet<string> = new Set([
  ...["qualifier", "qualifying", "semifinal", "semi", "quarterfinal", "heat", "leg", "half"],
  ...["round", "stage", "preliminary", "provisional", "partial", "exit", "mock", "straw"],
  ...["primary", "caucus", "friendly", "youth", "women", "woman", "men", "u17", "u19", "u20"],
  ...["u21", "u23", "reserve", "preseason", "practice", "practise", "rehearsal", "committee"],
  ...["subcommittee", "panel", "draft", "core", "food", "energy", "producer", "wholesale"],
  ...["monthly", "quarterly", "flash", "estimate", "interim", "temporary", "acting"],
  ...["caretaker", "municipal", "regional", "byelection", "simulated", "virtual", "esports"],
  ...["lowest", "highest", "minimum", "maximum", "opener", "sales", "lottery", "ranking"],
  ...["auction", "eight", "sixteen", "group", "audience", "junior", "amateur", "halftime"],
  ...["set", "inning", "period", "frame"],
])
/** Stages that the result of a single match may name. */
const stagesOfMatch: ReadonlySet<string> = new Set([
  ...[
    "semifinal",
    "semi",
    "quarterfinal",
    "leg",
    "round",
    "stage",
    "group",
    "qualifier",
    "set",
    "opener",
  ],
])

/**
 * Returns whether no word and no time of a headline shows that it is about another event than the
 * market's.
 */
export function scopeOf(
  { market, rules, now }: ScopeContext,
): (text: TitleText, publishedAt: EpochMs) => boolean {
  const question = titleText(market.question)
  const ofRules = titleText(rules)
  const others = [market.eventSlug.replaceAll("-", " "), ...market.outcomes].map(titleText)
  const yearOf = (at: EpochMs | null) => at === null ? [] : [new Date(at).getUTCFullYear()]
  const scope: Scope = {
    ...{ market, question, asked: askedOf(market, 0), isMatch: sidesOf(market) !== null },
    startsAt: startOf(market, rules),
    period: periodOf(market, now),
    otherYears: [...ofRules.years, ...yearOf(market.endsAt)],
    known: new Set(
      [question, ofRules, ...others].flatMap(({ tokens }) => tokens.map(({ word }) => stem(word))),
    ),
  }
  return (text, publishedAt) =>
    isAfterStart(scope, publishedAt) && datesAgree(scope, text, publishedAt) &&
    yearsAgree(scope, text, publishedAt) && numbersAgree(scope, text) &&
    placesAgree(scope, text) && stagesAgree(scope, text)
}

function isAfterStart({ startsAt, period }: Scope, publishedAt: EpochMs): boolean {
  const from = period?.from ?? null
  return (startsAt === null || publishedAt >= startsAt) && (from === null || publishedAt >= from)
}

function datesAgree(
  { market, period, startsAt }: Scope,
  { dates, weekdays }: TitleText,
  publishedAt: EpochMs,
): boolean {
  if (period !== null && period.from !== null && dates.length === 0) {
    const until = Math.max(period.until, market.endsAt ?? 0)
    if (publishedAt > until + afterPeriodMsMax) return false
  }
  const weekdayOf = (at: EpochMs) => new Date(at).getUTCDay()
  const pinned = period?.from ?? null
  if (weekdays.length > 0) {
    // The day before is the local date of a match in the evening west of Greenwich.
    const allowed = startsAt !== null
      ? [weekdayOf(startsAt), weekdayOf(startsAt - day)]
      : pinned !== null && period?.date.day !== null
      ? [weekdayOf(pinned)]
      : null
    if (allowed !== null && !weekdays.some((weekday) => allowed.includes(weekday))) return false
  }
  return dates.every((date) => {
    const named = rangeOf(date, publishedAt)
    if (pinned !== null && period !== null) {
      const isSame = date.month === period.date.month &&
        (date.day === null || period.date.day === null || date.day === period.date.day)
      return isSame && named.from <= publishedAt
    }
    const ageMax = date.day === null ? namedMonthAgeMsMax : namedDayAgeMsMax
    return named.from <= publishedAt && publishedAt - named.from <= ageMax + day &&
      (period === null || named.from <= period.until)
  })
}

/** Years of the headline are those of the question; if it names none, of its rules or of its end. */
function yearsAgree(
  { question, otherYears }: Scope,
  { years }: TitleText,
  publishedAt: EpochMs,
): boolean {
  const allowed = question.years.length > 0
    ? question.years
    : [...otherYears, new Date(publishedAt).getUTCFullYear()]
  return years.every((year) => allowed.includes(year))
}

/** A number of the question that is no level is part of a name: another number is another thing. */
function numbersAgree({ isMatch, asked, question }: Scope, { tokens }: TitleText): boolean {
  if (isMatch || asked?.level !== null) return true
  const numbers = question.tokens.flatMap(({ number }) => number === null ? [] : [number.value])
  return numbers.length === 0 ||
    tokens.every(({ number }) => number === null || numbers.includes(number.value))
}

/**
 * A headline with a foreign place after “in”, “of” or “at” is about that place. Without a place that the
 * question names, it may name no other one.
 */
function placesAgree({ asked, isMatch, known }: Scope, text: TitleText): boolean {
  const words = new Set(text.tokens.map(({ word }) => word))
  const places = asked?.places ?? new Set()
  const missing = [...places].some((place) => !words.has(place))
  // What two sides sign can be signed anywhere.
  const isSigning = asked?.families.includes("sign") === true
  return !text.tokens.some(({ word, place, isCapital }, n) => {
    // A place within the question's place is another one, unless the headline names both.
    const isPart = place?.within.some((outer) =>
      known.has(outer) && (words.has(outer) || places.size === 0)
    )
    if (known.has(stem(word)) || isPart === true) return false
    const before = text.tokens[n - 1]
    const isNamed = place !== null || isCapital && !text.isTitleCase
    const isPlaced = before !== undefined && ["in", "of"].includes(before.word) && isNamed
    // The first word has a capital anyway.
    const isForeign = place !== null ||
      isCapital && !text.isTitleCase && n > 0 && before?.clause ===
          text.tokens[n]?.clause
    return isPlaced && !isMatch && !isSigning || missing && isForeign || missing && n === 0 &&
        text.tokens[1]?.clause !== text.tokens[0]?.clause && isNamed
  })
}

function stagesAgree({ isMatch, known }: Scope, { tokens }: TitleText): boolean {
  return tokens.every(({ word }) =>
    !stages.has(stem(word)) && !stages.has(word) || known.has(stem(word)) ||
    isMatch && stagesOfMatch.has(stem(word))
  )
}
