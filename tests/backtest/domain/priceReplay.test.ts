/**
 * The replay: its items do not depend on later rows or on the order of the file, and outcomes are those
 * of the instants an hour and a day later.
 *
 * @module
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import {
  priceReplay,
  type ReplayItem,
  type RowOrder,
} from "../../../src/backtest/domain/priceReplay.ts"
import type { PriceRow } from "../../../src/backtest/domain/priceRow.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const tick = 10 * minute
const from = Date.UTC(2026, 2, 2)

function row(
  market: string,
  at: number,
  mid: number | null,
  more: Partial<PriceRow> = {},
): PriceRow {
  return {
    ...{ market, event: market, at, mid, spread: null, depthUsd: null, volumeUsd: null },
    ...{ endsAt: null, resolution: null },
    ...more,
  }
}

interface Seen {
  readonly items: ReadonlyArray<ReplayItem>
  readonly outcomes: ReadonlyArray<string>
}

function replay(rows: ReadonlyArray<PriceRow>, order: RowOrder = "time"): Seen {
  const items: Array<ReplayItem> = []
  const outcomes: Array<string> = []
  const { observe, finish } = priceReplay(order, tick, {
    onItem: (item) => items.push(item),
    onOutcome: (item, horizon, price) =>
      outcomes.push(`${item.market} ${item.now} ${item.naive} ${horizon} ${price}`),
  })
  rows.forEach((it) => strictEqual(observe(it), null))
  finish()
  return { items, outcomes }
}

const movers = ({ items }: Seen) => items.filter(({ naive }) => naive === null)

/** Calm hours at 0.4, then each of these prices for so many ticks. */
function steps(market: string, ...levels: ReadonlyArray<readonly [number, number]>) {
  const prices = [[0.4, 300] as const, ...levels].flatMap(([mid, ticks]) =>
    Array.from({ length: ticks }, () => mid)
  )
  return prices.map((mid, n) => row(market, from + n * tick, mid))
}

const jumpAt = from + 300 * tick

Deno.test("a jump that stays is one mover, with its prices an hour and a day later", () => {
  const seen = replay(steps("m", [0.5, 10], [0.48, 150]))
  const [mover] = movers(seen)
  ok(mover !== undefined)
  strictEqual(movers(seen).length, 1)
  strictEqual(mover.priceStart, 0.4)
  strictEqual(mover.now - jumpAt, mover.delayTicks * tick)
  const known = seen.outcomes.filter((text) => text.startsWith(`m ${mover.now} null `))
  // The price falls to 0.48 ten ticks after the jump; the hour of a later item ends after that.
  const afterHour = mover.now + hour < jumpAt + 10 * tick ? 0.5 : 0.48
  deepStrictEqual(known.map((text) => text.split(" ").slice(-2).join(" ")), [
    `1h ${afterHour}`,
    "24h 0.48",
  ])
})

Deno.test("a stray quote of one tick is no mover, and is an alert", () => {
  const seen = replay(steps("m", [0.5, 1], [0.4, 200]))
  deepStrictEqual(movers(seen), [])
  ok(seen.items.length > 0)
})

Deno.test("a wide spread, little depth and little volume have no mover", () => {
  const with_ = (more: Partial<PriceRow>) =>
    movers(replay(steps("m", [0.5, 20]).map((it) => ({ ...it, ...more })))).length
  strictEqual(with_({}), 1)
  strictEqual(with_({ spread: 0.05 }), 1)
  strictEqual(with_({ spread: 0.06 }), 0)
  strictEqual(with_({ depthUsd: 2_500 }), 1)
  strictEqual(with_({ depthUsd: 2_499 }), 0)
  strictEqual(with_({ volumeUsd: 10_000 }), 1)
  strictEqual(with_({ volumeUsd: 9_999 }), 0)
})

Deno.test("a payout is the price of the instants after it; else they are unknown", () => {
  const rows = steps("m", [0.5, 10])
  const end = row("m", jumpAt + 10 * tick, null, { resolution: 1 })
  const paid = replay([...rows, end]).outcomes.filter((text) => text.endsWith("24h 1"))
  const unpaid = replay(rows).outcomes.filter((text) => text.endsWith("24h null"))
  ok(paid.length > 0)
  strictEqual(unpaid.length, paid.length)
})

Deno.test("observe() refuses rows that come too late", () => {
  const listener = { onItem: () => {}, onOutcome: () => {} }
  const byTime = priceReplay("time", tick, listener)
  strictEqual(byTime.observe(row("a", from + tick, 0.5)), null)
  strictEqual(byTime.observe(row("b", from, 0.5)), "out_of_order")
  strictEqual(byTime.observe(row("a", from + tick - 1, 0.5)), "out_of_order")
  const byMarket = priceReplay("market", tick, listener)
  strictEqual(byMarket.observe(row("a", from + hour, 0.5)), null)
  strictEqual(byMarket.observe(row("b", from, 0.5)), null)
  strictEqual(byMarket.observe(row("a", from + day, 0.5)), "market_again")
})

const walk = Arbitrary.array(
  Arbitrary.schema(Schema.Literals([-8, -1, 0, 0, 0, 1, 8])),
  { minLength: 40, maxLength: 120 },
)
const walks = Arbitrary.all({ a: walk, b: walk })

function walkRows(market: string, changes: ReadonlyArray<number>): ReadonlyArray<PriceRow> {
  let cents = 50
  return changes.map((change, n) => {
    cents = Math.min(98, Math.max(2, cents + change))
    return row(market, from + n * tick, cents / 100)
  })
}

law("the items up to an instant do not depend on later rows", walks, ({ a }) => {
  const rows = walkRows("a", a)
  const half = Math.floor(rows.length / 2)
  const until = rows[half - 1]?.at ?? 0
  const all = replay(rows).items.filter(({ now }) => now <= until)
  deepStrictEqual(replay(rows.slice(0, half)).items, all)
})

law("a file by market has the items and outcomes of a file by time", walks, ({ a, b }) => {
  const [left, right] = [walkRows("a", a), walkRows("b", b)]
  const mixed = [...left, ...right].sort((x, y) => x.at - y.at)
  const [byTime, byMarket] = [replay(mixed), replay([...left, ...right], "market")]
  const key = ({ market, now, naive }: ReplayItem) => `${market} ${now} ${naive}`
  deepStrictEqual(byTime.items.map(key).sort(), byMarket.items.map(key).sort())
  deepStrictEqual(byTime.outcomes.toSorted(), byMarket.outcomes.toSorted())
})
