/**
 * Sample values, labelled as samples: the body of /v1/sample, and the values of every example in
 * the documents. The digest and the scorecard are computed by the same code as the real ones.
 *
 * @module
 */
import { type Digest, digestEvery } from "../../digest/domain/digest.ts"
import { digestPage } from "../../digest/domain/page.ts"
import { digestOf } from "../../digest/domain/text.ts"
import { type ChainProof, noHash } from "../../feed/domain/chain.ts"
import type { FeedItem, FrozenCalibration, MarketRef } from "../../feed/domain/item.ts"
import { firstDayOf, statusReport } from "../../status/domain/report.ts"
import { dayOf, numbersOn, type StoredRuns } from "../../status/domain/runs.ts"
import { everyMsOf, type Part, parts } from "../../status/domain/part.ts"
import type { StatusReport } from "../../status/domain/status.ts"
import type { Microstructure } from "../../markets/domain/book.ts"
import { expectedResolution } from "../../markets/domain/expectedResolution.ts"
import { type Market, MarketId, Slug, TokenId } from "../../markets/domain/market.ts"
import { quoteOf } from "../../markets/domain/quote.ts"
import type { ReportMaterial } from "../../research/domain/material.ts"
import { reportPage } from "../../research/domain/page.ts"
import { type Report, reportOf } from "../../research/domain/research.ts"
import type { ClusterSums } from "../../core/domain/clusteredMean.ts"
import { day, type EpochMs, hour, isoTime, minute } from "../../core/domain/time.ts"
import {
  type EntryLabel,
  type EntryTotals,
  metrics,
  scoredRow,
} from "../../track-record/domain/entryScore.ts"
import type { Outcome } from "../../track-record/domain/outcomes.ts"
import { type Scorecard, scorecard } from "../../track-record/domain/scorecard.ts"
import { ruleVersion } from "../../whales/domain/label.ts"
import { wholeOf } from "../../whales/domain/rates.ts"
import { addReturns, eventReturns, noReturns } from "../../whales/domain/returns.ts"
import {
  addBandSums,
  bandEdges,
  bandOf,
  type BandSums,
  entrySums,
} from "../../whales/domain/oddsBands.ts"
import { noTotals, type WalletTotals } from "../../whales/domain/score.ts"
import type { TrackedWallet } from "../../whales/domain/tracking.ts"
import type { WhaleRow } from "../../whales/domain/whale.ts"

/** The time of the sample. */
export const sampleAt = Date.parse("2026-11-02T09:30:00.000Z")
const at = isoTime(sampleAt)
const earlier = "2026-11-01T11:20:00.000Z"
const before = "2026-11-01T11:10:00.000Z"

const outcomes = ["Yes", "No"] as const
const [outcome] = outcomes
const market: MarketRef = {
  slug: "sample-will-the-bridge-open-in-2027",
  question: "Sample: will the bridge open in 2027?",
  outcomes,
  url: "https://venue.example/market/sample-will-the-bridge-open-in-2027",
  category: "Sample",
  eventEndDate: "2027-12-31T23:59:59.000Z",
  volumeUsd: 182_400,
  liquidityUsd: 21_750,
}

/** The same market as the venue lists it. */
const sampleMarket: Market = {
  id: MarketId.make("sample"),
  slug: Slug.make(market.slug),
  question: market.question,
  eventSlug: market.slug,
  url: market.url,
  category: market.category,
  outcomes,
  tokenIds: [TokenId.make("1"), TokenId.make("2")],
  endsAt: Date.parse("2027-12-31T23:59:59.000Z"),
  createdAt: null,
  rulesDates: [],
  gameStartsAt: null,
  eventKey: market.slug,
  exclusive: false,
  volumeUsd: market.volumeUsd,
  volume24hUsd: null,
  liquidityUsd: market.liquidityUsd,
  status: "open",
  listed: null,
  takerFeeRate: 0.04,
  mechanical: null,
}

