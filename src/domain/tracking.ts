/**
 * Which wallets are tracked, why, and how much of their history is known.
 *
 * @module
 */
import type { EpochMs } from "./time.ts"

/**
 * The kind of leaderboard a wallet was found on. A volume board has no outcome in it, so the whole
 * history of its wallets counts. A wallet of a profit board was chosen because it won: only what it
 * opens after it was chosen can prove anything.
 */
export type TrackingSource = "volume" | "profit"

export const boardPeriods = ["day", "week", "month", "all"] as const
export type BoardPeriod = (typeof boardPeriods)[number]

/** One leaderboard of the venue. */
export interface Board {
  readonly period: BoardPeriod
  /** `overall`, or one of the venue's categories, in its own spelling. */
  readonly category: string
  readonly by: TrackingSource
}

/** A wallet as a leaderboard shows it. */
export interface Standing {
  /** Lower case. */
  readonly wallet: string
  readonly rank: number
  /** As the venue shows it; empty, or an address, where the owner gave none. */
  readonly userName: string
}

/**
 * How much of a wallet's past has been read. `truncated`: its venue gives no more of it, or there is
 * more of it than is kept, so nothing can be said of the wallet.
 */
export type HistoryState = "reading" | "whole" | "truncated"

export interface TrackedWallet {
  /** Lower case. */
  readonly wallet: string
  /** What it is shown as; never empty. */
  readonly name: string
  readonly source: TrackingSource
  readonly trackedAt: EpochMs
  readonly history: HistoryState
  /** Every act in `[readFrom, readTo]` has been read; null before the first page. */
  readonly readFrom: EpochMs | null
  readonly readTo: EpochMs | null
  /** Acts that are known of it. */
  readonly acts: number
  /** Distinct markets it acted in, and those of them in which it bought both outcomes. */
  readonly markets: number
  readonly bothSides: number
}
