/**
 * The store and the venue client of the settings, shared by every process that reads the venue.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { polymarketUrls } from "../venues/polymarket/addresses.ts"
import { layerEmbedded, layerPostgres } from "../postgres/client.ts"
import { migrate, migrationFiles } from "../postgres/migrate.ts"
import { bindStore } from "../postgres/storeBinding.ts"
import * as simulated from "../venues/simulated/venue.ts"
import type { World } from "../venues/simulated/world.ts"
import { storedPayments } from "./moneySettings.ts"
import type { ServiceSettings } from "./settings.ts"

type StoreOptions = Pick<ServiceSettings, "database" | "venue" | "network"> & {
  readonly payments: Pick<ServiceSettings["payments"], "kind">
}

/**
 * The SQL client of all stores: migrated to the newest schema, and bound to this venue, kind of
 * payments and network.
 */
export const databaseLayer = ({ database, venue, ...money }: StoreOptions) => {
  const prepared = Layer.effectDiscard(
    Effect.flatMap(migrationFiles, migrate).pipe(
      Effect.andThen(bindStore("venue", venue)),
      Effect.andThen(bindStore("payments", storedPayments(money))),
    ),
  )
  return database.kind === "postgres"
    ? Layer.provideMerge(prepared, layerPostgres({ url: database.url }))
    : Layer.provideMerge(prepared, layerEmbedded({ dataDir: database.dir }))
}

/** The venue's client: of `world`, or of the real venue, which is loaded only then. */
export const venueClientLayer = (world: World | null) =>
  world === null
    ? Layer.unwrap(Effect.map(
      Effect.promise(() => import("../venues/polymarket/venue.ts")),
      ({ layer }) => layer(polymarketUrls),
    )).pipe(Layer.provide(FetchHttpClient.layer))
    : simulated.layer(world)
