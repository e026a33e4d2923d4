/**
 * Our EIP-3009 token on anvil, at the address of the real USDC, and calls of it.
 *
 * @module
 */
import { Effect } from "effect"
import { type Abi, encodeFunctionData, type Hex } from "viem"
import { type LocalAccount } from "viem/accounts"
import artifact from "../../../fixtures/token/artifact.json" with { type: "json" }
import {
  type Address,
  address,
  type Authorization,
  type Bytes32,
} from "../../../src/payments/domain/payment.ts"
import type { Anvil } from "./anvil.ts"
import { buyer, sign } from "./buyers.ts"
import { token } from "./terms.ts"

/** The address of the helper contract that makes several calls in one transaction. */
export const callerAddress = address(`0x${"ca".repeat(20)}`)
/** The address of buyer 0's smart wallet. */
export const walletAddress = address(`0x${"3a".repeat(20)}`)
/** The initial balance of each of the first buyers, equal to the play balance. */
export const startBalance = 100_000_000n
const buyers = 4
const gas = "0x4c4b40"

export interface Call {
  readonly to: Address
  readonly data: Hex
}

/** Deploys the contracts and funds the first buyers; `asset` is where the token of the chain is. */
export const deployToken = Effect.fnUntraced(function* (anvil: Anvil, asset = token.asset) {
  yield* anvil.call("anvil_setCode", asset, artifact.Token.code)
  yield* anvil.call("anvil_setCode", callerAddress, artifact.Caller.code)
  yield* anvil.call("anvil_setCode", walletAddress, artifact.Wallet.code)
  const owner = `0x${buyer(0).address.slice(2).toLowerCase().padStart(64, "0")}`
  yield* anvil.call("anvil_setStorageAt", walletAddress, `0x${"0".repeat(64)}`, owner)
  const holders = [
    ...Array.from({ length: buyers }, (_, n) => address(buyer(n).address)),
    walletAddress,
  ]
  yield* Effect.forEach(
    holders,
    (holder) => sent(anvil, toToken("mint", [holder, startBalance], asset)),
  )
})

/** A call of the token. */
export function toToken(
  functionName: string,
  args: ReadonlyArray<unknown>,
  to: Address = token.asset,
): Call {
  const abi = artifact.Token.abi as Abi
  return { to, data: encodeFunctionData({ abi, functionName, args }) }
}

/**
 * Combines several calls into one transaction; with `noise`, each has a log of another contract
 * before it.
 */
export function inOneTransaction(calls: ReadonlyArray<Call>, noise = false): Call {
  const abi = artifact.Caller.abi as Abi
  const args = [calls.map(({ to, data }) => ({ target: to, data })), noise]
  return { to: callerAddress, data: encodeFunctionData({ abi, functionName: "all", args }) }
}

/** The call that a facilitator makes: the signed transfer. */
export const transferCall = Effect.fnUntraced(function* (
  payer: LocalAccount,
  authorization: Authorization,
) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signature = yield* sign(payer, authorization)
  return toToken("transferWithAuthorization", [
    ...[from, to, value, validAfter, validBefore, nonce],
    signature,
  ])
})

/** The call with which a payer cancels a nonce. */
export const cancelCall = Effect.fnUntraced(function* (payer: LocalAccount, nonce: Bytes32) {
  const { name, version, chainId, asset: verifyingContract } = token
  const authorizer = address(payer.address)
  const signature = yield* Effect.promise(() =>
    payer.signTypedData({
      domain: { name, version, chainId, verifyingContract },
      types: {
        CancelAuthorization: [
          { name: "authorizer", type: "address" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      primaryType: "CancelAuthorization",
      message: { authorizer, nonce },
    })
  )
  return toToken("cancelAuthorization", [authorizer, nonce, signature])
})

/** Sends a call from anvil's first account, and returns the pending transaction. */
export const sent = Effect.fnUntraced(function* (anvil: Anvil, call: Call) {
  const [from] = (yield* anvil.call("eth_accounts")) as ReadonlyArray<string>
  return String(yield* anvil.call("eth_sendTransaction", { from, gas, ...call }))
})

/** Mines a block with this time. */
export const mined = (anvil: Anvil, seconds: number) =>
  anvil.call("evm_mine", { timestamp: seconds })

/** Whether a transaction succeeded. */
export const succeeded = (anvil: Anvil, transaction: string) =>
  Effect.map(
    anvil.call("eth_getTransactionReceipt", transaction),
    (receipt) => (receipt as { readonly status: string }).status === "0x1",
  )
