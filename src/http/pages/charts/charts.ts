/**
 * The charts of the pages: from data to SVG.
 *
 * A chart says in words what it shows (`title`, `description`), and its figures stand in a table
 * below it. What is not a finite number is not drawn. Each function returns null when that leaves
 * nothing to draw.
 *
 * @module
 */
import { apart, labelGap, roundTicks, thinned, timeTicks } from "./axes.ts"
import {
  type ChartText,
  chartWidth,
  circles,
  draw,
  fitted,
  type Label,
  labels,
  lines,
  path,
  type Point,
  rectangles,
  type Span,
  widthOf,
} from "./drawing.ts"

/** Greatest value that is drawn: beyond it no axis can be read. */
const magnitudeMax = 1e9
/** Most rows and bands of a chart; its table has them all. */
const rowsMax = 24
/** Most days, the newest. */
const daysMax = 366
/** Most items on the path of a price, more than a market has on its page. */
const itemsMax = 60
/** Most parts of a row. */
const partsMax = 6

const isDrawable = (value: number | null): value is number =>
  value !== null && Number.isFinite(value) && Math.abs(value) <= magnitudeMax
const isShare = (value: number | null): value is number =>
  value !== null && value >= 0 && value <= 1

const lineHeight = 22
const quiet = "var(--quiet)"
const dataColour = "var(--cool)"

/** From values to places between `from` and `to`. */
const linear = (
  domain: readonly [number, number],
  [from, to]: readonly [number, number],
) =>
(value: number): number => from + (value - domain[0]) / (domain[1] - domain[0]) * (to - from)

const dots = (points: ReadonlyArray<Point>, r = 6.5): string =>
  circles(points, r, { fill: dataColour, stroke: "var(--paper)", "stroke-width": 1.5 })

interface CalibrationBand {
  /** Mean price of its entries, 0 to 1. */
  readonly price: number | null
  readonly winRate: number | null
  /** Null where the interval is not known: the rate is drawn alone. */
  readonly low: number | null
  readonly high: number | null
  readonly entries: number
}

const shareTicks = [0, 0.25, 0.5, 0.75, 1]

/** Win rates by price with their intervals; on the diagonal, prices are fair. */
export function calibrationChart(
  { bands, ...text }: ChartText & { readonly bands: ReadonlyArray<CalibrationBand> },
): string | null {
  const known = bands
    .flatMap(({ price, winRate, ...band }) =>
      isShare(price) && isShare(winRate) ? [{ ...band, price, winRate }] : []
    )
    .toSorted((a, b) => a.price - b.price)
    .slice(0, rowsMax)
  if (known.length === 0) return null
  const [left, right, top, bottom, height] = [52, chartWidth - 20, 64, 392, 448]
  const x = linear([0, 1], [left, right])
  const y = linear([0, 1], [bottom, top])
  const points = known.map(({ price, winRate }) => ({ x: x(price), y: y(winRate) }))
  const intervals = known.flatMap(({ price, low, high }) =>
    isShare(low) && isShare(high) ? [{ x1: x(price), x2: x(price), y1: y(low), y2: y(high) }] : []
  )
  const counts = known.map(({ price, entries }) => ({ x: x(price), text: shortCount(entries) }))
  return draw(text, { height }, [
    ...gridLines(
      shareTicks.map((tick) => ({ at: x(tick), text: String(tick) })),
      shareTicks.map((tick) => ({ at: y(tick), text: String(tick) })),
      { left, right, top, bottom },
    ),
    lines([{ x1: left, y1: bottom, x2: right, y2: top }], {
      stroke: quiet,
      "stroke-width": 2,
      "stroke-dasharray": "7 5",
    }),
    lines([{ x1: right - 140, y1: 15, x2: right - 106, y2: 15 }], {
      stroke: quiet,
      "stroke-width": 2,
      "stroke-dasharray": "7 5",
    }),
    lines(intervals, { stroke: dataColour, "stroke-width": 4, "stroke-opacity": 0.6 }),
    dots(points),
    labels([
      { x: 0, y: 20, text: "Share that won", anchor: "start" },
      { x: right - 98, y: 20, text: "fair price", anchor: "start", fill: quiet },
      { x: left - 8, y: top - 12, text: "n =", anchor: "end", fill: quiet },
      ...apart(counts, left - 8, chartWidth).map((place) => ({
        ...place,
        y: top - 12,
        anchor: "middle" as const,
        fill: quiet,
      })),
      { x: (left + right) / 2, y: height - 4, text: "Price of the entry, USD", anchor: "middle" },
    ]),
  ])
}

