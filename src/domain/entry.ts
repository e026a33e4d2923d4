/**
 * From what a wallet did in a market to its entries: what it chose to buy, and at which price.
 *
 * @module
 */
import type { EpochMs } from "./time.ts"

/**
 * A run of net buys in one outcome of one market: from flat until flat, or until a day without one.
 * Sales change neither price nor stake, for exits are not tracked.
 */
export interface Entry {
  readonly outcome: 0 | 1
  /** Volume-weighted price of its buys, USD a share, in (0, 1). */
  readonly price: number
  /** Cost of its buys in USD, fees not included. */
  readonly stakeUsd: number
  /** Shares bought. */
  readonly shares: number
  /** Of those, the shares given up because the other outcome was bought. */
  readonly hedgedShares: number
  /** Buys. */
  readonly fills: number
  readonly firstFillAt: EpochMs
  readonly lastFillAt: EpochMs
}
