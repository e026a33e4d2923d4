/**
 * Acts are told apart, and read without loss or doubling, wherever pages end and reading stops.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import {
  activityEventKey,
  byTime,
  numbered,
  type NumberedActivityEvent,
  startReading,
  wholeSeconds,
} from "../../../src/markets/domain/activity.ts"
import { second } from "../../../src/core/domain/time.ts"
import { Random } from "../../support/random.ts"
import {
  act,
  actsOf,
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
/** Acts whole, with what tells them apart, in an order of their own. */
const set = (acts: ReadonlyArray<NumberedActivityEvent>) =>
  acts.map((act) => JSON.stringify([activityEventKey(act), act])).sort()

law("numbered() gives the same set in any order", wallets, (given) => {
  const acts = actsOf(given.steps)
  const other = shuffled(acts, new Random(given.seed))
  equal(set(numbered(other)), set(numbered(acts)))
}, manyWallets)

law(
  "numbered() tells all apart, and those of other transactions do not matter",
  wallets,
  (given) => {
    const acts = actsOf(given.steps)
    equal(new Set(numbered(acts).map(activityEventKey)).size, acts.length)
    const apart = [...Map.groupBy(acts, ({ transaction }) => transaction).values()]
    equal(set(apart.flatMap((one) => numbered(one))), set(numbered(acts)))
  },
)

law("wholeSeconds() reads every act once, wherever pages end", wallets, (given) => {
  const acts = actsOf(given.steps)
  equal(set(readThrough(acts, new Random(given.seed))), set(numbered(acts)))
}, manyWallets)

law("wholeSeconds() reads the same set through any crashes", wallets, (given) => {
  const acts = actsOf(given.steps)
  equal(
    set(readThrough(acts, new Random(given.seed), { crashes: 0.3 })),
    set(numbered(acts)),
  )
}, manyWallets)

law(
  "wholeSeconds() gets past the depth of a venue, unless a second is deeper",
  wallets,
  (given) => {
    const acts = actsOf(given.steps)
    const deepest = Math.max(
      ...[...Map.groupBy(acts, ({ at }) => at).values()].map((a) => a.length),
    )
    const read = readThrough(acts, new Random(given.seed), { depthMax: deepest + 1 })
    equal(set(read), set(numbered(acts)))
  },
  { runs: sized({ short: 200, full: 2_000 }) },
)

law("wholeSeconds() has taken all it says it has", wallets, (given) => {
  const acts = actsOf(given.steps)
  const random = new Random(given.seed)
  const to = Math.max(...acts.map(({ at }) => at))
  const taken: Array<ReturnType<typeof numbered>[number]> = []
  let reading: ReturnType<typeof startReading> | null = startReading(start, to)
  for (let pages = 0; reading !== null && pages < 5_000; pages++) {
    const step: ReturnType<typeof wholeSeconds> = wholeSeconds(
      reading,
      pageOf(acts, reading, random),
    )
    taken.push(...step.acts)
    equal(set(taken), set(numbered(acts.filter(({ at }) => at >= step.readFrom))))
    reading = step.rest
  }
})

const buy = (fields = {}) => act("buy", { tokenId: tokens[0], price: 0.4, ...fields })

Deno.test("wholeSeconds() leaves a page's oldest second to the next page", () => {
  const rows = [buy({ at: start + second }), buy(), buy()].map((act) => ({ act }))
  const step = wholeSeconds(startReading(0, start + second), {
    rows,
    oldest: start,
    next: "2",
    cut: false,
  })
  equal(step.acts.map(({ at, occurrence }) => [at, occurrence]), [[start + second, 0]])
  equal(step.readFrom, start + 1)
  equal(step.rest, startReading(0, start))
})

Deno.test("wholeSeconds() follows the cursor of a second that fills a page, and counts on", () => {
  const rows = [buy(), buy()].map((act) => ({ act }))
  const first = wholeSeconds(startReading(0, start), { rows, oldest: start, next: "2", cut: false })
  equal(first.acts, [])
  equal(first.rest?.cursor, "2")
  const rest = first.rest ?? startReading(0, 0)
  const second = wholeSeconds(rest, { rows, oldest: start, next: null, cut: false })
  equal(second.acts.map(({ occurrence }) => occurrence), [0, 1, 2, 3])
  equal(second.rest, null)
})

Deno.test("wholeSeconds() goes on below a second whose rows are no acts", () => {
  const page = { rows: [], oldest: start, next: "9", cut: false }
  const first = wholeSeconds(startReading(0, start + second), page)
  equal(first.rest, startReading(0, start))
  equal(wholeSeconds(startReading(0, start), page).rest?.cursor, "9")
})

Deno.test("wholeSeconds() says so when a second is deeper than the venue goes", () => {
  const page = { rows: [{ act: buy() }], oldest: start, next: null, cut: true }
  const above = wholeSeconds(startReading(0, start + second), page)
  equal([above.rest, above.truncated], [startReading(0, start), false])
  const there = wholeSeconds(startReading(0, start), page)
  equal(there, { acts: [], readFrom: start + 1, rest: null, truncated: true })
})

Deno.test("wholeSeconds() keeps to its range when the venue does not", () => {
  const rows = [buy({ at: start + 9 * second }), buy(), buy({ at: 5 })].map((act) => ({ act }))
  const step = wholeSeconds(startReading(10, start), { rows, oldest: 5, next: "3", cut: false })
  equal(step.acts.map(({ at }) => at), [start])
  equal([step.readFrom, step.rest], [10, null])
  const later = { rows: rows.slice(0, 1), oldest: start + 9 * second, next: "1", cut: false }
  equal(wholeSeconds(startReading(10, start), later).rest, {
    ...startReading(10, start),
    cursor: "1",
  })
})

Deno.test("byTime() sells nothing before it is bought in the same second", () => {
  const kinds = ["redeem", "convert", "merge", "sell", "buy", "split"] as const
  const acts = numbered(kinds.map((kind, i) => act(kind, { transaction: `0x${i}` })))
  equal(acts.toSorted(byTime).map(({ kind }) => kind), kinds.toReversed())
})

law("byTime() leaves no two acts in a tie", wallets, (given) => {
  const acts = numbered(actsOf(given.steps))
  const random = new Random(given.seed)
  equal(set(acts.toSorted(byTime)), set(acts))
  equal(
    shuffled(acts, random).toSorted(byTime).map(activityEventKey),
    acts.toSorted(byTime).map(activityEventKey),
  )
})
