/**
 * The settlement clause of a market: what its rules say about who decides it, what is measured, until
 * when, and what happens otherwise. Each part is a quotation from the rules, or null where the rules do
 * not say it, or not in words that are known for certain.
 *
 * Code reads the venue's fixed phrases. A part in other words is null, unless a model quotes it and its
 * sentence bears it out.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { excerpt } from "../../core/domain/untrusted.ts"
import { rulesLengthMax } from "./proposal.ts"

export interface Clause {
  /** Who or what decides: "the official final statistics of the event". */
  readonly source: string | null
  /** The station, pair, column or series that is measured: "the LaGuardia Airport Station"; none of two. */
  readonly series: string | null
  /** The end of what counts, in the rules' own zone: "by December 31, 2026, 11:59 PM ET". */
  readonly deadline: string | null
  /** The moment of the deadline; null when its date, time or zone is not complete. */
  readonly deadlineAt: EpochMs | null
  /** The comparison with a threshold: "equal to or above 60". */
  readonly comparison: string | null
  /** What is compared: `>` leaves the threshold itself out. Null without a comparison. */
  readonly operator: Operator | null
  /** Precision or rounding: "whole degrees Celsius". */
  readonly rounding: string | null
  /** The sentence on revisions of the source. */
  readonly revision: string | null
  /** The sentence on what happens when it is cancelled, tied or never decided. */
  readonly void: string | null
}

type Operator = ">" | ">=" | "<" | "<="
type Part = "source" | "series" | "deadline" | "comparison" | "rounding" | "revision" | "void"
/** What each part is quoted as; null where it is not known. */
export type Quotes = Readonly<Record<Part, string | null>>

/** Characters of a quotation; a longer one is no clause. */
const quoteLengthMax = 320

const source =
  /\bresolution sources? (?:for this market )?(?:will be|is|are)[: ]+(?!chosen\b|used\b)(.+?)(?=[:;,.] however|, with the chart|, e\.g\b|\.?$)/i
const usedToResolve = /^(?:The )?(.{3,160}) will be used to resolve this market\b/
const specifically =
  /\bspecifically,? (the .+?)(?= available at| found at|, with |,? currently |[.;]?$)/i
const station = /\brecorded (?:at|by) (the [^,.;]{3,80}? Station)\b/g
const pair = /\b(?:candles?|prices?) for ([A-Z]{2,8}[/-][A-Z]{3,5})\b/

const months =
  "January|February|March|April|May|June|July|August|September|October|November|December"
const moment =
  `(?:(${months}) (\\d{1,2})(?:st|nd|rd|th)?,? (20\\d\\d)),? (?:at )?\\(?(\\d{1,2})(?::(\\d\\d))?(?::(\\d\\d))? ?([AP]M) (ET|UTC|GMT)\\b\\)?`
