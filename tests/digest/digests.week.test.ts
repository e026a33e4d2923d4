/**
 * A simulated week of digests: a model that fails one call in five, replicas that are killed at their
 * calls, and a reader every minute. Time, randomness and ports are simulated; the jobs are real.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Duration, Effect, Layer, Option, Random, Ref, References } from "effect"
import { TestClock } from "effect/testing"
import { digestAgeMax, digestEvery } from "../../src/digest/domain/digest.ts"
import { day, hour, isoTime, minute, second } from "../../src/core/domain/time.ts"
import { jobTable, startJob } from "../../src/app/jobs.ts"
import { Digest } from "../../src/digest/Digest.ts"
import { DigestStore, type StoredDigest } from "../../src/digest/DigestStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { StoreClock } from "../../src/core/StoreClock.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { News } from "../../src/news/News.ts"
import { narrator, type NarratorBehaviour } from "../support/digest/digestNarrators.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { bareVenue, sampleRecord } from "../support/digest/digestService.ts"
import { test } from "../support/effect.ts"
import { jobSettings, otherServices } from "../support/jobServices.ts"
import { sized } from "../support/size.ts"
import { sampleItem } from "../support/feed/items.ts"
import { makeKiller } from "../support/killer.ts"
import { memoryDigests } from "../support/digest/memoryDigests.ts"
import { memoryFeed } from "../support/feed/memoryFeed.ts"
import { EntryStore } from "../../src/whales/EntryStore.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { memorySlots } from "../support/memorySlots.ts"

const start = Date.UTC(2026, 10, 16)
const slots = 42
const lateMax = 20 * minute
const tick = Duration.minutes(10)

/** Only the jobs of the news and the digest run. */
const jobNames = ["news", "digest", "housekeeping"]
const settings = jobSettings(tick)

/** A process makes fewer calls before it finishes. */
const callsMax = 50

const chance = (probability: number) => Effect.map(Random.next, (drawn) => drawn < probability)
const between = Random.nextIntBetween

/** One call in five fails, in one of all ways. */
const behaviour = Effect.gen(function* () {
  yield* Effect.sleep((yield* between(4, 25)) * second)
  if (yield* chance(0.8)) return "writes"
  const faults: ReadonlyArray<NarratorBehaviour> = ["fails", "crashes", "hangs", "lies", "omits"]
  return faults[yield* between(0, faults.length)] ?? "fails"
})

/** The venue is always read in full. */
const readNow = () => Effect.map(Clock.currentTimeMillis, Option.some)

const markets = Layer.mock(MarketStore, {
  watched: () => Effect.succeed(120),
  recentlyPriced: () => Effect.succeed([]),
  bySlug: () => Effect.succeedNone,
})

const coverage = { sources: 2, answered: 0 }
/** Reading the news fails now and then. */
const news = Layer.mock(News, {
  update: (slot) =>
    Effect.succeed({
      ...{ slot, sources: 0, answered: 0, headlines: 0 },
      ...{ rejected: {}, failed: [], seconds: 0 },
    }),
  storiesAbout: (subjects) =>
    Effect.flatMap(
      chance(0.1),
      (down) =>
        down
          ? Effect.die("no news")
          : Effect.succeed({ stories: subjects.map(() => []), coverage }),
    ),
  prune: Effect.void,
})

const whales = Layer.mergeAll(
  Layer.mock(EntryStore, {}),
  sampleRecord,
  Layer.mock(ScoreStore, { addForecasts: () => Effect.void }),
  Layer.mock(WalletStore, { tracked: Effect.succeed([]) }),
  Layer.mock(WhaleMarketStore, { ended: () => Effect.succeed([]) }),
)

/** Everything that replicas share, and a record of the stored digests. */
const makeStage = Effect.gen(function* () {
  const feed = memoryFeed()
  const digests = memoryDigests()
  const wrote: Array<StoredDigest> = []
  const begun = yield* Ref.make(0)
  const shared = {
    feed,
    begun,
    slots: yield* memorySlots,
    digests: DigestStore.of({
      ...digests,
      add: (digest) =>
        Effect.tap(
          digests.add(digest),
          (stored) => Effect.sync(() => stored && wrote.push(digest)),
        ),
    }),
    /** Reading the feed fails now and then, and with it the whole attempt. */
    head: (dayStart: number) =>
      Effect.andThen(Ref.update(begun, (n) => n + 1), chance(0.15)).pipe(
        Effect.flatMap((down) => down ? Effect.die("the feed is down") : feed.head(dayStart)),
      ),
  }
  return { ...shared, wrote }
})
type Stage = Effect.Success<typeof makeStage>

/** The service over the stage; the killer counts each call of a port. */
const digestsOver = (stage: Stage, { watched }: ReturnType<typeof makeKiller>) =>
  Digest.layer({ venue: "a simulated venue", methodUrl: null }).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Layer.succeed(FeedStore, watched({ ...stage.feed, head: stage.head })),
      Layer.succeed(DigestStore, watched(stage.digests)),
      Layer.succeed(JobSlots, watched({ ...stage.slots, lastOk: readNow })),
      Layer.succeed(StoreClock, { disagreement: Effect.succeed(null) }),
      Layer.succeed(Narrator, watched(narrator(behaviour))),
      ...[markets, news, whales, bareVenue],
    )),
    Layer.merge(otherServices),
  )

