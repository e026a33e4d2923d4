/**
 * The options of a simulated world: its seed, and the shares and rates of its events.
 *
 * @module
 */
import { defaultGroups } from "./wallets.ts"

export type WorldOptions = Readonly<typeof worldDefaults> & { readonly seed: number }

export const worldDefaults = {
  /** Live markets at any instant; a whole number, at most 9,999,999. */
  markets: 200,
  /** The world's time zero; there are markets before and after it, without end. */
  origin: Date.UTC(2026, 10, 1),
  /** Mean number of planted jumps of a market in a day. */
  jumpsPerMarketDay: 0.5,
  /** Share of ordinary markets above the quality gate (volume 10,000 USD, depth 2,500 USD). */
  gateShare: 0.7,
  mechanicalShare: 0.05,
  sportsShare: 0.1,
  /** Share of the other events whose markets last one day. */
  dailyShare: 0,
  /** Share of markets whose book is often one-sided or a ghost (only 0.01 and 0.99). */
  invalidBookShare: 0.06,
  /** Least and greatest life of the other ordinary markets; shorter lives are more likely. */
  lifeDays: [10, 40] as readonly [number, number],
  wallets: defaultGroups,
  /** Wallets start to trade this many days before the origin. */
  walletDays: 90,
  /**
   * Share of the decided ordinary markets on no ladder, above the gate, with valid books, whose outcome is known 6
   * to 60 hours before their quotes follow, if the quotes are between 0.06 and 0.94 until then.
   */
  laggardShare: 0,
  /** Share of decided ordinary and sports markets for which the wrong outcome is proposed first. */
  wrongProposalShare: 0,
  /** The same among markets whose quotes lag: their prices doubt the proposal. */
  wrongContestedShare: 0,
}
