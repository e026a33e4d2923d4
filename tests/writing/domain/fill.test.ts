/**
 * Open values: each is filled with the one spelling of the fact's value, and nothing else is filled.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Result } from "effect"
import { fillValues, openIds, ownWords } from "../../../src/writing/domain/fill.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText } from "../../support/http/hostile.ts"
import { anyValue, factOf } from "../../support/writing/pages.ts"

law("an open value becomes the spelling of the value, with one pair of quotation marks", anyValue, (
  value,
) => {
  const facts = new Map([["F8", factOf(8, { from: value })]])
  for (const text of ["At {F8.from}.", "At “{F8.from}”.", 'At "{ F8.from }".']) {
    strictEqual(Result.getOrThrow(fillValues(text, facts)), `At ${spelled(value)}.`)
  }
})

law(
  "a price and its complement add up to one, in prices, cents and percents",
  anyInt(0, 10_000),
  (n) => {
    const facts = new Map([["F2", factOf(2, { price: { type: "price", value: n / 10_000 } })]])
    for (const [unit, whole] of [["", 1], ["|cents", 100], ["|percent", 100]] as const) {
      const text = Result.getOrThrow(
        fillValues(`{F2.price${unit}} {1-F2.price${unit}}`, facts),
      )
      const [a = NaN, b = NaN] = [...text.matchAll(/[\d.]+/g)].map(Number)
      ok(Math.abs(a + b - whole) <= 0.1001, text)
    }
  },
)

law(
  "a text is filled whole or refused; no brace of its author stays",
  Arbitrary.all([hostileText, anyValue]),
  ([text, value]) => {
    const facts = new Map([["F8", factOf(8, { from: value })]])
    const filled = fillValues(`${text}{F8.from}${text}`, facts)
    const isClean = !/[{}]/.test(ownWords(text))
    strictEqual(Result.isSuccess(filled), isClean)
    const isFirstWord = value.type === "word" && text === ""
    if (Result.isSuccess(filled) && !/[“"]$/.test(text) && !isFirstWord) {
      strictEqual(filled.success, `${text}${spelled(value)}${text}`)
    }
  },
)

const facts = new Map([
  ["F1", factOf(1, { market: { type: "name", text: "Will it rain?" } })],
  ["F2", factOf(2, { price: { type: "price", value: 0.345 } })],
  ["F3", factOf(3, { change: { type: "change", value: 0.14 } })],
  ["F4", factOf(4, { winRate: { type: "rate", value: 0.628 } })],
  ["F5", factOf(5, { label: { type: "word", text: "follow" } })],
])

Deno.test("values are filled in every unit that they have", () => {
  const filled = (text: string) => Result.getOrNull(fillValues(text, facts))
  equal(
    [
      "{F1.market} was at {F2.price}, so No cost {1-F2.price}",
      "{F2.price|cents} and {1-F2.price|percent}",
      "{F3.change} or {F3.change|percent}",
      "{F4.winRate} won, {1-F4.winRate} lost",
      "{F5.label}: it is {F5.label}",
    ].map(filled),
    [
      "“Will it rain?” was at 0.345, so No cost 0.655",
      "34.5 cents and 65.5%",
      "14 cents or 14 percentage points",
      "62.8% won, 37.2% lost",
      "Follow: it is follow",
    ],
  )
})

Deno.test("a value that no fact has, or that has no such form, is refused with its place", () => {
  for (
    const open of [
      ...["{F9.price}", "{F2.from}", "{F2.constructor}", "{1-F1.market}", "{F1.market|cents}"],
      ...["{1-F3.change}", "{F4.winRate|cents}", "{F2.price|euros}", "{F2}", "{price}", "}"],
    ]
  ) {
    const reasons = fillValues(`It was at ${open}.`, facts)
    ok(Result.isFailure(reasons) && reasons.failure.length === 1, open)
  }
})

Deno.test("openIds() lists the facts of the open values once", () => {
  equal(openIds("{F1.market} at {1-F2.price}, {F2.price|cents}, {F3}"), ["F1", "F2"])
})
