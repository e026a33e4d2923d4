/**
 * The stated probability: equal to the mid without a record, inside the ladder's bounds, and in worlds
 * with a planted edge nearer to what comes than the mid; its interval contains nine of ten later mids.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  addClusters,
  clusteredMean,
  clusterOf,
  noClusters,
} from "../../../src/core/domain/clusteredMean.ts"
import { day, hour } from "../../../src/core/domain/time.ts"
import { isDecidedPrice } from "../../../src/markets/domain/book.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { type EstimateInputs, estimateOf, isDistant } from "../../../src/writing/domain/estimate.ts"
import type { LabelledEntry, WalletRecord } from "../../../src/writing/facts/wallets.ts"
import { resampleHourly } from "../../../src/research/domain/research.ts"
import { estimateScore } from "../../../src/track-record/domain/forecasts.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { law } from "../../support/effect.ts"
import { Random } from "../../support/random.ts"
import { totalsOfForecasts } from "../../support/track-record/forecastTotals.ts"

const now = Date.parse("2026-11-21T12:00:00.000Z")

/** No rung bounds a view. */
const anyRung = { low: 0, high: 1 }
/** A quiet market without any record. */
const nothing: EstimateInputs = {
  ...{ mid: 0.5, hourly: [], probability24h: 0.05, move: null, proposal: null, wallets: [] },
  ...{ endsInMs: null, bounds: null, rungBounds: anyRung, reports: null, provenWorse: false },
  bands: [],
  doubted: null,
  scored: { judged: 0, brier: null, midBrier: null },
}

const row = (edge: number, entries: number, price: number): WalletRecord => {
  const reach = 1.96 * Math.sqrt(price * (1 - price) / entries)
  const band = { from: price < 0.5 ? 0.25 : 0.5, to: price < 0.5 ? 0.5 : 0.75, entries }
  return {
    ...{ edgeLow: edge - reach, edgeHigh: edge + reach, resolved: entries, meanEntryPrice: price },
    oddsBands: [{
      ...{ ...band, band: "", meanEntryPrice: price, winRate: price + edge },
      ...{ winRateLow: 0, winRateHigh: 1, followRoi: 0, fadeRoi: null },
    }],
  }
}

const part = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const drawn = Schema.Struct({
  ...{ mid: part(1, 999), hours: part(0, 168), step: part(0, 400), ending: part(0, 100) },
  drift: Schema.NullOr(Schema.Struct({ mean: part(-200, 200), reach: part(0, 200) })),
  ...{ up: Schema.Boolean, age: part(0, 30) },
  proposal: Schema.NullOr(Schema.Struct({
    ...{ outcome: Schema.Literals([0, 1]), proposals: part(0, 300), upheld: part(0, 100) },
    price: part(1, 99),
  })),
  wallets: Schema.Array(Schema.Struct({
    ...{ label: Schema.Literals(["follow", "fade"]), outcome: Schema.Literals([0, 1]) },
    ...{ price: part(25, 74), edge: part(-24, 24), entries: part(1, 500) },
  })).check(Schema.isMaxLength(3)),
  bounds: Schema.NullOr(Schema.Struct({ low: part(0, 1_000), width: part(0, 1_000) })),
  provenWorse: Schema.Boolean,
})
type Drawn = typeof drawn.Type
const anyInputs = Arbitrary.map(Arbitrary.schema(drawn), inputsOf)

