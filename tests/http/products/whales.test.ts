/**
 * /v1/whales with real payments: what it sells, when it is not charged, and when it is refunded.
 *
 * @module
 */
import { reading, scoredEntry } from "../../support/track-record/whaleItems.ts"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Ref } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { scoredRow } from "../../../src/track-record/domain/entryScore.ts"
import { calibrationTable, tableRowsMax } from "../../../src/whales/domain/whale.ts"
import { json, now, paidTest } from "../../support/http/paidService.ts"
import { whaleRow } from "../../support/products.ts"
import { trackedWallet } from "../../support/whales/entries.ts"
import { nothing, passing, taken } from "../../support/payments/sales.ts"

const { whales } = products

paidTest(
  "/v1/whales returns its rows with their date, the largest stake first",
  function* ({ productPorts, pay }) {
    const small = whaleRow({ wallet: "0xb", stakeUsd: 10, label: "follow", winRate: 0.9 })
    const few = whaleRow({ wallet: "0xc", resolved: 29, stakeUsd: 1e9 })
    yield* Ref.set(
      productPorts.whales,
      [small, whaleRow(), few].map((row) => ({ computedAt: now, row })),
    )
    const response = yield* pay(whales)
    strictEqual(response.headers.get("cache-control"), "private, no-store")
    ok(response.headers.has("payment-response"))
    const table = calibrationTable(
      [small, whaleRow()].map((row) => ({ computedAt: now, row })),
    )
    const { next: _, validUntil: __, ...sold } = yield* json(response)
    equal(sold, {
      success: true,
      computedAt: new Date(now).toISOString(),
      asOf: new Date(now).toISOString(),
      filters: { label: "all", wallet: null, limit: tableRowsMax },
      data: { wallets: table?.wallets.map((row) => scoredRow(row)), omitted: 0 },
    })
    equal(table?.wallets.map(({ wallet }) => wallet), [whaleRow().wallet, "0xb"])
  },
)

/** Two published entries in each of some events, bought at 0.5 a minute later, that were paid this. */
const published = (wallet: string, payout: number, events = 12) =>
  Array.from({ length: 2 * events }, (_, n) =>
    scoredEntry(n, {
      ...{ wallet, eventKey: `event-${n % events}`, payout, feeRate: 0 },
      ...{ readings: [reading(1, 0.5, 0.5)], later: n % events < 9 ? 0.6 : "unknown" },
    }))

paidTest(
  "/v1/whales has what is known of each wallet's published entries, and null below ten events",
  function* ({ productPorts, pay }) {
    const rows = [whaleRow(), whaleRow({ wallet: "0xb", stakeUsd: 10 })]
    yield* Ref.set(productPorts.whales, rows.map((row) => ({ computedAt: now, row })))
    const [wallet = ""] = rows.map(({ wallet }) => wallet)
    yield* Ref.set(
      productPorts.published,
      [...published(wallet, 0.475), ...published("0xb", 1, 9), ...published("0xc", 1)],
    )
    // Scores are read at the start, and again at most once a minute.
    yield* passing(60)
    const { data } = yield* json(yield* pay(whales))
    const [first, second] = data.wallets
    equal([first.copiedRoi1m.value, first.copiedRoi1m.entries, first.copiedRoi1m.events], [
      ...[-0.05, 24, 12],
    ])
    ok(first.copiedRoi1m.low < -0.05 && first.copiedRoi1m.high > -0.05)
    equal([first.closingLine, second.copiedRoi1m, second.closingLine], [null, null, null])
  },
)

paidTest(
  "/v1/whales returns a limited number of rows, and counts the omitted ones",
  function* ({ productPorts, pay }) {
    const rows = Array.from({ length: tableRowsMax + 7 }, (_, n) => ({
      computedAt: now,
      row: whaleRow({ wallet: `0x${n}`, stakeUsd: n }),
    }))
    yield* Ref.set(productPorts.whales, rows)
    const { data } = yield* json(yield* pay(whales))
    equal([data.wallets.length, data.omitted], [tableRowsMax, 7])
    strictEqual(data.wallets.at(-1).stakeUsd, 7)
  },
)