const microstructure: Microstructure = {
  outcome,
  bestBid: 0.61,
  bestAsk: 0.63,
  mid: 0.62,
  spread: 0.02,
  depthUsdWithin5c: { bid: 4_120.5, ask: 3_870.25, total: 7_990.75 },
  impactUsd: { up1c: 640, down1c: 710.4, up5c: 3_510, down5c: null },
  observedAt: at,
}

/**
 * Two wallets, the larger stake first: a neutral one, as most are, and one to follow. The numbers
 * are consistent: bands add up to the total, rates lie in their intervals, and the edge is the win
 * rate minus the mean entry price.
 */
export const sampleWhales: readonly [WhaleRow, WhaleRow] = [
  {
    pseudonym: "Sample Wallet",
    wallet: "0x000000000000000000000000000000000000dead",
    resolved: 164,
    winRate: 0.628,
    fadeRoi: -0.053,
    label: "neutral",
    source: "volume",
    marketMaker: false,
    events: 97,
    winRateLow: 0.5519,
    winRateHigh: 0.6983,
    mirrorRoi: 0.0336,
    mirrorRoiLow: -0.1581,
    mirrorRoiHigh: 0.2253,
    fadeRoiLow: -0.2906,
    fadeRoiHigh: 0.1846,
    effectiveEntries: 61,
    meanEntryPrice: 0.6104,
    edge: 0.0177,
    edgeLow: -0.0745,
    edgeHigh: 0.1098,
    stakeUsd: 960_000,
    openEntries: 11,
    sweeps: {
      entries: 58,
      stakeUsd: 310_000,
      meanEntryPrice: 0.984,
      winRate: 0.9828,
      followRoi: -0.0014,
    },
    oddsBands: [
      {
        band: "0.25-0.50",
        from: 0.25,
        to: 0.5,
        entries: 41,
        meanEntryPrice: 0.38,
        winRate: 0.4146,
        winRateLow: 0.2776,
        winRateHigh: 0.5663,
        followRoi: 0.0911,
        fadeRoi: -0.0559,
      },
      {
        band: "0.50-0.75",
        from: 0.5,
        to: 0.75,
        entries: 86,
        meanEntryPrice: 0.63,
        winRate: 0.6395,
        winRateLow: 0.5341,
        winRateHigh: 0.733,
        followRoi: 0.0151,
        fadeRoi: -0.0258,
      },
      {
        band: "0.75-0.90",
        from: 0.75,
        to: 0.9,
        entries: 37,
        meanEntryPrice: 0.82,
        winRate: 0.8378,
        winRateLow: 0.6886,
        winRateHigh: 0.9235,
        followRoi: 0.0218,
        fadeRoi: -0.0991,
      },
    ],
  },
  {
    pseudonym: "Second Sample Wallet",
    wallet: "0x000000000000000000000000000000000000beef",
    resolved: 412,
    winRate: 0.682,
    fadeRoi: -0.2799,
    label: "follow",
    source: "volume",
    marketMaker: false,
    events: 361,
    winRateLow: 0.6356,
    winRateHigh: 0.7251,
    mirrorRoi: 0.161,
    mirrorRoiLow: 0.0512,
    mirrorRoiHigh: 0.2708,
    fadeRoiLow: -0.4207,
    fadeRoiHigh: -0.1391,
    effectiveEntries: 214,
    meanEntryPrice: 0.589,
    edge: 0.0931,
    edgeLow: 0.0454,
    edgeHigh: 0.1407,
    stakeUsd: 410_000,
    openEntries: 7,
    sweeps: { entries: 0, stakeUsd: 0, meanEntryPrice: null, winRate: null, followRoi: null },
    oddsBands: [
      {
        band: "0.25-0.50",
        from: 0.25,
        to: 0.5,
        entries: 120,
        meanEntryPrice: 0.39,
        winRate: 0.4833,
        winRateLow: 0.3958,
        winRateHigh: 0.5719,
        followRoi: 0.2393,
        fadeRoi: -0.153,
      },
      {
        band: "0.50-0.75",
        from: 0.5,
        to: 0.75,
        entries: 214,
        meanEntryPrice: 0.62,
        winRate: 0.715,
        winRateLow: 0.6511,
        winRateHigh: 0.7712,
        followRoi: 0.1532,
        fadeRoi: -0.2499,
      },
      {
        band: "0.75-0.90",
        from: 0.75,
        to: 0.9,
        entries: 78,
        meanEntryPrice: 0.81,
        winRate: 0.8974,
        winRateLow: 0.8105,
        winRateHigh: 0.9471,
        followRoi: 0.1079,
        fadeRoi: -0.4602,
      },
    ],
  },
]

