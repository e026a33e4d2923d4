/**
 * The signature of one payment. The reference client builds the payload; the key signs only the
 * agreed transfer.
 *
 * @module
 */
import { x402Client, x402HTTPClient } from "@x402/core/client"
import { type ClientEvmSigner, ExactEvmScheme } from "@x402/evm"
import { encodeAbiParameters, keccak256 } from "viem"
import type { LocalAccount } from "viem/accounts"
import { usd } from "./money.ts"
import { asset, chainId, network, requirementsOf, type Terms, wrongTransfer } from "./terms.ts"
import { fieldsOf, hashPattern, matching } from "./text.ts"

const codec = new x402HTTPClient(new x402Client())

/** The challenge of a 402's headers; null when there is none that can be read. */
export function challengeOf(headers: Headers, body: unknown): unknown {
  return orNull(() => codec.getPaymentRequiredResponse((name) => headers.get(name), body))
}

/** The receipt in an answer's headers; null when there is none that can be read. */
export function receiptOf(headers: Headers): unknown {
  return orNull(() => codec.getPaymentSettleResponse((name) => headers.get(name)))
}

function orNull<A>(read: () => A): A | null {
  try {
    return read()
  } catch {
    return null
  }
}

/** A signed payment, as it is sent every time. */
export interface SignedPayment {
  readonly paymentId: string
  /** The value of PAYMENT-SIGNATURE. */
  readonly signature: string
  /** After this second it can no longer be taken. */
  readonly validBefore: number
}

/** Signs a payment of the agreed terms, or returns why it was not signed. */
export async function signPayment(
  account: LocalAccount,
  terms: Terms,
  nowMs: number,
): Promise<SignedPayment | string> {
  const refusals: Array<string> = []
  const signer: ClientEvmSigner = {
    address: account.address,
    signTypedData: (typed) => {
      const wrong = wrongTransfer(typed, terms, account.address, Math.floor(nowMs / 1_000))
      if (wrong === null) return account.signTypedData(typed)
      refusals.push(wrong)
      return Promise.reject(new TypeError("The message to sign was refused"))
    },
  }
  const client = x402Client.fromConfig({
    schemes: [{ network, client: new ExactEvmScheme(signer) }],
    // The reference client's own limit, in addition to ours.
    spendControls: { maxAmountPerPayment: `$${usd(terms.amount)}` },
  })
  try {
    const { resource, accepts: [entry], x402Version } = requirementsOf(terms)
    const payload = await client.createPaymentPayload({
      x402Version,
      resource,
      accepts: [entry],
    })
    const { nonce, validBefore } = fieldsOf(fieldsOf(payload.payload)["authorization"])
    const read = matching(nonce, hashPattern)
    const signature = codec.encodePaymentSignatureHeader(payload)["PAYMENT-SIGNATURE"]
    if (read === null || signature === undefined) return "the payload cannot be read"
    return {
      paymentId: paymentIdOf(account.address, read),
      signature,
      validBefore: Number(validBefore),
    }
  } catch {
    return refusals[0] ?? "the reference client refuses the challenge"
  }
}

/** The service's id of a payment, computed from the authorization. */
function paymentIdOf(from: `0x${string}`, nonce: string): string {
  const types = ["string", "uint256", "address", "address", "bytes32"].map((type) => ({ type }))
  return keccak256(encodeAbiParameters(types, ["pay/v1", BigInt(chainId), asset, from, nonce]))
}
