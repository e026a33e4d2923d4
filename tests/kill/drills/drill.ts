/**
 * What the drills share: three replicas behind nginx and two refund workers, all on one PostgreSQL
 * that they reach through a proxy, so that another one can take its place; and paying clients.
 *
 * @module
 */
import { Clock, Console, Effect } from "effect"
import { startNginx } from "../../support/nginx.ts"
import {
  makePostgresFolder,
  type PostgresCluster,
  startPostgresCluster,
} from "../../support/postgresCluster.ts"
import { proxyTo } from "../../support/proxy.ts"
import type { ClientContext } from "../client.ts"
import type { Scenario } from "../transcript.ts"
import {
  type Environment,
  type EnvironmentOptions,
  type EnvironmentSize,
  startEnvironment,
} from "../environment.ts"

/** A running drill. */
export type Drill = Effect.Success<ReturnType<typeof startDrill>>

/** How long clients buy before, between and after the steps of a drill. */
export interface DrillOptions extends EnvironmentSize, Omit<EnvironmentOptions, "cluster"> {
  readonly seconds: number
  readonly scenario?: Scenario | undefined
}

const root = new URL("../../..", import.meta.url)
/** WAL is archived at least this often, as a point in time can only be reached in archived WAL. */
const archiveSeconds = 5

/** Starts all processes. The clients of `context` buy from nginx. */
export const startDrill = Effect.fnUntraced(function* (dir: string, options: DrillOptions) {
  const startMs = yield* Clock.currentTimeMillis
  const archive = `${dir}/archive`
  yield* makePostgresFolder(archive)
  let clusters = 0
  /** Starts a cluster in a folder of its own. */
  const newCluster = Effect.fnUntraced(
    function* (cluster: Parameters<typeof startPostgresCluster>[1] = {}) {
      const folder = `${dir}/postgres-${++clusters}`
      yield* Effect.promise(async () => {
        await Deno.mkdir(folder)
        await Deno.chmod(folder, 0o755)
      })
      return yield* startPostgresCluster(folder, cluster)
    },
  )
  const first = yield* newCluster({
    settings: {
      archive_mode: "on",
      archive_command: `cp %p ${archive}/%f`,
      archive_timeout: String(archiveSeconds),
    },
  })
  const proxy = yield* proxyTo({ hostname: "127.0.0.1", port: first.port })
  const environment: Environment = yield* startEnvironment(dir, options, {
    ...options,
    cluster: first,
    databaseUrl: first.url.replace(String(first.port), String(proxy.port)),
  })
  const ports = environment.bases.map((base) => Number(new URL(base).port))
  const nginx = yield* startNginx(ports)
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const port of ports) await Deno.remove(journalOf(port), { recursive: true })
    }).pipe(Effect.ignoreCause)
  )
  const context: ClientContext = {
    ...environment,
    bases: [nginx.origin],
    transcripts: [],
    scenario: options.scenario,
  }
  let cluster = first
  const say = (text: string) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => Console.log(`${((now - startMs) / 1_000).toFixed(1).padStart(6)} s  ${text}`),
    )
  const { replicas, workers } = environment
  return {
    ...{ dir, archive, environment, context, nginx, ports, seconds: options.seconds, say },
    newCluster,
    /** What failed, apart from the reconciliation. */
    faults: [] as Array<string>,
    /** The cluster that the proxy leads to. */
    cluster: () => cluster,
    /** Leads all connections to another cluster. */
    switchTo: (next: PostgresCluster) =>
      Effect.andThen(
        Effect.sync(() => cluster = next),
        proxy.switchTo({ hostname: "127.0.0.1", port: next.port }),
      ),
    stopAll: Effect.forEach([...replicas, ...workers], ({ stop }) => stop, {
      concurrency: "unbounded",
    }),
    startAll: Effect.forEach([...workers, ...replicas], ({ start }) => start(), {
      concurrency: "unbounded",
    }),
  }
})

/** Clients buy for a while. */
export const sellFor = (drill: Drill, seconds: number) =>
  Effect.gen(function* () {
    const before = salesOf(drill).length
    yield* Effect.sleep(seconds * 1_000)
    yield* drill.say(`${salesOf(drill).length - before} sales in ${seconds} s`)
  })

/** Runs an effect and prints how long it took, in seconds. */
export const timed = <A, E, R>(drill: Drill, what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const result = yield* effect
    const seconds = ((yield* Clock.currentTimeMillis) - startMs) / 1_000
    yield* drill.say(`${what}: ${seconds.toFixed(2)} s`)
    return result
  })

/** The times of all answers that were bought, ascending. */
export function salesOf({ context }: Drill): ReadonlyArray<number> {
  return context.transcripts.flatMap(({ exchanges }) =>
    exchanges.filter(({ status, charged, by }) =>
      status === 200 && charged === true && by === "buyer"
    )
      .map(({ atMs }) => atMs)
  ).toSorted((a, b) => a - b)
}

const salePolls = "100 millis"
const saleTimeout = "90 seconds"

/** Waits for the first sale after a failure, and prints the time from the last one before it. */
export const printGap = (drill: Drill, failedMs: number) =>
  Effect.gen(function* () {
    const next = () => salesOf(drill).find((atMs) => atMs > resumedMs)
    // Answers that were on their way may still arrive, so the gap is the longest one.
    const resumedMs = yield* Clock.currentTimeMillis
    yield* Effect.sleep(salePolls).pipe(
      Effect.repeat({ until: () => next() !== undefined }),
      Effect.timeout(saleTimeout),
    )
    const times = salesOf(drill)
    const pauses = times.flatMap((atMs, n) =>
      atMs > failedMs ? [{ atMs, ms: atMs - (times[n - 1] ?? failedMs) }] : []
    )
    const longest = pauses.toSorted((a, b) => b.ms - a.ms)[0]
    yield* drill.say(
      `from the last good sale to the first good one: ${((longest?.ms ?? 0) / 1_000).toFixed(2)} s`,
    )
  })

/** Runs a task of the project as its operator does, on a cluster; prints and returns its output. */
export const runTask = (
  drill: Drill,
  cluster: PostgresCluster,
  args: ReadonlyArray<string>,
  from = root,
) =>
  timed(
    drill,
    `deno task ${args[0]}`,
    Effect.promise(async () => {
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["task", "--quiet", ...args],
        cwd: from,
        env: { DATABASE_URL: cluster.url, NO_COLOR: "1" },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).output()
      const text = new TextDecoder().decode(stdout)
      if (!success) throw new Error(`${args[0]}: ${text}${new TextDecoder().decode(stderr)}`)
      return text.trim()
    }),
  ).pipe(Effect.tap(drill.say))

/** `deno task restore` with the delivery journals of all replicas. */
export const restoreJournals = (drill: Drill, cluster: PostgresCluster) =>
  runTask(drill, cluster, [
    "restore",
    ...drill.ports.flatMap((port) => ["--journal", journalOf(port).pathname]),
  ])

/** The folder of a replica's delivery journal. */
const journalOf = (port: number) => new URL(`.data/handed-over-${port}`, root)
