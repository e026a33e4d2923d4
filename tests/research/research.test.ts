/**
 * The research service: required and optional inputs of a report, and one report for concurrent callers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Fiber, Layer, Ref, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { day, hour, minute, second as aSecond } from "../../src/core/domain/time.ts"
import { agreeing } from "../support/writing/pages.ts"
import type { ClaimDraft, DraftRequest } from "../../src/writing/domain/claims.ts"
import { ModelFailed } from "../../src/writing/Model.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import type { Forecast } from "../../src/track-record/domain/forecasts.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { TrackRecord } from "../../src/track-record/TrackRecord.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { Research } from "../../src/research/Research.ts"
import { lease, pollEvery, reportAgeMax, waitMax } from "../../src/research/sharedReports.ts"
import { test } from "../support/effect.ts"
import { now } from "../support/movers/market.ts"
import { memoryReports } from "../support/research/memoryReports.ts"
import {
  alwaysFresh,
  bookOf,
  endingMarket,
  makeProductPorts,
  pricesOver,
  productPortsLayer,
} from "../support/products.ts"
import { headline, openEntry } from "../support/research/reports.ts"
import { trackedWallet } from "../support/whales/entries.ts"

const market = endingMarket(1, now)

/** Two replicas over one store and one venue, with one market that can be reported on. */
const stage = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const shelf = yield* makeProductPorts
  yield* Ref.set(shelf.markets, [market])
  yield* Ref.set(shelf.series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  yield* Ref.set(shelf.books, [bookOf(market, now)])
  const store = memoryReports()
  const polls = yield* Ref.make(0)
  const scoresUp = yield* Ref.make(true)
  const stated = yield* Ref.make<ReadonlyArray<Forecast>>([])
  const drafts = yield* Ref.make<ReadonlyArray<DraftRequest>>([])
  /** What the narrator does. */
  const writes = yield* Ref.make<Writes>(() => Effect.succeed([]))
  const narrator = Layer.succeed(Narrator, {
    ...agreeing,
    name: "a model",
    draft: (request) =>
      Effect.andThen(
        Ref.update(drafts, (all) => [...all, request]),
        Effect.flatMap(Ref.get(writes), (write) => write(request)),
      ),
  })
  /** One more replica; `faults` replaces methods of its store. */
  const replica = (faults: Partial<ReportStore["Service"]> = {}) => {
    const faultyStore: ReportStore["Service"] = {
      ...store,
      begin: (...args) => Effect.andThen(Ref.update(polls, (n) => n + 1), store.begin(...args)),
      ...faults,
    }
    const ports = Layer.mergeAll(
      productPortsLayer(shelf),
      alwaysFresh,
      narrator,
      Layer.succeed(ReportStore, faultyStore),
      recordPorts(stated, scoresUp),
    )
    return Effect.map(
      Layer.build(Layer.fresh(Research.layer).pipe(Layer.provide(ports))),
      (built) => Context.get(built, Research),
    )
  }
  return {
    ...{ shelf, store, polls, scoresUp, stated, drafts, writes, replica },
    first: yield* replica(),
    second: yield* replica(),
  }
})
/** An empty record, to which stated estimates are added. */
const recordPorts = (stated: Ref.Ref<ReadonlyArray<Forecast>>, isUp: Ref.Ref<boolean>) =>
  Layer.mergeAll(
    Layer.mock(FeedStore, { moversSince: () => Effect.succeed([]) }),
    Layer.mock(TrackRecord, { scorecard: Effect.succeed(sampleScorecard(now)) }),
    Layer.mock(ScoreStore, {
      addForecasts: (added) =>
        Effect.flatMap(
          Ref.get(isUp),
          (up) => up ? Ref.update(stated, (all) => [...all, ...added]) : Effect.die("down"),
        ),
    }),
  )
type Stage = Effect.Success<typeof stage>
type Writes = (request: DraftRequest) => Effect.Effect<ReadonlyArray<ClaimDraft>, ModelFailed>

