/**
 * A cached value that is read again only when its version changes.
 *
 * @module
 */
import { Clock, Duration, Effect } from "effect"
import { cachedFor } from "./cachedFor.ts"
import { leftMs } from "./domain/time.ts"

interface ReadOnChangeOptions<A> {
  /** A cheap query; the result is the same as long as nothing changed. */
  readonly version: Effect.Effect<string>
  readonly read: Effect.Effect<A>
  /** The minimum time between two reads, however often the version changes. */
  readonly intervalMin: Duration.Duration
  /** A value older than this is read again even if its version is the same; infinity for never. */
  readonly ageMax: Duration.Duration
}

const versionCheckInterval = Duration.seconds(1)

/**
 * The newest value; the same object as long as nothing changed. The version is queried at most once a
 * second, and concurrent callers share one query and one read. A failure is not cached.
 */
export const readOnChange = <A>({ version, read, intervalMin, ageMax }: ReadOnChangeOptions<A>) => {
  let cached: { readonly version: string; readonly at: number; readonly value: A } | null = null
  const current = Effect.gen(function* () {
    // Before the read, so that the next query detects a change during the read.
    const newest = yield* version
    const now = yield* Clock.currentTimeMillis
    const before = cached
    const isWithin = (length: Duration.Duration) =>
      before !== null && leftMs(before.at, Duration.toMillis(length), now) > 0
    if (before !== null && isWithin(before.version === newest ? ageMax : intervalMin)) {
      return before.value
    }
    const value = yield* read
    cached = { version: newest, at: now, value }
    return value
  })
  return Effect.map(cachedFor(current, versionCheckInterval), ([cached]) => cached)
}