function inputsOf(one: Drawn): EstimateInputs {
  const { mid, hours, step, drift, proposal, wallets, bounds } = one
  const wave = (n: number) =>
    Math.min(999, Math.max(1, mid + (n % 3 - 1) * Math.min(step, mid, 999 - mid))) / 1_000
  return {
    mid: mid / 1_000,
    hourly: Array.from(
      { length: hours },
      (_, n) => ({ at: now - (hours - n) * hour, mid: wave(n) }),
    ),
    ...{
      probability24h: one.ending / 100,
      endsInMs: null,
      provenWorse: one.provenWorse,
      bands: [],
      doubted: null,
      scored: { judged: 0, brier: null, midBrier: null },
    },
    ...{ rungBounds: anyRung, reports: null },
    move: drift === null ? null : {
      ...{ direction: one.up ? 1 : -1, ageMs: one.age * hour },
      record: {
        moves: 400,
        meanDrift: drift.mean / 1_000,
        driftLow: (drift.mean - drift.reach) / 1_000,
        driftHigh: (drift.mean + drift.reach) / 1_000,
      },
    },
    proposal: proposal === null ? null : {
      outcome: proposal.outcome,
      record: {
        proposals: proposal.proposals,
        upheld: Math.round(proposal.proposals * proposal.upheld / 100),
        meanPrice: proposal.price / 100,
      },
    },
    wallets: wallets.map(({ label, outcome, price, edge, entries }) => ({
      ...{ label, outcome, price: price / 100, record: row(edge / 100, entries, price / 100) },
    })),
    bounds: bounds === null
      ? null
      : { low: bounds.low / 1_000, high: Math.min(1, (bounds.low + bounds.width) / 1_000) },
  }
}

/** The ladder's bounds, unless they are too far from the mid to be believed. */
const believed = ({ bounds, mid }: EstimateInputs) =>
  bounds === null || isDistant(bounds, mid) ? null : bounds

law("the estimate is inside its intervals and the ladder's bounds", anyInputs, (inputs) => {
  const { probability, basis, ...estimate } = estimateOf(inputs)
  const { low: least, high: most } = believed(inputs) ?? { low: 0, high: 1 }
  ok(least <= probability && probability <= most, `${probability} outside ${least} to ${most}`)
  const { low, high, dayLow, dayHigh } = estimate
  for (const [from, to] of [[low, high], [dayLow, dayHigh]] as const) {
    if (from === null || to === null) strictEqual(from, to)
    else ok(0 <= from && from <= probability && probability <= to && to <= 1)
  }
  strictEqual(low === null, basis.every(({ ingredient }) => ingredient === "ladder"))
})

law("without a record, or with one proven worse, it is the mid within the bounds", anyInputs, (
  inputs,
) => {
  const { mid } = inputs
  const bounds = believed(inputs)
  const expected = bounds === null ? mid : Math.min(bounds.high, Math.max(bounds.low, mid))
  const silent = { ...inputs, move: null, proposal: null, wallets: [] }
  for (const given of [{ ...inputs, provenWorse: true }, silent]) {
    const { probability, basis } = estimateOf(given)
    strictEqual(probability, expected)
    ok(basis.every(({ ingredient }) => ingredient === "ladder"))
  }
  strictEqual(estimateOf({ ...silent, bounds: null }).basis.length, 0)
})

/** The same market, with its outcomes in the other order. */
const mirrored = (inputs: EstimateInputs): EstimateInputs => ({
  ...inputs,
  mid: 1 - inputs.mid,
  hourly: inputs.hourly.map(({ at, mid }) => ({ at, mid: 1 - mid })),
  move: inputs.move && { ...inputs.move, direction: inputs.move.direction === 1 ? -1 : 1 },
  proposal: inputs.proposal &&
    { ...inputs.proposal, outcome: inputs.proposal.outcome === 0 ? 1 : 0 },
  wallets: inputs.wallets.map((one) => ({ ...one, outcome: one.outcome === 0 ? 1 : 0 })),
  bounds: inputs.bounds && { low: 1 - inputs.bounds.high, high: 1 - inputs.bounds.low },
})

/** A shift may fall on the other side of the least view, by rounding. */
const roundingMax = 0.0061

law("the order of the outcomes does not matter", anyInputs, (inputs) => {
  const [one, other] = [estimateOf(inputs), estimateOf(mirrored(inputs))]
  const far = [
    one.probability + other.probability - 1,
    (one.dayLow ?? 0) + (other.dayHigh ?? 1) - 1,
    (one.dayHigh ?? 1) + (other.dayLow ?? 0) - 1,
  ].filter((distance) => Math.abs(distance) > roundingMax)
  strictEqual(far.length, 0, `${JSON.stringify(one)} ${JSON.stringify(other)}`)
})

Deno.test("bounds at the largest distance are believed of either outcome", () => {
  deepStrictEqual(
    [isDistant({ low: 0.154, high: 1 }, 0.004), isDistant({ low: 0, high: 0.846 }, 1 - 0.004)],
    [false, false],
  )
})

