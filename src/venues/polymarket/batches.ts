/**
 * One question about many things, asked some things at a time.
 *
 * @module
 */
import { Array, Effect } from "effect"
import type { Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import { merge } from "./decoded.ts"

interface Batching {
  /** Things in one request. */
  readonly size: number
  readonly atOnce: number
  /** Batches that are halved in one call, for the things that spoil them. */
  readonly splitsMax: number
}

/** How the venue calls a request wrong. */
const refusals: ReadonlySet<string> = new Set(["status 400", "status 422"])

/**
 * A batch the venue calls wrong holds a thing it does not know: it is halved until the others are
 * read. Things that stay unavailable are counted; only when all are does the call fail.
 */
export const inBatches = Effect.fnUntraced(function* <Thing, A>(
  things: ReadonlyArray<Thing>,
  { size, atOnce, splitsMax }: Batching,
  ask: (batch: ReadonlyArray<Thing>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
) {
  const failures: globalThis.Array<VenueUnavailable> = []
  let splits = 0
  const read = (batch: ReadonlyArray<Thing>): Effect.Effect<Decoded<A>> =>
    ask(batch).pipe(Effect.catch((failure) => {
      if (refusals.has(failure.reason) && batch.length > 1 && splits < splitsMax) {
        splits++
        const halves = Array.chunksOf(batch, Math.ceil(batch.length / 2))
        return Effect.map(Effect.forEach(halves, read), merge)
      }
      failures.push(failure)
      return Effect.succeed({ rows: [], rejected: { unavailable: batch.length } })
    }))
  const found = merge(
    yield* Effect.forEach(Array.chunksOf(things, size), read, { concurrency: atOnce }),
  )
  const [failure] = failures
  if (failure !== undefined && found.rejected["unavailable"] === things.length) {
    return yield* failure
  }
  return found
})
