/**
 * The store and the venue client of the settings, shared by every process that reads the venue.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as replay from "../venues/replay/venue.ts"
import * as polymarket from "../venues/polymarket/venue.ts"
import { layerEmbedded, layerPostgres } from "../postgres/client.ts"
import { migrate, migrationFiles } from "../postgres/migrate.ts"
import { bindStore } from "../postgres/storeBinding.ts"
import * as simulated from "../venues/simulated/venue.ts"
import type { VenueAndStore } from "./settings.ts"

/** The name that binds a store to its venue. */
export function storeVenueName(venue: VenueAndStore["venue"]): string {
  return venue.kind === "simulated" ? `simulated, seed ${venue.seed}` : venue.kind
}

interface StoreOptions extends VenueAndStore {
  /** Absent in a process without payments. */
  readonly payments?: { readonly kind: string }
}

/**
 * The SQL client of all stores: migrated to the newest schema, and bound to this venue and kind of
 * payments.
 */
export const databaseLayer = ({ database, venue, payments }: StoreOptions) => {
  const client = database.kind === "postgres"
    ? layerPostgres({ url: database.url })
    : layerEmbedded({ dataDir: database.dir }, database.served)
  const prepared = Layer.effectDiscard(
    Effect.flatMap(migrationFiles, migrate).pipe(
      Effect.andThen(bindStore("venue", storeVenueName(venue))),
      Effect.andThen(payments === undefined ? Effect.void : bindStore("payments", payments.kind)),
    ),
  )
  return Layer.provideMerge(prepared, client)
}

export const venueClientLayer = ({ venue }: Pick<VenueAndStore, "venue">) => {
  switch (venue.kind) {
    case "simulated":
      return simulated.layer(simulated.devWorld(venue.seed))
    case "replay":
      return replay.layer({ dir: venue.dir })
    case "polymarket":
      return polymarket.layer(polymarket.polymarketUrls).pipe(Layer.provide(FetchHttpClient.layer))
  }
}
