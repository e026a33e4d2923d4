/**
 * Charts of any data are well-formed images inside their frame, name no unknown number, contain no
 * style, and are the same bytes for the same data.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary } from "effect"
import { daysChart, intervalChart, priceChart, sparkline } from "../../../src/http/pages/charts.ts"
import { signedPercent } from "../../../src/http/pages/text.tsx"
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
const anyTime = Arbitrary.map(
  anyInt(-2, 400_000),
  (n) => n === -2 ? "no time" : new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
)
const upTo = (maxLength: number) => ({ maxLength })
const anyRows = Arbitrary.array(
  Arbitrary.all({ label: hostileText, value: anyNumber, low: anyNumber, high: anyNumber }),
  upTo(30),
)
const anyPath = Arbitrary.array(Arbitrary.all({ at: anyTime, mid: anyNumber }), upTo(40))
const anyDays = Arbitrary.array(
  Arbitrary.all({
    date: hostileText,
    state: oneOf(["good", "partly", "bad", "unknown"] as const),
  }),
  upTo(400),
)

law(
  "intervalChart() draws any rows",
  Arbitrary.all({ title: hostileText, rows: anyRows, value: anyNumber, meaning: hostileText }),
  ({ title, rows, value, meaning }) =>
    holds(() =>
      intervalChart({ title, rows, baseline: [value ?? 0, meaning], form: signedPercent })
    ),
  { runs },
)

law(
  "priceChart() draws any path, and a mark for each time within it",
  Arbitrary.all({ title: hostileText, path: anyPath, marks: Arbitrary.array(anyTime, upTo(80)) }),
  (options) => holds(() => priceChart(options)),
  { runs },
)

law(
  "daysChart() draws any days",
  Arbitrary.all({ title: hostileText, days: anyDays }),
  (options) => holds(() => daysChart(options)),
  { runs: runs / 3 },
)

Deno.test("a chart without a number to draw is null", () => {
  const title = "Title"
  const row = { label: "a", value: null, low: 0, high: 1 }
  equal([
    intervalChart({ title, rows: [row], baseline: [0, "none"], form: String }),
    sparkline(title, [{ at: "2026-01-01T00:00:00.000Z", mid: null }]),
    priceChart({ title, path: [], marks: ["2026-01-01T00:00:00.000Z"] }),
    daysChart({ title, days: [] }),
  ], [null, null, null, null])
})

law(
  "priceChart() fits its axis to the move: the line uses most of the height, or moved by a cent",
  Arbitrary.all({ from: anyInt(0, 1_000), to: anyInt(0, 1_000) }),
  ({ from, to }) => {
    const path = [from, to].map((mid, n) => ({
      at: new Date(Date.UTC(2026, 0, 1 + n)).toISOString(),
      mid: mid / 1_000,
    }))
    const svg = priceChart({ title: "Title", path, marks: [] }) ?? ""
    const [, d = ""] = /stroke="var\(--cool\)"[^>]* d="([^"]*)"/.exec(svg) ?? []
    const [[, y1 = 0] = [], [, y2 = 0] = []] = placesOf(d)
    ok(Math.abs(from - to) <= 20 || Math.abs(y1 - y2) >= 180, `${from} ${to} ${d}`)
  },
)

Deno.test("a chart names its numbers, and what a reader should compare them with", () => {
  const svg = intervalChart({
    title: "Return",
    rows: [{ label: "Following", value: 0.034, low: -0.1, high: 0.2 }],
    baseline: [0, "no return"],
    form: signedPercent,
  }) ?? ""
  for (const text of ["Following", "+3.4 %", "no return"]) ok(svg.includes(`>${text}<`), text)
  ok(svg.includes('aria-label="Return. Following: +3.4 %, −10.0 % to +20.0 %."'), svg)
})

/** Draws twice, and checks what is true of every chart. */
function holds(draw: () => string | null): void {
  const svg = draw()
  strictEqual(draw(), svg)
  if (svg === null) return
  ok(/^<svg [^>]*role="img" aria-label="[^"]*"/.test(svg))
  const markup = [...svg.matchAll(/<[^>]*>/g)].join("").replace(/aria-label="[^"]*"/, "")
  ok(!/\sstyle=|<style|<script|<a\b|\son\w+=|href/i.test(markup), svg)
  ok(!/NaN|undefined|Infinity|null/.test(markup), svg)
  ok(!/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(svg), svg)
  isWellFormed(svg)
  isInside(svg)
}

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
