/**
 * Reads a question as a rung of a ladder: the number or date in it that makes it harder or easier.
 *
 * "Above 5.2%" implies "above 4.8%", and "by December 8" implies "by December 13". Two questions are
 * compared only when everything but that number is the same text, and a text with a word that reverses
 * or breaks the implication has no rung. A missed rung costs a sentence, a wrong one costs the reader
 * money; so in doubt there is none. Both are measured on real wordings in
 * `tests/markets/domain/rungs.test.ts`.
 *
 * @module
 */
import { excerpt } from "../../core/domain/untrusted.ts"
import { type Market, months } from "./market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/** Characters of a question that is read; a longer one has no rung. */
const questionLengthMax = 300
/** Numbers and dates of one question that are tried as its rung. */
export const rungsPerQuestionMax = 6

/** What makes a rung harder: a higher or a lower limit, or an earlier deadline. */
export type RungKind = "higher_limit" | "lower_limit" | "earlier_deadline"

/** A market read as a rung. One market can be a rung of a limit, and another of a deadline. */
export interface Rung {
  readonly kind: RungKind
  /** The question with its rung left out, lower case; equal for the rungs of one ladder. */
  readonly template: string
  /**
   * A larger rank is harder: the rung implies every rung with the same template and a smaller rank. A
   * limit as a number or a time in milliseconds, negative where less is harder.
   */
  readonly rank: number
  /** The words of the rung, such as "above 5.2%". A part of the question, so untrusted text. */
  readonly label: string
  /** The outcome that the rung is about: "Yes", "Over", or the team with the handicap. */
  readonly outcome: 0 | 1
}

type RungMarket = Pick<Market, "question" | "outcomes" | "endsAt" | "createdAt" | "rulesDates">

/** A part of a question that may be its rung. */
interface Slot {
  readonly kind: RungKind
  readonly rank: number
  readonly start: number
  readonly end: number
  /** What the template has in its place; includes the unit, so that only equal units are compared. */
  readonly placeholder: string
  /** Where its label starts, which may have words of the template before the number. */
  readonly labelStart: number
}

/** The rungs of a market, at most `rungsPerQuestionMax`; none for a question that is not understood. */
export function rungsOf(market: RungMarket): ReadonlyArray<Rung> {
  const { question, outcomes } = market
  if (question.length > questionLengthMax) return []
  const text = excerpt(question, questionLengthMax)
  const lower = text.toLowerCase()
  // A letter whose lower case is longer would shift the label.
  if (lower.length !== text.length) return []
  const names = outcomes.map((outcome) => outcome.trim().toLowerCase())
  const line = lineOf(lower, names)
  const yes = firstOf(names, "yes", "no")
  const outcome = line?.outcome ?? yes
  if (outcome === null) return []
  const slots = line !== null
    ? [line.slot]
    : reversing.test(lower)
    ? []
    : [...limitSlots(lower), ...dateSlots(lower, market)]
  return slots.slice(0, rungsPerQuestionMax).map((slot) => ({
    kind: slot.kind,
    template: templateOf(lower, slot),
    rank: slot.rank,
    label: text.slice(slot.labelStart, slot.end).trim(),
    outcome,
  }))
}

function templateOf(lower: string, { start, end, placeholder }: Slot): string {
  return `${lower.slice(0, start)}{${placeholder}}${lower.slice(end)}`
    .replace(/[?.!\s]+$/, "")
}

/** The place of `name` in a pair of outcomes; null unless they are this pair. */
function firstOf(names: ReadonlyArray<string>, name: string, other: string): 0 | 1 | null {
  const [first, second] = names
  if (first === name && second === other) return 0
  return first === other && second === name ? 1 : null
}

/**
 * After these a harder rung need not imply an easier one: a denial reverses it, a condition changes
 * what is asked, and "exactly" asks for one value.
 */
const reversing = new RegExp(
  "\\b(?:not|never|neither|nor|without|cannot|unless|until|fails?|failing|avoids?|except|if" +
    "|conditional|assuming|given that|exactly|only|none)\\b|n['’]t\\b" +
    "|\\bno\\b(?! (?:more|less|fewer|later|longer|higher|lower)\\b)",
)

// Lines of games, whose outcomes are no Yes and No.

const overUnder = /\b(?:o\/u|over\/under) (\d{1,4}(?:\.\d{1,2})?)(?![\d.,-]*\d)/
const handicap = /^(?:[^\s:]{1,20} ){0,2}spread: (.{1,100}) \(([+-]\d{1,3}(?:\.\d{1,2})?)\)$/

