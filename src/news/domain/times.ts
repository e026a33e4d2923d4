/**
 * Whether the time of a headline, and the dates in its words, fit what a market's question asks.
 *
 * @module
 */
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { Market } from "../../markets/domain/market.ts"

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const date =
  /\b(?:(?<month>jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?\b\.?|(?<may>May)(?= \d|,|\?|$))(?: (?<day>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,? (?<year>20\d\d)\b)?|\b(?<iso>20\d\d-\d\d-\d\d)\b|\b(?<only>(?:19|20)\d\d)(?:[-–/](?:20)?\d\d)?\b/gi

export const withoutDates = (text: string): string => text.replace(date, " ")

interface NamedDate {
  /** Its first millisecond, UTC. */
  readonly from: EpochMs
  readonly unit: "day" | "month" | "year"
  /** A last date, not the one of the event. */
  readonly isDeadline: boolean
}

/** The dates of a text; one without a year is the nearest to `at`. */
function datesOf(text: string, at: EpochMs): ReadonlyArray<NamedDate> {
  return [...text.matchAll(date)].flatMap(({ groups = {}, index }): ReadonlyArray<NamedDate> => {
    const isDeadline = /\b(?:by|before|until|through|end of)(?: the)?(?: end of)? ?$/i
      .test(text.slice(0, index))
    const { iso, only } = groups
    if (iso !== undefined) return [{ from: Date.parse(iso), unit: "day", isDeadline }]
    if (only !== undefined) return [{ from: Date.UTC(Number(only), 0), unit: "year", isDeadline }]
    const month = monthNames.indexOf((groups["month"] ?? "may").slice(0, 3).toLowerCase())
    const near = new Date(at).getUTCFullYear()
    const years = groups["year"] === undefined
      ? [near - 1, near, near + 1]
      : [Number(groups["year"])]
    const starts = years.map((year) => Date.UTC(year, month, Number(groups["day"] ?? 1)))
    const from = starts.reduce((best, start) =>
      Math.abs(start - at) < Math.abs(best - at) ? start : best
    )
    return [{ from, unit: groups["day"] === undefined ? "month" : "day", isDeadline }]
  })
}

/** At this time before a day begins in UTC it is noon in the zone that is furthest ahead. */
const earlyMsMax = 2 * hour
/** No result of a match is known sooner after its start. */
const matchMsMin = 30 * minute
/** A report is at most so late: after the scheduled end, and after the day or month that is asked about. */
const lateMsMax = 3 * day
const lengthMs = {
  day: day + 7 * day,
  month: 31 * day + 45 * day,
  year: 366 * day + 45 * day,
} as const

/** Whether a publication can report the outcome: after the match began, and not long after the end. */
export const isTimely = (
  { endsAt, gameStartsAt }: Pick<Market, "endsAt" | "gameStartsAt">,
  publishedAt: EpochMs,
): boolean =>
  publishedAt >= (gameStartsAt ?? -Infinity) + matchMsMin &&
  publishedAt <= Math.max(endsAt ?? Infinity, gameStartsAt ?? -Infinity) + lateMsMax

/** Whether a text names a day that is neither that of the match nor next to it. */
export function namesAnotherDay(text: string, at: EpochMs, gameStartsAt: EpochMs | null): boolean {
  return gameStartsAt !== null &&
    datesOf(text, at).some(({ from, unit }) =>
      unit === "day" && (from < gameStartsAt - 2 * day || from > gameStartsAt + day)
    )
}

export const isYesNo = ({ outcomes }: Pick<Market, "outcomes">): boolean =>
  /^yes$/i.test(outcomes[0])

/** Whether a headline appeared when it can report the outcome, and names no other date. */
export function timesAgree(
  market: Pick<Market, "question" | "outcomes" | "endsAt" | "gameStartsAt">,
  { title, publishedAt, outcome, deadlineAt }: {
    readonly title: string
    /** The end of what counts, by the rules; null when they name none. */
    readonly deadlineAt: EpochMs | null
    readonly publishedAt: EpochMs
    readonly outcome: 0 | 1
  },
): boolean {
  const isNo = isYesNo(market) && outcome === 1
  if (!isTimely(market, publishedAt) || isNo && publishedAt < (deadlineAt ?? -Infinity)) {
    return false
  }
  const asked = datesOf(market.question, publishedAt)
  const inTime = asked.every(({ from, unit, isDeadline }) =>
    isDeadline
      // What has not happened yet may still happen.
      ? !isNo || publishedAt >= from - earlyMsMax
      : publishedAt >= from - earlyMsMax && publishedAt <= from + lengthMs[unit]
  )
  const exact = asked.filter(({ isDeadline }) => !isDeadline)
  const isOf = (stated: NamedDate): boolean =>
    stated.isDeadline
      ? asked.some(({ from }) => from === stated.from)
      : exact.some((it) =>
        it.unit === stated.unit && it.from === stated.from || contains(it, stated)
      ) ||
        !exact.some(({ unit }) => unit === stated.unit) &&
          contains(stated, { from: publishedAt, unit: "day" })
  return inTime && datesOf(title, publishedAt).every(isOf)
}

function contains(
  outer: Pick<NamedDate, "from" | "unit">,
  inner: Pick<NamedDate, "from" | "unit">,
): boolean {
  if (outer.unit === "day" || outer.unit === inner.unit && outer.unit === "month") return false
  const [one, other] = [new Date(outer.from), new Date(inner.from)]
  return one.getUTCFullYear() === other.getUTCFullYear() &&
    (outer.unit === "year" || one.getUTCMonth() === other.getUTCMonth())
}
