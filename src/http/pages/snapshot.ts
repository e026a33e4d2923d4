/**
 * The free bodies that are polled: where the feed stands, its strongest moves, what the newest digest
 * is about, the health of it all, and the track record of the whales.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { FreeId, freeRows, VenueMode } from "../../catalog/domain/freeRow.ts"
import { noDigestYet } from "../../catalog/domain/refusal.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import type { PulseMover } from "../../feed/domain/pulse.ts"
import { type EpochMs, isoTime, minute, second } from "../../core/domain/time.ts"
import type { Scorecard } from "../../track-record/domain/scorecard.ts"
import { Digest, type LatestDigest } from "../../digest/Digest.ts"
import { Feed, type FeedIndex } from "../../feed/Feed.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { type Answer, answer } from "../server/answer.ts"
import { prepare } from "../server/errors.ts"
import type { RouteResult } from "../server/edge.ts"
import { makePolled } from "../server/polled.ts"

/** The feed moves with every tick, and is asked for at once. */
const ageMsMax = 3 * second
const feedComputedFor = Duration.seconds(2)
/** The whales move slowly, and a new scorecard is read from many rows: nobody waits for it. */
const trackRecordAgeMsMax = 15 * second
const trackRecordComputedFor = Duration.seconds(10)
/** The pulse is read again when the index has moved, and at least this often. */
const pulseAgeMsMax = minute

/** What the row of a free path says its body is. */
type Body<Id extends FreeId> = typeof freeRows[Id]["body"]["Type"]

interface SnapshotOptions {
  readonly publicBaseUrl: string
  readonly version: string
  readonly paymentMode: "live" | "simulated"
  readonly venueMode: VenueMode
  readonly network: string
}

export interface Snapshot {
  readonly index: () => Answer | null | Promise<Answer | null>
  readonly pulse: () => Answer | null | Promise<Answer | null>
  /** The free part of the newest digest; not found before the first. */
  readonly digestBrief: () => RouteResult | Promise<RouteResult>
  readonly health: () => Answer | null | Promise<Answer | null>
  readonly trackRecord: () => Answer | null | Promise<Answer | null>
  /** What /health says while the store does not answer. */
  readonly down: Answer
  /**
   * Computes the bodies of the feed now: for right after a tick, or a digest. Never fails; the old ones stay until
   * they are too old.
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

/** Computes the bodies at once and then every second, for as long as the scope lives. */
export const makeSnapshot = Effect.fnUntraced(function* (options: SnapshotOptions) {
  const feed = yield* makePolled({
    compute: feedBodies(yield* Feed, yield* Digest, options),
    computeFor: feedComputedFor,
    ageMsMax,
    complaint: "Cannot read the feed for its free bodies",
  })
  const trackRecord = yield* makePolled({
    compute: trackRecordAnswer(yield* TrackRecord),
    computeFor: trackRecordComputedFor,
    ageMsMax: trackRecordAgeMsMax,
    complaint: "Cannot read the whales for the track record",
  })
  yield* feed.refresh
  yield* Effect.forkScoped(trackRecord.refresh)
  const serve = <Key extends "index" | "pulse" | "digestBrief" | "health">(
    key: Key,
    otherwise: Answer | null,
  ) =>
  () => {
    const bodies = feed.current()
    return bodies instanceof Promise ? bodies.then((made) => made?.[key] ?? otherwise) : bodies[key]
  }
  const downAnswer = down(options)
  const snapshot: Snapshot = {
    index: serve("index", null),
    pulse: serve("pulse", null),
    digestBrief: serve("digestBrief", null),
    health: serve("health", downAnswer),
    trackRecord: trackRecord.current,
    down: downAnswer,
    refresh: feed.refresh,
  }
  return snapshot
})

/** The bodies of the feed and its digest; the pulse is made anew only when it may have changed. */
function feedBodies(
  feed: Feed["Service"],
  digests: Digest["Service"],
  options: SnapshotOptions,
): Effect.Effect<Bodies> {
  let before: Bodies | null = null
  let unread = false
  const latest = digests.latest.pipe(
    Effect.map(Option.getOrNull),
    Effect.tap(() => Effect.sync(() => (unread = false))),
    // A digest that cannot be read costs its own fields, not the feed's; it is told once.
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) =>
        Effect.suspend(() => {
          const told = unread
          unread = true
          return Effect.as(
            told ? Effect.void : Effect.logWarning("Cannot read the newest digest", cause),
            null,
          )
        }),
    ),
  )
  return Effect.gen(function* () {
    const state = yield* feed.index
    const digest = yield* latest
    const at = yield* Clock.currentTimeMillis
    const same = before !== null && before.state.index === state.index &&
        before.state.status === state.status && at - before.pulseAt < pulseAgeMsMax &&
        before.digest?.digest.id === digest?.digest.id
      ? before
      : null
    before = {
      pulseAt: same?.pulseAt ?? at,
      state,
      digest,
      index: polled(indexBody(state, digest)),
      pulse: same?.pulse ?? polled(pulseBody(state, yield* feed.pulse, digest, options)),
      digestBrief: digest !== null
        ? polled(digestBriefBody(digest))
        : unread
        ? digestUnread
        : digestMissing,
      health: polled(healthBody(state, digest, options)),
    }
    return before
  })
}

