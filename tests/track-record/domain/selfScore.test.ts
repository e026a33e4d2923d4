/**
 * How the service's own items are judged: by the later price, by the payout, and as unknown without
 * either.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { MarketId, type SeriesPoint } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import {
  checksOf,
  moverVerdict,
  outcomeVerdict,
  pointAt,
  priceOffsetMsMax,
  priceOfOutcomeAt,
  type ScoreCheck,
  selfScore,
} from "../../../src/track-record/domain/selfScore.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { sampleItem } from "../../support/feed/items.ts"
import { market, now } from "../../support/movers/market.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const steps = int(0, 20_000)
const runs = { runs: sized({ short: 200, full: 5_000 }) }

const anyMove = Arbitrary.schema(Schema.Struct({ start: steps, end: steps, price: steps }))

law(
  "moverVerdict() is persisted at exactly half of the move and beyond, in both directions",
  anyMove,
  ({
    start,
    end,
    price,
  }) => {
    if (start === end) return
    const verdict = (flip: (at: number) => number) =>
      moverVerdict(
        { priceStart: flip(start) / 20_000, priceNow: flip(end) / 20_000 },
        flip(price) / 20_000,
      )
    const half = end > start ? 2 * price >= start + end : 2 * price <= start + end
    strictEqual(verdict((at) => at), half ? "persisted" : "reverted")
    strictEqual(verdict((at) => 20_000 - at), half ? "persisted" : "reverted")
    strictEqual(moverVerdict({ priceStart: start, priceNow: end }, null), "unknown")
  },
  runs,
)

const minutes = int(-70, 70)
const anySeries = Arbitrary.schema(Schema.Struct({
  points: Schema.Array(Schema.Struct({ at: minutes, mid: int(1, 99) })).check(
    Schema.isMaxLength(6),
  ),
  resolution: Schema.NullOr(Schema.Struct({
    state: Schema.Literals(["paid", "paid", "cancelled"]),
    at: Schema.NullOr(minutes),
  })),
}))
type Drawn = typeof anySeries extends Arbitrary.Arbitrary<infer A> ? A : never

const drawnPoints = ({ points }: Drawn): ReadonlyArray<SeriesPoint> => {
  const byTime = new Map(points.map(({ at, mid }) => [at, mid / 100]))
  return [...byTime].map(([at, mid]) => ({ at: now + at * minute, mid }))
}
const drawnResolution = ({ resolution }: Drawn): Resolution | null => {
  if (resolution === null) return null
  const resolvedAt = resolution.at === null ? null : now + resolution.at * minute
  const shared = { marketId: MarketId.make("m1"), resolvedAt }
  return resolution.state === "paid"
    ? { ...shared, state: "paid", payouts: [0.25, 0.75] }
    : { ...shared, state: "cancelled" }
}

law(
  "priceOfOutcomeAt() returns the payout once paid, else the last price before, else the first after",
  anySeries,
  (
    drawn,
  ) => {
    const points = drawnPoints(drawn)
    const resolution = drawnResolution(drawn)
    const price = priceOfOutcomeAt(now, pointAt(now, points), resolution)
    /** All prices in order of time; the payout applies from its time on. */
    const paid = resolution?.state === "paid" && resolution.resolvedAt !== null
      ? [{ at: resolution.resolvedAt, mid: 0.25, payout: true }]
      : []
    const prices = [...points.map((point) => ({ ...point, payout: false })), ...paid]
      .sort((a, b) => a.at - b.at || Number(a.payout) - Number(b.payout))
    const paidBefore = paid.find(({ at }) => at <= now)
    const before = prices.filter(({ at }) => now - priceOffsetMsMax <= at && at <= now).at(-1)
    const after = prices.filter(({ at }) => now < at && at <= now + priceOffsetMsMax)
    const first = after.find(({ at, payout }) => payout && at === after[0]?.at) ?? after[0]
    strictEqual(price, (paidBefore ?? before ?? first)?.mid ?? null)
  },
  runs,
)

law("pointAt() does not depend on the order of the points", anySeries, (drawn) => {
  const points = drawnPoints(drawn)
  equal(pointAt(now, points.toReversed()), pointAt(now, points))
}, runs)

Deno.test("pointAt() accepts a price half an hour before or after the instant, and none beyond", () => {
  const at = (offsetMs: number) => pointAt(now, [{ at: now + offsetMs, mid: 0.5 }])?.at ?? null
  equal(
    [-priceOffsetMsMax, -priceOffsetMsMax - 1, priceOffsetMsMax, priceOffsetMsMax + 1].map(at),
    [
      ...[now - priceOffsetMsMax, null, now + priceOffsetMsMax, null],
    ],
  )
})

const payouts = Arbitrary.schema(Schema.Struct({
  outcome: Schema.Literals([0, 1]),
  paid: Schema.NullOr(Schema.Literals([0, 0.25, 0.5, 1])),
}))

