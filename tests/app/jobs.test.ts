/**
 * The table of jobs: a replica whose clock disagrees with the store's runs no leased job.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { jobTable, startJob } from "../../src/app/jobs.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { StoreClock } from "../../src/core/StoreClock.ts"
import { Digest } from "../../src/digest/Digest.ts"
import { News } from "../../src/news/News.ts"
import { test } from "../support/effect.ts"
import { jobSettings, otherServices } from "../support/jobServices.ts"
import { memorySlots } from "../support/memorySlots.ts"

test("a wrong clock holds every leased job and no other, until five seconds after it agrees", () =>
  Effect.gen(function* () {
    const disagreement = yield* Ref.make<string | null>("The clock of this machine is wrong")
    const services = Layer.mergeAll(
      ...[otherServices, Layer.mock(Digest, {}), Layer.mock(News, {})],
      Layer.succeed(StoreClock, { disagreement: Ref.get(disagreement) }),
      Layer.succeed(JobSlots, yield* memorySlots),
    )
    const ran = new Set<string>()
    yield* Effect.gen(function* () {
      const jobs = yield* jobTable(jobSettings(Duration.minutes(10)))
      const started = jobs.map((job) => ({
        ...job,
        first: Effect.void,
        after: Effect.void,
        run: () => Effect.sync(() => void ran.add(job.name)),
      }))
      yield* Effect.forEach(started, startJob)
      yield* TestClock.adjust("10 minutes")
      equal([...ran], ["sweep payments", "scan the chain"])
      yield* Ref.set(disagreement, null)
      yield* TestClock.adjust("5 seconds")
      equal(ran, new Set(jobs.map(({ name }) => name)))
    }).pipe(Effect.provide(services))
  }))
