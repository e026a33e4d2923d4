/**
 * The options of a simulated world: its seed, the shares and rates of its events, and its wallets.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"

export type WorldOptions = Readonly<typeof worldDefaults> & { readonly seed: number }

export const worldDefaults = {
  /** Live markets at any instant; a whole number, at most 9,999,999. */
  markets: 200,
  /** The world's time zero; there are markets before and after it, without end. */
  origin: Date.UTC(2026, 10, 1),
  /** Mean number of planted jumps of a market in a day; about two in three are of five cents or more. */
  jumpsPerMarketDay: 0.75,
  /** Share of ordinary markets above the quality gate (volume 10,000 USD, depth 2,500 USD). */
  gateShare: 0.7,
  /** Share of the ordinary events whose markets last one day. */
  dailyShare: 0,
  /** Least and greatest life of the other ordinary markets; shorter lives are more likely. */
  lifeDays: [10, 40] as readonly [number, number],
  wallets: [] as ReadonlyArray<WalletGroup>,
  /** Wallets start to trade this many days before the origin. */
  walletDays: 90,
  /** From here on, wallets without an edge enter each market, so that a feed always has entries. */
  livelyFrom: Infinity as EpochMs,
  /**
   * Share of the decided ordinary markets on no ladder, above the gate, and of the events of rivals, whose
   * outcome is known 6 to 60 hours before their quotes follow.
   */
  laggardShare: 0,
  /** Share of decided ordinary and sports markets for which the wrong outcome is proposed first. */
  wrongProposalShare: 0,
  /** The same among markets whose quotes lag: their prices doubt the proposal. */
  wrongContestedShare: 0,
}

/** Wallets with the same parameters. */
export interface WalletGroup {
  readonly count: number
  /** Win probability minus price paid: 0.08 is eight points; a negative edge loses money. */
  readonly edge: number
  /** Approximate markets entered a day; fewer when prices are outside `prices`. */
  readonly entriesPerDay: number
  /** Whether it trades in markets of one day only. */
  readonly daily?: boolean
  /** Least and greatest entry price, on either side. */
  readonly prices: readonly [number, number]
  readonly medianStakeUsd: number
}
