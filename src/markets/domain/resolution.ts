/**
 * How a market ended: what a share of each outcome was paid.
 *
 * @module
 */
import type { MarketId } from "./market.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Where the payout was read: the oracle's record, the listing, or the order book's market page. */
export type ResolutionSource = "oracle" | "listing" | "book"

/**
 * A market that ended. `paid`: each outcome's share paid a fraction of a dollar, in [0, 1], together
 * 1; a half each is a push. `cancelled`: closed for good without a payout to tell of.
 */
export type Resolution =
  & {
    readonly marketId: MarketId
    readonly resolvedAt: EpochMs | null
    readonly source: ResolutionSource
  }
  & (
    | { readonly state: "paid"; readonly payouts: readonly [number, number] }
    | { readonly state: "cancelled" }
  )
