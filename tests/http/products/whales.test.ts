/**
 * /v1/whales, paid for: what it sells, when it costs nothing, and when the money is given back.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Fiber, Ref } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { tableRowsMax } from "../../../src/whales/domain/whale.ts"
import {
  inShop,
  json,
  now,
  once,
  payment,
  type Shop,
  statusOf,
} from "../../support/http/earlyShop.ts"
import { test } from "../../support/effect.ts"
import { whaleRow } from "../../support/products.ts"
import { nothing, passing, taken } from "../../support/payments/sales.ts"

const { whales } = products

test("/v1/whales sells its rows with their date, the largest stake first", () =>
  inShop(Effect.fnUntraced(function* ({ shelf, pay }) {
    const small = whaleRow({ wallet: "0xb", stakeUsd: 10, label: "follow", winRate: 0.9 })
    const few = whaleRow({ wallet: "0xc", resolved: 29, stakeUsd: 1e9 })
    yield* Ref.set(shelf.whales, [small, whaleRow(), few].map((row) => ({ computedAt: now, row })))
    const response = yield* pay(whales)
    strictEqual(response.headers.get("cache-control"), "private, no-store")
    ok(response.headers.has("payment-response"))
    equal(yield* json(response), {
      success: true,
      computedAt: new Date(now).toISOString(),
      data: { wallets: [whaleRow(), small], omitted: 0 },
    })
  })))

test("/v1/whales ends at its last row, and says how many it leaves out", () =>
  inShop(Effect.fnUntraced(function* ({ shelf, pay }) {
    const rows = Array.from({ length: tableRowsMax + 7 }, (_, n) => ({
      computedAt: now,
      row: whaleRow({ wallet: `0x${n}`, stakeUsd: n }),
    }))
    yield* Ref.set(shelf.whales, rows)
    const { data } = yield* json(yield* pay(whales))
    equal([data.wallets.length, data.omitted], [tableRowsMax, 7])
    strictEqual(data.wallets.at(-1).stakeUsd, 7)
  })))

test("/v1/whales is read once for many buyers", () =>
  inShop(Effect.fnUntraced(function* ({ shelf, pay }) {
    const first = yield* text(yield* pay(whales))
    for (let n = 1; n < 20; n++) strictEqual(yield* text(yield* pay(whales, "", n)), first)
    // One reading is the track record's own.
    strictEqual(yield* Ref.get(shelf.whalesRead), 2)
  })))

test("/v1/whales sells a changed table within seconds", () =>
  inShop(Effect.fnUntraced(function* ({ shelf, pay }) {
    yield* pay(whales)
    yield* Ref.set(shelf.whales, [{ computedAt: now + 1, row: whaleRow({ winRate: 0.65 }) }])
    yield* passing(5)
    const { computedAt, data } = yield* json(yield* pay(whales, "", 1))
    equal([computedAt, data.wallets[0].winRate], [new Date(now + 1).toISOString(), 0.65])
  })))

test("/v1/whales is refused before it is paid for while no wallet may be sold", () =>
  inShop(Effect.fnUntraced(function* (shop) {
    yield* Ref.set(shop.shelf.whales, [{ computedAt: now, row: whaleRow({ resolved: 29 }) }])
    const { status, error } = yield* refused(shop)
    equal([status, error.code, error.charged, error.refund], [
      422,
      "below_threshold",
      false,
      undefined,
    ])
    equal(yield* taken, nothing)
    strictEqual((yield* json(yield* statusOf(shop, whales))).state, "released")
    yield* Ref.set(shop.shelf.whales, [{ computedAt: now, row: whaleRow() }])
    yield* passing(5)
    strictEqual((yield* shop.pay(whales)).status, 200)
  })))

test("/v1/whales costs nothing while what is known of wallets cannot be read", () =>
  inShop(Effect.fnUntraced(function* (shop) {
    yield* Ref.set(shop.shelf.whalesUp, false)
    const { status, error } = yield* refused(shop)
    equal([status, error.code, error.charged], [500, "internal_error", false])
    equal(yield* taken, nothing)
  })))

const slow = { delay: Duration.seconds(3) }

for (
  const [what, change, status, code] of [
    [
      "no wallet may be sold any more",
      ({ shelf }: Shop) => Ref.set(shelf.whales, []),
      ...[422, "below_threshold"] as const,
    ],
    [
      "wallets cannot be read any more",
      ({ shelf }: Shop) => Ref.set(shelf.whalesUp, false),
      ...[500, "internal_error"] as const,
    ],
  ] as const
) {
  test(`/v1/whales is refunded when, once it is paid for, ${what}`, () =>
    inShop(
      Effect.fnUntraced(function* (shop) {
        const call = yield* Effect.forkChild(refused(shop))
        yield* passing(1)
        yield* change(shop)
        yield* passing(15)
        const told = yield* Fiber.join(call)
        equal([told.status, told.error.code, told.error.charged], [status, code, true])
        equal([told.error.refund.state, told.error.refund.amountUsd], ["queued", "0.05"])
        equal(yield* taken, once(whales))
      }),
      slow,
    ))
}

test("/v1/whales gives the same bytes to the same payment, though the table is another by then", () =>
  inShop(Effect.fnUntraced(function* ({ shelf, call }) {
    const { header } = yield* payment(whales, 0)
    const headers = { "payment-signature": header, "idempotency-key": "a-secret-of-the-buyer" }
    const first = yield* text(yield* call(whales.path, { headers }))
    yield* Ref.set(shelf.whales, [{ computedAt: now + 1, row: whaleRow({ winRate: 0.1 }) }])
    yield* passing(10)
    const again = yield* call(whales.path, { headers })
    strictEqual(again.headers.get("idempotent-replayed"), "true")
    strictEqual(yield* text(again), first)
    equal(yield* taken, once(whales))
  })))

test("/v1/whales answers HEAD with its price, and takes nothing", () =>
  inShop(Effect.fnUntraced(function* ({ call }) {
    const { header } = yield* payment(whales, 0)
    const headers = { "payment-signature": header }
    strictEqual((yield* call(whales.path, { method: "HEAD", headers })).status, 402)
    equal(yield* taken, nothing)
  })))

const text = (response: Response) => Effect.promise(() => response.text())

const refused = Effect.fnUntraced(function* ({ pay }: Shop) {
  const response = yield* pay(whales)
  return { status: response.status, error: (yield* json(response)).error }
})
