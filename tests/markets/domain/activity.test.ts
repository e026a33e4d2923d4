/**
 * Activity events are distinguished, and read without loss or duplicates, wherever pages end and reading
 * stops.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  byTime,
  type NumberedActivityEvent,
  numberOccurrences,
  wholeSeconds,
} from "../../../src/markets/domain/activity.ts"
import { second } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  activityEvent,
  activityEventKey,
  activityOfSteps,
  manyWallets,
  pageOf,
  readThrough,
  shuffled,
  start,
  steps,
  tokens,
} from "../../support/whales/activityEvents.ts"
import { law } from "../../support/effect.ts"

const seed = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e9 })))
const wallets = Arbitrary.all({ steps, seed })
/** The events with their keys, in a fixed order. */
const set = (activity: ReadonlyArray<NumberedActivityEvent>) =>
  activity.map((event) => JSON.stringify([activityEventKey(event), event])).sort()

law("numberOccurrences() gives the same set in any order", wallets, (given) => {
  const activity = activityOfSteps(given.steps)
  const other = shuffled(activity, new Random(given.seed))
  equal(set(numberOccurrences(other)), set(numberOccurrences(activity)))
}, manyWallets)

law(
  "numberOccurrences() makes all events distinct, independent of other transactions",
  wallets,
  (given) => {
    const activity = activityOfSteps(given.steps)
    equal(new Set(numberOccurrences(activity).map(activityEventKey)).size, activity.length)
    const apart = [...Map.groupBy(activity, ({ transaction }) => transaction).values()]
    equal(set(apart.flatMap((one) => numberOccurrences(one))), set(numberOccurrences(activity)))
  },
)

law("wholeSeconds() takes every event once, wherever pages end", wallets, (given) => {
  const activity = activityOfSteps(given.steps)
  equal(set(readThrough(activity, new Random(given.seed))), set(numberOccurrences(activity)))
}, manyWallets)

law("wholeSeconds() takes the same set despite crashes", wallets, (given) => {
  const activity = activityOfSteps(given.steps)
  equal(
    set(readThrough(activity, new Random(given.seed), 0.3)),
    set(numberOccurrences(activity)),
  )
}, manyWallets)

law("wholeSeconds() has taken every event from `from` on", wallets, (given) => {
  const activity = activityOfSteps(given.steps)
  const random = new Random(given.seed)
  const taken: Array<NumberedActivityEvent> = []
  let to = Math.max(...activity.map(({ at }) => at))
  for (;;) {
    const range = { from: start, to }
    const step = wholeSeconds(range, pageOf(activity, range, random))
    taken.push(...step.activity)
    equal(set(taken), set(numberOccurrences(activity.filter(({ at }) => at >= step.from))))
    if (step.end === "all") return
    to = step.from - 1
  }
})

const buy = (fields = {}) => activityEvent("buy", { tokenId: tokens[0], price: 0.4, ...fields })

Deno.test("wholeSeconds() leaves a page's oldest second to the next page", () => {
  const rows = [buy({ at: start + second }), buy(), buy()].map((event) => ({ event }))
  const range = { from: 0, to: start + second }
  const { activity, from, end } = wholeSeconds(range, { rows, oldest: start, more: true })
  equal(activity.map(({ at, occurrence }) => [at, occurrence]), [[start + second, 0]])
  equal([from, end], [start + 1, "more"])
})

Deno.test("wholeSeconds() takes nothing of a second that is longer than a page", () => {
  const page = { rows: [{ event: buy() }], oldest: start, more: true }
  equal(wholeSeconds({ from: 0, to: start + second }, page).end, "more")
  const there = wholeSeconds({ from: 0, to: start }, page)
  equal(there, { activity: [], from: start + 1, end: "cut" })
  equal(wholeSeconds({ from: 0, to: start }, { rows: [], oldest: null, more: true }), there)
})

Deno.test("wholeSeconds() ignores rows outside the requested range", () => {
  const rows = [buy({ at: start + 9 * second }), buy(), buy({ at: 5 })].map((event) => ({ event }))
  const step = wholeSeconds({ from: 10, to: start }, { rows, oldest: 5, more: true })
  equal(step.activity.map(({ at }) => at), [start])
  equal([step.from, step.end], [10, "all"])
})

Deno.test("byTime() puts buys before sales of the same second", () => {
  const kinds = ["redeem", "convert", "merge", "sell", "buy", "split"] as const
  const activity = numberOccurrences(
    kinds.map((kind, i) => activityEvent(kind, { transaction: `0x${i}` })),
  )
  equal(activity.toSorted(byTime).map(({ kind }) => kind), kinds.toReversed())
})

law("byTime() is a total order", wallets, (given) => {
  const activity = numberOccurrences(activityOfSteps(given.steps))
  const random = new Random(given.seed)
  equal(set(activity.toSorted(byTime)), set(activity))
  equal(
    shuffled(activity, random).toSorted(byTime).map(activityEventKey),
    activity.toSorted(byTime).map(activityEventKey),
  )
})
