/**
 * A value that clients poll: computed in the background, served without work.
 *
 * A request never computes it, unless the last computation is too old; then it waits for a new one,
 * and one computation serves all who wait.
 *
 * @module
 */
import { type Cause, Clock, Duration, Effect, Option } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import { withDeadline } from "../../core/deadline.ts"

/** How often it is computed. */
const refreshEvery = Duration.seconds(1)

interface PolledOptions<A> {
  readonly compute: Effect.Effect<A>
  /** A computation that takes longer has failed. */
  readonly computeFor: Duration.Duration
  /** Nothing older than this is served: it is computed anew first. */
  readonly ageMsMax: number
  /** What is said when it cannot be computed. */
  readonly complaint: string
}

interface Polled<A> {
  /** Null when it is too old and cannot be computed now. */
  readonly current: () => A | Promise<A | null>
  /** Computes now. Never fails; what was computed before stays until it is too old. */
  readonly refresh: Effect.Effect<void>
}

/** Computes every second from now on, for as long as the scope lives. */
export const makePolled = Effect.fnUntraced(function* <A>(options: PolledOptions<A>) {
  const clock = yield* Clock.Clock
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let last: { readonly at: EpochMs; readonly made: A } | null = null
  let failing = false
  let computing: Promise<A | null> | null = null

  // An outage is told once, not once a second.
  const complain = (cause: Cause.Cause<never>) =>
    failing ? Effect.void : Effect.logWarning(options.complaint, cause)
  const refresh = options.compute.pipe(
    Effect.tap((made) =>
      Effect.sync(() => {
        last = { at: clock.currentTimeMillisUnsafe(), made }
      })
    ),
    withDeadline(options.computeFor),
    Effect.map(Option.getOrNull),
    Effect.catchCause((cause) => Effect.as(complain(cause), null)),
    Effect.tap((made) =>
      Effect.sync(() => {
        failing = made === null
      })
    ),
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(refresh, refreshEvery)))

  const computeOnce = (): Promise<A | null> =>
    computing ??= run(refresh).finally(() => {
      computing = null
    })
  const polled: Polled<A> = {
    current: () =>
      last !== null && clock.currentTimeMillisUnsafe() - last.at <= options.ageMsMax
        ? last.made
        : computeOnce(),
    refresh: Effect.asVoid(refresh),
  }
  return polled
})
