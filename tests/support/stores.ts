/**
 * Migrated stores for tests: an embedded one in memory, and one on a PostgreSQL server if
 * TEST_DATABASE_URL is set, where each suite has its own schema.
 *
 * @module
 */
import type { PgClient } from "@effect/sql-pg"
import { Arbitrary, Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerEmbedded, layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"

type Store = Layer.Layer<PgClient.PgClient | SqlClient>

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL")

const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))

const embedded: Store = Layer.orDie(layerEmbedded({ memory: true }))

/** A fresh schema on the server at `url`; returns a URL that selects it. Dropped with the scope. */
export const freshSchema = (url: string) =>
  Effect.gen(function* () {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
    const owner = yield* Layer.build(layerPostgres({ url: Redacted.make(url), maxConnections: 1 }))
    const sql = Context.get(owner, SqlClient)
    yield* Effect.acquireRelease(
      sql`CREATE SCHEMA ${sql(name)}`,
      () => Effect.orDie(sql`DROP SCHEMA ${sql(name)} CASCADE`),
    )
    const inside = new URL(url)
    inside.searchParams.set("options", `-csearch_path=${name}`)
    return Redacted.make(inside.href)
  }).pipe(Effect.orDie)

const served = (url: string): Store =>
  Layer.unwrap(Effect.map(
    freshSchema(url),
    (inside) => layerPostgres({ url: inside, maxConnections: 20 }),
  )).pipe(Layer.orDie)

/** A fresh, migrated, embedded store in memory. */
export const embeddedStore: Store = Layer.orDie(Layer.provideMerge(migrated, embedded))

/** A fresh, migrated schema on the PostgreSQL server at `url`; dropped when its scope closes. */
export const postgresStore = (url: string): Store =>
  Layer.orDie(Layer.provideMerge(migrated, served(url)))

/** Every kind of store, without migrations. */
export const unmigratedStores: ReadonlyArray<{ readonly name: string; readonly layer: Store }> = [
  { name: "embedded", layer: embedded },
  ...testDatabaseUrl === undefined ? [] : [{ name: "postgres", layer: served(testDatabaseUrl) }],
]

/** Every kind of store, migrated. */
export const stores: ReadonlyArray<{ readonly name: string; readonly layer: Store }> = [
  { name: "embedded", layer: embeddedStore },
  ...testDatabaseUrl === undefined
    ? []
    : [{ name: "postgres", layer: postgresStore(testDatabaseUrl) }],
]

type Law = (
  name: string,
  body: Effect.Effect<void, unknown, PgClient.PgClient | SqlClient | Scope.Scope>,
) => void

/** One test per store and one step per law. A suite opens each store once; every law starts empty. */
export function onEveryStore(suite: string, define: (law: Law) => void): void {
  const laws: Array<[name: string, body: Parameters<Law>[1]]> = []
  define((name, body) => laws.push([name, body]))
  for (const { name: store, layer } of stores) {
    Deno.test(`${suite} on the ${store} store`, async (t) => {
      const scope = Scope.makeUnsafe()
      const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
      for (const [name, body] of laws) {
        await t.step(name, () =>
          Effect.andThen(emptyStore, body).pipe(
            Effect.scoped,
            Effect.provide(context),
            Effect.runPromise,
          ))
      }
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })
  }
}

/**
 * Checks a property for generated values and empties the store before each. A failure dies with the
 * shrunk value and the seed to replay it.
 */
export const holds = <A, E, R>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E, R>,
  options: Arbitrary.CheckOptions = {},
): Effect.Effect<void, never, R | SqlClient> =>
  Arbitrary.checkEffect(
    arbitrary,
    (value) => Effect.as(Effect.andThen(emptyStore, Effect.suspend(() => property(value))), true),
    { runs: 30, ...options },
  ).pipe(Effect.flatMap((result) => {
    const failure = Arbitrary.formatCheckFailure(result)
    return failure === undefined ? Effect.void : Effect.die(failure)
  }))

/**
 * Empties every table but the table of applied migrations. Triggers forbid this for payments: tests run
 * as a superuser, which the service is not, and disable the triggers for one transaction.
 */
export const emptyStore = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ tablename: string }>`
    SELECT tablename FROM pg_tables
    WHERE schemaname = current_schema() AND tablename <> 'schema_migration'`
  const names = tables.map(({ tablename }) => `"${tablename}"`).join(", ")
  yield* sql.withTransaction(Effect.andThen(
    sql`SET LOCAL session_replication_role = replica`,
    sql.unsafe(`TRUNCATE ${names} RESTART IDENTITY`),
  ))
  yield* sql`INSERT INTO feed_counter DEFAULT VALUES`
}).pipe(Effect.orDie)
