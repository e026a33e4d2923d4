/**
 * Which markets are mechanical noise: each sign alone, and the recorded rows where they are at hand.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { type MechanicalEvidence, mechanicalSign } from "../../src/domain/market.ts"
import { law } from "../support/effect.ts"

const ordinary: MechanicalEvidence = {
  slug: "will-the-lighthouse-be-lit",
  seriesSlug: null,
  recurrence: null,
  tags: ["politics"],
  resolutionSource: null,
}

function sign(fields: Partial<MechanicalEvidence>) {
  return mechanicalSign({ ...ordinary, ...fields })
}

Deno.test("mechanicalSign() finds each sign alone", () => {
  strictEqual(sign({}), null)
  for (const recurrence of ["5m", "15m", "hourly", "4h"]) {
    strictEqual(sign({ recurrence }), "recurrence")
    strictEqual(sign({ seriesSlug: `btc-up-or-down-${recurrence}` }), "recurrence")
  }
  strictEqual(sign({ slug: "btc-updown-5m-1773307200" }), "slug")
  strictEqual(sign({ slug: "eth-updown-4h-1773307200" }), "slug")
  strictEqual(sign({ slug: "bitcoin-up-or-down-march-12-5am-et" }), "slug")
  strictEqual(sign({ tags: ["crypto", "hide-from-new", "recurring"] }), "tags")
  strictEqual(sign({ resolutionSource: "https://data.chain.link/streams/btc-usd" }), "price_stream")
})

Deno.test("mechanicalSign() lets ordinary markets be", () => {
  for (const recurrence of ["daily", "weekly", "monthly", ""]) {
    strictEqual(sign({ recurrence }), null)
  }
  strictEqual(sign({ seriesSlug: "counter-strike" }), null)
  strictEqual(sign({ slug: "mlb-sd-atl-2026-07-23" }), null)
  strictEqual(sign({ slug: "will-bitcoin-go-up-or-sideways" }), null)
  strictEqual(sign({ slug: "who-wins-the-updown-5m-cup" }), null)
  strictEqual(sign({ tags: ["recurring"] }), null)
  strictEqual(sign({ tags: ["hide-from-new"] }), null)
  strictEqual(sign({ resolutionSource: "https://example.com/?of=data.chain.link" }), null)
})

const piece = Schema.Literals(["-updown-", "-up-or-", "5m", "12345", "-", "m-1", "down"])
const hostile = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(piece), { minLength: 1, maxLength: 7 }),
  (pieces) => pieces.join("").repeat(4_000),
)

law("mechanicalSign() takes linear time on hostile slugs", hostile, (slug) => {
  const started = performance.now()
  sign({ slug, seriesSlug: slug, resolutionSource: slug })
  return performance.now() - started < 200
}, { runs: 40 })

const recorded = new URL("../../../shared/data/", import.meta.url)
const readable = Deno.permissions.querySync({ name: "read", path: recorded }).state === "granted" &&
  isFolder(recorded)

Deno.test({
  name: `mechanicalSign() flags the recorded 5-minute market and no other recorded one${
    readable ? "" : " (SKIPPED: no recordings, or no permission to read them)"
  }`,
  ignore: !readable,
  fn: () => {
    const captures = ["gamma_market", ...sports].map((name) =>
      row(JSON.parse(read(`polymarket-captures/${name}.json`)))
    )
    const radar: unknown = JSON.parse(read("radar/markets.json").replace(/^\uFEFF/, ""))
    const rows = [...captures, ...(Array.isArray(radar) ? radar.map(row) : [])]
    strictEqual(rows.length, 83)
    const flagged = rows.filter((evidence) => mechanicalSign(evidence) !== null)
    strictEqual(flagged.map(({ slug }) => slug).join(), "btc-updown-5m-1773307200")
    // Any one of its signs would do.
    const [found] = flagged
    strictEqual(found && mechanicalSign(found), "recurrence")
    strictEqual(found && mechanicalSign({ ...found, recurrence: null, seriesSlug: null }), "slug")
    strictEqual(sign({ resolutionSource: found?.resolutionSource ?? null }), "price_stream")
  },
})

const sports = ["gamma_market_sports_market_map_handicap", "gamma_market_sports_market_money_line"]

const Row = Schema.Struct({
  slug: Schema.String,
  resolutionSource: Schema.optional(Schema.String),
  events: Schema.optional(Schema.Array(Schema.Struct({
    seriesSlug: Schema.optional(Schema.NullOr(Schema.String)),
    series: Schema.optional(
      Schema.NullOr(
        Schema.Array(Schema.Struct({ recurrence: Schema.optional(Schema.NullOr(Schema.String)) })),
      ),
    ),
  }))),
})

function row(value: unknown): MechanicalEvidence {
  const { slug, resolutionSource, events } = Schema.decodeUnknownSync(Row)(value)
  const event = events?.[0]
  return {
    slug,
    seriesSlug: event?.seriesSlug ?? null,
    recurrence: event?.series?.[0]?.recurrence ?? null,
    tags: [],
    resolutionSource: resolutionSource ?? null,
  }
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, recorded))
}

function isFolder(url: URL): boolean {
  try {
    return Deno.statSync(url).isDirectory
  } catch {
    return false
  }
}
