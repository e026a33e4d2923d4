/**
 * The terms state the data source of this service and what happens to a payment.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { freeRows, VenueMode } from "../../../src/catalog/domain/freeRow.ts"
import { termsAnswers, type TermsOptions } from "../../../src/http/free/terms.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld } from "../../support/http/httpService.ts"

const utf8 = new TextDecoder()
const decodeTerms = Schema.decodeUnknownSync(Schema.fromJsonString(freeRows.terms.body))

const read = (options: Partial<TermsOptions>) => {
  const { text, json } = termsAnswers({
    publicBaseUrl: "https://feed.example",
    paymentMode: "simulated",
    venueMode: "simulated",
    chainId: 8453,
    ...options,
  })
  return { text: utf8.decode(text.bytes), json: decodeTerms(utf8.decode(json.bytes)) }
}

Deno.test("the terms name the data source, in text and in JSON", () => {
  const expected = {
    simulated: /[Ss]imulated market/,
    polymarket: /^Public/,
  }
  for (const venueMode of VenueMode.literals) {
    const { text, json } = read({ venueMode })
    equal(json.dataSources.length, 1)
    match(json.dataSources[0] ?? "", expected[venueMode])
    ok(text.includes(json.dataSources[0] ?? "nothing"))
    strictEqual(json.textSha256, createHash("sha256").update(text).digest("hex"))
  }
})

Deno.test("the terms state that no money moves while payments are simulated", () => {
  const { text, json } = read({ paymentMode: "simulated" })
  match(json.payment.settlement, /no money moves/)
  match(text, /no money moves/)
  const live = read({ paymentMode: "live" })
  match(live.json.payment.settlement, /only when the answer is ready/)
  match(live.json.payment.refunds, /fails before it is settled is not charged/)
  ok(!/no money moves/.test(live.text))
})

Deno.test("the terms name every settle-early path and promise a refund", () => {
  const { settlement, refunds } = read({ paymentMode: "live" }).json.payment
  for (const { path, settlementOrder } of Object.values(products)) {
    strictEqual(settlement.includes(path), settlementOrder === "settle-early", path)
  }
  match(refunds, /refunded in full/)
})

test("/health names the venue mode of the feed", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(1))
    const response = yield* service.get("/health")
    const body = yield* Effect.promise(() => response.json())
    equal([body.paymentMode, body.venue], ["simulated", { mode: "simulated" }])
  }))
