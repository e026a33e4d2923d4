/**
 * Which markets are mechanical: each sign alone, and ordinary markets.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { type MechanicalEvidence, mechanicalSign } from "../../../src/markets/domain/market.ts"
import { law } from "../../support/effect.ts"

const ordinary: MechanicalEvidence = {
  slug: "will-the-lighthouse-be-lit",
  question: "Will the lighthouse be lit?",
  seriesSlugs: [],
  recurrences: [],
  tags: ["politics"],
  resolutionSources: [],
}

function sign(fields: Partial<MechanicalEvidence>) {
  return mechanicalSign({ ...ordinary, ...fields })
}

Deno.test("mechanicalSign() finds each sign alone", () => {
  strictEqual(sign({}), null)
  for (const recurrence of ["5m", "15m", "hourly", "4h"]) {
    strictEqual(sign({ recurrences: [recurrence] }), "recurrence")
    strictEqual(sign({ seriesSlugs: [`btc-up-or-down-${recurrence}`] }), "recurrence")
  }
  strictEqual(sign({ slug: "btc-updown-5m-1773307200" }), "slug")
  strictEqual(sign({ slug: "eth-updown-4h-1773307200" }), "slug")
  strictEqual(sign({ slug: "bitcoin-up-or-down-march-12-5am-et" }), "slug")
  strictEqual(sign({ slug: "BTC-Multistrike-4h-1758873600-110k" }), "slug")
  strictEqual(sign({ slug: "ethereum-above-2240-on-april-27-10am-et" }), "slug")
  strictEqual(sign({ question: "Ethereum above 2,240 on April 27, 10AM ET?" }), "question")
  strictEqual(sign({ question: "Bitcoin Up or Down - March 12, 5:20AM-5:25AM ET" }), "question")
  strictEqual(sign({ tags: ["crypto", "hide-from-new", "up-or-down", "recurring"] }), "tags")
  strictEqual(
    sign({ resolutionSources: ["https://data.chain.link/streams/btc-usd"] }),
    "price_stream",
  )
})

Deno.test("mechanicalSign() returns null for ordinary markets", () => {
  for (const recurrence of ["daily", "weekly", "monthly", ""]) {
    strictEqual(sign({ recurrences: [recurrence] }), null)
  }
  strictEqual(sign({ seriesSlugs: ["counter-strike"] }), null)
  strictEqual(sign({ slug: "mlb-sd-atl-2026-07-23" }), null)
  strictEqual(sign({ slug: "will-bitcoin-go-up-or-sideways" }), null)
  strictEqual(sign({ slug: "who-wins-the-updown-5m-cup" }), null)
  const tags = ["up-or-down", "recurring", "hide-from-new"]
  for (const missing of tags) {
    strictEqual(sign({ tags: tags.filter((tag) => tag !== missing) }), null)
  }
  for (
    const slug of [
      "korn-ferry-kfy-up-or-down-after-earnings",
      "trump-approval-up-or-down-this-week-714",
      "will-the-price-of-bitcoin-be-less-than-106k-on-july-5-at-5pm-et",
      "bitcoin-above-66k-on-april-4",
      "nba-2025-26-3pm-leader-trae-young",
    ]
  ) strictEqual(sign({ slug }), null, slug)
  for (
    const question of [
      "Will Bitcoin be above $150,000 by December 31, 2026, 11:59 PM ET?",
      "Bitcoin above $115.5K on August 24 at 4PM ET?",
      "Korn Ferry (KFY) Up or Down after earnings?",
    ]
  ) strictEqual(sign({ question }), null, question)
  strictEqual(sign({ resolutionSources: ["https://example.com/?of=data.chain.link"] }), null)
})

const piece = Schema.Literals(["-updown-", "-up-or-", "5m", "12345", "-", "m-1", "down"])
const hostile = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(piece), { minLength: 1, maxLength: 7 }),
  // At this length a step that backtracks takes hours.
  (pieces) => pieces.join("").repeat(40_000),
)

law("mechanicalSign() reads hostile slugs of any length", hostile, (slug) => {
  sign({ slug, question: slug, seriesSlugs: [slug], resolutionSources: [slug] })
}, { runs: 40 })