/** One market of a planted world: what is known, and the price a day later. */
interface Case {
  readonly inputs: EstimateInputs
  readonly later: number
}

/** A later price that is `fair` on average. */
function laterOf(random: Random, fair: number): number {
  const reach = Math.min(0.15, fair, 1 - fair)
  return fair + (random.chance(0.5) ? reach : -reach)
}

/** The score of a world's estimates, as the track record publishes it. */
function scoreOf(cases: ReadonlyArray<Case>) {
  return estimateScore(totalsOfForecasts(cases.map(({ inputs, later }, n) => {
    const { mid, probability, dayLow, dayHigh } = estimateOf(inputs)
    return {
      forecast: {
        ...{ kind: "price", marketId: MarketId.make(`m${n}`), eventKey: `${n}`, madeAt: now },
        ...{ baseline: mid, probability, low: dayLow ?? 0, high: dayHigh ?? 1 },
      },
      ...{ judged: true, value: later },
    }
  })))
}

const size = 3_000
/** Records differ by luck: each is used for so many markets. */
const casesOfRecord = 100
const worldOf = (seed: number, makeRecord: (random: Random) => () => Case) => {
  const random = new Random(seed)
  return Array.from({ length: size / casesOfRecord }, () => {
    const make = makeRecord(random)
    return Array.from({ length: casesOfRecord }, make)
  }).flat()
}

/** Moves after which prices drift by `drift` in their direction, and the record of 400 earlier ones. */
const movedWorld = (seed: number, drift: number) =>
  worldOf(seed, (random) => {
    const moved = () => {
      const mid = random.between(0.2, 0.8)
      const direction = random.chance(0.5) ? 1 as const : -1 as const
      return { mid, direction, later: laterOf(random, mid + direction * drift) }
    }
    const sums = Array.from({ length: 400 }, moved).reduce(
      (sums, { mid, direction, later }) =>
        addClusters(sums, clusterOf(1, direction * (later - mid))),
      noClusters,
    )
    const { mean, low, high } = clusteredMean(sums) ?? { mean: 0, low: 0, high: 0 }
    const record = { moves: 400, meanDrift: mean, driftLow: low, driftHigh: high }
    return () => {
      const { mid, direction, later } = moved()
      return { inputs: { ...nothing, mid, move: { direction, ageMs: 0, record } }, later }
    }
  })

const tilted = (price: number, shift: number) => {
  const odds = price / (1 - price) * Math.exp(shift)
  return odds / (1 + odds)
}

/** Doubted proposals that are upheld more often than their price says by `shift` log odds. */
const proposedWorld = (seed: number, shift: number) =>
  worldOf(seed, (random) => {
    const earlier = Array.from({ length: 200 }, () => {
      const price = random.between(0.3, 0.85)
      return { price, upheld: random.chance(tilted(price, shift)) }
    })
    const record = {
      proposals: earlier.length,
      upheld: earlier.filter(({ upheld }) => upheld).length,
      meanPrice: earlier.reduce((sum, { price }) => sum + price, 0) / earlier.length,
    }
    return () => {
      const price = random.between(0.3, 0.85)
      const outcome = random.chance(0.5) ? 0 as const : 1 as const
      const later = random.chance(tilted(price, shift)) === (outcome === 0) ? 1 : 0
      const mid = outcome === 0 ? price : 1 - price
      return { inputs: { ...nothing, mid, proposal: { outcome, record } }, later }
    }
  })

/**
 * Entries of labelled wallets, followed or faded, with a record of 300 entries. Without an edge the label
 * is luck in one market of twenty: the share of false labels that the rule allows.
 */
const walletWorld = (seed: number, edge: number) =>
  worldOf(seed, (random) => () => {
    const price = random.between(0.3, 0.7)
    const label = random.chance(0.5) ? "follow" as const : "fade" as const
    const outcome = random.chance(0.5) ? 0 as const : 1 as const
    const sign = label === "follow" ? 1 : -1
    const truth = price + sign * edge
    const edges = Array.from({ length: edge === 0 ? 20 : 1 }, () => {
      const wins = Array.from({ length: 300 }, () => random.chance(truth)).filter(Boolean).length
      return sign * (wins / 300 - price)
    })
    const isLabelled = edge !== 0 || random.chance(0.05)
    const mid = outcome === 0 ? price : 1 - price
    const record = row(sign * Math.max(...edges), 300, price)
    const wallets = isLabelled ? [{ label, outcome, price, record }] : []
    const later = laterOf(random, outcome === 0 ? truth : 1 - truth)
    return { inputs: { ...nothing, mid, wallets }, later }
  })

