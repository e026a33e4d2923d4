/**
 * Requests to the venue about many markets, in batches.
 *
 * @module
 */
import { Array, Clock, Effect, Result } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { MarketId } from "./domain/market.ts"
import type { Decoded, VenueUnavailable } from "./VenueClient.ts"

/** Markets in one request. */
const marketsBatch = 100
const requestConcurrency = 2

/**
 * Requests markets in batches and saves each response. A failed batch does not stop the others: the
 * effect fails after the last batch, with the first failure.
 */
export const requestInBatches = Effect.fnUntraced(function* <A>(
  markets: ReadonlyArray<MarketId>,
  rejected: Record<string, number>,
  request: (batch: ReadonlyArray<MarketId>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
  save: (
    rows: ReadonlyArray<A>,
    requested: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<void>,
) {
  const failures: Array<VenueUnavailable> = []
  const requestBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<MarketId>) {
    const response = yield* Effect.result(request(batch))
    if (Result.isFailure(response)) {
      failures.push(response.failure)
      return tally(rejected, { unavailable: batch.length })
    }
    tally(rejected, response.success.rejected)
    yield* save(response.success.rows, batch, yield* Clock.currentTimeMillis)
  })
  yield* Effect.forEach(Array.chunksOf(markets, marketsBatch), requestBatch, {
    concurrency: requestConcurrency,
    discard: true,
  })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})
