/**
 * When whale entries and records count as read: the age that answers state rests on it.
 *
 * @module
 */
import { strictEqual } from "node:assert"
import { isGoodWhaleTick, type WhaleReport } from "../../src/whales/Whales.ts"

const report = (fields: Partial<WhaleReport>): WhaleReport => ({
  ...{ slot: 0, wallets: 100, walletsToRead: 100, activityAdded: 0, recomputed: 0, items: [] },
  ...{ resolved: 0, counted: 0, labels: null, behind: [], rejected: {}, failed: [], seconds: 1 },
  ...fields,
})

Deno.test("a tick whose reading was cut is good when nine tenths of the wallets were read", () => {
  const cut = (wallets: number) => isGoodWhaleTick(report({ wallets, failed: ["reading"] }))
  strictEqual(cut(90), true)
  strictEqual(cut(89), false)
  // The wallets that were never reached count as unread.
  strictEqual(cut(10), false)
})

Deno.test("a tick that did not learn which wallets to read is not good", () => {
  const unread = { wallets: 0, walletsToRead: 0 }
  strictEqual(isGoodWhaleTick(report({ ...unread, failed: ["reading"] })), false)
  strictEqual(isGoodWhaleTick(report(unread)), true)
})

Deno.test("a tick is not good when another stage failed", () => {
  strictEqual(isGoodWhaleTick(report({ failed: ["judging"] })), false)
})