law("outcomeVerdict() is correct, wrong or uneven by the payout, and null before", payouts, ({
  outcome,
  paid,
}) => {
  const shared = { marketId: MarketId.make("m1"), resolvedAt: now }
  strictEqual(outcomeVerdict({ outcome }, null), null)
  strictEqual(outcomeVerdict({ outcome }, { ...shared, state: "cancelled" }), "cancelled")
  if (paid === null) return
  const first = outcome === 0 ? paid : 1 - paid
  const verdict = outcomeVerdict({ outcome }, {
    ...shared,
    state: "paid",
    payouts: [first, 1 - first],
  })
  strictEqual(verdict, paid === 1 ? "correct" : paid === 0 ? "wrong" : "uneven")
}, runs)

const counts = int(0, 1_000)
const anyCounts = Arbitrary.schema(Schema.Struct({
  hourly: Schema.Array(counts).check(Schema.isMinLength(4), Schema.isMaxLength(4)),
  outcomes: Schema.Array(counts).check(Schema.isMinLength(5), Schema.isMaxLength(5)),
}))

law(
  "selfScore() counts every check: those without a result are unknown or open",
  anyCounts,
  (drawn) => {
    const [open = 0, persisted = 0, reverted = 0, unknown = 0] = drawn.hourly
    const [unresolved = 0, correct = 0, wrong = 0, uneven = 0, cancelled = 0] = drawn.outcomes
    const { movers, predetermined } = selfScore({
      mover_1h: { open, persisted, reverted, unknown },
      mover_6h: { reverted: persisted, unknown: open },
      mover_24h: { open: open + persisted + reverted + unknown },
      predetermined: { open: unresolved, correct, wrong, uneven, cancelled },
      contested: { open, correct: persisted, wrong: reverted, cancelled: unknown },
    })
    equal(movers, {
      emitted: open + persisted + reverted + unknown,
      ...{ judgedAfter1h: persisted + reverted, persistedAfter1h: persisted },
      unknownAfter1h: unknown,
      ...{ judgedAfter6h: persisted, persistedAfter6h: 0, unknownAfter6h: open },
      ...{ judgedAfter24h: 0, persistedAfter24h: 0, unknownAfter24h: 0 },
    })
    const evidence = {
      emitted: unresolved + correct + wrong + uneven + cancelled,
      ...{ resolved: correct + wrong, correct, uneven, cancelled },
    }
    const proposals = persisted + reverted + unknown
    const contested = {
      ...{ emitted: open + proposals, resolved: persisted + reverted, correct: persisted },
      ...{ uneven: 0, cancelled: unknown },
    }
    const {
      byKind: { proposal: { record, meanPrice: _, ...byContested }, ...byKind },
      ...all
    } = predetermined
    equal([byKind.evidence, byContested], [evidence, contested])
    for (const key of ["emitted", "resolved", "correct", "uneven", "cancelled"] as const) {
      strictEqual(all[key], evidence[key] + contested[key])
    }
    if (proposals === 0) return strictEqual(record, null)
    equal([record?.proposals, record?.upheld], [proposals, persisted])
    const rate = persisted / proposals
    ok(
      record !== null && record.upheldRateLow <= rate + 1e-4 &&
        rate <= record.upheldRateHigh + 1e-4,
    )
  },
  runs,
)

Deno.test("checksOf() returns three checks for a mover, and one for a predetermined outcome", () => {
  const mover = sampleItem(7, now)
  equal(
    checksOf(mover, market()).map(({ kind, feedIndex, marketId, at }) => [
      ...[kind, feedIndex, marketId, at],
    ]),
    [
      ["mover_1h", 7, "m1", now + hour],
      ["mover_6h", 7, "m1", now + 6 * hour],
      ["mover_24h", 7, "m1", now + day],
    ],
  )
  equal(checksOf(mover, null).map(({ marketId }) => marketId), [null, null, null])
  if (mover.type !== "mover") throw new Error(mover.type)
  const { phase } = mover.data
  const later = { ...mover, data: { ...mover.data, phase: "running" as const } }
  equal(
    [mover, later].map((item) => checksOf(item, market({ eventKey: "e" }))[0]).map((check) =>
      check?.kind === "mover_1h" && check.move
    ),
    [{ phase, eventKey: "e" }, { phase: "running", eventKey: "e" }],
  )
  const { title, createdAt, data: { market: ref, microstructure } } = mover
  const outcomeChecks = (outcome: string): ReadonlyArray<ScoreCheck> =>
    checksOf({
      ...{ feedIndex: 8, type: "predetermined", title, createdAt },
      data: {
        market: { ...ref, outcomes: ["Osprey", "Kestrel"] },
        ...{
          outcome,
          statement: "s",
          kind: "evidence",
          confidence: "high",
          marketPrice: 0.5,
          impliedEdge: 0.5,
        },
        evidence: [{ title: "t", url: "u", source: "s", publishedAt: createdAt }],
        ...{ detectedAt: createdAt, detector: "rules", microstructure },
      },
    }, market())
  equal(
    ["Osprey", "Kestrel"].flatMap(outcomeChecks).map((check) =>
      "outcome" in check && check.outcome
    ),
    [
      ...[0, 1],
    ],
  )
  ok(
    outcomeChecks("Osprey").every((check) =>
      check.kind === "predetermined" && check.at === now && check.contestedPrice === null
    ),
  )
})
