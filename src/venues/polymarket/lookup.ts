/**
 * Questions about markets by their identity.
 *
 * @module
 */
import type { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { MarketId } from "../../markets/domain/market.ts"
import type { Decoded, VenueUnavailable } from "../../markets/VenueClient.ts"
import { inBatches } from "./batches.ts"
import type { Limits } from "./limits.ts"
import type { Ask } from "./requests.ts"
import { object } from "./wire.ts"

/** Where a kind of question is asked, and how often it may be. */
export interface Route {
  readonly ask: Ask
  readonly url: string
}

/** The rows of an answer. */
interface Rows {
  readonly rows: ReadonlyArray<unknown>
}

/** What can be asked for by identity, each once: anything else might spoil a whole batch. */
export function askable(marketIds: ReadonlyArray<MarketId>): ReadonlyArray<MarketId> {
  return [...new Set(marketIds)].filter((id) => /^0x[0-9a-f]{64}$/.test(id))
}

/** Asks about markets, `size` at a time. */
export function byMarkets<A>(
  marketIds: ReadonlyArray<MarketId>,
  size: number,
  limits: Limits,
  ask: (batch: ReadonlyArray<MarketId>) => Effect.Effect<Decoded<A>, VenueUnavailable>,
): Effect.Effect<Decoded<A>, VenueUnavailable> {
  const batching = { size, atOnce: limits.marketBatchesAtOnce, splitsMax: limits.marketSplitsMax }
  return inBatches(marketIds, batching, ask)
}

/** The listing's rows of these markets, as far as they are closed or not. */
export function listingRows(
  { ask, url }: Route,
  operation: string,
  marketIds: ReadonlyArray<MarketId>,
  closed: boolean,
): Effect.Effect<Rows, VenueUnavailable> {
  const urlParams = {
    condition_ids: marketIds,
    closed: String(closed),
    include_tag: "true",
    limit: marketIds.length,
  }
  return ask(
    operation,
    HttpClientRequest.get(`${url}/markets/keyset`, { urlParams }),
    rowsIn("markets"),
  )
}

/** Reads an answer that holds its rows under `name`. */
export function rowsIn(name: string): (body: unknown) => Rows | null {
  return (body) => {
    const rows = object(body)?.[name]
    return Array.isArray(rows) ? { rows } : null
  }
}
