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
import { hostileText } from "../../support/http/hostile.ts"
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
  ["F5", factOf(5, { label: { type: "word", text: "follow" } })],
])

Deno.test("a filled value is listed with its fact, and a word may begin a sentence", () => {
  equal(Result.getOrThrow(fillValues("{F5.label}: {F1.market} was at {F2.price}", facts)), {
    text: "Follow: “Will it rain?” was at 0.345",
    values: [
      { fact: "F5", text: "follow" },
      { fact: "F1", text: "“Will it rain?”" },
      { fact: "F2", text: "0.345" },
    ],
  })
  equal(slotsIn("{F1.market} at {F2.price}, {F3}").map(({ id }) => id), ["F1", "F2"])
})

Deno.test("a value that no fact has is refused with its place", () => {
  for (
    const open of [
      ...["{F9.price}", "{F2.from}", "{F2.constructor}", "{1-F2.price}", "{F2.price|cents}"],
      ...["{F2}", "{price}", "}"],
    ]
  ) {
    const reasons = fillValues(`It was at ${open}.`, facts)
    ok(Result.isFailure(reasons) && reasons.failure.length === 1, open)
  }
})
