/**
 * What a wallet did in one market, as the venue tells it, and what identifies each deed.
 *
 * Rows alike in every field are common and real, so a deed is known by its fields and its number
 * among the like of its transaction. That number can only be given by whoever sees the transaction
 * whole.
 *
 * @module
 */
import type { MarketId, TokenId } from "./market.ts"
import type { EpochMs } from "./time.ts"

/**
 * `split` turns USD into a share of each outcome, `merge` does the reverse, `redeem` takes the payout
 * of a resolved market, `convert` exchanges shares for those of sibling markets. What moves no shares
 * between a wallet and a market (rewards, deposits, migrations) is no act.
 */
export type ActKind = "buy" | "sell" | "split" | "merge" | "redeem" | "convert"

export interface Act {
  /** Lower case. */
  readonly wallet: string
  readonly marketId: MarketId
  readonly kind: ActKind
  /** Whose shares moved; null where the venue names none, as in a split or a redemption. */
  readonly tokenId: TokenId | null
  /** Shares. */
  readonly size: number
  /** Price of `tokenId` in USD a share, fees not included; 0 for what is no trade. */
  readonly price: number
  /** Whole seconds: all acts of one transaction have the same. */
  readonly at: EpochMs
  readonly transaction: string
}

/** An act that is told from the others alike. */
export interface NumberedAct extends Act {
  /** From 0, among the acts of this wallet and transaction that are alike in every field. */
  readonly occurrence: number
}
