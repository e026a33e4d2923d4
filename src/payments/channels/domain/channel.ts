/**
 * A payment channel of x402's scheme `batch-settlement`: what may be sold on it, claimed from it and
 * returned. Pure.
 *
 * A payer deposits once into a channel of the contract, and signs one voucher per call. A voucher
 * names a ceiling: everything charged on the channel before, and the price of this call. An answer
 * is charged when it is delivered, and then only: `charged` is the sum of the delivered answers, the
 * ceiling of the newest voucher that is ever claimed, and never falls. So a channel has at most one
 * open sale, and
 *
 *     claimed on the chain <= charged = delivered <= signed by the payer.
 *
 * @module
 */
import {
  type Address,
  address,
  type Bytes32,
  type PaymentId,
  type Signature,
} from "../../domain/payment.ts"

/** The channel contract of x402, which has this address on every chain. */
export const channelContract = address("0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003")

/** What identifies a channel. None of it ever changes. */
export interface ChannelConfig {
  readonly payer: Address
  /** The key that signs vouchers. */
  readonly payerAuthorizer: Address
  readonly receiver: Address
  /** The key that signs claims and refunds. */
  readonly receiverAuthorizer: Address
  readonly token: Address
  /** Seconds from the start of a payer's withdrawal until its end. */
  readonly withdrawDelay: number
  readonly salt: Bytes32
}

/** A channel as the contract has it. Amounts are atomic units, cumulative. */
export interface ChannelOnChain {
  readonly balance: bigint
  readonly claimed: bigint
  /** When the payer started a withdrawal, in seconds since the Unix epoch; 0 when none is pending. */
  readonly withdrawAt: bigint
  readonly refundNonce: bigint
}

/** A channel as the service knows it. */
export interface Channel {
  readonly channelId: Bytes32
  readonly config: ChannelConfig
  /** The sum of delivered answers, and the ceiling of `voucher`. */
  readonly charged: bigint
  /** The payer's signature for `charged`; null when nothing was charged since the chain's claim. */
  readonly voucher: Signature | null
  /** `claimed` is as of a safe block, the others as of the newest block that was read. */
  readonly chain: ChannelOnChain
  /** Milliseconds since the chain was read. */
  readonly readAgoMs: number
  /** Milliseconds since the oldest charge that is not claimed; null without one. */
  readonly unclaimedAgoMs: number | null
  /** Milliseconds since a claim was sent; null when none is under way. */
  readonly claimSentAgoMs: number | null
  /** The nonce of a refund that was sent, and whose end is not known; null without one. */
  readonly refundNonceSent: bigint | null
  readonly refundSentAgoMs: number | null
}

/** One call on a channel. A sale that fails has no row. */
export interface ChannelSale {
  readonly saleId: PaymentId
  readonly ceiling: bigint
  readonly price: bigint
  /** The product and its canonical parameters. */
  readonly request: string
  /** Hash of channel, request and the buyer's key; null without a key. */
  readonly keyHash: Bytes32 | null
  /** `claimed`: being computed, under a lease. `answered`: its answer is stored, not delivered yet. */
  readonly state: "claimed" | "answered" | "delivered"
  readonly leaseLeftMs: number
  /** Milliseconds since the answer was stored; null before. */
  readonly answeredAgoMs: number | null
  readonly body: Uint8Array | null
  /** The transaction of the deposit that came with the call; null without one. */
  readonly depositTransaction: string | null
  /** The deposit that came with the call, in atomic units; 0 without one. */
  readonly deposit: bigint
}

/** What bounds the value that a channel, and all of them together, may owe us. Visible settings. */
export interface ChannelLimits {
  /** Most atomic units charged and not claimed on one channel. */
  readonly channelMax: bigint
  /** The same over all channels. */
  readonly totalMax: bigint
  /** How long an undelivered answer keeps its voucher (HOLD). */
  readonly holdMs: number
}

/**
 * Seconds of the withdrawal delay that buyers must choose. A charge is claimed after `claimAfterMs`,
 * so it lands long before a withdrawal that began after the last read of the chain can end.
 */
export const withdrawDelaySeconds = 86_400
/** A charge is claimed when it is this old: a quarter of the delay. */
const claimAfterMs = withdrawDelaySeconds * 1_000 / 4
/** A claim that is not seen on the chain after this time is sent again. */
const claimRetryMs = 10 * 60_000
/** How old a read of the chain may be when a voucher is accepted on it. */
export const readFreshMs = 60_000
/** A refund that is not seen on the chain after this time is believed lost. */
const refundLostMs = 10 * 60_000

/** A call that wants to buy. */
export interface ChannelOffer {
  readonly ceiling: bigint
  readonly price: bigint
  readonly request: string
  readonly keyHash: Bytes32 | null
  /** What the call deposits before its answer is delivered; 0 without a deposit. */
  readonly deposit: bigint
}

