/**
 * The gauges that the service and the refund worker both have, and the unit of all amounts in metrics.
 *
 * @module
 */
import { Metric } from "effect"
import { usdDecimals } from "../core/domain/money.ts"

/** Atomic units as USDC: a float, for metrics only. */
export const inUsdc = (units: bigint) => Number(units) / 10 ** usdDecimals

export const treasuryUsdc = Metric.gauge("treasury_usdc", {
  description: "The treasury's balance, in USDC, as of the last read",
})

export const chainReadAge = Metric.gauge("chain_read_age_seconds", {
  description: "Seconds since the last good read of the chain",
})