/** Over a line, or winning with a handicap: a higher line is harder, and a larger negative handicap. */
function lineOf(
  lower: string,
  names: ReadonlyArray<string>,
): { readonly slot: Slot; readonly outcome: 0 | 1 } | null {
  const line = overUnder.exec(lower)
  if (line !== null) {
    const outcome = firstOf(names, "over", "under")
    const [found, value] = line
    return outcome === null ? null : {
      outcome,
      slot: {
        kind: "higher_limit",
        rank: Number(value),
        placeholder: "line",
        start: line.index,
        end: line.index + found.length,
        labelStart: line.index,
      },
    }
  }
  const [, team, points = ""] = handicap.exec(lower) ?? []
  if (team === undefined || names[0] === names[1] || !names.includes(team)) return null
  // The brackets are part of the rung: "Gulls (-1.5)".
  const [end, start] = [lower.length, lower.length - points.length - 2]
  return {
    outcome: names[0] === team ? 0 : 1,
    slot: {
      kind: "higher_limit",
      rank: -Number(points),
      placeholder: "handicap",
      start,
      end,
      labelStart: start - team.length - 1,
    },
  }
}

// Limits.

/** A number, with its currency before it and its scale and unit after it. */
const number = "(?<currency>[$€£]?)(?<whole>-?\\d{1,3}(?:,\\d{3}){1,4}|-?\\d{1,12})" +
  "(?<part>\\.\\d{1,6})?(?: ?(?<scale>thousand|million|billion|trillion)\\b|(?<suffix>k|m|bn?|tn?)\\b)?" +
  "(?<unit>%|°[cf]?(?![a-z]))?"
/** The number is no part of another, of a range, of a date or of a name such as 76ers. */
const numberEnd = "(?![\\d\\w])(?![.,:/]\\d)(?!\\s?[-–/]\\s?[$\\d])"
const numberStart = "(?<![\\w$€£.,:/-])"

/** Comparators of one direction may be mixed, because only different values are compared. */
const higher = "above|over|more than|greater than|higher than|at least|no less than|no fewer than" +
  "|exceeds?|exceeding|>=|≥|>"
const lower = "below|under|fewer than|less than|lower than|at most|no more than|no higher than" +
  "|within|<=|≤|<"

/** The forms of a limit. What a lookbehind reads stays in the template. */
const limitForms: ReadonlyArray<readonly [kind: "higher_limit" | "lower_limit", form: RegExp]> = [
  ["higher_limit", new RegExp(`(?<!no |[\\w$])(?:${higher}) ?${number}${numberEnd}`, "g")],
  ["lower_limit", new RegExp(`(?<![\\w$])(?:${lower}) ?${number}${numberEnd}`, "g")],
  [
    "higher_limit",
    new RegExp(
      `${numberStart}${number}(?:\\+|(?: (?<word>[a-z]{1,12}))? or (?:more|above|higher|greater|over)\\b)`,
      "g",
    ),
  ],
  [
    "lower_limit",
    new RegExp(
      `${numberStart}${number}(?: (?<word>[a-z]{1,12}))? or (?:less|below|lower|fewer|under)\\b`,
      "g",
    ),
  ],
  [
    "higher_limit",
    new RegExp(`(?<=\\b(?:reach(?:es)?|hit \\(high\\)) )${number}${numberEnd}`, "g"),
  ],
  ["lower_limit", new RegExp(`(?<=\\b(?:dips? to|hit \\(low\\)) )${number}${numberEnd}`, "g")],
  ["higher_limit", new RegExp(`(?<=\\b(?:gains?|loses?) )${number}${numberEnd}`, "g")],
  ["lower_limit", new RegExp(`(?<=\\bin the top )${number}${numberEnd}`, "g")],
]

/** The words before a limit that belong to its label: "reach $100". */
const limitVerb = /\b(?:reach(?:es)?|hit \((?:high|low)\)|dips? to|gains?|loses?|in the top) $/

/** Of all members more than a limit, or the first to it: a higher limit implies nothing. */
const limitReversing = /\b(?:every|each|first to|the first|all(?![ -]time))\b/
/** "Over 7 days" is a duration in which something happens, not a limit. */
const duration = /^ (?:second|minute|hour|day|week|month|quarter|year|game|match|meeting|season)/

const scales: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  t: 1e12,
  tn: 1e12,
  trillion: 1e12,
}

function limitSlots(text: string): ReadonlyArray<Slot> {
  if (limitReversing.test(text)) return []
  const slots = limitForms.flatMap(([kind, form]) =>
    [...text.matchAll(form)].flatMap((match) => {
      const slot = limitSlot(text, kind, match)
      return slot === null ? [] : [slot]
    })
  )
  // "no more than 5 or less" is read twice; the first reading stands.
  return slots.filter((slot, i) =>
    !slots.slice(0, i).some(({ start, end }) => slot.start < end && start < slot.end)
  )
}