const quiet = Effect.provideService(References.MinimumLogLevel, "None")
const onStage = <E>(
  name: string,
  body: (stage: Stage) => Effect.Effect<void, E, Scope.Scope>,
) => test(name, () => Effect.flatMap(stage, body).pipe(quiet))

/** The result of a call, after advancing the clock. */
const after = Effect.fnUntraced(function* <A, E>(
  duration: Duration.Input,
  call: Effect.Effect<A, E>,
) {
  const fiber = yield* Effect.forkChild(Effect.result(call))
  yield* TestClock.adjust(duration)
  return yield* Effect.flatMap(Fiber.join(fiber), Effect.fromResult)
})

/** Concurrent calls for one market, by its own slug and by that of its event. */
const callers = ({ report }: Research["Service"], count: number) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => report(n % 2 === 0 ? "market-1" : "event-1")),
    { concurrency: "unbounded" },
  )

onStage(
  "Research.check() finds a market by its slug, or by that of an event with one live market",
  Effect.fnUntraced(function* ({ shelf: { markets, venueRequests }, first: { check } }) {
    const eventSlug = "cup"
    yield* Ref.set(markets, [market, endingMarket(2, now, { eventSlug })])
    for (const slug of ["market-1", "Market-1", "cup", "CUP"]) yield* check(slug)
    strictEqual((yield* Effect.flip(check("nowhere")))._tag, "MarketNotFound")
    yield* Ref.update(markets, (all) => [...all, endingMarket(3, now, { eventSlug })])
    const refused = yield* Effect.flip(check("cup"))
    equal(refused._tag === "MarketAmbiguous" && refused.markets, ["market-2", "market-3"])
    // Each market once, and the unknown slug.
    strictEqual(yield* Ref.get(venueRequests), 3)
  }),
)

onStage(
  "Research.check() refuses what a report would fail on, and keeps what it read for the report",
  Effect.fnUntraced(
    function* ({ shelf: { series, books, venueUp, venueRequests }, first, second }) {
      const refusal = Effect.map(Effect.flip(first.check("market-1")), ({ _tag }) => _tag)
      const week = yield* Ref.getAndSet(series, [])
      strictEqual(yield* refusal, "BelowThreshold", "no prices")
      yield* Ref.set(series, week.map(({ at, mid }) => ({ at: at - 2 * day, mid })))
      const book = yield* Ref.getAndSet(books, [])
      strictEqual(yield* refusal, "BelowThreshold", "old prices and no book")
      yield* Ref.set(series, week)
      yield* Ref.set(books, book)
      yield* Ref.set(venueUp, false)
      strictEqual(yield* refusal, "VenueFailed")
      yield* Ref.set(venueUp, true)
      const before = yield* Ref.get(venueRequests)
      yield* first.check("market-1")
      yield* first.check("market-1")
      strictEqual((yield* Ref.get(venueRequests)) - before, 1)
      yield* Ref.set(venueUp, false)
      yield* TestClock.adjust("59 seconds")
      strictEqual((yield* first.report("market-1")).report.evidence.microstructure === null, false)
      // The stored report is sold as long as it outlasts the sale.
      yield* TestClock.adjust("28 minutes")
      yield* second.check("market-1")
      yield* TestClock.adjust("1 minute")
      strictEqual((yield* Effect.flip(second.check("market-1")))._tag, "VenueFailed")
    },
  ),
)

onStage(
  "Research.report() is written once and cached for 30 minutes on every replica",
  Effect.fnUntraced(function* ({ shelf: { books }, first, second, drafts }) {
    const made = yield* first.report("market-1")
    equal([made.cached, made.generatedAt, made.report.narrator], [false, now, "template"])
    strictEqual(made.report.evidence.priceAction.length, 7 * 24)
    yield* Ref.set(books, [])
    yield* TestClock.adjust(30 * minute - 1)
    equal(yield* second.report("event-1"), { ...made, cached: true })
    strictEqual((yield* Ref.get(drafts)).length, 1)
    yield* TestClock.adjust(1)
    const fresh = yield* second.report("market-1")
    equal([fresh.cached, fresh.generatedAt], [false, now + 30 * minute])
    strictEqual(fresh.report.evidence.microstructure, null)
    equal(yield* first.report("market-1"), { ...fresh, cached: true })
  }),
)

