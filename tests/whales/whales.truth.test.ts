/**
 * Days of ticks over the simulated venue: published entries and calibrations equal those computed from
 * scratch.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { bookOf, microstructure } from "../../src/markets/domain/book.ts"
import { hour, isoTime } from "../../src/core/domain/time.ts"
import { roundUsd } from "../../src/whales/domain/oddsBands.ts"
import { VenueUnavailable } from "../../src/markets/VenueClient.ts"
import type { WhaleReport } from "../../src/whales/Whales.ts"
import { storesOf } from "../support/whales/whaleStores.ts"
import { test } from "../support/effect.ts"
import { defaultGroups, makeTradingWorld } from "../support/venues/strategies.ts"
import { embeddedStore } from "../support/stores.ts"
import {
  makeOracle,
  type ScratchCalibration,
  type ScratchOracle,
  type ScratchPosition,
} from "../support/whales/whaleOracle.ts"
import {
  allActivity,
  factsOf,
  itemsOf,
  type ObservedResolutions,
  stakeMinUsd,
  tickAt,
  tickIntervalMs,
  track,
  trialLayer,
  trialVenue,
} from "../support/whales/whaleTrial.ts"
import { marketBySlug } from "../support/venues/worlds.ts"

const world = makeTradingWorld({
  seed: 7,
  markets: 60,
  lifeDays: [1, 4],
  wallets: defaultGroups.map((group) => ({
    ...group,
    count: 1,
    entriesPerDay: (group.strategy === "bettor" ? 3 : 1) * group.entriesPerDay,
    medianStakeUsd: 2_500,
  })),
})
const start = world.options.origin
const ticks = 42
/** Entries that were first read after a later calibration; it takes two days for some to come. */
const lateMin = 2
const end = start + (ticks - 1) * tickIntervalMs

/** The instants of the ticks. */
const slots = Array.from({ length: ticks }, (_, n) => start + n * tickIntervalMs)
/** At these ticks the venue returns no activity, so it is read late, after other markets ended. */
const isDown = (at: number) => Math.floor((at - start) / tickIntervalMs) % 9 >= 6
const readAt = (at: number) => slots.find((slot) => slot >= at && !isDown(slot)) ?? Infinity
const down = new VenueUnavailable({ operation: "activity", reason: "down" })

/** A run of ticks over the world. */
const run = Effect.gen(function* () {
  const observed: ObservedResolutions = []
  yield* TestClock.setTime(start - 1)
  const trial = yield* Layer.build(
    trialLayer(trialVenue(world, observed, ({ wallets }) => ({
      wallets: wallets && {
        ...wallets,
        activity: (...args) =>
          Effect.flatMap(
            Clock.currentTimeMillis,
            (at) => at >= start && isDown(at) ? Effect.fail(down) : wallets.activity(...args),
          ),
      },
    }))).pipe(Layer.provide(embeddedStore)),
  )
  yield* track(
    trial,
    world.wallets.map((wallet, n) => ({ wallet, source: n % 4 === 3 ? "profit" : "volume" })),
  )
  const reports: Array<WhaleReport> = []
  for (const slot of slots) reports.push(yield* tickAt(trial, slot))
  const store = storesOf(trial)
  const activity = yield* allActivity(trial, world.wallets, end)
  const facts = yield* factsOf(trial, [...new Set(activity.map(({ marketId }) => marketId))])
  const wallets = yield* store.tracked
  const oracle = makeOracle({ activity, readAt, facts, wallets, slots, observed })
  return { reports, items: yield* itemsOf(trial), rows: yield* store.calibrated, oracle }
})

/** One run for all tests. */
const done = Effect.runSync(
  Effect.cached(run.pipe(Effect.scoped, Effect.provide(TestClock.layer()))),
)

/** The expected items of each tick: each entry once, when its stake first reaches the minimum. */
function expected(positionsAt: (at: number) => ReadonlyArray<ScratchPosition>) {
  const published: Array<{ key: string; from: number; to: number }> = []
  return slots.flatMap((slot) => {
    const positions = positionsAt(slot)
    const makers = new Set(
      [...Map.groupBy(positions, ({ wallet }) => wallet)].flatMap(([wallet, all]) => {
        const both = all.filter(({ boughtBoth }) => boughtBoth).length
        const makes = all.length >= 1_000 || (all.length >= 10 && both > 0.4 * all.length)
        return makes ? [wallet] : []
      }),
    )
    return positions.filter(({ changedAt }) => changedAt === slot).flatMap((position) => {
      const { wallet, market, entries } = position
      const listed = world.catalogue.byId(market.id)
      const live = listed !== undefined && slot < listed.resolvedAt
      return entries.flatMap((entry) => {
        const { outcome, firstFillAt, lastFillAt } = entry
        const key = `${wallet} ${market.id} ${outcome}`
        const again = published.some((one) =>
          one.key === key && one.from <= lastFillAt && firstFillAt <= one.to
        )
        const fit = entry.stakeUsd >= stakeMinUsd && entry.price < 0.95 &&
          entry.hedgedShares <= entry.shares / 2 && lastFillAt >= slot - 6 * hour
        if (again || !fit || !live || makers.has(wallet)) return []
        published.push({ key, from: firstFillAt, to: lastFillAt })
        return [{ slot, wallet, market, entry }]
      })
    })
  })
}