/** The second wallet's calibration, frozen onto an entry that began after `computedAt`. */
function sampleCalibration(computedAt: string): FrozenCalibration {
  const { label, resolved, winRate, meanEntryPrice, fadeRoi, ...row } = sampleWhales[1]
  const { edge, edgeLow, edgeHigh, mirrorRoi, effectiveEntries } = row
  return {
    label,
    resolved,
    winRate,
    meanEntryPrice,
    edge,
    edgeLow,
    edgeHigh,
    followRoi: mirrorRoi,
    fadeRoi,
    effectiveEntries,
    computedAt,
    ruleVersion,
  }
}

const sampleHeadline = {
  title: "Sample headline",
  url: "https://news.example/sample-headline",
  source: "news.example",
}

/** Their places in a chain that begins with them; a test computes the hashes again. */
const places = [
  {
    contentHash: "9a0b2233281f3aadde6f6f26909abe10f246768f38d440be8347be76267daa19",
    chain: {
      salt: "00112233445566778899aabbccddeeff",
      previousHash: noHash,
      skipHash: noHash,
      hash: "56cd17e1390f99772360bb94f576d2f688e8900c4156cc15780582ea0531a527",
    },
  },
  {
    contentHash: "0cdc741b149102f17bd09ba2308b0e19459103af1d613fb21c8b21113ab0ef07",
    chain: {
      salt: "112233445566778899aabbccddeeff00",
      previousHash: "56cd17e1390f99772360bb94f576d2f688e8900c4156cc15780582ea0531a527",
      skipHash: "56cd17e1390f99772360bb94f576d2f688e8900c4156cc15780582ea0531a527",
      hash: "87dc0d9d595dc876ae94153e3a836aebad686907317b0d27cb186bee342a79df",
    },
  },
  {
    contentHash: "da45abd76e4bb98ceaf1f5e2f43b2745e6a51a2f88be8e5497d348faafcee633",
    chain: {
      salt: "2233445566778899aabbccddeeff0011",
      previousHash: "87dc0d9d595dc876ae94153e3a836aebad686907317b0d27cb186bee342a79df",
      skipHash: noHash,
      hash: "13a89b695e22d0d13c6d1709238743c95431a2c09a4f867a7fcde8ffd2d9ea79",
    },
  },
] as const

/** The proof of the first item against the last. */
export const sampleProof: ChainProof = {
  head: { index: places.length, hash: places[2].chain.hash },
  path: places.map(({ contentHash, chain: { previousHash, skipHash } }, n) => ({
    contentHash,
    feedIndex: n + 1,
    previousHash,
    skipHash,
  })).toReversed(),
}

/** What became of the sample items a day and an hour later. */
export const sampleOutcomes: ReadonlyArray<Outcome> = [
  {
    feedIndex: 1,
    publishedAt: at,
    type: "mover",
    after1h: { state: "persisted", price: 0.63, drift: 0.01 },
    after6h: { state: "persisted", price: 0.6, drift: -0.02 },
    after24h: { state: "unknown", price: null, drift: null },
  },
  {
    feedIndex: 2,
    publishedAt: at,
    type: "whale_entry",
    state: "open",
    payout: null,
    after1h: { state: "priced", price: 0.6, closingLineValue: 0.015 },
    after24h: { state: "priced", price: 0.57, closingLineValue: -0.015 },
    last: { state: "open", price: null, closingLineValue: null },
  },
  { feedIndex: 3, publishedAt: at, type: "predetermined", state: "open" },
]

