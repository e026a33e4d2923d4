/**
 * The rules of the channel contract in memory, its facilitator, and a buyer who signs vouchers.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../src/payments/Chain.ts"
import { ChannelContract } from "../../../src/payments/channels/ChannelContract.ts"
import {
  type ChannelClaimed,
  ChannelFacilitator,
  type ChannelTransaction,
} from "../../../src/payments/channels/ChannelFacilitator.ts"
import {
  type ChannelConfig,
  channelContract,
} from "../../../src/payments/channels/domain/channel.ts"
import { address, Bytes32, Signature } from "../../../src/payments/domain/payment.ts"
import type { SettleOutcome } from "../../../src/payments/Facilitator.ts"
import { buyer } from "./buyers.ts"
import { nonce, terms } from "./terms.ts"

export const channelTerms = {
  receiverAuthorizer: `0x${"a7".repeat(20)}`,
  withdrawDelay: 86_400,
} as const

/** The configuration of the n-th buyer's channel. */
export const channelConfig = (n: number): ChannelConfig => ({
  payer: address(buyer(n).address),
  payerAuthorizer: address(buyer(n).address),
  receiver: address(terms.payTo),
  receiverAuthorizer: address(channelTerms.receiverAuthorizer),
  token: address(terms.asset),
  withdrawDelay: channelTerms.withdrawDelay,
  salt: nonce(n),
})

const domain = {
  name: "x402 Batch Settlement",
  version: "1",
  chainId: terms.chainId,
  verifyingContract: channelContract,
} as const

/** The n-th buyer's signature of a voucher. */
export const signVoucher = (n: number, channelId: Bytes32, ceiling: bigint) =>
  Effect.map(
    Effect.promise(() =>
      buyer(n).signTypedData({
        domain,
        types: {
          Voucher: [
            { name: "channelId", type: "bytes32" },
            { name: "maxClaimableAmount", type: "uint128" },
          ],
        },
        primaryType: "Voucher",
        message: { channelId, maxClaimableAmount: ceiling },
      })
    ),
    (signature) => Signature.make(signature as Signature),
  )

interface OnLedger {
  balance: bigint
  claimed: bigint
  withdrawn: bigint
  withdraw: { readonly amount: bigint; readonly at: bigint } | null
  nonce: bigint
}

/** What the facilitator does with the next transactions. */
type Fault =
  /** Nothing lands, and it says so. */
  | "declined"
  /** Nothing lands, and nothing is said. */
  | "silent"
  /** It lands, and nothing is said. */
  | "unsaid"
  | null

export class ChannelLedger {
  readonly #channels = new Map<Bytes32, OnLedger>()
  /** By channel and signature: the ceiling that was signed. */
  readonly #signed = new Map<string, bigint>()
  fault: Fault = null
  /** True: the chain cannot be read. */
  unreadable = false
  readonly submitted: Array<ChannelTransaction["type"]> = []
  idOf: (config: ChannelConfig) => Bytes32 = () => nonce(0)

  of(channelId: Bytes32): OnLedger {
    const known = this.#channels.get(channelId)
    if (known !== undefined) return known
    const fresh = { balance: 0n, claimed: 0n, withdrawn: 0n, withdraw: null, nonce: 0n }
    this.#channels.set(channelId, fresh)
    return fresh
  }

  sign(channelId: Bytes32, ceiling: bigint, signature: Signature): void {
    this.#signed.set(`${channelId} ${signature}`, ceiling)
  }

  initiateWithdraw(channelId: Bytes32, at: bigint): void {
    const channel = this.of(channelId)
    const amount = channel.balance - channel.claimed
    if (channel.withdraw === null && amount > 0n) channel.withdraw = { amount, at }
  }

  finalizeWithdraw(channelId: Bytes32): void {
    const channel = this.of(channelId)
    if (channel.withdraw === null) return
    const left = channel.balance - channel.claimed
    const amount = channel.withdraw.amount < left ? channel.withdraw.amount : left
    channel.balance -= amount
    channel.withdrawn += amount
    channel.withdraw = null
  }

  #claim(claims: ReadonlyArray<ChannelClaimed>): boolean {
    const isValid = claims.every(({ config, ceiling, signature, claimed }) => {
      const id = this.idOf(config)
      const channel = this.of(id)
      return claimed <= channel.claimed ||
        claimed <= ceiling && claimed <= channel.balance &&
          this.#signed.get(`${id} ${signature}`) === ceiling
    })
    if (!isValid) return false
    for (const { config, claimed } of claims) {
      const channel = this.of(this.idOf(config))
      if (claimed > channel.claimed) channel.claimed = claimed
    }
    return true
  }

  #apply(transaction: ChannelTransaction): boolean {
    switch (transaction.type) {
      case "deposit":
        this.of(transaction.channelId).balance += transaction.amount
        return true
      case "claim":
        return this.#claim(transaction.claims)
      case "settle":
        return true
      case "refund": {
        const channel = this.of(transaction.channelId)
        if (channel.nonce !== transaction.nonce || !this.#claim(transaction.claims)) return false
        channel.nonce += 1n
        const left = channel.balance - channel.claimed
        const amount = transaction.amount < left ? transaction.amount : left
        channel.balance -= amount
        channel.withdrawn += amount
        channel.withdraw = null
        return true
      }
    }
  }

  submit(transaction: ChannelTransaction): SettleOutcome {
    this.submitted.push(transaction.type)
    const fault = this.fault
    if (fault === "declined") return { outcome: "declined", reason: "fault" }
    if (fault === "silent") return { outcome: "unknown", reason: "fault" }
    const isDone = this.#apply(transaction)
    if (fault === "unsaid") return { outcome: "unknown", reason: "fault" }
    return isDone
      ? { outcome: "settled", transaction: `0x${"ab".repeat(32)}` }
      : { outcome: "declined", reason: "reverted" }
  }

  /** The ports of this ledger. */
  readonly layer = Layer.merge(
    Layer.sync(ChannelFacilitator, () =>
      ChannelFacilitator.of({
        verifyDeposit: () => Effect.succeed({ outcome: "valid" }),
        submit: (transaction) => Effect.sync(() => this.submit(transaction)),
      })),
    Layer.sync(ChannelContract, () =>
      ChannelContract.of({
        read: (channelId) =>
          Effect.suspend(() => {
            if (this.unreadable) return Effect.fail(new ChainUnavailable({ reason: "fault" }))
            const { balance, claimed, withdraw, nonce } = this.of(channelId)
            const withdrawAt = withdraw?.at ?? 0n
            const state = { balance, claimed, withdrawAt, refundNonce: nonce }
            return Effect.succeed({ newest: state, safe: state })
          }),
      })),
  )
}
