/**
 * Reads the facts and the resolutions of markets with entries. A market is checked until it has ended,
 * and once a day for some days after that, because the venue may correct a resolution.
 *
 * @module
 */
import { Effect } from "effect"
import { day, type EpochMs } from "../core/domain/time.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import type { VenueClient } from "../markets/VenueClient.ts"
import type { WhaleMarketStore } from "./WhaleMarketStore.ts"

/** Markets checked in one tick. */
const marketsMax = 4_000

/** A market is checked at every tick for this long after its scheduled end, else less often. */
const endingMs = 7 * day
const checkEveryTicks = 6
/** An ended market is checked again for this long, at this interval. */
const recheckMs = 7 * day
const recheckEveryMs = day

/** Mutable, so that an interrupted stage reports what it did. */
interface ResolutionTally {
  resolved: number
  readonly rejected: Record<string, number>
}

/** Stores how markets ended. A batch that failed is requested again at the next tick. */
export const readResolutions = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  tickIntervalMs: number,
  tally: ResolutionTally,
) {
  const markets = yield* whaleMarkets.unresolved({
    limit: marketsMax,
    checkedBefore: slot - checkEveryTicks * tickIntervalMs,
    ending: { from: slot - endingMs, to: slot, checkedBefore: slot },
    endedAfter: slot - recheckMs,
    recheckedBefore: slot - recheckEveryMs,
  })
  yield* requestInBatches(
    markets,
    tally.rejected,
    venue.resolutions,
    (rows, requested, at) =>
      Effect.map(whaleMarkets.saveResolutions(rows, requested, at), (changed) => {
        tally.resolved += changed
      }),
  )
})

/** Markets whose facts are requested in one tick. */
const unknownMax = 4_000
/** How often the facts of a market that the venue did not know are requested again. */
const unknownEveryMs = day

/** Stores the facts of markets with activity, which entries need. */
export const readFacts = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: {
    readonly venue: VenueClient["Service"]
    readonly whaleMarkets: WhaleMarketStore["Service"]
  },
  slot: EpochMs,
  { rejected }: Pick<ResolutionTally, "rejected">,
) {
  const markets = yield* whaleMarkets.unknownMarkets(unknownMax, slot - unknownEveryMs)
  yield* requestInBatches(markets, rejected, venue.facts, whaleMarkets.saveFacts)
})
