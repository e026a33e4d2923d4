/**
 * A value that clients poll, computed in the background and served from memory.
 *
 * A request waits for a computation only when the last value is too old; one computation then
 * serves all waiting requests.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import { type EpochMs, second } from "../../core/domain/time.ts"
import { withDeadline } from "../../core/deadline.ts"

/** The pause between two computations unless another is given. */
const refreshEveryDefault = Duration.seconds(1)
/** A busy start is late, not broken: a late computation is logged after this time without a value. */
const lateMsMax = 30 * second

interface PolledOptions<A> {
  readonly compute: Effect.Effect<A>
  /** The pause between two computations; a second unless given. */
  readonly refreshEvery?: Duration.Duration
  /** A computation that takes longer fails. */
  readonly computeTimeout: Duration.Duration
  /** An older value is never served; it is recomputed first. */
  readonly ageMsMax: number
  /** The log message when it cannot be computed. */
  readonly failureMessage: string
}

interface Polled<A> {
  /** Null when the value is too old and cannot be computed now. */
  readonly current: () => A | Promise<A | null>
  /** Computes now. Never fails: the last value is kept until it is too old. */
  readonly refresh: Effect.Effect<void>
}

/** Computes again and again from now on, for as long as the scope lives. */
export const makePolled = Effect.fnUntraced(function* <A>(options: PolledOptions<A>) {
  const clock = yield* Clock.Clock
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let last: { readonly at: EpochMs; readonly value: A } | null = null
  let failing = false
  const beganAt = clock.currentTimeMillisUnsafe()
  let computing: Promise<A | null> | null = null

  // An outage is logged once, not once a second.
  const logFailure = (cause: Cause.Cause<Cause.TimeoutError>) => {
    const isLate = !Cause.hasDies(cause)
    const since = last?.at ?? beganAt
    if (failing || isLate && clock.currentTimeMillisUnsafe() - since < lateMsMax) return Effect.void
    failing = true
    return isLate
      ? Effect.logWarning(`${options.failureMessage}: it takes too long`)
      : Effect.logWarning(options.failureMessage, cause)
  }
  const refresh = options.compute.pipe(
    Effect.tap((value) =>
      Effect.sync(() => {
        last = { at: clock.currentTimeMillisUnsafe(), value }
        failing = false
      })
    ),
    withDeadline(options.computeTimeout),
    Effect.flatMap(Option.match({
      onNone: () => Effect.fail(new Cause.TimeoutError("It takes too long")),
      onSome: Effect.succeed,
    })),
    Effect.catchCause((cause) => Effect.as(Effect.suspend(() => logFailure(cause)), null)),
  )
  const pause = options.refreshEvery ?? refreshEveryDefault
  yield* Effect.forkScoped(Effect.forever(Effect.delay(refresh, pause)))

  const computeOnce = (): Promise<A | null> =>
    computing ??= run(refresh).finally(() => {
      computing = null
    })
  const polled: Polled<A> = {
    current: () =>
      last !== null && clock.currentTimeMillisUnsafe() - last.at <= options.ageMsMax
        ? last.value
        : computeOnce(),
    refresh: Effect.asVoid(refresh),
  }
  return polled
})
