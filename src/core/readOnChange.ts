/**
 * A cached value that is read again only when its version changes.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit } from "effect"

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
    const ageMs = before === null ? Infinity : now - before.at
    if (
      before !== null && ageMs < Duration.toMillis(ageMax) &&
      (before.version === newest || ageMs < Duration.toMillis(intervalMin))
    ) return before.value
    const value = yield* read
    cached = { version: newest, at: now, value }
    return value
  })
  return Effect.cachedWithTTL(
    current,
    (exit) => Exit.isSuccess(exit) ? versionCheckInterval : Duration.zero,
  )
}