function limitSlot(
  text: string,
  kind: "higher_limit" | "lower_limit",
  match: RegExpExecArray,
): Slot | null {
  const { currency = "", whole = "", part = "", scale, suffix, unit = "", word = "" } =
    match.groups ?? {}
  const [found] = match
  const end = match.index + found.length
  const digits = Number(`${whole.replaceAll(",", "")}${part}`)
  const isPlain = `${currency}${part}${scale ?? ""}${suffix ?? ""}${unit}${word}` === "" &&
    !whole.includes(",")
  if (isPlain && digits >= 1990 && digits <= 2100) return null
  if (/^over\b/.test(found) && duration.test(text.slice(end))) return null
  // Gains and losses are at least so much only in percent; "gain 3 seats" is exact.
  const isGain = /\b(?:gains?|loses?) $/.test(text.slice(0, match.index)) && /^[^a-z>≥]/.test(found)
  if (isGain && unit !== "%") return null
  // Cents and smaller parts stay exact: six decimals times a scale.
  const value = Math.round(digits * (scales[scale ?? suffix ?? ""] ?? 1) * 1e6) / 1e6
  return {
    kind,
    rank: kind === "higher_limit" ? value : -value,
    start: match.index,
    end,
    placeholder: `${kind} ${currency}${unit}${word}`,
    labelStart: match.index - (limitVerb.exec(text.slice(0, match.index))?.[0].length ?? 0),
  }
}

// Deadlines.

const monthStarts = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")

/**
 * A date after the word that makes it a deadline. A year alone must end its clause: "before 2028 elections"
 * and "by 2100 votes" are no dates.
 */
const dated = new RegExp(
  "(?<![\\w-])(?<word>by|before|no later than) (?<rest>(?:the )?end of )?(?:the )?(?:" +
    `(?<month>${months})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>20\\d\\d))?` +
    `|(?<day>\\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<month>${months})(?:,? (?<year>20\\d\\d))?` +
    "|(?<year>20\\d\\d)-(?<month>\\d\\d)-(?<day>\\d\\d)" +
    `|(?<month>${months})(?:,? (?<year>20\\d\\d))?` +
    "|(?<eoy>eoy|year end|year)(?: ?(?<year>20\\d\\d))?" +
    "|(?:year )?(?<year>20\\d\\d)(?=\\s*(?:[?.!,;:)\\]]|$))" +
    ")(?![\\d\\w-]|[.:/]\\d)",
  "g",
)

/** A state or a count at one time, not an event up to it: a later date implies nothing. */
const state = new RegExp(
  "\\b(?:remains?|stays?|continues?|still)\\b" +
    "|\\b(?:be|is|are|have|has|leads?)\\b.*\\b(?:best|largest|biggest|richest|highest|lowest|most" +
    "|top|leading|#1)\\b" +
    "|\\b(?:be|is|are|closes?|closing|settles?|finish(?:es)?|ends?|trad(?:es?|ing)) (?:at )?" +
    "(?:above|below|over|under|between|at least|at most|(?:more|less|higher|lower|fewer) than|[$\\d<>])" +
    // "Fewer than 5 by then" is easier by an earlier date, "2 cuts happen by then" is neither.
    `|(?<!\\b(?:falls?|drops?|dips?|goes) )(?<![\\w$])(?:${lower}) ?[$€£]?\\d` +
    "|\\d[^\\s]* (?:[a-z]{1,12} )?or (?:less|below|lower|fewer|under)\\b" +
    "|\\bwill (?:\\d+|one|two|three|four|five) .*\\b(?:happen|occur)\\b",
)

/** Dates that are read from the rules of a market. */
const rulesDatesMax = 12

const completeDate = new RegExp(
  `\\b(?:(?<month>${months})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>20\\d\\d)` +
    `|(?<day>\\d{1,2})(?:st|nd|rd|th)? (?:of )?(?<month>${months}),? (?<year>20\\d\\d)` +
    "|(?<year>20\\d\\d)-(?<month>\\d\\d)-(?<day>\\d\\d))\\b",
  "gi",
)

/**
 * The days that the rules name with their year, each as its start in UTC, in order and once. Of a question
 * without a number, which is no rung, none is read.
 */
export function rulesDatesOf(question: string, rules: string): ReadonlyArray<EpochMs> {
  if (!/\d/.test(question)) return []
  const found = [...rules.matchAll(completeDate)].flatMap(({ groups = {} }) =>
    startOfDay(Number(groups["year"]), monthOf(groups["month"]), Number(groups["day"])) ?? []
  )
  return [...new Set(found)].sort((a, b) => a - b).slice(0, rulesDatesMax)
}

