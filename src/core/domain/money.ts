/**
 * Money that is charged: atomic units of USDC (six decimals), as a `bigint`, never a float.
 *
 * Amounts that a market reports (volume, depth, stakes) are measurements, not money: they are numbers.
 *
 * @module
 */
import { Schema } from "effect"

/** Atomic units of USDC: 1 USD is 1,000,000 units. */
export const AtomicAmount = Schema.BigInt.pipe(Schema.brand("AtomicAmount"))
export type AtomicAmount = typeof AtomicAmount.Type

/** Digits of a USDC amount after the point. */
export const usdDecimals = 6
const unitsPerUsd = 10n ** BigInt(usdDecimals)

/** `10000n` -> `"0.01"`; at least two decimals, no trailing zeros beyond them. */
export function usd(amount: AtomicAmount): string {
  const whole = amount / unitsPerUsd
  const fraction = (amount % unitsPerUsd).toString().padStart(6, "0").replace(/0{1,4}$/, "")
  return `${whole}.${fraction}`
}

/** `"0.01"` -> `10000n`. */
export function atomic(price: `${number}`): AtomicAmount {
  const [whole = "0", fraction = ""] = price.split(".")
  return AtomicAmount.make(BigInt(whole) * unitsPerUsd + BigInt(fraction.padEnd(6, "0")))
}
