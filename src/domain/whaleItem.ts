/**
 * The feed item of an entry, and whether its market lets it be told.
 *
 * @module
 */
import type { Microstructure } from "./book.ts"
import { marketRef, type NewFeedItem } from "./feed.ts"
import type { HeldEntry } from "./heldEntry.ts"
import type { Market, MarketId } from "./market.ts"
import { type EpochMs, isoTime } from "./time.ts"
import type { TrackedWallet } from "./tracking.ts"
import { shownCalibration, shownUsd } from "./whale.ts"

/** Why an entry that is due is not told, for its market; short and stable, for metrics. */
export type MarketRejection = "market_unknown" | "market_ended"

/**
 * What stands against telling an entry in `market`; null when nothing does. That a market is unknown
 * may pass: it opens before it is listed.
 */
export function marketRejection(market: Market | undefined): MarketRejection | null {
  if (market === undefined) return "market_unknown"
  return market.status === "resolved" || market.status === "closed" ? "market_ended" : null
}

/** An entry, and all that its item says of where and by whom it was made. */
export interface ToldEntry {
  readonly wallet: TrackedWallet
  readonly market: Market
  readonly entry: HeldEntry
  /** Null when the book says nothing sound. */
  readonly microstructure: Microstructure | null
}

/** The feed item of an entry; one an entry, whenever it is made. */
export function whaleItem(told: ToldEntry, createdAt: EpochMs): NewFeedItem {
  const { wallet, market, entry, microstructure } = told
  return {
    dedupeKey: entryKey(wallet.wallet, market.id, entry),
    type: "whale_entry",
    title: market.question,
    createdAt: isoTime(createdAt),
    data: {
      market: marketRef(market),
      wallet: wallet.wallet,
      pseudonym: wallet.name,
      outcome: market.outcomes[entry.outcome],
      entryPrice: entry.price,
      stakeUsd: shownUsd(entry.stakeUsd),
      shares: entry.shares,
      fills: entry.fills,
      firstFillAt: isoTime(entry.firstFillAt),
      lastFillAt: isoTime(entry.lastFillAt),
      calibration: entry.calibration === null ? null : shownCalibration(entry.calibration),
      microstructure,
    },
  }
}

/** What names an entry for ever. */
function entryKey(wallet: string, marketId: MarketId, entry: HeldEntry): string {
  return `whale:${wallet}:${marketId}:${entry.outcome}:${isoTime(entry.openedAt)}`
}
