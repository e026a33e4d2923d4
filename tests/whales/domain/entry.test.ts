/**
 * The laws of entries, over made-up wallets with everything in them that rows are known for.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import { entriesOf, isOver, type Position } from "../../../src/whales/domain/entry.ts"
import { day, minute } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  activityEvent,
  activityOfSteps,
  manyWallets,
  readThrough,
  shuffled,
  type Step,
  steps,
  tokens,
} from "../../support/whales/activityEvents.ts"
import { law } from "../../support/effect.ts"
import { plainEntries } from "../../support/whales/entryReference.ts"

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))
const wallets = Arbitrary.all({ steps, seed })

function made(activity: ReadonlyArray<ActivityEvent>): Position {
  return entriesOf(numberOccurrences(activity), tokens)
}

const near = (a: number, b: number) => Math.abs(a - b) < 1e-6
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

law("entries are the same from any order of the same activity", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  equal(made(shuffled(activity, new Random(seed))), made(activity))
}, manyWallets)

law("entries are the same from any pages, overlaps and crashes", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  const random = new Random(seed)
  const read = readThrough(activity, random, { crashes: random.pick([0, 0.1, 0.5]) })
  equal(entriesOf(shuffled(read, random), tokens), made(activity))
}, manyWallets)

law("entries agree with those made a tenth of a share at a time", steps, (given) => {
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

law("with the outcomes swapped every entry is on the other side, else the same", steps, (given) => {
  // A conversion that names no token is of the second outcome, which swapping makes the first.
  const activity = activityOfSteps(given).map((one) =>
    one.kind === "convert" ? { ...one, tokenId: one.tokenId ?? tokens[1] } : one
  )
  const { entries, ...rest } = made(activity)
  const swapped = entriesOf(numberOccurrences(activity), [tokens[1], tokens[0]])
  equal(swapped, { ...rest, entries: entries.map((e) => ({ ...e, outcome: 1 - e.outcome })) })
}, manyWallets)

law("every entry is one: bought, in its bounds, apart from the others", steps, (given) => {
  const { entries } = made(activityOfSteps(given))
  for (const entry of entries) {
    ok(entry.price > 0 && entry.price < 1 && entry.shares > 0 && entry.fills > 0)
    ok(entry.hedgedShares >= 0 && entry.hedgedShares <= entry.shares)
    ok(near(entry.stakeUsd, entry.price * entry.shares))
    ok(entry.firstFillAt <= entry.lastFillAt)
  }
  for (const side of Map.groupBy(entries, ({ outcome }) => outcome).values()) {
    side.slice(1).forEach((entry, i) => ok(entry.firstFillAt > (side[i]?.lastFillAt ?? 0)))
  }
}, manyWallets)

/** The same steps as buys only, at fair prices, without a day between. */
function buysOnly(given: ReadonlyArray<Step>): ReadonlyArray<ActivityEvent> {
  return activityOfSteps(given.map((step) => ({
    ...step,
    kind: "buy" as const,
    price: 0.31 as const,
    after: step.after > minute ? minute : step.after,
  })))
}

law("every share bought is of an entry, or gives one up", steps, (given) => {
  const activity = buysOnly(given)
  const { entries } = made(activity)
  ok(near(
    sum(entries.map(({ shares, hedgedShares }) => shares + hedgedShares)),
    sum(activity.map(({ size }) => size)),
  ))
}, manyWallets)

law("an entry of one side holds all its buys and their cost", steps, (given) => {
  const activity = buysOnly(given).map((one) => ({ ...one, tokenId: tokens[1] }))
  const { entries } = made(activity)
  equal(entries.map(({ outcome, fills }) => [outcome, fills]), [[1, activity.length]])
  ok(near(entries[0]?.stakeUsd ?? 0, sum(activity.map(({ size, price }) => size * price))))
}, manyWallets)

law("a split that is merged again changes nothing", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  if (plainEntries(numberOccurrences(activity), tokens).missing > 0) return
  const at = new Random(seed).pick([activity[0]?.at ?? 0, ...activity.map(({ at }) => at)])
  const pair = [
    activityEvent("split", { at, transaction: "0x5" }),
    activityEvent("merge", { at, transaction: "0x6" }),
  ]
  equal(made([...activity, ...pair]), made(activity))
}, manyWallets)

law("a split that covers every sale is as good as a larger one", steps, (given) => {
  const activity = activityOfSteps(given).filter(({ kind }) => kind !== "redeem")
  const after = (size: number) => made([activityEvent("split", { at: 0, size }), ...activity])
  equal(after(1e6), after(2e6))
}, manyWallets)

law("a fill in two parts is the same entry", wallets, ({ steps, seed }) => {
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
  equal(figures(made(parted)), figures(made(activity)))
}, manyWallets)

law("what happens once an entry is over does not change it", wallets, ({ steps, seed }) => {
  const activity = activityOfSteps(steps)
  const random = new Random(seed)
  const now = random.pick([0, ...activity.map(({ at }) => at)]) + random.pick([0, day])
  const over = made(activity.filter(({ at }) => at < now)).entries.filter((one) => isOver(one, now))
  const begun = new Set(over.map(({ outcome, firstFillAt }) => `${outcome} ${firstFillAt}`))
  const after = made(activity).entries.filter(({ outcome, firstFillAt }) =>
    begun.has(`${outcome} ${firstFillAt}`)
  )
  equal(after, over)
}, manyWallets)