/** Null for no date, such as "February 30". */
function startOfDay(year: number, month: number, dayOfMonth: number): EpochMs | null {
  const start = new Date(Date.UTC(year, month, dayOfMonth))
  return start.getUTCMonth() === month && dayOfMonth > 0 ? start.getTime() : null
}

/** From 0, of a name or a number of a month. */
function monthOf(written = ""): number {
  return /^\d/.test(written)
    ? Number(written) - 1
    : monthStarts.indexOf(written.slice(0, 3).toLowerCase())
}

function dateSlots(text: string, market: RungMarket): ReadonlyArray<Slot> {
  if (state.test(text)) return []
  return [...text.matchAll(dated)].flatMap((match): ReadonlyArray<Slot> => {
    const read = instantOf(match.groups ?? {}, market)
    return read === null ? [] : [{
      kind: "earlier_deadline",
      rank: -read.at,
      start: match.index,
      end: match.index + match[0].length,
      placeholder: `earlier_deadline ${read.form}`,
      labelStart: match.index,
    }]
  })
}

/**
 * The instant at which a date ends ("by June 30") or starts ("before July 1"), which are the same. A
 * month or a year without "end of" may mean either ("by June"), so it is another form, compared with
 * its own kind alone.
 */
function instantOf(
  { word, rest, eoy, year, month, day: dayText }: Readonly<Record<string, string | undefined>>,
  market: RungMarket,
): { readonly at: EpochMs; readonly form: "day" | "month" | "year" } | null {
  // "By year" without "end of" is no deadline.
  if (eoy === "year" && rest === undefined) return null
  const monthIndex = month === undefined ? null : monthOf(month)
  const dayOfMonth = dayText === undefined ? null : Number(dayText)
  const isBefore = word === "before"
  const isEnd = rest !== undefined || eoy !== undefined || (dayOfMonth !== null && !isBefore)
  const instantIn = (year: number): EpochMs | null => {
    if (monthIndex === null) return Date.UTC(year + (isEnd ? 1 : 0), 0, 1)
    if (dayOfMonth === null) return Date.UTC(year, monthIndex + (isEnd ? 1 : 0), 1)
    const start = startOfDay(year, monthIndex, dayOfMonth)
    return start === null ? null : start + (isEnd ? day : 0)
  }
  const form = isEnd || isBefore ? "day" : month === undefined ? "year" : "month"
  const at = onlyReading(instantIn, form, year === undefined ? null : Number(year), market)
  return at === null ? null : { at, form }
}

/** How far a date of the rules may be from the question's, when both mean the same. */
const sameDateMs = { day, month: 31 * day, year: 366 * day } as const
/** How long before its own deadline a market may be scheduled to end. */
const endSlackMs = 2 * day

/**
 * The one instant that a date can mean: with the year of the rules, which must name this date in one
 * year only; without dates in the rules with its own year, or with the only year in which it is
 * between the market's creation and its scheduled end. Never before the creation. Null where the texts
 * do not agree, or allow several.
 */
function onlyReading(
  instantIn: (year: number) => EpochMs | null,
  form: "day" | "month" | "year",
  stated: number | null,
  { endsAt, createdAt, rulesDates }: RungMarket,
): EpochMs | null {
  const yearOf = (at: EpochMs) => new Date(at).getUTCFullYear()
  const years = (first: number, last: number) =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n)
  const isAfterCreation = (at: EpochMs) => createdAt === null || at > createdAt
  const inRules = [
    ...new Set(
      rulesDates.flatMap((date) =>
        years(yearOf(date) - 1, yearOf(date) + 1).filter((year) => {
          const at = instantIn(year)
          return at !== null && Math.abs(at - date) <= sameDateMs[form]
        })
      ),
    ),
  ]
  const candidates = rulesDates.length > 0
    ? stated !== null && form === "year" ? inRules.filter((year) => year === stated) : inRules
    : stated !== null
    ? [stated]
    : endsAt === null
    ? []
    : years(yearOf(createdAt ?? endsAt - endSlackMs), yearOf(endsAt) + 1).filter((year) => {
      const at = instantIn(year) ?? Number.POSITIVE_INFINITY
      return at <= endsAt + endSlackMs && at > (createdAt ?? endsAt - endSlackMs)
    })
  const [only, other] = candidates
  if (only === undefined || other !== undefined) return null
  if (stated !== null && stated !== only) return null
  const at = instantIn(only)
  return at !== null && isAfterCreation(at) ? at : null
}
