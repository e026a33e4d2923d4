/**
 * The reconciliation of the kill loop finds every kind of violation.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { token } from "../support/payments/terms.ts"
import { type AuthorizedTransfer, type Ledger, paymentIdOf, refundNonceOf } from "./ledger.ts"
import { type Exchange, keyOf, type Transcript } from "./transcript.ts"
import { reconcile } from "./reconciliation.ts"

const payer = `0x${"11".repeat(20)}`
const nonce = `0x${"22".repeat(32)}` as const
const payment: AuthorizedTransfer = {
  from: payer,
  to: `0x${"33".repeat(20)}`,
  nonce,
  value: 10_000n,
  transaction: `0x${"44".repeat(32)}`,
  block: 7n,
}
const refund: AuthorizedTransfer = {
  from: `0x${"55".repeat(20)}`,
  to: payer,
  nonce: refundNonceOf(payer, nonce),
  value: 10_000n,
  transaction: `0x${"66".repeat(32)}`,
  block: 9n,
}
const answer: Exchange = {
  by: "buyer",
  product: "latest",
  atMs: 0,
  status: 200,
  code: null,
  charged: true,
  bodyHash: "a body",
  isValid: true,
  transaction: payment.transaction,
  retryAfterSeconds: 0,
  block: 8n,
}
const refusal = (status: number, code: string, charged: boolean): Exchange => ({
  ...answer,
  ...{ status, code, charged, bodyHash: null, isValid: false, transaction: null, block: null },
})
const lost: Exchange = { ...refusal(0, "lost", false), status: null, charged: null }

function record(exchanges: ReadonlyArray<Exchange>, secret: string | null = null): Transcript {
  return {
    ...{
      scenario: "steady",
      product: "latest",
      header: "",
      payer,
      nonce,
      value: payment.value,
      secret,
    },
    exchanges,
  }
}

function ledger(changes: Partial<Ledger> = {}): Ledger {
  return { payments: [payment], refunds: [], totals: { in: 0n, out: 0n }, ...changes }
}

function reconciled(
  exchanges: ReadonlyArray<Exchange>,
  { refunds = [], secret = null, markedSent = false }: {
    readonly refunds?: ReadonlyArray<AuthorizedTransfer>
    readonly secret?: string | null
    readonly markedSent?: boolean
  } = {},
) {
  return reconcile({
    ledger: ledger({ refunds }),
    transcripts: [record(exchanges, secret)],
    markedSent: new Set(markedSent ? [keyOf({ payer, nonce })] : []),
  })
}

const sums = ({ charged, delivered, refunded, both, open }: ReturnType<typeof reconcile>) => [
  ...[charged, delivered, refunded, both, open],
]

Deno.test("reconcile() counts delivered, refunded, both and open payments", () => {
  equal(sums(reconciled([answer])), [1, 1, 0, 0, 0])
  equal(sums(reconciled([lost], { refunds: [refund] })), [1, 0, 1, 0, 0])
  equal(sums(reconciled([answer], { refunds: [refund] })), [1, 1, 1, 1, 0])
  equal(sums(reconciled([lost])), [1, 0, 0, 0, 1])
  equal(reconciled([answer]).faults, [])
  equal(reconciled([lost], { refunds: [refund] }).faults, [])
  equal(reconciled([lost]).faults.length, 1)
})

Deno.test("reconcile() counts `sent_at` as a delivery only for a buyer without a secret", () => {
  equal(sums(reconciled([lost], { markedSent: true })), [1, 1, 0, 0, 0])
  equal(reconciled([lost], { markedSent: true }).unconfirmed, 1)
  equal(sums(reconciled([lost], { markedSent: true, secret: "one" })), [1, 0, 0, 0, 1])
})

const violations: ReadonlyArray<readonly [string, ReturnType<typeof reconcile>]> = [
  ["refunded twice", reconciled([lost], { refunds: [refund, { ...refund, block: 10n }] })],
  [
    "refunded to another address",
    reconciled([lost], { refunds: [{ ...refund, to: refund.from }] }),
  ],
  ["another amount", reconciled([lost], { refunds: [{ ...refund, value: 1n }] })],
  ["refund without a payment", reconciled([answer], { refunds: [{ ...refund, nonce }] })],
  ["two answers", reconciled([answer, { ...answer, bodyHash: "another body" }])],
  ["two products", reconciled([answer, { ...answer, product: "signal" }])],
  ["to a thief", reconciled([answer, { ...answer, by: "thief" }])],
  ["an invalid answer", reconciled([{ ...answer, isValid: false }], { markedSent: true })],
  ["before the payment", reconciled([{ ...answer, block: 6n }])],
  ["another transaction", reconciled([{ ...answer, transaction: refund.transaction }])],
  [
    "another payment requested",
    reconciled([refusal(402, "payment_required", false)], { markedSent: true }),
  ],
  [
    "reported as refunded without a refund",
    reconciled([refusal(410, "payment_refunded", true)], { markedSent: true }),
  ],
  [
    "paid by an unknown client",
    reconcile({ ledger: ledger(), transcripts: [], markedSent: new Set() }),
  ],
  [
    "reported as charged without a payment",
    reconcile({
      ledger: ledger({ payments: [] }),
      transcripts: [record([answer])],
      markedSent: new Set(),
    }),
  ],
]

for (const [what, { faults }] of violations) {
  Deno.test(`reconcile() finds a fault: ${what}`, () => {
    ok(faults.some((fault) => fault.includes(what)), faults.join("\n"))
  })
}

Deno.test("reconcile() finds no fault when a refused payment is refunded", () => {
  const refused = [refusal(402, "payment_required", false)]
  equal(reconciled(refused, { refunds: [refund] }).faults, [])
  equal(reconciled([refusal(410, "payment_refunded", true)], { refunds: [refund] }).faults, [])
})

Deno.test("reconcile() counts a payment as delivered that only a delivery journal shows", () => {
  const withJournal = (ids: ReadonlyArray<string>) =>
    reconcile({
      ledger: ledger(),
      transcripts: [record([lost], "a secret")],
      markedSent: new Set(),
      journalled: new Set(ids),
    })
  const { delivered, unconfirmed, open, faults } = withJournal([paymentIdOf(payer, nonce)])
  equal([delivered, unconfirmed, open, faults], [1, 1, 0, []])
  equal(withJournal([paymentIdOf(payer, `0x${"23".repeat(32)}`)]).open, 1)
})

Deno.test("the id of a payment is the one that the service computes", async () => {
  const fields = { ...token, from: address(payer), nonce: Bytes32.make(nonce) }
  const id = await Effect.runPromise(
    Effect.provide(Effect.map(Signatures, ({ paymentId }) => paymentId(fields)), signatures),
  )
  equal(paymentIdOf(payer, nonce), id)
})
