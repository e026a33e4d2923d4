/**
 * The venue's leaderboards of wallets, and their rows.
 *
 * @module
 */

export const boardPeriods = ["day", "week", "month", "all"] as const
export type BoardPeriod = (typeof boardPeriods)[number]

/** A leaderboard of the venue. */
export interface Board {
  readonly period: BoardPeriod
  /** `overall`, or one of the venue's categories in the venue's spelling. */
  readonly category: string
  readonly by: "volume" | "profit"
}

/** A wallet on a leaderboard. */
export interface LeaderboardRow {
  /** Lower case. */
  readonly wallet: string
  readonly rank: number
  /** Empty, or an address, when the owner gave no name. */
  readonly userName: string
}
