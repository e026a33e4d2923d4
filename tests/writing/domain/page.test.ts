/**
 * Pages: no fact of the template is lost, no accepted claim is lost without cause, and inference stays
 * the smaller part.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary } from "effect"
import {
  type Claim,
  fillSlots,
  type Sentence,
  wordCount,
} from "../../../src/writing/domain/page.ts"
import { law } from "../../support/effect.ts"
import { anyInt } from "../../support/http/hostile.ts"
import { anyPage, fallFact, pageOf } from "../../support/writing/pages.ts"

law("every fact of the template is stated in its slot, whatever the claims", anyPage, (page) => {
  const filled = fillSlots(page.slots, page.claims)
  equal(filled.map(({ id }) => id), page.slots.map(({ id }) => id))
  return page.slots.every((slot, n) => {
    const stated = filled[n]?.sentences
      .filter(({ kind }) => kind === "template" || kind === "fact").flatMap(({ facts }) => facts)
    return slot.sentences.flatMap(({ facts }) => facts).every((fact) => stated?.includes(fact))
  })
})

law("a page holds the claims of its slots in their order, and nothing else", anyPage, (page) => {
  for (const slot of fillSlots(page.slots, page.claims)) {
    const own = page.claims.filter((claim) => claim.slot === slot.id)
    const written = slot.sentences.filter(({ kind }) => kind !== "template")
    const places = written.map(({ text }) =>
      own.findIndex((claim) => text.toLowerCase().endsWith(claim.text.toLowerCase()))
    )
    ok(places.every((place) => place >= 0))
    equal(places, places.toSorted((a, b) => a - b))
    const left = own.filter((_, n) => !places.includes(n))
    ok(left.every(({ kind }) => kind === "inference"))
    const template = page.slots.find(({ id }) => id === slot.id)?.sentences.map(({ text }) => text)
    ok(
      slot.sentences.every(({ kind, text }) => kind !== "template" || template?.includes(text)),
    )
  }
})

law("inference is at most a third of the words, and is called a reading", anyPage, (page) => {
  const sentences = fillSlots(page.slots, page.claims).flatMap((slot) => slot.sentences)
  const words = (texts: typeof sentences) =>
    texts.reduce((sum, { text }) => sum + wordCount(text), 0)
  const inference = sentences.filter(({ kind }) => kind === "inference")
  ok(inference.every(({ text }) => text.startsWith("Our reading: ")))
  ok(sentences.every(({ kind, text }) => kind === "inference" || !text.startsWith("Our reading")))
  return words(inference) <= words(sentences) / 3
})

law(
  "claims make a page at most a tenth longer than the limit, or than its template",
  Arbitrary.all({ page: anyPage, wordsMax: anyInt(0, 300) }),
  ({ page: { slots, claims }, wordsMax }) => {
    const words = (page: ReadonlyArray<{ sentences: ReadonlyArray<Sentence> }>) =>
      page.flatMap(({ sentences }) => sentences)
        .reduce((sum, { text }) => sum + wordCount(text), 0)
    const filled = fillSlots(slots, claims, wordsMax)
    ok(words(filled) <= 1.1 * Math.max(wordsMax, words(slots)))
    const whole = fillSlots(slots, claims)
    if (words(whole) <= wordsMax) equal(filled, whole)
  },
)

const facts = [fallFact(1, "Alpha", 0.5, 0.3), fallFact(2, "Beta", 0.4, 0.2)]
const slots = pageOf([facts])
const claim = (kind: Claim["kind"], text: string, cited: ReadonlyArray<string>): Claim => ({
  slot: "S1",
  kind,
  text,
  facts: cited,
  values: [],
})

Deno.test("a claim replaces the sentences whose facts it states, and stands before the rest", () => {
  const [slot] = fillSlots(slots, [claim("fact", "Alpha fell to 0.30.", ["F1"])])
  equal(slot?.sentences.map(({ kind, text }) => [kind, text]), [
    ["fact", "Alpha fell to 0.30."],
    ["template", facts[1]?.statement],
  ])
})

Deno.test("a reading replaces nothing, and stands behind the facts that it rests on", () => {
  const [slot] = fillSlots(slots, [
    claim("inference", "The two may share a cause.", ["F1", "F2"]),
  ])
  equal(slot?.sentences.map(({ kind }) => kind), ["template", "template", "inference"])
  equal(slot?.sentences.at(-1)?.text, "Our reading: The two may share a cause.")
})
