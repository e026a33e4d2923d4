/**
 * The treasury: the only key that moves money, and the address that refunds are paid from.
 *
 * Only the refund worker's process imports this file.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import {
  type Address,
  address,
  type Authorization,
  Signature,
  type TokenDomain,
} from "../domain/payment.ts"

interface TreasuryOptions {
  readonly privateKey: Redacted.Redacted<`0x${string}`>
}

export class Treasury extends Context.Service<Treasury, {
  readonly address: Address
  /** Signs a transfer from the treasury. Anyone with the signature can submit it to the chain. */
  readonly sign: (token: TokenDomain, authorization: Authorization) => Effect.Effect<Signature>
}>()("bellwether/payments/Treasury") {
  /** The treasury as a private key in this process. */
  static readonly layer = (options: TreasuryOptions) => Layer.sync(Treasury, () => make(options))
}

const transferTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

const signatureOf = Schema.decodeUnknownSync(Signature)

function make({ privateKey }: TreasuryOptions): Treasury["Service"] {
  const account = privateKeyToAccount(Redacted.value(privateKey))
  return {
    address: address(account.address),
    sign: (token, message) =>
      Effect.map(
        Effect.promise(() =>
          account.signTypedData({
            domain: {
              name: token.name,
              version: token.version,
              chainId: token.chainId,
              verifyingContract: token.asset,
            },
            types: transferTypes,
            primaryType: "TransferWithAuthorization",
            message,
          })
        ),
        (signature) => signatureOf(signature),
      ),
  }
}
