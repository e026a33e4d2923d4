/**
 * How the markets of entries ended: each is asked until it has ended, and now and then for some days
 * more, for a venue may correct itself.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import { day, type EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/Tick.ts"
import type { Decoded, VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"
import type { WhaleMarketStore } from "./WhaleMarketStore.ts"

/** Markets asked about in one tick, at once, and how many such requests are under way. */
const marketsMax = 4_000
const marketsBatch = 100
const askConcurrency = 2

/** A market whose end was scheduled this long ago at most is asked at every tick, others after more. */
const endingFor = 7 * day
const askEveryTicks = 6
/** How long a market that has ended is asked again, and how often. */
const correctedFor = 7 * day
const correctedEvery = day

/** What was heard; it grows in place, so that a stage cut short tells what it did. */
interface ResolutionTally {
  resolved: number
  readonly rejected: Record<string, number>
}

/**
 * Asks the venue how markets ended and remembers it. A batch that cannot be had costs no other batch;
 * it is asked at the next tick, and told when all have been asked.
 */
export const readResolutions = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  tickMs: number,
  heard: ResolutionTally,
) {
  const markets = yield* whaleMarkets.unresolved({
    limit: marketsMax,
    askedBefore: slot - askEveryTicks * tickMs,
    ending: { from: slot - endingFor, to: slot, askedBefore: slot },
    endedAfter: slot - correctedFor,
    askedAgainBefore: slot - correctedEvery,
  })
  yield* askAll(
    markets,
    heard.rejected,
    venue.resolutions,
    (rows, asked, at) =>
      Effect.map(whaleMarkets.saveResolutions(rows, asked, at), (news) => {
        heard.resolved += news
      }),
  )
})

/** Facts asked for in one tick; and how long the venue is not asked again for what it did not know. */
const unknownMax = 4_000
const unknownEvery = day

/** Learns the facts of markets with acts: without them there are no entries in it. */
export const readFacts = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  { rejected }: Pick<ResolutionTally, "rejected">,
) {
  const markets = yield* whaleMarkets.unknownMarkets(unknownMax, slot - unknownEvery)
  yield* askAll(markets, rejected, venue.facts, whaleMarkets.saveFacts)
})

/** Asks about markets in batches and saves each answer; fails when all are asked and one failed. */
export const askAll = Effect.fnUntraced(function* <A>(
  markets: ReadonlyArray<MarketId>,
  rejected: Record<string, number>,
  ask: (batch: ReadonlyArray<MarketId>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
  save: (
    rows: ReadonlyArray<A>,
    asked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<void>,
) {
  const batches = Array.from(
    { length: Math.ceil(markets.length / marketsBatch) },
    (_, i) => markets.slice(i * marketsBatch, (i + 1) * marketsBatch),
  )
  const failures: Array<VenueUnavailable> = []
  const askBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<MarketId>) {
    const answer = yield* Effect.result(ask(batch))
    if (Result.isFailure(answer)) {
      failures.push(answer.failure)
      return tally(rejected, { unavailable: batch.length })
    }
    tally(rejected, answer.success.rejected)
    yield* save(answer.success.rows, batch, yield* Clock.currentTimeMillis)
  })
  yield* Effect.forEach(batches, askBatch, { concurrency: askConcurrency, discard: true })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})