onStage(
  "Research.report() states a probability, and stores each once for its score",
  Effect.fnUntraced(function* ({ first, second, stated }) {
    const { report: { decision: { estimate } } } = yield* first.report("market-1")
    yield* second.report("market-1")
    if (estimate === null) throw new Error("no probability is stated")
    const { marketPrice, dayHigh, dayLow, probability } = estimate
    equal(yield* Ref.get(stated), [{
      ...{ kind: "price", marketId: market.id, eventKey: market.eventKey, madeAt: now },
      ...{ probability, low: dayLow ?? 0, high: dayHigh ?? 1, baseline: marketPrice },
    }])
    ok(probability === marketPrice && (dayLow ?? 0) < (dayHigh ?? 1))
    equal([estimate.low, estimate.high], [null, null])
    yield* TestClock.adjust(reportAgeMax)
    yield* TestClock.adjust("1 second")
    yield* first.report("market-1")
    strictEqual((yield* Ref.get(stated)).length, 2)
  }),
)

onStage(
  "Research.report() states no probability that it cannot store",
  Effect.fnUntraced(function* ({ first, scoresUp, stated }) {
    yield* Ref.set(scoresUp, false)
    const { report } = yield* first.report("market-1")
    strictEqual(report.decision.estimate, null)
    ok(report.analysis.thesis.includes("\nOur own fair price could not be read.\n"))
    equal(yield* Ref.get(stated), [])
  }),
)

onStage(
  "concurrent calls share one report, on one replica and across replicas",
  Effect.fnUntraced(function* ({ shelf, first, second, drafts }) {
    yield* Ref.set(shelf.latencyMs, 1_000)
    const made = yield* after(
      "2 seconds",
      Effect.all([callers(first, 50), callers(second, 50)], { concurrency: 2 }),
    )
    const answers = new Set(
      made.flat().map(({ cached, generatedAt }) => `${cached} ${generatedAt}`),
    )
    equal([...answers], [`false ${now + aSecond}`])
    equal([(yield* Ref.get(drafts)).length, yield* Ref.get(shelf.venueRequests)], [1, 1])
    strictEqual((yield* first.report("market-1")).cached, true)
  }),
)

onStage(
  "a waiting replica polls twice a second, however many callers wait",
  Effect.fnUntraced(function* ({ first, second, polls, writes }) {
    yield* Ref.set(writes, slowly("10 seconds"))
    const writer = yield* Effect.forkChild(callers(first, 50))
    yield* TestClock.adjust(1)
    yield* after("10 seconds", callers(second, 50))
    yield* Fiber.join(writer)
    // The first call of each replica, and the second one's polls.
    strictEqual(yield* Ref.get(polls), 2 + 20)
  }),
)

onStage(
  "a failure reaches all callers of its replica, another one tries once, and the next call starts again",
  Effect.fnUntraced(function* ({ shelf, first, second, drafts }) {
    yield* Ref.set(shelf.latencyMs, 1_000)
    yield* Ref.set(shelf.venueUp, false)
    const each = ({ report }: Research["Service"]) =>
      Effect.all(Array.from({ length: 50 }, () => Effect.flip(report("market-1"))), {
        concurrency: "unbounded",
      })
    const failures = yield* after(
      "3 seconds",
      Effect.all([each(first), each(second)], { concurrency: 2 }),
    )
    equal([...new Set(failures.flat().map(({ _tag }) => _tag))], ["VenueFailed"])
    yield* Ref.set(shelf.venueUp, true)
    const made = yield* after("2 seconds", second.report("market-1"))
    equal([made.cached, (yield* Ref.get(drafts)).length], [false, 1])
  }),
)

