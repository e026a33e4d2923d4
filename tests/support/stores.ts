/**
 * Migrated databases for tests: always an embedded one in memory, and also the PostgreSQL server at
 * TEST_DATABASE_URL when it is set; each suite has its own schema.
 *
 * @module
 */
import type { PgClient } from "@effect/sql-pg"
import { Arbitrary, Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { grantRoles, roles } from "../../src/postgres/migrate.ts"
import { layerMemory } from "./memoryStore.ts"
import { migratedImage } from "./migratedImage.ts"
import { type Body, effectOf } from "./effect.ts"
import { sized } from "./size.ts"

type Store = Layer.Layer<PgClient.PgClient | SqlClient>

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined

const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))

const embedded: Store = Layer.orDie(layerMemory())

/** Creates a schema on the server at `url` and returns the URL for it; dropped with the scope. */
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

/** A migrated schema on the server at `url`: a client of its owner, and a login of each role. */
export const freshLogins = Effect.fnUntraced(function* (server: string) {
  const url = yield* freshSchema(server)
  const context = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 2 })))
  const owner = Context.get(context, SqlClient)
  yield* Effect.provideContext(
    Effect.andThen(Effect.flatMap(migrationFiles, migrate), grantRoles),
    context,
  )
  const login = Effect.fnUntraced(function* (role: string) {
    const name = `login_${crypto.randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(
      owner`CREATE ROLE ${owner(name)} LOGIN PASSWORD 'x' IN ROLE ${owner(role)}`,
      () => Effect.orDie(owner`DROP ROLE ${owner(name)}`),
    )
    const own = new URL(Redacted.value(url))
    own.username = name
    own.password = "x"
    return Redacted.make(own.href)
  })
  return { owner, service: yield* login(roles.service), refund: yield* login(roles.refund) }
})

const served = (url: string): Store =>
  Layer.unwrap(Effect.map(
    freshSchema(url),
    (inside) => layerPostgres({ url: inside, maxConnections: 20 }),
  )).pipe(Layer.orDie)

type StoreContext = Context.Context<Layer.Success<Store>>

/** Embedded stores of this test file that no test uses at this moment. */
const idleStores: Array<StoreContext> = []

/** Stays open until the test file ends; its clock is not the caller's, so no timer of it runs. */
const openEmbeddedStore: Effect.Effect<StoreContext> = Effect.gen(function* () {
  const image = yield* Effect.promise(migratedImage)
  const layer = Layer.orDie(layerMemory(image))
  return yield* Layer.buildWithScope(layer, Scope.makeUnsafe())
}).pipe(Effect.provide(TestClock.layer()))

/** An empty, migrated, embedded store. The tests of a file use the same ones in turn. */
export const embeddedStore: Store = Layer.effectContext(
  Effect.acquireRelease(
    Effect.suspend(() => {
      const idle = idleStores.pop()
      return idle === undefined ? openEmbeddedStore : Effect.succeed(idle)
    }),
    (store) => Effect.sync(() => void idleStores.push(store)),
  ).pipe(Effect.tap((store) => Effect.provide(emptyStore, store))),
)

/** A new, migrated schema on the PostgreSQL server at `url`; dropped when its scope closes. */
export const postgresStore = (url: string): Store =>
  Layer.orDie(Layer.provideMerge(migrated, served(url)))

/** Every kind of database to test on, before any migration. */
export const unmigratedStores: ReadonlyArray<{ readonly name: string; readonly layer: Store }> = [
  { name: "embedded", layer: embedded },
  ...testDatabaseUrl === undefined ? [] : [{ name: "postgres", layer: served(testDatabaseUrl) }],
]

/** Every kind of database to test on, migrated. */
export const stores: ReadonlyArray<{ readonly name: string; readonly layer: Store }> = [
  { name: "embedded", layer: embeddedStore },
  ...testDatabaseUrl === undefined
    ? []
    : [{ name: "postgres", layer: postgresStore(testDatabaseUrl) }],
]

type StorePorts = PgClient.PgClient | SqlClient | Scope.Scope
type LawBody<R> = Effect.Effect<void, unknown, R> | Body<R>
type Law<R = never> = (name: string, body: LawBody<R | StorePorts>) => void

const lawEffect = <R>(body: LawBody<R>) => Effect.isEffect(body) ? body : effectOf(body)

/**
 * Registers one test per store, with one step per law. The suite opens each store once, and empties it
 * before every law.
 */
export function onEveryStore(suite: string, state: (law: Law) => void): void {
  const laws: Array<[name: string, body: Effect.Effect<void, unknown, StorePorts>]> = []
  state((name, body) => laws.push([name, lawEffect(body)]))
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

/** The same, with a new `layer` for every law. */
export const onEveryStoreWith = <R>(
  suite: string,
  layer: Layer.Layer<R, unknown, StorePorts>,
  state: (law: Law<R>) => void,
): void =>
  onEveryStore(
    suite,
    (law) => state((name, body) => law(name, Effect.provide(lawEffect(body), layer))),
  )

/**
 * Checks a property on generated values, emptying the store before each; a failure dies with the
 * shrunk value and how to replay it.
 */
export const checkProperty = <A, E, R>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E, R>,
  options: Arbitrary.CheckOptions = {},
): Effect.Effect<void, never, R | SqlClient> =>
  Arbitrary.checkEffect(
    arbitrary,
    (value) => Effect.as(Effect.andThen(emptyStore, Effect.suspend(() => property(value))), true),
    { runs: sized({ short: 8, full: 30 }), ...options },
  ).pipe(Effect.flatMap((result) => {
    const failure = Arbitrary.formatCheckFailure(result)
    return failure === undefined ? Effect.void : Effect.die(failure)
  }))

/**
 * Empties every table except the record of migrations. Triggers forbid this for payments: only a
 * superuser, as tests are and a service is not, can disable them, here for one transaction.
 * An unused table is left alone: truncating all of them takes ten times as long as finding the others.
 */
export const emptyStore = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()
    AND tablename NOT IN ('schema_migration', 'feed_counter')`
  const filled = sql.unsafe<{ name: string }>(
    tables.map(({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM "${name}")`)
      .join(" UNION ALL "),
  )
  // Materialized, because a sequence of another test's schema may be dropped at this moment.
  const counted = sql<{ name: string }>`
    WITH own AS MATERIALIZED (
      SELECT relname, seqrelid FROM pg_sequence
      JOIN pg_depend ON objid = seqrelid AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i')
      JOIN pg_class ON pg_class.oid = refobjid AND relnamespace = current_schema()::regnamespace
    )
    SELECT relname AS name FROM own WHERE pg_sequence_last_value(seqrelid) IS NOT NULL`
  const used = new Set([...yield* filled, ...yield* counted].map(({ name }) => `"${name}"`))
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`SET LOCAL session_replication_role = replica`
    yield* sql`DELETE FROM feed_counter`
    if (used.size > 0) yield* sql.unsafe(`TRUNCATE ${[...used].join()} RESTART IDENTITY CASCADE`)
  }))
  yield* sql`INSERT INTO feed_counter DEFAULT VALUES`
}).pipe(Effect.orDie)
