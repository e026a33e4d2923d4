/**
 * The feed item of an entry, and whether its wallet and its market let it be told.
 *
 * @module
 */
import type { Microstructure } from "../../markets/domain/book.ts"
import { marketRef, type NewFeedItem } from "../../feed/domain/item.ts"
import type { StoredEntry } from "./storedEntry.ts"
import type { Market, MarketId } from "../../markets/domain/market.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { TrackedWallet } from "./tracking.ts"
import { roundCalibration, roundUsd } from "./whale.ts"

/** Why an entry that is due is not told; short and stable, for metrics. */
type EntryRejection = "history_unread" | "market_unknown" | "market_ended"

/** What may pass: a market opens before it is listed, and a past is being read. */
export const passing: ReadonlySet<EntryRejection | null> = new Set([
  "history_unread",
  "market_unknown",
])

/**
 * What stands against telling an entry of `wallet` in `market`; null when nothing does. While its
 * wallet's past is unread, a buy may close what was bought then, and be no entry at all.
 */
export function entryRejection(
  { history }: Pick<TrackedWallet, "history">,
  market: Market | undefined,
): EntryRejection | null {
  if (history === "reading") return "history_unread"
  if (market === undefined) return "market_unknown"
  return market.status === "resolved" || market.status === "closed" ? "market_ended" : null
}

/** An entry, and all that its item says of where and by whom it was made. */
interface WhaleItemInput {
  readonly wallet: TrackedWallet
  readonly market: Market
  readonly entry: StoredEntry
  /** Null when the book says nothing sound. */
  readonly microstructure: Microstructure | null
}

/** The feed item of an entry; one an entry, whenever it is made. */
export function whaleItem(told: WhaleItemInput, createdAt: EpochMs): NewFeedItem {
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
      stakeUsd: roundUsd(entry.stakeUsd),
      shares: entry.shares,
      fills: entry.fills,
      firstFillAt: isoTime(entry.firstFillAt),
      lastFillAt: isoTime(entry.lastFillAt),
      calibration: entry.calibration === null ? null : roundCalibration(entry.calibration),
      microstructure,
    },
  }
}

/** What names an entry for ever. */
function entryKey(wallet: string, marketId: MarketId, entry: StoredEntry): string {
  return `whale:${wallet}:${marketId}:${entry.outcome}:${isoTime(entry.openedAt)}`
}
