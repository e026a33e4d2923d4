/**
 * The free bodies that are polled: computed once a second, kept as bytes.
 *
 * A request never computes them, unless the last computation is older than `ageMsMax`; then it waits
 * for a new one, and one computation serves all who wait.
 *
 * @module
 */
import { type Cause, Clock, Duration, Effect, Option } from "effect"
import { feedTypes } from "../domain/feed.ts"
import type { PulseMover } from "../domain/pulse.ts"
import { type EpochMs, isoTime, minute, second } from "../domain/time.ts"
import { Feed, type FeedIndex } from "../services/Feed.ts"
import { within } from "../services/within.ts"
import { type Answer, answer } from "./answer.ts"
import type { VenueMode } from "./bodies.ts"

/** How often the bodies are computed. */
export const refreshEvery = Duration.seconds(1)
/** Nothing older than this is served: it is computed anew first. */
export const ageMsMax = 3 * second
/** A computation that takes longer has failed. */
const computeFor = Duration.seconds(2)
/** The pulse is read again when the index has moved, and at least this often. */
const pulseAgeMsMax = minute

export interface SnapshotOptions {
  readonly publicBaseUrl: string
  readonly version: string
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
  readonly network: string
}

export interface Snapshot {
  readonly index: () => Answer | null | Promise<Answer | null>
  readonly pulse: () => Answer | null | Promise<Answer | null>
  readonly health: () => Answer | null | Promise<Answer | null>
  /** What /health says while the store does not answer. */
  readonly down: Answer
  /** Computes now: for right after a tick. Never fails; the old bodies stay until they are too old. */
  readonly refresh: Effect.Effect<void>
}

interface Bodies {
  readonly at: EpochMs
  readonly pulseAt: EpochMs
  readonly state: FeedIndex
  readonly movers: ReadonlyArray<PulseMover>
  readonly index: Answer
  readonly pulse: Answer
  readonly health: Answer
}

/** Computes the bodies at once and then every second, for as long as the scope lives. */
export const makeSnapshot = Effect.fnUntraced(function* (options: SnapshotOptions) {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let bodies: Bodies | null = null
  let failing = false
  let computing: Promise<Bodies | null> | null = null

  const compute = Effect.gen(function* () {
    const before = bodies
    const state = yield* feed.index
    const at = clock.currentTimeMillisUnsafe()
    const same = before !== null && before.state.index === state.index &&
      before.state.status === state.status && at - before.pulseAt < pulseAgeMsMax
    const movers = same ? before.movers : yield* feed.pulse
    bodies = {
      at,
      pulseAt: same ? before.pulseAt : at,
      state,
      movers,
      index: polled(indexBody(state)),
      pulse: same ? before.pulse : polled(pulseBody(state, movers, options)),
      health: polled(healthBody(state, options)),
    }
    return bodies
  })
  // An outage is told once, not once a second.
  const complain = (cause: Cause.Cause<never>) =>
    failing ? Effect.void : Effect.logWarning("Cannot read the feed for its free bodies", cause)
  const refresh = compute.pipe(
    within(computeFor),
    Effect.map(Option.getOrNull),
    Effect.catchCause((cause) => Effect.as(complain(cause), null)),
    Effect.tap((made) =>
      Effect.sync(() => {
        failing = made === null
      })
    ),
  )
  yield* refresh
  yield* Effect.forkScoped(Effect.forever(Effect.delay(refresh, refreshEvery)))

  const computeOnce = (): Promise<Bodies | null> =>
    computing ??= run(refresh).finally(() => {
      computing = null
    })
  const fresh = (): Bodies | null =>
    bodies !== null && clock.currentTimeMillisUnsafe() - bodies.at <= ageMsMax ? bodies : null
  const serve = (key: "index" | "pulse" | "health", otherwise: Answer | null) => () => {
    const ready = fresh()
    return ready === null ? computeOnce().then((made) => made?.[key] ?? otherwise) : ready[key]
  }

  const downAnswer = down(options)
  const snapshot: Snapshot = {
    index: serve("index", null),
    pulse: serve("pulse", null),
    health: serve("health", downAnswer),
    down: downAnswer,
    refresh: Effect.asVoid(refresh),
  }
  return snapshot
})

const polled = (body: unknown) => answer({ body: JSON.stringify(body), cache: "polled" })

function indexBody(state: FeedIndex) {
  return {
    success: true,
    status: state.status,
    index: state.index,
    lastUpdated: isoTimeOrNull(state.lastUpdated),
    totalToday: feedTypes.reduce((total, type) => total + state.todayByType[type], 0),
    todayByType: state.todayByType,
    feedTypes,
    digest: null,
  }
}

function pulseBody(
  { status }: FeedIndex,
  movers: ReadonlyArray<PulseMover>,
  { publicBaseUrl }: SnapshotOptions,
) {
  return {
    success: true,
    status,
    topMovers24h: movers,
    digestTitle: null,
    digestAt: null,
    _upgrade: {
      fullFeed: `${publicBaseUrl}/v1/signals`,
      digest: `${publicBaseUrl}/v1/digest`,
    },
  }
}

function healthBody(state: FeedIndex, options: SnapshotOptions) {
  const stale = state.status === "stale"
  return {
    success: true,
    status: stale ? "degraded" : "live",
    version: options.version,
    paymentMode: options.paymentMode,
    venue: { mode: options.venueMode },
    network: options.network,
    feed: { index: state.index, lastUpdated: isoTimeOrNull(state.lastUpdated), stale },
    digest: { latestAt: null, stale: false },
    checks: { store: "ok", venue: stale ? "failing" : "ok", payments: "ok" },
  }
}

/** What /health says when the store does not answer. */
function down(options: SnapshotOptions): Answer {
  return answer({
    status: 503,
    cache: "none",
    headers: [["retry-after", "5"]],
    body: JSON.stringify({
      success: false,
      status: "down",
      version: options.version,
      paymentMode: options.paymentMode,
      venue: { mode: options.venueMode },
      network: options.network,
      feed: { index: null, lastUpdated: null, stale: true },
      digest: { latestAt: null, stale: false },
      checks: { store: "failing", venue: "unknown", payments: "unknown" },
    }),
  })
}

function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at)
}
