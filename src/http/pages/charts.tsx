/**
 * The charts of the pages, as SVG images: values with intervals, a price over time, and days.
 *
 * A chart says in words what it shows, for readers who do not see it. Its colours are variables of the
 * style sheet, and it needs no style attribute, script or font file. Each function returns null while
 * there is nothing to draw.
 *
 * @module
 */
import type { Child } from "hono/jsx"
import { isoTime, minute } from "../../core/domain/time.ts"
import type { Estimate } from "./text.tsx"

/** The width of a chart in its own units; a phone of 360 px shows it at 328 px. */
const width = 480
/** Room for the labels below an axis. */
const axisHeight = 30

const Image = ({ description, height, children }: {
  description: string
  height: number
  children?: Child
}) => (
  <svg
    role="img"
    aria-label={description}
    width={width}
    height={height}
    viewBox={`0 0 ${width} ${height}`}
  >
    {children}
  </svg>
)

type Point = readonly [x: number, y: number]
type Range = readonly [from: number, to: number]

/** A coordinate with two digits. */
const rounded = (coordinate: number): number => Math.round(coordinate * 100) / 100

const Line = ({ points, stroke, size = 1, dashes }: {
  points: ReadonlyArray<Point>
  stroke: string
  size?: number
  dashes?: string
}) => (
  <path
    fill="none"
    stroke={`var(--${stroke})`}
    stroke-width={size}
    stroke-dasharray={dashes}
    d={`M${points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join("L")}`}
  />
)
const Dot = ({ at: [x, y] }: { at: Point }) => (
  <circle cx={rounded(x)} cy={rounded(y)} r={6} fill="var(--cool)" stroke="var(--paper)" />
)
const Label = ({ at: [x, y], anchor = "middle", fill = "quiet", children }: {
  at: Point
  anchor?: "start" | "middle" | "end"
  fill?: string
  children?: Child
}) => (
  <text fill={`var(--${fill})`} text-anchor={anchor} x={rounded(x)} y={rounded(y)}>{children}</text>
)

/** From values to places between `from` and `to`. */
const linear = ([least, most]: Range, [from, to]: Range) => (value: number): number =>
  from + (value - least) / (most - least) * (to - from)

/** The range of these values with room at its ends, at least `spanMin` wide. */
function padded(values: ReadonlyArray<number>, spanMin: number): Range {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const room = Math.max((most - least) * 0.08, (spanMin - (most - least)) / 2)
  return [least - room, most + room]
}

/** About four steps to an axis; more labels would overlap on a phone. */
const stepsMax = 4

/** Round numbers in a range, at most five. */
function roundTicks([from, to]: Range): ReadonlyArray<number> {
  const rough = (to - from) / stepsMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power
  const first = Math.ceil(from / step)
  // Adding 0 turns -0 into 0, which texts show without a sign.
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, n) => (first + n) * step + 0)
}