/** One process after another: each is killed at one of its calls, and the next starts after a while. */
const replica = Effect.fnUntraced(function* (stage: Stage, deaths: Ref.Ref<number>, away: number) {
  while (true) {
    const killer = makeKiller()
    const process = Effect.gen(function* () {
      const jobs = (yield* jobTable(settings)).filter(({ name }) => jobNames.includes(name))
      yield* Effect.forEach(jobs, startJob)
      return yield* Effect.never
    }).pipe(Effect.provide(Layer.fresh(digestsOver(stage, killer))), Effect.scoped)
    const call = yield* between(1, callsMax)
    if (yield* killer.killed(call, process)) yield* Ref.update(deaths, (n) => n + 1)
    yield* Effect.sleep((yield* between(1, 90)) * second)
    if (yield* chance(away)) yield* Effect.sleep((yield* between(1, 40)) * hour / 4)
  }
})

/** Appends up to `hourly` items, all created now. */
const append = Effect.fnUntraced(function* (stage: Stage, hourly: number) {
  const now = yield* Clock.currentTimeMillis
  const count = yield* between(0, hourly)
  const { index } = yield* stage.feed.head(now)
  for (let n = 1; n <= count; n++) {
    const { feedIndex: _, ...item } = sampleItem(index + n, now)
    yield* stage.feed.append([{ ...item, dedupeKey: `${index + n}` } as NewItem])
  }
})
type NewItem = Parameters<FeedStore["Service"]["append"]>[0][number]

/** The expected history, computed from the record without a query. */
const recounted = (wrote: ReadonlyArray<StoredDigest>, now: number, hours: number, limit: number) =>
  wrote.filter(({ belowThreshold }) => !belowThreshold).map(({ digest }) => digest)
    .filter(({ createdAt }) => createdAt >= isoTime(now - hours * hour))
    .sort((a, b) => a.createdAt < b.createdAt ? 1 : -1)
    .slice(0, limit)

const week = Effect.fnUntraced(function* (seed: string) {
  yield* TestClock.setTime(start)
  const stage = yield* makeStage
  const deaths = yield* Ref.make(0)
  const reader = yield* Effect.provide(Digest, Layer.fresh(digestsOver(stage, makeKiller())))
  yield* Effect.forkScoped(replica(stage, deaths, 0))
  yield* Effect.forkScoped(replica(stage, deaths, 0.1))
  let staleMinutes = 0
  for (let minutes = 1; minutes < slots * digestEvery / minute; minutes++) {
    yield* TestClock.adjust("1 minute")
    const now = yield* Clock.currentTimeMillis
    if (minutes % 60 === 0) yield* append(stage, 6)
    const fresh = yield* Effect.option(reader.fresh)
    if (fresh._tag === "None") staleMinutes += 1
    else {
      const age = now - Date.parse(fresh.value.digest.createdAt)
      ok(age >= 0 && age <= digestAgeMax, `a digest of age ${age} ms is served (seed ${seed})`)
      const { digest, belowThreshold } = stage.wrote.at(-1) ?? {}
      equal(fresh.value, { digest, belowThreshold })
    }
    if (yield* chance(0.02)) {
      const hours = yield* between(1, 169)
      const limit = yield* between(1, 43)
      equal(
        yield* reader.history(hours, limit),
        recounted(stage.wrote, now, hours, limit),
        `history of ${hours} hours, ${limit} at most, at ${isoTime(now)} (seed ${seed})`,
      )
    }
  }
  const begun = yield* Ref.get(stage.begun)
  return { wrote: stage.wrote, begun, deaths: yield* Ref.get(deaths), staleMinutes }
})

for (const seed of sized({ short: ["week-1"], full: ["week-1", "week-2", "week-3"] })) {
  test(`42 of 42 digests of a week are written once and in time, whichever replica dies (seed ${seed})`, () =>
    Effect.gen(function* () {
      const { wrote, begun, deaths, staleMinutes } = yield* week(seed)
      equal(
        wrote.map(({ slot }) => slot),
        Array.from({ length: slots }, (_, n) => start + n * digestEvery),
      )
      const lates = wrote.map(({ slot, digest }) => Date.parse(digest.createdAt) - slot)
      ok(Math.min(...lates) >= 0 && Math.max(...lates) <= lateMax, `late by ${Math.max(...lates)}`)
      // Only before the first digest there is nothing to sell.
      ok(staleMinutes * minute <= (lates[0] ?? 0), `${staleMinutes} minutes without a digest`)
      // Each begins where the previous one ended.
      for (const [n, { until, feedIndex, slot }] of wrote.entries()) {
        ok(until >= slot && feedIndex >= (wrote[n - 1]?.feedIndex ?? 0))
      }
      // A week without kills and failures would prove nothing.
      const byTemplate = wrote.filter(({ digest }) => digest.narrator === "template").length
      ok(deaths > 300, `only ${deaths} processes died`)
      ok(begun > 1.25 * slots, `only ${begun} attempts for ${slots} digests`)
      ok(byTemplate < slots, "the model wrote nothing")
      ok(
        wrote.filter(({ belowThreshold }) => !belowThreshold).length > slots / 2,
        "nothing to sell",
      )
      equal(new Set(wrote.map(({ digest }) => digest.id)).size, slots)
      ok(Date.parse(wrote.at(-1)?.digest.createdAt ?? "") < start + 7 * day)
    }).pipe(
      Random.withSeed(seed),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ))
}