onStage(
  "a waiting replica takes over when the lease of a killed one expires",
  Effect.fnUntraced(function* ({ store, first, second, drafts }) {
    const killed = yield* store.begin(market.id, { ageMax: reportAgeMax, lease })
    strictEqual(killed.state, "acquired")
    const waiting = yield* Effect.forkChild(
      Effect.all([callers(first, 3), callers(second, 3)], { concurrency: 2 }),
    )
    yield* TestClock.adjust(Duration.subtract(lease, pollEvery))
    strictEqual((yield* Ref.get(drafts)).length, 0)
    yield* TestClock.adjust(Duration.sum(pollEvery, pollEvery))
    const made = (yield* Fiber.join(waiting)).flat()
    ok(made.every(({ cached }) => !cached))
    strictEqual(new Set(made.map(({ generatedAt }) => generatedAt)).size, 1)
    strictEqual((yield* Ref.get(drafts)).length, 1)
  }),
)

onStage(
  "a slow replica keeps its lease by its heartbeat",
  Effect.fnUntraced(function* ({ first, second, writes, drafts }) {
    yield* Ref.set(writes, slowly("30 seconds"))
    const both = Effect.all([first.report("market-1"), second.report("market-1")], {
      concurrency: 2,
    })
    const [one, other] = yield* after("31 seconds", both)
    equal([one.generatedAt, other], [now + 30 * aSecond, one])
    strictEqual((yield* Ref.get(drafts)).length, 1)
  }),
)

onStage(
  "a replica that lost its lease still returns its report to its own callers",
  Effect.fnUntraced(function* ({ replica, second, writes, drafts }) {
    const silent = yield* replica({ renew: () => Effect.succeed(false) })
    yield* Ref.set(writes, slowly("20 seconds"))
    const writer = yield* Effect.forkChild(silent.report("market-1"))
    yield* TestClock.adjust(1)
    const other = yield* after("33 seconds", second.report("market-1"))
    const made = yield* Fiber.join(writer)
    equal([made.generatedAt, made.cached, other.cached], [now + 20 * aSecond, false, false])
    ok(other.generatedAt > made.generatedAt)
    equal((yield* Ref.get(drafts)).length, 2)
  }),
)

onStage(
  "a caller that disconnects does not interrupt the report of others",
  Effect.fnUntraced(function* ({ first, writes }) {
    yield* Ref.set(writes, slowly("10 seconds"))
    const leaving = yield* Effect.forkChild(first.report("market-1"))
    yield* TestClock.adjust("1 second")
    const staying = yield* Effect.forkChild(first.report("market-1"))
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(leaving)
    yield* TestClock.adjust("8 seconds")
    strictEqual((yield* Fiber.join(staying)).generatedAt, now + 10 * aSecond)
  }),
)

onStage(
  "a call ends within a minute, whatever the venue and the narrator do",
  Effect.fnUntraced(function* ({ shelf, first, second, writes }) {
    yield* Ref.set(writes, () => Effect.never)
    yield* Ref.set(shelf.latencyMs, 7_900)
    const late = yield* after("55 seconds", first.report("market-1"))
    equal([late.report.narrator, late.generatedAt], ["template", now + 54 * aSecond])
    yield* TestClock.adjust("1 hour")
    yield* Ref.set(shelf.latencyMs, hour)
    const failed = yield* after("15 seconds", Effect.flip(second.report("market-1")))
    strictEqual(failed._tag, "VenueFailed")
  }),
)

onStage(
  "a replica that takes over late uses the template, and is in time",
  Effect.fnUntraced(function* ({ store, first, writes }) {
    yield* Ref.set(writes, () => Effect.never)
    yield* store.begin(market.id, { ageMax: reportAgeMax, lease: Duration.seconds(40) })
    const made = yield* after(waitMax, first.report("market-1"))
    equal([made.report.narrator, made.generatedAt], ["template", now + 54 * aSecond])
  }),
)

