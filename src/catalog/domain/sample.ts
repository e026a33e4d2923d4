/**
 * Sample values, labelled as samples: the body of /v1/sample, and the values of every example in
 * the documents. The digest and the scorecard are computed by the same code as the real ones.
 *
 * @module
 */
import { Option } from "effect"
import { type Digest, digestEvery } from "../../digest/domain/digest.ts"
import { digestPage } from "../../digest/domain/page.ts"
import { digestOf } from "../../digest/domain/text.ts"
import { type ChainProof, noHash } from "../../feed/domain/chain.ts"
import type { FeedItem, MarketRef } from "../../feed/domain/item.ts"
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
import { roundFigures } from "../../whales/domain/oddsBands.ts"
import { ratesOf } from "../../whales/domain/rates.ts"
import { marketScore, noSums, recount } from "../../whales/domain/score.ts"
import type { TrackedWallet } from "../../whales/domain/tracking.ts"
import {
  calibrationTable,
  freeze,
  matchingRows,
  type WhaleRow,
  whaleRow,
} from "../../whales/domain/whale.ts"

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

/** A wallet's resolved entries of one price: how many there are, and how many won. */
interface Entries {
  readonly price: number
  readonly entries: number
  readonly wins: number
}

/** What a sample wallet's row is computed from. */
interface SampleWallet {
  readonly wallet: string
  readonly pseudonym: string
  readonly openEntries: number
  readonly events: number
  /** Of each entry. */
  readonly stakeUsd: number
  readonly resolved: ReadonlyArray<Entries>
}

/** Two wallets, the larger stake first: a neutral one, as most are, and one to follow. */
const sampleWhales = [
  sampleWhale("neutral", {
    wallet: "0x000000000000000000000000000000000000dead",
    pseudonym: "Sample Wallet",
    openEntries: 11,
    events: 97,
    stakeUsd: 5_850,
    resolved: [
      { price: 0.38, entries: 41, wins: 17 },
      { price: 0.63, entries: 86, wins: 55 },
      { price: 0.82, entries: 37, wins: 31 },
      { price: 0.984, entries: 58, wins: 57 },
    ],
  }),
  sampleWhale("follow", {
    wallet: "0x000000000000000000000000000000000000beef",
    pseudonym: "Second Sample Wallet",
    openEntries: 7,
    events: 361,
    stakeUsd: 995,
    resolved: [
      { price: 0.39, entries: 120, wins: 58 },
      { price: 0.62, entries: 214, wins: 153 },
      { price: 0.81, entries: 78, wins: 70 },
    ],
  }),
] as const
const follower = { computedAt: sampleAt, row: sampleWhales[1].row }

/** The sums of a wallet whose entries are spread over its events in turn, and its row. */
function sampleWhale(label: WhaleRow["label"], { wallet, events, stakeUsd, ...of }: SampleWallet) {
  const fills = { hedgedShares: 0, fills: 1, firstFillAt: sampleAt, lastFillAt: sampleAt }
  const scores = of.resolved.flatMap(({ price, entries, wins }) => {
    const shares = stakeUsd / price
    const entry = { outcome: 0, price, openingPrice: price, stakeUsd, shares, ...fills } as const
    return Array.from(
      { length: entries },
      (_, n) => marketScore([entry], n < wins ? [1, 0] : [0, 1], 0),
    )
  })
  const sums = [...Map.groupBy(scores, (_, n) => n % events).values()]
    .reduce((sums, event) => recount(sums, [], event), noSums)
  const rates = Option.getOrThrow(Option.fromNullOr(ratesOf(sums)))
  const { pseudonym, openEntries } = of
  const facts = { pseudonym, openEntries, source: "volume", marketMaker: false } as const
  return { sums, row: whaleRow(wallet, rates, label, facts) }
}

/** The rows of /v1/whales; few of their entries were published and resolved so far. */
const { wallets: [neutral, ...others] } = Option.getOrThrow(
  Option.fromNullOr(
    calibrationTable(sampleWhales.map(({ row }) => ({ computedAt: sampleAt, row }))),
  ).pipe(
    Option.flatMapNullishOr((table) =>
      matchingRows(table, { label: null, wallet: null, limit: null })
    ),
  ),
)
const tableRows = [
  scoredRow(neutral),
  ...others.map((row) =>
    scoredRow(row, {
      copiedRoi1m: { value: 0.062, low: -0.151, high: 0.275, entries: 41, events: 36 },
      copiedRoi60m: { value: 0.012, low: -0.203, high: 0.227, entries: 40, events: 35 },
      closingLine: { value: 0.011, low: -0.004, high: 0.026, entries: 44, events: 39 },
    })
  ),
] as const

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
    contentHash: "f2b01c48971a076430a68a0b2be9f55ac6c24692c9c37eea34d7c93da8cf3cad",
    chain: {
      salt: "112233445566778899aabbccddeeff00",
      previousHash: "56cd17e1390f99772360bb94f576d2f688e8900c4156cc15780582ea0531a527",
      skipHash: "56cd17e1390f99772360bb94f576d2f688e8900c4156cc15780582ea0531a527",
      hash: "92319b3df1a02f07fdc0c7286b03184ff4857431a6dd3d18be2353515b81eb1b",
    },
  },
  {
    contentHash: "da45abd76e4bb98ceaf1f5e2f43b2745e6a51a2f88be8e5497d348faafcee633",
    chain: {
      salt: "2233445566778899aabbccddeeff0011",
      previousHash: "92319b3df1a02f07fdc0c7286b03184ff4857431a6dd3d18be2353515b81eb1b",
      skipHash: noHash,
      hash: "dd977ab3cbc2ef864a2ded040228654a7837ef118eb84be5a59dc9761941bfb9",
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
      wallet: follower.row.wallet,
      pseudonym: follower.row.pseudonym,
      outcome: "Yes",
      entryPrice: 0.585,
      stakeUsd: 25_000,
      shares: 42_735.04,
      fills: 6,
      firstFillAt: earlier,
      lastFillAt: at,
      calibration: roundFigures(freeze({ ...follower, computedAt: Date.parse(before) })),
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

/** The body of /v1/sample. */
export const sampleBody = {
  success: true,
  _notice: {
    type: "static_sample",
    message: "Static samples with invented values. The shapes are real, the markets are not.",
  },
  feedItems,
  whales: tableRows,
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
      wallet: follower.row.wallet,
      name: follower.row.pseudonym,
      marketMaker: false,
      outcome: 0,
      price: 0.585,
      stakeUsd: 25_000,
      firstFillAt: firstAt,
      calibration: follower,
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
    records: new Map([[follower.row.wallet, follower.row]]),
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
  const scored = sampleWhales.map(({ row: { wallet, pseudonym } }) =>
    tracked(wallet, pseudonym, "whole", computedAt)
  )
  const unread = "0x000000000000000000000000000000000000feed"
  return scorecard({
    tracked: [...scored, tracked(unread, "Third Sample Wallet", "reading", computedAt)],
    sums: sampleWhales.map(({ sums }) => sums),
    whales: sampleWhales.map(({ row }) => ({ computedAt, row })),
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
