/**
 * The treasury as a private key in this process: signs by itself, asks nobody.
 *
 * @module
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { address, Signature } from "../domain/payment.ts"
import { Treasury } from "./Treasury.ts"

interface TreasuryOptions {
  readonly privateKey: Redacted.Redacted<`0x${string}`>
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

export const layer = ({ privateKey }: TreasuryOptions): Layer.Layer<Treasury> =>
  Layer.sync(Treasury, () => {
    const account = privateKeyToAccount(Redacted.value(privateKey))
    return Treasury.of({
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
    })
  })