onStage(
  "a caller that waits for a hanging replica gets an error in time",
  Effect.fnUntraced(function* ({ store, first }) {
    yield* store.begin(market.id, { ageMax: reportAgeMax, lease: Duration.hours(1) })
    const failed = yield* after(waitMax, Effect.flip(first.report("market-1")))
    ok(failed._tag === "VenueFailed" && failed.message.includes("in time"))
  }),
)

onStage(
  "the template stays in place of a refused claim",
  Effect.fnUntraced(function* ({ first, writes, drafts }) {
    const draft = {
      slot: "S1",
      kind: "fact",
      text: "The price will be 0.99.",
      facts: ["F1"],
    } as const
    yield* Ref.set(writes, () => Effect.succeed([draft]))
    const { report } = yield* first.report("market-1")
    strictEqual(report.narrator, "template")
    ok(!report.analysis.thesis.includes("0.99"))
    strictEqual((yield* Ref.get(drafts)).length, 1)
  }),
)

onStage(
  "a narrator that fails leaves the template's report",
  Effect.fnUntraced(function* ({ first, writes }) {
    yield* Ref.set(writes, () => Effect.fail(new ModelFailed({ reason: "down" })))
    const { report } = yield* first.report("market-1")
    strictEqual(report.narrator, "template")
    ok(report.analysis.thesis.startsWith("No trade in "))
  }),
)

onStage(
  "a report uses wallets, news and the proposed outcome",
  Effect.fnUntraced(function* ({ shelf, first }) {
    yield* Ref.set(shelf.markets, [{ ...market, status: "proposed" }])
    yield* Ref.set(shelf.entries, Array.from({ length: 60 }, () => openEntry()))
    const coverage = { sources: 3, answered: 2 }
    yield* Ref.set(shelf.news, { headlines: [headline()], coverage })
    yield* Ref.set(shelf.proposals, [
      { marketId: market.id, outcome: 1, proposedAt: now - hour, settlesAt: null, disputed: true },
    ])
    const { report: { evidence, analysis } } = yield* first.report("market-1")
    equal([evidence.whales.length, evidence.news.length], [10, 1])
    ok(
      /\nProposal: No is proposed and disputed, but priced at /.test(analysis.thesis),
      analysis.thesis,
    )
    ok(analysis.thesis.includes("“Keepers ready the lighthouse”"), analysis.thesis)
    ok(analysis.thesis.includes("1 news source did not answer lately."), analysis.thesis)
  }),
)

onStage(
  "a report waits for news that a model reads",
  Effect.fnUntraced(function* ({ shelf, first }) {
    const coverage = { sources: 1, answered: 1 }
    yield* Ref.set(shelf.news, { headlines: [headline()], coverage })
    yield* Ref.set(shelf.newsSeconds, 14)
    const fiber = yield* Effect.forkChild(first.report("market-1"))
    yield* TestClock.adjust("14 seconds")
    strictEqual((yield* Fiber.join(fiber)).report.evidence.news.length, 1)
  }),
)

onStage(
  "a report is written without news, and says that they could not be read",
  Effect.fnUntraced(function* ({ shelf, first }) {
    yield* Ref.set(shelf.newsUp, false)
    const { report: { evidence, analysis } } = yield* first.report("market-1")
    equal(evidence.news, [])
    ok(analysis.thesis.includes("The news could not be read"))
  }),
)

onStage(
  "a report whose wallets could not be read is refused, before the payment where that is known",
  Effect.fnUntraced(function* ({ shelf, first }) {
    yield* Ref.set(shelf.whalesUp, false)
    strictEqual((yield* Effect.flip(first.report("market-1")))._tag, "DataStale")
    yield* Ref.set(shelf.whalesUp, true)
    const wallet = (history: "reading" | "whole") =>
      trackedWallet({ wallet: `0x${history}`, history })
    yield* Ref.set(shelf.tracked, [wallet("reading")])
    strictEqual((yield* Effect.flip(first.check("market-1")))._tag, "DataStale")
    strictEqual((yield* Effect.flip(first.report("market-1")))._tag, "DataStale")
    yield* Ref.set(shelf.tracked, [wallet("reading"), wallet("whole")])
    yield* first.check("market-1")
    const { report } = yield* first.report("market-1")
    strictEqual(
      report.analysis.whaleView,
      "Wallets: Of 1 tracked wallet none opened a position here; 1 more has not been read.",
    )
  }),
)

