/**
 * The free bodies that clients poll: feed index, pulse, digest brief, health and track record.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { FreeId, freeRows, VenueMode } from "../../catalog/domain/freeRow.ts"
import { noDigestYet } from "../../catalog/domain/refusal.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import type { PulseMover } from "../../feed/domain/pulse.ts"
import { type EpochMs, isoTime, minute, second } from "../../core/domain/time.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { StoreClock } from "../../core/StoreClock.ts"
import type { Scorecard } from "../../track-record/domain/scorecard.ts"
import { Digest, type LatestDigest } from "../../digest/Digest.ts"
import { Feed, type FeedIndex } from "../../feed/Feed.ts"
import { FeedChain } from "../../feed/FeedChain.ts"
import { type HealthOfPayments, reasonsOf } from "../../payments/domain/paymentHealth.ts"
import { PaymentHealth } from "../../payments/PaymentHealth.ts"
import { VenueRefusals } from "../../markets/VenueClient.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { type Answer, answer, jsonAnswers } from "../server/answer.ts"
import { prepare } from "../server/errors.ts"
import type { RouteResult } from "../server/route.ts"
import { makePolled } from "../server/polled.ts"

/**
 * The feed is read every second, and at once after a tick of this replica. A value may get this old
 * only while the store is slow.
 */
const feedAgeMsMax = 5 * second
const feedComputeTimeout = Duration.seconds(2)
/**
 * The scorecard changes slowly and is computed from many rows, so no request waits for the first
 * one.
 */
const trackRecordAgeMsMax = 15 * second
const trackRecordComputeTimeout = Duration.seconds(10)
/** The daily heads change once a day. */
const feedHeadsEvery = Duration.millis(15 * second)
const feedHeadsAgeMsMax = minute
/** The pulse is recomputed when the index has changed, and at least this often. */
const pulseAgeMsMax = minute

/** The body that the row of a free path declares. */
type Body<Id extends FreeId> = typeof freeRows[Id]["body"]["Type"]

interface SnapshotOptions {
  readonly publicBaseUrl: string
  readonly version: string
  readonly commit: string | null
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
  readonly network: string
}

export interface Snapshot {
  readonly index: () => Answer | null | Promise<Answer | null>
  readonly pulse: () => Answer | null | Promise<Answer | null>
  /** The free part of the newest digest; 404 before the first. */
  readonly digestBrief: () => RouteResult | Promise<RouteResult>
  readonly health: () => Answer | null | Promise<Answer | null>
  readonly trackRecord: () => Answer | null | Promise<Answer | null>
  readonly feedHeads: () => Answer | null | Promise<Answer | null>
  /** The answer of /health while the store does not answer. */
  readonly down: Answer
  /**
   * Recomputes the bodies of the feed; run it after a tick or a digest. Never fails: the old bodies
   * are kept until they are too old.
   */
  readonly refresh: Effect.Effect<void>
}

interface Bodies {
  readonly pulseAt: EpochMs
  readonly state: FeedIndex
  readonly digest: LatestDigest | null
  readonly index: Answer
  readonly pulse: Answer
  readonly digestBrief: RouteResult
  readonly health: Answer
}

/** Computes the bodies at once, then every second until the scope closes. */
export const makeSnapshot = Effect.fnUntraced(function* (options: SnapshotOptions) {
  const { disagreement } = yield* StoreClock
  const feed = yield* makePolled({
    compute: feedBodies(yield* Feed, yield* Digest, yield* PaymentHealth, disagreement, options),
    computeTimeout: feedComputeTimeout,
    ageMsMax: feedAgeMsMax,
    failureMessage: "Cannot read the feed for its free bodies",
  })
  const trackRecord = yield* makePolled({
    compute: trackRecordAnswer(yield* TrackRecord),
    computeTimeout: trackRecordComputeTimeout,
    ageMsMax: trackRecordAgeMsMax,
    failureMessage: "Cannot read the whales for the track record",
  })
  const feedHeads = yield* makePolled({
    compute: feedHeadsAnswer(yield* Feed, yield* FeedChain),
    refreshEvery: feedHeadsEvery,
    computeTimeout: feedComputeTimeout,
    ageMsMax: feedHeadsAgeMsMax,
    failureMessage: "Cannot read the heads of the feed",
  })
  yield* feed.refresh
  yield* Effect.forkScoped(trackRecord.refresh)
  const serve = <Key extends "index" | "pulse" | "digestBrief" | "health">(
    key: Key,
    fallback: Answer | null,
  ) =>
  () => {
    const bodies = feed.current()
    return bodies instanceof Promise
      ? bodies.then((computed) => computed?.[key] ?? fallback)
      : bodies[key]
  }
  const downAnswer = down(options)
  const snapshot: Snapshot = {
    index: serve("index", null),
    pulse: serve("pulse", null),
    digestBrief: serve("digestBrief", null),
    health: serve("health", downAnswer),
    trackRecord: trackRecord.current,
    feedHeads: feedHeads.current,
    down: downAnswer,
    refresh: feed.refresh,
  }
  return snapshot
})

