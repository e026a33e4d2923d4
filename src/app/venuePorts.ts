/**
 * The store and the venue client of the settings, shared by every process that reads the venue.
 *
 * @module
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { polymarketUrls } from "../venues/polymarket/addresses.ts"
import { layerEmbedded, layerPostgres } from "../postgres/client.ts"
import { setAside } from "../postgres/embedded.ts"
import { migrate, migrationFiles, SchemaDiverged } from "../postgres/migrate.ts"
import { bindStore } from "../postgres/storeBinding.ts"
import * as simulated from "../venues/simulated/venue.ts"
import type { World } from "../venues/simulated/world.ts"
import { storedPayments } from "./moneySettings.ts"
import type { ServiceSettings } from "./settings.ts"

type StoreOptions = Pick<ServiceSettings, "database" | "venue" | "mode" | "network"> & {
  readonly payments: Pick<ServiceSettings["payments"], "kind">
}

/**
 * The SQL client of all stores: migrated to the newest schema, and bound to this venue, kind of
 * payments and network. In `dev`, an embedded store, whose payments are simulated, is set aside when it has
 * another schema.
 */
export const databaseLayer = ({ database, venue, mode, ...money }: StoreOptions) => {
  const prepared = Layer.effectDiscard(
    Effect.flatMap(migrationFiles, migrate).pipe(
      Effect.andThen(bindStore("venue", venue)),
      Effect.andThen(bindStore("payments", storedPayments(money))),
    ),
  )
  if (database.kind === "postgres") {
    return Layer.provideMerge(prepared, layerPostgres({ url: database.url }))
  }
  const store = Layer.provideMerge(prepared, layerEmbedded({ dataDir: database.dir }))
  return mode === "dev" ? orEmpty(store, database.dir) : store
}

/**
 * The store, or an empty one where its schema is not that of these migrations. The other one is closed
 * and kept: its feed may have been read from a real venue.
 */
const orEmpty = <A, E, R>(store: Layer.Layer<A, E | SchemaDiverged, R>, dataDir: string) => {
  const build = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* Layer.buildWithScope(Layer.fresh(store), scope).pipe(
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
    )
  })
  return Layer.effectContext(build.pipe(
    Effect.catchIf((error) => error instanceof SchemaDiverged, () =>
      setAside(dataDir).pipe(
        Effect.flatMap((kept) =>
          Effect.logWarning(
            `The store in ${dataDir} has the schema of another version: it is now ${kept}, and this ` +
              "start makes a new one",
          )
        ),
        Effect.andThen(build),
      )),
  ))
}

/** The venue's client: of `world`, or of the real venue, which is loaded only then. */
export const venueClientLayer = (world: World | null) =>
  world === null
    ? Layer.unwrap(Effect.map(
      Effect.promise(() => import("../venues/polymarket/venue.ts")),
      ({ layer }) => layer(polymarketUrls),
    )).pipe(Layer.provide(FetchHttpClient.layer))
    : simulated.layer(world)
