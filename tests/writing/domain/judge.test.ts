/**
 * The judge can delete and never add: a claim stays only on verdicts whose words stand in the facts that
 * it cites, for each of its values.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import { supportedClaims, type Verdict } from "../../../src/writing/domain/judge.ts"
import type { Claim } from "../../../src/writing/domain/page.ts"
import { isTrusted, labelledClaims, trialOf } from "../../../src/writing/domain/trial.ts"
import { law } from "../../support/effect.ts"
import { hostileText, oneOf } from "../../support/http/hostile.ts"
import { fallFact } from "../../support/writing/pages.ts"

const facts = new Map([fallFact(1, "Alpha", 0.5, 0.3), fallFact(2, "Beta", 0.4, 0.2)]
  .map((fact) => [fact.id, fact]))
const claim: Claim = {
  slot: "S1",
  kind: "fact",
  text: "Alpha fell to 0.30.",
  facts: ["F1"],
  values: [{ fact: "F1", text: "0.30" }],
}
const good: Verdict = {
  claim: "C1",
  verdict: "supported",
  support: [
    { part: "Alpha fell", fact: "F1", words: "the price in ALPHA  fell" },
    { part: "0.30", fact: "F1", words: "to 0.30" },
  ],
}
const kept = (...verdicts: ReadonlyArray<Verdict>) => supportedClaims([claim], verdicts, facts)
const withEntry = (n: number, entry: Partial<Verdict["support"][number]>): Verdict => ({
  ...good,
  support: good.support.map((it, at) => at === n ? { ...it, ...entry } : it),
})

Deno.test("a claim stays on a verdict that names its verb and its value with words of its fact", () => {
  equal(kept(good), [claim])
})

for (
  const [what, ...verdicts] of [
    ["no verdict"],
    ["another verdict too", good, { ...good, verdict: "contradicted" }],
    ["a verdict on another claim", { ...good, claim: "C2" }],
    ["no words", { ...good, support: [] }],
    ["no words for the verb", { ...good, support: good.support.slice(1) }],
    ["no words for the value", { ...good, support: good.support.slice(0, 1) }],
    ["words that the fact does not have", withEntry(0, { words: "the price in Alpha rose" })],
    ["words of a fact that is not cited", withEntry(0, { fact: "F2", words: "The price in Beta" })],
    ["an unknown fact", withEntry(0, { fact: "F9" })],
    ["empty words", withEntry(0, { words: " " })],
    ["a part that the claim does not have", withEntry(0, { part: "Alpha dropped" })],
    ["words without the value", withEntry(1, { words: "fell by 20 cents" })],
  ] as ReadonlyArray<readonly [string, ...ReadonlyArray<Verdict>]>
) Deno.test(`a claim falls on ${what}`, () => equal(kept(...verdicts), []))

law(
  "hostile words support nothing",
  Arbitrary.all({ text: hostileText, n: oneOf([0, 1]), where: oneOf(["part", "fact", "words"]) }),
  ({ text, n, where }) => {
    const isOwn = [claim.text, "F1", facts.get("F1")?.statement ?? ""]
      .some((own) => own.toLowerCase().includes(text.trim().toLowerCase()))
    return isOwn || kept(withEntry(n, { [where]: text })).length === 0
  },
)

Deno.test("a judge is trusted from 95% of false and 80% of honest sentences on", () => {
  const honest = labelledClaims.filter(({ fault }) => fault === null).map(({ claim }) => claim)
  const wrong = labelledClaims.filter(({ fault }) => fault !== null).map(({ claim }) => claim)
  ok(honest.length >= 40 && wrong.length >= 60, `${honest.length}, ${wrong.length}`)
  const passedMax = Math.floor(0.05 * wrong.length)
  const keptMin = Math.ceil(0.8 * honest.length)
  const verdictOf = (passed: number, kept: number) =>
    isTrusted(trialOf([...wrong.slice(0, passed), ...honest.slice(0, kept)]))
  ok(verdictOf(0, honest.length) && verdictOf(passedMax, keptMin))
  ok(!verdictOf(passedMax + 1, honest.length) && !verdictOf(0, keptMin - 1))
  ok(!verdictOf(wrong.length, honest.length), "a judge that always says yes")
  ok(!verdictOf(0, 0), "a judge that always says no")
})
