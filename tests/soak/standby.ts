/**
 * A synchronous standby of a cluster, which takes over its address when the primary is killed.
 *
 * @module
 */
import { Effect, Schedule } from "effect"
import { command, type PostgresCluster, unprivilegedUser } from "../support/postgresCluster.ts"
import { freePort, killAndWait } from "../support/process.ts"

export interface Standby {
  /** Kills the primary, promotes the standby and gives it the primary's address. */
  readonly takeOver: Effect.Effect<void>
}

/** A jump of the clock must not look like a silent peer. */
const settings = [
  "fsync=off",
  "wal_receiver_timeout=0",
  "wal_retrieve_retry_interval=200ms",
  "max_connections=200",
]
const checks = { schedule: Schedule.spaced("50 millis"), times: 400 }

/** Runs until the scope closes. From here on a commit waits for the standby. */
export const startStandby = Effect.fn("startStandby")(function* (
  cluster: PostgresCluster,
  dir: string,
  env: Readonly<Record<string, string>>,
) {
  const user = yield* Effect.promise(unprivilegedUser)
  const data = `${dir}/standby`
  const done = async (name: string, args: ReadonlyArray<string>) => {
    const { success, stderr } = await command(name, args, data, user).output()
    if (!success) throw new Error(`${name}: ${new TextDecoder().decode(stderr)}`)
  }
  yield* Effect.promise(async () => {
    await Deno.mkdir(data, { mode: 0o700 })
    if (user.uid !== undefined) await Deno.chown(data, user.uid, user.gid ?? null)
    await done("pg_basebackup", ["-d", cluster.url, "-D", data, "-R", "-c", "fast"])
  })
  const args = ["-D", data, "-p", String(freePort()), "-h", "127.0.0.1", "-k", ""]
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const options = settings.flatMap((setting) => ["-c", setting])
      const child = command("postgres", [...args, ...options], data, user, env).spawn()
      child.stdout.cancel()
      child.stderr.cancel()
      return child
    }),
    (child) => Effect.promise(() => killAndWait(child, "SIGQUIT")),
  )
  yield* cluster.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  yield* cluster.query("SELECT pg_reload_conf()")
  yield* cluster.query("SELECT sync_state FROM pg_stat_replication").pipe(
    Effect.filterOrFail((rows) => rows[0]?.[0] === "sync"),
    Effect.retry(checks),
    Effect.orDie,
  )
  const standby: Standby = {
    takeOver: Effect.gen(function* () {
      const primary = cluster.pid()
      if (primary !== null) Deno.kill(primary, "SIGKILL")
      yield* Effect.promise(() => killAndWait(server, "SIGINT"))
      yield* cluster.moveTo(data)
      yield* Effect.promise(() => done("pg_ctl", ["promote", "-D", data]))
    }),
  }
  return standby
})
