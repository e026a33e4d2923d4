/**
 * The charts of the pages, as SVG images: values with intervals, a price over time, and days.
 *
 * A chart says in words what it shows, for readers who do not see it. Its colours are variables of the
 * style sheet, and it needs no style attribute, script or font file. What is not a finite number is not
 * drawn; each function returns null when that leaves nothing to draw.
 *
 * @module
 */
import { excerpt } from "../../core/domain/untrusted.ts"
import { day, hour, minute } from "../../core/domain/time.ts"

/** The width of a chart in its own units; a phone of 360 px shows it at 328 px. */
const width = 480
/** So that a phone shows text with at least 11 px. */
const textSize = 16.5
const lineHeight = 22
/** The longest label and the longest description, in characters. */
const [labelLengthMax, descriptionLengthMax] = [48, 1_000]
/** Greatest value that is drawn: beyond it no axis can be read. */
const magnitudeMax = 1e9
/** Most rows of a chart; its table has them all. */
const rowsMax = 24
const daysMax = 366

const isDrawable = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && Math.abs(value) <= magnitudeMax

const escaped = (text: string, max: number): string =>
  excerpt(text, max).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
/** A coordinate with two digits. */
const short = (coordinate: number): string => String(Math.round(coordinate * 100) / 100)

const image = (
  description: string,
  size: { readonly width: number; readonly height: number },
  shapes: ReadonlyArray<string>,
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${
    escaped(description, descriptionLengthMax)
  }" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ${size.height}" ` +
  `font-family="system-ui, sans-serif" font-size="${textSize}">${shapes.join("")}</svg>`

type Point = readonly [x: number, y: number]
type Anchor = "start" | "middle" | "end"

const line = (points: ReadonlyArray<Point>, stroke: string, size: number, more = ""): string =>
  `<path fill="none" stroke="var(--${stroke})" stroke-width="${size}"${more} d="M${
    points.map(([x, y]) => `${short(x)},${short(y)}`).join("L")
  }"/>`
const dot = ([x, y]: Point, r: number): string =>
  `<circle cx="${short(x)}" cy="${short(y)}" r="${r}" fill="var(--cool)" stroke="var(--paper)"/>`
const label = ([x, y]: Point, text: string, anchor: Anchor, fill = "quiet"): string =>
  `<text fill="var(--${fill})" paint-order="stroke" stroke="var(--paper)" stroke-width="4" ` +
  `text-anchor="${anchor}" x="${short(x)}" y="${short(y)}">${escaped(text, labelLengthMax)}</text>`
const dashed = ' stroke-dasharray="3 4"'

/** From values to places between `from` and `to`. */
const linear = (
  [least, most]: readonly [number, number],
  [from, to]: readonly [number, number],
) =>
(value: number): number => from + (value - least) / (most - least) * (to - from)

/** The range of these values with room at its ends, at least `spanMin` wide. */
function padded(values: ReadonlyArray<number>, spanMin: number): readonly [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const room = Math.max((most - least) * 0.08, (spanMin - (most - least)) / 2)
  return [least - room, most + room]
}

/** About four steps to an axis; more labels would overlap on a phone. */
const stepsMax = 4

function multiples(step: number, [from, to]: readonly [number, number]): ReadonlyArray<number> {
  const first = Math.ceil(from / step)
  const count = Math.min(Math.floor(to / step) - first, stepsMax) + 1
  // Adding 0 turns -0 into 0, which texts show without a sign.
  return Array.from({ length: Math.max(count, 0) }, (_, n) => (first + n) * step + 0)
}

/** Round numbers in a range, at most five. */
function roundTicks(domain: readonly [number, number]): ReadonlyArray<number> {
  const rough = (domain[1] - domain[0]) / stepsMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)
  return step === undefined ? [] : multiples(step, domain)
}

const timeSteps = [1, 10, 30].map((count) => count * minute)
  .concat([1, 3, 6, 12].map((count) => count * hour))
  .concat([1, 2, 7, 14, 30, 90, 365].map((count) => count * day))
const timeText = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" })
const dayText = timeText({ month: "short", day: "numeric" })
const hourText = timeText({ hour: "2-digit", minute: "2-digit" })

/** Whole times in a range with their texts in UTC, at most five; none in more than a few years. */
function timeTicks(domain: readonly [number, number]): ReadonlyArray<readonly [number, string]> {
  const step = timeSteps.find((size) => (domain[1] - domain[0]) / size <= stepsMax)
  if (step === undefined) return []
  return multiples(step, domain).map((at) => [
    at,
    (step >= day || at % day === 0 ? dayText : hourText).format(at),
  ])
}

interface IntervalRow {
  readonly label: string
  readonly value: number | null
  /** Null where the interval is not known: the value is drawn alone. */
  readonly low: number | null
  readonly high: number | null
}

