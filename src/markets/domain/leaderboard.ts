/**
 * The venue's leaderboards of wallets: which ones there are, and what they show of a wallet.
 *
 * @module
 */

export const boardPeriods = ["day", "week", "month", "all"] as const
export type BoardPeriod = (typeof boardPeriods)[number]

/** One leaderboard of the venue. */
export interface Board {
  readonly period: BoardPeriod
  /** `overall`, or one of the venue's categories, in its own spelling. */
  readonly category: string
  /** What it ranks wallets by. */
  readonly by: "volume" | "profit"
}

/** A wallet as a leaderboard shows it. */
export interface Standing {
  /** Lower case. */
  readonly wallet: string
  readonly rank: number
  /** As the venue shows it; empty, or an address, where the owner gave none. */
  readonly userName: string
}
