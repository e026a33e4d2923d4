/**
 * Which markets a detector is asked about: from every live market to the few for which there is reason to
 * ask, and which were not asked about before. Step by step, cheapest first.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { microstructure } from "../markets/domain/book.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import { headlineFinder, reportsCompletedEvent } from "./domain/doneNews.ts"
import { evidenceKey, newsAgeMax } from "./domain/evidence.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { Headline } from "../news/domain/headline.ts"
import {
  type PricedQuestion,
  pricedQuestion,
  screenCandidate,
  screenEvidence,
} from "./domain/predetermined.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { Detector } from "./Detector.ts"
import type { DetectionRecord, DetectionStore } from "./DetectionStore.ts"
import type { News } from "../news/News.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { tally } from "../core/stages.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { VenueClient } from "../markets/VenueClient.ts"

/** The ports a tick works through. */
export interface DetectionServices {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly news: News["Service"]
  readonly detector: Detector["Service"]
  readonly detections: DetectionStore["Service"]
}

/** What was done so far; it grows in place, so that a stage cut short tells what it did. */
export interface DetectionProgress {
  markets: number
  reasoned: number
  asked: number
  unanswered: number
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** A market whose outcome may exist already, and what is known of it. */
interface Candidate {
  readonly market: Market
  readonly headlines: ReadonlyArray<Headline>
  /** When it was last looked at; 0 for never. */
  readonly consideredAt: EpochMs
  readonly askedAbout: string | null
}

/** One with reasons to ask that were not asked about before. */
interface ReasonedCandidate extends Candidate {
  readonly proposal: Proposal | null
  readonly key: string
}

/** One to be asked about. */
export interface PricedCandidate extends ReasonedCandidate {
  readonly priced: PricedQuestion
}

/** Markets looked at in one tick, the most liquid; and how many ticks old their price may be. */
const marketsMax = 10_000
const pricedTicks = 2
/** Headlines looked at, the newest; markets whose news is asked for; headlines of one market. */
const headlinesMax = 4_000
const newsMarketsMax = 300
const newsPerMarket = 20
const newsConcurrency = 4
/** Markets whose proposals are asked for in one tick, those not looked at for longest. */
const candidatesMax = 1_000
/** Markets with reasons to ask whose books are read. */
const booksMax = 200
/** Questions put in one tick. */
const questionsMax = 20

/** Live, liquid, ordinary markets whose last price is open, most liquid first. */
export const openMarkets = Effect.fnUntraced(function* (
  { markets }: DetectionServices,
  slot: EpochMs,
  tickIntervalMs: number,
  done: DetectionProgress,
) {
  const range = { notBefore: slot - pricedTicks * tickIntervalMs, atOrBefore: slot }
  const open = (yield* markets.recentlyPriced(range, marketsMax)).flatMap(({ market, price }) => {
    const screened = screenCandidate(market, price.mid)
    if (Result.isSuccess(screened)) return [screened.success]
    tally(done.rejected, { [screened.failure]: 1 })
    return []
  })
  done.markets = open.length
  return open
})

/** The news of markets that some headline of a done thing is about. */
export const newsOf = Effect.fnUntraced(function* (
  { news }: DetectionServices,
  markets: ReadonlyArray<Market>,
  slot: EpochMs,
) {
  const since = slot - newsAgeMax
  const { headlines } = yield* news.recent(since, headlinesMax)
  const about = headlineFinder(headlines.filter(({ title }) => reportsCompletedEvent(title)))
  const told = markets.filter(({ question }) => about(question).length > 0)
  const found = yield* Effect.forEach(
    told.slice(0, newsMarketsMax),
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
 * Markets past their end, with an outcome proposed by the listing's word, or with news; none that was
 * told. A proposal or news comes before a mere end, and then who was not looked at for longest.
 */
export const findCandidates = Effect.fnUntraced(function* (
  { detections }: DetectionServices,
  markets: ReadonlyArray<Market>,
  news: ReadonlyMap<MarketId, ReadonlyArray<Headline>>,
  slot: EpochMs,
) {
  const noticed = markets.filter(({ id, status, endsAt }) =>
    status === "proposed" || endsAt !== null && endsAt <= slot || news.has(id)
  )
  const held = yield* detections.held(noticed.map(({ id }) => id))
  return noticed
    .filter(({ id }) => held.get(id)?.told !== true)
    .map((market): Candidate => ({
      market,
      headlines: news.get(market.id) ?? [],
      consideredAt: held.get(market.id)?.consideredAt ?? 0,
      askedAbout: held.get(market.id)?.evidenceKey ?? null,
    }))
    .sort((a, b) => Number(hasEndedOnly(a)) - Number(hasEndedOnly(b)) || byWait(a, b))
    .slice(0, candidatesMax)
})

const hasEndedOnly = ({ market, headlines }: Candidate): boolean =>
  market.status !== "proposed" && headlines.length === 0

const byWait = (a: Candidate, b: Candidate): number => a.consideredAt - b.consideredAt

/** Which outcomes stand proposed; null for a market that was asked about and has none. */
export const readProposals = (
  { venue }: DetectionServices,
  candidates: ReadonlyArray<Candidate>,
  proposals: Map<MarketId, Proposal | null>,
  done: DetectionProgress,
) =>
  requestInBatches(
    candidates.map(({ market }) => market.id),
    done.rejected,
    venue.proposals,
    (rows, asked) =>
      Effect.sync(() => {
        for (const id of asked) proposals.set(id, null)
        for (const proposal of rows) proposals.set(proposal.marketId, proposal)
      }),
  )

/** Those of whom the venue was heard, with reasons to ask that were not asked about before. */
export function withNewEvidence(
  { detector }: DetectionServices,
  candidates: ReadonlyArray<Candidate>,
  proposals: ReadonlyMap<MarketId, Proposal | null>,
  now: EpochMs,
  done: DetectionProgress,
): ReadonlyArray<ReasonedCandidate> {
  const reasoned = candidates.flatMap((candidate): ReadonlyArray<ReasonedCandidate> => {
    const { market, headlines, askedAbout } = candidate
    const proposal = proposals.get(market.id)
    if (proposal === undefined) return []
    const evidence = screenEvidence(market, proposal, headlines, now)
    if (Result.isFailure(evidence)) {
      tally(done.rejected, { [evidence.failure]: 1 })
      return []
    }
    const key = evidenceKey({ evidence: evidence.success, proposal, now }, detector.name)
    if (key !== askedAbout) return [{ ...candidate, proposal, key }]
    tally(done.rejected, { asked_before: 1 })
    return []
  })
  done.reasoned = reasoned.length
  return reasoned.sort(byWait)
}

/** The first whose live book lets them be asked about; the others are looked at again later. */
export const choose = Effect.fnUntraced(function* (
  { venue, detections }: DetectionServices,
  reasoned: ReadonlyArray<ReasonedCandidate>,
  now: EpochMs,
  done: DetectionProgress,
) {
  const looked = reasoned.slice(0, booksMax)
  if (looked.length === 0) return []
  const { rows, rejected } = yield* venue.books(looked.map(({ market }) => market.tokenIds[0]))
  tally(done.rejected, rejected)
  const books = new Map(rows.map((book) => [book.tokenId, microstructure(book)]))
  const chosen: Array<PricedCandidate> = []
  const passed: Array<DetectionRecord> = []
  for (const candidate of looked) {
    const { market, proposal, headlines } = candidate
    const book = books.get(market.tokenIds[0]) ?? null
    const priced = pricedQuestion({ market, book, rules: "", proposal, headlines, now })
    if (Result.isSuccess(priced)) chosen.push({ ...candidate, priced: priced.success })
    else {
      passed.push({ marketId: market.id, evidenceKey: null, verdict: priced.failure })
      tally(done.rejected, { [priced.failure]: 1 })
    }
  }
  yield* detections.remember(passed, now)
  if (chosen.length > questionsMax) {
    tally(done.rejected, { over_budget: chosen.length - questionsMax })
  }
  return chosen.slice(0, questionsMax)
})