onStage(
  "Research.report() reads prices that we do not store from the venue",
  Effect.fnUntraced(function* ({ shelf: { series, history }, first }) {
    const week = yield* Ref.getAndSet(series, [])
    yield* Ref.set(history, week.map(({ at, mid }) => ({ at, price: mid })))
    const { report } = yield* first.report("market-1")
    strictEqual(report.evidence.priceAction.length, 7 * 24)
  }),
)

onStage(
  "Research.report() fails without prices or venue, and tries again on the next call",
  Effect.fnUntraced(function* ({ shelf: { series, venueUp }, first }) {
    const week = yield* Ref.getAndSet(series, [])
    strictEqual((yield* Effect.flip(first.report("market-1")))._tag, "BelowThreshold")
    yield* Ref.set(series, week)
    yield* Ref.set(venueUp, false)
    strictEqual((yield* Effect.flip(first.report("market-1")))._tag, "VenueFailed")
    yield* Ref.set(venueUp, true)
    strictEqual((yield* first.report("market-1")).cached, false)
  }),
)

onStage(
  "Research.prune deletes reports older than a day",
  Effect.fnUntraced(function* ({ first }) {
    yield* first.report("market-1")
    yield* TestClock.adjust(day)
    strictEqual(yield* first.prune, 0)
    yield* TestClock.adjust(1)
    strictEqual(yield* first.prune, 1)
  }),
)

const slowly = (duration: Duration.Input): Writes => () =>
  Effect.delay(Effect.succeed([]), duration)

const order = { slot: "S1", kind: "fact", facts: ["F1"] } as const
/** What a model does to every report of an hour. */
const badModels: Readonly<Record<string, Writes>> = {
  "does not answer": () => Effect.never,
  "answers nonsense": ({ slots }) =>
    Effect.succeed(slots.flatMap(({ id }) => [
      { ...order, slot: id, text: "{F99.to} lorem {ipsum}", facts: ["F99"] },
      { ...order, slot: `${id}x`, text: "" },
    ])),
  "obeys an attacker, as its own judge too": ({ slots, facts }) =>
    Effect.succeed(slots.map(({ id }) => ({
      ...order,
      slot: id,
      facts: facts.slice(0, 3).map((fact) => fact.id),
      text: "Buy Yes now: it is worth 0.99, see https://evil.example.",
    }))),
}

for (const [does, write] of Object.entries(badModels)) {
  onStage(
    `for an hour a model ${does}: each report is sold in time, as the template writes it`,
    Effect.fnUntraced(function* ({ shelf, first, writes, replica }) {
      const markets = Array.from({ length: 12 }, (_, n) => endingMarket(n + 1, now))
      yield* Ref.set(shelf.markets, markets)
      yield* Ref.set(shelf.books, markets.map((one) => bookOf(one, now)))
      // Another store, so that it writes its own.
      const plain = yield* replica(memoryReports())
      for (const { slug } of markets) {
        yield* first.check(slug)
        yield* Ref.set(writes, write)
        const made = yield* after(waitMax, first.report(slug))
        yield* Ref.set(writes, () => Effect.succeed([]))
        const template = yield* plain.report(slug)
        equal([made.cached, made.report.narrator], [false, "template"])
        equal(Object.keys(made.report.analysis), Object.keys(template.report.analysis))
        ok(Object.values(made.report.analysis).every((text) => text.length > 0))
        ok(!/lorem|evil|Buy Yes|0\.99/.test(JSON.stringify(made.report)))
        yield* TestClock.adjust(Duration.subtract(Duration.minutes(5), waitMax))
      }
    }),
  )
}
