/**
 * Reads of the store for free requests: a few at once, each in time. A read that is refused, late or
 * fails is null, which a route answers with 503.
 *
 * @module
 */
import { Duration, Effect, Option } from "effect"
import { withDeadline } from "../../core/deadline.ts"
import { makePlaces } from "../../core/places.ts"

/** Reads at once. */
const readsMax = 2
/**
 * How many reads may wait; a further one is refused. More than the 120 requests a minute of one
 * client (PAGE_LIMIT), so that one client cannot take the places of all others.
 */
const waitingMax = 298
/** How long a read may take, with its wait for a place. */
const readTimeout = Duration.seconds(3)

/** The reads of one kind. An outage is logged once, as `failureMessage`. */
export function makeStoreReads(failureMessage: string) {
  const places = makePlaces({ places: readsMax, waiting: waitingMax, waitMax: readTimeout })
  let failing = false
  return <A>(read: Effect.Effect<A>): Effect.Effect<A | null> =>
    places.run("full" as const)(read).pipe(
      withDeadline(readTimeout),
      Effect.flatMap(Option.match({
        onNone: () => Effect.die("The store does not answer in time"),
        onSome: Effect.succeed,
      })),
      Effect.tap(() => Effect.sync(() => (failing = false))),
      Effect.catch(() => Effect.succeed(null)),
      Effect.catchCause((cause) =>
        Effect.suspend(() => {
          const isKnown = failing
          failing = true
          return Effect.as(isKnown ? Effect.void : Effect.logWarning(failureMessage, cause), null)
        })
      ),
    )
}
