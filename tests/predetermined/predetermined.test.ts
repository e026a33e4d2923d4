/**
 * Predetermined items: told once a market, asked about once for each evidence, and what fails costs
 * its own part.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Deferred, Effect, Fiber, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { day, minute } from "../../src/core/domain/time.ts"
import { ModelFailed } from "../../src/writing/Model.ts"
import { DetectionStore } from "../../src/predetermined/DetectionStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { test } from "../support/effect.ts"
import { makeKiller } from "../support/killer.ts"
import { now } from "../support/movers/market.ts"
import {
  candidate,
  credulous,
  itemsOf,
  litNews,
  type Ports,
  portsOf,
  proposed,
  type Script,
  script,
  tickIntervalMs,
  tickOf,
} from "../support/predetermined/candidates.ts"

const on = <E>(
  name: string,
  of: Partial<Script>,
  body: (told: Script, ports: Ports) => Effect.Effect<void, E>,
) =>
  test(name, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now - 1)
      const told = script(of)
      const ports = yield* portsOf(told)
      yield* body(told, ports)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

const marketsOf = (items: ReadonlyArray<{ data: { market: { slug: string } } }>) =>
  items.map(({ data }) => data.market.slug).toSorted()

on(
  "an outcome that stands proposed is told once, though its item is forgotten",
  { markets: [candidate(0)], proposals: [proposed(0)] },
  Effect.fnUntraced(function* (told, ports) {
    const { items, asked } = yield* tickOf(ports, now)
    equal([items, asked], [[candidate(0).question], 1])
    const [item] = yield* itemsOf(ports)
    equal(item?.data.evidence.map(({ source }) => source), ["the venue"])
    equal([item?.data.detector, item?.data.confidence], ["rules", "high"])
    equal([item?.data.marketPrice, item?.data.impliedEdge], [0.6, 0.4])
    strictEqual(yield* Context.get(ports, FeedStore).prune(now + day), 1)
    told.headlines = [litNews(0)]
    for (let n = 1; n < 6; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    yield* Context.get(ports, DetectionStore).prune(now + 365 * day)
    yield* tickOf(ports, now + 6 * tickIntervalMs)
    equal([told.asked.length, (yield* itemsOf(ports)).length], [1, 0])
  }),
)

on(
  "a model is asked about an evidence once, and again about another",
  {
    markets: [candidate(0, { status: "open" })],
    headlines: [litNews(0)],
    detector: "model",
    detect: () =>
      Effect.succeed({
        ...{ determined: false, outcome: null, statement: "", confidence: "low", evidence: [] },
      }),
  },
  Effect.fnUntraced(function* (told, ports) {
    for (let n = 0; n < 4; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    strictEqual(told.asked.length, 1)
    equal(told.asked[0]?.rules, "Lit means lit.")
    told.headlines = [litNews(0), litNews(0, { url: "https://post.example/0", source: "Post" })]
    for (let n = 4; n < 8; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    strictEqual(told.asked.length, 2)
    told.detector = "another model"
    yield* tickOf(ports, now + 8 * tickIntervalMs)
    strictEqual(told.asked.length, 3)
    told.detect = credulous
    told.proposals = [proposed(0)]
    yield* tickOf(ports, now + 9 * tickIntervalMs)
    equal(marketsOf(yield* itemsOf(ports)), ["lighthouse-0"])
  }),
)

on(
  "nobody is asked about a market past its end alone, nor about rumours, nor in a dispute",
  {
    markets: [
      candidate(0, { status: "open", endsAt: now - day }),
      candidate(1, { status: "open" }),
      candidate(2),
      candidate(3),
    ],
    headlines: [litNews(1, { title: "Ostriaa lighthouse may be opened" })],
    proposals: [proposed(2, { disputed: true }), proposed(3, { proposedAt: now - minute })],
  },
  Effect.fnUntraced(function* (told, ports) {
    const { asked, rejected, failed } = yield* tickOf(ports, now)
    equal([asked, failed], [0, []])
    equal(rejected, { no_evidence: 1, disputed: 1, hearsay: 1 })
    strictEqual(told.asked.length, 0)
  }),
)

on(
  "without the venue's proposals nobody is asked; with them again, all are",
  {
    markets: [candidate(0), candidate(1, { status: "open" })],
    proposals: [proposed(0), proposed(1, { outcome: 1 })],
    headlines: [litNews(1)],
    ...{ detector: "model", detect: credulous, down: new Set(["proposals"] as const) },
  },
  Effect.fnUntraced(function* (told, ports) {
    const blind = yield* tickOf(ports, now)
    equal([blind.asked, blind.failed, blind.rejected], [0, ["proposals"], { unavailable: 2 }])
    told.down = new Set()
    // The credulous detector is against the venue's word of the second market, and refused.
    const { rejected } = yield* tickOf(ports, now + tickIntervalMs)
    equal(rejected, { no_citation: 1, contradicted: 1 })
    equal(yield* itemsOf(ports), [])
  }),
)

on(
  "without news the venue's word is told, and without rules the question is put all the same",
  { markets: [candidate(0)], proposals: [proposed(0)], down: new Set(["news", "rules"] as const) },
  Effect.fnUntraced(function* (told, ports) {
    const { items, failed } = yield* tickOf(ports, now)
    equal([items.length, failed], [1, ["news", "rules"]])
    strictEqual(told.asked[0]?.rules, "")
  }),
)

on(
  "without books nobody is asked, and the next tick makes good for it",
  { markets: [candidate(0)], proposals: [proposed(0)], down: new Set(["books"] as const) },
  Effect.fnUntraced(function* (told, ports) {
    equal((yield* tickOf(ports, now)).failed, ["books"])
    told.down = new Set()
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 1)
  }),
)

on(
  "a detector that fails or dies costs its own question, which is put again",
  {
    markets: [0, 1, 2, 3].map((n) => candidate(n, { status: "open" })),
    headlines: [0, 1, 2, 3].map((n) => litNews(n)),
    detector: "model",
    detect: (question) =>
      ({
        m0: Effect.fail(new ModelFailed({ reason: "down" })),
        m1: Effect.die("broken"),
        m2: credulous(question),
        m3: credulous(question),
      })[String(question.market.id)] ?? Effect.die("nobody"),
  },
  Effect.fnUntraced(function* (told, ports) {
    const { asked, unanswered, items, failed } = yield* tickOf(ports, now)
    equal([asked, unanswered, items.length, failed], [4, 2, 2, []])
    told.detect = credulous
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 2)
    equal(marketsOf(yield* itemsOf(ports)), [0, 1, 2, 3].map((n) => `lighthouse-${n}`))
    const [item] = yield* itemsOf(ports)
    strictEqual(item?.data.confidence, "medium")
  }),
)

on(
  "a detector that is down costs one line of the log a tick",
  {
    markets: [0, 1, 2, 3].map((n) => candidate(n, { status: "open" })),
    headlines: [0, 1, 2, 3].map((n) => litNews(n)),
    detector: "model",
    detect: () => Effect.fail(new ModelFailed({ reason: "not asked for now" })),
  },
  Effect.fnUntraced(function* (_told, ports) {
    const logged: Array<string> = []
    const { asked, unanswered } = yield* tickOf(ports, now).pipe(
      Effect.provide(
        Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]),
      ),
      Effect.provideService(References.MinimumLogLevel, "Warn"),
    )
    equal([asked, unanswered], [4, 4])
    equal(logged, ["The detector did not answer: not asked for now"])
  }),
)

on(
  "what the venue itself says is told by the rules though the model is down",
  {
    markets: [candidate(0)],
    proposals: [proposed(0)],
    detector: "model",
    detect: () => Effect.fail(new ModelFailed({ reason: "down" })),
  },
  Effect.fnUntraced(function* (_told, ports) {
    const { unanswered, items } = yield* tickOf(ports, now)
    equal([unanswered, items.length], [1, 1])
    const [item] = yield* itemsOf(ports)
    equal([item?.data.detector, item?.data.confidence], ["rules", "high"])
  }),
)

on(
  "a detector that never answers is given up after 45 seconds, and asked again",
  { markets: [candidate(0, { status: "open" })], headlines: [litNews(0)], detector: "model" },
  Effect.fnUntraced(function* (told, ports) {
    const reached = yield* Deferred.make<void>()
    told.detect = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const ticking = yield* Effect.forkChild(tickOf(ports, now))
    yield* Deferred.await(reached)
    yield* TestClock.adjust("45 seconds")
    const { asked, unanswered, failed } = yield* Fiber.join(ticking)
    equal([asked, unanswered, failed], [1, 1, []])
    told.detect = credulous
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 1)
  }),
)

const many = Array.from({ length: 50 }, (_, n) => n)

on(
  "twenty questions a tick, none forgotten, and thin markets stand in nobody's way",
  {
    markets: many.map((n) => candidate(n)),
    proposals: many.map((n) => proposed(n)),
    depthUsd: ({ id }) => Number(id.slice(1)) < 10 ? 100 : 10_000,
  },
  Effect.fnUntraced(function* (told, ports) {
    const asked = []
    for (let n = 0; n < 3; n++) asked.push((yield* tickOf(ports, now + n * tickIntervalMs)).asked)
    equal(asked, [20, 20, 0])
    strictEqual(new Set(told.asked.map(({ market }) => market.id)).size, 40)
    told.depthUsd = () => 10_000
    equal((yield* tickOf(ports, now + 3 * tickIntervalMs)).items.length, 10)
    strictEqual((yield* itemsOf(ports)).length, 50)
  }),
)

const crowd = Array.from({ length: 225 }, (_, n) => n)

on(
  "more thin markets than books are read of in a tick hide no sound one for long",
  {
    markets: crowd.map((n) => candidate(n)),
    proposals: crowd.map((n) => proposed(n)),
    depthUsd: ({ id }) => Number(id.slice(1)) < 220 ? 100 : 10_000,
  },
  Effect.fnUntraced(function* (_, ports) {
    equal((yield* tickOf(ports, now)).rejected, { thin_book: 200 })
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 5)
  }),
)

on(
  "two replicas that tick at one time tell each market once",
  { markets: many.slice(0, 20).map((n) => candidate(n)), proposals: many.map((n) => proposed(n)) },
  Effect.fnUntraced(function* (_, ports) {
    yield* Effect.all([tickOf(ports, now), tickOf(ports, now)], { concurrency: 2 })
    strictEqual(new Set(marketsOf(yield* itemsOf(ports))).size, 20)
    strictEqual((yield* itemsOf(ports)).length, 20)
  }),
)

test("tick() comes to the same when it is killed at every call, as when it is not", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now - 1)
    const run = Effect.fnUntraced(function* (deadly: boolean) {
      const told = script({
        markets: [0, 1, 2, 3].map((n) => candidate(n)),
        proposals: [proposed(0), proposed(1), proposed(2, { disputed: true })],
        headlines: [litNews(3)],
      })
      const ports = yield* portsOf(told)
      const killer = makeKiller()
      const watched = ports.pipe(
        Context.add(FeedStore, killer.watched(Context.get(ports, FeedStore))),
        Context.add(DetectionStore, killer.watched(Context.get(ports, DetectionStore))),
      )
      let died = 0
      for (let call = 1; deadly && call < 100; call++) {
        if (!(yield* killer.killed(call, tickOf(watched, now)))) break
        died += 1
      }
      yield* tickOf(watched, now)
      const items = yield* itemsOf(ports)
      const ids = told.markets.map(({ id }) => id)
      const held = yield* Context.get(ports, DetectionStore).held(ids)
      return {
        died,
        markets: marketsOf(items),
        told: [...held].filter(([, { told }]) => told).map(([id]) => id).toSorted(),
        keys: [...held].map(([id, { evidenceKey }]) => [id, evidenceKey]).toSorted(),
      }
    })
    const { died: none, ...quiet } = yield* Effect.scoped(run(false))
    const { died, ...killed } = yield* Effect.scoped(run(true))
    strictEqual(none, 0)
    ok(died >= 6, `only ${died} processes died`)
    equal(quiet.markets, ["lighthouse-0", "lighthouse-1"])
    equal(killed, quiet)
  }))
