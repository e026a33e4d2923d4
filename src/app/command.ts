/**
 * Runs an operator's command. Each loads what only it needs.
 *
 * @module
 */
import { Console, Effect, Layer, type Redacted } from "effect"
import { layerPostgres } from "../postgres/client.ts"
import { grantRoles, migrate, migrationFiles, roles } from "../postgres/migrate.ts"
import type { Command } from "./arguments.ts"
import { runReview } from "./refundReview.ts"
import { loadMigration, loadService } from "./settings.ts"
import type { GetVariable } from "./variables.ts"

/** The exit code of a command that is not one of the launcher's own. */
export const runCommand = Effect.fnUntraced(function* (command: Command, get: GetVariable) {
  switch (command.kind) {
    case "check": {
      const { check, printCheck } = yield* Effect.promise(() => import("./check.ts"))
      return yield* Effect.flatMap(check(loadService("start", get)), printCheck)
    }
    case "migrate":
      yield* migrateStore((yield* loadMigration(get)).databaseUrl)
      return 0
    case "restore": {
      const { restore } = yield* Effect.promise(() => import("./restore.ts"))
      yield* restore(command, get)
      return 0
    }
    case "refunds:list":
    case "refunds:requeue":
    case "refunds:settle": {
      const { databaseUrl: url } = yield* loadMigration(get)
      const store = layerPostgres({ url, maxConnections: 1 })
      yield* Console.log(yield* Effect.provide(runReview(command), Layer.fresh(store)))
      return 0
    }
    default:
      return yield* Effect.die(`${command.kind} has a process of its own`)
  }
})

/**
 * Applies pending migrations and grants each role its rights, as the owner of the tables, before a new
 * version of the service starts. A service whose login owns the tables applies the migrations itself.
 */
const migrateStore = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const applied = yield* Effect.flatMap(migrationFiles, migrate).pipe(
    Effect.tap(() => grantRoles),
    Effect.provide(Layer.fresh(layerPostgres({ url, maxConnections: 1 }))),
  )
  yield* Console.log(
    applied.length === 0 ? "The schema is up to date" : `Applied ${applied.join(", ")}`,
  )
  yield* Console.log(
    `Rights granted. Next: GRANT ${roles.service} TO the service's login, and ` +
      `GRANT ${roles.refund} TO the refund worker's`,
  )
})