/** Values with their intervals, one in each row, against a baseline. */
export function intervalChart({ title, rows, baseline, form }: {
  readonly title: string
  readonly rows: ReadonlyArray<IntervalRow>
  /** Such as 0, with what it means: `no gain, no loss`. */
  readonly baseline: readonly [value: number, meaning: string]
  readonly form: (value: number) => string
}): string | null {
  const known = rows.flatMap((row) => isDrawable(row.value) ? [{ ...row, value: row.value }] : [])
    .slice(0, rowsMax)
  const [base, meaning] = baseline
  if (known.length === 0 || !isDrawable(base)) return null
  const [rowHeight, top, margin] = [52, 34, 36]
  const bottom = top + known.length * rowHeight
  const values = known.flatMap(({ value, low, high }) => [value, low, high]).filter(isDrawable)
  const domain = padded([base, ...values], 1e-4)
  const x = linear(domain, [margin, width - margin])
  const zero = x(base)
  const shapes = known.flatMap(({ label: text, value, low, high }, row) => {
    const [words, middle] = [top + row * rowHeight + 18, top + row * rowHeight + 36]
    return [
      ...(isDrawable(low) && isDrawable(high)
        ? [line([[x(low), middle], [x(high), middle]], "cool", 4, ' stroke-opacity=".6"')]
        : []),
      dot([x(value), middle], 6.5),
      label([0, words], text, "start", "ink"),
      label([width, words], form(value), "end", "ink"),
    ]
  })
  const words = known.map(({ label, value, low, high }) =>
    `${label}: ${form(value)}${
      isDrawable(low) && isDrawable(high) ? `, ${form(low)} to ${form(high)}` : ""
    }.`
  )
  return image(`${title}. ${words.join(" ")}`, { width, height: bottom + lineHeight + 8 }, [
    ...roundTicks(domain).flatMap((tick) => [
      line([[x(tick), top], [x(tick), bottom]], "line", 1),
      label([x(tick), bottom + lineHeight], form(tick), "middle"),
    ]),
    line([[zero, top - 6], [zero, bottom]], "quiet", 2),
    label(
      [zero, top - 14],
      meaning,
      zero < width / 4 ? "start" : zero > width * 0.75 ? "end" : "middle",
    ),
    ...shapes,
  ])
}

interface PricePoint {
  readonly at: string
  /** 0 to 1. */
  readonly mid: number | null
}

/** The drawable points as times and prices, the oldest first. */
const inTime = (path: ReadonlyArray<PricePoint>): ReadonlyArray<Point> =>
  path.flatMap(({ at, mid }): ReadonlyArray<Point> =>
    isDrawable(mid) && mid >= 0 && mid <= 1 && Number.isFinite(Date.parse(at))
      ? [[Date.parse(at), mid]]
      : []
  ).toSorted(([a], [b]) => a - b)

/** From the first of these times to the last; never empty. */
const span = (times: ReadonlyArray<number>): readonly [number, number] => {
  const [from, to] = [Math.min(...times), Math.max(...times)]
  return from < to ? [from, to] : [from - minute, to + minute]
}

/** A price moves by less than this on a flat line. */
const priceSpanMin = 0.02

/** A small line without axes. */
export function sparkline(title: string, path: ReadonlyArray<PricePoint>): string | null {
  const known = inTime(path)
  const last = known.at(-1)
  if (last === undefined) return null
  const size = { width: 120, height: 32 }
  const x = linear(span(known.map(([at]) => at)), [4, size.width - 4])
  const y = linear(padded(known.map(([, mid]) => mid), priceSpanMin), [size.height - 4, 4])
  const place = ([at, mid]: Point): Point => [x(at), y(mid)]
  return image(title, size, [line(known.map(place), "cool", 2), dot(place(last), 3.5)])
}

/** The price of a market over time, on an axis that fits its move; `marks` are times. */
export function priceChart({ title, path, marks }: {
  readonly title: string
  readonly path: ReadonlyArray<PricePoint>
  readonly marks: ReadonlyArray<string>
}): string | null {
  const known = inTime(path)
  const last = known.at(-1)
  if (last === undefined) return null
  const [left, right, top, bottom] = [56, width - 24, 12, 232]
  const times = span(known.map(([at]) => at))
  const [least, most] = padded(known.map(([, mid]) => mid), priceSpanMin)
  const prices = [Math.max(least, 0), Math.min(most, 1)] as const
  const [x, y] = [linear(times, [left, right]), linear(prices, [bottom, top])]
  const digits = prices[1] - prices[0] > 0.1 ? 2 : 3
  const place = ([at, mid]: Point): Point => [x(at), y(mid)]
  return image(title, { width, height: bottom + lineHeight + 8 }, [
    ...roundTicks(prices).flatMap((tick) => [
      line([[left, y(tick)], [right, y(tick)]], "line", 1),
      label([left - 8, y(tick) + 6], tick.toFixed(digits), "end"),
    ]),
    ...timeTicks(times).map(([at, text]) => label([x(at), bottom + lineHeight], text, "middle")),
    ...marks.map(Date.parse).filter((at) => at >= times[0] && at <= times[1]).map((at) =>
      line([[x(at), top], [x(at), bottom]], "accent", 2, dashed)
    ),
    line(known.map(place), "cool", 2, ' stroke-linejoin="round"'),
    dot(place(last), 5),
  ])
}

/** The colour of a day, and its height, for readers who see no colours. */
const dayStates = {
  good: { fill: "good", height: 34 },
  partly: { fill: "mark", height: 46 },
  bad: { fill: "bad", height: 58 },
  unknown: { fill: "line", height: 8 },
} as const
export type DayState = keyof typeof dayStates

/** One bar for each UTC day, the oldest first; `date` such as `2026-11-02`. */
export function daysChart({ title, days }: {
  readonly title: string
  readonly days: ReadonlyArray<{ readonly date: string; readonly state: DayState }>
}): string | null {
  const known = days.slice(-daysMax)
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return null
  const bottom = 60
  const step = width / known.length
  return image(title, { width, height: bottom + lineHeight + 4 }, [
    ...known.map(({ state }, n) => {
      const { fill, height } = dayStates[state]
      return `<rect fill="var(--${fill})" x="${short(n * step)}" y="${bottom - height}" width="${
        short(step * 0.7)
      }" height="${height}"/>`
    }),
    label([0, bottom + lineHeight], first.date, "start"),
    label([width, bottom + lineHeight], last.date, "end"),
  ])
}
