/**
 * The laws of entries, over generated activity with all oddities of the venue's rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import { entriesOf, isOver, type Position } from "../../../src/whales/domain/entry.ts"
import { day } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  activityOfSteps,
  manyWallets,
  shuffled,
  steps,
  tokens,
} from "../../support/whales/activityEvents.ts"
import { law } from "../../support/effect.ts"
import { plainEntries } from "../../support/whales/entryReference.ts"

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))
const wallets = Arbitrary.all({ steps, seed })

function positionOf(activity: ReadonlyArray<ActivityEvent>): Position {
  return entriesOf(numberOccurrences(activity), tokens)
}

const near = (a: number, b: number) => Math.abs(a - b) < 1e-6
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

law("entriesOf() does not depend on the order of the activity", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  equal(positionOf(shuffled(activity, new Random(seed))), positionOf(activity))
}, manyWallets)

law("entriesOf() equals the reference, which counts tenths of shares", steps, (given) => {
  const activity = numberOccurrences(activityOfSteps(given))
  const { entries } = entriesOf(activity, tokens)
  const plain = plainEntries(activity, tokens)
  equal(
    entries.map(({ outcome, fills, firstFillAt, lastFillAt }) => [
      ...[outcome, fills, firstFillAt, lastFillAt],
    ]),
    plain.entries.map(({ outcome, buys }) => [
      ...[outcome, new Set(buys.map(({ event }) => event)).size],
      ...[buys[0]?.event.at, buys.at(-1)?.event.at],
    ]),
  )
  entries.forEach((entry, i) => {
    const { buys = [], hedged = 0 } = plain.entries[i] ?? {}
    const stakeUsd = sum(buys.map(({ price }) => price / 10))
    ok(near(entry.shares, buys.length / 10) && near(entry.hedgedShares, hedged / 10))
    ok(near(entry.openingPrice, buys[0]?.price ?? 0))
    ok(near(entry.stakeUsd, stakeUsd) && near(entry.price, stakeUsd / (buys.length / 10)))
  })
}, manyWallets)

law(
  "with swapped outcomes every entry is on the other side, and otherwise equal",
  steps,
  (given) => {
    // A conversion without a token is of the second outcome, so it must name it before the swap.
    const activity = activityOfSteps(given).map((one) =>
      one.kind === "convert" ? { ...one, tokenId: one.tokenId ?? tokens[1] } : one
    )
    const { entries, ...rest } = positionOf(activity)
    const swapped = entriesOf(numberOccurrences(activity), [tokens[1], tokens[0]])
    equal(swapped, { ...rest, entries: entries.map((e) => ({ ...e, outcome: 1 - e.outcome })) })
  },
  manyWallets,
)

law("a fill in two parts gives the same entry", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  const random = new Random(seed)
  const parted = activity.flatMap((one) =>
    random.chance(0.5) ? [{ ...one, size: one.size / 2 }, { ...one, size: one.size / 2 }] : [one]
  )
  const figures = ({ entries }: Position) =>
    entries.map(({ fills: _, price, stakeUsd, ...rest }) => ({
      ...rest,
      price: price.toFixed(6),
      stakeUsd: stakeUsd.toFixed(6),
    }))
  equal(figures(positionOf(parted)), figures(positionOf(activity)))
}, manyWallets)

law("activity after an entry is over does not change it", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  const random = new Random(seed)
  const now = random.pick([0, ...activity.map(({ at }) => at)]) + random.pick([0, day])
  const over = positionOf(activity.filter(({ at }) => at < now)).entries.filter((one) =>
    isOver(one, now)
  )
  const keys = new Set(over.map(({ outcome, firstFillAt }) => `${outcome} ${firstFillAt}`))
  const after = positionOf(activity).entries.filter(({ outcome, firstFillAt }) =>
    keys.has(`${outcome} ${firstFillAt}`)
  )
  equal(after, over)
}, manyWallets)
