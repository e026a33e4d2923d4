/**
 * The free bodies that clients poll: feed index, pulse, digest brief, health and track record.
 *
 * @module
 */
import { Effect, Option, Struct } from "effect"
import type { FreeId, freeRows } from "../../catalog/domain/freeRow.ts"
import { noDigestYet } from "../../catalog/domain/refusal.ts"
import { feedTypes } from "../../feed/domain/item.ts"
import type { PulseMover } from "../../feed/domain/pulse.ts"
import { type EpochMs, isoTime, minute, second } from "../../core/domain/time.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { version } from "../../core/domain/version.ts"
import { StoreClock } from "../../core/StoreClock.ts"
import type { Scorecard } from "../../track-record/domain/scorecard.ts"
import { Digest, type LatestDigest } from "../../digest/Digest.ts"
import { Feed, type FeedIndex } from "../../feed/Feed.ts"
import type { DailyHead } from "../../feed/FeedStore.ts"
import {
  type HealthOfPayments,
  listingText,
  reasonsOf,
} from "../../payments/domain/paymentHealth.ts"
import { PaymentHealth } from "../../payments/PaymentHealth.ts"
import { VenueRefusals } from "../../markets/VenueClient.ts"
import { TrackRecord } from "../../track-record/TrackRecord.ts"
import { type Answer, answer, jsonAnswers } from "../server/answer.ts"
import { prepare } from "../server/errors.ts"
import type { Site } from "../site.ts"
import { makePolled } from "./reads.ts"

/** What changes with a tick or once a day is read less often than the index. */
const slowly = { everyMs: 15 * second, ageMsMax: minute }
/** The scorecard is computed from many rows. */
const scorecardTimes = { timeoutMs: 10 * second, ageMsMax: 15 * second }

/** The body that the row of a free path declares. */
type Body<Id extends FreeId> = typeof freeRows[Id]["body"]["Type"]

/** Reads at once what the bodies are made of, then again until the scope closes. */
export const makeSnapshot = Effect.fnUntraced(function* (site: Site) {
  const [feed, digests] = [yield* Feed, yield* Digest]
  const { disagreement } = yield* StoreClock
  const state = yield* makePolled(feed.index, "Cannot read the feed for its free bodies")
  const latest = yield* makePolled(digests.latest, "Cannot read the newest digest")
  const movers = yield* makePolled(feed.pulse, "Cannot read the pulse", slowly)
  const checks = yield* makePolled(
    Effect.all({
      payments: (yield* PaymentHealth).current,
      disagreement,
      refused: Effect.map(VenueRefusals, (refusals) => refusals.size > 0),
    }),
    "Cannot read the health of payments",
  )
  const scorecard = yield* makePolled(
    (yield* TrackRecord).scorecard,
    "Cannot read the whales for the track record",
    scorecardTimes,
  )
  const days = yield* makePolled(feed.dailyHeads, "Cannot read the heads of the feed", slowly)
  const refresh = Effect.all([state.refresh, latest.refresh, movers.refresh, checks.refresh], {
    concurrency: "unbounded",
    discard: true,
  })
  yield* refresh
  const digest = () => Option.getOrNull(latest.current() ?? Option.none())
  const downAnswer = down(site)
  const index = encoded(indexBody)
  const pulse = encoded(pulseBody(site))
  const digestBrief = encoded(digestBriefBody)
  const health = encoded(healthBody(site))
  const trackRecord = encoded(trackRecordBody)
  const feedHeads = encoded(feedHeadsBody)
  return {
    index: () => index(state.current(), digest()),
    pulse: () => pulse(state.current(), movers.current(), digest()),
    /** The free part of the newest digest; 404 before the first. */
    digestBrief: () =>
      digestBrief(digest()) ?? (latest.current() === null ? digestUnread : digestMissing),
    health: () => health(state.current(), checks.current(), digest()) ?? downAnswer,
    trackRecord: () => trackRecord(scorecard.current()),
    feedHeads: () => feedHeads(state.current(), days.current()),
    /** The answer of /health while the store does not answer. */
    down: downAnswer,
    /** Reads again what a tick or a digest changes; run it after each. Never fails. */
    refresh,
  }
})
export type Snapshot = Effect.Success<ReturnType<typeof makeSnapshot>>

