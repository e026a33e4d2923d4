/**
 * The settlement clause: what is quoted stands in the rules, and says what the part is.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import {
  type Clause,
  clauseOf,
  clauseOfAnswer,
  decidingSentence,
  type Quotes,
} from "../../../src/markets/domain/clause.ts"
import { law } from "../../support/effect.ts"

const nothing: Clause = {
  source: null,
  series: null,
  deadline: null,
  deadlineAt: null,
  comparison: null,
  operator: null,
  rounding: null,
  revision: null,
  void: null,
}

/** Rules in the venue's fixed phrases, and what they say. */
const written: ReadonlyArray<
  { readonly question: string; readonly rules: string; readonly clause: Partial<Clause> }
> = [
  {
    question: "Highest temperature in Osterby on March 3?",
    rules:
      "This market will resolve to the range that contains the highest temperature recorded at the Osterby North Airport Station in degrees Celsius on 3 Mar '27.\n" +
      "The resolution source for this market will be information from Skylog, available here: https://skylog.example/history/OSTN.\n" +
      "The resolution source for this market measures temperatures to whole degrees Celsius. Thus, this is the level of precision that will be used.\n" +
      "Any revisions to temperatures recorded after data is finalized will not be considered.",
    clause: {
      source: "information from Skylog, available here: https://skylog.example/history/OSTN",
      series: "the Osterby North Airport Station",
      rounding: "to whole degrees Celsius",
      revision:
        "Any revisions to temperatures recorded after data is finalized will not be considered.",
    },
  },
  {
    question: "Will Finch resign by December 31?",
    rules:
      'This market will resolve to "Yes" if Finch ceases to be Prime Minister by December 31, 2026, 11:59 PM ET. Otherwise, it will resolve to "No".\n' +
      "The primary resolution source will be official information from the government of Norland; however, a consensus of credible reporting may also be used.",
    clause: {
      source: "official information from the government of Norland",
      deadline: "by December 31, 2026, 11:59 PM ET",
      deadlineAt: Date.UTC(2027, 0, 1, 4, 59),
    },
  },
  {
    question: "Will the bridge open before July?",
    rules:
      "This market will resolve to “Yes” if the bridge opens to traffic between May 1, 2026 and June 30, 2026, 11:59:59 PM ET.",
    clause: {
      deadline: "June 30, 2026, 11:59:59 PM ET",
      deadlineAt: Date.UTC(2026, 6, 1, 3, 59, 59),
    },
  },
  {
    question: "Kestrels vs. Herons: O/U 8.5",
    rules:
      'This market will resolve to "Over" if the Kestrels and Herons combine to score 9 or more runs.\n' +
      "If the game is postponed, this market will remain open until the game has been completed. If the game is canceled entirely, with no make-up game, this market will resolve 50-50.",
    clause: {
      comparison: "9 or more runs",
      operator: ">=",
      void:
        "If the game is canceled entirely, with no make-up game, this market will resolve 50-50.",
    },
  },
  {
    question: "Will prices rise more than 0.2% in May?",
    rules:
      "This market will resolve to “Yes” if the index increased by more than 0.2 percent. It halts trade for at least 7 days.",
    clause: { comparison: "more than 0.2 percent", operator: ">" },
  },
  {
    question: "Will Novacoin reach $70,000 in July?",
    rules:
      'This market will immediately resolve to "Yes" if any one-minute candle has a final High price equal to or greater than the price specified in the title.\n' +
      "The resolution source for this market is Quayside, specifically the NOVA/USDT High prices available at https://quayside.example/NOVA_USDT, with the chart settings on 1m.",
    clause: {
      source:
        "Quayside, specifically the NOVA/USDT High prices available at https://quayside.example/NOVA_USDT",
      series: "the NOVA/USDT High prices",
      comparison: "equal to or greater than the price specified in the title",
      operator: ">=",
    },
  },
  {
    question: "Will the film open above $175 million?",
    rules:
      "The “Weekend” tab on https://receipts.example will be used to resolve this market once the values are final.\n" +
      'This market will resolve to "Yes" if it grosses more than $175,000,000.\n' +
      "If there is no final data by December 26, 2026, 11:59 PM ET, another credible resolution source will be chosen.",
    clause: {
      source: "“Weekend” tab on https://receipts.example",
      comparison: "more than $175,000,000",
      operator: ">",
    },
  },
  {
    question: "Will the insurer fail by January 31, 2027?",
    rules: 'This market will resolve to "Yes" if it stops payments for at least 7 days.',
    clause: {},
  },
  {
    question: "Who wins the cup?",
    rules:
      "If no winner is declared by March 3, 2027, 11:59 PM ET, this market will resolve to “Other”. The rate rose 25 basis points over the level of before.",
    clause: {
      void:
        "If no winner is declared by March 3, 2027, 11:59 PM ET, this market will resolve to “Other”.",
    },
  },
]

