/**
 * Microstructure of an order book: laws over any book, then the definitions by example.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Arbitrary, Result, Schema } from "effect"
import {
  bookPrice,
  Microstructure,
  microstructure,
  type OrderBook,
} from "../../../src/markets/domain/book.ts"
import { TokenId } from "../../../src/markets/domain/market.ts"
import { offersOf } from "../../../src/markets/domain/quote.ts"
import { averagePriceOf } from "../../../src/markets/domain/tradeCosts.ts"
import { law } from "../../support/effect.ts"
import { book, mirrored } from "../../support/movers/market.ts"

const inSteps = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999 }))
const shares = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000_000 }))
const level = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ steps: inSteps, hundredths: shares })),
  ({ steps, hundredths }) => ({ price: steps / 10_000, size: hundredths / 100 }),
)
/** Levels on both sides of a price. */
const validBook = Arbitrary.map(
  Arbitrary.all({
    at: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 9_000 }))),
    bids: Arbitrary.array(offset(), { minLength: 1, maxLength: 12 }),
    asks: Arbitrary.array(offset(), { minLength: 1, maxLength: 12 }),
  }),
  ({ at, bids, asks }) =>
    book(
      bids.map(({ away, size }) => ({ price: Math.max(1, at - away) / 10_000, size })),
      asks.map(({ away, size }) => ({ price: Math.min(9_999, at + away) / 10_000, size })),
    ),
)
const anyBook = Arbitrary.map(
  Arbitrary.all({
    bids: Arbitrary.array(level, { maxLength: 6 }),
    asks: Arbitrary.array(level, { maxLength: 6 }),
  }),
  ({ bids, asks }) => book(bids, asks),
)

function offset() {
  const away = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 900 }))
  return Arbitrary.map(
    Arbitrary.schema(Schema.Struct({ away, hundredths: shares })),
    ({ away, hundredths }) => ({ away, size: hundredths / 100 }),
  )
}

function microstructureOf(book: OrderBook): Microstructure {
  return Result.getOrThrow(microstructure(book))
}

function reordered<A>(rows: ReadonlyArray<A>, by: number): Array<A> {
  return rows.map((row, i) => ({ row, rank: (i * 7_919 + by) % 101 }))
    .sort((a, b) => a.rank - b.rank || 1).map(({ row }) => row)
}

const close = (a: number, b: number) => Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a))

law("microstructure() does not depend on the order of the levels", anyBook, (given) => {
  for (const by of [1, 13, 57]) {
    const shuffled = book(reordered(given.bids, by), reordered(given.asks, by).reverse())
    deepStrictEqual(microstructure(shuffled), microstructure(given))
  }
})

