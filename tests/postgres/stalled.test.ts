/**
 * A PostgreSQL server that stops answering while its connections stay open.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Clock, Context, Duration, Effect, Layer, Redacted, References } from "effect"
import { layerPostgres } from "../../src/postgres/client.ts"
import { layer, takeTimeout } from "../../src/postgres/rateLimits.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { minute } from "../../src/core/domain/time.ts"
import { RateLimits } from "../../src/core/RateLimits.ts"
import { proxyTo } from "../support/proxy.ts"
import { freshSchema } from "../support/stores.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
/** How late a timer may be on a busy machine. */
const lateMsMax = 1_000

/** A real server's limits, through a proxy that can stall. */
const limitsThroughProxy = Effect.gen(function* () {
  const schema = new URL(Redacted.value(yield* freshSchema(testDatabaseUrl ?? "")))
  const proxy = yield* proxyTo({ hostname: schema.hostname, port: Number(schema.port || 5432) })
  const through = new URL(schema)
  through.hostname = "127.0.0.1"
  through.port = String(proxy.port)
  const store = layerPostgres({ url: Redacted.make(through.href) })
  const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))
  const limits = layer().pipe(Layer.provide(migrated), Layer.provide(store))
  return { proxy, limits: Context.get(yield* Layer.build(limits), RateLimits) }
})

Deno.test({
  // Only a server has connections that can stall.
  name: "take() fails within its timeout while the server stalls, and works again afterwards" +
    (testDatabaseUrl === undefined ? " (skipped: set TEST_DATABASE_URL)" : ""),
  ignore: testDatabaseUrl === undefined,
  fn: () =>
    Effect.gen(function* () {
      const { proxy, limits } = yield* limitsThroughProxy
      const policy = { name: "free", limit: 50, windowMs: minute }
      const take = limits.take(policy, "192.0.2.1")
      assert.equal((yield* take).remaining, 49)
      yield* proxy.stall
      const before = yield* Clock.currentTimeMillis
      const failures = yield* Effect.forEach([1, 2, 3], () => Effect.flip(take), {
        concurrency: "unbounded",
      })
      const waitedMs = (yield* Clock.currentTimeMillis) - before
      assert.deepEqual(
        failures.map(({ _tag }) => _tag),
        Array(3).fill("RateLimitUnavailable"),
      )
      assert.ok(waitedMs < Duration.toMillis(takeTimeout) + lateMsMax, `${waitedMs} ms`)
      yield* proxy.resume
      assert.equal((yield* take).granted, true)
    }).pipe(
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.runPromise,
    ),
})
