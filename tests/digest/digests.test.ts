/**
 * The digest service over a real store: the content of a digest, its author, and when it is sold.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { readableName } from "../../src/core/domain/untrusted.ts"
import {
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Ref,
  References,
} from "effect"
import { TestClock } from "effect/testing"
import { readMaterial } from "../../src/digest/reading.ts"
import { EntryStore } from "../../src/whales/EntryStore.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { digestAgeMax, digestEvery } from "../../src/digest/domain/digest.ts"
import type { DigestPart } from "../../src/digest/domain/material.ts"
import { day, hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { DigestStore } from "../../src/digest/DigestStore.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { Slug } from "../../src/markets/domain/market.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { News } from "../../src/news/News.ts"
import { NewsStore } from "../../src/news/NewsStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import type { NarratorBehaviour } from "../support/digest/digestNarrators.ts"
import {
  digestsOn,
  makeNarrator,
  moverAt,
  namesInLastBrief,
  type Ports,
  portsLayer,
  reading,
} from "../support/digest/digestService.ts"
import { test } from "../support/effect.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { bookOf, endingMarket } from "../support/products.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import type { Forecast } from "../../src/track-record/domain/forecasts.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { TrackRecord } from "../../src/track-record/TrackRecord.ts"
import { embeddedStore } from "../support/stores.ts"

const noon = Date.UTC(2026, 10, 21, 12)

/** A service on an empty store, two minutes after noon; `withFaults` may replace ports. */
const setUp = Effect.fnUntraced(function* (
  withFaults: (ports: Context.Context<Ports>) => Context.Context<Ports> = (ports) => ports,
) {
  yield* TestClock.setTime(noon + 2 * minute)
  const built = reading(yield* Layer.build(portsLayer.pipe(Layer.provide(embeddedStore))))
  /** When the venue was last read; null for never, and by default at every instant. */
  const readAt = yield* Ref.make<number | null | "now">("now")
  const lastOk = () =>
    Effect.gen(function* () {
      const at = yield* Ref.get(readAt)
      return Option.fromNullOr(at === "now" ? yield* Clock.currentTimeMillis : at)
    })
  const ports = Context.add(built, JobSlots, { ...Context.get(built, JobSlots), lastOk })
  const narrator = yield* makeNarrator
  const digests = yield* digestsOn(withFaults(ports), narrator.service)
  const feed = Context.get(ports, FeedStore)
  const append = (n: number, at: number) => feed.append([moverAt(n, at)])
  const wrote = Effect.map(digests.write, Option.getOrThrow)
  return { ports, narrator, digests, append, wrote, readAt }
})

const question = (n: number) => `Will number ${n} come?`
const quiet = Effect.provideService(References.MinimumLogLevel, "None")

test("write() fills the current slot, once", () =>
  Effect.gen(function* () {
    const { ports, digests, append, wrote } = yield* setUp()
    for (const n of [7, 8, 9]) yield* append(n, noon)
    const report = yield* wrote
    equal([report.slot, report.stored, report.narrator], [noon, true, "a model"])
    equal([report.refused, report.unwritten, report.missing], [0, 0, []])
    ok(report.words >= 40 && report.words <= 800, `${report.words} words`)
    const [stored] = yield* Context.get(ports, DigestStore).since(0, 9)
    equal([stored?.slot, stored?.until, stored?.feedIndex], [noon, noon + 2 * minute, 3])
    const { digest } = stored ?? storedDigest(0)
    equal([digest.id, digest.createdAt], ["digest-2026-11-21T12", isoTime(noon + 2 * minute)])
    ok(digest.fullAnalysis.includes(question(7)) && digest.sourcesUsed.length > 0)
    equal(yield* digests.fresh, { digest, belowThreshold: false })
    yield* TestClock.adjust(digestEvery - 2 * minute - 1)
    ok(Option.isNone(yield* digests.write))
    yield* TestClock.adjust(1)
    strictEqual((yield* wrote).slot, noon + digestEvery)
  }))

