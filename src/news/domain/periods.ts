/**
 * The months, days and years that a text names, and the numbers that are none of them.
 *
 * @module
 */

interface Periods {
  /** 1 to 12. */
  readonly months: ReadonlySet<number>
  /** "11-25"; each of its months is in `months` as well. */
  readonly days: ReadonlySet<string>
  readonly years: ReadonlySet<string>
  /** Numbers of no date, without thousands separators; "1.5m" and "90k" as written. */
  readonly numbers: ReadonlySet<string>
}

const monthNames = [
  ...["jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?"],
  ...["aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"],
]
const month = monthNames.join("|")
const monthPatterns = monthNames.map((name) => new RegExp(`^(?:${name})$`, "i"))
const datePattern = new RegExp(
  `(?<before>\\b\\p{L}+\\s+)?(?:(?<first>\\d{1,2})(?:st|nd|rd|th)?\\s+)?\\b(?<month>${month})\\b\\.?` +
    `(?:\\s+(?<second>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:.,%]*\\d|%))?`,
  "giu",
)
interface DateGroups {
  readonly before?: string
  readonly first?: string
  readonly month?: string
  readonly second?: string
}
/** "March" and "may" are words too: they need a number, or a word such as "in" before them. */
const monthWords =
  /^(?:in|by|on|of|until|before|after|since|through|from|early|late|mid|end|this|last|next|for|to|and|or)$/i
/** A deadline is no period: an event before a deadline in December can be news in November. */
const deadlineWords = /^(?:by|before|until)$/i
/** Characters read of a text; a title has at most 300. */
const charactersMax = 600
const isoDate = /\b(20\d{2})-(\d{2})-(\d{2})\b/g

/** Most texts name no month and have no digit, and these tests are faster than the patterns. */
const anyMonth = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec/iu
const anyDigit = /\d/
const noPeriods: Periods = {
  months: new Set(),
  days: new Set(),
  years: new Set(),
  numbers: new Set(),
}

/** `deadlines` are read only of headlines; of a question they are left out. */
export function periodsOf(text: string, deadlines: "with" | "without"): Periods {
  const read = text.slice(0, charactersMax)
  if (!anyDigit.test(read) && !anyMonth.test(read)) return noPeriods
  const months = new Set<number>()
  const days = new Set<string>()
  const years = new Set<string>()
  let rest = read.replace(isoDate, (_, year: string, month: string, day: string) => {
    years.add(year)
    months.add(Number(month))
    days.add(`${Number(month)}-${Number(day)}`)
    return " "
  })
  let hasDeadline = false
  rest = rest.replace(datePattern, (whole, ...groups) => {
    const { before: word, first, month: name = "", second }: DateGroups = groups.at(-1)
    const before = word?.trim() ?? ""
    const day = first ?? second
    const isDate = day !== undefined || monthWords.test(before) ||
      (/^\p{Lu}/u.test(name) && !/^(?:march|may|mar)$/i.test(name))
    if (!isDate) return whole
    if (deadlines === "without" && deadlineWords.test(before)) {
      hasDeadline = true
      return " "
    }
    const number = monthPatterns.findIndex((pattern) => pattern.test(name)) + 1
    months.add(number)
    if (day !== undefined) days.add(`${number}-${Number(day)}`)
    return ` ${before} `
  })
  rest = rest.replace(/(?:\b(\p{L}+)\s+)?\b(20\d{2})\b(?![\d.,]*\d|%)/gu, (whole, before, year) => {
    if (/[$€£]\s*$/.test(whole.slice(0, -4))) return whole
    if (deadlines === "without" && (hasDeadline || deadlineWords.test(before ?? ""))) return " "
    years.add(year)
    return " "
  })
  const numbers = new Set(
    Array.from(
      rest.replace(/(\d),(?=\d{3})/g, "$1").matchAll(/\d+(?:\.\d+)?[kmb]?/gi),
      ([number]) => number.toLowerCase(),
    ),
  )
  return { months, days, years, numbers }
}

/** Whether two texts name periods and none of them is the same. */
export function periodsDiffer(one: Periods, other: Periods): boolean {
  return apart(one.years, other.years) || apart(one.months, other.months) ||
    apart(one.days, other.days)
}

function apart<A>(one: ReadonlySet<A>, other: ReadonlySet<A>): boolean {
  return one.size > 0 && other.size > 0 && one.isDisjointFrom(other)
}
