/**
 * What moves did next: sums that add up in any order, intervals that contain what follows, in worlds
 * of fair prices and in worlds with planted reversion, and the choice of bin and source.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import { halfSteps } from "../../../src/markets/domain/book.ts"
import {
  addSums,
  binsOf,
  driftOf,
  eventsMin,
  expectationOf,
  type JudgedMove,
  martingaleKept,
  type MoveFeatures,
  outcomeOf,
  type OutcomeSums,
  restate,
  sumsByBin,
  type SumsByHorizon,
} from "../../../src/movers/domain/moveOutcomes.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import { now } from "../../support/movers/market.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const judgedMoves = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({
    event: int(0, 6),
    bin: Schema.Literals(["a", "b"]),
    drift: int(-20_000, 20_000),
    margin: int(-20_000, 40_000),
  })),
  { maxLength: 40 },
)
type Drawn = typeof judgedMoves extends Arbitrary.Arbitrary<infer A> ? A : never
const named = (moves: Drawn): ReadonlyArray<JudgedMove> =>
  moves.map(({ bin, event, ...move }) => ({ ...move, event: `${event}`, bins: [bin, "all"] }))

const sameSums = (
  a: ReadonlyMap<string, OutcomeSums>,
  b: ReadonlyMap<string, OutcomeSums>,
): boolean => {
  const text = (of: typeof a) => JSON.stringify([...of].sort(([x], [y]) => x < y ? -1 : 1))
  return text(a) === text(b)
}

law("sumsByBin() does not depend on the order of the moves", judgedMoves, (drawn) => {
  const moves = named(drawn)
  return sameSums(sumsByBin(moves), sumsByBin(moves.toReversed()))
})

law("sumsByBin() of different events add up exactly", judgedMoves, (drawn) => {
  const moves = named(drawn)
  const isFirst = ({ event }: JudgedMove) => Number(event) < 3
  const first = sumsByBin(moves.filter(isFirst))
  const second = sumsByBin(moves.filter((move) => !isFirst(move)))
  const added = new Map(first)
  for (const [bin, sums] of second) {
    const before = added.get(bin)
    added.set(bin, before === undefined ? sums : addSums(before, sums))
  }
  return sameSums(added, sumsByBin(moves))
})

law("sumsByBin() counts each move once in each of its bins", judgedMoves, (drawn) => {
  const moves = named(drawn)
  return [...sumsByBin(moves)].every(([bin, sums]) => {
    const of = moves.filter(({ bins }) => bins.some((name) => name === bin))
    return sums.moves === of.length && sums.events === new Set(of.map((m) => m.event)).size &&
      sums.kept === of.filter(({ margin }) => margin >= 0).length &&
      sums.drift === of.reduce((sum, { drift }) => sum + drift, 0)
  })
})

const price = int(1, 9_999)
law(
  "outcomeOf() is the same for a move and its mirror image, and keeps half at its midpoint",
  Arbitrary.schema(Schema.Tuple([price, price, price])),
  ([start, end, after]) => {
    const of = (flip: (of: number) => number) =>
      outcomeOf(
        { priceStart: flip(start) / 1e4, priceNow: flip(end) / 1e4 },
        flip(after) / 1e4,
      )
    const outcome = of((price) => price)
    const mirrored = of((price) => 1e4 - price)
    const direction = Math.sign(end - start)
    const kept = direction * (2 * after - start - end) >= 0
    return outcome.drift === mirrored.drift && outcome.margin === mirrored.margin &&
      outcome.margin >= 0 === kept
  },
)

const features: MoveFeatures = {
  ...{ window: "24h", delta: -0.12, zScore: 4, converged: false },
  ...{ endsAt: now + 3 * day, emittedAt: now },
}

Deno.test("binsOf() names the bins of a move, finest first", () => {
  equal(binsOf(features), [
    "contested, 24h window, 10-20 points, z 3-6, end later",
    "contested, 24h window, 10-20 points, z 3-6",
    "contested, 24h window, 10-20 points",
    "contested",
  ])
  const [finest] = binsOf({
    ...{ window: "1h", delta: 0.2, zScore: 6, converged: true },
    ...{ endsAt: null, emittedAt: now },
  })
  strictEqual(finest, "converged, 1h window, 20+ points, z 6+, end unknown")
  for (const [hours, end] of [[-30, "within 24 h"], [23, "within 24 h"], [24, "later"]] as const) {
    const bins = binsOf({ ...features, endsAt: now + hours * hour })
    ok(bins[0]?.endsWith(`end ${end}`), bins[0])
  }
  // 0.3 - 0.2 is less than 0.1 as a float.
  strictEqual(binsOf({ ...features, delta: 0.3 - 0.2 })[2], "contested, 24h window, 10-20 points")
})

/** A move at a fair price, with what it did. Moves of one event share their luck. */
function world(random: Random, events: number, reverting: number): ReadonlyArray<JudgedMove> {
  return Array.from({ length: events }, (_, event) => {
    const luck = random.fraction()
    const resolves = random.chance(0.2)
    const reverts = random.chance(reverting)
    return Array.from({ length: 1 + random.below(5) }, () => {
      const priceNow = Math.round(random.between(0.08, 0.92) * 1e4) / 1e4
      const priceStart = Math.round(
        (priceNow > 0.5 ? priceNow - random.between(0.05, 0.4) : priceNow +
          random.between(0.05, 0.4)) * 1e4,
      ) / 1e4
      const step = Math.min(0.08, priceNow, 1 - priceNow) * (2 * luck - 1)
      const fair = resolves ? (luck < priceNow ? 1 : 0) : priceNow + step
      const later = reverts ? priceStart : fair
      return {
        ...{ event: `${event}`, bins: ["all"] },
        ...outcomeOf({ priceStart, priceNow }, Math.round(later * 1e4) / 1e4),
      }
    })
  }).flat()
}

