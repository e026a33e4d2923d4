/**
 * The drill of a lost primary: a standby streams from it, the primary is killed under traffic, a
 * watchdog notices, promotes the standby, and leads the connections to it.
 *
 * A synchronous standby has every commit. An asynchronous one may lack the last of them: in the drill
 * its replication stops two seconds before the primary does. Then the delivery journals say which
 * answers were delivered, as after a restore.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type PostgresCluster, runPostgres } from "../../support/postgresCluster.ts"
import { proxyTo } from "../../support/proxy.ts"
import { type Drill, printGap, restoreJournals, sellFor, timed } from "./drill.ts"

/** The watchdog asks this often, and promotes after this many failures in a row. */
const watchInterval = "500 millis"
const failuresMax = 3
/** How far an asynchronous standby is behind when its primary is killed. */
const lag = "2 seconds"

export const standby = Effect.fnUntraced(function* (drill: Drill) {
  yield* failOver(drill, "synchronous")
  yield* failOver(drill, "asynchronous")
})

const failOver = Effect.fnUntraced(
  function* (drill: Drill, mode: "synchronous" | "asynchronous") {
    const primary = drill.cluster()
    const replication = yield* proxyTo({ hostname: "127.0.0.1", port: primary.port })
    const copied = primary.url.replace(String(primary.port), String(replication.port))
    const replica = yield* timed(
      drill,
      `${mode} standby copied and started`,
      drill.newCluster({
        fill: (data) =>
          Effect.asVoid(
            runPostgres("pg_basebackup", ["-R", "-c", "fast", "-D", data, "-d", copied]),
          ),
      }),
    )
    if (mode === "synchronous") yield* waitForStandby(primary)
    yield* sellFor(drill, drill.seconds)
    if (mode === "asynchronous") {
      yield* replication.stall
      yield* Effect.sleep(lag)
    }
    const failedMs = yield* Clock.currentTimeMillis
    yield* primary.destroy
    yield* drill.say(`the primary killed; its standby is ${mode}`)
    yield* timed(drill, "noticed", unreachable(primary))
    yield* timed(drill, "promoted", replica.query("SELECT pg_promote()"))
    yield* replication.resume
    if (mode === "asynchronous") yield* restoreJournals(drill, replica)
    yield* drill.switchTo(replica)
    yield* printGap(drill, failedMs)
    yield* sellFor(drill, drill.seconds)
  },
)

/** From now on a commit waits until the standby has it on its disk. */
const waitForStandby = Effect.fnUntraced(function* (primary: PostgresCluster) {
  yield* primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  yield* primary.query("SELECT pg_reload_conf()")
  yield* primary.query("SELECT sync_state FROM pg_stat_replication").pipe(
    Effect.repeat({ until: ([row]) => row?.[0] === "sync" }),
    Effect.timeout("20 seconds"),
    Effect.orDie,
  )
})

/** Waits until a server has not accepted connections several times in a row. */
const unreachable = Effect.fnUntraced(function* ({ port }: PostgresCluster) {
  for (let failures = 0; failures < failuresMax;) {
    yield* Effect.sleep(watchInterval)
    const isReachable = yield* Effect.promise(async () => {
      try {
        ;(await Deno.connect({ hostname: "127.0.0.1", port })).close()
        return true
      } catch {
        return false
      }
    })
    failures = isReachable ? 0 : failures + 1
  }
})
