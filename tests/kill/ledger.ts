/**
 * The token's transfers and balances, read from the chain: payments to the seller and refunds from
 * the treasury. It shares no code with the service, so it cannot share a bug with it.
 *
 * @module
 */
import { Effect } from "effect"
import { encodeAbiParameters, keccak256, toEventSelector } from "viem"
import type { Anvil } from "../support/payments/anvil.ts"
import { token } from "../support/payments/terms.ts"
import { toToken } from "../support/payments/token.ts"

/** A transfer by authorization. */
export interface AuthorizedTransfer {
  readonly from: string
  readonly to: string
  readonly nonce: string
  readonly value: bigint
  readonly transaction: string
  readonly block: bigint
}

export interface Ledger {
  /** Transfers by authorization to the seller. */
  readonly payments: ReadonlyArray<AuthorizedTransfer>
  /** Transfers by authorization from the treasury. */
  readonly refunds: ReadonlyArray<AuthorizedTransfer>
  /** Sums of all transfers to the seller and from the treasury, with or without authorization. */
  readonly totals: { readonly in: bigint; readonly out: bigint }
}

const used = toEventSelector("AuthorizationUsed(address,bytes32)")
const transferred = toEventSelector("Transfer(address,address,uint256)")

interface Log {
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly blockNumber: string
}

/** Reads all transfers of the token. */
export const readLedger = Effect.fnUntraced(function* (
  anvil: Anvil,
  { payTo, treasury }: { readonly payTo: string; readonly treasury: string },
) {
  const logs = (yield* anvil.call("eth_getLogs", {
    address: token.asset,
    fromBlock: "0x0",
    toBlock: "latest",
  })) as ReadonlyArray<Log>
  const all = logs.flatMap((log, at) => transferOf(logs[at - 1], log))
  const authorized = all.filter((transfer): transfer is AuthorizedTransfer =>
    transfer.nonce !== null
  )
  const seller = payTo.toLowerCase()
  const treasuryAddress = treasury.toLowerCase()
  const sum = (values: ReadonlyArray<bigint>) => values.reduce((sum, value) => sum + value, 0n)
  const ledger: Ledger = {
    payments: authorized.filter(({ to }) => to === seller),
    refunds: authorized.filter(({ from }) => from === treasuryAddress),
    totals: {
      in: sum(all.filter(({ to }) => to === seller).map(({ value }) => value)),
      out: sum(all.filter(({ from }) => from === treasuryAddress).map(({ value }) => value)),
    },
  }
  return ledger
})

export const balanceOf = (anvil: Anvil, holder: string) =>
  Effect.map(
    anvil.call("eth_call", toToken("balanceOf", [holder]), "latest"),
    (word) => BigInt(String(word)),
  )

/** A transfer, with the nonce of the authorization that the log before it used. */
function transferOf(before: Log | undefined, log: Log) {
  if (log.topics[0] !== transferred) return []
  const from = addressIn(log.topics[1])
  const authorized = before !== undefined && before.topics[0] === used &&
    before.transactionHash === log.transactionHash &&
    BigInt(before.logIndex) + 1n === BigInt(log.logIndex) && addressIn(before.topics[1]) === from
  return [{
    from,
    to: addressIn(log.topics[2]),
    nonce: authorized ? before.topics[2]?.toLowerCase() ?? null : null,
    value: BigInt(log.data),
    transaction: log.transactionHash,
    block: BigInt(log.blockNumber),
  }]
}

function addressIn(topic: string | undefined): string {
  return `0x${(topic ?? "").slice(-40)}`.toLowerCase()
}

/** The nonce that the refund of a payment must have. */
export function refundNonceOf(payer: string, nonce: string): string {
  return hashOf("refund/v1", payer, nonce)
}

/** The id of a payment, by the published formula. */
export function paymentIdOf(payer: string, nonce: string): string {
  return hashOf("pay/v1", payer, nonce)
}

function hashOf(kind: string, payer: string, nonce: string): string {
  return keccak256(encodeAbiParameters(
    [
      { type: "string" },
      { type: "uint256" },
      { type: "address" },
      { type: "address" },
      { type: "bytes32" },
    ],
    [
      kind,
      BigInt(token.chainId),
      token.asset as `0x${string}`,
      payer as `0x${string}`,
      nonce as `0x${string}`,
    ],
  ))
}
