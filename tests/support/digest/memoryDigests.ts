/**
 * A `DigestStore` in memory: the reference implementation for the laws, and a fake for other tests.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { pruneStepMs } from "../../../src/core/domain/time.ts"
import { DigestStore, type StoredDigest } from "../../../src/digest/DigestStore.ts"

export function memoryDigests(): DigestStore["Service"] {
  const digests = new Map<number, StoredDigest>()
  const newestFirst = () => [...digests.values()].sort((a, b) => b.slot - a.slot)
  return DigestStore.of({
    add: (digest) =>
      Effect.sync(() => {
        if (digests.has(digest.slot)) return false
        digests.set(digest.slot, digest)
        return true
      }),
    latest: Effect.sync(() => Option.fromUndefinedOr(newestFirst()[0])),
    since: (since, limit) =>
      Effect.sync(() =>
        newestFirst().filter(({ digest, belowThreshold }) =>
          !belowThreshold && Date.parse(digest.createdAt) >= since
        ).slice(0, limit)
      ),
    prune: (before) =>
      Effect.sync(() => {
        const end = Math.min(before, Math.min(...digests.keys()) + pruneStepMs)
        const expired = [...digests.keys()].filter((slot) => slot < end)
        for (const slot of expired) digests.delete(slot)
        return expired.length
      }),
  })
}
