/**
 * The drill of a mistake: someone drops a table, and the store is restored to a moment before it, from
 * a base backup and the archived WAL.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import {
  makePostgresFolder,
  type PostgresCluster,
  runPostgres,
} from "../../support/postgresCluster.ts"
import { type Drill, printGap, restoreJournals, runTask, sellFor, timed } from "./drill.ts"

export const pitr = Effect.fnUntraced(function* (drill: Drill) {
  const base = `${drill.dir}/base`
  yield* makePostgresFolder(base)
  yield* timed(
    drill,
    "pg_basebackup under traffic",
    runPostgres("pg_basebackup", ["-c", "fast", "-D", base, "-d", drill.cluster().url]),
  )
  yield* sellFor(drill, drill.seconds)
  const [[moment = ""] = []] = yield* drill.cluster().query("SELECT clock_timestamp()")
  yield* drill.say(`the moment: ${moment}`)
  yield* sellFor(drill, drill.seconds)

  const failedMs = yield* Clock.currentTimeMillis
  yield* drill.cluster().query("DROP TABLE payment_event CASCADE")
  yield* drill.say("a table is dropped by mistake")
  yield* timed(drill, "restore in all", restoreTo(drill, base, moment))
  yield* printGap(drill, failedMs)
  yield* sellFor(drill, drill.seconds)
})

/** The steps of docs/operations.md. */
const restoreTo = Effect.fnUntraced(function* (drill: Drill, base: string, moment: string) {
  yield* timed(drill, "replicas and refund workers stopped", drill.stopAll)
  yield* timed(drill, "the last WAL archived", archived(drill.cluster()))
  yield* drill.cluster().destroy
  const cluster = yield* timed(
    drill,
    "base backup copied, WAL replayed",
    drill.newCluster({
      fill: (data) =>
        Effect.andThen(
          Effect.promise(() =>
            new Deno.Command("cp", { args: ["-a", `${base}/.`, data] }).output()
          ),
          Effect.promise(() => Deno.writeTextFile(`${data}/recovery.signal`, "")),
        ),
      settings: {
        restore_command: `cp ${drill.archive}/%f %p`,
        recovery_target_time: moment,
        recovery_target_action: "promote",
        // It accepts connections once it has reached the moment.
        hot_standby: "off",
      },
    }),
  )
  yield* runTask(drill, cluster, ["migrate"])
  yield* restoreJournals(drill, cluster)
  yield* drill.switchTo(cluster)
  yield* timed(drill, "refund workers and replicas started", drill.startAll)
})

/** The archive has whole segments only, so the current one is ended. */
const archived = Effect.fnUntraced(function* (cluster: PostgresCluster) {
  const [[segment = ""] = []] = yield* cluster.query("SELECT pg_walfile_name(pg_switch_wal())")
  yield* cluster.query("SELECT last_archived_wal FROM pg_stat_archiver").pipe(
    Effect.delay("100 millis"),
    Effect.repeat({ until: ([[last = ""] = []]) => last >= segment }),
    Effect.timeout("30 seconds"),
  )
})
