/**
 * How a market ended: the payout of a share of each outcome.
 *
 * @module
 */
import type { MarketId } from "./market.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"

/** Where the payout was read: the oracle's record, the listing, or the order book's market page. */
export type ResolutionSource = "oracle" | "listing" | "book"

/**
 * The end of a market. `paid`: the payouts of a share in USD, each in [0, 1], together 1; 0.5 each is
 * a push. `cancelled`: closed for good without a known payout.
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

/** A resolution as table columns; null when the market has not ended. */
export interface ResolutionColumns {
  readonly state: Resolution["state"] | null
  readonly payout_first: number | null
  readonly payout_second: number | null
  readonly source: ResolutionSource | null
  readonly resolved_at: Date | null
}

/** The columns of a resolution, its time as text. */
export function resolutionColumns(resolution: Resolution) {
  const { state, source, resolvedAt } = resolution
  const [payout_first, payout_second] = resolution.state === "paid" ? resolution.payouts : []
  const resolved_at = resolvedAt === null ? null : isoTime(resolvedAt)
  return { state, source, payout_first, payout_second, resolved_at }
}

/** Null when the market has not ended. */
export function resolutionOf(marketId: MarketId, columns: ResolutionColumns): Resolution | null {
  const { state, payout_first, payout_second, source, resolved_at } = columns
  if (state === null || source === null) return null
  const shared = { marketId, resolvedAt: resolved_at?.getTime() ?? null, source }
  return payout_first === null || payout_second === null
    ? { ...shared, state: "cancelled" }
    : { ...shared, state: "paid", payouts: [payout_first, payout_second] }
}
