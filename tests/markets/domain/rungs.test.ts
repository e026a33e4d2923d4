/**
 * Rungs of ladders: precision and recall on judged pairs of questions, and hostile text.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { rungsOf, rungsPerQuestionMax } from "../../../src/markets/domain/rungs.ts"
import { law } from "../../support/effect.ts"
import {
  endsAt,
  type Judged,
  type QuestionPair,
  questionPairs,
} from "../../support/markets/ladderQuestions.ts"

/** Which question implies the other, by the rungs; `both` if they contradict each other. */
function found({ questions, outcomes }: QuestionPair): Judged | "both" {
  const [first, second] = [0, 1].map((i) =>
    rungsOf({ question: questions[i] ?? "", outcomes: outcomes[i] ?? ["", ""], endsAt })
  )
  const ranks = (first ?? []).flatMap((a) =>
    (second ?? []).filter((b) =>
      a.template === b.template && a.kind === b.kind && a.rank !== b.rank
    )
      .map((b): Judged => (a.rank > b.rank ? "first" : "second"))
  )
  const [verdict = "none"] = ranks
  return ranks.some((other) => other !== verdict) ? "both" : verdict
}

Deno.test("rungsOf() finds the judged pairs with a precision of 1 and a recall over 0.85", () => {
  const judged = questionPairs.map((pair) => ({ pair, verdict: found(pair) }))
  const named = judged.filter(({ verdict }) => verdict !== "none")
  const wrong = named.filter(({ pair, verdict }) => verdict !== pair.implies)
  deepStrictEqual(wrong.map(({ pair, verdict }) => [...pair.questions, verdict]), [])
  const ladders = judged.filter(({ pair }) => pair.implies !== "none")
  const recall = named.length / ladders.length
  const missed = ladders.filter(({ verdict }) => verdict === "none")
  ok(ladders.length >= 40 && judged.length - ladders.length >= 40)
  ok(recall > 0.85, `recall ${recall}; missed: ${missed.map(({ pair }) => pair.questions[0])}`)
})

const pieces = [
  ...[
    "Will Gulls ",
    "above ",
    "by ",
    "before ",
    "O/U ",
    "Spread: ",
    "$",
    "1,000",
    "5.2%",
    "-3",
    "99",
  ],
  ...[
    "2027",
    "December 31",
    "February 30",
    " or more",
    "+",
    "(",
    ")",
    "{higher_limit %}",
    "\u202e",
  ],
  ...[
    "𝟙𝟚",
    "İ",
    "\u0000",
    "no ",
    "1e9",
    "Infinity",
    "°C",
    "–",
    "999999999999",
    "through ",
    "lasts ",
  ],
  ...["end of ", "EOY", "2026-13-45", "0000", "k", "."],
] as const
const hostileText = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 }))),
    {
      maxLength: 40,
    },
  ),
  (picks) => picks.map((pick) => pieces[pick % pieces.length] ?? "").join(""),
)

law("rungsOf() reads any text within its limit, to finite ranks", hostileText, (question) => {
  for (const outcomes of [["Yes", "No"], ["Over", "Under"], ["No", "Yes"]] as const) {
    for (const end of [endsAt, null, 0]) {
      const rungs = rungsOf({ question, outcomes, endsAt: end })
      if (rungs.length > rungsPerQuestionMax) return false
      if (!rungs.every(({ rank, label }) => Number.isFinite(rank) && label.length > 0)) return false
    }
  }
  return true
})

Deno.test("rungsOf() reads a long question of numbers, and none beyond 300 characters", () => {
  for (const piece of ["above ", "9,999,", "by May 1, ", "at least 9 or more ", "no more than "]) {
    rungsOf({ question: piece.repeat(300).slice(0, 300), outcomes: ["Yes", "No"], endsAt })
  }
  const question = `Will ${"x".repeat(300)} be above 5%?`
  deepStrictEqual(rungsOf({ question, outcomes: ["Yes", "No"], endsAt }), [])
})

Deno.test("rungsOf() names its words, and the outcome that they are about", () => {
  const question = "Will inflation be above 5.2% by December 8?"
  const [limit, deadline] = rungsOf({ question, outcomes: ["No", "Yes"], endsAt })
  deepStrictEqual([limit?.label, limit?.outcome, limit?.rank], ["above 5.2%", 1, 5.2])
  strictEqual(deadline, undefined)
  const [resigns] = rungsOf({
    question: "Finch out by December 8?",
    outcomes: ["Yes", "No"],
    endsAt,
  })
  deepStrictEqual([resigns?.label, resigns?.rank], ["by December 8", -Date.UTC(2026, 11, 9)])
})

Deno.test("rungsOf() names a rung by words that stand alone", () => {
  const labels = [
    ["Will the coin gain 49% by November 30?", "gain 49%"],
    ["Will Gildcoin reach $1,100 in November?", "reach $1,100"],
    ["Will Crude (CR) hit (LOW) $40 in July?", "hit (LOW) $40"],
    ["Will Norland be in the top 5?", "in the top 5"],
    ["Quark market cap >$4B one day after launch?", ">$4B"],
    ["Will it be -5°C or below on November 27?", "-5°C or below"],
    ["Ceasefire continues through July 25?", undefined],
  ] as const
  for (const [question, label] of labels) {
    strictEqual(rungsOf({ question, outcomes: ["Yes", "No"], endsAt: null })[0]?.label, label)
  }
  const spread = {
    question: "Spread: Gulls (-1.5)",
    outcomes: ["Rovers", "Gulls"],
    endsAt,
  } as const
  deepStrictEqual(rungsOf(spread).map(({ label, outcome }) => [label, outcome]), [
    ["Gulls (-1.5)", 1],
  ])
})

Deno.test("rungsOf() reads a date without a year only near a known end", () => {
  const question = "Finch out by March 1?"
  deepStrictEqual(rungsOf({ question, outcomes: ["Yes", "No"], endsAt: null }), [])
  deepStrictEqual(rungsOf({ question, outcomes: ["Yes", "No"], endsAt: Date.UTC(2026, 7, 30) }), [])
  const [rung] = rungsOf({ question, outcomes: ["Yes", "No"], endsAt: Date.UTC(2026, 11, 30) })
  strictEqual(rung?.rank, -Date.UTC(2027, 2, 2))
})
