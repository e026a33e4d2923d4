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
const keyOf = ({ outcome, openedAt }: StoredEntry) => `${outcome} ${openedAt}`
const facts = ({ openedAt: _, calibration: __, emitted: ___, ...entry }: StoredEntry): Entry =>
  entry

law("carryOver() returns every emitted entry with its calibration", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (stored, _, carried) => {
    for (const one of stored.filter(({ emitted }) => emitted)) {
      const after = carried.find((other) => keyOf(other) === keyOf(one))
      ok(after?.emitted)
      equal(after.calibration, one.calibration)
    }
  })
}, manyWallets)

law(
  "carryOver() returns every recomputed entry, and of the others only emitted ones",
  wallets,
  (given) => {
    const { batches, random } = late(given)
    arrive(batches, random, (stored, recomputed, carried) => {
      for (const entry of recomputed) ok(carried.some((one) => areEqual(facts(one), entry)))
      ok(carried.length - recomputed.length <= stored.filter(({ emitted }) => emitted).length)
      equal(
        carried.filter((one) => !one.emitted).filter((one) =>
          !recomputed.some((entry) => areEqual(facts(one), entry))
        ),
        [],
      )
      ok(carried.filter(isLive).length <= recomputed.length)
    })
  },
  manyWallets,
)

function areEqual(a: Entry, b: Entry): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

law("carryOver() gives every entry a unique key", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(
    batches,
    random,
    (_, __, carried) => equal(new Set(carried.map(keyOf)).size, carried.length),
  )
}, manyWallets)

law("carryOver() changes nothing without new activity", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(
    batches,
    random,
    (_, recomputed, carried) => equal(carryOver(carried, recomputed, hourly), carried),
  )
}, manyWallets)

law(
  "carryOver() gives no unpublished entry a calibration after its first fill",
  wallets,
  (given) => {
    const { batches, random } = late(given)
    arrive(batches, random, (stored, _, carried) => {
      const emitted = new Set(stored.filter(({ emitted }) => emitted).map(keyOf))
      for (const one of carried) {
        const computedAt = Date.parse(one.calibration?.computedAt ?? "")
        ok(emitted.has(keyOf(one)) || !isLive(one) || computedAt < one.firstFillAt)
      }
    })
  },
  manyWallets,
)

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
