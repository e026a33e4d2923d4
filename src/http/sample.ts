/**
 * /v1/sample: what paid answers look like, with made-up values that say so.
 *
 * @module
 */
import type { Microstructure } from "../domain/book.ts"
import type { FeedItem, MarketRef } from "../domain/feed.ts"
import { type Answer, answer } from "./answer.ts"

const at = "2026-11-02T09:30:00.000Z"
const earlier = "2026-11-01T11:20:00.000Z"
const wallet = "0x000000000000000000000000000000000000dEaD"

const market: MarketRef = {
  slug: "sample-will-the-bridge-open-in-2027",
  question: "Sample: will the bridge open in 2027?",
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

const feedItems: ReadonlyArray<FeedItem> = [
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
      wallet,
      pseudonym: "Sample Wallet",
      outcome: "Yes",
      entryPrice: 0.585,
      stakeUsd: 25_000,
      shares: 42_735.04,
      fills: 6,
      firstFillAt: earlier,
      lastFillAt: at,
      calibration: {
        label: "follow",
        resolved: 84,
        winRate: 0.64,
        meanEntryPrice: 0.52,
        edge: 0.12,
        edgeLow: 0.02,
        edgeHigh: 0.21,
        followRoi: 0.18,
        fadeRoi: -0.22,
        computedAt: at,
        ruleVersion: "1",
      },
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
]

const oddsBand = {
  band: "0.50-0.75",
  from: 0.5,
  to: 0.75,
  entries: 41,
  meanEntryPrice: 0.61,
  winRate: 0.68,
  winRateLow: 0.53,
  winRateHigh: 0.8,
  followRoi: 0.11,
  fadeRoi: -0.17,
}

const whale = {
  pseudonym: "Sample Wallet",
  wallet,
  resolved: 84,
  winRate: 0.64,
  fadeRoi: -0.22,
  label: "follow",
  source: "volume" as const,
  marketMaker: false,
  events: 71,
  winRateLow: 0.53,
  winRateHigh: 0.74,
  mirrorRoi: 0.18,
  meanEntryPrice: 0.52,
  edge: 0.12,
  edgeLow: 0.02,
  edgeHigh: 0.21,
  stakeUsd: 410_000,
  openEntries: 7,
  oddsBands: [oddsBand],
}

const body = {
  success: true,
  _notice: {
    type: "static_sample",
    message: "Static samples with made-up values: the shapes are real, the markets are not.",
  },
  feedItems,
  whales: [
    whale,
    {
      ...whale,
      pseudonym: "Second Sample Wallet",
      wallet: "0x000000000000000000000000000000000000bEEF",
      winRate: 0.41,
      winRateLow: 0.31,
      winRateHigh: 0.52,
      label: "fade",
      edge: -0.11,
      edgeLow: -0.2,
      edgeHigh: -0.02,
      mirrorRoi: -0.21,
      fadeRoi: 0.16,
    },
  ],
  digest: {
    id: "sample-digest",
    title: "Sample: infrastructure markets repriced",
    summary: "Sample summary of what repriced in the last four hours, and why.",
    fullAnalysis: "## Sample\n\nThe full analysis is Markdown of about 400 to 800 words.",
    sourcesUsed: ["news.example"],
    createdAt: at,
  },
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
        thesis: "Sample thesis.",
        whaleView: "Sample view of the tracked wallets.",
        risks: ["Sample risk."],
        confidence: "medium",
        bottomLine: "Sample bottom line.",
      },
      evidence: {
        priceAction: [{ at: earlier, price: 0.48 }, { at, price: 0.62 }],
        microstructure,
        whales: [whale],
        news: [],
      },
    },
    disclaimer: "Informational only. Not financial advice.",
  },
}

/** The answer of /v1/sample: the same for ever. */
export const sampleAnswer: Answer = answer({ body: JSON.stringify(body), cache: "document" })
