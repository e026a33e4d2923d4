/**
 * The receipts of sales and refunds as they are returned: plain, and signed where the buyer asks.
 *
 * A signed receipt is made from the stored row, so every delivery of an answer has the same one. It
 * names the request and the answer, so only the buyer gets it; that of a refund states only what the
 * chain shows.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { Receipt, RefundNotice } from "../domain/failedSale.ts"
import type { AnsweredPayment, PaymentWithRefund } from "../domain/payment.ts"
import { usd } from "../../core/domain/money.ts"
import {
  receiptExtension,
  receiptOfRefund,
  receiptOfSale,
  type Sign,
  type SignedExtension,
} from "../domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../domain/x402/terms.ts"

/** A receipt as x402 returns it. Its extension is absent where nothing is signed. */
export type PaidReceipt = typeof Receipt.Type & {
  readonly extensions?: SignedExtension
}

export interface Receipts {
  /** Without a signature: for a caller who is not the buyer, or when the answer was deleted. */
  readonly plain: (row: AnsweredPayment) => PaidReceipt
  /** Signed, with the SHA-256 of this body. */
  readonly ofSale: (row: AnsweredPayment, body: Uint8Array) => PaidReceipt
  /** The notice of a refund, signed once the chain shows it. */
  readonly ofRefund: (row: PaymentWithRefund) => typeof RefundNotice.Type
}

/** `sign` is null in a process without a signing key: then receipts have no extension. */
export function makeReceipts(sign: Sign | null, terms: PaymentTerms): Receipts {
  const network = `eip155:${terms.chainId}`
  const plain = ({ authorization, paidAt }: AnsweredPayment): PaidReceipt => ({
    payer: authorization.from,
    transaction: paidAt.transaction,
    network,
  })
  return {
    plain,
    ofSale: (row, body) =>
      sign === null ? plain(row) : {
        ...plain(row),
        extensions: receiptExtension(
          receiptOfSale(sign, row, terms, createHash("sha256").update(body).digest("hex")),
        ),
      },
    ofRefund: (row) => {
      const { paymentId, authorization, paidAmount, paidAt, refund } = row
      const signature = sign === null ? null : receiptOfRefund(sign, row, terms)
      return {
        id: paymentId,
        state: refund.state,
        amountUsd: usd(paidAmount),
        to: authorization.from,
        paymentTransaction: paidAt.transaction,
        ...signature === null ? {} : { receipt: { format: "jws", signature } },
      }
    },
  }
}