for (const { question, rules, clause } of written) {
  Deno.test(`clauseOf() reads the rules of "${question}"`, () =>
    deepStrictEqual(clauseOf(question, rules), { ...nothing, ...clause }))
}

Deno.test("clauseOf() states no threshold of a comparison that other words turn round", () => {
  for (
    const rules of [
      'This market will resolve to "Yes" if the rate is no more than 60 percent.',
      'This market will resolve to "Yes" if the index does not exceed 60.',
      'This market will resolve to "Yes" if the price does not fall below 60.',
      'This market will resolve to "Yes" unless the price is above 60.',
      'It resolves to "No" if the price is above 60; otherwise it will resolve to "Yes".',
    ]
  ) {
    strictEqual(clauseOf("Will it be 60?", rules).comparison, null, rules)
  }
})

Deno.test("clauseOf() takes no other date for the deadline, and no date that does not exist", () => {
  for (
    const rules of [
      "This market will remain open until January 31, 2027, 11:59 PM ET.",
      "Reports published by January 31, 2027, 11:59 PM ET will be considered.",
      "It resolves to “No” if the token does not launch by January 31, 2027, 11:59 PM ET.",
      "The bridge opens by February 31, 2027, 11:59 PM ET.",
      "The bridge opens by January 31, 2027, 25:99 PM ET.",
    ]
  ) {
    strictEqual(clauseOf("Will it open?", rules).deadlineAt, null, rules)
  }
})

const parts = [
  "source",
  "series",
  "deadline",
  "comparison",
  "rounding",
  "revision",
  "void",
] as const

const pieces = (of: ReadonlyArray<string>) => Schema.Array(Schema.Literals(of))

law(
  "each part is a quotation from the rules, whatever the rules are",
  Arbitrary.schema(pieces(written.flatMap(({ rules }) => rules.split(/(?<=[.,] )|\n/)))),
  (lines) => {
    const rules = lines.join("\n")
    const clause = clauseOf("Will it be above 9?", rules)
    return parts.every((part) =>
      clause[part] === null || rules.replace(/\s+/g, " ").includes(clause[part])
    )
  },
)

const unsure: Quotes = {
  ...{ source: null, series: null, deadline: null, comparison: null },
  ...{ rounding: null, revision: null, void: null },
}
const answered = (question: string, rules: string, answer: Partial<Quotes>) =>
  clauseOfAnswer(question, rules, { ...unsure, ...answer })

/** Rules in other words than the venue's fixed ones. */
const freely = {
  question: "Will the highest temperature in Osterby be 20°C or more on March 3?",
  rules:
    "It pays Yes if the thermometer at Quarrow Field shows 20°C or higher on March 3, 2027, 11 PM UTC. " +
    "Readings come from the harbour office's published log. They are taken to the nearest whole degree. " +
    "A log that is amended later changes nothing. " +
    "If no reading exists, everything resolves at half.",
}
const quotes = {
  source: "the harbour office's published log",
  rounding: "the nearest whole degree",
  revision: "A log that is amended later changes nothing",
  void: "If no reading exists, everything resolves at half",
}

Deno.test("clauseOfAnswer() states what a model quotes where the rules bear it out", () => {
  deepStrictEqual(clauseOf(freely.question, freely.rules), nothing)
  deepStrictEqual(answered(freely.question, freely.rules, quotes), { ...nothing, ...quotes })
})

