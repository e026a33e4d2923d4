/**
 * The digest as a product: written once every four hours by one replica, sold while it is fresh, and
 * stored for a week.
 *
 * An unfinished digest leaves no state: the next call writes it from the start, so a crash at any point
 * delays a digest but does not lose it.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import {
  type Digest as WrittenDigest,
  digestAgeMax,
  digestEvery,
  type DigestPage,
  digestRetention,
  DigestStale,
} from "./domain/digest.ts"
import { type DigestPart, isBelowThreshold } from "./domain/material.ts"
import { digestPage } from "./domain/page.ts"
import { type DigestMetadata, digestOf, digestTask, slotsOf } from "./domain/text.ts"
import { wordCount } from "../writing/domain/page.ts"
import { tickJob } from "../core/domain/freshness.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { readMaterial, windowStart } from "./reading.ts"
import { DigestStore, type StoredDigest } from "./DigestStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { JobSlots } from "../core/JobSlots.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { News } from "../news/News.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { ScoreStore } from "../track-record/ScoreStore.ts"
import { TrackRecord } from "../track-record/TrackRecord.ts"
import { EntryStore } from "../whales/EntryStore.ts"
import { WalletStore } from "../whales/WalletStore.ts"
import { WhaleMarketStore } from "../whales/WhaleMarketStore.ts"
import { Narrator } from "../writing/Narrator.ts"
import { writePage } from "../writing/writing.ts"

/** The result of writing one digest. */
interface DigestReport {
  readonly slot: EpochMs
  readonly title: string
  readonly narrator: string
  readonly facts: number
  readonly words: number
  /** Claims of the narrator that are published, that were refused, and requests without an answer. */
  readonly accepted: number
  readonly refused: number
  readonly unwritten: number
  readonly missing: ReadonlyArray<DigestPart>
  /** Whether it is not worth its price. */
  readonly belowThreshold: boolean
  /** False when another replica stored a digest of this slot first. */
  readonly stored: boolean
  readonly seconds: number
}

/** The newest digest, and whether it is too old to be sold. */
export interface LatestDigest extends SellableDigest {
  readonly stale: boolean
}

/** A digest that is fresh enough to be sold, and whether it is not worth its price. */
type SellableDigest = Pick<StoredDigest, "digest" | "belowThreshold">

export class Digest extends Context.Service<Digest, {
  /**
   * Writes the digest of the current slot. None if it exists, or if no tick has ended well since its
   * window began: it would rest on nothing. Dies when the feed cannot be read.
   */
  readonly write: Effect.Effect<Option.Option<DigestReport>>
  /** The newest one, however old; none if there is none yet. */
  readonly latest: Effect.Effect<Option.Option<LatestDigest>>
  /** The newest one, if it is fresh enough to be sold. */
  readonly fresh: Effect.Effect<SellableDigest, DigestStale>
  /** Those worth their price, created in the last `hours`, newest first, at most `limit`. */
  readonly history: (hours: number, limit: number) => Effect.Effect<ReadonlyArray<WrittenDigest>>
  /** Deletes digests older than the history. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/digest/Digest") {
  /** The source name of the venue, and the page that says how digests are made. */
  static readonly layer = (options: DigestOptions) => Layer.effect(Digest, make(options))
}

type DigestOptions = Pick<DigestMetadata, "venue" | "methodUrl">

const digestPorts = Effect.all({
  feed: FeedStore,
  markets: MarketStore,
  venue: VenueClient,
  whales: EntryStore,
  scores: ScoreStore,
  trackRecord: TrackRecord,
  wallets: WalletStore,
  whaleMarkets: WhaleMarketStore,
  news: News,
  slots: JobSlots,
})

const make = Effect.fnUntraced(function* ({ venue, methodUrl }: DigestOptions) {
  const store = yield* DigestStore
  const narrator = yield* Narrator
  const ports = yield* digestPorts

  const write = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const slot = started - started % digestEvery
    const last = Option.getOrNull(yield* store.latest)
    if (last !== null && last.slot >= slot) return Option.none()
    const readAt = Option.getOrNull(yield* ports.slots.lastOk(tickJob))
    if (readAt === null || readAt < windowStart(last, started)) return Option.none()
    const { material, feedIndex } = yield* readMaterial(ports, last, started)
    const page = digestPage(material)
    const options = { use: "digest", task: digestTask, within: writingTime } as const
    const text = yield* writePage(narrator, { ...options, facts: page.facts, slots: slotsOf(page) })
    const createdAt = yield* Clock.currentTimeMillis
    const metadata = { slot, createdAt, narrator: text.narrator, venue, methodUrl }
    const digest = digestOf(page, text.slots, metadata)
    const belowThreshold = isBelowThreshold(material)
    const window = { slot, until: started, feedIndex }
    const stored = yield* store.add({ ...window, belowThreshold, digest })
    if (stored) yield* storeNumbers(ports.scores, page, started)
    return Option.some<DigestReport>({
      slot,
      title: digest.title,
      narrator: text.narrator,
      facts: digest.facts.length,
      words: wordCount(digest.fullAnalysis),
      accepted: text.accepted,
      refused: text.refused + text.dropped,
      unwritten: text.failed,
      missing: material.coverage.missing,
      belowThreshold,
      stored,
      seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
    })
  }).pipe(Effect.withSpan("Digest.write"))

  const latest = Effect.gen(function* () {
    const stored = yield* store.latest
    const now = yield* Clock.currentTimeMillis
    return Option.map(
      stored,
      ({ digest, belowThreshold }) => ({ digest, belowThreshold, stale: isStale(digest, now) }),
    )
  })

  const fresh = Effect.flatMap(latest, sellable)

  const history = Effect.fn("Digest.history")(function* (hours: number, limit: number) {
    const now = yield* Clock.currentTimeMillis
    return (yield* store.since(now - hours * hour, limit)).map(({ digest }) => digest)
  })

  const prune = Effect.gen(function* () {
    // A digest is created after the start of its slot, so its slot may be older than the history.
    yield* store.prune((yield* Clock.currentTimeMillis) - digestRetention - digestEvery)
  })

  return Digest.of({ write, latest, fresh, history, prune })
})

/** Stores the numbers that a digest states, to be scored like a report's; a failure is logged. */
const storeNumbers = (
  scores: ScoreStore["Service"],
  { stated }: DigestPage,
  madeAt: EpochMs,
) =>
  scores.addForecasts(stated.map(({ eventKey, marketId, mid, probability }) => ({
    ...{ kind: "price", marketId, eventKey, madeAt, probability, baseline: mid } as const,
    // No range of a day is stated, so none is judged.
    ...{ low: 0, high: 1 },
  }))).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.logWarning("The numbers of a digest cannot be stored", cause),
    ),
  )

/** A late digest is retried every minute. */
const retryAfterSeconds = 60
/**
 * The time limit of the narrator: much less than the 20 minutes by which a digest may be late while the
 * previous one is still sold.
 */
const writingTime = Duration.minutes(4)

/** The newest digest if it is not too old. */
function sellable(
  newest: Option.Option<LatestDigest>,
): Effect.Effect<SellableDigest, DigestStale> {
  const { digest, belowThreshold = true, stale = true } = Option.getOrUndefined(newest) ?? {}
  return digest === undefined || stale
    ? Effect.fail(new DigestStale({ latestAt: digest?.createdAt ?? null, retryAfterSeconds }))
    : Effect.succeed({ digest, belowThreshold })
}

function isStale({ createdAt }: WrittenDigest, now: EpochMs): boolean {
  return now - Date.parse(createdAt) > digestAgeMax
}
