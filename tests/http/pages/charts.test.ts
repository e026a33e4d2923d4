/**
 * Charts of any data are images inside their frame, name no unknown number, and contain no style.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import type { Child } from "hono/jsx"
import { isoTime, minute } from "../../../src/core/domain/time.ts"
import { daysChart, intervalChart, priceChart } from "../../../src/http/pages/charts.tsx"
import { signedPercent } from "../../../src/http/pages/text.tsx"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText, oneOf } from "../../support/http/hostile.ts"

const runs = 60
const anyNumber = Arbitrary.map(anyInt(0, 1_000), (n) => (n - 500) / 50)
const oneIn = <A>(count: number, other: A) => <B>(of: Arbitrary.Arbitrary<B>) =>
  Arbitrary.flatMap(
    anyInt(1, count),
    (n): Arbitrary.Arbitrary<A | B> => n === 1 ? oneOf([other]) : of,
  )
const anyRows = Arbitrary.array(
  Arbitrary.map(
    Arbitrary.all({
      label: hostileText,
      value: oneIn(4, null)(anyNumber),
      interval: oneIn(4, null)(Arbitrary.all([anyNumber, anyNumber])),
    }),
    ({ interval, ...row }) => ({ ...row, low: interval?.[0] ?? null, high: interval?.[1] ?? null }),
  ),
  { maxLength: 30 },
)
const timeOf = (n: number) => isoTime(Date.UTC(2026, 0, 1) + n * minute)
const anyPath = Arbitrary.map(
  Arbitrary.array(anyInt(0, 1_000), { maxLength: 40 }),
  (mids) => mids.map((mid, n) => ({ at: timeOf(n * 100), mid: mid / 1_000 })),
)
const anyDays = Arbitrary.array(
  Arbitrary.all({
    date: hostileText,
    state: oneOf(["good", "partly", "bad", "unknown"] as const),
  }),
  { minLength: 1, maxLength: 90 },
)

law(
  "intervalChart() draws any rows",
  Arbitrary.all({ title: hostileText, rows: anyRows, zero: hostileText }),
  (options) => holds(intervalChart({ ...options, form: signedPercent })),
  { runs },
)

law(
  "priceChart() draws any path, and a mark for each time within it",
  Arbitrary.all({
    title: hostileText,
    path: anyPath,
    marks: Arbitrary.map(
      Arbitrary.array(anyInt(-100, 4_100), { maxLength: 80 }),
      (times) => times.map(timeOf),
    ),
  }),
  (options) => holds(priceChart(options)),
  { runs },
)

law(
  "daysChart() draws any days",
  Arbitrary.all({ title: hostileText, days: anyDays }),
  (options) => holds(daysChart(options)),
  { runs: runs / 3 },
)

Deno.test("a chart without a number to draw is null", () => {
  const title = "Title"
  const row = { label: "a", value: null, low: 0, high: 1 }
  equal([
    intervalChart({ title, rows: [row], zero: "none", form: String }),
    priceChart({ title, path: [], marks: ["2026-01-01T00:00:00.000Z"] }),
  ], [null, null])
})

law(
  "priceChart() fits its axis to the move: the line uses most of the height, or moved by a cent",
  Arbitrary.all({ from: anyInt(0, 1_000), to: anyInt(0, 1_000) }),
  ({ from, to }) => {
    const path = [from, to].map((mid, n) => ({ at: timeOf(n * 1_440), mid: mid / 1_000 }))
    const svg = String(priceChart({ title: "Title", path, marks: [] }))
    const [, d = ""] = /stroke="var\(--cool\)"[^>]* d="([^"]*)"/.exec(svg) ?? []
    const [[, y1 = 0] = [], [, y2 = 0] = []] = placesOf(d)
    ok(Math.abs(from - to) <= 20 || Math.abs(y1 - y2) >= 180, `${from} ${to} ${d}`)
  },
)

Deno.test("a chart names its numbers, and what a reader should compare them with", () => {
  const svg = String(intervalChart({
    title: "Return",
    rows: [{ label: "Following", value: 0.034, low: -0.1, high: 0.2 }],
    zero: "no return",
    form: signedPercent,
  }))
  for (const text of ["Following", "+3.4 %", "no return"]) ok(svg.includes(`>${text}<`), text)
  ok(svg.includes('aria-label="Return. Following: +3.4 %, −10.0 % to +20.0 %."'), svg)
})

/** What is true of every chart. */
function holds(chart: Child): void {
  if (chart === null) return
  const svg = String(chart)
  ok(/^<svg [^>]*role="img" aria-label="[^"]*"/.test(svg))
  const markup = [...svg.matchAll(/<[^>]*>/g)].join("").replace(/aria-label="[^"]*"/, "")
  ok(!/\sstyle=|<style|<script|<a\b|\son\w+=|href/i.test(markup), svg)
  ok(!/NaN|undefined|Infinity|null/.test(markup), svg)
  isInside(svg)
}

/** How far a stroke or a letter may reach over its place. */
const reach = 1

function isInside(svg: string): void {
  const [width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).slice(1).map(Number)
  const attribute = (shape: string, name: string) =>
    Number(new RegExp(` ${name}="([^"]*)"`).exec(shape)?.[1])
  const places = [...svg.matchAll(/<(path|circle|text|rect) [^>]*>/g)].flatMap(
    ([shape, kind]): ReadonlyArray<ReadonlyArray<number>> => {
      if (kind === "path") return placesOf(/ d="([^"]*)"/.exec(shape)?.[1] ?? "")
      if (kind === "circle") return [[attribute(shape, "cx"), attribute(shape, "cy")]]
      const [x, y] = [attribute(shape, "x"), attribute(shape, "y")]
      return kind === "text"
        ? [[x, y]]
        : [[x, y], [x + attribute(shape, "width"), y + attribute(shape, "height")]]
    },
  )
  ok(places.length > 0)
  for (const [x = NaN, y = NaN] of places) {
    ok(x >= -reach && x <= width + reach && y >= -reach && y <= height + reach, `${x},${y} ${svg}`)
  }
}

const placesOf = (d: string): ReadonlyArray<readonly [number, number]> =>
  [...d.matchAll(/([-\d.e]+),([-\d.e]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
