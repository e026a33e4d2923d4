/**
 * The admin listener of the service: liveness, readiness and metrics. It is not public.
 *
 * `/readyz` passes while this replica can do all that it is there for: it is not stopping, its clock
 * agrees with the store's, the store accepts a write within a second, a tick has succeeded once, and
 * the chain can be read. A venue that cannot be read later is no reason: each product that is too old
 * refuses by itself, and payments of earlier calls are still answered.
 * `/readyz/free` leaves the chain out. All replicas lose the chain together, so a load balancer that
 * sends the free paths only where `/readyz` passes would then close them too. The facilitator and
 * the treasury are in `/health` alone: another replica would not do better, and payments that were
 * made before need neither.
 *
 * @module
 */
import { Clock, Duration, Effect, Metric, Option } from "effect"
import { cachedFor } from "../../core/cachedFor.ts"
import { withDeadline } from "../../core/deadline.ts"
import { type ProbeFailure, type ProbeListenOptions, serveProbes } from "../../core/probes.ts"
import { StoreClock } from "../../core/StoreClock.ts"
import { StoreProbe } from "../../core/StoreProbe.ts"
import { Feed, type FeedIndex } from "../../feed/Feed.ts"
import { PaymentHealth } from "../../payments/PaymentHealth.ts"

/** The service is ready only when the store answers, and accepts a write, within this time. */
const storeTimeout = Duration.seconds(1)
/** However often a scrape comes, the tables are measured at most this often. */
const tablesEvery = Duration.minutes(1)
/** However often the probes are called, the store is written at most this often. */
const writeEvery = Duration.seconds(1)

const feedIndex = Metric.gauge("feed_index", { description: "The newest feed index" })
const tickAge = Metric.gauge("last_good_tick_age_seconds", {
  description: "Age of the last good tick",
})
const storeUp = Metric.gauge("store_up", {
  description: "1 when the store answered this scrape in time",
})
const storeWritable = Metric.gauge("store_writable", {
  description: "1 when the store accepted a write in time, at this scrape or less than 1 s before",
})

const tableBytes = Metric.gauge("table_bytes", {
  description: "Size of a table of the store with its indexes, by table",
})
const tableRows = Metric.gauge("table_rows", {
  description: "Rows of a table of the store, as the database estimates them, by table",
})

interface AdminOptions extends ProbeListenOptions {
  /** True once the process has received a stop signal. */
  readonly draining: Effect.Effect<boolean>
}

/** Serves /livez, /readyz, /readyz/free and /metrics until the scope closes. Returns the address. */
export const serveAdmin = Effect.fnUntraced(function* serveAdmin(options: AdminOptions) {
  const feed = yield* Feed
  const payments = yield* PaymentHealth
  const write = yield* writeProbe
  const { disagreement } = yield* StoreClock
  const free = readiness(feed, write, disagreement, options.draining)
  const all = Effect.flatMap(
    free,
    (failure): Effect.Effect<ProbeFailure> =>
      failure !== null
        ? Effect.succeed(failure)
        : Effect.map(payments.current, ({ parts }) => parts.chain.reason),
  )
  return yield* serveProbes({
    ...options,
    probes: { "/readyz": all, "/readyz/free": free },
    updateGauges: Effect.all([
      updateGauges(feed, write),
      payments.updateGauges,
      yield* measureTables,
    ], { discard: true }),
  })
})

/** Whether the store accepts a write; all probes within a second share one. */
const writeProbe = Effect.gen(function* () {
  const { write } = yield* StoreProbe
  const attempt = withDeadline(storeTimeout)(write).pipe(
    Effect.map((done): ProbeFailure =>
      Option.isSome(done) ? null : "the store does not accept a write in time"
    ),
    Effect.catch(({ reason }) => Effect.succeed<ProbeFailure>(reason)),
  )
  const [cached] = yield* cachedFor(attempt, writeEvery)
  return cached
})

/** Measures the tables. A failed measurement leaves the gauges as they are; the next scrape retries. */
const measureTables = Effect.gen(function* () {
  const { tableSizes } = yield* StoreProbe
  const measure = Effect.gen(function* () {
    const sizes = yield* withDeadline(storeTimeout)(tableSizes)
    if (Option.isNone(sizes)) return yield* Effect.die("the store does not answer in time")
    for (const { table, rows, bytes } of sizes.value) {
      yield* Metric.update(Metric.withAttributes(tableRows, { table }), rows)
      yield* Metric.update(Metric.withAttributes(tableBytes, { table }), bytes)
    }
  })
  const [cached] = yield* cachedFor(measure, tablesEvery)
  return Effect.catchCause(cached, (cause) => Effect.logWarning("Cannot measure tables", cause))
})

const readiness = (
  feed: Feed["Service"],
  write: Effect.Effect<ProbeFailure>,
  disagreement: Effect.Effect<ProbeFailure>,
  draining: Effect.Effect<boolean>,
): Effect.Effect<ProbeFailure> =>
  Effect.gen(function* () {
    if (yield* draining) return "the process is stopping"
    const clocks = yield* disagreement
    if (clocks !== null) return clocks
    const index = yield* readIndex(feed)
    if (Option.isNone(index)) return "the store does not answer"
    const refused = yield* write
    if (refused !== null) return refused
    return index.value.status === "starting"
      ? "the service is starting: no tick has succeeded yet"
      : null
  })

/** The feed index; none when the store fails or does not answer in time. */
const readIndex = (feed: Feed["Service"]): Effect.Effect<Option.Option<FeedIndex>> =>
  Effect.catchCause(withDeadline(storeTimeout)(feed.index), () => Effect.succeedNone)

/**
 * Sets the gauges of a scrape. A value that cannot be read now is NaN: an old value would look like
 * a feed that does not move.
 */
const updateGauges = (feed: Feed["Service"], write: Effect.Effect<ProbeFailure>) =>
  Effect.gen(function* () {
    const index = yield* readIndex(feed)
    const now = yield* Clock.currentTimeMillis
    const lastTickAt = Option.isSome(index) ? index.value.lastTickAt : null
    yield* Metric.update(storeUp, Option.isSome(index) ? 1 : 0)
    yield* Metric.update(storeWritable, (yield* write) === null ? 1 : 0)
    yield* Metric.update(feedIndex, Option.isSome(index) ? index.value.index : NaN)
    yield* Metric.update(tickAge, lastTickAt === null ? NaN : (now - lastTickAt) / 1_000)
  })