/** 1,240 as `1.2k`. */
const shortCount = (count: number): string =>
  Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 }).format(count)

interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface Tick {
  readonly at: number
  readonly text: string
}

/** Grid lines with their labels: below it for `x`, left of it for `y`. */
function gridLines(
  x: ReadonlyArray<Tick>,
  y: ReadonlyArray<Tick>,
  { left, right, top, bottom }: Frame,
): ReadonlyArray<string> {
  const below = x.map(({ at, text }) => ({ x: at, y: bottom + lineHeight, text }))
  return [
    lines([
      ...x.map(({ at }) => ({ x1: at, x2: at, y1: top, y2: bottom })),
      ...y.map(({ at }) => ({ x1: left, x2: right, y1: at, y2: at })),
    ], { stroke: "var(--line)" }),
    labels([
      ...apart(below, 0, chartWidth).map((place) => ({
        ...place,
        anchor: "middle" as const,
        fill: quiet,
      })),
      ...y.map(({ at, text }) => ({
        x: left - 8,
        y: at + 6,
        text,
        anchor: "end" as const,
        fill: quiet,
      })),
    ]),
  ]
}

interface IntervalRow {
  readonly label: string
  readonly value: number | null
  /** Null where the interval is not known: the value is drawn alone. */
  readonly low: number | null
  readonly high: number | null
}

/** Values with their intervals, one per row, against a baseline. */
export function intervalChart(
  { rows, baseline, form, ...text }: ChartText & {
    readonly rows: ReadonlyArray<IntervalRow>
    /** Such as 0, with what it means: `no return`. */
    readonly baseline: { readonly value: number; readonly label: string }
    /** A value as text, such as `signedPercent` of parts.tsx. */
    readonly form: (value: number) => string
  },
): string | null {
  const known = rows
    .flatMap((row) => isDrawable(row.value) ? [{ ...row, value: row.value }] : [])
    .slice(0, rowsMax)
  if (known.length === 0 || !isDrawable(baseline.value)) return null
  const [rowHeight, top, margin] = [56, 34, 12]
  const bottom = top + known.length * rowHeight
  const ends = known.flatMap(({ value, low, high }) => [value, low, high]).filter(isDrawable)
  const domain = padded([baseline.value, ...ends])
  const x = linear(domain, [margin, chartWidth - margin])
  const middle = (row: number) => top + row * rowHeight + 38
  const name = fitted(baseline.label, chartWidth)
  const half = widthOf(name) / 2
  const at = x(baseline.value)
  return draw(text, { height: bottom + lineHeight + 8 }, [
    ...gridLines(
      roundTicks(...domain).map((value) => ({ at: x(value), text: fitted(form(value), 120) })),
      [],
      { left: 0, right: chartWidth, top, bottom },
    ),
    lines([{ x1: at, x2: at, y1: top - 6, y2: bottom }], { stroke: quiet, "stroke-width": 2 }),
    lines(
      known.flatMap(({ low, high }, row) =>
        isDrawable(low) && isDrawable(high)
          ? [{ x1: x(low), x2: x(high), y1: middle(row), y2: middle(row) }]
          : []
      ),
      { stroke: dataColour, "stroke-width": 4, "stroke-opacity": 0.6 },
    ),
    dots(known.map(({ value }, row) => ({ x: x(value), y: middle(row) }))),
    labels([
      {
        x: Math.min(Math.max(at, half), chartWidth - half),
        y: top - 12,
        text: name,
        anchor: "middle",
        fill: quiet,
      },
      ...known.flatMap(({ label, value }, row): ReadonlyArray<Label> => {
        const y = top + row * rowHeight + lineHeight
        const figure = fitted(form(value), chartWidth / 2)
        return [
          { x: 0, y, text: fitted(label, chartWidth - widthOf(figure) - 12), anchor: "start" },
          { x: chartWidth, y, text: figure, anchor: "end" },
        ]
      }),
    ]),
  ])
}

