/**
 * The checks before and after a payment: the challenge against the contract, the message to sign
 * against the agreed terms, and the receipt and the service's record against what was signed.
 *
 * A check returns what it read, or a sentence that says what is wrong.
 *
 * @module
 */
import { atomic, usd } from "./money.ts"
import { addressPattern, type Fields, fieldsOf, firstOf, hashPattern } from "./text.ts"
import { isSame, matching, parseUrl, quoted, shown } from "./text.ts"

/** The only token and network that this client pays with: USDC on Base. */
export const chainId = 8453
export const network = `eip155:${chainId}` as const
export const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const domain = { name: "USD Coin", version: "2" } as const
/** The client does not sign an authorization that is valid for longer. */
export const validSecondsMax = 600

const unitsPattern = /^\d{1,30}$/

/** The agreed terms: the only part of a challenge that is used after the checks. */
export interface Terms {
  readonly amount: bigint
  readonly payTo: `0x${string}`
  readonly validSeconds: number
  /** The address of the resource, as the challenge spells it. */
  readonly resource: string
  readonly isUpfront: boolean
}

/** Reads a challenge that requests exactly what the contract says. */
export function readTerms(
  price: bigint,
  url: URL,
  header: unknown,
  body: unknown,
): Terms | string {
  const { x402Version, accepts, resource } = fieldsOf(header)
  const entry = firstOf(accepts)
  const amount = matching(entry["amount"], unitsPattern)
  const payTo = matching(entry["payTo"], addressPattern)
  const token = matching(entry["asset"], addressPattern)
  const seconds = entry["maxTimeoutSeconds"]
  const address = fieldsOf(resource)["url"]
  if (
    x402Version !== 2 || amount === null || payTo === null || token === null ||
    typeof seconds !== "number" || !Number.isInteger(seconds) || typeof address !== "string"
  ) return "the challenge is not x402 version 2"
  const summary = firstOf(fieldsOf(body)["accepts"])
  const summaryPrice = atomic(matching(summary["price"], /^\$/)?.slice(1))
  const summaryPayTo = matching(summary["payTo"], addressPattern)
  if (summaryPrice === null || summaryPayTo === null) return "the body of the 402 has no price"
  const on = `${shown(entry["scheme"], 40)} on ${shown(entry["network"], 40)}`
  const where = parseUrl(address)
  const here = `${url.origin}${url.pathname}`
  const extra = fieldsOf(entry["extra"])
  const terms: Terms = {
    amount: price,
    payTo: hex(payTo),
    validSeconds: seconds,
    resource: address,
    isUpfront: extra["paymentFlow"] === "upfront",
  }
  return firstWrong([
    [on !== `exact on ${network}`, `it requests ${on}, not exact on ${network}`],
    [!isSame(token, asset), `${token} is not USDC`],
    [!isUsdc(extra), "the message to sign would not be a transfer of USDC on Base"],
    [BigInt(amount) !== price, `it requests ${amount} units, the contract says ${price}`],
    [
      summaryPrice !== price,
      `its body says $${usd(summaryPrice)}, the contract says $${usd(price)}`,
    ],
    [!isSame(payTo, summaryPayTo), "header and body have different receivers"],
    [
      seconds < 1 || seconds > validSecondsMax,
      `the payment would be valid for ${seconds} s, not up to ${validSecondsMax}`,
    ],
    [
      `${where?.origin}${where?.pathname}` !== here,
      `it is for ${quoted(address)}, not for ${here}`,
    ],
  ]) ?? terms
}

/** Whether the token's domain is that of USDC and nothing else changes what is signed. */
function isUsdc({ name, version, paymentFlow, ...others }: Fields): boolean {
  return name === domain.name && version === domain.version &&
    (paymentFlow === undefined || paymentFlow === "upfront") && Object.keys(others).length === 0
}

/** The challenge that the reference client signs, built from the agreed terms alone. */
export function requirementsOf({ amount, payTo, validSeconds, resource, isUpfront }: Terms) {
  return {
    x402Version: 2,
    resource: { url: resource },
    accepts: [{
      scheme: "exact",
      network,
      amount: amount.toString(),
      asset,
      payTo,
      maxTimeoutSeconds: validSeconds,
      extra: { ...domain, ...(isUpfront ? { paymentFlow: "upfront" } : {}) },
    }],
  } as const
}