/** The bodies of the feed and its digest. The pulse is recomputed only when it may have changed. */
function feedBodies(
  feed: Feed["Service"],
  digests: Digest["Service"],
  payments: PaymentHealth["Service"],
  disagreement: StoreClock["Service"]["disagreement"],
  options: SnapshotOptions,
): Effect.Effect<Bodies> {
  let previous: Bodies | null = null
  const encode = {
    index: jsonAnswers("polled"),
    pulse: jsonAnswers("polled"),
    digestBrief: jsonAnswers("polled"),
    health: jsonAnswers("polled"),
  }
  let digestFailed = false
  const latest = digests.latest.pipe(
    Effect.map(Option.getOrNull),
    Effect.tap(() => Effect.sync(() => (digestFailed = false))),
    // If the digest cannot be read, only its own fields are null. An outage is logged once.
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.suspend(() => {
          const logged = digestFailed
          digestFailed = true
          return Effect.as(
            logged ? Effect.void : Effect.logWarning("Cannot read the newest digest", cause),
            null,
          )
        }),
    ),
  )
  return Effect.gen(function* () {
    const state = yield* feed.index
    const digest = yield* latest
    const at = yield* Clock.currentTimeMillis
    const unchanged = previous !== null && previous.state.index === state.index &&
        previous.state.status === state.status &&
        previous.state.lastTickAt === state.lastTickAt && at - previous.pulseAt < pulseAgeMsMax &&
        previous.digest?.digest.id === digest?.digest.id
      ? previous
      : null
    previous = {
      pulseAt: unchanged?.pulseAt ?? at,
      state,
      digest,
      index: encode.index(indexBody(state, digest)),
      pulse: unchanged?.pulse ??
        encode.pulse(pulseBody(state, yield* feed.pulse, digest, options)),
      digestBrief: digest !== null
        ? encode.digestBrief(digestBriefBody(digest))
        : digestFailed
        ? digestUnread
        : digestMissing,
      health: encode.health(
        healthBody(
          state,
          digest,
          yield* payments.current,
          { disagreement: yield* disagreement, refused: (yield* VenueRefusals).size > 0 },
          options,
        ),
      ),
    }
    return previous
  })
}

const digestMissing = prepare({
  code: "not_found",
  message: noDigestYet,
  hint: "Poll /v1/index: its `digest` is null until the first one exists.",
})
const digestUnread = prepare({
  code: "not_found",
  message: "The newest digest cannot be read now",
  hint: "Request this again in a minute.",
})

/** The track record, encoded again only when the scorecard changes. */
const trackRecordAnswer = (service: TrackRecord["Service"]): Effect.Effect<Answer> =>
  Effect.map(
    service.scorecard,
    prepared((scorecard: Scorecard) =>
      answer({
        body: JSON.stringify({ success: true, ...scorecard } satisfies Body<"track_record">),
        cache: "polled",
      })
    ),
  )

function feedHeadsAnswer(
  feed: Feed["Service"],
  chain: FeedChain["Service"],
): Effect.Effect<Answer> {
  const encode = jsonAnswers("polled")
  return Effect.map(
    Effect.all([feed.index, chain.dailyHeads]),
    ([{ head }, days]) =>
      encode(
        {
          success: true,
          head,
          days: days.map(({ day, madeAt, ...signed }) => ({
            day: isoTime(day).slice(0, "2026-11-24".length),
            ...signed,
            madeAt: isoTime(madeAt),
          })),
        } satisfies Body<"feed_heads">,
      ),
  )
}