test("write() by two replicas at once leaves one digest, and one of them says so", () =>
  Effect.gen(function* () {
    const { ports, narrator, digests, append } = yield* setUp()
    for (const n of [1, 2, 3]) yield* append(n, noon)
    const other = yield* digestsOn(ports, narrator.service)
    const reports = yield* Effect.all([digests.write, other.write], { concurrency: 2 })
    const stored = reports.flatMap((made) => Option.isSome(made) ? [made.value.stored] : [])
    strictEqual(stored.filter((one) => one).length, 1)
    strictEqual((yield* Context.get(ports, DigestStore).since(0, 9)).length, 1)
  }))

test("each item is in the first digest after it became visible, and in no other", () =>
  Effect.gen(function* () {
    const { narrator, append, wrote } = yield* setUp()
    yield* append(1, noon - 24 * hour)
    yield* append(2, noon - 23 * hour)
    yield* append(3, noon)
    yield* wrote
    const reported = (...numbers: ReadonlyArray<number>) => {
      const names = namesInLastBrief(narrator.calls)
      equal([1, 2, 3, 4, 5].filter((n) => names.has(question(n))), numbers)
    }
    // At most a day back.
    reported(2, 3)
    // Created before that digest, and visible after it.
    yield* append(4, noon + minute)
    yield* TestClock.setTime(noon + digestEvery)
    yield* append(5, noon + digestEvery)
    yield* wrote
    reported(4, 5)
    yield* TestClock.setTime(noon + 2 * digestEvery)
    yield* wrote
    reported()
  }))

test("a first digest counts entries from an hour before the service watched, later ones their window's", () =>
  Effect.gen(function* () {
    const until = noon + 2 * minute
    const entriesFrom = Effect.fnUntraced(function* (
      times: ReadonlyArray<number>,
      last: Parameters<typeof readMaterial>[1] = null,
    ) {
      const { append, ports } = yield* setUp()
      for (const [n, at] of times.entries()) yield* append(n, at)
      const { material } = yield* readMaterial(
        {
          feed: Context.get(ports, FeedStore),
          markets: Context.get(ports, MarketStore),
          venue: Context.get(ports, VenueClient),
          wallets: Context.get(ports, WalletStore),
          whales: Context.get(ports, EntryStore),
          trackRecord: Context.get(ports, TrackRecord),
          whaleMarkets: Context.get(ports, WhaleMarketStore),
          news: Context.get(ports, News),
          slots: Context.get(ports, JobSlots),
        },
        last,
        until,
      )
      return material.coverage.wallets.from
    })
    strictEqual(yield* entriesFrom([noon - 20 * minute, noon]), noon - 80 * minute)
    strictEqual(yield* entriesFrom([noon - 3 * day, noon]), until - day)
    // Nothing is in the feed: only the last tick is known, which was now.
    strictEqual(yield* entriesFrom([]), until - hour)
    const last = { until: noon - 4 * hour, feedIndex: 0, digest: { facts: [] } }
    strictEqual(yield* entriesFrom([noon - 20 * minute], last), last.until)
  }))

test("a digest after an outage covers one day at most, and missed slots stay empty", () =>
  Effect.gen(function* () {
    const { ports, narrator, digests, append, wrote } = yield* setUp()
    for (const n of [3, 4, 5]) yield* append(n, noon)
    yield* wrote
    yield* append(1, noon + hour)
    for (const n of [2, 6, 7]) yield* append(n, noon + 20 * hour)
    yield* TestClock.setTime(noon + 30 * hour)
    const { _tag, retryAfterSeconds } = yield* Effect.flip(digests.fresh)
    equal([_tag, retryAfterSeconds], ["DigestStale", 60])
    yield* wrote
    const { startsAt, endsAt } = narrator.calls.at(-1)?.facts
      .find(({ values }) => values["startsAt"] !== undefined)?.values ?? {}
    ok(startsAt?.type === "time" && endsAt?.type === "time")
    equal([startsAt.at, endsAt.at], [noon + 6 * hour, noon + 30 * hour])
    const names = namesInLastBrief(narrator.calls)
    equal([1, 2].filter((n) => names.has(question(n))), [2])
    const stored = yield* Context.get(ports, DigestStore).since(0, 99)
    equal(stored.map(({ slot }) => slot), [noon + 28 * hour, noon])
  }))