const all = (moves: ReadonlyArray<JudgedMove>): OutcomeSums => {
  const sums = sumsByBin(moves).get("all")
  ok(sums !== undefined)
  return sums
}

for (const [name, reverting] of [["fair prices", 0], ["planted reversion", 0.2]] as const) {
  for (const events of [eventsMin, 300]) {
    Deno.test(`driftOf() contains what follows: ${name}, ${events} events`, () => {
      const worlds = sized({ short: 400, full: 1_000 })
      const random = new Random(events + 7)
      const truth = driftOf(all(world(random, 40_000, reverting)))
      ok(truth !== null)
      // The planted reversion is seen; without it there is none.
      ok(reverting === 0 ? Math.abs(truth.drift) < 0.003 : truth.drift < -0.02, `${truth.drift}`)
      let [next, mean, nextEight] = [0, 0, 0]
      for (let n = 0; n < worlds; n++) {
        const sums = all(world(random, events, reverting))
        const forecast = driftOf(sums, events)
        const forEight = driftOf(sums, 8 * events)
        const confidence = driftOf(sums)
        ok(forecast !== null && forEight !== null && confidence !== null)
        const followed = driftOf(all(world(random, events, reverting)))?.drift ?? NaN
        const later = driftOf(all(world(random, 8 * events, reverting)))?.drift ?? NaN
        const inside = (of: typeof forecast, drift: number) =>
          of.driftLow <= drift && drift <= of.driftHigh ? 1 : 0
        next += inside(forecast, followed)
        nextEight += inside(forEight, later)
        mean += inside(confidence, truth.drift)
      }
      for (const [what, contained] of Object.entries({ next, nextEight, mean })) {
        const share = contained / worlds
        // With few events the two added ones make the interval wider than it needs to be.
        ok(share >= 0.93 && (events === eventsMin || share < 0.995), `${what}: ${share}`)
      }
    })
  }
}

Deno.test("driftOf() states no narrow interval for moves that have not jumped yet", () => {
  const still = all(Array.from({ length: eventsMin }, (_, event) => ({
    ...{ event: `${event}`, bins: ["all"], drift: halfSteps(0.02), margin: 0 },
  })))
  const drift = driftOf(still, eventsMin)
  ok(drift !== null)
  // A fair price of 0.98 in this bin has drift 0, although 36 % of such samples have no jump.
  ok(drift.driftLow < -0.01 && drift.driftHigh > 0.05, JSON.stringify(drift))
})

