/**
 * A reading of the store that is kept until what it was read from changes.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit } from "effect"

interface ReadOnChangeOptions<A> {
  /** A cheap question: the same word as long as nothing changed. */
  readonly version: Effect.Effect<string>
  readonly read: Effect.Effect<A>
  /** Two readings are at least this far apart, however fast things change. */
  readonly apart: Duration.Duration
  /** A reading older than this is made anew whatever its version says; infinity for never. */
  readonly ageMax: Duration.Duration
}

/** How long an answer to the question whether anything changed is believed. */
const askEvery = Duration.seconds(1)

/**
 * The newest reading; the same object as long as nothing changed. The store is asked for its version
 * at most once a second, and one question, or one reading, serves all who ask meanwhile. A failure is
 * not kept.
 */
export const readOnChange = <A>({ version, read, apart, ageMax }: ReadOnChangeOptions<A>) => {
  let held: { readonly version: string; readonly at: number; readonly value: A } | null = null
  const current = Effect.gen(function* () {
    // Asked before the reading: a change during it is found by the next question.
    const found = yield* version
    const now = yield* Clock.currentTimeMillis
    const before = held
    const ageMs = before === null ? Infinity : now - before.at
    if (
      before !== null && ageMs < Duration.toMillis(ageMax) &&
      (before.version === found || ageMs < Duration.toMillis(apart))
    ) return before.value
    const value = yield* read
    held = { version: found, at: now, value }
    return value
  })
  return Effect.cachedWithTTL(
    current,
    (exit) => Exit.isSuccess(exit) ? askEvery : Duration.zero,
  )
}
