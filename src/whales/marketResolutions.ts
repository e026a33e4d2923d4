/**
 * How the markets of entries ended: each is asked until it has ended, and now and then for some days
 * more, for a venue may correct itself.
 *
 * @module
 */
import { Effect } from "effect"
import { day, type EpochMs } from "../core/domain/time.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import type { WhaleMarketStore } from "./WhaleMarketStore.ts"

/** Markets asked about in one tick. */
const marketsMax = 4_000

/** A market whose end was scheduled this long ago at most is asked at every tick, others after more. */
const endingFor = 7 * day
const askEveryTicks = 6
/** How long a market that has ended is asked again, and how often. */
const correctedFor = 7 * day
const correctedEvery = day

/** What was heard; it grows in place, so that a stage cut short says what it did. */
interface ResolutionTally {
  resolved: number
  readonly rejected: Record<string, number>
}

/**
 * Asks the venue how markets ended and stores it. A batch that failed is asked again at the next tick.
 */
export const readResolutions = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  tickIntervalMs: number,
  heard: ResolutionTally,
) {
  const markets = yield* whaleMarkets.unresolved({
    limit: marketsMax,
    askedBefore: slot - askEveryTicks * tickIntervalMs,
    ending: { from: slot - endingFor, to: slot, askedBefore: slot },
    endedAfter: slot - correctedFor,
    askedAgainBefore: slot - correctedEvery,
  })
  yield* requestInBatches(
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

/** Learns the facts of markets with activity: without them there are no entries in it. */
export const readFacts = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  { rejected }: Pick<ResolutionTally, "rejected">,
) {
  const markets = yield* whaleMarkets.unknownMarkets(unknownMax, slot - unknownEvery)
  yield* requestInBatches(markets, rejected, venue.facts, whaleMarkets.saveFacts)
})