/** Markets of which three in ten are mispriced, between quotes of rungs that are not. */
const ladderWorld = (seed: number, error: number) =>
  worldOf(seed, (random) => () => {
    const fair = random.between(0.25, 0.75)
    const mid = fair + (random.chance(0.3) ? (random.chance(0.5) ? error : -error) : 0)
    const bounds = {
      low: fair - random.between(0.005, 0.1),
      high: fair + random.between(0.005, 0.1),
    }
    return { inputs: { ...nothing, mid, bounds }, later: laterOf(random, fair) }
  })

/** What false labels may cost: a hundredth of the variance of a price that jumps by 10 cents. */
const noiseMax = 1e-4

const worlds = [
  ["moves that revert", movedWorld(11, -0.04), movedWorld(13, 0)],
  ["moves that go on", movedWorld(15, 0.04), movedWorld(17, 0)],
  ["proposals", proposedWorld(21, 1), proposedWorld(23, 0)],
  ["labelled wallets", walletWorld(31, 0.06), walletWorld(33, 0)],
  ["ladders", ladderWorld(41, 0.1), ladderWorld(43, 0)],
] as const

for (const [name, planted, fair] of worlds) {
  Deno.test(`${name}: better than the mid where an edge was planted, and equal to it elsewhere`, () => {
    const score = scoreOf(planted)
    strictEqual(score.comparison, "better", JSON.stringify(score))
    const { difference, differenceLow } = scoreOf(fair)
    ok((differenceLow ?? 1) <= 0 && Math.abs(difference ?? 1) < noiseMax, `${difference}`)
  })
}

/** Steps of an hour in log odds, and how a mid shows the price; `n` counts the hours. */
interface Path {
  readonly step: (normal: () => number, random: Random, n: number) => number
  readonly shown?: (price: number, random: Random) => number
}

/** Calm and busy weeks differ by a factor of ten. */
const paths: Readonly<Record<string, Path>> = {
  "even steps": { step: (normal) => 0.08 * normal() },
  "quiet, in whole cents": {
    step: (normal) => 0.01 * normal(),
    shown: (price) => Math.round(price * 100) / 100,
  },
  "a mid that bounces by a cent": {
    step: (normal) => 0.03 * normal(),
    shown: (price, random) => price + (random.chance(0.5) ? 0.005 : -0.005),
  },
  "a jump in three days": {
    step: (normal, random) => 0.02 * normal() + (random.chance(1 / 72) ? 0.5 * normal() : 0),
  },
  "heavy tails": {
    step: (normal) => 0.06 * normal() / Math.hypot(normal(), normal(), normal()) * Math.sqrt(3),
  },
  "busy hours of the day": { step: (normal, _, n) => 0.1 * normal() * (n % 24 < 8 ? 1.6 : 0.4) },
}

/** A week of hourly mids, and the mid a day later. */
function weekOf({ step, shown = (price) => price }: Path, random: Random): Case {
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
  let odds = random.between(-2.5, 2.5)
  const mids = Array.from({ length: 8 * 24 + 1 }, (_, n) => {
    odds += step(normal, random, n)
    return shown(1 / (1 + Math.exp(-odds)), random)
  })
  const hourly = mids.slice(0, 7 * 24 + 1).map((mid, n) => ({ at: now + (n - 168) * hour, mid }))
  return { inputs: { ...nothing, mid: mids[168] ?? 0.5, hourly }, later: mids[192] ?? 0.5 }
}

Deno.test("an interval contains nine of ten mids a day later, on paths of every kind", () => {
  const random = new Random(51)
  const scores = Object.entries(paths).map(([name, path]) => {
    const { coverage } = scoreOf(Array.from({ length: size / 2 }, () => weekOf(path, random)))
    ok(coverage !== null && coverage >= 0.87 && coverage <= 0.94, `${name}: ${coverage}`)
    return coverage
  })
  const mean = scores.reduce((sum, coverage) => sum + coverage, 0) / scores.length
  ok(mean >= 0.88 && mean <= 0.92, `${mean}`)
})