/** What becomes of a call. */
export type Decision =
  /** Sell it. `delivered`: the open sale that this voucher acknowledges. */
  | { readonly decision: "sell"; readonly delivered: PaymentId | null }
  /** It has its answer already. */
  | { readonly decision: "replay"; readonly sale: ChannelSale & { readonly body: Uint8Array } }
  /** Another call holds the channel, for so long at most. */
  | { readonly decision: "busy"; readonly waitMs: number }
  /** The ceiling is not what was charged and the price. */
  | { readonly decision: "mismatch" }
  | { readonly decision: "exceeds_balance" }
  | { readonly decision: "withdrawing" }
  | { readonly decision: "refunding" }
  /** Too much is unclaimed: the claims must land first. */
  | { readonly decision: "unclaimed" }

/**
 * Decides about a call. `sales`: the open sale, and those with its ceiling or its key. `unclaimed`:
 * what all channels have charged and not claimed, with their open sales.
 */
export function decide(
  channel: Channel,
  sales: ReadonlyArray<ChannelSale>,
  offer: ChannelOffer,
  unclaimed: bigint,
  limits: ChannelLimits,
): Decision {
  const known = sales.find((sale) => isRepeated(sale, offer, limits))
  if (known !== undefined) return repeated(known)
  const open = sales.find(({ state }) => state !== "delivered")
  const delivered = open !== undefined && acknowledges(open, offer.ceiling - offer.price)
    ? open
    : null
  const base = delivered?.ceiling ?? channel.charged
  if (offer.ceiling !== base + offer.price) return { decision: "mismatch" }
  const waitMs = open === undefined || delivered !== null ? 0 : heldMs(open, limits)
  if (waitMs > 0) return { decision: "busy", waitMs }
  if (isRefunding(channel)) return { decision: "refunding" }
  if (channel.chain.withdrawAt > 0n) return { decision: "withdrawing" }
  if (offer.ceiling > channel.chain.balance + offer.deposit) return { decision: "exceeds_balance" }
  const ofChannel = base - channel.chain.claimed + offer.price
  // The sale that ends here is in both sums, as charged or as open.
  const replaced = open !== undefined && delivered === null ? open.price : 0n
  const isTooMuch = ofChannel > limits.channelMax ||
    unclaimed - replaced + offer.price > limits.totalMax
  return isTooMuch
    ? { decision: "unclaimed" }
    : { decision: "sell", delivered: delivered?.saleId ?? null }
}

/**
 * Whether a call asks for this sale again: with its key, or, while its answer is not delivered, with
 * its voucher and request. A voucher that was claimed is public, so it fetches nothing.
 */
function isRepeated(sale: ChannelSale, offer: ChannelOffer, limits: ChannelLimits): boolean {
  if (sale.request !== offer.request) return false
  const isLive = sale.state === "delivered" || heldMs(sale, limits) > 0
  if (sale.keyHash !== null && sale.keyHash === offer.keyHash) return isLive
  return isLive && sale.state !== "delivered" && sale.keyHash === null && offer.keyHash === null &&
    sale.ceiling === offer.ceiling
}

function repeated(sale: ChannelSale): Decision {
  if (sale.state === "claimed") return { decision: "busy", waitMs: Math.max(1, sale.leaseLeftMs) }
  return sale.body === null
    ? { decision: "mismatch" }
    : { decision: "replay", sale: { ...sale, body: sale.body } }
}

/** A payer who signs on top of a sale's ceiling has its answer: the response named that ceiling. */
export function acknowledges(open: ChannelSale, base: bigint): boolean {
  return open.state === "answered" && open.ceiling === base
}

/** How long an open sale still holds its channel; zero or less when another call may replace it. */
export function heldMs(
  { state, leaseLeftMs, answeredAgoMs }: ChannelSale,
  { holdMs }: Pick<ChannelLimits, "holdMs">,
): number {
  return state === "claimed" ? leaseLeftMs : holdMs - (answeredAgoMs ?? 0)
}

/** Whether a refund may still land, so that a voucher could lose its escrow. */
function isRefunding({ refundNonceSent, refundSentAgoMs, chain }: Channel): boolean {
  return refundNonceSent !== null && chain.refundNonce <= refundNonceSent &&
    (refundSentAgoMs ?? 0) < refundLostMs
}

/** What is charged and not claimed. */
export function unclaimedOf({ charged, chain }: Channel): bigint {
  return charged - chain.claimed
}

/**
 * Whether a channel must be claimed now: by time, by the amount at risk on it or in total, and at
 * once when its payer withdraws.
 */
export function isDue(channel: Channel, total: bigint, limits: ChannelLimits): boolean {
  if (claimableOf(channel) <= channel.chain.claimed) return false
  const sentAgoMs = channel.claimSentAgoMs
  if (sentAgoMs !== null && sentAgoMs < claimRetryMs) return false
  return channel.chain.withdrawAt > 0n ||
    (channel.unclaimedAgoMs ?? 0) >= claimAfterMs ||
    2n * unclaimedOf(channel) >= limits.channelMax ||
    2n * total >= limits.totalMax
}

/** The cumulative amount that can be claimed: no more than was delivered, nor than is there. */
export function claimableOf({ charged, voucher, chain }: Channel): bigint {
  if (voucher === null) return chain.claimed
  return charged < chain.balance ? charged : chain.balance
}
