/**
 * Jobs run in their aligned slots, one replica at a time, and continue after a failure.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Duration, Effect, Fiber, Logger, Metric, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { runEverySlot, runSlot, slotOf } from "../../src/core/leasedJobs.ts"
import { test } from "../support/effect.ts"
import { memorySlots } from "../support/memorySlots.ts"

const every = Duration.minutes(10)

test("runEverySlot() runs the current slot at once, then each slot as it begins", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(25 * 60_000)
    const ran: Array<number> = []
    const job = {
      name: "job",
      every,
      run: (slot: number) => Effect.sync(() => void ran.push(slot)),
    }
    yield* Effect.forkScoped(
      runEverySlot(job).pipe(Effect.provideService(JobSlots, yield* memorySlots)),
    )
    yield* TestClock.adjust("30 minutes")
    equal(ran, [20, 30, 40, 50].map((minutes) => minutes * 60_000))
  }))

test("runEverySlot() waits at most for the length of a slot after the clock is set back", () =>
  Effect.gen(function* () {
    const day = 24 * 3_600_000
    yield* TestClock.setTime(3 * day)
    const ran: Array<number> = []
    const job = {
      name: "job",
      every,
      run: (slot: number) =>
        Effect.suspend(() => {
          ran.push(slot)
          return slot === 3 * day ? TestClock.setTime(day) : Effect.void
        }),
    }
    yield* Effect.forkScoped(
      runEverySlot(job).pipe(Effect.provideService(JobSlots, yield* memorySlots)),
    )
    yield* TestClock.adjust(0)
    yield* TestClock.adjust(every)
    equal(ran, [3 * day, day + Duration.toMillis(every)])
  }))

test("the lines of a run have the ids of the job and of its slot, also when it fails", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(25 * 60_000)
    const seen: Array<unknown> = []
    const logger = Logger.make(({ fiber, message }) =>
      void seen.push([message, fiber.getRef(References.CurrentLogAnnotations)])
    )
    const job = {
      name: "scan the chain",
      every,
      run: () => Effect.andThen(Effect.logInfo("scanned"), Effect.die("failed slot")),
    }
    yield* runSlot(yield* memorySlots, job, 20 * 60_000).pipe(
      Effect.provide(Logger.layer([logger])),
    )
    const ids = { job: "scan the chain", tickId: "scan-the-chain/1970-01-01T00:20:00.000Z" }
    equal(seen.map((line) => JSON.parse(JSON.stringify(line))), [
      [["scanned"], ids],
      [["scan the chain failed"], ids],
    ])
  }))

test("runEverySlot() runs the next slot after a slot fails", () =>
  Effect.gen(function* () {
    const ran: Array<number> = []
    const run = (slot: number) =>
      Effect.suspend(() => {
        ran.push(slot)
        return slot === 0 ? Effect.die("failed slot") : Effect.void
      })
    yield* Effect.forkScoped(
      runEverySlot({ name: "job", every, run }).pipe(
        Effect.provideService(JobSlots, yield* memorySlots),
      ),
    )
    yield* TestClock.adjust("10 minutes")
    equal(ran, [0, 600_000])
  }))

test("runEverySlot() continues when the store does not answer a claim", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    const ran: Array<number> = []
    let silent = true
    const silentSlots = JobSlots.of({
      ...slots,
      claim: (...args) => silent ? Effect.never : slots.claim(...args),
    })
    const run = (slot: number) => Effect.sync(() => void ran.push(slot))
    yield* Effect.forkScoped(
      runEverySlot({ name: "job", every, run }).pipe(Effect.provideService(JobSlots, silentSlots)),
    )
    yield* TestClock.adjust("1 minute")
    silent = false
    yield* TestClock.adjust("2 minutes")
    equal(ran, [0])
  }))

test("runEverySlot() on two replicas runs each slot once", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    const ran: Array<number> = []
    const job = {
      name: "job",
      every,
      run: (slot: number) => Effect.sync(() => void ran.push(slot)),
    }
    const replica = runEverySlot(job).pipe(Effect.provideService(JobSlots, slots))
    yield* Effect.forkScoped(replica)
    yield* Effect.forkScoped(replica)
    yield* TestClock.adjust("20 minutes")
    equal(ran, [0, 600_000, 1_200_000])
  }))

test("runEverySlot() takes over the slot of a dead replica within two leases", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    const ran: Array<string> = []
    const replica = (name: string, work: Effect.Effect<void>) =>
      runEverySlot({
        name: "job",
        every,
        run: (slot) => Effect.andThen(Effect.sync(() => void ran.push(`${name} ${slot}`)), work),
      }).pipe(Effect.provideService(JobSlots, slots))
    const first = yield* Effect.forkChild(replica("first", Effect.never))
    yield* TestClock.adjust("1 second")
    yield* Effect.forkScoped(replica("second", Effect.void))
    yield* TestClock.adjust("4 minutes")
    equal(ran, ["first 0"])
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("2 minutes")
    equal(ran, ["first 0", "second 0"])
    yield* TestClock.adjust("3 minutes")
    equal(ran.length, 2)
  }))

test("runSlot() keeps its lease for as long as the job runs", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    const job = { name: "job", every, run: () => Effect.sleep("9 minutes") }
    const first = yield* Effect.forkChild(runSlot(slots, job, 0))
    yield* TestClock.adjust("5 minutes")
    equal(yield* runSlot(slots, job, 0), false)
    yield* TestClock.adjust("4 minutes")
    equal(yield* Fiber.join(first), true)
  }))

test("runSlot() stops the job when another replica owns the lease", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    let finished = false
    const run = () =>
      Effect.andThen(Effect.sleep("5 minutes"), Effect.sync(() => (finished = true)))
    const lostLease = JobSlots.of({ ...slots, renew: () => Effect.succeed(false) })
    const first = yield* Effect.forkChild(
      runSlot(lostLease, { name: "job", every, run: () => Effect.asVoid(run()) }, 0),
    )
    yield* TestClock.adjust("10 minutes")
    equal(yield* Fiber.join(first), false)
    equal(finished, false)
  }))

test("runs of a job are timed by their outcome", () =>
  Effect.gen(function* () {
    const slots = yield* memorySlots
    const slotsOfAnother = JobSlots.of({ ...slots, renew: () => Effect.succeed(false) })
    const job = { name: "job", every, run: () => Effect.sleep("2 minutes") }
    const runs = Effect.all([
      runSlot(slots, job, 0),
      runSlot(slots, { ...job, run: () => Effect.die("failed") }, 1),
      runSlot(slotsOfAnother, job, 2),
    ])
    const fiber = yield* Effect.forkChild(runs)
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
    const text = yield* PrometheusMetrics.format()
    match(text, /^job_seconds_sum\{name="job",outcome="ok"\} 120$/m)
    match(text, /^job_seconds_count\{name="job",outcome="failed"\} 1$/m)
    match(text, /^job_seconds_count\{name="job",outcome="lost"\} 1$/m)
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

test("slotOf() is the last multiple of the interval at or before an instant", () =>
  Effect.sync(() => {
    equal(slotOf(600_000, every), 600_000)
    equal(slotOf(1_199_999, every), 600_000)
  }))