/** The range of these values with room at its ends. */
function padded(values: ReadonlyArray<number>): readonly [number, number] {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const room = (most - least) * 0.06 || Math.abs(most) * 0.1 || 1
  return [least - room, most + room]
}

/** The meaning of a part, which selects its colour. */
const tones = {
  good: { fill: "var(--good)", stroke: "var(--good)" },
  bad: { fill: "var(--bad)", stroke: "var(--bad)" },
  other: { fill: quiet, stroke: quiet },
  open: { fill: "var(--panel)", stroke: quiet },
} as const
type Tone = keyof typeof tones

interface Part {
  readonly name: string
  readonly count: number
  readonly tone: Tone
}

interface CountsRow {
  readonly label: string
  readonly parts: ReadonlyArray<Part>
}

interface Box extends Span {
  readonly tone: Tone
}
const boxes = (data: ReadonlyArray<Box>): string =>
  Object.entries(tones)
    .map(([name, colours]) => rectangles(data.filter(({ tone }) => tone === name), colours))
    .join("")

/** Whole numbers as stacked bars on one scale: right, wrong and open; delivered and refunded. */
export function countsChart(
  { rows, ...text }: ChartText & { readonly rows: ReadonlyArray<CountsRow> },
): string | null {
  const known = rows.slice(0, rowsMax).map(({ label, parts }) => ({
    label,
    parts: parts.filter(({ count }) => isDrawable(count) && count >= 0).slice(0, partsMax),
  }))
  const totalOf = (parts: ReadonlyArray<Part>) => parts.reduce((sum, { count }) => sum + count, 0)
  const most = Math.max(0, ...known.map(({ parts }) => totalOf(parts)))
  if (most === 0) return null
  const [barHeight, rowGap] = [20, 20]
  let y = 0
  const drawn = known.map(({ label, parts }) => {
    const top = y + lineHeight + 6
    const key = legend(parts, top + barHeight + lineHeight)
    y = key.bottom + rowGap
    return {
      bars: stacked(parts, most, top, top + barHeight),
      key,
      label: {
        x: 0,
        y: top - 8,
        text: fitted(label, chartWidth),
        anchor: "start" as const,
      },
    }
  })
  return draw(text, { height: y - rowGap + 8 }, [
    boxes(drawn.flatMap(({ bars, key }) => [...bars, ...key.boxes])),
    labels(drawn.flatMap(({ label, key }) => [label, ...key.labels])),
  ])
}

/** A part that is not 0 is at least this wide, so that it is seen. */
const partWidthMin = 3

/** The bars of a row, `most` as wide as the image. */
function stacked(
  parts: ReadonlyArray<Part>,
  most: number,
  y1: number,
  y2: number,
): ReadonlyArray<Box> {
  const width = chartWidth - 2 - partsMax * partWidthMin
  let x = 1
  return parts.filter(({ count }) => count > 0).map(({ count, tone }) => {
    const [x1, x2] = [x, x + partWidthMin + count / most * width - 1]
    x = x2 + 1
    return { x1, x2, y1, y2, tone }
  })
}