test("tick() completes every stage except those for which the venue is down", () =>
  Effect.gen(function* () {
    const { reports, items } = yield* done
    for (const { slot, failed, behind } of reports) {
      equal([...failed, ...behind], isDown(slot) ? ["reading"] : [], isoTime(slot))
    }
    equal(reports.flatMap((report) => report.items).sort(), items.map(({ title }) => title).sort())
  }))

test("tick() publishes each entry once, when its stake first reaches the minimum, with its figures then", () =>
  Effect.gen(function* () {
    const { items, oracle } = yield* done
    const due = expected(oracle.positionsAt)
    ok(due.length >= 20, `only ${due.length} entries to publish`)
    equal(
      items.map(({ createdAt, data }) =>
        JSON.stringify([
          ...[data.market.slug, Date.parse(createdAt), data.wallet, data.outcome],
          ...[data.entryPrice, data.stakeUsd, data.shares, data.fills],
          ...[Date.parse(data.firstFillAt), Date.parse(data.lastFillAt)],
        ])
      ).sort(),
      due.map(({ slot, wallet, market, entry }) =>
        JSON.stringify([
          ...[market.slug, slot, wallet, market.outcomes[entry.outcome]],
          ...[entry.price, roundUsd(entry.stakeUsd), entry.shares, entry.fills],
          ...[entry.firstFillAt, entry.lastFillAt],
        ])
      ).sort(),
    )
  }))

test("tick() publishes each entry with the book of the bought outcome at that time", () =>
  Effect.gen(function* () {
    const { items } = yield* done
    for (const { createdAt, data } of items) {
      const market = marketBySlug(world, data.market.slug)
      const book = market && world.book(market.tokenIds[0], Date.parse(createdAt))
      const outcome = data.outcome === data.market.outcomes[0] ? 0 : 1
      const read = book === undefined ? null : microstructure(bookOf(outcome, book))
      const valid = read !== null && Result.isSuccess(read) ? read.success : null
      equal(data.microstructure, valid && { outcome: data.outcome, ...valid })
    }
    ok(items.some(({ data }) => data.microstructure !== null))
  }))

/** The tolerance for sums, and for the rounded figures of an item. */
const roundingError = 1e-9
const itemRoundingError = 0.00005 + roundingError

const close = (a: unknown, b: unknown, within = roundingError) =>
  a === b || Math.abs(Number(a) - Number(b)) <= within * Math.max(1, Math.abs(Number(a)))

/** The current and the previous calibration of a wallet when an entry was first read. */
function storedAt(oracle: ScratchOracle, wallet: string, readAt: number) {
  const stored: Array<{ at: number; known: ScratchCalibration }> = []
  for (const slot of slots.filter((slot) => slot < readAt)) {
    const known = oracle.calibrationsAt(slot).get(wallet)
    const last = stored.at(-1)?.known
    if (known !== undefined && (last === undefined || !areEqual(last, known))) {
      stored.push({ at: slot, known })
    }
  }
  return stored.slice(-2)
}

function areEqual(a: ScratchCalibration, b: ScratchCalibration, within = roundingError): boolean {
  const others = new Map<string, unknown>(Object.entries(b))
  return Object.entries(a).every(([name, value]) => close(value, others.get(name), within))
}

test("tick() publishes an entry with its wallet's newest calibration before it", () =>
  Effect.gen(function* () {
    const { items, oracle } = yield* done
    const counts = { calibrated: 0, late: 0 }
    for (const { data } of items) {
      const firstFillAt = Date.parse(data.firstFillAt)
      const stored = storedAt(oracle, data.wallet, readAt(firstFillAt))
      const expected = stored.filter(({ at }) => at < firstFillAt).at(-1)
      if (stored.length > 0 && expected !== stored.at(-1)) counts.late += 1
      if (data.calibration === null || expected === undefined) {
        equal(data.calibration, expected ?? null, `${data.wallet} at ${data.firstFillAt}`)
        continue
      }
      counts.calibrated += 1
      const { computedAt, ruleVersion: _, ...figures } = data.calibration
      equal(computedAt, isoTime(expected.at))
      const effectiveEntries = Math.round(expected.known.effectiveEntries ?? NaN)
      const known = { ...expected.known, effectiveEntries }
      const isEqual = areEqual(figures, known, itemRoundingError)
      ok(isEqual, JSON.stringify([figures, expected.known]))
    }
    ok(counts.calibrated >= 10, `only ${counts.calibrated} of ${items.length} are calibrated`)
    ok(counts.late >= lateMin, `only ${counts.late} were read after a later calibration`)
  }))

test("tick() stores the row of each judged wallet, equal to one computed from scratch", () =>
  Effect.gen(function* () {
    const { rows, oracle } = yield* done
    const known = oracle.calibrationsAt(end)
    equal(rows.map(({ row }) => row.wallet).sort(), [...known.keys()].sort())
    for (const { row } of rows) {
      const scratch = known.get(row.wallet)
      equal([row.label, row.resolved], [scratch?.label, scratch?.resolved])
      ok(close(row.edge, scratch?.edge) && close(row.mirrorRoi, scratch?.followRoi))
    }
  }))
