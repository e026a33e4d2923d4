/**
 * What the item of an entry says, and in which markets there is one.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert"
import { Schema } from "effect"
import { FeedItem } from "../../src/domain/feed.ts"
import { MarketId } from "../../src/domain/market.ts"
import { hour } from "../../src/domain/time.ts"
import { marketRejection, whaleItem } from "../../src/domain/whaleItem.ts"
import { heldEntry, trackedWallet } from "../support/entries.ts"
import { market, now, shown } from "../support/market.ts"

const told = {
  wallet: trackedWallet(),
  market: market(),
  entry: heldEntry(),
  microstructure: shown(),
}

Deno.test("marketRejection() lets open and proposed markets pass, and no ended or unknown one", () => {
  const reasons = (["open", "proposed", "resolved", "closed"] as const).map((status) =>
    marketRejection(market({ status }))
  )
  equal(reasons, [null, null, "market_ended", "market_ended"])
  strictEqual(marketRejection(undefined), "market_unknown")
})

Deno.test("whaleItem() is an item of the feed, with the bought outcome's name", () => {
  for (const [outcome, name] of [[0, "Yes"], [1, "No"]] as const) {
    const { dedupeKey: _, ...item } = whaleItem({ ...told, entry: heldEntry({ outcome }) }, now)
    const decoded = Schema.decodeUnknownSync(FeedItem)({ feedIndex: 1, ...item })
    ok(decoded.type === "whale_entry")
    strictEqual(decoded.data.outcome, name)
    strictEqual(decoded.data.pseudonym, told.wallet.name)
  }
})

Deno.test("whaleItem() keeps an episode's key while it grows, and gives others another", () => {
  const keyOf = (fields: Partial<typeof told>) => whaleItem({ ...told, ...fields }, now).dedupeKey
  const key = keyOf({})
  const grown = { stakeUsd: 9_999, fills: 7, lastFillAt: now, firstFillAt: now - hour, price: 0.5 }
  strictEqual(keyOf({ entry: heldEntry(grown) }), key)
  for (
    const other of [
      { wallet: trackedWallet({ wallet: "0xbbbb" }) },
      { market: market({ id: MarketId.make("m2") }) },
      { entry: heldEntry({ outcome: 1 }) },
      { entry: heldEntry({ openedAt: now }) },
    ]
  ) notStrictEqual(keyOf(other), key)
})
