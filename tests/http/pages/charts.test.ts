/**
 * Charts of any data are well-formed images inside their frame, name no unknown number, contain no
 * style, and are the same bytes for the same data.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary } from "effect"
import { pathPointsMax } from "../../../src/http/pages/charts/axes.ts"
import {
  calibrationChart,
  countsChart,
  daysChart,
  intervalChart,
  priceChart,
  sparkline,
} from "../../../src/http/pages/charts/charts.ts"
import { widthOf } from "../../../src/http/pages/charts/drawing.ts"
import { signedPercent } from "../../../src/http/pages/parts.tsx"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText, oneOf } from "../../support/http/hostile.ts"

const runs = 60
const edgeNumbers = [0, -0, 1, -1, 0.5, 1e-12, 1e9, -1e9, 1e12, 1e300, -1e308, NaN, Infinity]
const anyNumber: Arbitrary.Arbitrary<number | null> = Arbitrary.flatMap(
  anyInt(0, 3),
  (kind): Arbitrary.Arbitrary<number | null> =>
    kind === 0
      ? oneOf<number | null>([null, ...edgeNumbers])
      : Arbitrary.map(anyInt(0, 1_000), (n) => kind === 1 ? n / 1_000 : (n - 500) / 50),
)
const anyCount = Arbitrary.flatMap(
  anyInt(0, 4),
  (kind) => kind === 0 ? oneOf(edgeNumbers) : anyInt(0, 10 ** kind),
)
const anyTime = Arbitrary.map(
  anyInt(-2, 400_000),
  (n) => n === -2 ? "no time" : new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
)
const anyChartText = Arbitrary.map(
  Arbitrary.all({ title: hostileText, description: hostileText }),
  (text) => ({ prefix: "any", ...text }),
)
const upTo = (maxLength: number) => ({ maxLength })

const anyBands = Arbitrary.array(
  Arbitrary.all({
    ...{ price: anyNumber, winRate: anyNumber, low: anyNumber, high: anyNumber, entries: anyCount },
  }),
  upTo(12),
)
const anyRows = Arbitrary.array(
  Arbitrary.all({ label: hostileText, value: anyNumber, low: anyNumber, high: anyNumber }),
  upTo(14),
)
const anyCounts = Arbitrary.array(
  Arbitrary.all({
    label: hostileText,
    parts: Arbitrary.array(
      Arbitrary.all({
        name: hostileText,
        count: anyCount,
        tone: oneOf(["good", "bad", "other", "open"] as const),
      }),
      upTo(8),
    ),
  }),
  upTo(14),
)
const anyPoints = Arbitrary.array(Arbitrary.all({ at: anyTime, value: anyNumber }), upTo(40))
const anyItems = Arbitrary.array(Arbitrary.map(anyTime, (at) => ({ at })), upTo(80))
const anyMinute = anyInt(0, 1_000)
const anyDays = Arbitrary.array(
  Arbitrary.all({ date: hostileText, state: oneOf(["ok", "failed", "unknown"] as const) }),
  upTo(400),
)

law(
  "calibrationChart() draws any bands",
  Arbitrary.all({ text: anyChartText, bands: anyBands }),
  ({ text, bands }) => holds(() => calibrationChart({ ...text, bands })),
  { runs },
)

law(
  "intervalChart() draws any rows",
  Arbitrary.all({ text: anyChartText, rows: anyRows, value: anyNumber, label: hostileText }),
  ({ text, rows, value, label }) =>
    holds(() =>
      intervalChart({ ...text, rows, baseline: { value: value ?? 0, label }, form: signedPercent })
    ),
  { runs },
)

law(
  "countsChart() draws any rows",
  Arbitrary.all({ text: anyChartText, rows: anyCounts }),
  ({ text, rows }) => holds(() => countsChart({ ...text, rows })),
  { runs },
)

law(
  "sparkline() draws any points",
  Arbitrary.all({ text: anyChartText, points: anyPoints }),
  ({ text, points }) => holds(() => sparkline({ ...text, points })),
  { runs },
)

law(
  "priceChart() draws any points and items",
  Arbitrary.all({ text: anyChartText, points: anyPoints, items: anyItems }),
  ({ text, points, items }) =>
    holds(() =>
      priceChart({
        ...{ ...text, items },
        points: points.map(({ at, value }) => ({ at, price: value })),
      })
    ),
  { runs },
)

law(
  "priceChart() has the number of each item once, and labels that do not overlap",
  Arbitrary.all({ items: Arbitrary.array(anyMinute, upTo(60)), spread: oneOf([1, 20, 400]) }),
  ({ items, spread }) => {
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString()
    const svg = priceChart({
      ...plain,
      points: [{ at: at(0), price: 0.5 }, { at: at(400_000), price: 0.5 }],
      items: items.map((minutes) => ({ at: at(minutes * spread) })),
    }) ?? ""
    const marks = [
      ...svg.matchAll(
        /<text fill="var\(--accent\)" x="([\d.]+)" y="([\d.]+)">([^<]*)</g,
      ),
    ].map(([, x, y, text = ""]) => ({ x: Number(x), y: Number(y), text }))
    const numbers = marks.flatMap(({ text }) => {
      const [first = NaN, last = first] = text.split("–").map(Number)
      return Array.from({ length: last - first + 1 }, (_, n) => first + n)
    })
    equal(numbers, items.map((_, n) => n + 1))
    ok(new Set(marks.map(({ y }) => y)).size <= 1)
    marks.reduce((end, { x, text }) => {
      const half = widthOf(text) / 2
      ok(x - half >= end, svg)
      return x + half
    }, -0.01)
  },
  { runs },
)

law(
  "daysChart() draws any days",
  Arbitrary.all({ text: anyChartText, days: anyDays }),
  ({ text, days }) => holds(() => daysChart({ ...text, days })),
  { runs: runs / 3 },
)

const plain = { prefix: "plain", title: "Title", description: "Description" }
const path = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
    price: n === 1_234 ? 0.99 : 0.5 + 0.2 * Math.sin(n / 50),
  }))

Deno.test("a chart without a number to draw is null", () => {
  const unknown = { value: null, low: null, high: null, price: null, winRate: null, entries: 0 }
  const baseline = { value: 0, label: "none" }
  equal([
    calibrationChart({ ...plain, bands: [] }),
    calibrationChart({ ...plain, bands: [unknown] }),
    intervalChart({ ...plain, rows: [{ ...unknown, label: "a" }], baseline, form: String }),
    countsChart({ ...plain, rows: [{ label: "a", parts: [] }] }),
    countsChart({
      ...plain,
      rows: [{ label: "a", parts: [{ name: "right", count: 0, tone: "good" }] }],
    }),
    sparkline({ ...plain, points: [{ at: "2026-01-01T00:00:00.000Z", value: null }] }),
    priceChart({ ...plain, points: [], items: [{ at: "2026-01-01T00:00:00.000Z" }] }),
    daysChart({ ...plain, days: [] }),
  ], Array.from({ length: 8 }, () => null))
})

Deno.test("priceChart() draws one point as a dot, and keeps the extremes of 5,000", () => {
  const one = priceChart({ ...plain, points: path(1), items: [] })
  ok(one?.includes("<circle"))
  const many = priceChart({ ...plain, points: path(5_000), items: [] }) ?? ""
  const drawn = [...many.matchAll(/ d="([^"]*)"/g)]
    .map(([, d = ""]) => placesOf(d))
    .find(({ length }) => length > 2) ?? []
  ok(drawn.length > 100 && drawn.length <= pathPointsMax, String(drawn.length))
  const [top = 0, next = 0] = drawn.map(([, y]) => y).toSorted((a, b) => a - b)
  ok(next - top > 10, "the one price of 0.99 is drawn")
})

Deno.test("a chart names its numbers, and what a reader should compare them with", () => {
  const svg = intervalChart({
    ...plain,
    rows: [{ label: "Following", value: 0.034, low: -0.1, high: 0.2 }],
    baseline: { value: 0, label: "no return" },
    form: signedPercent,
  }) ?? ""
  for (const text of ["Following", "+3.4 %", "no return"]) ok(svg.includes(`>${text}<`), text)
})

/** Draws twice, and checks what is true of every chart. */
function holds(draw: () => string | null): void {
  const svg = draw()
  strictEqual(draw(), svg)
  if (svg === null) return
  ok(/^<svg [^>]*role="img"/.test(svg) && svg.includes("<title id=") && svg.includes("<desc id="))
  ok(!/\sstyle=|<style|<script|<a\b|\son\w+=|href/i.test(markupOf(svg)), svg)
  ok(!/NaN|undefined|Infinity|null/.test(markupOf(svg)), svg)
  ok(!/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(svg.replaceAll("\n", "")), svg)
  isWellFormed(svg)
  isInside(svg)
}