/** An answer that is encoded again only when one of its inputs has changed; null without a body. */
function encoded<Inputs extends ReadonlyArray<unknown>>(
  body: (...inputs: Inputs) => object | null,
): (...inputs: Inputs) => Answer | null {
  const encode = jsonAnswers("polled")
  return prepared((...inputs: Inputs) => {
    const made = body(...inputs)
    return made === null ? null : encode(made)
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

const trackRecordBody = (scorecard: Scorecard | null): Body<"track_record"> | null =>
  scorecard && { success: true, ...scorecard }

const feedHeadsBody = (
  state: FeedIndex | null,
  days: ReadonlyArray<DailyHead> | null,
): Body<"feed_heads"> | null =>
  state && days && {
    success: true,
    head: state.head,
    days: days.map(({ day, madeAt, ...signed }) => ({
      day: isoTime(day).slice(0, "2026-11-24".length),
      ...signed,
      madeAt: isoTime(madeAt),
    })),
  }

const indexBody = (
  state: FeedIndex | null,
  latest: LatestDigest | null,
): Body<"index"> | null =>
  state && {
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

const pulseBody = ({ terms: { publicBaseUrl } }: Site) =>
(
  state: FeedIndex | null,
  movers: ReadonlyArray<PulseMover> | null,
  latest: LatestDigest | null,
): Body<"pulse"> | null =>
  state && movers && {
    success: true,
    status: state.status,
    asOf: state.asOf.mover,
    topMovers24h: movers,
    digestTitle: latest?.digest.title ?? null,
    digestAt: latest?.digest.createdAt ?? null,
    _upgrade: {
      fullFeed: `${publicBaseUrl}/v1/signals`,
      digest: `${publicBaseUrl}/v1/digest`,
    },
  }

const digestBriefBody = (latest: LatestDigest | null): Body<"digest_brief"> | null =>
  latest && {
    success: true,
    data: Struct.pick(latest.digest, ["title", "summary", "sourcesUsed", "createdAt"]),
  }

interface Checks {
  readonly payments: HealthOfPayments
  /** How the clock differs from the store's; null where it does not. */
  readonly disagreement: string | null
  /** Whether the venue refuses how it is asked. */
  readonly refused: boolean
}

const healthBody = (site: Site) =>
(
  state: FeedIndex | null,
  found: Checks | null,
  latest: LatestDigest | null,
): Body<"health"> | null => {
  if (state === null || found === null) return null
  const { status } = state
  const { payments, disagreement, refused } = found
  const healthy = latest?.stale === false && state.walletsFresh && payments.verdict === "ok" &&
    disagreement === null && !refused
  // A new store: its first read of the wallets takes minutes, and its first digest needs facts.
  const hasWallets = state.asOf.whale_entry !== null
  const isNew = !hasWallets && payments.verdict === "ok" && disagreement === null && !refused
  return {
    success: true,
    status: status !== "live" || healthy ? healthOf[status] : isNew ? "starting" : "degraded",
    ...identityOf(site),
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
    payments: { reasons: reasonsOf(payments), listing: listingText(payments) },
  }
}

const identityOf = ({ terms, commit, paymentMode, venueMode }: Site) => ({
  version,
  commit,
  paymentMode,
  venue: { mode: venueMode },
  network: `eip155:${terms.chainId}`,
})

const healthOf = { live: "live", stale: "degraded", starting: "starting" } as const
const venueCheckOf = { live: "ok", stale: "failing", starting: "starting" } as const

/** The answer of /health while the store does not answer. */
function down(site: Site): Answer {
  const unknown = { venue: "unknown", wallets: "unknown", payments: "unknown", clock: "unknown" }
  const body: Body<"health"> = {
    success: false,
    status: "down",
    ...identityOf(site),
    feed: { index: null, lastUpdated: null, stale: true, asOf: null },
    digest: { latestAt: null, stale: true },
    checks: { store: "failing", ...unknown },
    payments: { reasons: ["The store does not answer"], listing: null },
  }
  return answer({
    status: 503,
    cache: "none",
    headers: [["retry-after", "5"]],
    body: JSON.stringify(body),
  })
}

function isoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : isoTime(at)
}
