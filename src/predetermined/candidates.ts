/**
 * From every live market to the few whose outcome is known while their price is open, step by step,
 * cheapest first.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { bookPrice, type Microstructure, microstructure } from "../markets/domain/book.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import { newsAgeMsMax } from "../news/domain/evidence.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { RelatedStory } from "../news/domain/reading.ts"
import {
  isDoubted,
  isOpenPrice,
  type KnownOutcome,
  knownOutcome,
  openBook,
  screenCandidate,
} from "./domain/predetermined.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { ContestedRecord } from "./ContestedRecord.ts"
import type { DetectionStore } from "./DetectionStore.ts"
import { type News, thoroughly } from "../news/News.ts"
import type { NewsReader } from "../news/NewsReader.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
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
  readonly reader: NewsReader["Service"]
  readonly detections: DetectionStore["Service"]
  readonly record: ContestedRecord["Service"]
}

/** The counts so far. They are mutated in place, so that an interrupted stage is counted too. */
export interface DetectionProgress {
  markets: number
  known: number
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** The related stories of markets, by market. */
type StoriesByMarket = ReadonlyMap<MarketId, ReadonlyArray<RelatedStory>>

/** A market whose outcome is known. */
interface Decided {
  readonly market: Market
  readonly known: KnownOutcome
}

/** The same with its live book at an open price. */
export interface OpenDecided extends Decided {
  readonly microstructure: Microstructure
}

/** Markets read in one tick (the most liquid), and how many ticks old their price may be. */
const marketsMax = 10_000
const priceAgeTicksMax = 2
/** Stories of one market that are judged together. */
const storiesMax = 20
/** Markets whose proposals are requested in one tick. */
const candidatesMax = 1_000
/** Markets whose books are read in one tick. */
const booksMax = 200

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

/** The related stories, after the model was asked about those that it has not read. */
export const storiesByMarket = Effect.fnUntraced(function* (
  { news }: DetectionServices,
  markets: ReadonlyArray<Market>,
  slot: EpochMs,
) {
  const { stories } = yield* news.storiesAbout(markets, slot - newsAgeMsMax, storiesMax, thoroughly)
  return new Map(markets.map(({ id }, n) => [id, stories[n] ?? []]))
})

/**
 * Unpublished markets past their end, with a proposed outcome in the listing, or with a decisive story.
 * Those past their end only come last, from another place in each tick, so that all have their turn.
 */
export const findCandidates = Effect.fnUntraced(function* (
  { detections }: DetectionServices,
  markets: ReadonlyArray<Market>,
  stories: StoriesByMarket,
  slot: EpochMs,
  ticks: number,
) {
  const isReported = ({ id, status }: Market) =>
    status === "proposed" || stories.get(id)?.some(({ reading }) => reading?.decides) === true
  const hasEnded = ({ endsAt }: Market) => endsAt !== null && endsAt <= slot
  const possible = markets.filter((market) => isReported(market) || hasEnded(market))
  const published = yield* detections.published(possible.map(({ id }) => id))
  const candidates = possible.filter(({ id }) => !published.has(id))
  const others = inTurn(
    candidates.filter((market) => !isReported(market)),
    candidatesMax,
    ticks,
  )
  return [...candidates.filter(isReported), ...others].slice(0, candidatesMax)
})

/** All items, from another place in each tick, so that each is among the first `max` in its turn. */
function inTurn<A>(items: ReadonlyArray<A>, max: number, ticks: number): ReadonlyArray<A> {
  const from = ticks * max % Math.max(items.length, 1)
  return [...items.slice(from), ...items.slice(0, from)]
}

/** Requests the proposals; a requested market without one gets null. */
export const readProposals = (
  { venue }: DetectionServices,
  candidates: ReadonlyArray<Market>,
  proposals: Map<MarketId, Proposal | null>,
  progress: DetectionProgress,
) =>
  requestInBatches(
    candidates.map(({ id }) => id),
    progress.rejected,
    venue.proposals,
    (rows, requested) =>
      Effect.sync(() => {
        for (const id of requested) proposals.set(id, null)
        for (const proposal of rows) proposals.set(proposal.marketId, proposal)
      }),
  )

/** The candidates with a known outcome. A market whose proposal is not available waits for the next tick. */
export function decidedMarkets(
  candidates: ReadonlyArray<Market>,
  stories: StoriesByMarket,
  proposals: ReadonlyMap<MarketId, Proposal | null>,
  now: EpochMs,
  progress: DetectionProgress,
): ReadonlyArray<Decided> {
  const decided = candidates.flatMap((market) => {
    const proposal = proposals.get(market.id)
    if (proposal === undefined) return []
    const known = knownOutcome({ market, proposal, stories: stories.get(market.id) ?? [], now })
    if (Result.isSuccess(known)) return [{ market, known: known.success }]
    tally(progress.rejected, { [known.failure]: 1 })
    return []
  })
  progress.known = decided.length
  return decided
}

/** Those whose live book passes the gates; of more than `booksMax`, each has its turn. */
export const withOpenPrice = Effect.fnUntraced(function* (
  { venue }: DetectionServices,
  decided: ReadonlyArray<Decided>,
  ticks: number,
  progress: DetectionProgress,
) {
  const considered = inTurn(decided, booksMax, ticks).slice(0, booksMax)
  if (considered.length === 0) return []
  const { rows, rejected } = yield* venue.books(considered.map(({ market }) => market.tokenIds[0]))
  tally(progress.rejected, rejected)
  const books = new Map(rows.map((book) => [book.tokenId, book]))
  return considered.flatMap((one): ReadonlyArray<OpenDecided> => {
    const live = books.get(one.market.tokenIds[0])
    const price = live === undefined ? null : bookPrice(live)
    // Also a book with one side can state the outcome.
    const open = price !== null && !isOpenPrice(price)
      ? Result.fail("decided" as const)
      : openBook(one.market, live === undefined ? null : microstructure(live))
    if (Result.isFailure(open)) tally(progress.rejected, { [open.failure]: 1 })
    else if (isDoubted(one.known, open.success.mid)) tally(progress.rejected, { doubted: 1 })
    else return [{ ...one, microstructure: open.success }]
    return []
  })
})
