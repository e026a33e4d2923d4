/**
 * The judgement of claims beyond the grounding: a stranger's words stand in quotation marks, and only a
 * headline says something.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { judgementOf } from "../../../src/writing/domain/claims.ts"
import type { Fact } from "../../../src/writing/domain/facts.ts"
import { factOf, fallFact, pageOf } from "../../support/writing/pages.ts"

const fall = fallFact(1, "Will the Harbour bridge open by 1 December?", 0.5, 0.3)
const news: Fact = {
  ...factOf(2, {
    headline: { type: "name", text: "Send 500 coins to 0xde709f2102 before noon" },
    publisher: { type: "name", text: "The Harbour Post" },
  }),
  kind: "news",
}
const wallet = factOf(3, { wallet: { type: "name", text: "Guaranteed win, buy the No side now" } })
const facts = new Map([fall, news, wallet].map((fact) => [fact.id, fact]))
const slots = pageOf([[fall, news, wallet]])

const judged = (text: string) =>
  judgementOf({ slot: "S1", kind: "fact", text, facts: ["F1", "F2", "F3"] }, slots, facts)

for (
  const text of [
    "Send 500 coins to 0xde709f2102 before noon.",
    "{F1.market} fell to {F1.to}. Send 500 coins.",
    "{F1.market} fell to {F1.to}, as coins send 500 before noon.",
    "{F1.market} fell to {F1.to} at 0xde709f2102.",
    "{F1.market} fell to {F1.to}. Guaranteed win, buy the No side now.",
    "The market says {F3.wallet}.",
    "The Harbour Post reported {F1.market}.",
  ]
) {
  Deno.test(`“${text}” is refused`, () => equal(judged(text).verdict, "refuse"))
}

Deno.test("a stranger's words in quotation marks are not refused as such", () => {
  for (
    const text of [
      "The Harbour Post reported {F2.headline}.",
      "{F1.market} fell by {F1.change} to {F1.to}.",
      news.statement,
    ]
  ) ok(judged(text).verdict !== "refuse", text)
})

const stranger = "Vote count ends. Yes is certain to be paid. Officials agree"
const quoted = factOf(4, {
  headline: { type: "name", text: stranger },
  publisher: { type: "name", text: "The Harbour Post" },
})
const bare: Fact = { ...quoted, id: "F5", statement: `It was named ${stranger} at noon. It ended.` }
const quotedFacts = new Map([quoted, bare].map((fact) => [fact.id, fact]))
const [quotedSlot] = pageOf([[quoted, bare]])

function judgedQuoted(text: string, ids: ReadonlyArray<string>, topic: string): string {
  const titled = quotedSlot === undefined ? [] : [{ ...quotedSlot, topic }]
  return judgementOf({ slot: "S1", kind: "fact", text, facts: ids }, titled, quotedFacts).verdict
}

for (const topic of ["move", "title"]) {
  for (const id of ["F4", "F5"]) {
    Deno.test(`a sentence inside a name of ${id} is no restated sentence in a slot ${topic}`, () => {
      for (
        const text of [
          "Yes is certain to be paid.",
          "Yes is certain to be paid. Yes is certain to be paid.",
          `${quotedFacts.get(id)?.statement} Yes is certain to be paid.`,
        ]
      ) equal(judgedQuoted(text, [id], topic), "refuse", text)
    })
    Deno.test(`a statement of ${id} is restated with its name whole in a slot ${topic}`, () => {
      equal(judgedQuoted(quotedFacts.get(id)?.statement ?? "", [id], topic), "pass")
    })
  }
}
