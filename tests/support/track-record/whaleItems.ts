/**
 * Published whale entries, and what is known of them, for the tests of their score.
 *
 * @module
 */
import { fromHalfSteps, halfSteps, type Microstructure } from "../../../src/markets/domain/book.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import { type FeedItem, marketRef, type NewFeedItem } from "../../../src/feed/domain/item.ts"
import { type EpochMs, isoTime } from "../../../src/core/domain/time.ts"
import { type FrozenCalibration } from "../../../src/feed/domain/item.ts"
import type { ScoredEntry } from "../../../src/track-record/domain/entryScore.ts"

interface ItemFields {
  readonly market: Market
  readonly outcome?: 0 | 1
  readonly wallet?: string
  readonly label?: FrozenCalibration["label"] | null
  readonly entryPrice?: number
  readonly book?: { readonly bid: number; readonly ask: number } | null
  readonly createdAt: EpochMs
}

const calibration = (label: FrozenCalibration["label"], at: EpochMs): FrozenCalibration => ({
  ...{ label, resolved: 100, winRate: 0.6, meanEntryPrice: 0.5, edge: 0.1, edgeLow: 0.02 },
  ...{ edgeHigh: 0.18, followRoi: 0.2, fadeRoi: -0.2, effectiveEntries: 60 },
  ...{ computedAt: isoTime(at), ruleVersion: "r" },
})

/** The microstructure with these best prices. */
export function quoted({ bid, ask }: { bid: number; ask: number }, at: EpochMs): Microstructure {
  return {
    ...{ bestBid: bid, bestAsk: ask, mid: (bid + ask) / 2, spread: ask - bid },
    depthUsdWithin5c: { bid: 2_000, ask: 2_000, total: 4_000 },
    impactUsd: { up1c: 300, down1c: 300, up5c: null, down5c: null },
    observedAt: isoTime(at),
  }
}

/** The best prices of the second outcome, from those of the first. */
const other = ({ bid, ask }: { bid: number; ask: number }) => ({
  bid: fromHalfSteps(halfSteps(1) - halfSteps(ask)),
  ask: fromHalfSteps(halfSteps(1) - halfSteps(bid)),
})

/** A published whale entry; bought at 0.50 with a book of 0.49 / 0.51 unless other fields are given. */
export function newWhaleItem(fields: ItemFields): Extract<NewFeedItem, { type: "whale_entry" }> {
  const { market, outcome = 0, wallet = "0xa", label = null, entryPrice = 0.5, createdAt } = fields
  const { book = { bid: 0.49, ask: 0.51 } } = fields
  return {
    dedupeKey: `whale:${wallet}:${market.id}:${outcome}:${createdAt}`,
    ...{ type: "whale_entry", title: market.question, createdAt: isoTime(createdAt) },
    data: {
      market: marketRef(market),
      ...{ wallet, pseudonym: "Sample", outcome: market.outcomes[outcome], entryPrice },
      ...{ stakeUsd: 1_000, shares: 2_000, fills: 1 },
      ...{ firstFillAt: isoTime(createdAt - 1), lastFillAt: isoTime(createdAt - 1) },
      calibration: label === null ? null : calibration(label, createdAt - 2),
      microstructure: book === null ? null : quoted(outcome === 0 ? book : other(book), createdAt),
    },
  }
}

type WhaleItem = Extract<FeedItem, { type: "whale_entry" }>

/** The item as the feed stores it. */
export function whaleItem(feedIndex: number, fields: ItemFields): WhaleItem {
  const { dedupeKey: _, ...item } = newWhaleItem(fields)
  return { feedIndex, ...item }
}

/** An open entry in an event of its own, without readings, unless other fields are given. */
export const scoredEntry = (n: number, fields: Partial<ScoredEntry> = {}): ScoredEntry => ({
  ...{ feedIndex: n, wallet: "0xa", eventKey: `event-${n}`, label: "follow" },
  ...{ entryPrice: 0.5, asks: [0.52, 0.5], feeRate: 0.02 },
  ...{ payout: null, later: null, readings: [] },
  result: typeof fields.payout === "number" ? "paid" : null,
  ...fields,
})

/** The reading of a book with these prices. */
export const reading = (
  delayMinutes: number,
  ...prices: readonly [bought: number | null, other: number | null]
): ScoredEntry["readings"][number] => ({ delayMinutes, prices })