Deno.test("an interval contains nine of ten mids of the simulated venue, which jump every other day", () => {
  const weeks = [1, 2, 3].flatMap((seed) => {
    const world = makeWorld({ seed })
    return [0, 3, 6].flatMap((days) => simulatedWeeks(world, now + days * day))
  })
  const { coverage, intervals } = scoreOf(weeks)
  ok(intervals > 900 && coverage !== null && coverage >= 0.86 && coverage <= 0.93, `${coverage}`)
})

/** A week of each live market whose price is open, and its mid a day later. */
function simulatedWeeks(world: World, at: number): ReadonlyArray<Case> {
  return world.list(at, 0, world.options.markets).flatMap((market) => {
    const mids = (from: number, to: number, stepMs: number) =>
      world.history(market.tokenIds[0], { from, to }, stepMs)
        .map(({ at, price }) => ({ at, mid: price }))
    const hourly = resampleHourly(mids(at - 7 * day, at, hour))
    const mid = hourly.at(-1)?.mid ?? 0
    const later = mids(at + day - hour / 2, at + day, hour / 6).at(-1)?.mid
    const endsInMs = Math.min(market.endsAt ?? Infinity, market.gameStartsAt ?? Infinity) - at
    if (market.mechanical !== null || isDecidedPrice(mid) || later === undefined) return []
    return [{ inputs: { ...nothing, mid, hourly, endsInMs }, later }]
  })
}

Deno.test("a market that will probably end within the day has the interval 0 to 1", () => {
  const { dayLow, dayHigh } = estimateOf({ ...nothing, probability24h: 0.5 })
  strictEqual(`${dayLow} ${dayHigh}`, "null null")
  ok((estimateOf({ ...nothing, probability24h: 0.49 }).dayLow ?? 0) > 0)
  strictEqual(estimateOf({ ...nothing, endsInMs: 35 * hour }).dayHigh, null)
  ok((estimateOf({ ...nothing, endsInMs: 36 * hour }).dayHigh ?? 1) < 1)
})

const reverting = { moves: 400, meanDrift: -0.04, driftLow: -0.052, driftHigh: -0.028 }
const risen = { direction: 1 as 1 | -1, ageMs: 0, record: reverting }

Deno.test("a record counts less the less certain it is, and the drift of half a day is half", () => {
  const at = (fields: Partial<typeof risen>) =>
    estimateOf({ ...nothing, move: { ...risen, ...fields } }).probability
  strictEqual(at({}), 0.464)
  strictEqual(at({ direction: -1 }), 0.536)
  strictEqual(at({ ageMs: 12 * hour }), 0.482)
  strictEqual(at({ ageMs: 24 * hour }), 0.5)
  strictEqual(at({ record: { ...reverting, driftLow: -0.06, driftHigh: -0.02 } }), 0.47)
  strictEqual(at({ record: { ...reverting, driftLow: -0.08, driftHigh: 0 } }), 0.5)
})

Deno.test("a shift below half a cent is no view", () => {
  const at = (meanDrift: number) => {
    const record = { moves: 400, meanDrift, driftLow: meanDrift, driftHigh: meanDrift }
    return estimateOf({ ...nothing, move: { ...risen, record } })
  }
  strictEqual(at(0.004).probability, 0.5)
  strictEqual(at(0.004).basis.length, 0)
  strictEqual(at(0.006).probability, 0.506)
})

Deno.test("a view that the ladder takes back to the mid has no reasons", () => {
  const move = {
    ...{ direction: 1 as const, ageMs: 0 },
    record: { moves: 400, meanDrift: 0.05, driftLow: 0.049, driftHigh: 0.051 },
  }
  const { probability, basis } = estimateOf({ ...nothing, move, bounds: { low: 0, high: 0.502 } })
  strictEqual(probability, 0.5)
  strictEqual(basis.length, 0)
})

