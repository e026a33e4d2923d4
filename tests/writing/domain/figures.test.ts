/**
 * Figures: exact, with one spelling each, and readable back as the same number.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import {
  countFigure,
  durationFigure,
  priceFigure,
  timeFigure,
  whenFigure,
} from "../../../src/writing/domain/figures.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { anyInt } from "../../support/http/hostile.ts"

law(
  "priceFigure() is exact in half price steps, without trailing zeros",
  anyInt(0, 20_000),
  (steps) => {
    const figure = priceFigure(steps / 20_000)
    strictEqual(Math.round(Number(figure) * 20_000), steps)
    ok(/^[01]\.\d{2,5}$/.test(figure) && !/\.\d{2,}0$/.test(figure), figure)
    strictEqual(Number(figure) * 20_000 - steps < 1e-9, true)
  },
  { runs: sized({ short: 200, full: 2_000 }) },
)

law("durationFigure() is within half a unit of the duration", anyInt(0, 4_000_000), (seconds) => {
  const ms = seconds * 1_000
  const [, n = "", unit = ""] = /^([\d,]+) (minute|hour|day)s?$/.exec(durationFigure(ms)) ?? []
  const size = { minute, hour, day }[unit]
  return size !== undefined && Math.abs(Number(n.replaceAll(",", "")) * size - ms) <= size / 2
})

Deno.test("figures have one spelling each", () => {
  equal([0, 0.5, 0.62, 0.00125, 0.62505, 1].map(priceFigure), [
    ...["0.00", "0.50", "0.62", "0.00125", "0.62505", "1.00"],
  ])
  equal([0, 1, 26, 1_200].map((n) => countFigure(n, "entry", "entries")), [
    ...["0 entries", "1 entry", "26 entries", "1,200 entries"],
  ])
})

Deno.test("durationFigure() uses minutes, hours or days by length", () => {
  equal(
    [-hour, 0, 29_999, minute, hour, 95 * minute, 121 * minute, 47 * hour, 2 * day]
      .map(durationFigure),
    [
      ...["0 minutes", "0 minutes", "0 minutes", "1 minute", "1 hour", "95 minutes", "2 hours"],
      ...["47 hours", "2 days"],
    ],
  )
})

Deno.test("whenFigure() omits the date within half a day only", () => {
  const at = Date.UTC(2026, 10, 21, 14, 20, 59)
  strictEqual(timeFigure(at), "2026-11-21 14:20 UTC")
  for (const way of [-1, 1]) {
    strictEqual(whenFigure(at, at + way * 11 * hour), "14:20 UTC")
    strictEqual(whenFigure(at, at + way * 12 * hour), "2026-11-21 14:20 UTC")
  }
})
