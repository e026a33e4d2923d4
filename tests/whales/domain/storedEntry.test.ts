/**
 * What is remembered of entries stays with them, whatever acts turn up in whatever order.
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

const telling = { stakeMinUsd: 0.5, notBefore: 0, marketMaker: false }

interface Told {
  readonly outcome: number
  readonly from: EpochMs
  readonly to: EpochMs
}

/**
 * A wallet's acts as they come in, batch by batch; some of what is due is told each time. `seen` is
 * called with what was held, what was found and what came of them.
 */
function arrive(
  batches: ReadonlyArray<ReadonlyArray<NumberedActivityEvent>>,
  random: Random,
  seen: (
    held: ReadonlyArray<StoredEntry>,
    found: ReadonlyArray<Entry>,
    carried: ReadonlyArray<StoredEntry>,
  ) => void,
): ReadonlyArray<Told> {
  const told: Array<Told> = []
  let held: ReadonlyArray<StoredEntry> = []
  batches.forEach((_, i) => {
    const found = entriesOf(batches.slice(0, i + 1).flat(), tokens).entries
    const carried = carryOver(held, found, hourly)
    seen(held, found, carried)
    held = carried.map((entry) => {
      if (!isDue(entry, telling) || random.chance(0.5)) return entry
      const { outcome, firstFillAt, lastFillAt } = entry
      told.push({ outcome, from: firstFillAt, to: lastFillAt })
      return { ...entry, emitted: true }
    })
  })
  return told
}

interface Wallet {
  readonly steps: Parameters<typeof activityOfSteps>[0]
  readonly seed: number
}

/** Its acts in any order, a few at a time. */
function late({ steps, seed }: Wallet) {
  const random = new Random(seed)
  const activity = [...shuffled(numberOccurrences(activityOfSteps(steps)), random)]
  const batches: Array<ReadonlyArray<NumberedActivityEvent>> = []
  while (activity.length > 0) batches.push(activity.splice(0, 1 + random.below(6)))
  return { batches, random }
}

/** Its acts second by second, as they happened. */
function inTime({ steps, seed }: Wallet) {
  const batches = [
    ...Map.groupBy(numberOccurrences(activityOfSteps(steps)), ({ at }) => at).values(),
  ]
  return { batches, random: new Random(seed) }
}

const byOpening = (a: Entry, b: Entry) => a.firstFillAt - b.firstFillAt || a.outcome - b.outcome
const isLive = ({ hedgedShares, shares }: Entry) => hedgedShares < shares
const name = ({ outcome, openedAt }: StoredEntry) => `${outcome} ${openedAt}`
const facts = ({ openedAt: _, calibration: __, emitted: ___, ...entry }: StoredEntry): Entry =>
  entry

law("carryOver() never forgets what was told, nor what was said of it", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (held, _, carried) => {
    for (const one of held.filter(({ emitted }) => emitted)) {
      const after = carried.find((other) => name(other) === name(one))
      ok(after?.emitted)
      equal(after.calibration, one.calibration)
    }
  })
}, manyWallets)

law(
  "carryOver() gives every entry found, and of the others only what was told",
  wallets,
  (given) => {
    const { batches, random } = late(given)
    arrive(batches, random, (held, found, carried) => {
      for (const entry of found) ok(carried.some((one) => alike(facts(one), entry)))
      ok(carried.length - found.length <= held.filter(({ emitted }) => emitted).length)
      equal(
        carried.filter((one) => !one.emitted).filter((one) =>
          !found.some((f) => alike(facts(one), f))
        ),
        [],
      )
      ok(carried.filter(isLive).length <= found.length)
    })
  },
  manyWallets,
)

function alike(a: Entry, b: Entry): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

law("carryOver() names no two entries alike", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(
    batches,
    random,
    (_, __, carried) => equal(new Set(carried.map(name)).size, carried.length),
  )
}, manyWallets)

law("carryOver() changes nothing when nothing turned up", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (_, found, carried) => equal(carryOver(carried, found, hourly), carried))
}, manyWallets)

law("carryOver() shows no entry a calibration of its own time", wallets, (given) => {
  const { batches, random } = late(given)
  arrive(batches, random, (held, _, carried) => {
    const kept = new Set(held.filter(({ emitted }) => emitted).map(name))
    for (const one of carried) {
      const computedAt = Date.parse(one.calibration?.computedAt ?? "")
      ok(kept.has(name(one)) || !isLive(one) || computedAt < one.firstFillAt)
    }
  })
}, manyWallets)

law("no two tellings of one outcome overlap", wallets, (given) => {
  const { batches, random } = late(given)
  const told = arrive(batches, random, () => {})
  told.forEach((a, i) =>
    told.slice(i + 1).forEach((b) =>
      ok(a.outcome !== b.outcome || a.to < b.from || b.to < a.from, JSON.stringify([a, b]))
    )
  )
}, manyWallets)

law("acts that come in time leave every entry found with its first fill", wallets, (given) => {
  const { batches, random } = inTime(given)
  arrive(batches, random, (_, found, carried) => {
    equal(carried.map(facts), found.toSorted(byOpening))
    ok(carried.every(({ openedAt, firstFillAt }) => openedAt === firstFillAt))
  })
}, manyWallets)