Deno.test("proposals count from thirty ended ones on, against their mean price", () => {
  const at = (proposals: number, meanPrice: number) => {
    const record = { proposals, upheld: proposals, meanPrice }
    return estimateOf({ ...nothing, proposal: { outcome: 1, record } }).probability
  }
  strictEqual(at(29, 0.5), 0.5)
  strictEqual(at(30, 0.5), 0.073)
  strictEqual(at(30, 0.92), 0.5)
})

Deno.test("a wallet counts once a side, less what the price moved, and only in the band of its record", () => {
  const record = row(0.1, 400, 0.5)
  const entry: LabelledEntry = { label: "follow", outcome: 0, price: 0.5, record }
  const at = (mid: number, ...wallets: ReadonlyArray<LabelledEntry>) =>
    estimateOf({ ...nothing, mid, wallets }).probability
  strictEqual(at(0.5, entry), 0.559)
  strictEqual(at(0.5, entry, entry), 0.559)
  strictEqual(at(0.5, entry, { ...entry, outcome: 1 }), 0.5)
  strictEqual(at(0.52, entry), 0.559)
  strictEqual(at(0.58, entry), 0.58)
  strictEqual(at(0.58, entry, entry), 0.58)
  const lower = { ...entry, price: 0.55 }
  strictEqual(at(0.52, lower), 0.549, "a fall counts against it like a rise")
  strictEqual(at(0.49, { ...entry, price: 0.51 }), 0.49, "the record is of 0.50 to 0.75")
  strictEqual(at(0.5, { ...entry, price: 0.3 }), 0.5, "no entry in the band of that price")
  const faded = { ...entry, label: "fade" as const, record: row(-0.1, 400, 0.5) }
  strictEqual(at(0.5, faded), 0.441)
  // Twice the error of independent entries: a quarter of the evidence.
  const dependent = { ...entry, record: { ...record, edgeLow: 0.002, edgeHigh: 0.198 } }
  strictEqual(at(0.5, dependent), 0.526)
})

Deno.test("the interval of the probability is the error of the record that moved it", () => {
  const record = row(0.1, 180, 0.5)
  const wallets: ReadonlyArray<LabelledEntry> = [{
    ...{ label: "follow", outcome: 0, price: 0.5, record },
  }]
  const { probability, low, high } = estimateOf({ ...nothing, wallets })
  const reach = 1.96 * 0.03 * Math.sqrt(1 - 0.0009 / (0.0009 + 0.25 / 180))
  ok(Math.abs(probability - (low ?? 0) - reach) < 0.002, `${low}`)
  ok(Math.abs((high ?? 0) - probability - reach) < 0.002, `${high}`)
  const reports = { outcome: 0 as const, record: { resolved: 120, correct: 117 } }
  const reported = estimateOf({ ...nothing, mid: 0.6, reports })
  ok(Math.abs((reported.low ?? 0) - 0.6) < 0.002, "from the price to the record's lower end")
  strictEqual(`${reported.basis[0]?.won} of ${reported.basis[0]?.cases}`, "117 of 120")
})

Deno.test("reports of a good record move it half of the way to the record, without one not at all", () => {
  const with_ = (outcome: 0 | 1, resolved: number) =>
    estimateOf({
      ...{ ...nothing, mid: 0.6 },
      reports: { outcome, record: { resolved, correct: resolved } },
    })
  const { basis, probability } = with_(0, 1_000)
  ok(probability > 0.78 && probability < 0.8, `${probability}`)
  strictEqual(basis[0]?.ingredient, "reports")
  ok(with_(1, 1_000).probability < 0.32)
  strictEqual(with_(0, 29).probability, 0.6)
  strictEqual(
    estimateOf({
      ...nothing,
      mid: 0.99,
      reports: { outcome: 0, record: { resolved: 40, correct: 30 } },
    }).probability,
    0.99,
  )
})

Deno.test("a view does not cross the price of another rung", () => {
  const view = {
    ...nothing,
    reports: { outcome: 0, record: { resolved: 99, correct: 99 } },
  } as const
  const free = estimateOf(view).probability
  ok(free > 0.6, `${free}`)
  strictEqual(estimateOf({ ...view, rungBounds: { low: 0.2, high: 0.55 } }).probability, 0.55)
  strictEqual(estimateOf({ ...view, rungBounds: null }).probability, 0.5)
})
