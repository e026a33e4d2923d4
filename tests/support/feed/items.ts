/**
 * Sample feed items, for tests that do not depend on their content.
 *
 * @module
 */
import type { FeedItem } from "../../../src/feed/domain/item.ts"
import { isoTime } from "../../../src/core/domain/time.ts"

/** A mover created at `at`; the index determines its market and the size of its move. */
export function sampleItem(feedIndex: number, at: number): FeedItem {
  const delta = ((feedIndex % 40) + 1) / 100
  return {
    feedIndex,
    type: "mover",
    title: `Will number ${feedIndex} come?`,
    createdAt: isoTime(at),
    data: {
      market: {
        slug: `number-${feedIndex}`,
        question: `Will number ${feedIndex} come?`,
        outcomes: ["Yes", "No"],
        url: `https://venue.example/market/number-${feedIndex}`,
        category: null,
        eventEndDate: null,
        volumeUsd: 20_000,
        liquidityUsd: 5_000,
      },
      outcome: "Yes",
      window: "24h",
      priceStart: 0.4,
      priceNow: 0.4 + delta,
      delta,
      startedAt: isoTime(at - 3_600_000),
      ...{ phase: "settled", confirmedBy: "persistence", tradedUsd: null },
      microstructure: {
        bestBid: 0.39 + delta,
        bestAsk: 0.41 + delta,
        mid: 0.4 + delta,
        spread: 0.02,
        depthUsdWithin5c: { bid: 2_000, ask: 2_000, total: 4_000 },
        impactUsd: { up1c: 300, down1c: 300, up5c: null, down5c: null },
        observedAt: isoTime(at),
      },
    },
  }
}
