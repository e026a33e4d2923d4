/**
 * From a wallet's sums to what may be said of it: rates with their uncertainty, and a label that
 * survives correction over all wallets.
 *
 * @module
 */
import type { WalletSums, WalletTotals } from "./score.ts"
import type { OddsBand } from "./whale.ts"

export declare const ruleVersion: string

/** What a wallet's counted resolved entries say; every figure null-free because there is an entry. */
export interface Rates {
  readonly resolved: number
  readonly events: number
  readonly cancelled: number
  readonly stakeUsd: number
  readonly winRate: number
  readonly winRateLow: number
  readonly winRateHigh: number
  readonly meanEntryPrice: number
  readonly edge: number
  readonly edgeLow: number
  readonly edgeHigh: number
  readonly followRoi: number
  readonly fadeRoi: number
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
}
/** Null when there is no counted entry (or none decisive). */
export declare function ratesOf(sums: WalletSums): Rates | null

/** What a label is decided by. Plain JSON. */
export interface Judgement {
  /** Two-sided, under fair prices. */
  readonly pValue: number
  readonly edge: number
  readonly followRoi: number
  readonly fadeRoi: number
}
/** Null under 30 counted resolved entries or 10 events. */
export declare function judgementOf(sums: WalletSums): Judgement | null

/** The label of each judged wallet: Benjamini-Hochberg at 0.05 over all of them. */
export declare function labels(
  judged: ReadonlyMap<string, Judgement>,
): ReadonlyMap<string, "follow" | "fade" | "neutral">

/** What all counted resolved entries of all wallets say; null where there is none to say it. */
export interface OverallRates {
  readonly resolved: number
  readonly cancelled: number
  readonly winRate: number | null
  readonly followRoi: number | null
  readonly fadeRoi: number | null
  /** The bands that have entries. */
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
}

/** The sums of all wallets as one: what the scorecard's overall figures and bands are made of. */
export declare function overall(all: ReadonlyArray<WalletTotals>): OverallRates