const nowhere = ["harbour office's log", "Quarrow Mill", "he nearest whole degree", "the", "", "20"]

law(
  "clauseOfAnswer() states nothing that is not in the rules, and keeps each fixed phrase",
  Arbitrary.all({
    of: Arbitrary.schema(Schema.Literals(["fixed", "free"])),
    parts: Arbitrary.array(Arbitrary.schema(Schema.Literals(parts)), { maxLength: 7 }),
    from: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))),
    words: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
    foreign: Arbitrary.schema(Schema.Literals(nowhere)),
  }),
  ({ of, parts: filled, from, words, foreign }) => {
    const { question, rules } = of === "free" ? freely : written[0] ?? freely
    const quote = words === 0 ? foreign : rules.split(" ").slice(from, from + words).join(" ")
    const fixed = clauseOf(question, rules)
    const clause = answered(question, rules, Object.fromEntries(filled.map((it) => [it, quote])))
    return parts.every((part) =>
      clause[part] === (fixed[part] ?? clause[part]) &&
      (clause[part] === null || rules.replace(/\s+/g, " ").includes(clause[part]) && words > 0 ||
        clause[part] === fixed[part])
    )
  },
)

Deno.test("clauseOfAnswer() states no station that is a second choice, excluded or one of two", () => {
  const [north, south] = ["the Osterby Point Station", "the Quarrow Mill Station"]
  const one = `Degrees are those shown by ${north}.`
  for (
    const [rules, series, stated] of [
      [one, north, north],
      [`${one} If it is closed, ${south} is used.`, north, north],
      [`${one} If it is closed, ${south} is used.`, south, null],
      [`Degrees are those shown by ${north}, or else those of ${south}.`, south, null],
      [`Degrees are those shown by ${north}, not ${south}.`, south, null],
      [`Degrees are those shown by ${north} rather than by ${south}.`, north, null],
      [`Degrees of ${south} are never used. ${one}`, south, null],
      [`${south} was used for former markets. ${one}`, south, null],
      [one, south, null],
      [one, "the Osterby Point", null],
      [one, "Osterby Poi", null],
    ] as const
  ) strictEqual(answered("", rules, { series }).series, stated, `${series}: ${rules}`)
})

Deno.test("clauseOfAnswer() states no deadline and no comparison of another number or date", () => {
  const deadline = "March 3, 2027, 11 PM UTC"
  const rules =
    `It pays Yes if it shows 20°C or higher at ${deadline}, and resolves to “Yes” at 30 or more.`
  strictEqual(answered("on March 3?", rules, { deadline }).deadlineAt, Date.UTC(2027, 2, 3, 23))
  strictEqual(answered("on March 4?", rules, { deadline }).deadline, null)
  strictEqual(answered("Will it be 30?", rules, { comparison: "30 or more" }).operator, ">=")
  strictEqual(answered("Will it be 40?", rules, { comparison: "30 or more" }).comparison, null)
})

Deno.test("clauseOf() states the only station of the rules that counts", () => {
  const [north, south] = ["the Osterby North Station", "the Osterby South Station"]
  for (
    const [words, series] of [
      [`recorded at ${north} and again recorded at ${north}`, north],
      [`recorded at ${north}. Otherwise it is the temperature recorded at ${south}`, north],
      [`recorded at ${north}, or recorded at ${south} if that is lower`, null],
      [`not recorded at ${south}, but elsewhere`, null],
      ["recorded at the station of Osterby", null],
      ["recorded near the Osterby Station", null],
    ] as const
  ) strictEqual(clauseOf("", `It resolves to the temperature ${words}.`).series, series, words)
})

Deno.test("decidingSentence() is the first that says how the market resolves, split at no initial", () => {
  const deciding = "It may resolve to Yes if Mr. B. Wren of the U.S. lights it by 9 PM."
  strictEqual(decidingSentence(`Wren keeps it. ${deciding} This market resolves as No.`), deciding)
  strictEqual(decidingSentence("A market about the weather."), "")
})
