/**
 * Compares the chain's log with the clients' transcripts: was every payment delivered or refunded, once?
 *
 * A payment is delivered when its buyer received the answer, also by a later request. A buyer without a
 * secret that hung up cannot request again; then the seller's `sent_at` counts. These payments are
 * reported as unconfirmed. So are payments of a restored store that only a delivery journal shows.
 *
 * @module
 */
import { isoTime } from "../../src/core/domain/time.ts"
import { type AuthorizedTransfer, type Ledger, paymentIdOf, refundNonceOf } from "./ledger.ts"
import { type Exchange, keyOf, type Transcript } from "./transcript.ts"

export interface Reconciliation {
  readonly charged: number
  readonly delivered: number
  readonly refunded: number
  readonly both: number
  readonly open: number
  /** The delivered payments that only the seller's `sent_at` shows. */
  readonly unconfirmed: number
  /** Violations; any of them fails the run. */
  readonly faults: ReadonlyArray<string>
  /** Payments to review: delivered and refunded, and unconfirmed ones. */
  readonly remarks: ReadonlyArray<string>
}

export interface ReconciliationInput {
  readonly ledger: Ledger
  readonly transcripts: ReadonlyArray<Transcript>
  /** The `keyOf` of each payment with a `sent_at` in the store. */
  readonly markedSent: ReadonlySet<string>
  /**
   * The ids of payments that were delivered by a journal alone: the store was restored, has no answer,
   * and no buyer can request it again.
   */
  readonly journalled?: ReadonlySet<string>
}

/** A payment on the chain with its refunds and its transcript. */
interface Case {
  readonly payment: AuthorizedTransfer
  readonly refunds: ReadonlyArray<AuthorizedTransfer>
  readonly record: Transcript | undefined
  readonly received: boolean
  readonly unconfirmed: boolean
}

export function reconcile(input: ReconciliationInput): Reconciliation {
  const cases = casesOf(input)
  const known = new Set(cases.flatMap(({ refunds }) => refunds))
  const delivered = cases.filter(({ received, unconfirmed }) => received || unconfirmed)
  const refunded = cases.filter(({ refunds }) => refunds.length > 0)
  const both = delivered.filter(({ refunds }) => refunds.length > 0)
  const open = cases.filter(({ received, unconfirmed, refunds }) =>
    !received && !unconfirmed && refunds.length === 0
  )
  const unpaid = input.transcripts.filter((record) =>
    !cases.some(({ record: other }) => other === record)
  )
  return {
    charged: cases.length,
    delivered: delivered.length,
    refunded: refunded.length,
    both: both.length,
    open: open.length,
    unconfirmed: delivered.filter(({ unconfirmed }) => unconfirmed).length,
    remarks: [
      ...both.map((one) => `both: ${describe(one)}`),
      ...cases.filter(({ unconfirmed }) => unconfirmed).map((one) =>
        `unconfirmed: ${describe(one)}`
      ),
    ],
    faults: [
      ...open.map((one) => `neither delivered nor refunded: ${describe(one)}`),
      ...input.ledger.refunds.filter((refund) => !known.has(refund)).map((refund) =>
        `refund without a payment: ${refund.transaction}`
      ),
      ...cases.flatMap((one) => faultsOf(one)),
      ...unpaid.flatMap((record) =>
        record.exchanges.filter(({ charged }) => charged === true).map(() =>
          `reported as charged without a payment: ${keyOf(record)}`
        )
      ),
    ],
  }
}

function casesOf(
  { ledger, transcripts, markedSent, journalled = new Set() }: ReconciliationInput,
): ReadonlyArray<Case> {
  const records = new Map(transcripts.map((record) => [keyOf(record), record]))
  const refunds = new Map<string, Array<AuthorizedTransfer>>()
  for (const refund of ledger.refunds) {
    refunds.set(refund.nonce, [...refunds.get(refund.nonce) ?? [], refund])
  }
  return ledger.payments.map((payment) => {
    const key = keyOf({ payer: payment.from, nonce: payment.nonce })
    const record = records.get(key)
    const received = record !== undefined && record.exchanges.some(isAnswer)
    return {
      payment,
      refunds: refunds.get(refundNonceOf(payment.from, payment.nonce)) ?? [],
      record,
      received,
      // A buyer with a secret can request the answer again, so `sent_at` is not enough.
      unconfirmed: !received && (record?.secret === null && markedSent.has(key) ||
        journalled.has(paymentIdOf(payment.from, payment.nonce))),
    }
  })
}

/** Whether the buyer received what it paid for. */
function isAnswer({ by, status, charged, isValid }: Exchange): boolean {
  return by === "buyer" && status === 200 && charged === true && isValid
}

function faultsOf(one: Case): ReadonlyArray<string> {
  const { payment, refunds, record, received } = one
  if (record === undefined) return [`paid by an unknown client: ${payment.transaction}`]
  const { exchanges } = record
  const withStatus = (status: number) => exchanges.filter((exchange) => exchange.status === status)
  const answers = exchanges.filter(({ status, charged }) => status === 200 && charged === true)
  const rules: ReadonlyArray<readonly [boolean, string]> = [
    [refunds.length > 1, "refunded twice"],
    [
      refunds.some(({ to, value }) => to !== payment.from || value !== payment.value),
      "refunded to another address, or another amount",
    ],
    [new Set(answers.map(({ bodyHash }) => bodyHash)).size > 1, "two answers for one payment"],
    [new Set(answers.map(({ product }) => product)).size > 1, "two products for one payment"],
    [answers.some(({ by }) => by === "thief"), "delivered to a thief"],
    [answers.some(({ isValid }) => !isValid), "an invalid answer"],
    [
      answers.some(({ block }) => block !== null && block < payment.block),
      "delivered before the payment",
    ],
    [
      answers.some(({ transaction }) => transaction !== payment.transaction),
      "a receipt with another transaction",
    ],
    [
      withStatus(402).some(({ by }) => by === "buyer") && refunds.length === 0 && !received,
      "another payment requested, though this one was charged",
    ],
    [
      withStatus(410).some(({ code }) => code === "payment_refunded") && refunds.length === 0,
      "reported as refunded without a refund",
    ],
  ]
  return rules.filter(([isViolated]) => isViolated).map(([, what]) => `${what}: ${describe(one)}`)
}

function describe({ payment, record }: Case): string {
  const exchanges = record?.exchanges.map(({ by, atMs, status, code }) =>
    `${isoTime(atMs).slice(14, -1)} ${by === "thief" ? "thief: " : ""}${status ?? ""} ${code ?? ""}`
      .trim()
  )
  return `${payment.from} ${payment.nonce} (${record?.scenario}, ${record?.product}, ${
    record?.secret === null ? "no secret" : "secret"
  }; ${exchanges?.join(", ")})`
}
