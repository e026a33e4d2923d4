/**
 * Which calibrated wallets are published.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Schema } from "effect"
import { publishable, WhaleRow } from "../../src/domain/whale.ts"
import { whaleRow } from "../support/products.ts"

Deno.test("publishable() is the wallets with 30 resolved entries, by stake and not by outcome", () => {
  const rows = [
    whaleRow({ wallet: "0xa", resolved: 30, stakeUsd: 5, winRate: 0.9 }),
    whaleRow({ wallet: "0xb", resolved: 29, stakeUsd: 50 }),
    whaleRow({ wallet: "0xc", resolved: 31, stakeUsd: 9, winRate: 0.1 }),
    whaleRow({ wallet: "0xd", resolved: 400, stakeUsd: 5, winRate: 0.2 }),
  ]
  equal(publishable(rows).map(({ wallet }) => wallet), ["0xc", "0xa", "0xd"])
  ok(publishable(rows).every(Schema.is(WhaleRow)))
  equal(publishable([]), [])
})
