/**
 * A `DigestStore` in memory: what the port says, for laws and for tests of what stands on it.
 *
 * @module
 */
import { Effect, Layer, Option } from "effect"
import { DigestStore, type StoredDigest } from "../../../src/digest/DigestStore.ts"

export function memoryDigests(): DigestStore["Service"] {
  const held = new Map<number, StoredDigest>()
  const newestFirst = () => [...held.values()].sort((a, b) => b.slot - a.slot)
  return DigestStore.of({
    add: (digest) =>
      Effect.sync(() => {
        if (held.has(digest.slot)) return false
        held.set(digest.slot, digest)
        return true
      }),
    latest: Effect.sync(() => Option.fromUndefinedOr(newestFirst()[0])),
    since: (since, limit) =>
      Effect.sync(() =>
        newestFirst().filter(({ digest }) => Date.parse(digest.createdAt) >= since).slice(0, limit)
      ),
    prune: (before) =>
      Effect.sync(() => {
        const gone = [...held.keys()].filter((slot) => slot < before)
        for (const slot of gone) held.delete(slot)
        return gone.length
      }),
  })
}

/** The same as a layer; what it remembers goes with its scope. */
export const memoryDigestStore = Layer.sync(DigestStore, memoryDigests)
