/**
 * The feed item of an entry, and the markets in which entries are published.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert"
import { Schema } from "effect"
import { FeedItem, withOutcome } from "../../../src/feed/domain/item.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { hour } from "../../../src/core/domain/time.ts"
import { entryRejection, whaleItem } from "../../../src/whales/domain/whaleItem.ts"
import { calibration, storedEntry, trackedWallet } from "../../support/whales/entries.ts"
import { book, market, now } from "../../support/movers/market.ts"

const input = {
  wallet: trackedWallet(),
  market: market(),
  entry: storedEntry(),
  book: book([{ price: 0.6, size: 500 }], [{ price: 0.62, size: 900 }]),
}

const frozen = calibration(now - hour)

Deno.test("entryRejection() is null for open and proposed markets, not for ended or unknown ones", () => {
  const reasons = (["open", "proposed", "resolved", "closed"] as const).map((status) =>
    entryRejection(trackedWallet(), market({ status }))
  )
  equal(reasons, [null, null, "market_ended", "market_ended"])
  strictEqual(entryRejection(trackedWallet(), undefined), "market_unknown")
})

Deno.test("entryRejection() waits for a history that is being read, not for a truncated one", () => {
  const reasons = (["reading", "whole", "truncated"] as const).map((history) =>
    entryRejection(trackedWallet({ history }), market())
  )
  equal(reasons, ["history_unread", null, null])
})

Deno.test("whaleItem() is a valid feed item, with the name of the bought outcome", () => {
  for (const [outcome, name] of [[0, "Yes"], [1, "No"]] as const) {
    const { dedupeKey: _, ...item } = whaleItem({ ...input, entry: storedEntry({ outcome }) }, now)
    const decoded = Schema.decodeUnknownSync(FeedItem)({ feedIndex: 1, ...item })
    ok(decoded.type === "whale_entry")
    strictEqual(decoded.data.outcome, name)
    equal(decoded.data.market.outcomes, ["Yes", "No"])
    strictEqual(decoded.data.pseudonym, input.wallet.name)
  }
})

Deno.test("whaleItem() has the book of the bought outcome, which the answer names", () => {
  const bought = (outcome: 0 | 1) => {
    const { dedupeKey: _, ...item } = whaleItem({ ...input, entry: storedEntry({ outcome }) }, now)
    const read = withOutcome(Schema.decodeUnknownSync(FeedItem)({ feedIndex: 1, ...item }))
    const { outcome: name, bestBid, bestAsk, depthUsdWithin5c } = read.data.microstructure ?? {}
    return [name, bestBid, bestAsk, depthUsdWithin5c]
  }
  equal(bought(0), ["Yes", 0.6, 0.62, { bid: 300, ask: 558, total: 858 }])
  equal(bought(1), ["No", 0.38, 0.4, { bid: 342, ask: 200, total: 542 }])
  const other = whaleItem({ ...input, book: null }, now).data
  strictEqual("microstructure" in other && other.microstructure, null)
})

Deno.test("whaleItem() rounds figures like the table: rates to four digits, USD to the cent", () => {
  const calibration = { ...frozen, winRate: 2 / 3, edge: -1 / 3, fadeRoi: 1 / 7 }
  const entry = storedEntry({ stakeUsd: 1000 / 3, calibration })
  const { data } = whaleItem({ ...input, entry }, now)
  ok("calibration" in data)
  equal([data.stakeUsd, data.calibration], [
    333.33,
    { ...frozen, winRate: 0.6667, edge: -0.3333, fadeRoi: 0.1429 },
  ])
})

Deno.test("whaleItem() has the same key while an entry grows, and another for other entries", () => {
  const keyOf = (fields: Partial<typeof input>) => whaleItem({ ...input, ...fields }, now).dedupeKey
  const key = keyOf({})
  const grown = { stakeUsd: 9_999, fills: 7, lastFillAt: now, firstFillAt: now - hour, price: 0.5 }
  strictEqual(keyOf({ entry: storedEntry(grown) }), key)
  for (
    const other of [
      { wallet: trackedWallet({ wallet: "0xbbbb" }) },
      { market: market({ id: MarketId.make("m2") }) },
      { entry: storedEntry({ outcome: 1 }) },
      { entry: storedEntry({ openedAt: now }) },
    ]
  ) notStrictEqual(keyOf(other), key)
})