test("the numbers that a digest states are stored once, to be scored", () =>
  Effect.gen(function* () {
    const card = sampleScorecard(noon)
    const settled = { moves: 400, meanDrift: 0.1, driftLow: 0.09, driftHigh: 0.11 }
    const after24h = { ...card.movers.drift.after24h, settled }
    const drift = { ...card.movers.drift, after24h } as typeof card.movers.drift
    const moved = { ...endingMarket(9, noon), slug: Slug.make("number-9"), endsAt: noon + 9 * day }
    const stored: Array<Forecast> = []
    const { append, ports, digests, wrote } = yield* setUp((ports) =>
      ports.pipe(
        Context.add(TrackRecord, {
          ...Context.get(ports, TrackRecord),
          scorecard: Effect.succeed({ ...card, movers: { ...card.movers, drift } }),
        }),
        Context.add(VenueClient, {
          ...Context.get(ports, VenueClient),
          books: () => Effect.succeed({ rows: [bookOf(moved, noon, 0.5)], rejected: {} }),
        }),
        Context.add(ScoreStore, {
          ...Context.get(ports, ScoreStore),
          addForecasts: (forecasts) => Effect.sync(() => void stored.push(...forecasts)),
        }),
      )
    )
    yield* append(9, noon)
    const markets = Context.get(ports, MarketStore)
    yield* markets.save([moved], noon)
    yield* markets.appendMids([{ marketId: moved.id, at: noon, mid: 0.5 }])
    yield* wrote
    const [number, ...others] = stored
    ok(number !== undefined && number.probability > 0.55, JSON.stringify(stored))
    equal(others, [])
    equal([number.kind, number.marketId, number.baseline], ["price", moved.id, 0.5])
    const { digest } = Option.getOrThrow(yield* digests.latest)
    ok(digest.facts.some(({ statement }) => statement.startsWith("Our fair price of Yes is 0.5")))
    ok(Option.isNone(yield* digests.write))
    strictEqual(stored.length, 1)
  }))

test("a digest contains recent headlines about its markets, with their prices", () =>
  Effect.gen(function* () {
    const { append, ports, narrator, wrote } = yield* setUp()
    yield* append(3, noon)
    const soon = { ...endingMarket(3, noon), slug: Slug.make("number-3") }
    const markets = Context.get(ports, MarketStore)
    yield* markets.save([soon], noon)
    yield* markets.appendMids([{ marketId: soon.id, at: noon, mid: 0.37 }])
    const news = Context.get(ports, NewsStore)
    const source = "wire.example"
    yield* news.saveRead(source, noon, true)
    yield* news.add(
      [[soon.question, noon - hour], ["Long ago", noon - 2 * day]].map(([title, at], n) => ({
        ...{ title: `Report: ${title}`, url: `https://wire.example/${n}`, source },
        publishedAt: Number(at),
      })),
      noon,
    )
    yield* wrote
    const names = namesInLastBrief(narrator.calls)
    const headlines = [soon.question, "Long ago"].map((title) => readableName(`Report: ${title}`))
    equal(headlines.map((headline) => names.has(headline)), [true, false])
    ok(narrator.calls.at(-1)?.facts.some(({ statement }) => statement.includes("0.37")))
  }))

/** A faulty port, and the part of a digest that is then missing. */
const failing: ReadonlyArray<
  readonly [DigestPart, (ports: Context.Context<Ports>) => Context.Context<Ports>]
