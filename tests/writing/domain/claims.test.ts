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

const move: Fact = {
  ...fallFact(6, "Will the Harbour bridge open by 1 December?", 0.3, 0.5),
  direction: "up",
}
const noon = 12 * 3_600_000

/** A headline that was published so many minutes before or after the move of `move`. */
function storyFact(order: "before" | "after", lagMinutes: number): Fact {
  const bridge = { type: "name", text: "Will the Harbour bridge open by 1 December?" } as const
  const { statement, ...fact } = factOf(7, {
    headline: { type: "name", text: "Bridge passes its last inspection" },
    publisher: { type: "name", text: "The Harbour Post" },
    publishedAt: { type: "time", at: noon, today: 0 },
    lag: { type: "duration", ms: lagMinutes * 60_000 },
    market: bridge,
    order: { type: "word", text: order },
  })
  const said = statement.replace(
    /, (“Will[^”]*”), (?:before|after)\.$/,
    ` ${order} the move in $1 ended.`,
  )
  return { ...fact, kind: "news", statement: said }
}

const published = "{F7.publisher} published {F7.headline}"
const rose = "{F6.market} rose {F6.change} to {F6.to}"

/** Claims, and the order of the headline to the move that each states. */
const timedClaims: ReadonlyArray<readonly [string, "before" | "after"]> = [
  [`${rose}, {F7.lag} after ${published}.`, "before"],
  [`${rose}, {F7.lag} before ${published}.`, "after"],
  [`{F7.lag} after ${published}, ${rose}.`, "before"],
  [`${published} {F7.lag} after the move in {F6.market}.`, "after"],
  [`${published} {F7.lag} before the move in {F6.market}.`, "before"],
  [`${rose}, and ${published} {F7.lag} later.`, "after"],
  [`${rose}, and ${published} {F7.lag} earlier.`, "before"],
  [`${published}, and ${rose} {F7.lag} later.`, "before"],
  [`${rose} following {F7.headline}.`, "before"],
  [`${rose} ahead of {F7.headline}.`, "after"],
  [`{F7.headline} was followed by the move in {F6.market}.`, "before"],
  [`{F7.headline} followed the move in {F6.market}.`, "after"],
  [`${published}, then ${rose}.`, "before"],
  [`${published}, and then ${rose}.`, "before"],
  [`${rose} when ${published}.`, "before"],
  [`${published}; {F7.lag} later, ${rose}.`, "before"],
  [`${published}, and {F7.lag} after it ${rose}.`, "before"],
  [`${rose} as ${published}.`, "before"],
  [`As ${published}, ${rose}.`, "before"],
  [`${rose} once ${published}.`, "before"],
  [`${rose} prior to {F7.headline}.`, "after"],
  [`${rose} afterwards, {F7.lag} from {F7.headline}.`, "after"],
  [`${rose} until ${published}.`, "after"],
  [`{F7.publisher} had published {F7.headline} when {F6.market} rose {F6.change}.`, "before"],
  [`${rose} {F7.lag} on from {F7.headline}.`, "before"],
  [`{F7.headline} preceded the move in {F6.market}.`, "before"],
  [`${rose}, {F7.lag} after it: {F7.headline}.`, "after"],
  [`${rose}. That was {F7.lag} after ${published}.`, "before"],
  [`${rose}, reported at {F6.to}, {F7.lag} after ${published}.`, "before"],
]

for (const order of ["before", "after"] as const) {
  Deno.test(`a headline ${order} the move is not put on its other side`, () => {
    const story = storyFact(order, 120)
    const timedFacts = new Map([move, story].map((fact) => [fact.id, fact]))
    const timed = (text: string) =>
      judgementOf(
        { slot: "S1", kind: "fact", text, facts: ["F6", "F7"] },
        pageOf([[move, story]]),
        timedFacts,
      ).verdict
    const results = timedClaims.map(([text, said]) => `${said === order} ${timed(text)} ${text}`)
    equal(results.filter((line) => /^(?:false pass|true refuse)/.test(line)), [])
    ok(results.some((line) => line.startsWith("true pass")), "true orders pass")
  })
}

Deno.test("a purchase is not put on the other side of its headline", () => {
  const { statement, values, ...fact } = storyFact("before", 120)
  const bought: Fact = {
    ...fact,
    statement: `${statement} Keen Dune last bought 2 hours before it.`,
    names: [...fact.names, "Keen Dune"],
    values: { ...values, wallet: { type: "name", text: "Keen Dune" } },
  }
  const verdict = (order: string) =>
    judgementOf(
      {
        slot: "S1",
        kind: "fact",
        text: `{F7.wallet} last bought {F7.lag} ${order} ${published}.`,
        facts: ["F7"],
      },
      pageOf([[bought]]),
      new Map([["F7", bought]]),
    ).verdict
  equal(["before", "after"].map(verdict), ["pass", "refuse"])
})
