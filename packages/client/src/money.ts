/**
 * Amounts in dollars and in units of 0.000001 USDC.
 *
 * @module
 */

const unitsPerUsd = 1_000_000n

/** `"0.01"` -> `10000n`; null for any other text than an amount of up to a million dollars. */
export function atomic(text: unknown): bigint | null {
  if (typeof text !== "string" || !/^\d{1,7}(\.\d{1,6})?$/.test(text)) return null
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole) * unitsPerUsd + BigInt(fraction.padEnd(6, "0"))
}

/** `10000n` -> `"0.01"`. */
export function usd(amount: bigint): string {
  const fraction = (amount % unitsPerUsd).toString().padStart(6, "0").replace(/0{1,4}$/, "")
  return `${amount / unitsPerUsd}.${fraction}`
}
