/**
 * The laws of stored entries: their state survives activity in any order.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  type NumberedActivityEvent,
  numberOccurrences,
} from "../../../src/markets/domain/activity.ts"
import { entriesOf, type Entry } from "../../../src/whales/domain/entry.ts"
import { carryOver, isDue, type StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import { type EpochMs, hour } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  activityOfSteps,
  manyWallets,
  shuffled,
  steps,
  tokens,
} from "../../support/whales/activityEvents.ts"
import { calibration } from "../../support/whales/entries.ts"
import { law } from "../../support/effect.ts"

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))
const wallets = Arbitrary.all({ steps, seed })

/** One calibration every hour on the hour. */
const hourly = (instant: EpochMs) => calibration(Math.ceil(instant / hour - 1) * hour)

const terms = { stakeMinUsd: 0.5, notBefore: 0, marketMaker: false }

interface Published {
  readonly outcome: number
  readonly from: EpochMs
  readonly to: EpochMs
}

/**
 * Processes a wallet's activity in batches, and publishes some of the due entries each time. Calls
 * `check` with the stored, the recomputed and the resulting entries.
 */
function arrive(
  batches: ReadonlyArray<ReadonlyArray<NumberedActivityEvent>>,
  random: Random,
  check: (
    stored: ReadonlyArray<StoredEntry>,
    recomputed: ReadonlyArray<Entry>,
    carried: ReadonlyArray<StoredEntry>,
  ) => void,
): ReadonlyArray<Published> {
  const published: Array<Published> = []
  let stored: ReadonlyArray<StoredEntry> = []
  batches.forEach((_, i) => {
    const recomputed = entriesOf(batches.slice(0, i + 1).flat(), tokens).entries
    const carried = carryOver(stored, recomputed, hourly)
    check(stored, recomputed, carried)
    stored = carried.map((entry) => {
      if (!isDue(entry, terms) || random.chance(0.5)) return entry
      const { outcome, firstFillAt, lastFillAt } = entry
      published.push({ outcome, from: firstFillAt, to: lastFillAt })
      return { ...entry, emitted: true }
    })
  })
  return published
}

interface Wallet {
  readonly steps: Parameters<typeof activityOfSteps>[0]
  readonly seed: number
}

/** Its activity in a random order, a few events at a time. */
function late({ steps, seed }: Wallet) {
  const random = new Random(seed)
  const activity = [...shuffled(numberOccurrences(activityOfSteps(steps)), random)]
  const batches: Array<ReadonlyArray<NumberedActivityEvent>> = []
  while (activity.length > 0) batches.push(activity.splice(0, 1 + random.below(6)))
  return { batches, random }
}

/** Its activity in order, second by second. */
function inTime({ steps, seed }: Wallet) {
  const batches = [
    ...Map.groupBy(numberOccurrences(activityOfSteps(steps)), ({ at }) => at).values(),
  ]
  return { batches, random: new Random(seed) }
}

const byOpening = (a: Entry, b: Entry) => a.firstFillAt - b.firstFillAt || a.outcome - b.outcome
const isLive = ({ hedgedShares, shares }: Entry) => hedgedShares < shares
const facts = ({ openedAt: _, calibration: __, emitted: ___, ...entry }: StoredEntry): Entry =>
  entry
const areEqual = (a: Entry, b: Entry) => JSON.stringify(a) === JSON.stringify(b)

law(
  "carryOver() returns every recomputed entry, and of the others only emitted ones, hedged",
  wallets,
  (given) => {
    const { batches, random } = late(given)
    arrive(batches, random, (stored, recomputed, carried) => {
      const isRecomputed = (one: StoredEntry) =>
        recomputed.some((entry) => areEqual(facts(one), entry))
      for (const entry of recomputed) ok(carried.some((one) => areEqual(facts(one), entry)))
      for (const one of carried.filter((one) => !isRecomputed(one))) ok(one.emitted && !isLive(one))
      ok(carried.length - recomputed.length <= stored.filter(({ emitted }) => emitted).length)
    })
  },
  manyWallets,
)

law("carryOver() changes nothing without new activity", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(
    batches,
    random,
    (_, recomputed, carried) => equal(carryOver(carried, recomputed, hourly), carried),
  )
}, manyWallets)

law("carryOver() gives unpublished entries keys of their own", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (_, __, carried) => {
    const keys = carried.filter(({ emitted }) => !emitted)
      .map(({ outcome, openedAt }) => `${outcome} ${openedAt}`)
    equal(new Set(keys).size, keys.length)
  })
}, manyWallets)

law("carryOver() gives no entry a calibration from after its first fill", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (_, __, carried) => {
    for (const { calibration, firstFillAt } of carried.filter(isLive)) {
      ok(Date.parse(calibration?.computedAt ?? "") < firstFillAt)
    }
  })
}, manyWallets)

law("no two published entries of one outcome overlap", wallets, (given) => {
  const { batches, random } = late(given)
  const published = arrive(batches, random, () => {})
  published.forEach((a, i) =>
    published.slice(i + 1).forEach((b) =>
      ok(a.outcome !== b.outcome || a.to < b.from || b.to < a.from, JSON.stringify([a, b]))
    )
  )
}, manyWallets)

law(
  "carryOver() opens every entry at its first fill when activity arrives in order",
  wallets,
  (given) => {
    const { batches, random } = inTime(given)
    arrive(batches, random, (_, recomputed, carried) => {
      equal(carried.map(facts), recomputed.toSorted(byOpening))
      ok(carried.every(({ openedAt, firstFillAt }) => openedAt === firstFillAt))
    })
  },
  manyWallets,
)
