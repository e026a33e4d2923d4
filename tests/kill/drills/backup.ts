/**
 * The drill of a lost disk: a dump is taken under traffic, sales continue, PostgreSQL and its data are
 * destroyed, and the dump is restored into a new cluster.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { makePostgresFolder, runPostgres } from "../../support/postgresCluster.ts"
import { type Drill, printGap, restoreJournals, runTask, sellFor, timed } from "./drill.ts"

const megabyte = 1_048_576

export const backup = Effect.fnUntraced(function* (drill: Drill) {
  const folder = `${drill.dir}/dump`
  const file = `${folder}/store`
  yield* makePostgresFolder(folder)
  yield* sellFor(drill, drill.seconds)
  yield* timed(
    drill,
    "pg_dump under traffic",
    runPostgres("pg_dump", ["-Fc", "-f", file, drill.cluster().url]),
  )
  const { size } = yield* Effect.promise(() => Deno.stat(file))
  yield* drill.say(`the dump has ${(size / megabyte).toFixed(1)} MB`)
  yield* sellFor(drill, drill.seconds)

  const failedMs = yield* Clock.currentTimeMillis
  yield* drill.cluster().destroy
  yield* drill.say("PostgreSQL killed, its data deleted")
  const restored = timed(drill, "restore in all", restoreDump(drill, file))
  yield* restored
  yield* printGap(drill, failedMs)
  yield* sellFor(drill, drill.seconds)
})

/** The steps of docs/operations.md. */
const restoreDump = Effect.fnUntraced(function* (drill: Drill, file: string) {
  yield* timed(drill, "replicas and refund workers stopped", drill.stopAll)
  const cluster = yield* drill.newCluster()
  yield* timed(
    drill,
    "pg_restore",
    runPostgres("pg_restore", ["-d", cluster.url, "--no-owner", "--no-acl", "-e", file]),
  )
  yield* runTask(drill, cluster, ["migrate"])
  yield* restoreJournals(drill, cluster)
  yield* drill.switchTo(cluster)
  yield* timed(drill, "refund workers and replicas started", drill.startAll)
})
