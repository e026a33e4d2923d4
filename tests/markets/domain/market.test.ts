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
  strictEqual(sign({ tags: ["crypto", "hide-from-new", "recurring"] }), "tags")
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
  strictEqual(sign({ tags: ["recurring"] }), null)
  strictEqual(sign({ tags: ["hide-from-new"] }), null)
  strictEqual(sign({ resolutionSources: ["https://example.com/?of=data.chain.link"] }), null)
})

const piece = Schema.Literals(["-updown-", "-up-or-", "5m", "12345", "-", "m-1", "down"])
const hostile = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(piece), { minLength: 1, maxLength: 7 }),
  (pieces) => pieces.join("").repeat(4_000),
)

law("mechanicalSign() takes linear time on hostile slugs", hostile, (slug) => {
  const started = performance.now()
  sign({ slug, seriesSlugs: [slug], resolutionSources: [slug] })
  return performance.now() - started < 200
}, { runs: 40 })