/** Values with their intervals, one in each row, against zero. */
export function intervalChart({ title, rows, zero, form }: {
  readonly title: string
  /** A row without a value is left out; one without an interval has its value alone. */
  readonly rows: ReadonlyArray<Estimate & { readonly label: string }>
  /** What zero means, such as `no gain, no loss`. */
  readonly zero: string
  readonly form: (value: number) => string
}): Child {
  const known = rows.flatMap((row) => row.value === null ? [] : [{ ...row, value: row.value }])
  if (known.length === 0) return null
  const [rowHeight, top, margin] = [52, 34, 36]
  const bottom = top + known.length * rowHeight
  const values = known.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  const domain = padded([0, ...values], 1e-4)
  const x = linear(domain, [margin, width - margin])
  const words = known.map(({ label, value, low, high }) =>
    `${label}: ${form(value)}${
      low === null || high === null ? "" : `, ${form(low)} to ${form(high)}`
    }.`
  )
  const zeroAnchor = x(0) < width / 4 ? "start" : x(0) > width * 0.75 ? "end" : "middle"
  return (
    <Image description={`${title}. ${words.join(" ")}`} height={bottom + axisHeight}>
      {roundTicks(domain).map((tick) => (
        <>
          <Line points={[[x(tick), top], [x(tick), bottom]]} stroke="line" />
          <Label at={[x(tick), bottom + 22]}>{form(tick)}</Label>
        </>
      ))}
      <Line points={[[x(0), top - 6], [x(0), bottom]]} stroke="quiet" size={2} />
      <Label at={[x(0), top - 14]} anchor={zeroAnchor}>{zero}</Label>
      {known.map(({ label, value, low, high }, row) => {
        const y = top + row * rowHeight
        return (
          <>
            {low === null || high === null
              ? null
              : <Line points={[[x(low), y + 36], [x(high), y + 36]]} stroke="interval" size={4} />}
            <Dot at={[x(value), y + 36]} />
            <Label at={[0, y + 18]} anchor="start" fill="ink">{label}</Label>
            <Label at={[width, y + 18]} anchor="end" fill="ink">{form(value)}</Label>
          </>
        )
      })}
    </Image>
  )
}

const hourText = (at: number) => `${isoTime(at).slice(0, 16).replace("T", " ")} UTC`

/** A price moves by less than this on a flat line. */
const priceSpanMin = 0.02

/** The price of a market over time, on an axis that fits its move. */
export function priceChart({ title, path, marks }: {
  readonly title: string
  /** Oldest first; a mid is 0 to 1. */
  readonly path: ReadonlyArray<{ readonly at: string; readonly mid: number }>
  /** Times of a dashed line. */
  readonly marks: ReadonlyArray<string>
}): Child {
  const points = path.map(({ at, mid }): Point => [Date.parse(at), mid])
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return null
  const [left, right, top, bottom] = [56, width - 24, 12, 232]
  const times: Range = [Math.min(first[0], last[0] - minute), last[0]]
  const [least, most] = padded(path.map(({ mid }) => mid), priceSpanMin)
  const prices: Range = [Math.max(least, 0), Math.min(most, 1)]
  const [x, y] = [linear(times, [left, right]), linear(prices, [bottom, top])]
  const digits = prices[1] - prices[0] > 0.1 ? 2 : 3
  return (
    <Image description={title} height={bottom + axisHeight}>
      {roundTicks(prices).map((tick) => (
        <>
          <Line points={[[left, y(tick)], [right, y(tick)]]} stroke="line" />
          <Label at={[left - 8, y(tick) + 6]} anchor="end">{tick.toFixed(digits)}</Label>
        </>
      ))}
      <Label at={[0, bottom + 22]} anchor="start">{hourText(first[0])}</Label>
      <Label at={[width, bottom + 22]} anchor="end">{hourText(last[0])}</Label>
      {marks.map(Date.parse).filter((at) => at >= times[0] && at <= times[1]).map((at) => (
        <Line points={[[x(at), top], [x(at), bottom]]} stroke="accent" size={2} dashes="3 4" />
      ))}
      <Line points={points.map(([at, mid]) => [x(at), y(mid)])} stroke="cool" size={2} />
      <Dot at={[x(last[0]), y(last[1])]} />
    </Image>
  )
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
}): Child {
  const bottom = 60
  const step = width / days.length
  return (
    <Image description={title} height={bottom + axisHeight}>
      {days.map(({ state }, n) => {
        const { fill, height } = dayStates[state]
        return (
          <rect
            fill={`var(--${fill})`}
            x={rounded(n * step)}
            y={bottom - height}
            width={rounded(step * 0.7)}
            height={height}
          />
        )
      })}
      <Label at={[0, bottom + 22]} anchor="start">{days[0]?.date}</Label>
      <Label at={[width, bottom + 22]} anchor="end">{days.at(-1)?.date}</Label>
    </Image>
  )
}
