/**
 * The deciding sentences of a market's rules.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { rulesLengthMax } from "../../../src/markets/domain/proposal.ts"
import { rulesExcerpt } from "../../../src/markets/domain/rulesExcerpt.ts"
import { law } from "../../support/effect.ts"

const rules =
  `Arlo Finch has led Norland since 2019. He has many critics, and Mr. B. Wren is one of them.

This market will resolve to "Yes" if Finch ceases to be Prime Minister by December 31, 2026, 11:59 PM ET. ` +
  `Otherwise, this market will resolve to "No".

An announcement counts regardless of when it takes effect. The garden of his house is large.

The primary resolution source for this market will be official information from the U.S. embassy in Norland.`

Deno.test("rulesExcerpt() keeps what decides, in order, and marks what it left out", () => {
  strictEqual(
    rulesExcerpt(rules, 1_000),
    "This market will resolve to 'Yes' if Finch ceases to be Prime Minister by December 31, 2026, " +
      "11:59 PM ET. Otherwise, this market will resolve to 'No'. An announcement counts regardless of " +
      "when it takes effect. […] The primary resolution source for this market will be official " +
      "information from the U.S. embassy in Norland.",
  )
})

Deno.test("rulesExcerpt() leaves out the lightest sentence first", () => {
  strictEqual(
    rulesExcerpt(rules, 240),
    "This market will resolve to 'Yes' if Finch ceases to be Prime Minister by December 31, 2026, " +
      "11:59 PM ET. […] The primary resolution source for this market will be official information " +
      "from the U.S. embassy in Norland.",
  )
})

Deno.test("rulesExcerpt() prefers how the market resolves to heavier exceptions", () => {
  const main = "This market will resolve to Yes if the lighthouse is lit."
  const exception = "If no official source reports it by May 2026, the market will resolve to No."
  strictEqual(rulesExcerpt(`${main} ${exception}`, 90), main)
  const expected = "Otherwise, this market will resolve to No."
  const source = "The resolution source is the keeper's log."
  strictEqual(rulesExcerpt(`${main} ${expected} ${source}`, 110), `${main} […] ${source}`)
})

Deno.test("rulesExcerpt() is null for rules that decide nothing, and cut when one sentence is too long", () => {
  strictEqual(rulesExcerpt("", 200), null)
  strictEqual(rulesExcerpt("\u202e\u0000", 200), null)
  strictEqual(rulesExcerpt("A market about the weather.", 200), null)
  const cut = rulesExcerpt(rules, 40)
  strictEqual(cut, "This market will resolve to 'Yes' if Fi…")
})

const pieces = [
  ...[
    "This market will resolve to Yes. ",
    "“quoted” ",
    "\n\n",
    "\u202e",
    "\u0000",
    "Official source. ",
  ],
  ...[
    "[a](https://x.example) ",
    "U.S. ",
    "<b>",
    "If no winner, 50-50. ",
    "𝕏 ",
    "e\u0301\u0301\u0301\u0301\u0301",
  ],
  ...["\ud800", "!!! ", "...... ", "by 9 PM ET ", "A", "."],
] as const
const anyRules = Arbitrary.all({
  text: Arbitrary.map(
    Arbitrary.array(
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 }))),
      { maxLength: 120 },
    ),
    (picks) => picks.map((pick) => pieces[pick % pieces.length] ?? "").join(""),
  ),
  max: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 }))),
})

law(
  "rulesExcerpt() is one clean line within its limit, of words of the rules",
  anyRules,
  (given) => {
    const found = rulesExcerpt(given.text, given.max)
    if (found === null) return true
    ok(found !== "" && [...found].length <= given.max)
    ok(!/[\n\u202e\0“”"]/.test(found))
    return found.replace(/…/g, "").split(/[^A-Za-z]+/).every((word) => given.text.includes(word))
  },
)

Deno.test("rulesExcerpt() reads only the start of long rules", () => {
  for (
    const piece of ["A. ", "by ".repeat(50), "This market will resolve to Yes. ", "U.", "if the "]
  ) {
    const rules = piece.repeat(20_000)
    strictEqual(rulesExcerpt(rules, 500), rulesExcerpt(rules.slice(0, 2 * rulesLengthMax), 500))
  }
})
