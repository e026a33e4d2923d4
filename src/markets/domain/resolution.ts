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

/** A resolution as stores keep it: a value a column, null where it has none. */
export interface ResolutionColumns {
  readonly state: Resolution["state"] | null
  readonly payout_first: number | null
  readonly payout_second: number | null
  readonly source: ResolutionSource | null
  readonly resolved_at: Date | null
}

/** How the market of a row ended; null when it has not. */
export function resolutionOf(marketId: MarketId, columns: ResolutionColumns): Resolution | null {
  const { state, payout_first, payout_second, source, resolved_at } = columns
  if (state === null || source === null) return null
  const shared = { marketId, resolvedAt: resolved_at?.getTime() ?? null, source }
  return payout_first === null || payout_second === null
    ? { ...shared, state: "cancelled" }
    : { ...shared, state: "paid", payouts: [payout_first, payout_second] }
}
