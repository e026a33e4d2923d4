/**
 * Open values: each is filled with the one spelling of the fact's value, and nothing else is filled.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Result } from "effect"
import { fillValues, slotsIn, withoutSlots } from "../../../src/writing/domain/fill.ts"
import { spelled } from "../../../src/writing/domain/values.ts"
import { law } from "../../support/effect.ts"
import { anyInt, hostileText } from "../../support/http/hostile.ts"
import { anyValue, factOf } from "../../support/writing/pages.ts"

law("an open value becomes the spelling of the value, with one pair of quotation marks", anyValue, (
  value,
) => {
  const facts = new Map([["F8", factOf(8, { from: value })]])
  for (const text of ["At {F8.from}.", "At “{F8.from}”.", 'At "{ F8.from }".']) {
    strictEqual(Result.getOrThrow(fillValues(text, facts)).text, `At ${spelled(value)}.`)
  }
})

law(
  "a price and its complement add up to one, in prices, cents and percents",
  anyInt(0, 10_000),
  (n) => {
    const facts = new Map([["F2", factOf(2, { price: { type: "price", value: n / 10_000 } })]])
    for (const [unit, whole] of [["", 1], ["|cents", 100], ["|percent", 100]] as const) {
      const { text } = Result.getOrThrow(
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
    const isClean = !/[{}]/.test(withoutSlots(text, " "))
    strictEqual(Result.isSuccess(filled), isClean)
    const isFirstWord = value.type === "word" && text === ""
    if (Result.isSuccess(filled) && !/[“"]$/.test(text) && !isFirstWord) {
      strictEqual(filled.success.text, `${text}${spelled(value)}${text}`)
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
  const filled = (text: string) => Result.getOrNull(fillValues(text, facts))?.text
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

Deno.test("a filled value is listed with its fact, as it is spelled and as the fact states it", () => {
  equal(
    Result.getOrThrow(fillValues("{F2.price|cents}, {1-F2.price}, {F1.market}", facts)).values,
    [
      { fact: "F2", text: "34.5 cents", stated: "0.345" },
      { fact: "F2", text: "0.655", stated: "0.345" },
      { fact: "F1", text: "“Will it rain?”", stated: "“Will it rain?”" },
    ],
  )
  equal(slotsIn("{F1.market} at {1-F2.price}, {F3}").map(({ id }) => id), ["F1", "F2"])
})
