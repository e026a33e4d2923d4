/**
 * A fixed number of places for work that runs at the same time, with a queue of limited length and
 * wait.
 *
 * @module
 */
import { Deferred, Duration, Effect, Metric, Option } from "effect"
import type { Client } from "./CallClient.ts"

interface PlaceLimits {
  /** How many hold a place at the same time. */
  readonly places: number
  /** How many may wait for one. */
  readonly waiting: number
  /** How long one waits at most. */
  readonly waitMax: Duration.Duration
}

interface Places extends QueueDepth {
  /**
   * Runs an effect in a place. Fails with `refused`, and runs nothing, when the queue is full or no
   * place is free in time.
   */
  readonly run: <E2>(
    refused: E2,
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R>
  /** True while no place is taken and no caller waits for one. */
  readonly isIdle: () => boolean
}

/** How much work runs, and how much waits, now. */
interface QueueDepth {
  readonly running: () => number
  readonly waiting: () => number
}

const runningGauge = Metric.gauge("queue_running", {
  description: "Work that holds a place now, by queue",
})
const waitingGauge = Metric.gauge("queue_waiting", {
  description: "Work that waits for a place now, by queue",
})

/** Publishes the depth of a queue while the scope lives. It is read at each scrape. */
export const publishDepth = (queue: string, { running, waiting }: QueueDepth) =>
  Effect.forEach(
    [[runningGauge, running], [waitingGauge, waiting]] as const,
    ([gauge, depth]) =>
      Effect.acquireRelease(
        Effect.map(Effect.context<never>(), (context) =>
          Metric.registerUnsafe(Metric.withAttributes(gauge, { queue }), context, {
            get: () => ({ value: depth() }),
            update: () => {},
            modify: () => {},
          })),
        ({ remove }) => Effect.sync(remove),
      ),
    { discard: true },
  )

/** Places in order of arrival. */
export function makePlaces({ places, waiting, waitMax }: PlaceLimits): Places {
  let taken = 0
  const queue = new Set<Deferred.Deferred<void>>()

  const release = () => {
    const [next] = queue
    if (next === undefined) {
      taken -= 1
      return
    }
    queue.delete(next)
    Deferred.doneUnsafe(next, Effect.void)
  }

  /** Waits in the queue; false when the wait ended without a place. */
  const wait = Effect.suspend(() => {
    const turn = Deferred.makeUnsafe<void>()
    queue.add(turn)
    // A place that is given when the wait has just ended goes to the next one.
    const leave = Effect.sync(() => {
      if (!queue.delete(turn)) release()
    })
    return Effect.interruptible(Effect.timeoutOption(Deferred.await(turn), waitMax)).pipe(
      Effect.onInterrupt(() => leave),
      Effect.tap((got) => Option.isSome(got) ? Effect.void : leave),
      Effect.map(Option.isSome),
    )
  })

  const acquire = Effect.suspend(() => {
    if (taken < places) {
      taken += 1
      return Effect.succeed(true)
    }
    return queue.size >= waiting ? Effect.succeed(false) : wait
  })

  return {
    run: <E2>(refused: E2) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          acquire,
          (got): Effect.Effect<A, E | E2, R> =>
            got ? Effect.ensuring(restore(effect), Effect.sync(release)) : Effect.fail(refused),
        )
      ),
    isIdle: () => taken === 0 && queue.size === 0,
    running: () => taken,
    waiting: () => queue.size,
  }
}

/** The places of each key: as many for one key as `limits` says. */
export function makePlacesByKey(limits: PlaceLimits) {
  const byKey = new Map<string, Places>()
  const run = (key: string): Places["run"] => (refused) => (effect) =>
    Effect.uninterruptibleMask((restore) => {
      const places = byKey.get(key) ?? makePlaces(limits)
      byKey.set(key, places)
      return Effect.ensuring(
        restore(places.run(refused)(effect)),
        Effect.sync(() => {
          if (places.isIdle() && byKey.get(key) === places) byKey.delete(key)
        }),
      )
    })
  return { run, size: () => byKey.size }
}

/** Places of which one client, and one IPv6 site, has at most its part. No caller waits for one. */
export function makePartedPlaces(max: {
  readonly total: number
  readonly perClient: number
  readonly perSite: number
}) {
  const noQueue = { waiting: 0, waitMax: Duration.zero }
  const all = makePlaces({ places: max.total, ...noQueue })
  const clients = makePlacesByKey({ places: max.perClient, ...noQueue })
  const sites = makePlacesByKey({ places: max.perSite, ...noQueue })
  /** Runs an effect in a place. Fails with `own` where its client has no place left, else `full`. */
  const run =
    <E2>({ client, site }: Client, own: E2, full: E2) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> => {
      const placed = all.run(full)(effect)
      return clients.run(client)(own)(site === null ? placed : sites.run(site)(own)(placed))
    }
  return { run, running: all.running, waiting: all.waiting }
}
