/**
 * The port to the digest store: one digest per slot; the first writer wins.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { Digest } from "./domain/digest.ts"
import type { EpochMs } from "../core/domain/time.ts"

export interface StoredDigest {
  /** When it was due. */
  readonly slot: EpochMs
  /** The end of its window; the next digest begins there. */
  readonly until: EpochMs
  /** Its newest feed item, 0 for none; the next digest begins after it. */
  readonly feedIndex: number
  /** Whether it is not worth its price. */
  readonly belowThreshold: boolean
  readonly digest: Digest
}

export class DigestStore extends Context.Service<DigestStore, {
  /** False when the slot already has a digest; that one stays. */
  readonly add: (digest: StoredDigest) => Effect.Effect<boolean>
  /** The one of the newest slot. */
  readonly latest: Effect.Effect<Option.Option<StoredDigest>>
  /** Those worth their price, created at or after `since`, newest slots first, at most `limit`. */
  readonly since: (
    since: EpochMs,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<StoredDigest>>
  /** Deletes digests of slots before `before`, at most `pruneStepMs` after the oldest; returns how many. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/digest/DigestStore") {}
