/**
 * The options of a simulated world: its seed, and the shares and rates of its events.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import { defaultGroups, type WalletGroup } from "./wallets.ts"

export interface WorldOptions {
  readonly seed: number
  /** Live markets at any instant; a whole number, at most 9,999,999. */
  readonly markets: number
  /** The world's time zero; there are markets before and after it, without end. */
  readonly origin: EpochMs
  /** Mean number of planted jumps of a market in a day. */
  readonly jumpsPerMarketDay: number
  /** Share of ordinary markets above the quality gate (volume 10,000 USD, depth 2,500 USD). */
  readonly gateShare: number
  readonly mechanicalShare: number
  readonly sportsShare: number
  /** Share of markets whose book is often one-sided or a ghost (only 0.01 and 0.99). */
  readonly invalidBookShare: number
  /** Least and greatest life of an ordinary market; shorter lives are more likely. */
  readonly lifeDays: readonly [number, number]
  readonly wallets: ReadonlyArray<WalletGroup>
  /** Wallets start to trade this many days before the origin. */
  readonly walletDays: number
  /**
   * Share of the decided ordinary markets above the gate, with valid books, whose outcome is known 6
   * to 60 hours before their quotes follow, if the quotes are between 0.06 and 0.94 until then.
   */
  readonly laggardShare: number
  /** Share of decided ordinary and sports markets for which the wrong outcome is proposed first. */
  readonly wrongProposalShare: number
  /** The same among markets whose quotes lag: their prices doubt the proposal. */
  readonly wrongContestedShare: number
}

export const worldDefaults: Omit<WorldOptions, "seed"> = {
  markets: 200,
  origin: Date.UTC(2026, 10, 1),
  jumpsPerMarketDay: 0.5,
  gateShare: 0.7,
  mechanicalShare: 0.05,
  sportsShare: 0.1,
  invalidBookShare: 0.06,
  lifeDays: [10, 40],
  wallets: defaultGroups,
  walletDays: 90,
  laggardShare: 0,
  wrongProposalShare: 0,
  wrongContestedShare: 0,
}
