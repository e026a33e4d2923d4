/**
 * Chooses the markets that a detector is asked about: from every live market to the few with new
 * evidence, step by step, cheapest first.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { bookPrice, microstructure } from "../markets/domain/book.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import { headlineFinder, reportsCompletedEvent } from "./domain/headlineChecks.ts"
import { evidenceKey, newsAgeMsMax } from "./domain/evidence.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { Headline } from "../news/domain/headline.ts"
import {
  isOpenPrice,
  type PricedQuestion,
  pricedQuestion,
  screenCandidate,
  screenEvidence,
} from "./domain/predetermined.ts"
import { type SiblingMarket, siblingsMax } from "./domain/detection.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { ContestedRecord } from "./ContestedRecord.ts"
import type { Detector } from "./Detector.ts"
import type { DetectionRecord, DetectionStore } from "./DetectionStore.ts"
import type { News } from "../news/News.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { mapParts } from "../core/domain/parts.ts"
import { inSlices } from "../core/slices.ts"
import { tally } from "../core/stages.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"

/** The ports of a tick. */
export interface DetectionServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly news: News["Service"]
  readonly detector: Detector["Service"]
  readonly detections: DetectionStore["Service"]
  readonly record: ContestedRecord["Service"]
}

/** The counts so far. They are mutated in place, so that an interrupted stage is counted too. */
export interface DetectionProgress {
  markets: number
  withNewEvidence: number
  questions: number
  unanswered: number
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** A market whose outcome may already be known. */
interface DetectionCandidate {
  readonly market: Market
  readonly headlines: ReadonlyArray<Headline>
  readonly siblings: ReadonlyArray<SiblingMarket>
  /** When it was last considered; 0 for never. */
  readonly consideredAt: EpochMs
  /** The evidence of the last answered question. */
  readonly lastEvidenceKey: string | null
}

/** A candidate with supporting evidence that is new. */
interface CandidateWithNewEvidence extends DetectionCandidate {
  readonly proposal: Proposal | null
  readonly key: string
}

/** A candidate whose question is put to the detector. */
export interface PricedCandidate extends CandidateWithNewEvidence {
  readonly priced: PricedQuestion
}

/** Markets read in one tick (the most liquid), and how many ticks old their price may be. */
const marketsMax = 10_000
const priceAgeTicksMax = 2
/** The newest headlines that are read; markets whose news is searched; headlines per market. */
const headlinesMax = 4_000
const newsMarketsMax = 300
const newsPerMarket = 20
const newsConcurrency = 4
/** Markets whose proposals are requested in one tick. */
const candidatesMax = 1_000
/** Markets whose books are read in one tick. */
const booksMax = 200
/** Questions put in one tick. */
const questionsMax = 20

/** Live, liquid, ordinary markets whose last price is open, most liquid first. */
export const openMarkets = Effect.fnUntraced(function* (
  { markets }: DetectionServices,
  slot: EpochMs,
  tickIntervalMs: number,
  progress: DetectionProgress,
) {
  const range = { notBefore: slot - priceAgeTicksMax * tickIntervalMs, atOrBefore: slot }
  const open = (yield* markets.recentlyPriced(range, marketsMax)).flatMap(({ market, price }) => {
    const screened = screenCandidate(market, price.mid)
    if (Result.isSuccess(screened)) return [screened.success]
    tally(progress.rejected, { [screened.failure]: 1 })
    return []
  })
  progress.markets = open.length
  return open
})

/**
 * The headlines per market, for markets with a headline that reports a completed event, and then for the
 * other markets of their events.
 */
export const newsByMarket = Effect.fnUntraced(function* (
  { news }: DetectionServices,
  markets: ReadonlyArray<Market>,
  slot: EpochMs,
) {
  const since = slot - newsAgeMsMax
  const { headlines } = yield* news.recent(since, headlinesMax)
  const about = headlineFinder(headlines.filter(({ title }) => reportsCompletedEvent(title)))
  const isNamed = ({ question }: Market) => about(question).length > 0
  const areNamed = yield* inSlices(() => mapParts(markets, isNamed))
  const named = new Set(markets.filter((_, index) => areNamed[index]))
  const events = new Set([...named].map(({ eventSlug }) => eventSlug.toLowerCase()))
  const others = markets.filter((market) =>
    !named.has(market) && events.has(market.eventSlug.toLowerCase())
  )
  const inTheNews = [...named, ...others]
  const found = yield* Effect.forEach(
    inTheNews.slice(0, newsMarketsMax),
    (market) =>
      Effect.map(
        news.relatedTo(market, since, newsPerMarket),
        ({ headlines }) => [market.id, headlines] as const,
      ),
    { concurrency: newsConcurrency },
  )
  return new Map(found.filter(([, headlines]) => headlines.length > 0))
})

/**
 * Unpublished markets past their end, with a proposed outcome in the listing, or with news. Those with
 * a proposal or news come first; within each group, the least recently considered.
 */
export const findCandidates = Effect.fnUntraced(function* (
  { detections }: DetectionServices,
  markets: ReadonlyArray<Market>,
  news: ReadonlyMap<MarketId, ReadonlyArray<Headline>>,
  slot: EpochMs,
) {
  const candidates = markets.filter(({ id, status, endsAt }) =>
    status === "proposed" || endsAt !== null && endsAt <= slot || news.has(id)
  )
  const stored = yield* detections.find(candidates.map(({ id }) => id))
  const siblings = siblingsBy(markets)
  return candidates
    .filter(({ id }) => stored.get(id)?.published !== true)
    .map((market): DetectionCandidate => ({
      market,
      headlines: news.get(market.id) ?? [],
      siblings: siblings(market),
      consideredAt: stored.get(market.id)?.consideredAt ?? 0,
      lastEvidenceKey: stored.get(market.id)?.evidenceKey ?? null,
    }))
    .sort((a, b) => Number(hasEndedOnly(a)) - Number(hasEndedOnly(b)) || byConsidered(a, b))
    .slice(0, candidatesMax)
})

/** Finds the other live markets of a market's event, at most `siblingsMax`. */
function siblingsBy(markets: ReadonlyArray<Market>): (market: Market) => Array<SiblingMarket> {
  const byEvent = Map.groupBy(markets, ({ eventSlug }) => eventSlug.toLowerCase())
  return ({ id, eventSlug }) =>
    (byEvent.get(eventSlug.toLowerCase()) ?? []).filter((other) => other.id !== id)
      .slice(0, siblingsMax)
}

const hasEndedOnly = ({ market, headlines }: DetectionCandidate): boolean =>
  market.status !== "proposed" && headlines.length === 0

const byConsidered = (a: DetectionCandidate, b: DetectionCandidate): number =>
  a.consideredAt - b.consideredAt

/** Requests the proposals; a requested market without one gets null. */
export const readProposals = (
  { venue }: DetectionServices,
  candidates: ReadonlyArray<DetectionCandidate>,
  proposals: Map<MarketId, Proposal | null>,
  progress: DetectionProgress,
) =>
  requestInBatches(
    candidates.map(({ market }) => market.id),
    progress.rejected,
    venue.proposals,
    (rows, requested) =>
      Effect.sync(() => {
        for (const id of requested) proposals.set(id, null)
        for (const proposal of rows) proposals.set(proposal.marketId, proposal)
      }),
  )

/** The candidates with a known proposal and supporting evidence that is new. */
export const withNewEvidence = Effect.fnUntraced(function* (
  { detector }: DetectionServices,
  candidates: ReadonlyArray<DetectionCandidate>,
  proposals: ReadonlyMap<MarketId, Proposal | null>,
  now: EpochMs,
  progress: DetectionProgress,
) {
  const newEvidence = (candidate: DetectionCandidate): ReadonlyArray<CandidateWithNewEvidence> => {
    const { market, lastEvidenceKey } = candidate
    const proposal = proposals.get(market.id)
    if (proposal === undefined) return []
    const evidence = screenEvidence({ ...candidate, rules: "", proposal, now })
    if (Result.isFailure(evidence)) {
      tally(progress.rejected, { [evidence.failure]: 1 })
      return []
    }
    const key = evidenceKey({ evidence: evidence.success, proposal, now }, detector.name)
    if (key !== lastEvidenceKey) return [{ ...candidate, proposal, key }]
    tally(progress.rejected, { asked_before: 1 })
    return []
  }
  const found = (yield* inSlices(() => mapParts(candidates, newEvidence))).flat()
  progress.withNewEvidence = found.length
  return found.sort(byConsidered)
})

/** The first candidates whose live book passes the gates; the others are considered again later. */
export const withOpenPrice = Effect.fnUntraced(function* (
  { venue, detections }: DetectionServices,
  candidates: ReadonlyArray<CandidateWithNewEvidence>,
  now: EpochMs,
  progress: DetectionProgress,
) {
  const considered = candidates.slice(0, booksMax)
  if (considered.length === 0) return []
  const { rows, rejected } = yield* venue.books(considered.map(({ market }) => market.tokenIds[0]))
  tally(progress.rejected, rejected)
  const books = new Map(rows.map((book) => [book.tokenId, book]))
  const chosen: Array<PricedCandidate> = []
  const rejections: Array<DetectionRecord> = []
  for (const candidate of considered) {
    const { market } = candidate
    const live = books.get(market.tokenIds[0])
    const price = live === undefined ? null : bookPrice(live)
    const book = live === undefined ? null : microstructure(live)
    // Also a book with one side can state the outcome.
    const priced = price !== null && !isOpenPrice(price)
      ? Result.fail("decided" as const)
      : pricedQuestion({ ...candidate, book, rules: "", now })
    if (Result.isSuccess(priced)) chosen.push({ ...candidate, priced: priced.success })
    else {
      rejections.push({ marketId: market.id, evidenceKey: null, result: priced.failure })
      tally(progress.rejected, { [priced.failure]: 1 })
    }
  }
  yield* detections.save(rejections, now)
  if (chosen.length > questionsMax) {
    tally(progress.rejected, { over_budget: chosen.length - questionsMax })
  }
  return chosen.slice(0, questionsMax)
})
