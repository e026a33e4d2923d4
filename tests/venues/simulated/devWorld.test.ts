/**
 * The world of `deno task dev`: whenever it starts, the skill of its wallets can be proven from their
 * history, which is short, and wallets enter markets every few minutes.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { day, type EpochMs } from "../../../src/core/domain/time.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import type { Wallet } from "../../../src/venues/simulated/wallets.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { labels } from "../../../src/whales/domain/label.ts"

const starts = [0, 16.8, 33.3, 77.5, 190.9].map((days) => Date.UTC(2026, 10, 30) + days * day)

/** What the whole history of a wallet says at the first start. */
function judgement(world: World, wallet: Wallet, now: EpochMs) {
  const rows = world.activity(wallet, { from: -Infinity, to: now })
  const bets = [...Map.groupBy(rows, ({ market }) => market.id).values()].flatMap((entry) => {
    const [last] = entry
    if (last === undefined) return []
    const { market, outcome, price } = last
    const payouts = market.resolvedAt <= now ? world.truth.payouts(market) : null
    const endedAt = market.resolvedAt <= now ? market.resolvedAt : null
    return [{ price, openedAt: last.at, endedAt, paid: payouts?.[outcome] ?? null }]
  })
  const ended = bets.flatMap(({ paid, price }) => paid === null ? [] : [paid - price])
  const edge = ended.reduce((sum, gain) => sum + gain, 0) / ended.length
  const error = 1 / Math.sqrt(ended.length)
  const evidence = evidenceOf(bets, now)
  const rates = { edge, edgeLow: edge - error, edgeHigh: edge + error }
  return { ...rates, followRoi: edge, fadeRoi: -edge, evidence, bets: bets.length }
}

for (const now of starts) {
  Deno.test(`at ${new Date(now).toISOString()} the wallets with skill are labelled`, () => {
    const world = devWorld(undefined, now)
    const judged = new Map(
      world.wallets.map((wallet) => [wallet.address, judgement(world, wallet, now)]),
    )
    const found = labels(judged)
    for (const { address, group: { edge } } of world.wallets) {
      equal(found.get(address), edge > 0 ? "follow" : edge < 0 ? "fade" : "neutral", address)
    }
    const bets = [...judged.values()].reduce((sum, { bets }) => sum + bets, 0)
    ok(bets > 4_000 && bets < 8_000, `${bets} bets`)
  })
}