paidTest(
  "/v1/whales returns the wallets of one label, or one wallet, and at most as many as wanted",
  function* ({ productPorts, pay }) {
    const address = (n: number) => `0x${`${n}`.padStart(40, "a")}`
    const rows = Array.from({ length: 9 }, (_, n) =>
      whaleRow({
        wallet: address(n),
        stakeUsd: 100 - n,
        label: n % 3 === 0 ? "fade" : "neutral",
      }))
    yield* Ref.set(productPorts.whales, rows.map((row) => ({ computedAt: now, row })))
    let used = 0
    const bought = Effect.fnUntraced(function* (query: string) {
      const { data, filters } = yield* json(yield* pay(whales, query, used++))
      const wallets = data.wallets.map(({ wallet }: { wallet: string }) => wallet)
      return { wallets, omitted: data.omitted, filters }
    })
    const fades = {
      ...{ wallets: [0, 3, 6].map(address), omitted: 0 },
      filters: { label: "fade", wallet: null, limit: tableRowsMax },
    }
    equal(yield* bought("?label=fade"), fades)
    equal(yield* bought("?label=fade"), fades)
    equal(yield* bought("?limit=2&label=fade"), {
      ...{ wallets: [0, 3].map(address), omitted: 1 },
      filters: { ...fades.filters, limit: 2 },
    })
    const mixed = address(4).replaceAll("a", "A")
    equal((yield* bought(`?wallet=${mixed}`)).wallets, [address(4)])
    equal((yield* bought("")).wallets, rows.map(({ wallet }) => wallet))
  },
)

paidTest("/v1/whales is not charged when no wallet matches", function* ({ pay }) {
  const response = yield* pay(whales, `?label=follow&wallet=0x${"1".repeat(40)}`)
  const { error } = yield* json(response)
  equal([response.status, error.code, error.charged], [422, "below_threshold", false])
  equal(yield* taken, nothing)
})

paidTest(
  "/v1/whales says of a tracked wallet without a row why it has none",
  function* ({ productPorts, pay }) {
    const address = (n: number) => `0x${`${n}`.padStart(40, "a")}`
    yield* Ref.set(productPorts.whales, [{ computedAt: now, row: whaleRow() }])
    yield* Ref.set(productPorts.tracked, [
      trackedWallet({ wallet: whaleRow().wallet, history: "whole" }),
      trackedWallet({ wallet: address(1), history: "whole" }),
      trackedWallet({ wallet: address(2), history: "reading" }),
      trackedWallet({ wallet: address(3), history: "whole", farmed: 5 }),
    ])
    const tracked = /^This wallet is tracked, but has no row in the calibration table: /
    const cases = [
      [`wallet=${address(1).toUpperCase().replace("X", "x")}`, /fewer than 30 .* 10 events/],
      [`wallet=${address(1)}&label=follow`, tracked],
      [`wallet=${address(2)}`, /whole history has not been read$/],
      [`wallet=${address(3)}`, /^No wallet /],
      [`wallet=${address(4)}`, /^No wallet /],
      [`wallet=${whaleRow().wallet}&label=follow`, /^No wallet /],
    ] as const
    for (const [n, [query, message]] of cases.entries()) {
      const { error } = yield* json(yield* pay(whales, `?${query}`, n))
      equal([error.code, error.charged], ["below_threshold", false])
      match(error.message, message)
    }
    equal(yield* taken, nothing)
  },
)

paidTest("/v1/whales reads its store once for many buyers", function* ({ productPorts, pay }) {
  for (let n = 0; n < 20; n++) strictEqual((yield* pay(whales, "", n)).status, 200)
  // The track record reads the store once too.
  strictEqual(yield* Ref.get(productPorts.whalesRead), 2)
})

paidTest("/v1/whales sells a changed table within five seconds", function* ({ productPorts, pay }) {
  yield* pay(whales)
  yield* Ref.set(productPorts.whales, [{ computedAt: now + 1, row: whaleRow({ winRate: 0.65 }) }])
  yield* passing(5)
  const { computedAt, data } = yield* json(yield* pay(whales, "", 1))
  equal([computedAt, data.wallets[0].winRate], [new Date(now + 1).toISOString(), 0.65])
})