> = [
  [
    "whales",
    (ports) =>
      Context.add(ports, WhaleMarketStore, {
        ...Context.get(ports, WhaleMarketStore),
        ended: () => Effect.die("down"),
      }),
  ],
  [
    "news",
    (ports) =>
      Context.add(ports, News, {
        ...Context.get(ports, News),
        storiesAbout: () => Effect.die("down"),
      }),
  ],
  [
    "markets",
    (ports) =>
      Context.add(ports, MarketStore, {
        ...Context.get(ports, MarketStore),
        recentlyPriced: () => Effect.die("down"),
      }),
  ],
  [
    "proposals",
    (ports) =>
      ports.pipe(
        Context.add(MarketStore, {
          ...Context.get(ports, MarketStore),
          recentlyPriced: () =>
            Effect.map(Clock.currentTimeMillis, (at) => [{
              market: { ...endingMarket(1, noon), status: "proposed" },
              price: { at, mid: 0.4 },
            }]),
        }),
        Context.add(VenueClient, {
          ...Context.get(ports, VenueClient),
          proposals: () => Effect.die("down"),
        }),
      ),
  ],
]
for (const [part, withFaults] of failing) {
  test(`a digest is written without its ${part}, and says so`, () =>
    Effect.gen(function* () {
      const { digests, append, wrote } = yield* setUp(withFaults)
      yield* append(7, noon)
      equal((yield* wrote).missing, [part])
      const { fullAnalysis } = (yield* digests.fresh).digest
      ok(/could not be read/.test(fullAnalysis), fullAnalysis)
      ok(fullAnalysis.includes(question(7)))
    }).pipe(quiet))
}

test("a part that takes too long is missing", () =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const storiesAbout = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const { wrote } = yield* setUp((ports) =>
      Context.add(ports, News, { ...Context.get(ports, News), storiesAbout })
    )
    const fiber = yield* Effect.forkChild(wrote)
    yield* Deferred.await(reached)
    yield* TestClock.adjust("40 seconds")
    equal((yield* Fiber.join(fiber)).missing, ["news"])
  }).pipe(quiet))

test("write() fails without the feed, and succeeds when it is back", () =>
  Effect.gen(function* () {
    let down = true
    const { digests, append, wrote } = yield* setUp((ports) => {
      const feed = Context.get(ports, FeedStore)
      const head = (at: number) => down ? Effect.die("down") : feed.head(at)
      return Context.add(ports, FeedStore, { ...feed, head })
    })
    yield* append(7, noon)
    ok(Exit.isFailure(yield* Effect.exit(digests.write)))
    ok(Option.isNone(yield* digests.latest))
    down = false
    equal((yield* wrote).slot, noon)
  }).pipe(quiet))

/** A behaviour, the author of the digest, whether claims are refused, and the missing answers. */
const behaviours: ReadonlyArray<readonly [NarratorBehaviour, string, boolean, number]> = [
  ["writes", "a model", false, 0],
  ["lies", "template", true, 0],
  ["omits", "template", true, 0],
  ["fails", "template", false, 1],
  ["crashes", "template", false, 1],
]
for (const [behaviour, by, refused, unwritten] of behaviours) {
  test(`with a narrator that ${behaviour} the digest is by ${by}`, () =>
    Effect.gen(function* () {
      const { narrator, digests, append, wrote } = yield* setUp()
      yield* append(7, noon)
      yield* Ref.set(narrator.behaviour, behaviour)
      const report = yield* wrote
      equal([report.narrator, report.refused > 0, report.unwritten], [by, refused, unwritten])
      const { digest } = yield* digests.fresh
      strictEqual(digest.narrator, by)
      ok(!/98,765,432/.test(JSON.stringify(digest)))
      strictEqual(narrator.calls.length, 1)
    }).pipe(quiet))
}

test("write() gives up on a hanging narrator after four minutes", () =>
  Effect.gen(function* () {
    const { narrator, wrote } = yield* setUp()
    yield* Ref.set(narrator.behaviour, "hangs")
    const fiber = yield* Effect.forkChild(wrote)
    yield* Deferred.await(narrator.hanging)
    yield* TestClock.adjust("239 seconds")
    strictEqual(fiber.pollUnsafe(), undefined)
    yield* TestClock.adjust("1 second")
    const { narrator: by, seconds } = yield* Fiber.join(fiber)
    equal([by, seconds], ["template", 240])
  }).pipe(quiet))

