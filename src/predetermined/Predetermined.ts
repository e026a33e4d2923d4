/**
 * Finds live markets whose outcome is already known, and publishes them as predetermined items: from
 * every live market to the few that are known while their price is open, step by step, cheapest first
 * (`domain/predetermined.ts` has the rules).
 *
 * A market is published once, because the feed skips an item with a known dedupe key. A market whose
 * proposal is not available waits for the next tick, because no item may contradict the venue. A tick
 * continues without the news.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { predeterminedJob } from "../core/domain/freshness.ts"
import { runTick, tally, type TickReport } from "../core/stages.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { bookPrice, type Microstructure, microstructure } from "../markets/domain/book.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { newsAgeMsMax } from "../news/domain/evidence.ts"
import type { RelatedStory } from "../news/domain/reading.ts"
import { News, thoroughly } from "../news/News.ts"
import { NewsReader } from "../news/NewsReader.ts"
import { ContestedRecord } from "./ContestedRecord.ts"
import {
  isDoubted,
  isOpenPrice,
  type KnownOutcome,
  knownOutcome,
  openBook,
  predeterminedItem,
  screenCandidate,
} from "./domain/predetermined.ts"

const stageLimits = {
  markets: Duration.seconds(30),
  /** Longer than the model is waited for. */
  news: Duration.minutes(4),
  proposals: Duration.minutes(1),
  books: Duration.seconds(30),
  publishing: Duration.seconds(30),
} as const
type Stage = keyof typeof stageLimits

/** The counts of one tick. */
interface PredeterminedReport extends TickReport<Stage> {
  /** Live markets with a recent, open price. */
  readonly markets: number
  /** Those whose outcome is known. */
  readonly known: number
}

/** The ports of a tick. */
const ports = Effect.all({
  venue: VenueClient,
  markets: MarketStore,
  feed: FeedStore,
  news: News,
  reader: NewsReader,
  record: ContestedRecord,
})
type Services = Effect.Success<typeof ports>

export class Predetermined extends Context.Service<Predetermined, {
  /** Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<PredeterminedReport>
}>()("bellwether/predetermined/Predetermined") {
  static readonly layer = (options: { readonly tick: Duration.Duration }) =>
    Layer.effect(
      Predetermined,
      Effect.gen(function* () {
        const services = yield* ports
        const tickIntervalMs = Duration.toMillis(options.tick)
        return Predetermined.of({ tick: (slot) => tick(services, slot, tickIntervalMs) })
      }),
    )
}

const tick = Effect.fn("Predetermined.tick")(function* (
  services: Services,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  const progress: Progress = { markets: 0, known: 0, items: [], rejected: {} }
  const ticks = Math.floor(slot / tickIntervalMs)
  return yield* runTick(
    { name: predeterminedJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      const opening = openMarkets(services, slot, tickIntervalMs, progress)
      const markets = yield* stage("markets", opening, [])
      const stories = yield* stage("news", storiesByMarket(services, markets, slot), new Map())
      const candidates = findCandidates(markets, stories, slot, ticks)
      const proposals = new Map<MarketId, Proposal | null>()
      yield* stage("proposals", readProposals(services, candidates, proposals, progress), undefined)
      const now = yield* Clock.currentTimeMillis
      const decided = decidedMarkets(candidates, stories, proposals, now, progress)
      const open = yield* stage("books", withOpenPrice(services, decided, ticks, progress), [])
      yield* stage("publishing", publish(services, open, progress), undefined)
    }),
  )
})

/** The counts so far. They are mutated in place, so that an interrupted stage is counted too. */
interface Progress {
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
const openMarkets = Effect.fnUntraced(function* (
  { markets }: Services,
  slot: EpochMs,
  tickIntervalMs: number,
  progress: Progress,
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
const storiesByMarket = Effect.fnUntraced(function* (
  { news }: Services,
  markets: ReadonlyArray<Market>,
  slot: EpochMs,
) {
  const { stories } = yield* news.storiesAbout(markets, slot - newsAgeMsMax, storiesMax, thoroughly)
  return new Map(markets.map(({ id }, n) => [id, stories[n] ?? []]))
})

/**
 * Markets past their end, with a proposed outcome in the listing, or with a decisive story. Those past
 * their end only come last, from another place in each tick, so that all have their turn.
 */
function findCandidates(
  markets: ReadonlyArray<Market>,
  stories: StoriesByMarket,
  slot: EpochMs,
  ticks: number,
): ReadonlyArray<Market> {
  const isReported = ({ id, status }: Market) =>
    status === "proposed" || stories.get(id)?.some(({ reading }) => reading?.decides) === true
  const hasEnded = ({ endsAt }: Market) => endsAt !== null && endsAt <= slot
  const ended = markets.filter((market) => !isReported(market) && hasEnded(market))
  return [...markets.filter(isReported), ...inTurn(ended, candidatesMax, ticks)]
    .slice(0, candidatesMax)
}

/** All items, from another place in each tick, so that each is among the first `max` in its turn. */
function inTurn<A>(items: ReadonlyArray<A>, max: number, ticks: number): ReadonlyArray<A> {
  const from = ticks * max % Math.max(items.length, 1)
  return [...items.slice(from), ...items.slice(0, from)]
}

/** Requests the proposals; a requested market without one gets null. */
const readProposals = (
  { venue }: Services,
  candidates: ReadonlyArray<Market>,
  proposals: Map<MarketId, Proposal | null>,
  progress: Progress,
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
function decidedMarkets(
  candidates: ReadonlyArray<Market>,
  stories: StoriesByMarket,
  proposals: ReadonlyMap<MarketId, Proposal | null>,
  now: EpochMs,
  progress: Progress,
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
const withOpenPrice = Effect.fnUntraced(function* (
  { venue }: Services,
  decided: ReadonlyArray<Decided>,
  ticks: number,
  progress: Progress,
) {
  const considered = inTurn(decided, booksMax, ticks).slice(0, booksMax)
  if (considered.length === 0) return []
  const { rows, rejected } = yield* venue.books(considered.map(({ market }) => market.tokenIds[0]))
  tally(progress.rejected, rejected)
  const books = new Map(rows.map((book) => [book.tokenId, book]))
  return considered.flatMap((one) => {
    const live = books.get(one.market.tokenIds[0])
    const price = live === undefined ? null : bookPrice(live)
    // Also a book with one side can state the outcome.
    const open = price !== null && !isOpenPrice(price)
      ? Result.fail("decided" as const)
      : openBook(live === undefined ? null : microstructure(live))
    if (Result.isFailure(open)) tally(progress.rejected, { [open.failure]: 1 })
    else if (isDoubted(one.known, open.success.mid)) tally(progress.rejected, { doubted: 1 })
    else return [{ ...one, microstructure: open.success }]
    return []
  })
})

const publish = Effect.fnUntraced(function* (
  { feed, record, reader }: Services,
  open: ReadonlyArray<Decided & { readonly microstructure: Microstructure }>,
  progress: Progress,
) {
  if (open.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const contested = yield* record.read
  const items = open.map((one) =>
    predeterminedItem({
      ...one,
      detector: one.known.kind === "evidence" ? reader.name ?? "rules" : "rules",
      record: contested,
    }, now)
  )
  const added = yield* feed.append(items)
  progress.items.push(...added.map(({ title }) => title))
})
