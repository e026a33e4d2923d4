/**
 * What a wallet's entries in resolved markets add up to: sums that a resolution changes, never a
 * history that has to be read again.
 *
 * @module
 */
import type { Entry } from "./entry.ts"

/** What one wallet's counted entries in one resolved market came to. Plain JSON. */
export interface MarketScore {
  readonly todo: never
}

/** What adds up over wallets too: the sums of each odds band, and counts. Plain JSON. */
export interface WalletTotals {
  readonly todo: never
}

/** Everything a calibration is computed from, of one wallet. Plain JSON, of bounded size. */
export interface WalletSums {
  readonly totals: WalletTotals
}

export declare const noSums: WalletSums

/**
 * The score of entries (hedges are left out by this function) in a market that paid `payouts`, or
 * was cancelled (null); `feeRate` is the venue's taker rate.
 */
export declare function marketScore(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number] | null,
  feeRate: number,
): MarketScore

/**
 * The sums after one event of the wallet changed: `before` are the scores of all its markets in that
 * event that are counted in `sums`, `after` those that shall be.
 */
export declare function recount(
  sums: WalletSums,
  before: ReadonlyArray<MarketScore>,
  after: ReadonlyArray<MarketScore>,
): WalletSums