test("no digest is written until a tick ended well in its window, and then one is", () =>
  Effect.gen(function* () {
    const { ports, digests, narrator, append, wrote, readAt } = yield* setUp()
    const { latest } = Context.get(ports, DigestStore)
    for (const n of [1, 2, 3]) yield* append(n, noon)
    yield* Ref.set(readAt, null)
    ok(Option.isNone(yield* digests.write) && Option.isNone(yield* latest))
    strictEqual((yield* Effect.flip(digests.fresh)).latestAt, null)
    yield* Ref.set(readAt, noon)
    yield* wrote
    // The next window begins where that digest ended: a tick before it is not in the window.
    yield* TestClock.setTime(noon + digestEvery)
    yield* Ref.set(readAt, noon + 2 * minute - 1)
    ok(Option.isNone(yield* digests.write))
    yield* Ref.set(readAt, noon + 2 * minute)
    strictEqual((yield* wrote).slot, noon + digestEvery)
    strictEqual(narrator.calls.length, 2)
  }))

/** Items, when the venue was last read before the digest, and what fails; is it below the threshold? */
const thin: ReadonlyArray<
  readonly [items: number, readAgo: number, parts: number, belowThreshold: boolean]
> = [
  [0, 0, 0, true],
  [2, 0, 0, true],
  [3, 0, 0, false],
  [3, hour, 0, false],
  [3, hour + 1, 0, true],
  [3, 0, 1, false],
  [3, 0, 2, true],
]
for (const [items, readAgo, parts, belowThreshold] of thin) {
  test(
    `a digest of ${items} items, ${readAgo} ms after a tick, without ${parts} parts is ${
      belowThreshold ? "not charged" : "sold"
    }`,
    () =>
      Effect.gen(function* () {
        const { digests, append, wrote, readAt } = yield* setUp((ports) =>
          failing.slice(0, parts).reduce((faulty, [, withFaults]) => withFaults(faulty), ports)
        )
        for (let n = 1; n <= items; n++) yield* append(n, noon)
        yield* Ref.set(readAt, noon + 2 * minute - readAgo)
        strictEqual((yield* wrote).belowThreshold, belowThreshold)
        strictEqual((yield* digests.fresh).belowThreshold, belowThreshold)
        strictEqual((yield* digests.history(24, 9)).length, belowThreshold ? 0 : 1)
      }).pipe(quiet),
  )
}

test("a digest is fresh up to its maximum age, and then stale", () =>
  Effect.gen(function* () {
    const { append, digests, wrote } = yield* setUp()
    strictEqual((yield* Effect.flip(digests.fresh))._tag, "DigestStale")
    yield* append(1, noon)
    yield* wrote
    yield* TestClock.adjust(digestAgeMax)
    strictEqual((yield* digests.fresh).digest.narrator, "a model")
    yield* TestClock.adjust(1)
    strictEqual((yield* Effect.flip(digests.fresh))._tag, "DigestStale")
    const latest = Option.getOrThrow(yield* digests.latest)
    equal([latest.stale, latest.digest.createdAt], [true, isoTime(noon + 2 * minute)])
  }))

test("prune deletes no digest that a history of seven days contains", () =>
  Effect.gen(function* () {
    const { ports, digests } = yield* setUp()
    const store = Context.get(ports, DigestStore)
    for (let n = 0; n < 60; n++) {
      yield* store.add(storedDigest(noon - n * digestEvery + 19 * minute))
    }
    yield* TestClock.setTime(noon + 19 * minute)
    const before = yield* digests.history(168, 99)
    strictEqual(before.length, 43)
    // Each run deletes one slot.
    yield* Effect.replicateEffect(digests.prune, 20)
    equal(yield* digests.history(168, 99), before)
    strictEqual((yield* store.since(0, 99)).length, 43)
  }))