/** What the colours mean, with the numbers; on as many lines as they need, the first one at `y`. */
function legend(parts: ReadonlyArray<Part>, y: number): {
  readonly boxes: ReadonlyArray<Box>
  readonly labels: ReadonlyArray<Label>
  readonly bottom: number
} {
  const [boxSize, gap] = [11, 18]
  let [left, line] = [0, y]
  const placed = parts.map(({ name, count, tone }) => {
    const text = fitted(`${count.toLocaleString("en-US")} ${name}`, chartWidth - 2 * gap)
    const width = gap + widthOf(text)
    if (left > 0 && left + width > chartWidth) [left, line] = [0, line + lineHeight]
    const x1 = left + 1
    left += width + gap
    return {
      box: { x1, x2: x1 + boxSize, y1: line - boxSize - 1, y2: line - 1, tone },
      label: { x: x1 + gap, y: line, text, anchor: "start" as const },
    }
  })
  return {
    boxes: placed.map(({ box }) => box),
    labels: placed.map(({ label }) => label),
    bottom: line,
  }
}

/** A small line without axes, between its least and greatest value. */
export function sparkline(
  { points, ...text }: ChartText & {
    readonly points: ReadonlyArray<{ readonly at: string; readonly value: number | null }>
  },
): string | null {
  const [width, height, margin] = [120, 32, 4]
  const known = inTime(points)
  const last = known.at(-1)
  if (last === undefined) return null
  const values = known.map(({ value }) => value)
  const x = linear(rangeOf(known.map(({ at }) => at)), [margin, width - margin])
  const y = linear(padded(values), [height - margin, margin])
  return draw(text, { width, height }, [
    valuePath(known, x, y),
    dots([{ x: x(last.at), y: y(last.value) }], 3.5),
  ])
}

interface TimedValue {
  readonly at: number
  readonly value: number
}

/** The drawable points, the oldest first. */
const inTime = (
  points: ReadonlyArray<{ readonly at: string; readonly value: number | null }>,
): ReadonlyArray<TimedValue> =>
  points
    .flatMap(({ at, value }) =>
      isDrawable(value) && Number.isFinite(Date.parse(at)) ? [{ at: Date.parse(at), value }] : []
    )
    .toSorted((a, b) => a.at - b.at)

/** From the first of these times to the last; never empty. */
function rangeOf(times: ReadonlyArray<number>): readonly [number, number] {
  const [from, to] = times.reduce(
    ([least, most], at) => [Math.min(least, at), Math.max(most, at)],
    [Infinity, -Infinity],
  )
  return from < to ? [from, to] : [from - 1, to + 1]
}

const valuePath = (
  points: ReadonlyArray<TimedValue>,
  x: (at: number) => number,
  y: (value: number) => number,
): string =>
  path(
    thinned(points).map(({ at, value }) => ({ x: x(at), y: y(value) })),
    { stroke: dataColour, "stroke-width": 2 },
  )

/** The price of a market, 0 to 1, over time; `items` are marked by their numbers, as `1` or `2–4`. */
export function priceChart(
  { points, items, ...text }: ChartText & {
    readonly points: ReadonlyArray<{ readonly at: string; readonly price: number | null }>
    /** The oldest has the number 1, and so on, so that a list can explain it. */
    readonly items: ReadonlyArray<{ readonly at: string }>
  },
): string | null {
  const known = inTime(
    points.map(({ at, price }) => ({ at, value: isShare(price) ? price : null })),
  )
  if (known.length === 0) return null
  const times = items
    .map(({ at }) => Date.parse(at))
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b)
    .slice(0, itemsMax)
  const domain = rangeOf([...known.map(({ at }) => at), ...times])
  const [left, right] = [52, chartWidth - 16]
  const x = linear(domain, [left, right])
  const marks = marksOf(times.map(x))
  const top = (marks.length === 0 ? 0 : lineHeight) + 12
  const bottom = top + 200
  const y = linear([0, 1], [bottom, top])
  return draw(text, { height: bottom + lineHeight + 8 }, [
    ...gridLines(
      timeTicks(...domain).map(({ at, text }) => ({ at: x(at), text })),
      shareTicks.map((tick) => ({ at: y(tick), text: tick.toFixed(2) })),
      { left, right, top, bottom },
    ),
    rectangles(
      marks.filter(({ from, to }) => from < to)
        .map(({ from, to }) => ({ x1: from, x2: to, y1: top, y2: bottom })),
      { fill: "var(--accent)", "fill-opacity": 0.25 },
    ),
    lines(
      marks.filter(({ from, to }) => from === to)
        .map(({ from }) => ({ x1: from, x2: from, y1: top, y2: bottom })),
      { stroke: "var(--accent)", "stroke-width": 2, "stroke-dasharray": "3 4" },
    ),
    valuePath(known, x, y),
    ...(known.length === 1
      ? [dots(known.map(({ at, value }) => ({ x: x(at), y: y(value) })))]
      : []),
    labels(marks.map(({ x, text }) => ({
      x,
      y: top - 6,
      text,
      anchor: "middle",
      fill: "var(--accent)",
    }))),
  ])
}

