/**
 * What paid answers look like, with made-up values that say so: the body of /v1/sample, and the
 * examples in every document.
 *
 * @module
 */
import type { Microstructure } from "../../markets/domain/book.ts"
import type { FeedItem, MarketRef } from "../../feed/domain/item.ts"
import type { ProductId } from "./product.ts"
import { isoTime } from "../../core/domain/time.ts"
import { sampleDigest } from "./sampleDigest.ts"
import { sampleCalibration, sampleWhales } from "./sampleWhales.ts"

/** When the sample was taken. */
export const sampleAt = Date.parse("2026-11-02T09:30:00.000Z")
const at = isoTime(sampleAt)
const earlier = "2026-11-01T11:20:00.000Z"
const before = "2026-11-01T11:10:00.000Z"

const market: MarketRef = {
  slug: "sample-will-the-bridge-open-in-2027",
  question: "Sample: will the bridge open in 2027?",
  outcomes: ["Yes", "No"],
  url: "https://venue.example/market/sample-will-the-bridge-open-in-2027",
  category: "Sample",
  eventEndDate: "2027-12-31T23:59:59.000Z",
  volumeUsd: 182_400,
  liquidityUsd: 21_750,
}

const microstructure: Microstructure = {
  bestBid: 0.61,
  bestAsk: 0.63,
  mid: 0.62,
  spread: 0.02,
  depthUsdWithin5c: { bid: 4_120.5, ask: 3_870.25, total: 7_990.75 },
  impactUsd: { up1c: 640, down1c: 710.4, up5c: 3_510, down5c: null },
  observedAt: at,
}

const feedItems = [
  {
    feedIndex: 1,
    type: "mover",
    title: market.question,
    createdAt: at,
    data: {
      market,
      window: "24h",
      priceStart: 0.48,
      priceNow: 0.62,
      delta: 0.14,
      startedAt: earlier,
      zScore: 5.2,
      confirmedBy: "trades",
      microstructure,
    },
  },
  {
    feedIndex: 2,
    type: "whale_entry",
    title: market.question,
    createdAt: at,
    data: {
      market,
      wallet: sampleWhales[1].wallet,
      pseudonym: sampleWhales[1].pseudonym,
      outcome: "Yes",
      entryPrice: 0.585,
      stakeUsd: 25_000,
      shares: 42_735.04,
      fills: 6,
      firstFillAt: earlier,
      lastFillAt: at,
      calibration: sampleCalibration(before),
      microstructure,
    },
  },
  {
    feedIndex: 3,
    type: "predetermined",
    title: market.question,
    createdAt: at,
    data: {
      market,
      outcome: "Yes",
      statement: "Sample: the authority has announced the opening.",
      confidence: "high",
      evidence: [{
        title: "Sample headline",
        url: "https://news.example/sample-headline",
        source: "news.example",
        publishedAt: earlier,
      }],
      marketPrice: 0.62,
      impliedEdge: 0.38,
      detectedAt: at,
      detector: "rules",
      microstructure,
    },
  },
] as const satisfies ReadonlyArray<FeedItem>

/** The body of /v1/sample. */
export const sampleBody = {
  success: true,
  _notice: {
    type: "static_sample",
    message: "Static samples with made-up values: the shapes are real, the markets are not.",
  },
  feedItems,
  whales: sampleWhales,
  digest: sampleDigest(feedItems, sampleAt),
  resolving: [{
    slug: market.slug,
    question: market.question,
    eventEndDate: "2026-11-02T21:30:00.000Z",
    hoursRemaining: 12,
    yesMid: 0.62,
    convergence: "contested",
    liquidityUsd: 21_750,
    microstructure,
  }],
  research: {
    cached: false,
    generatedAt: at,
    data: {
      market: { question: market.question, slug: market.slug },
      analysis: {
        thesis: "The price of “Yes” stood at 0.62 at 2026-11-02 09:30 UTC.",
        whaleView:
          "The tracked wallet “Second Sample Wallet” bought “Yes” at 0.585 for 25,000 USD.",
        risks: ["The venue names no scheduled end for this market."],
        confidence: "medium",
        bottomLine: "At 0.62 for “Yes” the market leaves the question open.",
      },
      narrator: "template",
      evidence: {
        priceAction: [{ at: earlier, price: 0.48 }, { at, price: 0.62 }],
        microstructure,
        whales: [{
          wallet: sampleWhales[1].wallet,
          pseudonym: sampleWhales[1].pseudonym,
          outcome: "Yes",
          entryPrice: 0.585,
          stakeUsd: 25_000,
          firstFillAt: earlier,
          marketMaker: false,
          calibration: sampleCalibration(at),
        }],
        news: [{
          title: "Sample headline",
          url: "https://news.example/sample-headline",
          source: "news.example",
          publishedAt: earlier,
        }],
        facts: [
          { id: "F1", statement: "The price of “Yes” stood at 0.62 at 2026-11-02 09:30 UTC." },
          {
            id: "F2",
            statement:
              "The tracked wallet “Second Sample Wallet” bought “Yes” at 0.585 for 25,000 USD.",
          },
          { id: "F3", statement: "The venue names no scheduled end for this market." },
          {
            id: "F4",
            statement: "At 0.62 for “Yes” the market leaves the question open.",
          },
        ],
        grounds: { thesis: ["F1"], whaleView: ["F2"], risks: [["F3"]], bottomLine: ["F4"] },
      },
    },
    disclaimer: "Informational only. Not financial advice.",
  },
} as const

const [mover, whaleEntry, predetermined] = feedItems
const { id, title, summary, createdAt } = sampleBody.digest

/** The answer of each product to the call that documents show, made of the sample's values. */
export const sampleAnswers = {
  latest: { success: true, status: "live", data: predetermined, charged: true },
  signal: { success: true, data: mover, charged: true },
  signals: {
    success: true,
    count: 2,
    filters: { since: mover.feedIndex, count: 10, type: "all" },
    data: [whaleEntry, predetermined],
    charged: true,
  },
  digest: { success: true, data: sampleBody.digest, charged: true },
  digest_history: {
    success: true,
    count: 1,
    hours: 24,
    data: [{ id, title, summary, createdAt }],
    charged: true,
  },
  resolving: {
    success: true,
    count: 1,
    filters: { withinHours: 24, minLiquidity: 5_000, includeNoise: false },
    data: sampleBody.resolving,
  },
  whales: { success: true, computedAt: at, data: { wallets: sampleWhales, omitted: 0 } },
  research: { success: true, ...sampleBody.research },
} as const satisfies Readonly<Record<ProductId, object>>
