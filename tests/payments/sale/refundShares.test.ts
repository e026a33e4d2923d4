/**
 * Failures after settlement that a buyer can choose: a request that failed is refused before it is
 * charged, and the refunds of a payer, an address, a network and a product are limited.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { makeRefundShares } from "../../../src/payments/sale/refundShares.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  early,
  inMarket,
  passing,
  purchase,
  purchaseOf,
  refusing,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const failing = workOf(refusing("venue_error"))
const computed = workOf(Effect.die("computed"))
const good = workOf(answering())

test("a request that failed after its payment is refused to the next buyer, who keeps the payment", () =>
  inMarket(Effect.gen(function* () {
    const bought = (n: number) =>
      purchase({ product: early, payer: n, authorization: { nonce: nonce(n) } })
    equal(yield* buying(yield* bought(0), failing), "RefundQueued: venue_error")
    const { spent } = yield* taken
    const second = yield* bought(1)
    equal(yield* buying(second, computed), "venue_error")
    equal([yield* taken].map(({ received }) => received), [spent])
    const other = { ...yield* bought(2), request: "another" }
    equal(yield* buying(other, good), "answer")
    yield* passing(60)
    equal(yield* buying(second, good), "answer")
  })))

const now = 1_800_000_000_000
const failure = new NotCharged({ code: "venue_error", message: "Failed" })
const hour = 3_600_000

/** The purchase n of a payer and a client. */
const of = (n: number, payer: number, client: number, site: string | null = null) =>
  purchaseOf({
    product: early,
    request: `request ${n}`,
    payment: {
      authorization: { from: address(`0x${payer.toString(16).padStart(40, "0")}`) },
    } as Partial<Payment> as Payment,
    client: { client: `client ${client}`, site },
  })
type Payment = Parameters<typeof purchaseOf>[0]["payment"]

for (
  const [kind, count, refunded, refused, code] of [
    ["payer", 5, (n: number) => of(n, 1, n), of(99, 1, 99), "rate_limited"],
    ["address", 10, (n: number) => of(n, n, 1), of(99, 99, 1), "rate_limited"],
    ["network", 40, (n: number) => of(n, n, n, "net"), of(99, 99, 99, "net"), "rate_limited"],
    ["product", 20, (n: number) => of(n, n, n), of(99, 99, 99), "payments_unavailable"],
  ] as const
) {
  Deno.test(`${count} refunds of one ${kind} in an hour are the most; others buy on`, () => {
    const shares = makeRefundShares()
    // A product is sold on while most of its sales are answered.
    shares.refunded(of(0, 1_000, 1_000), failure, now - 2 * hour)
    const other = kind === "product"
    for (let n = 1; n <= count; n++) {
      equal(shares.refusal(refused, now), null)
      shares.refunded(refunded(n), failure, now)
      if (!other) { for (let more = 0; more < 2; more++) shares.answered(of(500 + n, 500, 500)) }
    }
    equal(shares.refusal(refused, now)?.code, code)
    equal(shares.refusal(of(98, 98, 98, "elsewhere"), now)?.code ?? null, other ? code : null)
    equal(shares.refusal(refused, now + hour), null)
    if (other) {
      for (let n = 0; n < count; n++) shares.answered(of(600 + n, n, n))
      equal(shares.refusal(refused, now), null)
    }
  })
}
