/**
 * Requests to the venue about many markets, in batches.
 *
 * @module
 */
import { Array, Clock, Effect, Result } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { tally } from "../core/stages.ts"
import type { Decoded, VenueUnavailable } from "./VenueClient.ts"

/**
 * Requests markets, or their ids, in batches and saves each response. A failed request is counted and does
 * not stop the others: the effect fails after the last batch, with the first failure.
 */
export const requestInBatches = Effect.fnUntraced(function* <Key, A>(
  keys: ReadonlyArray<Key>,
  rejected: Record<string, number>,
  request: (batch: ReadonlyArray<Key>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
  save: (
    rows: ReadonlyArray<A>,
    requested: ReadonlyArray<Key>,
    at: EpochMs,
  ) => Effect.Effect<void>,
  { size, concurrency } = { size: 100, concurrency: 2 },
) {
  const failures: Array<VenueUnavailable> = []
  const requestBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Key>) {
    const response = yield* Effect.result(request(batch))
    if (Result.isFailure(response)) {
      failures.push(response.failure)
      return tally(rejected, { unavailable: batch.length })
    }
    tally(rejected, response.success.rejected)
    yield* save(response.success.rows, batch, yield* Clock.currentTimeMillis)
  })
  yield* Effect.forEach(Array.chunksOf(keys, size), requestBatch, { concurrency, discard: true })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})