/** Moves of as many events, each with this drift in price, in every bin of `features`. */
const moved = (events: number, drift: number, bins = binsOf(features)) =>
  sumsByBin(Array.from({ length: events }, (_, event) => ({
    ...{ event: `${event}`, bins, drift: halfSteps(drift), margin: drift },
  })))
const both = (sums: SumsByHorizon["1h"]): SumsByHorizon => ({ "1h": sums, "24h": sums })

Deno.test("expectationOf() has the finest bin with enough events, own movers first", () => {
  const [fine, , , coarse] = binsOf(features)
  const own = moved(eventsMin - 1, 0.03)
  const coarser = new Map([...own, ...moved(eventsMin, 0.02, binsOf(features).slice(3))])
  const publicSet = moved(eventsMin, -0.01)
  const read = (...sources: ReadonlyArray<readonly ["own_movers" | "public_prices", typeof own]>) =>
    expectationOf(features, sources.map(([basis, sums]) => ({ basis, sums: both(sums) })))
  strictEqual(read(), null)
  strictEqual(read(["own_movers", own]), null)
  const known = read(["own_movers", coarser])
  equal([known?.after1h?.bin, known?.after1h?.drift], [coarse, 0.02])
  const prior = read(["own_movers", coarser], ["public_prices", publicSet])
  equal([prior?.after24h?.bin, prior?.after24h?.basis], [fine, "public_prices"])
  const replaced = read(["own_movers", moved(eventsMin, 0.03)], ["public_prices", publicSet])
  equal([replaced?.after24h?.drift, replaced?.after24h?.basis], [0.03, "own_movers"])
  equal([replaced?.after1h?.moves, replaced?.after1h?.events], [eventsMin, eventsMin])
})

Deno.test("expectationOf() has null for the horizon that is not known yet", () => {
  const sums = { "1h": moved(eventsMin, 0.01), "24h": moved(eventsMin - 1, 0.01) }
  const expectation = expectationOf(features, [{ basis: "own_movers", sums }])
  equal([expectation?.after24h, expectation?.after1h?.shareKept], [null, 1])
})

Deno.test("martingaleKept() is the share kept without the mean drift", () => {
  const moves = world(new Random(3), 4_000, 0.3)
  const fair = world(new Random(3), 4_000, 0)
  const shares = (of: typeof moves) => {
    const margins = of.map(({ margin }) => margin)
    const mean = of.reduce((sum, { drift }) => sum + drift, 0) / of.length
    return {
      kept: margins.filter((margin) => margin >= 0).length / of.length,
      martingale: martingaleKept(margins.map((margin) => [margin, 1]), mean) / of.length,
    }
  }
  // At fair prices both are the same; reversion lowers only the share kept.
  ok(Math.abs(shares(fair).martingale - shares(fair).kept) < 0.01, JSON.stringify(shares(fair)))
  ok(shares(moves).martingale > shares(moves).kept + 0.02, JSON.stringify(shares(moves)))
})

Deno.test("restate() tests each interval once, on what followed it", () => {
  const events = (from: number, to: number, drift: number) =>
    Array.from({ length: to - from }, (_, n) => ({
      ...{ event: `${from + n}`, bins: ["all"], drift: halfSteps(drift), margin: 0 },
    }))
  const first = events(0, eventsMin, 0.01)
  equal(restate(null, all(first.slice(1))), { stated: null, contained: null })
  const { stated, contained } = restate(null, all(first))
  strictEqual(contained, null)
  equal(restate(stated, all(first)), { stated, contained: null })
  const almost = [...first, ...events(eventsMin, 2 * eventsMin - 1, 0.2)]
  equal(restate(stated, all(almost)), { stated, contained: null })
  for (const [drift, inside] of [[0.2, false], [0.011, true]] as const) {
    const next = restate(stated, all([...first, ...events(eventsMin, 2 * eventsMin, drift)]))
    equal([next.contained, next.stated?.events], [inside, 2 * eventsMin])
  }
})
