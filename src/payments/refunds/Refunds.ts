/**
 * Giving back what is owed: a sweep works on whatever is due, each refund under a lease.
 *
 * @module
 */
import { Context, Effect, Fiber, FiberSet, Layer, Option, Ref } from "effect"
import { refundJob, type RefundOptions, type RefundOutcome } from "./refundJob.ts"
import { RefundStore } from "./RefundStore.ts"
import { defaultRefundTiming } from "./refundTiming.ts"
import { withDeadline } from "../../core/deadline.ts"

export class Refunds extends Context.Service<Refunds, {
  /**
   * Works on everything that is due, until nothing is, and tells what became of it. Any number of
   * workers may do so at once. Dies when the store does not say what is due.
   */
  readonly round: Effect.Effect<ReadonlyArray<RefundOutcome>>
}>()("bellwether/services/Refunds") {
  static readonly layer = (options: RefundOptions) => Layer.effect(Refunds, make(options))
}

/** Refunds worked on at once by one worker. */
const concurrency = 4
/** Refunds that each of these takes on in one sweep at most. */
const jobsMax = 250

const make = Effect.fnUntraced(function* (options: RefundOptions) {
  const { timing = defaultRefundTiming } = options
  const store = yield* RefundStore
  const work = yield* refundJob(options)
  const stopping = yield* Ref.make(false)
  const fibers = yield* FiberSet.make<RefundOutcome, never>()
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Ref.set(stopping, true),
      Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), timing.drain)),
    )
  )

  const claimed = store.claimDue(timing.lease, 1).pipe(
    withDeadline(timing.storePatience),
    Effect.flatMap(Option.match({
      onNone: () => Effect.die("The refund store does not answer"),
      onSome: ([refund]) => Effect.succeed(Option.fromNullishOr(refund)),
    })),
  )

  /** Works on one refund in a fiber of this service: who asked may go, the work comes to its end. */
  const next = Effect.uninterruptibleMask(Effect.fnUntraced(function* (restore) {
    const refund = (yield* Ref.get(stopping)) ? Option.none() : yield* claimed
    if (Option.isNone(refund)) return Option.none()
    const fiber = yield* FiberSet.run(fibers, Effect.interruptible(work(refund.value)))
    return Option.some(yield* restore(Fiber.join(fiber)))
  }))

  const several = Effect.gen(function* () {
    const outcomes: Array<RefundOutcome> = []
    while (outcomes.length < jobsMax) {
      const outcome = yield* next
      if (Option.isNone(outcome)) break
      outcomes.push(outcome.value)
    }
    return outcomes
  })

  const round = Effect.map(
    Effect.all(Array.from({ length: concurrency }, () => several), { concurrency: "unbounded" }),
    (outcomes) => outcomes.flat(),
  )

  return Refunds.of({ round })
})