function indexBody(state: FeedIndex, latest: LatestDigest | null): Body<"index"> {
  return {
    success: true,
    status: state.status,
    index: state.index,
    lastUpdated: isoTimeOrNull(state.lastUpdated),
    head: state.head,
    asOf: state.asOf,
    totalToday: feedTypes.reduce((total, type) => total + state.todayByType[type], 0),
    todayByType: state.todayByType,
    feedTypes,
    digest: latest === null
      ? null
      : { latestAt: latest.digest.createdAt, title: latest.digest.title },
  }
}

function pulseBody(
  { status, asOf }: FeedIndex,
  movers: ReadonlyArray<PulseMover>,
  latest: LatestDigest | null,
  { publicBaseUrl }: SnapshotOptions,
): Body<"pulse"> {
  return {
    success: true,
    status,
    asOf: asOf.mover,
    topMovers24h: movers,
    digestTitle: latest?.digest.title ?? null,
    digestAt: latest?.digest.createdAt ?? null,
    _upgrade: {
      fullFeed: `${publicBaseUrl}/v1/signals`,
      digest: `${publicBaseUrl}/v1/digest`,
    },
  }
}

function digestBriefBody(
  { digest: { title, summary, sourcesUsed, createdAt } }: LatestDigest,
): Body<"digest_brief"> {
  return { success: true, data: { title, summary, sourcesUsed, createdAt } }
}

function healthBody(
  state: FeedIndex,
  latest: LatestDigest | null,
  payments: HealthOfPayments,
  { disagreement, refused }: { readonly disagreement: string | null; readonly refused: boolean },
  options: SnapshotOptions,
): Body<"health"> {
  const { status } = state
  const healthy = latest?.stale === false && state.walletsFresh && payments.verdict === "ok" &&
    disagreement === null && !refused
  // A new store: its first read of the wallets takes minutes, and its first digest needs facts.
  const hasWallets = state.asOf.whale_entry !== null
  const isNew = !hasWallets && payments.verdict === "ok" && disagreement === null && !refused
  return {
    success: true,
    status: status !== "live" || healthy ? healthOf[status] : isNew ? "starting" : "degraded",
    version: options.version,
    commit: options.commit,
    paymentMode: options.paymentMode,
    venue: { mode: options.venueMode },
    network: options.network,
    feed: {
      index: state.index,
      lastUpdated: isoTimeOrNull(state.lastUpdated),
      stale: status === "stale",
      asOf: state.asOf,
    },
    digest: { latestAt: latest?.digest.createdAt ?? null, stale: latest?.stale ?? hasWallets },
    checks: {
      store: "ok",
      venue: refused ? "failing" : venueCheckOf[status],
      wallets: state.walletsFresh ? "ok" : hasWallets ? "stale" : "starting",
      payments: payments.verdict,
      clock: disagreement === null ? "ok" : "failing",
    },
    payments: { reasons: reasonsOf(payments) },
  }
}

const healthOf = { live: "live", stale: "degraded", starting: "starting" } as const
const venueCheckOf = { live: "ok", stale: "failing", starting: "starting" } as const

/** The answer of /health while the store does not answer. */
function down(options: SnapshotOptions): Answer {
  return answer({
    status: 503,
    cache: "none",
    headers: [["retry-after", "5"]],
    body: JSON.stringify(downBody({ ...options, venue: { mode: options.venueMode } })),
  })
}

/** The body of /health while the store does not answer. */
function downBody(
  service: Pick<Body<"health">, "version" | "commit" | "paymentMode" | "venue" | "network">,
): Body<"health"> {
  const { version, commit, paymentMode, venue, network } = service
  return {
    success: false,
    status: "down",
    version,
    commit,
    paymentMode,
    venue,
    network,
    feed: { index: null, lastUpdated: null, stale: true, asOf: null },
    digest: { latestAt: null, stale: true },
    checks: {
      store: "failing",
      venue: "unknown",
      wallets: "unknown",
      payments: "unknown",
      clock: "unknown",
    },
    payments: { reasons: ["The store does not answer"] },
  }
}

function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at)
}