/** The items `first` to `last`, which have one label. */
interface Mark {
  readonly first: number
  readonly last: number
  /** The places of its first and its last item; a mark of several is at least `markWidthMin` wide. */
  readonly from: number
  readonly to: number
  /** The middle of its label. */
  readonly x: number
  readonly text: string
}

const markWidthMin = 4

/** The marks of items at these places, from left to right; items whose labels would meet share one. */
function marksOf(places: ReadonlyArray<number>): ReadonlyArray<Mark> {
  const marks: Array<Mark> = []
  places.forEach((place, n) => {
    let mark = markOf(n + 1, n + 1, place, place)
    for (let last = marks.at(-1); last !== undefined; last = marks.at(-1)) {
      if (last.x + widthOf(last.text) / 2 + labelGap <= mark.x - widthOf(mark.text) / 2) break
      marks.pop()
      mark = markOf(last.first, mark.last, last.from, Math.max(mark.to, last.from + markWidthMin))
    }
    marks.push(mark)
  })
  return marks
}

function markOf(first: number, last: number, from: number, to: number): Mark {
  const text = first === last ? `${first}` : `${first}–${last}`
  const half = widthOf(text) / 2
  const x = Math.min(Math.max((from + to) / 2, half), chartWidth - half)
  return { first, last, from, to, x, text }
}

/** What is known of one day; the height differs too, for readers who see no colours. */
const dayStates = {
  ok: { name: "ok", tone: "good", height: 40 },
  failed: { name: "with a failure", tone: "bad", height: 56 },
  unknown: { name: "not known", tone: "open", height: 12 },
} as const
type DayState = keyof typeof dayStates

/** One bar per UTC day, the oldest first. */
export function daysChart(
  { days, ...text }: ChartText & {
    /** `date` such as `2026-11-02`. */
    readonly days: ReadonlyArray<{ readonly date: string; readonly state: DayState }>
  },
): string | null {
  const known = days.slice(-daysMax)
  const [first, last] = [known[0], known.at(-1)]
  if (first === undefined || last === undefined) return null
  const bottom = dayStates.failed.height + 2
  const step = (chartWidth - 2) / known.length
  const bars = known.map(({ state }, n) => ({
    x1: 1 + n * step,
    x2: 1 + (n + 0.7) * step,
    y1: bottom - dayStates[state].height,
    y2: bottom,
    tone: dayStates[state].tone,
  }))
  const key = legend(
    (["ok", "failed", "unknown"] as const).map((state) => ({
      ...dayStates[state],
      count: known.filter((day) => day.state === state).length,
    })),
    bottom + 2 * lineHeight + 12,
  )
  const dates = fitted(last.date, 120)
  return draw(text, { height: key.bottom + 8 }, [
    boxes([...bars, ...key.boxes]),
    labels([
      { x: 0, y: bottom + lineHeight, text: fitted(first.date, 120), anchor: "start", fill: quiet },
      ...(known.length === 1 ? [] : [{
        x: chartWidth,
        y: bottom + lineHeight,
        text: dates,
        anchor: "end" as const,
        fill: quiet,
      }]),
      ...key.labels,
    ]),
  ])
}
