/**
 * Deadlines: for one effect, or for every operation of a store.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Exit, Fiber, Option } from "effect"
import { inSpan } from "./tracing.ts"

/** Work that must end in time. */
interface Limited {
  /** In milliseconds since the epoch. */
  readonly until: number
  readonly expire: () => void
}

/** Work with the same time limit, oldest first: it expires in this order, so one timer serves all. */
interface Line {
  readonly works: Set<Limited>
  timer: Fiber.Fiber<void> | null
}

/** By clock, because tests have clocks of their own, and by the limit in milliseconds. */
const lines = new WeakMap<Clock.Clock, Map<number, Line>>()

function lineOf(clock: Clock.Clock, limitMs: number): Line {
  const ofClock = lines.get(clock) ?? new Map<number, Line>()
  lines.set(clock, ofClock)
  const line = ofClock.get(limitMs) ?? { works: new Set(), timer: null }
  ofClock.set(limitMs, line)
  return line
}

/** Ends the work whose time is up, until none is left. */
const expiries = (clock: Clock.Clock, line: Line): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { works } = line
    const now = clock.currentTimeMillisUnsafe()
    for (const work of works) {
      if (work.until > now) return Effect.delay(Effect.void, work.until - now)
      works.delete(work)
      work.expire()
    }
    line.timer = null
    return Effect.void
  }).pipe(Effect.repeat({ while: () => line.timer !== null }), Effect.asVoid)

/**
 * The result of `effect` within `duration`, or none, for what every sale does several times. It needs
 * one fiber, where `Effect.timeout` needs two and a timer.
 */
const limited =
  (duration: Duration.Duration, { waitsForEnd }: { readonly waitsForEnd: boolean }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback<Option.Option<A>, E>((resume) => {
        const fork = Effect.runForkWith(context)
        const work = fork(effect)
        const done = work.pollUnsafe()
        if (done !== undefined) return resume(Exit.map(done, Option.some))
        const clock = Context.get(context, Clock.Clock)
        const limitMs = Duration.toMillis(duration)
        const line = lineOf(clock, limitMs)
        let isLate = false
        const entry: Limited = {
          until: clock.currentTimeMillisUnsafe() + limitMs,
          expire: () => {
            isLate = true
            if (!waitsForEnd) resume(Effect.succeedNone)
            work.interruptUnsafe()
          },
        }
        const leave = () => {
          line.works.delete(entry)
          if (line.works.size > 0) return
          line.timer?.interruptUnsafe()
          line.timer = null
        }
        line.works.add(entry)
        line.timer ??= fork(expiries(clock, line))
        work.addObserver((exit) => {
          leave()
          resume(isLate ? Effect.succeedNone : Exit.map(exit, Option.some))
        })
        return Effect.suspend(() => {
          leave()
          return waitsForEnd ? Fiber.interrupt(work) : Effect.sync(() => work.interruptUnsafe())
        })
      })
    )

/**
 * The result of `effect` within `duration`, or none. At the deadline the effect is interrupted in the
 * background; `withTimeout` would wait for the interruption, and a query on a dead connection takes
 * 5 s more to end.
 */
export const withDeadline = (duration: Duration.Duration) =>
  limited(duration, { waitsForEnd: false })

/** The result of `effect` within `duration`, or none once its interruption has ended. */
export const withTimeout = (duration: Duration.Duration) => limited(duration, { waitsForEnd: true })

/** Much longer than a statement takes under load, and much shorter than a buyer waits. */
export const storeDeadline = Duration.seconds(5)

type Operation =
  | Effect.Effect<unknown, unknown>
  | ((...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>)

/**
 * The same store with a deadline and a span for each operation. A late operation fails with a defect, but the
 * database may still commit it: callers must tolerate a failure after the commit anyway.
 */
export function storeWithDeadline<S extends { readonly [K in keyof S]: Operation }>(
  name: string,
  store: S,
  deadline = storeDeadline,
): S {
  const orDieLate = (operation: string, effect: Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(
      withDeadline(deadline)(effect),
      Option.match({
        onNone: () => Effect.die(`${name} did not answer in time`),
        onSome: (value) => Effect.succeed(value),
      }),
    ).pipe(inSpan("store", { operation }))
  const operations = Object.entries<Operation>(store).map(([key, operation]) => [
    key,
    Effect.isEffect(operation)
      ? orDieLate(key, operation)
      : (...args: ReadonlyArray<never>) => orDieLate(key, operation(...args)),
  ])
  return Object.fromEntries(operations) as S
}
