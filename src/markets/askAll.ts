/**
 * Asking the venue about many markets, a batch at a time.
 *
 * @module
 */
import { Array, Clock, Effect, Result } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { MarketId } from "./domain/market.ts"
import type { Decoded, VenueUnavailable } from "./VenueClient.ts"

/** Markets asked about at once, and how many such requests are under way. */
const marketsBatch = 100
const askConcurrency = 2

/**
 * Asks about markets in batches and saves each answer. A batch that cannot be read costs no other
 * batch: it fails when all have been asked, with the first failure.
 */
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
  yield* Effect.forEach(Array.chunksOf(markets, marketsBatch), askBatch, {
    concurrency: askConcurrency,
    discard: true,
  })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})
