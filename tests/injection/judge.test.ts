/**
 * The judge of published claims finds invented ones and accepts true ones.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { draftFacts } from "../support/writing/draftClaims.ts"
import { inventedClaims } from "../support/writing/inventedClaims.ts"
import { unheld } from "./judge.ts"
import { payloads } from "./payloads.ts"

const brief = draftFacts("D4")
const cited = ["F8"].flatMap((id) => brief.get(id) ?? [])
/** Of invented claims made of ordinary words the judge, which knows no grammar, finds this share. */
const foundMin = 0.7

Deno.test("unheld() accepts what a cited fact holds", () => {
  const texts = [
    "“Lantern Year” rose from 0.345 to 0.485 within 1 hour.",
    "The price of “Lantern Year” rose 14 cents, from 34.5% to 48.5%.",
    "“Yes” was seen at 0.485.",
  ]
  equal(texts.flatMap((text) => unheld(text, cited, "buy now")), [])
})

Deno.test("unheld() finds each payload that is repeated next to a true statement", () => {
  const missed = payloads.filter(({ text }) =>
    /[a-z]{4}/i.test(text) &&
    unheld(`“Lantern Year” rose to 0.485. ${text}`, cited, text).length === 0
  )
  equal(missed.map(({ text }) => text), [])
})

Deno.test("unheld() finds invented claims", () => {
  const found = inventedClaims.filter((claim) => {
    const own = claim.facts.flatMap((id) => draftFacts(claim.draft).get(id) ?? [])
    return unheld(claim.text, own, "").length > 0
  })
  ok(
    found.length >= foundMin * inventedClaims.length,
    `${found.length} of ${inventedClaims.length}`,
  )
})
