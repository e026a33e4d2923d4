/**
 * Tries a transfer as its settlement will run: from an account that settled before, with a gas price.
 * A contract wallet decides about its signature by code, which can distinguish a settlement from a call that
 * pays for no gas, and could say yes to that alone.
 *
 * @module
 */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi, parseErc6492Signature } from "viem/utils"
import type { Address, Authorization, Signature } from "../domain/payment.ts"
import type { Settles } from "../Chain.ts"
import {
  decodeBlock,
  decodeBytes,
  decodeQuantity,
  decodeWord,
  type Rpc,
  type RpcFailure,
} from "./rpc.ts"
import { authorizationStateCall, balanceCall } from "./token.ts"

/** What is known of the transactions that settle our payments. */
export interface Settling {
  /** The account that sent the last one. It can pay for gas; null before the first. */
  from: string | null
}

const abi = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
])
/** More than a transfer with the code of a wallet needs. */
const gas = "0x7a120"
const latest = "latest"

/**
 * Whether the transfer succeeds; true when nothing settled yet, the payer has no code, or the account
 * cannot pay for a call. A key's account can have code too (EIP-7702), and then USDC 2.2 asks it.
 */
export const wouldSettle = Effect.fnUntraced(function* (
  rpc: Rpc,
  { from }: Settling,
  asset: Address,
  authorization: Authorization,
  signature: Signature,
): Effect.fn.Return<Settles, RpcFailure> {
  if (from === null) return true
  const code = { method: "eth_getCode", params: [authorization.from, latest], decode: decodeBytes }
  if ((yield* rpc.call(code)) === "0x") return true
  const gasPrice = yield* rpc.call({ method: "eth_gasPrice", params: [], decode: decodeQuantity })
  const call = (data: string) =>
    rpc.call({
      method: "eth_call",
      params: [{ from, to: asset, gas, gasPrice, data }, latest],
      decode: decodeBytes,
    })
  // Read first, so that the call runs at this block or at a newer one.
  const time = { method: "eth_getBlockByNumber", params: [latest, false], decode: decodeBlock }
  const { timestamp } = yield* rpc.call(time)
  return yield* call(transferCall(authorization, signature)).pipe(
    Effect.as(true as const),
    Effect.catchIf(
      ({ kind }) => kind === "reverted",
      () =>
        BigInt(timestamp) <= authorization.validAfter
          ? Effect.succeed("too_early" as const)
          : Effect.map(
            rpc.call({
              method: "eth_call",
              params: [{ to: asset, data: balanceCall(authorization.from) }, latest],
              decode: decodeWord,
            }),
            (units): Settles =>
              BigInt(units) < authorization.value ? "insufficient_funds" : "invalid_signature",
          ),
    ),
    // An account without money for gas has every call refused, also one that asks no wallet: then
    // nothing can be tried.
    Effect.catchIf(
      ({ kind }) => kind === "refused",
      (refusal) =>
        Effect.matchEffect(call(authorizationStateCall(authorization.from, authorization.nonce)), {
          onSuccess: () => Effect.fail(refusal),
          onFailure: ({ kind }) =>
            kind === "refused" ? Effect.succeed(true as const) : Effect.fail(refusal),
        }),
    ),
  )
})

/** The call of a facilitator, which takes the signature out of an ERC-6492 wrapper. */
function transferCall(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  signature: Signature,
): string {
  const inner = parseErc6492Signature(signature).signature
  const args = [from, to, value, validAfter, validBefore, nonce, inner] as const
  return encodeFunctionData({ abi, functionName: "transferWithAuthorization", args })
}
