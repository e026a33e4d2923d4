/**
 * What the agent reads before it buys: the prices in the contract, and the rate limits.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { findPriceConflict, offerAt, readContract } from "../../../examples/agent/discover.ts"
import {
  backoffMs,
  pollDelayMs,
  readRateLimit,
  readRetryAfter,
} from "../../../examples/agent/http.ts"
import { law } from "../../support/effect.ts"

const paths = (amount: unknown, mode = "fixed", currency = "USD") => ({
  info: { title: "T", version: "1.0.0" },
  paths: {
    "/free": { get: { summary: "Free", security: [] } },
    "/paid": {
      get: {
        parameters: [{ name: "count", schema: { maximum: 20 } }, { $ref: "#/x" }],
        "x-payment-info": { price: { mode, currency, amount } },
      },
    },
    "/posted": { post: {} },
  },
})

Deno.test("readContract() finds free paths, prices, and the largest count of a call", () => {
  const contract = Result.getOrThrow(readContract(paths("0.03")))
  equal(contract.offers.map(({ path, price }) => [path, price]), [
    ["/free", null],
    ["/paid", 30_000n],
  ])
  equal(contract.offers.map(({ countMax }) => countMax), [null, 20])
  equal(offerAt(contract, "/posted"), undefined)
})

Deno.test("readContract() refuses a price in another form", () => {
  const wrong = [
    ...["", "-0.03", "0.0000001", "1e9", "free", 0.03, null].map((amount) => paths(amount)),
    paths("0.03", "dynamic"),
    paths("0.03", "fixed", "EUR"),
    { ...paths("0.03"), paths: "none" },
    undefined,
  ]
  for (const json of wrong) ok(Result.isFailure(readContract(json)), JSON.stringify(json))
})

/** The text of a link to the path that costs 0.03, and whether it contradicts the contract. */
const linkTexts: ReadonlyArray<readonly [path: string, note: string | null, contradicts: boolean]> =
  [
    ["/paid", "$0.03. Items", false],
    ["/paid", "$0.030 a call", false],
    ["/paid", "Items for $0.04", false],
    ["/paid", null, false],
    ["/paid", "$0.04. Items", true],
    ["/paid", "$0.3. Items", true],
    ["/free", "$0.01. Not free", true],
    ["/unknown", "$0.01. Not there", false],
  ]

for (const [path, note, contradicts] of linkTexts) {
  Deno.test(`findPriceConflict() ${contradicts ? "finds a conflict in" : "finds none in"} ${path}: ${note}`, () => {
    const link = { name: "GET", url: `https://a.example${path}`, note }
    const found = findPriceConflict(Result.getOrThrow(readContract(paths("0.03"))), [link])
    equal(found?.path ?? null, contradicts ? path : null)
  })
}

const Budget = Schema.Struct({
  quota: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })),
  everyMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 })),
})

law(
  "an agent that waits as pollDelayMs() says never exceeds the limit it reads",
  Arbitrary.schema(Budget),
  ({ quota, windowSeconds, everyMs }) => {
    const windowMs = windowSeconds * 1_000
    let grants: ReadonlyArray<number> = []
    let now = 0
    for (let poll = 0; poll < 40; poll += 1) {
      grants = grants.filter((at) => now - at < windowMs)
      ok(grants.length < quota, `poll ${poll} at ${now} is refused`)
      grants = [...grants, now]
      const resetMs = (grants[0] ?? now) + windowMs - now
      const field = `"free";r=${quota - grants.length};t=${Math.ceil(resetMs / 1_000)}`
      const waitMs = pollDelayMs(readRateLimit(field), everyMs)
      ok(waitMs >= everyMs)
      now += waitMs
    }
  },
)

Deno.test("readRateLimit() and readRetryAfter() accept only the documented form", () => {
  equal(readRateLimit('"free";r=4;t=60'), { remaining: 4, resetMs: 60_000 })
  equal(readRateLimit('"documents";r=0;t=7, "free";r=1;t=2'), { remaining: 0, resetMs: 7_000 })
  for (const field of [null, "", "free;r=1", '"free";r=-1;t=2', '"free";r=1']) {
    equal(readRateLimit(field), null)
  }
  equal(["7", "0", "999999999"].map(readRetryAfter), [7_000, 1_000, 3_600_000])
  for (const field of [null, "", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"]) {
    equal(readRetryAfter(field), null)
  }
})

Deno.test("backoffMs() doubles each time, up to a minute", () => {
  const waits = [1, 2, 3, 6, 7, 8, 1_000].map(backoffMs)
  equal(waits, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000])
})
