/**
 * The feed item of an entry, and the wallet and market conditions for publishing it.
 *
 * @module
 */
import { Result } from "effect"
import { bookOf, microstructure, type OrderBook } from "../../markets/domain/book.ts"
import { marketRef, type NewFeedItem } from "../../feed/domain/item.ts"
import type { StoredEntry } from "./storedEntry.ts"
import type { Market, MarketId } from "../../markets/domain/market.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { TrackedWallet } from "./tracking.ts"
import { roundFigures, roundUsd } from "./oddsBands.ts"

/** Why a due entry is not published. A label of a metric, so it must not change. */
type EntryRejection = "history_unread" | "market_unknown" | "market_ended"

/** With these the entry is tried again, until the market is listed or the history is read. */
export const temporaryRejections: ReadonlySet<EntryRejection | null> = new Set([
  "history_unread",
  "market_unknown",
])

/**
 * Why an entry of `wallet` in `market` cannot be published; null when it can. Until the wallet's history
 * is read, a buy may turn out to close an older position.
 */
export function entryRejection(
  { history }: Pick<TrackedWallet, "history">,
  market: Market | undefined,
): EntryRejection | null {
  if (history === "reading") return "history_unread"
  if (market === undefined) return "market_unknown"
  return market.status === "resolved" || market.status === "closed" ? "market_ended" : null
}

interface WhaleItemInput {
  readonly wallet: TrackedWallet
  readonly market: Market
  readonly entry: StoredEntry
  /** Of the market's first outcome; null without one. */
  readonly book: OrderBook | null
}

/** The feed item of an entry. Its dedupe key depends only on the entry. */
export function whaleItem(input: WhaleItemInput, createdAt: EpochMs): NewFeedItem {
  const { wallet, market, entry, book } = input
  const read = book === null ? null : microstructure(bookOf(entry.outcome, book))
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
      calibration: entry.calibration === null ? null : roundFigures(entry.calibration),
      microstructure: read === null ? null : Result.getOrElse(read, () => null),
    },
  }
}

/** Never changes for an entry. */
function entryKey(wallet: string, marketId: MarketId, entry: StoredEntry): string {
  return `whale:${wallet}:${marketId}:${entry.outcome}:${isoTime(entry.openedAt)}`
}
