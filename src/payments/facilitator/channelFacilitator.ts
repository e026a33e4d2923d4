/**
 * A facilitator of payment channels over HTTP: the same /verify and /settle as for other schemes.
 *
 * @module
 */
import { Duration, Effect } from "effect"
import { HttpClient } from "effect/http"
import type { ChannelRequirements } from "../domain/x402/terms.ts"
import {
  type ChannelClaimed,
  ChannelFacilitator,
  type ChannelTransaction,
} from "../channels/ChannelFacilitator.ts"
import { type FacilitatorOptions, settleOf, verifyOf } from "./facilitator.ts"

const verifyTimeout = Duration.seconds(5)
/** A deposit or claim is confirmed on the chain before the response. */
const submitTimeout = Duration.seconds(20)

export const connect = Effect.fnUntraced(function* (options: FacilitatorOptions) {
  const client = yield* HttpClient.HttpClient
  return ChannelFacilitator.of({
    verifyDeposit: (deposit, requirements) =>
      verifyOf(client, options, bodyOf(deposit, requirements), verifyTimeout),
    submit: (transaction, requirements) =>
      settleOf(client, options, bodyOf(transaction, requirements), submitTimeout),
  })
})

/** The standard request, rebuilt from checked values. */
function bodyOf(transaction: ChannelTransaction, requirements: ChannelRequirements) {
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirements, payload: payloadOf(transaction) },
    paymentRequirements: requirements,
  }
}

function payloadOf(transaction: ChannelTransaction) {
  switch (transaction.type) {
    case "deposit":
      return {
        type: "deposit",
        channelConfig: transaction.config,
        voucher: voucherOf(transaction),
        deposit: {
          amount: transaction.amount.toString(),
          authorization: { erc3009Authorization: transaction.authorization },
        },
      }
    case "claim":
      return { type: "claim", claims: transaction.claims.map(claimOf) }
    case "settle":
      return transaction
    case "refund":
      return {
        type: "refund",
        channelConfig: transaction.config,
        voucher: voucherOf(transaction),
        amount: transaction.amount.toString(),
        refundNonce: transaction.nonce.toString(),
        claims: transaction.claims.map(claimOf),
      }
  }
}

const voucherOf = (
  { channelId, ceiling, signature }: Extract<ChannelTransaction, { readonly channelId: string }>,
) => ({ channelId, maxClaimableAmount: ceiling.toString(), signature })

const claimOf = ({ config, ceiling, signature, claimed }: ChannelClaimed) => ({
  voucher: { channel: config, maxClaimableAmount: ceiling.toString() },
  signature,
  totalClaimed: claimed.toString(),
})
