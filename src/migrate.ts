/**
 * Applies pending migrations and grants each role its rights, as the owner of the tables.
 *
 * Run it before a new version of the service starts. A service whose login owns the tables applies
 * the migrations itself.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { layerPostgres } from "./postgres/client.ts"
import { migrate, migrationFiles } from "./postgres/migrate.ts"
import { grantRoles, roles } from "./postgres/roles.ts"
import { stopReason } from "./app/console.ts"
import { loadMigration } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const { databaseUrl } = yield* loadMigration((name) => Deno.env.get(name))
  const applied = yield* Effect.flatMap(migrationFiles, migrate).pipe(
    Effect.tap(() => grantRoles),
    Effect.provide(Layer.fresh(layerPostgres({ url: databaseUrl, maxConnections: 1 }))),
  )
  yield* Console.log(
    applied.length === 0 ? "The schema is up to date" : `Applied ${applied.join(", ")}`,
  )
  yield* Console.log(
    `Rights granted. Next: GRANT ${roles.service} TO the service's login, and ` +
      `GRANT ${roles.refund} TO the refund worker's`,
  )
}).pipe(Effect.scoped)

const exit = await untilSignal(program)
if (Exit.isFailure(exit)) {
  await Effect.runPromise(
    Console.error(Cause.hasInterruptsOnly(exit.cause) ? "" : stopReason(exit.cause)),
  )
}
Deno.exit(Exit.isSuccess(exit) ? 0 : 1)