/** Whether a message to sign is the agreed transfer: null, or what is wrong. */
export function wrongTransfer(
  typed: unknown,
  { amount, payTo, validSeconds }: Terms,
  payer: string,
  nowSeconds: number,
): string | null {
  const { domain: typedDomain, primaryType, message } = fieldsOf(typed)
  const { name, version, chainId: chain, verifyingContract } = fieldsOf(typedDomain)
  const { from, to, value, validAfter, validBefore, nonce } = fieldsOf(message)
  const isTransfer = name === domain.name && version === domain.version && chain === chainId &&
    isSame(verifyingContract, asset) &&
    primaryType === "TransferWithAuthorization" && matching(nonce, hashPattern) !== null
  const untilMax = BigInt(nowSeconds + Math.min(validSeconds, validSecondsMax) + clockSecondsMax)
  return firstWrong([
    [!isTransfer, "the message to sign is not a transfer of USDC on Base"],
    [!isSame(from, payer), `the message to sign spends from ${shown(from, 60)}`],
    [!isSame(to, payTo), `the message to sign pays ${shown(to, 60)}`],
    [value !== amount, `the message to sign is for ${shown(value, 40)} units`],
    [
      typeof validAfter !== "bigint" || validAfter > BigInt(nowSeconds) ||
      typeof validBefore !== "bigint" || validBefore > untilMax,
      `the message to sign is valid from ${shown(validAfter, 40)} to ${shown(validBefore, 40)}`,
    ],
  ])
}

/** How far the reference client's reading of the clock may be ahead of ours. */
const clockSecondsMax = 2

/** A receipt that was checked. */
export interface Receipt {
  readonly payer: string
  readonly transaction: string
}

/** Reads a decoded PAYMENT-RESPONSE that is a receipt of the signed payment. */
export function readReceipt(receipt: unknown, amount: bigint, payer: string): Receipt | string {
  const { success, payer: paidBy, transaction, network: on, amount: paid } = fieldsOf(receipt)
  const hash = matching(transaction, hashPattern)
  const address = matching(paidBy, addressPattern)
  if (success !== true || hash === null || address === null) return "the receipt is invalid"
  return firstWrong([
    [on !== network, `the receipt is of ${shown(on, 40)}`],
    [!isSame(address, payer), "the receipt has another payer"],
    [
      paid !== undefined && paid !== amount.toString(),
      `the receipt is for ${shown(paid, 40)} units, but ${amount} were signed`,
    ],
  ]) ?? { payer: address, transaction: hash }
}

/** The service's record of a payment. */
export interface PaymentRecord {
  readonly state: string
  readonly amount: bigint
  readonly payer: string
  readonly transaction: string | null
}

/** Reads the body of `GET /v1/payments/{paymentId}`; null when it is none. */
export function readRecord(body: unknown): PaymentRecord | null {
  const { state, amountUsd, payer, transaction } = fieldsOf(body)
  const name = matching(state, /^[a-z_]{1,40}$/)
  const amount = atomic(amountUsd)
  const address = matching(payer, addressPattern)
  const hash = transaction === null ? null : matching(transaction, hashPattern) ?? undefined
  if (name === null || amount === null || address === null || hash === undefined) return null
  return { state: name, amount, payer: address, transaction: hash }
}

/** Whether the service's record agrees with the receipt: null, or what differs. */
export function wrongRecord(
  record: PaymentRecord,
  receipt: Receipt,
  amount: bigint,
): string | null {
  return firstWrong([
    [
      record.amount !== amount,
      `the record says $${usd(record.amount)}, but $${usd(amount)} was signed`,
    ],
    [record.transaction !== receipt.transaction, "record and receipt have different transactions"],
    [!isSame(record.payer, receipt.payer), "record and receipt have different payers"],
  ])
}

/** The first message whose condition holds; null when none does. */
function firstWrong(
  checks: ReadonlyArray<readonly [is: boolean, message: string]>,
): string | null {
  return checks.find(([is]) => is)?.[1] ?? null
}

function hex(address: string): `0x${string}` {
  return `0x${address.slice(2)}`
}
