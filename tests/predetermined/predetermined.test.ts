/**
 * Predetermined items: published once per market, and failures that do not affect other markets.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { day, minute } from "../../src/core/domain/time.ts"
import { test } from "../support/effect.ts"
import { now } from "../support/movers/market.ts"
import {
  candidate,
  itemsOf,
  makeScript,
  openedTwice,
  type Ports,
  portsOf,
  proposed,
  type Script,
  tickIntervalMs,
  tickOf,
} from "../support/predetermined/candidates.ts"
import { report } from "../support/predetermined/report.ts"

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
  "tick() publishes an unchallenged proposal once, also when news follows",
  { markets: [candidate(0)], proposals: [proposed(0)] },
  Effect.fnUntraced(function* (script, ports) {
    const { items, known } = yield* tickOf(ports, now)
    equal([items, known], [[candidate(0).question], 1])
    const [item] = yield* itemsOf(ports)
    equal(item?.data.evidence.map(({ source }) => source), ["the venue"])
    equal([item?.data.detector, item?.data.confidence], ["rules", "medium"])
    equal([item?.data.kind, item?.data.proposal?.disputed], ["proposal", false])
    equal([item?.data.marketPrice, item?.data.impliedEdge], [0.93, 0.07])
    script.stories = { m0: openedTwice }
    for (let n = 1; n < 4; n++) yield* tickOf(ports, now + n * tickIntervalMs)
    equal(yield* itemsOf(ports), [item])
  }),
)

on(
  "tick() publishes nothing about a mere past end, about hearsay, or in a dispute",
  {
    markets: [
      candidate(0, { status: "open", endsAt: now - day }),
      candidate(1, { status: "open" }),
      candidate(2),
      candidate(3),
    ],
    stories: { m1: openedTwice.slice(0, 1) },
    proposals: [proposed(2, { disputed: true }), proposed(3, { proposedAt: now - minute })],
  },
  Effect.fnUntraced(function* (_, ports) {
    const { known, rejected, failed } = yield* tickOf(ports, now)
    equal([known, failed], [0, []])
    equal(rejected, { no_evidence: 2, one_text: 1, disputed: 1 })
  }),
)

on(
  "tick() publishes nothing while the proposals are unavailable, and catches up",
  {
    markets: [candidate(0), candidate(1, { status: "open" })],
    proposals: [proposed(0), proposed(1, { outcome: 1 })],
    stories: { m1: openedTwice },
    down: new Set(["proposals"] as const),
    mid: ({ id }) => id === "m1" ? 0.07 : 0.93,
    depthUsd: () => 90_000,
  },
  Effect.fnUntraced(function* (script, ports) {
    const first = yield* tickOf(ports, now)
    equal([first.items, first.failed, first.rejected], [[], ["proposals"], { unavailable: 2 }])
    script.down = new Set()
    yield* tickOf(ports, now + tickIntervalMs)
    // The news says otherwise; that the outcome is proposed, and that its price agrees, stays true.
    const items = yield* itemsOf(ports)
    equal(
      items.map(({ data }) => [data.market.slug, data.kind, data.outcome, data.detector]),
      [
        ["lighthouse-1", "proposal", "No", "rules"],
        ["lighthouse-0", "proposal", "Yes", "rules"],
      ].toSorted(),
    )
  }),
)

on(
  "tick() publishes no proposal that traders doubt: its price is below 0.90",
  {
    markets: [candidate(0), candidate(1), candidate(2)],
    proposals: [proposed(0), proposed(1, { outcome: 1 }), proposed(2)],
    mid: ({ id }) => id === "m0" ? 0.8995 : id === "m1" ? 0.93 : 0.9,
  },
  Effect.fnUntraced(function* (_, ports) {
    const { rejected } = yield* tickOf(ports, now)
    equal(marketsOf(yield* itemsOf(ports)), ["lighthouse-2"])
    equal(rejected, { doubted: 2 })
  }),
)

on(
  "tick() publishes a proposal without news, and waits for the books",
  { markets: [candidate(0)], proposals: [proposed(0)], down: new Set(["news", "books"] as const) },
  Effect.fnUntraced(function* (script, ports) {
    equal((yield* tickOf(ports, now)).failed, ["news", "books"])
    script.down = new Set(["news"])
    const { items, failed } = yield* tickOf(ports, now + tickIntervalMs)
    equal([items.length, failed], [1, ["news"]])
  }),
)

const crowd = Array.from({ length: 225 }, (_, n) => n)

on(
  "a liquid market is reached at a later tick behind more thin markets than one tick reads",
  {
    markets: crowd.map((n) => candidate(n)),
    proposals: crowd.map((n) => proposed(n)),
    depthUsd: ({ id }) => Number(id.slice(1)) === 220 ? 10_000 : 100,
  },
  Effect.fnUntraced(function* (_, ports) {
    const { items } = yield* tickOf(ports, now)
    const next = yield* tickOf(ports, now + tickIntervalMs)
    equal([...items, ...next.items].length, 1)
  }),
)

on(
  "two replicas that tick at the same time publish each market once",
  {
    markets: crowd.slice(0, 20).map((n) => candidate(n)),
    proposals: crowd.map((n) => proposed(n)),
  },
  Effect.fnUntraced(function* (_, ports) {
    yield* Effect.all([tickOf(ports, now), tickOf(ports, now)], { concurrency: 2 })
    strictEqual(new Set(marketsOf(yield* itemsOf(ports))).size, 20)
    strictEqual((yield* itemsOf(ports)).length, 20)
  }),
)

on(
  "a proposal carries the record of earlier ones as it was then",
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
    stories: { m0: openedTwice, m1: [report("Lighthouse opened", "wire")] },
    proposals: [proposed(1)],
  },
  Effect.fnUntraced(function* (_, ports) {
    yield* tickOf(ports, now)
    const items = yield* itemsOf(ports)
    equal(
      items.map(({ data }) => [data.kind, data.detector, data.proposal, data.confidence])
        .toSorted(),
      [0, 1].map(() => ["evidence", "model", undefined, "medium"]),
    )
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