const digestMissing = prepare({
  code: "not_found",
  message: noDigestYet,
  hint: "Request this again in a minute.",
})
const digestUnread = prepare({
  code: "not_found",
  message: "The newest digest cannot be read now",
  hint: "Request this again in a minute.",
})

/** The track record, encoded anew only when the scorecard is another. */
function trackRecordAnswer(service: TrackRecord["Service"]): Effect.Effect<Answer> {
  let before: { readonly scorecard: Scorecard; readonly answer: Answer } | null = null
  return Effect.map(service.scorecard, (scorecard) => {
    before = before?.scorecard === scorecard ? before : {
      scorecard,
      answer: polled({ success: true, ...scorecard } satisfies Body<"track_record">),
    }
    return before.answer
  })
}

const polled = (body: object) => answer({ body: JSON.stringify(body), cache: "polled" })

function indexBody(state: FeedIndex, latest: LatestDigest | null): Body<"index"> {
  return {
    success: true,
    status: state.status,
    index: state.index,
    lastUpdated: isoTimeOrNull(state.lastUpdated),
    totalToday: feedTypes.reduce((total, type) => total + state.todayByType[type], 0),
    todayByType: state.todayByType,
    feedTypes,
    digest: latest === null
      ? null
      : { latestAt: latest.digest.createdAt, title: latest.digest.title },
  }
}

function pulseBody(
  { status }: FeedIndex,
  movers: ReadonlyArray<PulseMover>,
  latest: LatestDigest | null,
  { publicBaseUrl }: SnapshotOptions,
): Body<"pulse"> {
  return {
    success: true,
    status,
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
  options: SnapshotOptions,
): Body<"health"> {
  const { status } = state
  const digestStale = latest?.stale ?? true
  return {
    success: true,
    status: status === "live" && digestStale ? "degraded" : healthOf[status],
    version: options.version,
    paymentMode: options.paymentMode,
    venue: { mode: options.venueMode },
    network: options.network,
    feed: {
      index: state.index,
      lastUpdated: isoTimeOrNull(state.lastUpdated),
      stale: status !== "live",
    },
    digest: { latestAt: latest?.digest.createdAt ?? null, stale: digestStale },
    checks: { store: "ok", venue: venueCheckOf[status], payments: "ok" },
  }
}

const healthOf = { live: "live", stale: "degraded", starting: "starting" } as const
const venueCheckOf = { live: "ok", stale: "failing", starting: "starting" } as const

/** What /health says when the store does not answer. */
function down(options: SnapshotOptions): Answer {
  return answer({
    status: 503,
    cache: "none",
    headers: [["retry-after", "5"]],
    body: JSON.stringify(downBody({ ...options, venue: { mode: options.venueMode } })),
  })
}

/** The same, as its reader has it. */
export function downBody(
  service: Pick<Body<"health">, "version" | "paymentMode" | "venue" | "network">,
): Body<"health"> {
  const { version, paymentMode, venue, network } = service
  return {
    success: false,
    status: "down",
    version,
    paymentMode,
    venue,
    network,
    feed: { index: null, lastUpdated: null, stale: true },
    digest: { latestAt: null, stale: true },
    checks: { store: "failing", venue: "unknown", payments: "unknown" },
  }
}

function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at)
}
