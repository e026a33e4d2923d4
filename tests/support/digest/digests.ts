/**
 * Generated digest material for tests: quiet, beyond every limit, and with hostile names.
 *
 * @module
 */
import { Arbitrary } from "effect"
import type {
  DigestMarket,
  DigestMaterial,
  DigestStory,
  EndedMarket,
  MoverItem,
  PredeterminedItem,
  QuotedMarket,
  WhaleEntryItem,
} from "../../../src/digest/domain/material.ts"
import { sampleScorecard } from "../catalog/samples.ts"
import { distinctMoves } from "../../../src/digest/domain/chosen.ts"
import { type FrozenCalibration, marketRef } from "../../../src/feed/domain/item.ts"
import { MarketId, Slug } from "../../../src/markets/domain/market.ts"
import { quoteOf, quoteOfMid } from "../../../src/markets/domain/quote.ts"
import { day, hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import { anyInt, hostileText, oneOf } from "../http/hostile.ts"
import { whaleRow } from "../products.ts"
import { market as ordinary, microstructureWith } from "../movers/market.ts"

const { all, array, map } = Arbitrary

/** A record that gives views. */
const scorecard = (() => {
  const card = sampleScorecard(Date.UTC(2026, 10, 21, 8))
  const upheld = {
    proposals: 90,
    upheld: 80,
    upheldRate: 0.9,
    upheldRateLow: 0.8,
    upheldRateHigh: 1,
  }
  const { byKind } = card.predetermined
  const proposal = { ...byKind.proposal, record: upheld, meanPrice: 0.6 }
  const evidence = { ...byKind.evidence, resolved: 90, correct: 88 }
  return { ...card, predetermined: { ...card.predetermined, byKind: { evidence, proposal } } }
})()

export const until = Date.UTC(2026, 10, 21, 8)
export const from = until - 4 * hour
/** Few markets, so that several items are about the same one. */
const marketsInPlay = 14

const plainNames = [
  ...["Yes", "No", "Will the lighthouse be lit?", "Scary-Barrel", "Falcons vs. Comets", "Harbour"],
  ...["Over 2.5", "Rain of 12 mm by 1 May?", "0xabc", "BBC News", "", "一二三", "a ".repeat(300)],
  ...["W".repeat(300), "Has the ministry confirmed it?", "unnamed", "$1,000,000 by 12:00 UTC?"],
  // A headline whose words say whom they favour.
  ...["Will Bitcoin reach $120,000 in November?", "Bitcoin falls sharply in early trade"],
]

/** Untrusted text: mostly ordinary, often hostile, sometimes very long. */
export const anyName: Arbitrary.Arbitrary<string> = map(
  all([anyInt(0, 2), oneOf(plainNames), hostileText]),
  ([which, plain, hostile]) => which === 0 ? hostile : plain,
)

/** 0..1 in half price steps, the ends included. */
const anyPrice = map(anyInt(0, 20_000), (steps) => steps / 20_000)
const anyUsd = map(all([anyInt(0, 9), anyInt(0, 999_999)]), ([digits, n]) => n * 10 ** digits / 1e6)
/** Before the end of the window, by at most a day and a half. */
const anyPast = map(anyInt(0, 36 * 60), (minutes) => until - 1 - minutes * minute)
const anyMarket = anyInt(0, marketsInPlay - 1)

const anyMove = all({
  market: anyMarket,
  start: anyPrice,
  now: anyPrice,
  hourly: anyInt(0, 1),
  at: anyPast,
  depth: anyInt(2_500, 1e9),
  traded: oneOf([null, 0, 1_234.5]),
})

const anyCalibration = map(
  all([oneOf(["follow", "fade", "neutral"] as const), anyInt(30, 9_999), anyPrice, anyPrice]),
  ([label, resolved, winRate, meanEntryPrice]): FrozenCalibration => ({
    label,
    resolved,
    winRate,
    meanEntryPrice,
    edge: winRate - meanEntryPrice,
    edgeLow: Math.max(-1, winRate - meanEntryPrice - 0.1),
    edgeHigh: Math.min(1, winRate - meanEntryPrice + 0.1),
    followRoi: 0.1,
    fadeRoi: -0.1,
    effectiveEntries: 30,
    computedAt: isoTime(from),
    ruleVersion: "any",
  }),
)

const anyEntry = all({
  market: anyMarket,
  wallet: anyInt(0, 4),
  pseudonym: anyName,
  outcome: anyInt(0, 1),
  price: anyPrice,
  stakeUsd: anyUsd,
  fills: anyInt(1, 2_000),
  at: anyPast,
  calibration: map(all([anyInt(0, 2), anyCalibration]), ([n, it]) => n === 0 ? null : it),
})

const anyEvidence = all({ title: anyName, source: anyName })
const anyFinding = all({
  market: anyMarket,
  outcome: anyName,
  confidence: oneOf(["high", "medium"] as const),
  first: anyEvidence,
  others: array(anyEvidence, { maxLength: 3 }),
  price: anyPrice,
  detector: oneOf(["rules", "gpt-9.1-mini", "<b>model</b>"]),
  at: anyPast,
  proposed: anyInt(0, 3),
  upheld: anyInt(0, 40),
})

const anyEnd = all({
  question: anyName,
  outcomes: all([anyName, anyName]),
  at: anyPast,
  way: anyInt(0, 4),
  known: anyInt(0, 1),
})

const anyStory = all({
  title: anyName,
  source: anyName,
  at: anyPast,
  outlets: array(all({ source: anyName, minutes: anyInt(0, 600) }), { maxLength: 3 }),
  corrected: anyInt(0, 4),
  markets: array(anyMarket, { maxLength: 2 }),
  reading: anyInt(0, 3),
  bears: oneOf(["for", "against", null] as const),
  decides: anyInt(0, 2),
})

/** What the venue says of a market in play. */
const anyListing = all({
  question: anyName,
  outcomes: all([anyName, anyName]),
  category: oneOf([null, "politics", "<b>any</b>"]),
  usd: anyUsd,
  mid: anyInt(0, 20_000),
  spread: anyInt(0, 600),
  book: anyInt(0, 3),
  proposed: anyInt(0, 3),
  proposedHours: anyInt(0, 60),
  game: anyInt(0, 3),
  hoursLeft: anyInt(-30, 90),
  hasRules: anyInt(0, 1),
})

/** A rung of the planted ladder: of a random price, with a book or without one. */
const anyRung = all({ mid: anyInt(400, 19_600), spread: anyInt(0, 600), hasBook: anyInt(0, 1) })

const anyCoverage = all({
  marketsWatched: oneOf([0, 1, 3_120]),
  readMinutesAgo: oneOf([null, 4, 31, 90, 400]),
  news: oneOf([
    null,
    { sources: 0, answered: 0 },
    { sources: 1, answered: 0 },
    { sources: 1, answered: 1 },
    { sources: 5, answered: 4 },
    { sources: 5, answered: 5 },
  ]),
  walletsTracked: oneOf([0, 1, 1_000]),
  walletsMinutesAgo: oneOf([null, 4, 61]),
  itemsUnread: oneOf([0, 1, 4_321]),
  proposalsUnread: oneOf([0, 0, 30]),
  missing: oneOf([[], [], ["whales"], ["proposals"], ["news", "markets"]] as const),
})

const many = { maxLength: 16 }
const anyWindow = all({
  markets: array(anyListing, { minLength: marketsInPlay, maxLength: marketsInPlay }),
  moves: array(anyMove, many),
  entries: array(anyEntry, many),
  findings: array(anyFinding, many),
  ends: array(anyEnd, many),
  stories: array(anyStory, many),
  rungs: array(anyRung, { maxLength: 4 }),
  coverage: anyCoverage,
  hours: oneOf([4, 4, 4, 8, 100]),
  walletHours: oneOf([1, 100, 100]),
  previous: oneOf([
    null,
    [],
    ["market-1", "market-2", "market-3"].map((about) => ({
      about,
      statement: "Yes is proposed, but priced at 0.36.",
    })),
  ]),
  /** Repeats all items, to exceed every limit. */
  times: oneOf([1, 1, 4]),
})

type Window = typeof anyWindow extends Arbitrary.Arbitrary<infer A> ? A : never

export const anyMaterial: Arbitrary.Arbitrary<DigestMaterial> = map(anyWindow, materialOf)

function materialOf(window: Window): DigestMaterial {
  const over = <A>(list: ReadonlyArray<A>) =>
    Array.from({ length: window.times }, () => list).flat()
  const stories = over(window.stories).map(storyOf)
  const listings = window.markets.map((listing, n) =>
    digestMarket(
      listing,
      n,
      stories.filter(({ about }) => about.includes(n)),
      over(window.entries).filter(({ market }) => market === n),
    )
  )
  const rungs = ladder(window.rungs)
  const markets = listings.map(({ market }) => marketRef(market))
  const market = (n: number) => markets[n] ?? marketRef(ordinary())
  const { readMinutesAgo, walletsMinutesAgo, walletsTracked, ...coverage } = window.coverage
  const ago = (minutes: number | null) => minutes === null ? null : until - minutes * minute
  const entriesFrom = window.times * window.moves.length
  const findingsFrom = entriesFrom + window.times * window.entries.length
  return {
    from: until - window.hours * hour,
    until,
    moves: distinctMoves(
      over(window.moves).map((move, i): MoverItem => ({
        ...shared(move.at, i + 1),
        type: "mover",
        data: {
          // Repeated moves go to other markets: a digest describes one move per market.
          market: market((move.market + i) % marketsInPlay),
          outcome: market((move.market + i) % marketsInPlay).outcomes[0],
          window: move.hourly === 1 ? "1h" : "24h",
          priceStart: move.start,
          priceNow: move.now,
          delta: Math.round((move.now - move.start) * 20_000) / 20_000,
          startedAt: isoTime(move.at - (move.hourly === 1 ? hour : day)),
          phase: "settled",
          confirmedBy: "persistence",
          microstructure: microstructureWith({ mid: 0.5, depthUsd: move.depth }),
          tradedUsd: move.traded,
        },
      })),
    ).map((item, n) => ({ item, step: n % 2 === 0 ? stepOf(item) : null })),
    whaleEntries: over(window.entries).map((entry, i): WhaleEntryItem => ({
      ...shared(entry.at, entriesFrom + i + 1),
      type: "whale_entry",
      data: {
        market: market(entry.market),
        wallet: `0x${entry.wallet}`,
        pseudonym: entry.pseudonym,
        outcome: market(entry.market).outcomes?.[entry.outcome] ?? "Yes",
        entryPrice: entry.price,
        stakeUsd: entry.stakeUsd,
        shares: 1,
        fills: entry.fills,
        firstFillAt: isoTime(entry.at - hour),
        lastFillAt: isoTime(entry.at),
        calibration: entry.calibration,
        microstructure: null,
      },
    })),
    predetermined: over(window.findings).map((finding, i): PredeterminedItem => ({
      ...shared(finding.at, findingsFrom + i + 1),
      type: "predetermined",
      data: {
        market: market(finding.market),
        outcome: finding.outcome,
        statement: "<script>never shown</script>",
        confidence: finding.confidence,
        ...finding.proposed === 0 ? { kind: "evidence" } : proposedBy(finding),
        evidence: [evidence(finding.first), ...finding.others.map(evidence)],
        marketPrice: finding.price,
        impliedEdge: 1 - finding.price,
        detectedAt: isoTime(finding.at),
        detector: finding.detector,
        microstructure: null,
      },
    })),
    resolutions: over(window.ends).map((end, i): EndedMarket => ({
      market: { slug: Slug.make(`end-${i}`), question: end.question, outcomes: end.outcomes },
      resolution: {
        marketId: MarketId.make(`end-${i}`),
        resolvedAt: end.known === 1 ? end.at - minute : null,
        ...waysToEnd[end.way] ?? cancelled,
      },
    })),
    markets: listings,
    quoted: [...listings, ...rungs],
    record: window.hours === 4 ? scorecard : null,
    recentMoves: [],
    previous: window.previous,
    coverage: {
      ...coverage,
      venueReadAt: ago(readMinutesAgo),
      wallets: {
        ...{ tracked: walletsTracked, readAt: ago(walletsMinutesAgo) },
        from: until - Math.min(window.hours, window.walletHours) * hour,
      },
    },
  }
}

/** A record of one band, with wins at this rate. */
function recordOf(winRate: number) {
  const band = {
    ...{ band: "", from: 0, to: 1, entries: 60, meanEntryPrice: 0.5, winRate },
    ...{ winRateLow: 0, winRateHigh: 1, followRoi: 0.1, fadeRoi: null },
  }
  return whaleRow({ oddsBands: [band], meanEntryPrice: 0.5, edgeLow: 0.01, edgeHigh: 0.1 })
}

/** All of the move in its last ten minutes. */
function stepOf({ createdAt, data: { delta, priceNow, priceStart } }: MoverItem) {
  const to = Date.parse(createdAt)
  const prices = { priceFrom: priceStart, priceTo: priceNow, delta }
  return delta === 0 ? null : { ...prices, from: to - 10 * minute, to }
}

type Listing = Window["markets"][number]

/** A market in play, in an event of its own. */
function digestMarket(
  listing: Listing,
  n: number,
  stories: ReadonlyArray<DigestStory>,
  entries: Window["entries"],
): DigestMarket {
  const { book, game, hoursLeft, mid, outcomes, proposed, proposedHours, spread } = listing
  const slug = `market-${n}`
  const id = MarketId.make(slug)
  const at = until + hoursLeft * hour
  const market = ordinary({
    ...{ id, slug: Slug.make(slug), eventSlug: slug, eventKey: slug, outcomes },
    ...{ question: listing.question, category: listing.category, liquidityUsd: listing.usd },
    ...game === 0 ? { gameStartsAt: at, endsAt: at + 7 * day } : { endsAt: game === 1 ? null : at },
    ...{ status: proposed === 0 ? "proposed" : "open", takerFeeRate: 0.05 },
  })
  const proposal = proposed !== 0 || book === 3 ? null : {
    ...{ marketId: id, proposedAt: until - proposedHours * hour, settlesAt: null },
    ...{ outcome: n % 2 === 0 ? 0 as const : 1 as const, disputed: proposedHours % 5 === 0 },
  }
  const [bestBid, bestAsk] = [Math.max(0, mid - spread) / 2e4, Math.min(2e4, mid + spread) / 2e4]
  const quote = book === 0
    ? quoteOfMid(mid / 2e4)
    : quoteOf({ bestBid, bestAsk, bidShares: 900, askShares: 1_100 })
  const offer = (price: number) => [{ price, size: 1_000 }]
  return {
    ...{ market, quote, proposal, stories, book: null },
    offers: quote === null || quote.ask === null
      ? [[], []]
      : [offer(quote.ask), offer(1 - (quote.bid ?? 0))],
    entries: entries.map(openEntryOf),
    rules: listing.hasRules === 0 ? null : `It resolves to Yes by the Sample Bureau, says ${slug}.`,
  }
}

/** The open entry that an item is about. */
function openEntryOf(entry: Window["entries"][number]): DigestMarket["entries"][number] {
  const { calibration, outcome, price, pseudonym, stakeUsd, wallet } = entry
  return {
    ...{ wallet: `0x${wallet}`, name: pseudonym, outcome: outcome === 0 ? 0 : 1, price, stakeUsd },
    ...{ marketMaker: false, firstFillAt: entry.at - hour },
    calibration: calibration === null
      ? null
      : { row: { ...recordOf(wallet === 0 ? 0.7 : 0.2), label: calibration.label } },
  }
}

/** A story, and the numbers of the markets that it is about. */
function storyOf(
  story: Window["stories"][number],
  n: number,
): DigestStory & { readonly about: ReadonlyArray<number> } {
  const { at, bears, corrected, decides, markets, outlets, reading, source, title } = story
  const url = `https://news.example/${n}`
  const first = { title, url, source, publishedAt: at }
  const later = outlets.map(({ minutes, source }) => ({
    ...{ ...first, source },
    publishedAt: at + minutes * minute,
  }))
  return {
    ...{ title, url, source, firstAt: at, label: "none", corrected: corrected === 0 },
    outlets: [first, ...later.toSorted((a, b) => a.publishedAt - b.publishedAt)],
    about: markets,
    reading: reading === 0 ? { outcome: "Yes", bears, decides: decides === 0, quote: title } : null,
  }
}

/** A ladder of inflation limits; only a contradiction of its prices is worth telling. */
function ladder(rungs: Window["rungs"]): ReadonlyArray<QuotedMarket> {
  return rungs.map(({ hasBook, mid, spread }, n) => {
    const bestBid = Math.max(0, mid - spread) / 20_000
    const bestAsk = Math.min(20_000, mid + spread) / 20_000
    const sizes = { bidShares: 400, askShares: 300 }
    return {
      market: ordinary({
        id: MarketId.make(`rung-${n}`),
        slug: Slug.make(`rung-${n}`),
        eventSlug: "inflation",
        eventKey: "inflation",
        question: `Will inflation in Kenya be above ${n + 1}.5% in November 2026?`,
        takerFeeRate: 0.02,
      }),
      quote: hasBook === 1 ? quoteOf({ bestBid, bestAsk, ...sizes }) : quoteOfMid(mid / 20_000),
      proposal: null,
    }
  })
}

/** The fields of a contested proposal; 2 is a disputed one, 3 one with a record. */
function proposedBy(
  { proposed, upheld }: { readonly proposed: number; readonly upheld: number },
) {
  const rates = { upheldRate: upheld / 40, upheldRateLow: 0.1, upheldRateHigh: 0.95 }
  return {
    kind: "proposal",
    proposal: {
      proposedAt: isoTime(from - 25 * hour),
      disputed: proposed === 2,
      record: proposed === 3 ? { proposals: 40, upheld, ...rates } : null,
    },
  } as const
}

const cancelled = { state: "cancelled" } as const
const waysToEnd: ReadonlyArray<
  typeof cancelled | { readonly state: "paid"; readonly payouts: readonly [number, number] }
> = [
  { state: "paid", payouts: [1, 0] },
  { state: "paid", payouts: [0, 1] },
  { state: "paid", payouts: [0.5, 0.5] },
  { state: "paid", payouts: [0.3333, 0.6667] },
]

function shared(at: number, feedIndex: number) {
  return { feedIndex, title: "Any", createdAt: isoTime(at) }
}

function evidence({ title, source }: { readonly title: string; readonly source: string }) {
  return { title, source, url: "https://news.example/evidence", publishedAt: isoTime(from) }
}

/** Nothing happened, and everything was read. */
export const quiet: DigestMaterial = {
  from,
  until,
  moves: [],
  whaleEntries: [],
  predetermined: [],
  resolutions: [],
  markets: [],
  quoted: [],
  record: null,
  recentMoves: [],
  previous: null,
  coverage: {
    marketsWatched: 3_120,
    venueReadAt: until - 4 * minute,
    news: { sources: 5, answered: 5 },
    wallets: { tracked: 184, readAt: until - 4 * minute, from },
    itemsUnread: 0,
    proposalsUnread: 0,
    missing: [],
  },
}