const deadline = new RegExp(
  `\\b(?:by|before|until|through|and) (?:the resolution time,? )?${moment}`,
)
/** Such a sentence says when a case ends in another way, a game was planned, or a report is too late. */
const notTheDeadline =
  /\b(?:cancel|postpone|delay|reschedul|scheduled|remain open|published|reported|considered|for (?:any|whatever) reason)|\b(?:no(?! longer)|not|never|unless|\w+n['’]t)\b/i

const comparisons: ReadonlyArray<readonly [Operator, string]> = [
  [">=", "(?:equal to or|at or) (?:greater than|above|higher than|more than|over|beyond)"],
  [">=", "(?:greater|higher|more) than or equal to"],
  ["<=", "(?:equal to or|at or) (?:less than|below|lower than|under)"],
  ["<=", "(?:less|lower) than or equal to"],
  [">=", "at least"],
  [">", "(?:more|greater|higher) than|above|over|exceeds?"],
  ["<", "(?:less|lower|fewer) than|below|under"],
]
const amount = String
  .raw`-?[$€£]?\d[\d,]*(?:\.\d+)?(?: ?(?:%|percent|basis points|bps|million|billion|trillion|°[CF]))?`
const amountFirst: ReadonlyArray<readonly [Operator, RegExp]> = [
  [
    ">=",
    new RegExp(
      `(?<![\\d.,-])${amount}(?: \\w+)? or (?:more(?: \\w+)?|(?:higher|greater|above|over))\\b`,
    ),
  ],
  [
    "<=",
    new RegExp(`(?<![\\d.,-])${amount}(?: \\w+)? or (?:less|lower|fewer|below|under)\\b`),
  ],
]
/** Before a comparison they turn it round. */
const negation = /\b(?:no|not|\w+n['’]t|never|unless|otherwise|neither|nor)\b/i
const decides = /\bresolves? (?:immediately )?(?:to |as )?[“"'‘]?(?:Yes|Over)\b/
const rounding =
  /\brounded (?:up |down )?to (?:(?! and )[^.,;()]){3,60}|\bwithout rounding\b|\bto whole (?:degrees|numbers)(?: \w+)?|\bto (?:one|two|three|\d) decimal(?: places?| points?)?/i
const revised = /\b(?:revisions?|revised|corrections? to)\b/i
const voids =
  /\b(?:cancel|postpone|abandon|tie[sd]?\b|draw\b|forfeit|not (?:be )?(?:completed|decided|declared|announced|known|finalized)|no (?:such|champion|winner)|for (?:any|whatever) reason)/i
const evenSplit = /\b50[-–/ ]50\b/
const remainsOpen = /\bremain open\b/i
const voidTo =
  /\bresolves? (?:immediately )?(?:to |as )?(?:(?:the )?[“"'‘]|50[-–/ ]50|“?Other)|\bremain open\b/i

/** The clause of rules that use the venue's fixed phrases. Untrusted words, sanitized. */
export function clauseOf(question: string, rules: string): Clause {
  return checked(quotesOf(question, rules))
}

/** The same, with the parts that a model found in other words where the rules bear them out. */
export function clauseOfAnswer(question: string, rules: string, answer: Quotes): Clause {
  const known = quotesOf(question, rules)
  const sentences = sentencesIn(rules)
  const partOf = (part: Part): string | null => {
    const quote = excerpt(answer[part] ?? "", quoteLengthMax + 1).replace(/[.\s]+$/, "")
    const [sentence] = sentences.filter((it) => holds(it, quote))
    return known[part] ??
      (sentence !== undefined && isBorneOut[part](quote, sentence, question) ? quote : null)
  }
  return checked({
    source: partOf("source"),
    series: partOf("series"),
    deadline: partOf("deadline"),
    comparison: partOf("comparison"),
    rounding: partOf("rounding"),
    revision: partOf("revision"),
    void: partOf("void"),
  })
}

/** Whether a quotation of more than one word or number is whole words of a text. */
function holds(text: string, quote: string): boolean {
  const at = text.indexOf(quote)
  return /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(quote) && at >= 0 &&
    !/[\p{L}\p{N}]$/u.test(text.slice(0, at)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(at + quote.length))
}

/** They make what a sentence names a second choice, or none. */
const secondary =
  /\b(?:if|unless|otherwise|instead|rather|unavailable|backup|alternat\w+|fallback|former\w*|previous\w*|also)\b/i
const places = /\b(?:station|airport|observatory|feed|pair|index|column|tab)\b/i
const sourceWords =
  /\b(?:sources?|according|reports?|reported|reporting|published|announced|announcements?|information|official|data|record(?:ed|s)?|statistics|results?|website|release[ds]?)\b/i

/** Whether a quotation is what its part says, by the sentence that it stands in. */
const isBorneOut: Readonly<
  Record<Part, (quote: string, sentence: string, question: string) => boolean>
> = {
  source: (quote, sentence) => {
    const before = sentence.slice(0, sentence.indexOf(quote))
    return sourceWords.test(sentence) && !negation.test(before) && !secondary.test(before)
  },
  // A sentence that names two may choose between them.
  series: (quote, sentence) => {
    const rest = sentence.replace(quote, " ").replace(/\bresolves? .{0,40}?\bif\b/i, " ")
    return !negation.test(rest) && !secondary.test(rest) && !places.test(rest)
  },
  deadline: (quote, sentence, question) =>
    !notTheDeadline.test(sentence) && momentOf(quote) !== null && isOfDate(question, quote),
  comparison: (quote, sentence, question) =>
    decides.test(sentence) && comparisonIn(quote) !== undefined &&
    !negation.test(sentence.slice(0, sentence.indexOf(quote))) && isThresholdOf(question, quote),
  rounding: (quote) =>
    /\b(?:round(?:ed|ing)|decimals?|precision|whole|nearest|digits?|integers?)\b/i.test(quote),
  revision: (quote) =>
    /\b(?:revis\w+|correct\w+|amend\w+|updated?|restate\w*|adjust\w+|recount\w*)\b/i.test(quote),
  void: (quote, sentence) =>
    /\bif\b/i.test(quote) &&
    /\bresolv|\bremain open\b|\bwill be (?:used|checked)\b/i.test(sentence),
}

/** Whether a moment is of the last day that a question names; any is for a question without one. */
function isOfDate(question: string, quote: string): boolean {
  const dates = (text: string) =>
    [...text.matchAll(new RegExp(`\\b(${months})\\w* (\\d{1,2})\\b`, "gi"))]
      .map(([, month = "", date]) => `${month.toLowerCase()} ${Number(date)}`)
  const asked = dates(question)
  return asked.length === 0 || dates(quote).some((date) => asked.includes(date))
}

function quotesOf(question: string, rules: string): Quotes {
  const sentences = sentencesIn(rules)
  const first = (...patterns: ReadonlyArray<RegExp>) => {
    for (const pattern of patterns) {
      for (const sentence of sentences) {
        const found = pattern.exec(sentence)
        if (found !== null) return found[1] ?? found[0]
      }
    }
    return null
  }
  const comparisons = sentences.filter((sentence) => decides.test(sentence))
    .flatMap((sentence) => comparisonIn(sentence)?.quote ?? [])
  const otherCases = sentences.filter((it) => voids.test(it) && voidTo.test(it))
  const [only, other] = new Set(
    sentences.flatMap((it) =>
      [...it.matchAll(station)].filter(({ index }) => !negation.test(it.slice(0, index)))
        .flatMap(([, name = ""]) => name)
    ),
  )
  return {
    source: first(source, usedToResolve),
    series: other === undefined ? only ?? first(specifically, pair) : null,
    deadline: deadlineIn(sentences),
    comparison: comparisons.find((quote) => isThresholdOf(question, quote)) ?? null,
    rounding: first(rounding),
    revision: sentences.find((sentence) => revised.test(sentence)) ?? null,
    void: otherCases.find((it) => evenSplit.test(it)) ??
      otherCases.find((it) => !remainsOpen.test(it)) ?? otherCases[0] ?? null,
  }
}

/** The sentences of each line of the rules. */
function sentencesIn(rules: string): ReadonlyArray<string> {
  return rules.slice(0, rulesLengthMax).split(/[\n\r]+/)
    .flatMap((line) => sentencesOf(excerpt(line, rulesLengthMax)))
}

/**
 * Whether the number of a comparison is that of the question, or one step from it: "9 or more" for
 * "O/U 8.5", "$1,700.01 or more" for "above $1,700".
 */
function isThresholdOf(question: string, quote: string): boolean {
  const numbers = (text: string) =>
    [...text.matchAll(/-?\d[\d,]*(?:\.\d+)?/g)].map(([number]) =>
      Number(number.replaceAll(",", ""))
    )
  const [stated] = numbers(quote)
  if (stated === undefined) return /\bspecified in the title\b|\blisted\b/.test(quote)
  const step = Number.isInteger(stated) && stated > 0 ? Math.min(1, stated / 2) : 0.011
  const millions = [1, 1_000, 1_000_000, 1_000_000_000]
  return numbers(question).some((asked) =>
    millions.some((unit) => Math.abs(asked * unit - stated) <= step)
  )
}

function checked(quotes: Quotes): Clause {
  const short = (quote: string | null) =>
    quote !== null && quote.length <= quoteLengthMax ? quote : null
  const comparison = short(quotes.comparison)
  const until = short(quotes.deadline)
  return {
    source: short(quotes.source?.replace(/[:;,]$/, "") ?? null),
    series: short(quotes.series),
    deadline: until,
    deadlineAt: until === null ? null : momentOf(until),
    comparison,
    operator: comparison === null ? null : comparisonIn(comparison)?.operator ?? null,
    rounding: short(quotes.rounding),
    revision: short(quotes.revision),
    void: short(quotes.void),
  }
}

function deadlineIn(sentences: ReadonlyArray<string>): string | null {
  const found = sentences.flatMap((sentence) => {
    const match = deadline.exec(sentence)
    return match === null || notTheDeadline.test(sentence) ? [] : [match[0].replace(/^and /, "")]
  })
  return new Set(found.map(momentOf)).size === 1 ? found[0] ?? null : null
}

function comparisonIn(sentence: string) {
  const found = [
    ...comparisons.map(([operator, words]) =>
      [
        operator,
        new RegExp(
          `\\b(?:${words}) (?:the )?(?:${amount}|(?:listed |specified )?(?:price|level|value)\\b(?: specified in the title)?)`,
          "i",
        ),
      ] as const
    ),
    ...amountFirst,
  ].flatMap(([operator, pattern]) => {
    const match = pattern.exec(sentence)
    return match === null || negation.test(sentence.slice(0, match.index))
      ? []
      : [{ operator, quote: match[0] }]
  })
  const [first] = found
  return found.length === 0 || found.some(({ operator }) => operator[0] !== first?.operator[0])
    ? undefined
    : first
}

/** The moment that a deadline names; null when it is not complete. Eastern time follows New York. */
function momentOf(quote: string): EpochMs | null {
  const match = new RegExp(moment).exec(quote)
  if (match === null) return null
  const [, month = "", date, year, hours, minutes, seconds, half, zone] = match
  if (Number(hours) > 12 || Number(minutes ?? 0) > 59 || Number(seconds ?? 0) > 59) return null
  const hour = Number(hours) % 12 + (half === "PM" ? 12 : 0)
  const written = Date.UTC(
    ...[Number(year), months.split("|").indexOf(month), Number(date)] as const,
    ...[hour, Number(minutes ?? 0), Number(seconds ?? 0)] as const,
  )
  if (new Date(written).getUTCDate() !== Number(date)) return null
  return zone === "ET" ? written + easternOffset(written) : written
}

/** Milliseconds to add to a New York wall clock time. */
function easternOffset(wall: number): number {
  const offset = (at: number) => {
    const parts = newYork.formatToParts(at)
    const hours = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") ?? "0"
    return -Number(hours) * 3_600_000
  }
  return offset(wall + offset(wall))
}

const newYork = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  timeZoneName: "shortOffset",
})

/** Sentences of the rules that are read. */
const sentencesMax = 60

/** How the market resolves. */
const resolves =
  /\b(?:will|shall|would|may) (?:immediately |also |only )?resolves?\b|\bresolves? (?:to|as)\b/i

/** The first sentence that says how the market resolves; empty when none does. */
export function decidingSentence(rules: string): string {
  return sentencesOf(excerpt(rules, rulesLengthMax)).find((it) => resolves.test(it)) ?? ""
}

/** Splits after a full stop that a capital follows, but not after "U.S.", an initial or a title. */
export function sentencesOf(line: string): ReadonlyArray<string> {
  return line.split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, sentencesMax)
}

const sentenceEnd = new RegExp(
  "(?<=[^.\\s][.!?][)\"'”]?)(?<!\\b(?:\\p{Lu}|Mr|Mrs|Ms|Dr|St|Jr|vs)\\.)\\s+(?=[\"'“(]?[\\p{Lu}\\d])",
  "u",
)
