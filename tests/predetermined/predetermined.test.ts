/**
 * Predetermined items: published once per market, one question for each new evidence, and failures that
 * do not affect other markets.
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
  litTwice,
  makeScript,
  type Ports,
  portsOf,
  proposed,
  type Script,
  tickIntervalMs,
  tickOf,
} from "../support/predetermined/candidates.ts"

const on = <E>(
  name: string,
  of: Partial<Script>,
  body: (script: Script, ports: Ports) => Effect.Effect<void, E>,
) =>
  test(name, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now - 1)
      const script = makeScript(of)
      const ports = yield* portsOf(script)
      yield* body(script, ports)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

const marketsOf = (items: ReadonlyArray<{ data: { market: { slug: string } } }>) =>
  items.map(({ data }) => data.market.slug).toSorted()

on(
  "tick() publishes an unchallenged proposal once, also after its item is pruned",
  { markets: [candidate(0)], proposals: [proposed(0)] },
  Effect.fnUntraced(function* (script, ports) {
    const { items, questions } = yield* tickOf(ports, now)
    equal([items, questions], [[candidate(0).question], 1])
    const [item] = yield* itemsOf(ports)
    equal(item?.data.evidence.map(({ source }) => source), ["the venue"])
    equal([item?.data.detector, item?.data.confidence], ["rules", "medium"])
    equal([item?.data.kind, item?.data.proposal?.disputed], ["contested_proposal", false])
    equal([item?.data.marketPrice, item?.data.impliedEdge], [0.6, 0.4])
    strictEqual(yield* Context.get(ports, FeedStore).prune(now + day), 1)
    script.headlines = [litNews(0)]
    for (let n = 1; n < 6; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    yield* Context.get(ports, DetectionStore).prune(now + 365 * day)
    yield* tickOf(ports, now + 6 * tickIntervalMs)
    equal([script.questions.length, (yield* itemsOf(ports)).length], [1, 0])
  }),
)

on(
  "tick() asks a model once about the same evidence, and again about new evidence",
  {
    markets: [candidate(0, { status: "open" })],
    headlines: [litNews(0)],
    detector: "model",
    detect: () =>
      Effect.succeed({
        ...{ determined: false, outcome: null, confidence: "low", evidence: [] },
        decisiveWords: "",
      }),
  },
  Effect.fnUntraced(function* (script, ports) {
    for (let n = 0; n < 4; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    strictEqual(script.questions.length, 1)
    equal(script.questions[0]?.rules, "Lit means lit.")
    script.headlines = [litNews(0), litNews(0, { url: "https://post.example/0", source: "Post" })]
    for (let n = 4; n < 8; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    strictEqual(script.questions.length, 2)
    script.detector = "another model"
    yield* tickOf(ports, now + 8 * tickIntervalMs)
    strictEqual(script.questions.length, 3)
    script.detect = credulous
    script.proposals = [proposed(0)]
    yield* tickOf(ports, now + 9 * tickIntervalMs)
    equal(marketsOf(yield* itemsOf(ports)), ["lighthouse-0"])
  }),
)

on(
  "tick() asks nothing about a mere past end, about rumours, or in a dispute",
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
  Effect.fnUntraced(function* (script, ports) {
    const { questions, rejected, failed } = yield* tickOf(ports, now)
    equal([questions, failed], [0, []])
    equal(rejected, { no_evidence: 1, disputed: 1, hearsay: 1 })
    strictEqual(script.questions.length, 0)
  }),
)

on(
  "tick() asks nothing while the proposals are unavailable, and asks again when they are available",
  {
    markets: [candidate(0), candidate(1, { status: "open" })],
    proposals: [proposed(0), proposed(1, { outcome: 1 })],
    headlines: [litNews(1)],
    ...{ detector: "model", detect: credulous, down: new Set(["proposals"] as const) },
  },
  Effect.fnUntraced(function* (script, ports) {
    const first = yield* tickOf(ports, now)
    equal([first.questions, first.failed, first.rejected], [0, ["proposals"], { unavailable: 2 }])
    script.down = new Set()
    // No answer of the detector is accepted: both proposals are contested, whatever it says.
    const { rejected } = yield* tickOf(ports, now + tickIntervalMs)
    equal(rejected, {})
    const items = yield* itemsOf(ports)
    equal(items.map(({ data }) => [data.kind, data.outcome, data.confidence, data.detector]), [
      ["contested_proposal", "Yes", "medium", "rules"],
      ["contested_proposal", "No", "low", "rules"],
    ])
  }),
)

on(
  "tick() publishes a proposal without news, and asks the question without rules",
  { markets: [candidate(0)], proposals: [proposed(0)], down: new Set(["news", "rules"] as const) },
  Effect.fnUntraced(function* (script, ports) {
    const { items, failed } = yield* tickOf(ports, now)
    equal([items.length, failed], [1, ["news", "rules"]])
    strictEqual(script.questions[0]?.rules, "")
  }),
)

on(
  "tick() asks nothing without books, and catches up at the next tick",
  { markets: [candidate(0)], proposals: [proposed(0)], down: new Set(["books"] as const) },
  Effect.fnUntraced(function* (script, ports) {
    equal((yield* tickOf(ports, now)).failed, ["books"])
    script.down = new Set()
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 1)
  }),
)

on(
  "a detector that fails or dies does not affect other questions, and is asked again",
  {
    markets: [0, 1, 2, 3].map((n) => candidate(n, { status: "open" })),
    headlines: [0, 1, 2, 3].flatMap(litTwice),
    detector: "model",
    detect: (question) =>
      ({
        m0: Effect.fail(new ModelFailed({ reason: "down" })),
        m1: Effect.die("broken"),
        m2: credulous(question),
        m3: credulous(question),
      })[String(question.market.id)] ?? Effect.die("unknown market"),
  },
  Effect.fnUntraced(function* (script, ports) {
    const { questions, unanswered, items, failed } = yield* tickOf(ports, now)
    equal([questions, unanswered, items.length, failed], [4, 2, 2, []])
    script.detect = credulous
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 2)
    equal(marketsOf(yield* itemsOf(ports)), [0, 1, 2, 3].map((n) => `lighthouse-${n}`))
    const [item] = yield* itemsOf(ports)
    strictEqual(item?.data.confidence, "high")
  }),
)

on(
  "a detector that is down is logged once per tick",
  {
    markets: [0, 1, 2, 3].map((n) => candidate(n, { status: "open" })),
    headlines: [0, 1, 2, 3].map((n) => litNews(n)),
    detector: "model",
    detect: () => Effect.fail(new ModelFailed({ reason: "not asked for now" })),
  },
  Effect.fnUntraced(function* (_script, ports) {
    const logged: Array<string> = []
    const { questions, unanswered } = yield* tickOf(ports, now).pipe(
      Effect.provide(
        Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]),
      ),
      Effect.provideService(References.MinimumLogLevel, "Warn"),
    )
    equal([questions, unanswered], [4, 4])
    equal(logged, ["The detector did not answer: not asked for now"])
  }),
)

on(
  "the rules publish an unchallenged proposal when the model is down",
  {
    markets: [candidate(0)],
    proposals: [proposed(0)],
    detector: "model",
    detect: () => Effect.fail(new ModelFailed({ reason: "down" })),
  },
  Effect.fnUntraced(function* (_script, ports) {
    const { unanswered, items } = yield* tickOf(ports, now)
    equal([unanswered, items.length], [1, 1])
    const [item] = yield* itemsOf(ports)
    equal([item?.data.detector, item?.data.confidence], ["rules", "medium"])
  }),
)

on(
  "a detector that never answers times out after 45 seconds, and is asked again",
  { markets: [candidate(0, { status: "open" })], headlines: litTwice(0), detector: "model" },
  Effect.fnUntraced(function* (script, ports) {
    const reached = yield* Deferred.make<void>()
    script.detect = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    const ticking = yield* Effect.forkChild(tickOf(ports, now))
    yield* Deferred.await(reached)
    yield* TestClock.adjust("45 seconds")
    const { questions, unanswered, failed } = yield* Fiber.join(ticking)
    equal([questions, unanswered, failed], [1, 1, []])
    script.detect = credulous
    equal((yield* tickOf(ports, now + tickIntervalMs)).items.length, 1)
  }),
)

const many = Array.from({ length: 50 }, (_, n) => n)

on(
  "tick() asks twenty questions, continues with the others, and thin markets do not block them",
  {
    markets: many.map((n) => candidate(n)),
    proposals: many.map((n) => proposed(n)),
    depthUsd: ({ id }) => Number(id.slice(1)) < 10 ? 100 : 10_000,
  },
  Effect.fnUntraced(function* (script, ports) {
    const counts = []
    for (let n = 0; n < 3; n++) {
      counts.push((yield* tickOf(ports, now + n * tickIntervalMs)).questions)
    }
    equal(counts, [20, 20, 0])
    strictEqual(new Set(script.questions.map(({ market }) => market.id)).size, 40)
    script.depthUsd = () => 10_000
    equal((yield* tickOf(ports, now + 3 * tickIntervalMs)).items.length, 10)
    strictEqual((yield* itemsOf(ports)).length, 50)
  }),
)

const crowd = Array.from({ length: 225 }, (_, n) => n)

on(
  "a liquid market is reached at the next tick behind more thin markets than one tick reads",
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
  "two replicas that tick at the same time publish each market once",
  { markets: many.slice(0, 20).map((n) => candidate(n)), proposals: many.map((n) => proposed(n)) },
  Effect.fnUntraced(function* (_, ports) {
    yield* Effect.all([tickOf(ports, now), tickOf(ports, now)], { concurrency: 2 })
    strictEqual(new Set(marketsOf(yield* itemsOf(ports))).size, 20)
    strictEqual((yield* itemsOf(ports)).length, 20)
  }),
)

test("tick() has the same result when it is killed at every call", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now - 1)
    const run = Effect.fnUntraced(function* (withKills: boolean) {
      const script = makeScript({
        markets: [0, 1, 2, 3].map((n) => candidate(n)),
        proposals: [proposed(0), proposed(1), proposed(2, { disputed: true })],
        headlines: [litNews(3)],
      })
      const ports = yield* portsOf(script)
      const killer = makeKiller()
      const watched = ports.pipe(
        Context.add(FeedStore, killer.watched(Context.get(ports, FeedStore))),
        Context.add(DetectionStore, killer.watched(Context.get(ports, DetectionStore))),
      )
      let died = 0
      for (let call = 1; withKills && call < 100; call++) {
        if (!(yield* killer.killed(call, tickOf(watched, now)))) break
        died += 1
      }
      yield* tickOf(watched, now)
      const items = yield* itemsOf(ports)
      const ids = script.markets.map(({ id }) => id)
      const stored = yield* Context.get(ports, DetectionStore).find(ids)
      return {
        died,
        markets: marketsOf(items),
        published: [...stored].filter(([, { published }]) => published).map(([id]) => id)
          .toSorted(),
        keys: [...stored].map(([id, { evidenceKey }]) => [id, evidenceKey]).toSorted(),
      }
    })
    const { died: none, ...undisturbed } = yield* Effect.scoped(run(false))
    const { died, ...killed } = yield* Effect.scoped(run(true))
    strictEqual(none, 0)
    ok(died >= 6, `only ${died} processes died`)
    equal(undisturbed.markets, ["lighthouse-0", "lighthouse-1"])
    equal(killed, undisturbed)
  }))

on(
  "a contested proposal carries the record of earlier ones as it was then",
  { markets: [candidate(0), candidate(1)], proposals: [proposed(0)] },
  Effect.fnUntraced(function* (script, ports) {
    yield* tickOf(ports, now)
    const record = {
      proposals: 8,
      upheld: 6,
      upheldRate: 0.75,
      upheldRateLow: 0.41,
      upheldRateHigh: 0.93,
    }
    Object.assign(script, { record, proposals: [proposed(0), proposed(1)] })
    yield* tickOf(ports, now + tickIntervalMs)
    const items = yield* itemsOf(ports)
    equal(items.map(({ data }) => data.proposal?.record), [null, record])
    ok(items.every(({ data }) => data.confidence !== "high" && !/already/.test(data.statement)))
  }),
)

on(
  "evidence of the news stays evidence, with or without a proposal",
  {
    markets: [candidate(0, { status: "open" }), candidate(1)],
    headlines: [...litTwice(0), litNews(1)],
    proposals: [proposed(1)],
    ...{ detector: "model", detect: credulous },
  },
  Effect.fnUntraced(function* (_, ports) {
    yield* tickOf(ports, now)
    const items = yield* itemsOf(ports)
    equal(items.map(({ data }) => [data.kind, data.detector, data.proposal]), [
      ...[["evidence", "model", undefined], ["evidence", "model", undefined]],
    ])
  }),
)

on(
  "a decided book with one side is read as decided, not as a missing price",
  { markets: [candidate(0)], proposals: [proposed(0)], oneSidedAt: 0.99 },
  Effect.fnUntraced(function* (script, ports) {
    equal((yield* tickOf(ports, now)).rejected, { decided: 1 })
    script.oneSidedAt = 0.6
    equal((yield* tickOf(ports, now + tickIntervalMs)).rejected, { empty_side: 1 })
  }),
)

on(
  "news that a rival has won decides the other markets of the event",
  {
    markets: ["Ann Lee", "Bob Smith"].map((name, n) =>
      candidate(n, {
        question: `Will ${name} win the mayoral election of Ostria?`,
        ...{ eventSlug: "ostria-mayor", status: "open" },
      })
    ),
    headlines: ["Bob Smith wins mayoral election of Ostria", "Ostria: Smith wins mayoral vote"]
      .map((title, n) => ({
        ...{ title, url: `https://paper${n}.example/`, source: `Paper ${n}` },
        publishedAt: now - minute,
      })),
    detector: "model",
    detect: (question) =>
      Effect.map(credulous(question), (answer) => ({
        ...answer,
        outcome: question.market.question.includes("Smith") ? "Yes" : "No",
      })),
  },
  Effect.fnUntraced(function* (script, ports) {
    yield* tickOf(ports, now)
    equal(script.questions.map(({ siblings }) => siblings.length), [1, 1])
    const items = yield* itemsOf(ports)
    equal(items.map(({ title, data }) => [title, data.kind, data.outcome]).toSorted(), [
      ["Will Ann Lee win the mayoral election of Ostria?", "evidence", "No"],
      ["Will Bob Smith win the mayoral election of Ostria?", "evidence", "Yes"],
    ])
  }),
)
