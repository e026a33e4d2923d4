/**
 * Activity events are distinguished, and read without loss or duplicates, wherever pages end and reading
 * stops.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  activityEventKey,
  byTime,
  type NumberedActivityEvent,
  numberOccurrences,
  startReading,
  wholeSeconds,
} from "../../../src/markets/domain/activity.ts"
import { second } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  activityEvent,
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
import { sized } from "../../support/size.ts"

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
    set(readThrough(activity, new Random(given.seed), { crashes: 0.3 })),
    set(numberOccurrences(activity)),
  )
}, manyWallets)

law(
  "wholeSeconds() reads beyond the depth of a venue unless one second is deeper",
  wallets,
  (given) => {
    const activity = activityOfSteps(given.steps)
    const deepest = Math.max(
      ...[...Map.groupBy(activity, ({ at }) => at).values()].map((a) => a.length),
    )
    const read = readThrough(activity, new Random(given.seed), { depthMax: deepest + 1 })
    equal(set(read), set(numberOccurrences(activity)))
  },
  { runs: sized({ short: 200, full: 2_000 }) },
)

law("wholeSeconds() has taken every event from readFrom on", wallets, (given) => {
  const activity = activityOfSteps(given.steps)
  const random = new Random(given.seed)
  const to = Math.max(...activity.map(({ at }) => at))
  const taken: Array<ReturnType<typeof numberOccurrences>[number]> = []
  let reading: ReturnType<typeof startReading> | null = startReading(start, to)
  for (let pages = 0; reading !== null && pages < 5_000; pages++) {
    const step: ReturnType<typeof wholeSeconds> = wholeSeconds(
      reading,
      pageOf(activity, reading, random),
    )
    taken.push(...step.activity)
    equal(set(taken), set(numberOccurrences(activity.filter(({ at }) => at >= step.readFrom))))
    reading = step.remaining
  }
})

const buy = (fields = {}) => activityEvent("buy", { tokenId: tokens[0], price: 0.4, ...fields })

Deno.test("wholeSeconds() leaves a page's oldest second to the next page", () => {
  const rows = [buy({ at: start + second }), buy(), buy()].map((event) => ({ event }))
  const step = wholeSeconds(startReading(0, start + second), {
    rows,
    oldest: start,
    next: "2",
    cut: false,
  })
  equal(step.activity.map(({ at, occurrence }) => [at, occurrence]), [[start + second, 0]])
  equal(step.readFrom, start + 1)
  equal(step.remaining, startReading(0, start))
})

Deno.test("wholeSeconds() follows the cursor of a second that fills a page, and continues numbering", () => {
  const rows = [buy(), buy()].map((event) => ({ event }))
  const first = wholeSeconds(startReading(0, start), { rows, oldest: start, next: "2", cut: false })
  equal(first.activity, [])
  equal(first.remaining?.cursor, "2")
  const remaining = first.remaining ?? startReading(0, 0)
  const second = wholeSeconds(remaining, { rows, oldest: start, next: null, cut: false })
  equal(second.activity.map(({ occurrence }) => occurrence), [0, 1, 2, 3])
  equal(second.remaining, null)
})

Deno.test("wholeSeconds() continues before a second without activity events", () => {
  const page = { rows: [], oldest: start, next: "9", cut: false }
  const first = wholeSeconds(startReading(0, start + second), page)
  equal(first.remaining, startReading(0, start))
  equal(wholeSeconds(startReading(0, start), page).remaining?.cursor, "9")
})

Deno.test("wholeSeconds() returns truncated when a second is deeper than the venue's limit", () => {
  const page = { rows: [{ event: buy() }], oldest: start, next: null, cut: true }
  const above = wholeSeconds(startReading(0, start + second), page)
  equal([above.remaining, above.truncated], [startReading(0, start), false])
  const there = wholeSeconds(startReading(0, start), page)
  equal(there, { activity: [], readFrom: start + 1, remaining: null, truncated: true })
})

Deno.test("wholeSeconds() ignores rows outside the requested range", () => {
  const rows = [buy({ at: start + 9 * second }), buy(), buy({ at: 5 })].map((event) => ({ event }))
  const step = wholeSeconds(startReading(10, start), { rows, oldest: 5, next: "3", cut: false })
  equal(step.activity.map(({ at }) => at), [start])
  equal([step.readFrom, step.remaining], [10, null])
  const later = { rows: rows.slice(0, 1), oldest: start + 9 * second, next: "1", cut: false }
  equal(wholeSeconds(startReading(10, start), later).remaining, {
    ...startReading(10, start),
    cursor: "1",
  })
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
