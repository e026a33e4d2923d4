/**
 * The digest as a product: written once every four hours by one replica, sold while it is fresh, and
 * stored for a week.
 *
 * An unfinished digest leaves no state: the next call writes it from the start, so a crash at any point
 * delays a digest but does not lose it.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import {
  type Digest as WrittenDigest,
  digestAgeMax,
  type DigestBrief,
  digestEvery,
  digestRetention,
  DigestStale,
} from "./domain/digest.ts"
import { digestBrief } from "./domain/facts.ts"
import type { DigestPart } from "./domain/material.ts"
import { templateDigest } from "./domain/template.ts"
import { digestComplaints, digestOf } from "./domain/text.ts"
import { wordCount } from "../writing/domain/factCheck.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { Detector } from "../predetermined/Detector.ts"
import { readMaterial } from "./reading.ts"
import { DigestStore } from "./DigestStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { JobSlots } from "../core/JobSlots.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { DigestNarrator } from "./DigestNarrator.ts"
import { News } from "../news/News.ts"
import { WalletStore } from "../whales/WalletStore.ts"
import { WhaleMarketStore } from "../whales/WhaleMarketStore.ts"
import { writeChecked } from "../writing/writing.ts"

/** The result of writing one digest. */
export interface DigestReport {
  readonly slot: EpochMs
  readonly title: string
  readonly narrator: string
  readonly facts: number
  readonly words: number
  /** Drafts that the fact check refused, and requests that gave no draft. */
  readonly refused: number
  readonly unwritten: number
  readonly missing: ReadonlyArray<DigestPart>
  /** False when another replica stored a digest of this slot first. */
  readonly stored: boolean
  readonly seconds: number
}

/** The newest digest, and whether it is too old to be sold. */
export interface LatestDigest {
  readonly digest: WrittenDigest
  readonly stale: boolean
}

export class Digest extends Context.Service<Digest, {
  /** Writes the digest of the current slot; none if it exists. Dies when the feed cannot be read. */
  readonly write: Effect.Effect<Option.Option<DigestReport>>
  /** The newest one, however old; none if there is none yet. */
  readonly latest: Effect.Effect<Option.Option<LatestDigest>>
  /** The newest one, if it is fresh enough to be sold. */
  readonly fresh: Effect.Effect<WrittenDigest, DigestStale>
  /** Those created in the last `hours`, newest first, at most `limit`. */
  readonly history: (hours: number, limit: number) => Effect.Effect<ReadonlyArray<WrittenDigest>>
  /** Deletes digests older than the history. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/digest/Digest") {
  /** `venue`: the source name of the venue. */
  static readonly layer = (options: { readonly venue: string }) =>
    Layer.effect(Digest, make(options.venue))
}

const make = Effect.fnUntraced(function* (venue: string) {
  const store = yield* DigestStore
  const narrator = yield* DigestNarrator
  const ports = {
    feed: yield* FeedStore,
    markets: yield* MarketStore,
    wallets: yield* WalletStore,
    whaleMarkets: yield* WhaleMarketStore,
    news: yield* News,
    slots: yield* JobSlots,
    detector: yield* Detector,
  }

  const write = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const slot = started - started % digestEvery
    const last = Option.getOrNull(yield* store.latest)
    if (last !== null && last.slot >= slot) return Option.none()
    const { material, feedIndex } = yield* readMaterial(ports, last, started)
    const brief = digestBrief(material)
    const text = yield* narrated(narrator, brief)
    const createdAt = yield* Clock.currentTimeMillis
    const metadata = { slot, createdAt, narrator: text.narrator, venue }
    const digest = digestOf(text.draft, brief, metadata)
    const stored = yield* store.add({ slot, until: started, feedIndex, digest })
    return Option.some<DigestReport>({
      slot,
      title: digest.title,
      narrator: text.narrator,
      facts: digest.facts.length,
      words: wordCount(digest.fullAnalysis),
      refused: text.refused,
      unwritten: text.failed,
      missing: material.coverage.missing,
      stored,
      seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
    })
  }).pipe(Effect.withSpan("Digest.write"))

  const latest = Effect.gen(function* () {
    const stored = yield* store.latest
    const now = yield* Clock.currentTimeMillis
    return Option.map(stored, ({ digest }) => ({ digest, stale: isStale(digest, now) }))
  })

  const fresh = Effect.flatMap(
    latest,
    (newest) => {
      if (Option.isNone(newest)) {
        return Effect.fail(new DigestStale({ latestAt: null, retryAfterSeconds }))
      }
      const { digest, stale } = newest.value
      return stale
        ? Effect.fail(new DigestStale({ latestAt: digest.createdAt, retryAfterSeconds }))
        : Effect.succeed(digest)
    },
  )

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

/** A late digest is retried every minute. */
const retryAfterSeconds = 60
/**
 * The time limit of all drafts of the narrator: much less than the 20 minutes by which a digest may be
 * late while the previous one is still sold.
 */
const narratorTime = Duration.seconds(150)

const narrated = (narrator: DigestNarrator["Service"], brief: DigestBrief) =>
  writeChecked({
    text: "digest",
    narrator: narrator.name,
    requestDraft: (complaints) => narrator.write(brief, complaints),
    complaints: (draft) => digestComplaints(draft, brief),
    template: templateDigest(brief),
    within: narratorTime,
  })

function isStale({ createdAt }: WrittenDigest, now: EpochMs): boolean {
  return now - Date.parse(createdAt) > digestAgeMax
}