const feedItems = [
  {
    feedIndex: 1,
    type: "mover",
    title: market.question,
    createdAt: at,
    data: {
      market,
      outcome,
      window: "24h",
      phase: "settled",
      priceStart: 0.48,
      priceNow: 0.62,
      delta: 0.14,
      startedAt: earlier,
      confirmedBy: "persistence",
      tradedUsd: 18_400,
      microstructure,
    },
    chain: places[0].chain,
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
    chain: places[1].chain,
  },
  {
    feedIndex: 3,
    type: "predetermined",
    title: market.question,
    createdAt: at,
    data: {
      market,
      kind: "evidence",
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
    chain: places[2].chain,
  },
] as const satisfies ReadonlyArray<FeedItem>

/** The rows of /v1/whales; few of their entries were published and resolved so far. */
const scoredWhales = [
  scoredRow({
    ...sampleWhales[0],
    shrunkEdge: 0.0095,
    shrunkEdgeLow: -0.0464,
    shrunkEdgeHigh: 0.0654,
    probabilityPositive: 0.61,
  }),
  scoredRow(
    {
      ...sampleWhales[1],
      shrunkEdge: 0.0754,
      shrunkEdgeLow: 0.0396,
      shrunkEdgeHigh: 0.1112,
      probabilityPositive: 0.9997,
    },
    {
      copiedRoi1m: { value: 0.062, low: -0.151, high: 0.275, entries: 41, events: 36 },
      copiedRoi60m: { value: 0.012, low: -0.203, high: 0.227, entries: 40, events: 35 },
      closingLine: { value: 0.011, low: -0.004, high: 0.026, entries: 44, events: 39 },
    },
  ),
] as const

/** The body of /v1/sample. */
export const sampleBody = {
  success: true,
  _notice: {
    type: "static_sample",
    message: "Static samples with invented values. The shapes are real, the markets are not.",
  },
  feedItems,
  whales: scoredWhales,
  digest: sampleDigest(feedItems, sampleAt),
  resolving: [{
    slug: market.slug,
    outcome,
    question: market.question,
    eventEndDate: "2026-11-02T21:30:00.000Z",
    hoursRemaining: 12,
    expectedResolution: {
      at: "2026-11-03T08:30:00.000Z",
      hoursRemaining: 23,
      probability24h: 0.512,
      basis: "end_date",
    },
    overdue: false,
    hoursOverdue: null,
    yesMid: 0.62,
    convergence: "contested",
    liquidityUsd: 21_750,
    microstructure,
  }],
  research: {
    cached: false,
    generatedAt: at,
    data: sampleReport(),
    disclaimer: "Informational only. Not financial advice.",
  },
} as const

/** The report on the sample market that the template writes. */
function sampleReport(): Report {
  const level = (price: number, size: number) => ({ price, size })
  const firstAt = Date.parse(earlier)
  const material: ReportMaterial = {
    market: sampleMarket,
    priceAction: [{ at: firstAt, mid: 0.48 }, { at: sampleAt, mid: 0.62 }],
    ticks: [],
    book: {
      microstructure,
      quote: { mid: 0.62, bid: 0.61, ask: 0.63, bidShares: 1_100, askShares: 1_000 },
      offers: [[level(0.63, 1_000), level(0.66, 4_900)], [level(0.39, 1_100), level(0.42, 5_500)]],
    },
    entries: [{
      wallet: sampleWhales[1].wallet,
      name: sampleWhales[1].pseudonym,
      marketMaker: false,
      outcome: 0,
      price: 0.585,
      stakeUsd: 25_000,
      firstFillAt: firstAt,
      calibration: { computedAt: sampleAt, row: sampleWhales[1] },
    }],
    walletsRead: { tracked: 96, read: 96 },
    news: { stories: [], sources: 3, answered: 3 },
    proposal: null,
    isListingRead: true,
    siblings: { markets: [], complete: true },
    rules: "This market will resolve to Yes if the bridge opens to traffic before 2028.",
    clause: null,
    proposalRecord: null,
    estimate: { mid: 0.62, probability: 0.62, low: 0.53, high: 0.71, basis: [] },
    now: sampleAt,
  }
  return reportOf(material, reportPage(material), { slots: [], narrator: "template" })
}

/** The digest of the slot before `until`, over these items of one market. */
function sampleDigest(items: ReadonlyArray<FeedItem>, until: EpochMs): Digest {
  const slot = until - until % digestEvery
  const quote = quoteOf(microstructure)
  const story = { ...sampleHeadline, firstAt: until - 3 * hour, label: "none" } as const
  const page = digestPage({
    from: until - digestEvery,
    until,
    moves: items.flatMap((item) => item.type === "mover" ? [{ item, step: null }] : []),
    whaleEntries: items.filter((item) => item.type === "whale_entry"),
    predetermined: items.filter((item) => item.type === "predetermined"),
    resolutions: [],
    markets: [{
      market: sampleMarket,
      quote,
      known: null,
      proposal: null,
      expected: expectedResolution({
        market: sampleMarket,
        mid: quote?.mid ?? null,
        proposal: null,
      }, until),
      rules: null,
      stories: [{
        ...story,
        corrected: false,
        shared: ["bridge"],
        reading: null,
        outlets: [{ ...sampleHeadline, publishedAt: story.firstAt }],
      }],
    }],
    quoted: [],
    startMids: new Map(),
    records: new Map([[sampleWhales[1].wallet, sampleWhales[1]]]),
    coverage: {
      marketsWatched: 1_240,
      venueReadAt: until,
      news: { sources: 3, answered: 2 },
      wallets: { tracked: 96, readAt: until },
      itemsUnread: 0,
      proposalsUnread: 0,
      missing: [],
    },
  })
  const making = { slot, createdAt: until, narrator: "template", methodUrl: null }
  const digest = digestOf(page, [], { ...making, venue: "a sample venue" })
  return { ...digest, id: "sample-digest" }
}

/** The scorecard of the sample's wallets and of one whose history has not been read yet. */
export function sampleScorecard(computedAt: EpochMs): Scorecard {
  const scored = sampleWhales.map(({ wallet, pseudonym }) =>
    tracked(wallet, pseudonym, "whole", computedAt)
  )
  const unread = "0x000000000000000000000000000000000000feed"
  return scorecard({
    tracked: [...scored, tracked(unread, "Third Sample Wallet", "reading", computedAt)],
    totals: sampleWhales.map(totalsOf),
    whales: sampleWhales.map((row) => ({ computedAt, row })),
    verdicts: {
      mover_1h: { persisted: 31, reverted: 12, unknown: 1, open: 1 },
      mover_6h: { persisted: 25, reverted: 15, unknown: 1, open: 4 },
      mover_24h: { persisted: 22, reverted: 17, unknown: 1, open: 5 },
      predetermined: { correct: 6, wrong: 1, open: 3 },
      contested: { correct: 11, wrong: 5, open: 2 },
      contestedMeanPrice: 0.71,
    },
    forecasts: {
      forecasts: 420,
      resolved: 160,
      open: 208,
      unknown: 2,
      squaredError: 46.4,
      endDateSquaredError: 121,
    },
    estimates: {
      estimates: 96,
      unknown: 3,
      views: 14,
      squaredError: 0.421,
      midSquaredError: 0.437,
      difference: { clusters: 66, n: 88, s: -0.016, nn: 132, ns: -0.02, ss: 0.0009, ff: 0 },
      intervals: 80,
      covered: 73,
    },
    entries: { byLabel: sampleEntries, copied: {} },
    readAt: { wallets: computedAt, scores: computedAt },
    moves: [{
      horizon: "1h",
      phase: "settled",
      kept: 60,
      martingaleKept: 62,
      byEvent: sampleDrifts({ clusters: 64, nn: 121, ns: -16_800, ss: 68_000_000 }),
      byDay: sampleDrifts({ clusters: 21, nn: 341, ns: -52_000, ss: 91_000_000 }),
      byEventAndDay: sampleDrifts({ clusters: 66, nn: 115, ns: -16_100, ss: 67_200_000 }),
    }],
  })
}

/** 79 moves, in half price steps. */
const sampleDrifts = (
  sums: Pick<ClusterSums, "clusters" | "nn" | "ns" | "ss">,
): ClusterSums => ({ ...sums, n: 79, s: -11_060, ff: 0 })

/** Totals of 48 published entries in 40 events, most of them resolved. */
const sampleEntries: ReadonlyMap<EntryLabel, EntryTotals> = new Map([["neutral", {
  counts: { [metrics.published]: 48, [metrics.withoutBook]: 3 },
  sums: {
    [metrics.atAsk]: { clusters: 34, n: 39, s: -1.17, nn: 49, ns: -1.3, ss: 33.2, ff: 36.4 },
    [metrics.fromEntry("whale_1h")]: {
      clusters: 38,
      n: 46,
      s: 0.092,
      nn: 62,
      ns: 0.1,
      ss: 0.041,
      ff: 0,
    },
  },
}]])

function tracked(
  wallet: string,
  name: string,
  history: TrackedWallet["history"],
  trackedAt: EpochMs,
): TrackedWallet {
  const read = {
    readFrom: null,
    readTo: null,
    activityCount: 0,
    markets: 0,
    bothSides: 0,
    farmed: 0,
  }
  return { wallet, name, source: "volume", trackedAt, history, ...read }
}

/** Totals of equal stakes at the mean price of each band, with the win rate of the row; all events alike. */
function totalsOf({ oddsBands, stakeUsd, resolved, events }: WhaleRow): WalletTotals {
  const bands = noTotals.bands.map((none, at): BandSums => {
    const band = oddsBands.find(({ meanEntryPrice }) => bandOf(meanEntryPrice, bandEdges) === at)
    if (band === undefined) return none
    const wins = Math.round(band.winRate * band.entries)
    return Array.from(
      { length: band.entries },
      (_, n) => entrySums(band.meanEntryPrice, stakeUsd / resolved, n < wins ? 1 : 0, 0),
    ).reduce((sums, entry) => addBandSums(sums, entry, 1), none)
  })
  const whole = wholeOf(bands)
  const returns = Array.from({ length: events }, () => ({
    ...whole,
    followCost: whole.followCost / events,
    followReturn: whole.followReturn / events,
    followSpread: whole.followSpread / events,
    fadeCost: whole.fadeCost / events,
    fadeReturn: whole.fadeReturn / events,
    fadeSpread: whole.fadeSpread / events,
  })).reduce((sums, event) => addReturns(sums, eventReturns(event), 1), noReturns)
  return { ...noTotals, bands, returns }
}

const sampleTickMs = 10 * minute

/** The report of a week-old service that missed three ticks today. */
export function sampleStatus(at: EpochMs): StatusReport {
  const since = firstDayOf(at) + hour
  const runs = parts.map((part): [Part, StoredRuns] => {
    const everyMs = everyMsOf(part, sampleTickMs)
    const ok = (from: number, through: number) => ({ outcome: "ok", from, through }) as const
    const [first, now] = [Math.floor(since / everyMs), Math.floor(at / everyMs)]
    const { from } = numbersOn(dayOf(at), everyMs)
    const ended = part === "tick"
      ? [ok(first, from + 8), ok(from + 12, now - 1)]
      : [ok(first, now - 1)]
    return [part, { since, ended }]
  })
  const sum = (payments: number) => ({ payments, amount: BigInt(payments) * 20_000n })
  return statusReport({
    now: at,
    tickIntervalMs: sampleTickMs,
    paymentMode: "simulated",
    runs: new Map(runs),
    history: Array.from({ length: 20 }, (_, n) => ({
      day: firstDayOf(at) - (20 - n) * day,
      recordedMs: day,
      goodMs: n === 8 ? 20 * hour : day,
    })),
    asOf: new Map(parts.map((part) => [part, at - minute])),
    payments: { delivered: sum(39), refunded: sum(1), owed: { ...sum(0), oldestAt: null } },
  })
}