/** The tags, without the texts between them. */
const markupOf = (svg: string) => [...svg.matchAll(/<[^>]*>/g)].join("")

function isWellFormed(svg: string): void {
  const open: Array<string> = []
  const token =
    /<(\/?)([A-Za-z]+)((?:\s[\w:-]+="(?:[^"<&]|&(?:amp|lt|gt|quot|#\d+);)*")*)\s*(\/?)>|(?:[^<>&]|&(?:amp|lt|gt|quot|#\d+);)+/gy
  let end = 0
  for (const match of svg.matchAll(token)) {
    end = match.index + match[0].length
    const [, closes, name, , isEmpty] = match
    if (name === undefined || isEmpty === "/") continue
    if (closes === "/") strictEqual(open.pop(), name)
    else open.push(name)
  }
  strictEqual(end, svg.length, svg.slice(end, end + 80))
  equal(open, [])
}

/** How far a stroke or a letter may reach over its place. */
const reach = 1

function isInside(svg: string): void {
  const [width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).slice(1).map(Number)
  const numbers = (pattern: RegExp) =>
    [...svg.matchAll(pattern)].map((match) => match.slice(1).map(Number))
  const places = [
    ...[...svg.matchAll(/ d="([^"]*)"/g)].flatMap(([, d = ""]) => placesOf(d)),
    ...numbers(/<circle cx="([^"]*)" cy="([^"]*)"/g),
    ...numbers(/<text fill="[^"]*" x="([^"]*)" y="([^"]*)"/g),
    ...[...svg.matchAll(/<rect [^>]*>/g)].flatMap(([rect]) => {
      const [x = NaN, y = NaN, w = NaN, h = NaN] = ["x", "y", "width", "height"]
        .map((name) => Number(new RegExp(` ${name}="([^"]*)"`).exec(rect)?.[1]))
      return [[x, y], [x + w, y + h]]
    }),
  ]
  ok(places.length > 0)
  for (const [x = NaN, y = NaN] of places) {
    ok(x >= -reach && x <= width + reach && y >= -reach && y <= height + reach, `${x},${y} ${svg}`)
  }
}

const placesOf = (d: string): ReadonlyArray<readonly [number, number]> =>
  [...d.matchAll(/([-\d.e]+),([-\d.e]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
