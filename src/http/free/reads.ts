/**
 * Reads of the store for free answers, each in time: in the background for what clients poll, or for
 * one request. An outage is logged once.
 *
 * @module
 */
import { Clock, Duration, Effect, Fiber, Option } from "effect"
import { withDeadline } from "../../core/deadline.ts"
import { type EpochMs, leftMs, second } from "../../core/domain/time.ts"
import { makePlaces } from "../../core/places.ts"

/** Most reads for requests at once. */
const readsMax = 2
/**
 * How many of them may wait; a further one is refused. More than the 120 requests a minute of one
 * client (PAGE_LIMIT), so that one client cannot take the places of all others.
 */
const waitingMax = 298
/** How long such a read may take, with its wait for a place. */
const readTimeoutMs = 3 * second

/** Makes reads null when they fail or are late. `mayLog`: whether a defect is an outage already. */
function nullInOutage(failureMessage: string, timeoutMs: number, mayLog = () => true) {
  let failing = false
  return <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A | null> =>
    withDeadline(Duration.millis(timeoutMs))(read).pipe(
      Effect.flatMap(Option.match({
        onNone: () => Effect.die("The store does not answer in time"),
        onSome: Effect.succeed,
      })),
      Effect.tap(() => Effect.sync(() => (failing = false))),
      Effect.catch(() => Effect.succeed(null)),
      Effect.catchCause((cause) =>
        Effect.suspend(() => {
          if (failing || !mayLog()) return Effect.succeed(null)
          failing = true
          return Effect.as(Effect.logWarning(failureMessage, cause), null)
        })
      ),
    )
}

/**
 * The reads of one kind for requests. One that is refused, late or fails is null. It goes on when its
 * client leaves: an interrupted read would close a connection to the store.
 */
export function makeStoreReads(failureMessage: string) {
  const places = makePlaces({
    places: readsMax,
    waiting: waitingMax,
    waitMax: Duration.millis(readTimeoutMs),
  })
  const inTime = nullInOutage(failureMessage, readTimeoutMs)
  return <A>(read: Effect.Effect<A>): Effect.Effect<A | null> =>
    Effect.flatMap(
      Effect.forkDetach(inTime(places.run("full" as const)(read)), { startImmediately: true }),
      Fiber.join,
    )
}

interface PolledTimes {
  /** The pause between two computations. */
  readonly everyMs: number
  /** A computation that takes longer fails. */
  readonly timeoutMs: number
  /** An older value is not served. */
  readonly ageMsMax: number
}
const times: PolledTimes = { everyMs: second, timeoutMs: 2 * second, ageMsMax: 5 * second }

/**
 * Computes a value from now on, for as long as the scope lives. `failureMessage`: logged once for each
 * outage, when the last value is too old.
 */
export const makePolled = Effect.fnUntraced(function* <A>(
  compute: Effect.Effect<A>,
  failureMessage: string,
  other: Partial<PolledTimes> = {},
) {
  const { everyMs, timeoutMs, ageMsMax } = { ...times, ...other }
  const clock = yield* Clock.Clock
  const beganAt = clock.currentTimeMillisUnsafe()
  let last: { readonly at: EpochMs; readonly value: A } | null = null
  const isYoung = (at: EpochMs) => leftMs(at, ageMsMax, clock.currentTimeMillisUnsafe()) > 0
  const inTime = nullInOutage(failureMessage, timeoutMs, () => !isYoung(last?.at ?? beganAt))
  /** Computes now. Never fails: the last value is kept until it is too old. */
  const refresh = Effect.asVoid(inTime(Effect.map(compute, (value) => {
    last = { at: clock.currentTimeMillisUnsafe(), value }
  })))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(refresh, Effect.sleep(everyMs))), {
    startImmediately: true,
  })
  /** Null while the last value is too old, and before the first. */
  const current = (): A | null => last !== null && isYoung(last.at) ? last.value : null
  return { current, refresh }
})
