/**
 * A value that clients poll, computed again and again in the background and served from memory.
 *
 * @module
 */
import { Clock, Duration, Effect, Option } from "effect"
import { withDeadline } from "../../core/deadline.ts"
import { type EpochMs, second } from "../../core/domain/time.ts"

interface PolledOptions<A> {
  readonly compute: Effect.Effect<A>
  /** The pause between two computations; a second unless given. */
  readonly everyMs?: number
  /** A computation that takes longer fails; two seconds unless given. */
  readonly timeoutMs?: number
  /** An older value is not served; five seconds unless given. */
  readonly ageMsMax?: number
  /** Logged once for each outage, when the last value is too old. */
  readonly failureMessage: string
}

interface Polled<A> {
  /** Null while the last value is too old, and before the first. */
  readonly current: () => A | null
  /** Computes now. Never fails: the last value is kept until it is too old. */
  readonly refresh: Effect.Effect<void>
}

/** Computes from now on, for as long as the scope lives. */
export const makePolled = Effect.fnUntraced(function* <A>(options: PolledOptions<A>) {
  const { compute, everyMs = second, timeoutMs = 2 * second, ageMsMax = 5 * second } = options
  const clock = yield* Clock.Clock
  const beganAt = clock.currentTimeMillisUnsafe()
  let last: { readonly at: EpochMs; readonly value: A } | null = null
  let failing = false
  const isYoung = (at: EpochMs) => clock.currentTimeMillisUnsafe() - at <= ageMsMax
  const refresh = withDeadline(Duration.millis(timeoutMs))(compute).pipe(
    Effect.flatMap(Option.match({
      onNone: () => Effect.die("It takes too long"),
      onSome: Effect.succeed,
    })),
    Effect.map((value) => {
      last = { at: clock.currentTimeMillisUnsafe(), value }
      failing = false
    }),
    Effect.catchCause((cause) =>
      Effect.suspend(() => {
        if (failing || isYoung(last?.at ?? beganAt)) return Effect.void
        failing = true
        return Effect.logWarning(options.failureMessage, cause)
      })
    ),
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep(everyMs))), {
    startImmediately: true,
  })
  const polled: Polled<A> = {
    current: () => last !== null && isYoung(last.at) ? last.value : null,
    refresh,
  }
  return polled
})
