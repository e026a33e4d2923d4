/**
 * The settle-early products except research: what they refuse before payment, and how they work while
 * the venue is down.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { hour, minute } from "../../src/core/domain/time.ts"
import { Resolving } from "../../src/markets/Resolving.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { type Body, effectOf, test } from "../support/effect.ts"
import { now } from "../support/movers/market.ts"
import {
  bookOf,
  endingMarket,
  makeProductPorts,
  pricesOver,
  type ProductPorts,
  productPortsLayer,
  whaleRow,
} from "../support/products.ts"

const products = Layer.mergeAll(Resolving.layer, Calibration.layer)

const shelfTest = (
  name: string,
  body: (shelf: ProductPorts) => ReturnType<Body<Resolving | Calibration>>,
) =>
  test(name, function* () {
    yield* TestClock.setTime(now)
    const shelf = yield* makeProductPorts
    yield* Effect.provide(
      effectOf(() => body(shelf)),
      products.pipe(Layer.provide(productPortsLayer(shelf))),
    )
  })

const query = { withinHours: 24, minLiquidity: 5_000, includeNoise: false }

shelfTest(
  "Resolving.check() refuses an empty horizon without a call to the venue",
  function* ({ markets, venueRequests }) {
    const resolving = yield* Resolving
    yield* Ref.set(markets, [endingMarket(25, now)])
    const refused = yield* Effect.flip(resolving.check(query))
    strictEqual(refused._tag, "BelowThreshold")
    yield* resolving.check({ ...query, withinHours: 72 })
    strictEqual(yield* Ref.get(venueRequests), 0)
  },
)

shelfTest(
  "Resolving.list() prices every row from its live order book",
  function* ({ markets, books }) {
    const all = [1, 2, 3].map((n) => endingMarket(n, now))
    yield* Ref.set(markets, all)
    yield* Ref.set(books, all.map((market, n) => bookOf(market, now, 0.9 + n * 0.01)))
    const rows = yield* (yield* Resolving).list(query)
    equal(rows.map(({ slug, yesMid }) => [slug, yesMid]), [
      ["market-1", 0.9],
      ["market-2", 0.91],
      ["market-3", 0.92],
    ])
    ok(rows.every(({ microstructure }) => microstructure?.bestBid !== undefined))
  },
)

shelfTest(
  "Resolving.list() leaves out a market without an order book, because it was decided early",
  function* ({ markets, books, series }) {
    const [first, second] = [endingMarket(1, now), endingMarket(2, now)]
    yield* Ref.set(markets, [first, second])
    yield* Ref.set(series, pricesOver(3, now, { from: 0.5, to: 0.5 }))
    yield* Ref.set(books, [bookOf(second, now)])
    const resolving = yield* Resolving
    equal((yield* resolving.list(query)).map(({ slug }) => slug), ["market-2"])
    yield* Ref.set(books, [])
    strictEqual((yield* Effect.flip(resolving.list(query)))._tag, "BelowThreshold")
  },
)

shelfTest(
  "Resolving.list() returns the last tick's prices while the venue is down",
  function* ({ markets, series, venueUp }) {
    yield* Ref.set(markets, [endingMarket(1, now)])
    yield* Ref.set(series, [{ at: now - 30 * minute, mid: 0.42 }])
    yield* Ref.set(venueUp, false)
    const [row] = yield* (yield* Resolving).list(query)
    equal([row?.yesMid, row?.microstructure], [0.42, null])
  },
)

shelfTest(
  "Calibration.table fails while no wallet has 30 resolved entries",
  function* ({ whales }) {
    const { table } = yield* Calibration
    strictEqual((yield* Effect.flip(table))._tag, "BelowThreshold")
    const few = { computedAt: now, row: whaleRow({ resolved: 29 }) }
    yield* Ref.set(whales, [few])
    yield* TestClock.adjust("5 seconds")
    strictEqual((yield* Effect.flip(table))._tag, "BelowThreshold")
    yield* Ref.set(whales, [few, { computedAt: now - hour, row: whaleRow() }])
    yield* TestClock.adjust("5 seconds")
    const { wallets, ...rest } = yield* table
    equal(rest, { computedAt: now })
    equal(wallets.map((row) => ({ ...row, ...whaleRow() })), wallets)
  },
)

shelfTest(
  "Calibration.table returns the same object until a calibration changes",
  function* ({ whales }) {
    const { table } = yield* Calibration
    yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
    const first = yield* table
    yield* TestClock.adjust("1 day")
    strictEqual(yield* table, first)
    yield* Ref.set(whales, [{ computedAt: now + hour, row: whaleRow({ winRate: 0.65 }) }])
    yield* TestClock.adjust("5 seconds")
    equal((yield* table).wallets[0]?.winRate, 0.65)
  },
)

shelfTest(
  "Resolving.list() waits a bounded time for the venue, then uses the last tick's prices",
  function* ({ markets, series, latencyMs }) {
    yield* Ref.set(markets, [endingMarket(1, now)])
    yield* Ref.set(series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
    yield* Ref.set(latencyMs, hour)
    const rows = yield* Effect.forkChild((yield* Resolving).list(query))
    yield* TestClock.adjust(20_000)
    strictEqual((yield* Fiber.join(rows))[0]?.yesMid, 0.6)
  },
)
