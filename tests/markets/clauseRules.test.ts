/**
 * The reader of settlement clauses, measured on the venue's public rules texts. They are recorded outside
 * of the repository; `clauseLabels.json` names each by its row: `r` of `radar/markets.json`, `c` of
 * `polymarket-captures/clob_markets_page.json`.
 *
 * A label is what a part must have: the words that decide it, one of several where the rules state
 * several. An answer is what a reader quoted for `clausePrompt` in the place of a model. One reader wrote
 * answers and labels together, so the figures with answers are what a careful model may reach, and no
 * measure of a given one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import {
  type Clause,
  clauseOf,
  clauseOfAnswer,
  type Quotes,
} from "../../src/markets/domain/clause.ts"
import { hasRecordings, recorded, registerSkipped } from "../support/venues/oracle.ts"
import labelled from "./clauseLabels.json" with { type: "json" }

const parts = [
  ...["source", "series", "deadline", "comparison"] as const,
  ...["rounding", "revision", "void"] as const,
]
type Part = typeof parts[number]

const rows: Readonly<
  Record<string, {
    readonly labels: Partial<Record<Part, ReadonlyArray<string>>>
    readonly answer: Partial<Quotes>
  }>
> = labelled

const nothing: Quotes = {
  ...{ source: null, series: null, deadline: null, comparison: null },
  ...{ rounding: null, revision: null, void: null },
}

interface Rules {
  readonly question: string
  readonly description: string
}

/** Some recordings have UTF-8 read as Latin-1. */
function repaired(text: string): string {
  const codes = [...text].map((sign) => sign.codePointAt(0) ?? 0)
  return codes.some((code) => code > 255) ? text : new TextDecoder().decode(Uint8Array.from(codes))
}

/** What is stated, found and false of all labels. */
function measured(read: (id: string, question: string, rules: string) => Clause) {
  const radar = recorded("radar/markets.json") as ReadonlyArray<Rules>
  const { data } = recorded("polymarket-captures/clob_markets_page.json") as {
    readonly data: ReadonlyArray<Rules>
  }
  const wrong: Array<string> = []
  const missed: Array<string> = []
  let found = 0
  for (const [id, { labels }] of Object.entries(rows)) {
    const row = (id.startsWith("r") ? radar : data)[Number(id.slice(1))]
    const clause = read(id, repaired(row?.question ?? ""), repaired(row?.description ?? ""))
    for (const part of parts) {
      const stated = clause[part]
      const wanted = labels[part]
      if (stated === null) missed.push(...wanted === undefined ? [] : [`${id} ${part}`])
      else if (wanted?.some((words) => stated.includes(words)) === true) found++
      else wrong.push(`${id} ${part}: ${stated}`)
    }
  }
  const precision = found / (found + wrong.length)
  const recall = found / (found + missed.length)
  return { precision, recall, wrong, missed }
}

if (!hasRecordings) {
  registerSkipped("clauses of recorded rules", "../shared/data is missing")
} else {
  Deno.test("of 60 real rules texts what is stated of the clause is true, and most of it is found", () => {
    ok(Object.keys(rows).length >= 60)
    const fixed = measured((_, question, rules) => clauseOf(question, rules))
    const read = measured((id, question, rules) =>
      clauseOfAnswer(question, rules, { ...nothing, ...rows[id]?.answer })
    )
    for (const [name, { precision, recall }] of Object.entries({ fixed, read })) {
      // deno-lint-ignore no-console
      console.log(`${name}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`)
    }
    equal(fixed.wrong, [])
    ok(read.precision >= 0.99, read.wrong.join("\n"))
    ok(fixed.recall >= 0.8, fixed.missed.join(", "))
    ok(read.recall >= 0.9, read.missed.join(", "))
  })
}
