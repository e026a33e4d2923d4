/**
 * A payer whose settle-early answers were often not fetched: new settle-early sales are refused before
 * anything is claimed or charged, other sales and due refunds go on.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Option } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { test } from "../../support/effect.ts"
import { json, payment, statusOf, withPaidService } from "../../support/http/paidService.ts"
import { token } from "../../support/payments/terms.ts"
import { claimAndMove, paths } from "../../payments/paymentStore.laws.ts"

const { latest, research, resolving, whales } = products

/** The n-th payment of the payer was charged, answered, and refunded for this reason. */
const refundedFor = Effect.fnUntraced(function* (n: number, reason: string) {
  const { move } = yield* PaymentStore
  const answered = yield* claimAndMove(n, "settle-early", paths["settle-early"].answered ?? [])
  ok(Option.isSome(yield* move(answered, { event: "owe", reason, paidAt: null })))
})

test("the sixth settle-early sale after five answers that were not fetched is a 429", () =>
  withPaidService(Effect.fnUntraced(function* (service) {
    const { find } = yield* PaymentStore
    const { paymentId } = yield* Signatures
    for (const [n, reason] of ["unsent", "unsent", "paid_undelivered", "unsent"].entries()) {
      yield* refundedFor(100 + n, reason)
    }
    // Our own failures do not count.
    for (const n of [110, 111]) yield* refundedFor(n, "internal_error")
    strictEqual((yield* service.pay(whales, "", 1)).status, 200)
    yield* refundedFor(104, "unsent")
    for (
      const [n, product, query] of [
        [2, whales, ""],
        [3, resolving, "?withinHours=30"],
        [4, research, "?market=market-1"],
      ] as const
    ) {
      const response = yield* service.pay(product, query, n)
      const { error } = yield* json(response)
      equal([response.status, error.code, error.charged], [429, "rate_limited", false])
      match(error.message, /refunded because their answers were not fetched/)
      const seconds = Number(response.headers.get("retry-after"))
      ok(seconds > 86_000 && seconds <= 86_400, `${seconds}`)
      const { authorization } = yield* payment(product, n)
      equal(yield* find(paymentId({ ...token, ...authorization })), Option.none())
    }
    strictEqual((yield* service.pay(latest, "", 5)).status, 200)
    equal((yield* json(yield* statusOf(service, whales, 1))).state, "answered")
  })))
