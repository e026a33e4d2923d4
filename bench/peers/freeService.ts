/**
 * The HTTP layer over an in-memory feed, as a process for benchmarks.
 *
 * `LIMITS=off` counts no requests. With `memory` and `postgres` the default limits are counted in
 * memory, or in the PostgreSQL of `DATABASE_URL` as in the service. Listens on `PORT`.
 *
 * @module
 */
import "../../src/core/fiberContext.ts"
import { Duration, Effect, Layer, Redacted } from "effect"
import { layerPostgres } from "../../src/postgres/client.ts"
import * as rateStore from "../../src/postgres/rateLimits.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { layer } from "../../src/http/layer.ts"
import {
  makeWorld,
  serviceOptions,
  servicesOver,
  type World,
} from "../../tests/support/http/httpService.ts"

const limits = Deno.env.get("LIMITS") ?? "off"

const postgresLimits = () => {
  const client = layerPostgres({ url: Redacted.make(Deno.env.get("DATABASE_URL") ?? "") })
  const migrated = Layer.effectDiscard(Effect.flatMap(migrationFiles, migrate))
  return Layer.provide(rateStore.layer(), Layer.provideMerge(migrated, client))
}
const services = (world: World) =>
  limits === "postgres" ? Layer.merge(servicesOver(world), postgresLimits()) : servicesOver(world)

const served = Effect.map(makeWorld(1_000), (world) =>
  layer({
    ...serviceOptions,
    limits: limits === "off"
      ? { free: "off", documents: "off", pages: "off", invalidPayments: "off" }
      : serviceOptions.limits,
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT")),
    drain: Duration.seconds(1),
  }).pipe(Layer.provide(services(world))))

await Effect.runPromise(Effect.scoped(Layer.launch(Layer.unwrap(served))))
