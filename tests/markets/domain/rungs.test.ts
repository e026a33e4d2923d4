/**
 * Rungs of ladders: precision and recall on judged pairs of questions, and hostile text.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { rulesDatesOf, rungsOf, rungsPerQuestionMax } from "../../../src/markets/domain/rungs.ts"
import { law } from "../../support/effect.ts"
import {
  type Judged,
  type QuestionPair,
  questionPairs,
  times,
} from "../../support/markets/ladderQuestions.ts"

/** Which question implies the other, by the rungs; `both` if they contradict each other. */
function found({ questions, outcomes }: QuestionPair): Judged | "both" {
  const [first, second] = [0, 1].map((i) =>
    rungsOf({ question: questions[i] ?? "", outcomes: outcomes[i] ?? ["", ""], ...times })
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
const day = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

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
    for (const end of [times.endsAt, null, 0]) {
      const rungs = rungsOf({ ...times, question, outcomes, endsAt: end })
      if (rungs.length > rungsPerQuestionMax) return false
      if (!rungs.every(({ rank, label }) => Number.isFinite(rank) && label.length > 0)) return false
    }
  }
  return true
})

Deno.test("rungsOf() reads a long question of numbers, and none beyond 300 characters", () => {
  for (const piece of ["above ", "9,999,", "by May 1, ", "at least 9 or more ", "no more than "]) {
    rungsOf({ question: piece.repeat(300).slice(0, 300), outcomes: ["Yes", "No"], ...times })
  }
  const question = `Will ${"x".repeat(300)} be above 5%?`
  deepStrictEqual(rungsOf({ question, outcomes: ["Yes", "No"], ...times }), [])
})

Deno.test("rungsOf() names its words, and the outcome that they are about", () => {
  const question = "Will inflation be above 5.2% by December 8?"
  const [limit, deadline] = rungsOf({ question, outcomes: ["No", "Yes"], ...times })
  deepStrictEqual([limit?.label, limit?.outcome, limit?.rank], ["above 5.2%", 1, 5.2])
  strictEqual(deadline, undefined)
  const [resigns] = rungsOf({
    question: "Finch out by December 8?",
    outcomes: ["Yes", "No"],
    ...times,
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
    strictEqual(
      rungsOf({ question, outcomes: ["Yes", "No"], ...times, endsAt: null })[0]?.label,
      label,
    )
  }
  const spread = {
    question: "Spread: Gulls (-1.5)",
    outcomes: ["Rovers", "Gulls"],
    ...times,
  } as const
  deepStrictEqual(rungsOf(spread).map(({ label, outcome }) => [label, outcome]), [
    ["Gulls (-1.5)", 1],
  ])
})

const created = Date.UTC(2026, 0, 10)
const end = (month: number, date: number, year = 2026) => Date.UTC(year, month, date)

/** The instant of the question's deadline, as an ISO day; null without one. */
function deadlineOf(
  question: string,
  { createdAt = created, endsAt = end(11, 31), rules = "" }: {
    readonly createdAt?: number | null
    readonly endsAt?: number | null
    readonly rules?: string
  },
): string | null {
  const rulesDates = rulesDatesOf(question, rules)
  const [rung] = rungsOf({ question, outcomes: ["Yes", "No"], createdAt, endsAt, rulesDates })
  return rung === undefined ? null : new Date(-rung.rank).toISOString().slice(0, 10)
}

Deno.test("rungsOf() reads a date without a year only where it can mean one day", () => {
  const question = "Army strike on Ruritania by March 31?"
  const cases: ReadonlyArray<readonly [Parameters<typeof deadlineOf>[1], string | null]> = [
    [{}, "2026-04-01"],
    // The end of its event is before it, or allows two years.
    [{ endsAt: end(0, 31) }, null],
    [{ createdAt: end(0, 10, 2025) }, null],
    [{ createdAt: null }, null],
    [{ createdAt: null, endsAt: end(2, 31) }, "2026-04-01"],
    [{ endsAt: null }, null],
    // The year of the rules wins; two years, or another day, say nothing.
    [
      { endsAt: end(0, 31), rules: "Yes if it attacks by March 31, 2026, 11:59 PM ET." },
      "2026-04-01",
    ],
    [{ rules: "Yes if it attacks by 31 March 2027." }, "2027-04-01"],
    [{ rules: "By 2026-03-31, or by March 31, 2027." }, null],
    [{ rules: "Yes if it attacks by June 30, 2026." }, null],
    [{ rules: "Yes if it attacks by March 31, 2025." }, null],
  ]
  for (const [market, expected] of cases) strictEqual(deadlineOf(question, market), expected)
})

Deno.test("rungsOf() drops a date whose own year is not that of the rules, or is before the creation", () => {
  const question = "Finch out before July 2026?"
  strictEqual(deadlineOf(question, {}), "2026-07-01")
  strictEqual(deadlineOf(question, { rules: "By June 30, 2026, 11:59 PM ET." }), "2026-07-01")
  strictEqual(deadlineOf(question, { rules: "By June 30, 2027, 11:59 PM ET." }), null)
  strictEqual(deadlineOf(question, { createdAt: end(6, 2) }), null)
})

law(
  "rungsOf() never reads a date without a year as one before the creation or after the end",
  Arbitrary.all({ month: day(0, 11), date: day(1, 28), from: day(0, 700), length: day(0, 700) }),
  ({ month, date, from, length }) => {
    const createdAt = Date.UTC(2025, 0, 1 + from)
    const endsAt = createdAt + length * 86_400_000
    const name = new Date(Date.UTC(2026, month)).toLocaleString("en-US", { month: "long" })
    const read = deadlineOf(`Finch out by ${name} ${date}?`, { createdAt, endsAt })
    const at = read === null ? null : Date.parse(read)
    return at === null || (at > createdAt && at <= endsAt + 2 * 86_400_000)
  },
)
