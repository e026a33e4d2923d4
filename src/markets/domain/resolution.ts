/**
 * How a market ended: the payout of a share of each outcome.
 *
 * @module
 */
import type { MarketId } from "./market.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/**
 * The end of a market. `paid`: the payouts of a share in USD, each in [0, 1], together 1; 0.5 each is
 * a push. `cancelled`: closed for good without a known payout.
 */
export type Resolution =
  & {
    readonly marketId: MarketId
    readonly resolvedAt: EpochMs | null
  }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "cancelled" }
  )
