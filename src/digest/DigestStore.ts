/**
 * The port to the memory of digests: one a slot, whoever writes it first.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { Digest } from "./domain/digest.ts"
import type { EpochMs } from "../core/domain/time.ts"

export interface StoredDigest {
  /** When it was due. */
  readonly slot: EpochMs
  /** The end of what it tells of; the next one begins there. */
  readonly until: EpochMs
  /** The newest item of the feed it was made of; 0 for none. The next one begins after it. */
  readonly feedIndex: number
  readonly digest: Digest
}

export class DigestStore extends Context.Service<DigestStore, {
  /** False when the slot has a digest already: that one stays. */
  readonly add: (digest: StoredDigest) => Effect.Effect<boolean>
  /** The one of the newest slot. */
  readonly latest: Effect.Effect<Option.Option<StoredDigest>>
  /** Created at or after `since`, those of the newest slots first, at most `limit`. */
  readonly since: (
    since: EpochMs,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<StoredDigest>>
  /** Forgets digests of slots before `before`; returns how many went. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/digest/DigestStore") {}
