/**
 * What a report says, and that it says nothing else.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { halfSteps } from "../../src/domain/book.ts"
import type { SeriesPoint } from "../../src/domain/market.ts"
import {
  figuresOf,
  Report,
  reportOf,
  resampleHourly,
  type ResearchFacts,
} from "../../src/domain/research.ts"
import { hour, minute } from "../../src/domain/time.ts"
import { law } from "../support/effect.ts"
import { market, now, shown } from "../support/market.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const anyFacts = Arbitrary.schema(Schema.Struct({
  prices: Schema.NonEmptyArray(int(1, 9_999)).check(Schema.isMaxLength(20)),
  mid: int(600, 9_300),
  spread: int(2, 1_000),
  depth: int(1, 9_999),
  hasBook: Schema.Boolean,
  volume: int(0, 30_000),
  hoursLeft: int(-3, 90),
  proposed: Schema.Boolean,
  mechanical: Schema.Boolean,
}))

type Drawn = typeof anyFacts extends Arbitrary.Arbitrary<infer A> ? A : never

const factsOf = (drawn: Drawn): ResearchFacts => {
  const [first, ...rest] = drawn.prices
  const point = (price: number, n: number): SeriesPoint => ({
    at: now - (drawn.prices.length - n) * hour,
    mid: price / 10_000,
  })
  return {
    market: market({
      question: "Will 31337 of 42 come before 1999?",
      volumeUsd: drawn.volume + 0.4,
      endsAt: now + drawn.hoursLeft * hour,
      status: drawn.proposed ? "proposed" : "open",
      mechanical: drawn.mechanical ? "slug" : null,
    }),
    priceAction: [point(first, 0), ...rest.map((price, n) => point(price, n + 1))],
    microstructure: drawn.hasBook
      ? shown({ mid: drawn.mid / 10_000, spread: drawn.spread / 10_000, depthUsd: drawn.depth })
      : null,
    now,
  }
}

const proseOf = ({ analysis }: Report) =>
  [analysis.thesis, analysis.whaleView, ...analysis.risks, analysis.bottomLine].join("\n")

law("reportOf() writes no figure that is not among its facts", anyFacts, (drawn) => {
  const facts = factsOf(drawn)
  const figures = Object.values(figuresOf(facts)).map(String)
  for (const [figure] of proseOf(reportOf(facts)).matchAll(/\d+(?:\.\d+)?/g)) {
    ok(figures.includes(figure), `${figure} is not among ${figures.join(", ")}`)
  }
})

law("reportOf() repeats nothing that strangers wrote in its analysis", anyFacts, (drawn) => {
  const facts = factsOf(drawn)
  ok(!proseOf(reportOf(facts)).includes(facts.market.question))
})

law("reportOf() has the documented shape, and the direction of the move", anyFacts, (drawn) => {
  const facts = factsOf(drawn)
  const report = reportOf(facts)
  ok(Schema.is(Report)(report))
  const { start, now: end } = figuresOf(facts)
  const { thesis } = report.analysis
  const word = end > start ? "up by" : end < start ? "down by" : "stands where it stood"
  ok(thesis.includes(word), thesis)
})

law("reportOf() is of low confidence below the gate of quality, never high", anyFacts, (drawn) => {
  const facts = factsOf(drawn)
  const { microstructure: book } = facts
  const good = book !== null && facts.market.volumeUsd >= 10_000 &&
    book.depthUsdWithin5c.total >= 2_500 && halfSteps(book.spread) <= halfSteps(0.05)
  strictEqual(reportOf(facts).analysis.confidence, good ? "medium" : "low")
})

Deno.test("reportOf() names what is missing or weak as a risk", () => {
  const facts = factsOf({
    prices: [5_000],
    mid: 5_000,
    spread: 800,
    depth: 1_000,
    hasBook: true,
    volume: 9_000,
    hoursLeft: 12,
    proposed: true,
    mechanical: true,
  })
  const { risks } = reportOf(facts).analysis
  for (const part of ["spread is 0.08", "9000 USD", "proposed", "mechanical", "12 hours"]) {
    ok(risks.some((risk) => risk.includes(part)), part)
  }
  const bookless = reportOf({ ...facts, microstructure: null }).analysis.risks
  ok(bookless.some((risk) => risk.includes("no sound order book")))
})

Deno.test("resampleHourly() keeps the last price of each hour, ascending, and no other", () => {
  const start = Math.floor(now / hour) * hour
  const at = (minutes: number, mid: number) => ({ at: start + minutes * minute, mid })
  equal(
    resampleHourly([at(70, 0.3), at(10, 0.1), at(59, 0.2), at(61, 0.25), at(130, NaN), at(200, 2)]),
    [at(59, 0.2), at(70, 0.3)],
  )
})
