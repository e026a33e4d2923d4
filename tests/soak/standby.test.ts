/**
 * The failover of a soak loses no committed row.
 *
 * @module
 */
import { Effect } from "effect"
import { deepStrictEqual as equal } from "node:assert/strict"
import { hasPostgres, startPostgresCluster } from "../support/postgresCluster.ts"
import { removeFolder } from "../support/process.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { startStandby } from "./standby.ts"

const name = "takeOver() keeps every committed row, and the address accepts writes"
if (!hasPostgres) registerSkipped(name, "no PostgreSQL; apt-get install postgresql")
else {
  Deno.test(name, async () => {
    const dir = await Deno.makeTempDir()
    await Deno.chmod(dir, 0o755)
    const counts = await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
      const cluster = yield* startPostgresCluster(dir)
      yield* cluster.query("CREATE TABLE number (n int)")
      const standby = yield* startStandby(cluster, dir, {})
      yield* cluster.query("INSERT INTO number SELECT generate_series(1, 1000)")
      yield* standby.takeOver
      yield* cluster.query("INSERT INTO number VALUES (1001)")
      return yield* cluster.query("SELECT count(*), pg_is_in_recovery() FROM number")
    })))
    equal(counts, [["1001", "f"]])
    await Effect.runPromise(removeFolder(dir))
  })
}
