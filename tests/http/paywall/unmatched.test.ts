/**
 * One transfer larger than the treasury stops no sale, whether it came without a request or used the
 * nonce of a payment that was never charged.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { test } from "../../support/effect.ts"
import { json, statusOf, withPaidService } from "../../support/http/paidService.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { passing, startSeconds } from "../../support/payments/sales.ts"
import { nonce, terms, token } from "../../support/payments/terms.ts"

const usd = 1_000_000n
const { resolving, whales, research } = products
const sales: ReadonlyArray<readonly [Product, string]> = [
  [resolving, "?withinHours=30"],
  [whales, ""],
  [research, "?market=market-1"],
]

/** Moves money on the chain, without the service. */
const transfer = Effect.fnUntraced(function* (
  { from, to, value, n }: {
    readonly from: string
    readonly to: string
    readonly value: bigint
    readonly n: number
  },
) {
  const ledger = yield* Ledger
  yield* ledger.transfer({
    ...{ asset: token.asset, from: address(from), to: address(to), value, nonce: nonce(n) },
    ...{ transaction: `0x${n.toString(16).padStart(64, "0")}`, blockTime: BigInt(startSeconds) },
  })
})

test("$21 sent to payTo against a treasury of $20: every settle-early product is still sold", () =>
  withPaidService(Effect.fnUntraced(function* (service) {
    const { scan } = yield* Payments
    const store = yield* PaymentStore
    yield* scan
    const elsewhere = `0x${"99".repeat(20)}`
    yield* transfer({ from: terms.treasury, to: elsewhere, value: playBalance - 20n * usd, n: 900 })
    yield* transfer({ from: buyer(5).address, to: terms.payTo, value: 21n * usd, n: 901 })
    // Refused and released; then its payer uses the nonce for another amount.
    strictEqual((yield* service.pay(research, "?market=nowhere", 7)).status, 404)
    yield* transfer({ from: buyer(0).address, to: terms.payTo, value: 22n * usd, n: 7 })
    yield* passing(30)
    equal([yield* Effect.orDie(scan), yield* store.liability], [2, 0n])
    equal((yield* json(yield* statusOf(service, research, 7))).state, "refund_due")
    for (const [n, [product, query]] of sales.entries()) {
      strictEqual((yield* service.pay(product, query, n)).status, 200, product.path)
    }
  })))
