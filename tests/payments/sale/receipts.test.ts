/**
 * The receipt of a refund: it is signed from the stored row, once the chain has confirmed it.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { verifyReceiptSignatureJWS } from "@x402/extensions"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import type { PaymentWithRefund, RefundSummary } from "../../../src/payments/domain/payment.ts"
import { makeReceipts } from "../../../src/payments/sale/responses.ts"
import { terms } from "../../support/payments/terms.ts"
import { ticket } from "../paymentStore.laws.ts"
import { testKey } from "../../support/signing/key.ts"

const jwk = { kty: "OKP", crv: "Ed25519", x: testKey.keys.current.x, alg: "EdDSA" } as const
const receipts = makeReceipts(testKey.sign, terms)

const refunded = (refund: Partial<RefundSummary>): PaymentWithRefund => ({
  ...ticket(1),
  ...{ state: "refunded", fence: 1, secretHash: null, keyHash: null },
  paidAt: { transaction: "0xaa", block: 7n, logIndex: 3, finality: "safe" },
  paidAmount: AtomicAmount.make(20_000n),
  refund: {
    state: "confirmed",
    reason: "",
    transaction: "0xbb",
    confirmedAt: 1_800_000_000,
    ...refund,
  },
})

Deno.test("a confirmed refund has a receipt of the payment and of its own transaction", async () => {
  const row = refunded({})
  const { receipt } = receipts.ofRefund(row)
  const stated = receipt && await verifyReceiptSignatureJWS(receipt, jwk)
  equal(stated as unknown, {
    ...{ version: 1, kind: "refund", network: "eip155:8453", issuedAt: 1_800_000_000 },
    resourceUrl: `${terms.publicBaseUrl}/v1/latest`,
    payer: row.authorization.from,
    ...{ transaction: "0xaa", refundTransaction: "0xbb", amount: "20000" },
    ...{ paymentId: row.paymentId, nonce: row.authorization.nonce },
    ...{ asset: terms.asset, payTo: terms.payTo },
  })
  equal(receipts.ofRefund(row).receipt, receipt)
})

Deno.test("a receipt names the receiver of its payment, also when the service has a new one", async () => {
  const moved = makeReceipts(testKey.sign, { ...terms, payTo: `0x${"77".repeat(20)}` })
  const row = refunded({})
  const { receipt } = moved.ofRefund(row)
  const stated = receipt && await verifyReceiptSignatureJWS(receipt, jwk)
  strictEqual((stated as unknown as Record<string, unknown>)["payTo"], row.authorization.to)
})

Deno.test("a refund that is not confirmed has no receipt", () => {
  for (
    const state of ["queued", "signed", "broadcast", "needs_review", "settled_by_hand"] as const
  ) {
    strictEqual(receipts.ofRefund(refunded({ state, confirmedAt: null })).receipt, undefined)
  }
})