Deno.test("microstructure() does not depend on the order of levels of one price", () => {
  // Sizes whose sum is rounded differently in different orders.
  const asks = [0.01, 0.02, 0.3 + 3e-6].map((size) => ({ price: 0.5, size }))
  const [a, b, c] = asks
  const bids = [{ price: 0.49, size: 1 }]
  for (const order of [[a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]) {
    const given = order.flatMap((level) => level === undefined ? [] : [level])
    deepStrictEqual(microstructure(book(bids, given)), microstructure(book(bids, asks)))
  }
})

law(
  "microstructure() matches its schema, or returns the fault of the book",
  anyBook,
  (given) => {
    const result = microstructure(given)
    if (Result.isSuccess(result)) Schema.decodeUnknownSync(Microstructure)(result.success)
    return Result.isSuccess(result) || given.bids.length * given.asks.length === 0 ||
      Math.max(...given.bids.map(({ price }) => price)) >=
        Math.min(...given.asks.map(({ price }) => price)) ||
      result.failure === "ghost"
  },
)

law("microstructure() ignores levels without size or outside (0, 1)", anyBook, (given) => {
  const bad = [
    { price: 0, size: 10 },
    { price: 1, size: 10 },
    { price: -0.2, size: 10 },
    { price: 1.3, size: 10 },
    { price: 0.5, size: 0 },
    { price: 0.5, size: -4 },
    { price: Number.NaN, size: 10 },
    { price: 0.5, size: Number.NaN },
    { price: 0.5, size: Infinity },
  ]
  const worse = book([...bad, ...given.bids], [...given.asks, ...bad])
  deepStrictEqual(microstructure(worse), microstructure(given))
})

law("complementary books mirror: mid, spread, and shares within reach", validBook, (given) => {
  const first = microstructureOf(given)
  const second = microstructureOf(mirrored(given))
  strictEqual(first.spread, second.spread)
  strictEqual(close(first.mid, 1 - second.mid), true)
  // USD for the same shares adds up to one dollar a share, so the sums are shares.
  const near = (side: "bids" | "asks") =>
    given[side].filter(({ price }) => Math.abs(price - first.mid) <= 0.05 + 1e-9)
      .reduce((sum, { size }) => sum + size, 0)
  const depth = first.depthUsdWithin5c
  const other = second.depthUsdWithin5c
  return close(depth.bid + other.ask, near("bids")) && close(depth.ask + other.bid, near("asks"))
})

law("complementary books mirror: both end before the same moves", validBook, (given) => {
  const first = microstructureOf(given).impactUsd
  const second = microstructureOf(mirrored(given)).impactUsd
  const null_ = (impact: Microstructure["impactUsd"]) =>
    Object.values(impact).map((x) => x === null)
  const { up1c, down1c, up5c, down5c } = second
  deepStrictEqual(null_(first), null_({ up1c: down1c, down1c: up1c, up5c: down5c, down5c: up5c }))
})

law("a larger impact never costs less, and at most the whole book", validBook, (given) => {
  const { impactUsd } = microstructureOf(given)
  const total = (side: "bids" | "asks") =>
    given[side].reduce((sum, { price, size }) => sum + price * size, 0) + 1e-6
  const least = (small: number | null, large: number | null, most: number) =>
    large === null || small === null || (small <= large && large <= most)
  return least(impactUsd.up1c, impactUsd.up5c, total("asks")) &&
    least(impactUsd.down1c, impactUsd.down5c, total("bids"))
})

law("one more level behind the best never reduces depth or impact", validBook, (given) => {
  const before = microstructureOf(given)
  const price = Math.min(0.9999, before.bestAsk + 0.02)
  const after = microstructureOf(book(given.bids, [...given.asks, { price, size: 50 }]))
  const grew = (a: number | null, b: number | null) =>
    b === null ? a === null : a === null || a <= b
  return before.depthUsdWithin5c.total <= after.depthUsdWithin5c.total &&
    before.depthUsdWithin5c.bid === after.depthUsdWithin5c.bid &&
    grew(before.impactUsd.up1c, after.impactUsd.up1c) &&
    grew(before.impactUsd.up5c, after.impactUsd.up5c)
})

Deno.test("microstructure() returns the fault: a missing side, crossed quotes, ghost quotes", () => {
  const bid = { price: 0.4, size: 10 }
  const ask = { price: 0.6, size: 10 }
  const fault = (of: OrderBook) => Result.getOrThrow(Result.flip(microstructure(of)))
  strictEqual(fault(book([], [ask])), "empty_side")
  strictEqual(fault(book([bid], [])), "empty_side")
  strictEqual(fault(book([bid], [{ price: 0.6, size: 0 }])), "empty_side")
  strictEqual(fault(book([ask], [bid])), "crossed")
  strictEqual(fault(book([bid], [bid])), "crossed")
  strictEqual(fault(book([{ price: 0.04, size: 10 }], [{ price: 0.9401, size: 10 }])), "ghost")
  strictEqual(
    microstructureOf(book([{ price: 0.04, size: 10 }], [{ price: 0.94, size: 10 }])).spread,
    0.9,
  )
})

Deno.test("microstructure() includes levels at 5 cents in depth, and excludes levels at K from impact", () => {
  const of = book(
    [{ price: 0.49, size: 100 }, { price: 0.45, size: 200 }, { price: 0.4499, size: 400 }],
    [{ price: 0.51, size: 100 }, { price: 0.53, size: 300 }, { price: 0.55, size: 200 }],
  )
  const { mid, spread, depthUsdWithin5c, impactUsd } = microstructureOf(of)
  strictEqual(mid, 0.5)
  strictEqual(spread, 0.02)
  deepStrictEqual(depthUsdWithin5c, { bid: 49 + 90, ask: 51 + 159 + 110, total: 459 })
  // No order is less than a cent from the mid: such a price is not moved by a cent, and not for nothing.
  deepStrictEqual(impactUsd, { up1c: null, down1c: null, up5c: 51 + 159, down5c: 49 })
})

Deno.test("microstructure() returns null when the book ends before the move", () => {
  const { impactUsd } = microstructureOf(
    book([{ price: 0.499, size: 100 }], [{ price: 0.501, size: 100 }]),
  )
  deepStrictEqual(impactUsd, { up1c: null, down1c: null, up5c: null, down5c: null })
})

const bestLevels = Arbitrary.schema(Schema.Struct({
  bid: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999 }))),
  ask: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999 }))),
}))

law(
  "bookPrice() is the mid of a valid book, and reads a decided one-sided book",
  bestLevels,
  ({ bid, ask }) => {
    const level = (at: number | null) => at === null ? [] : [{ price: at / 10_000, size: 10 }]
    const token = TokenId.make("t")
    const book = { tokenId: token, bids: level(bid), asks: level(ask), observedAt: 0 }
    const expected = bid !== null && ask !== null
      ? bid < ask && ask - bid <= 9_000 ? (bid + ask) / 20_000 : null
      : bid !== null && bid >= 9_700
      ? (bid + 10_000) / 20_000
      : ask !== null && bid === null && ask <= 300
      ? ask / 20_000
      : null
    strictEqual(bookPrice(book), expected)
  },
)
const usd = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_000_000 })))
const purchase = Arbitrary.all({ given: anyBook, cents: usd, more: usd })

const priceOf = (given: OrderBook, outcome: 0 | 1, usd: number) =>
  averagePriceOf(offersOf(given)[outcome], usd)

law(
  "the price of buying never falls with size, and fails for every larger size",
  purchase,
  (drawn) => {
    for (const outcome of [0, 1] as const) {
      const small = priceOf(drawn.given, outcome, drawn.cents / 100)
      const large = priceOf(drawn.given, outcome, (drawn.cents + drawn.more) / 100)
      if (small === null ? large !== null : large !== null && large < small - 1e-6) return false
    }
    return true
  },
)

law("buying the second outcome costs what the mirrored book says", purchase, ({ given, cents }) => {
  strictEqual(priceOf(given, 1, cents / 100), priceOf(mirrored(given), 0, cents / 100))
})

Deno.test("the price of buying, by example: two levels, a thin book, and bad levels", () => {
  const given = book([{ price: 0.4, size: 100 }], [
    { price: 0.6, size: 100 },
    { price: 0.5, size: 100 },
    { price: 1, size: 1e9 },
  ])
  // 50 USD buys 100 shares at 0.5, and 30 USD 50 shares at 0.6.
  strictEqual(priceOf(given, 0, 80), 0.533333)
  strictEqual(priceOf(given, 0, 110), 0.55)
  strictEqual(priceOf(given, 0, 110.01), null)
  strictEqual(priceOf(given, 1, 60), 0.6)
  strictEqual(priceOf(given, 1, 60.01), null)
})
