/**
 * The world of `deno task dev`: whenever it starts, the skill of its wallets can be proven from their
 * history, which is short, and its crowd buys often.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { day, type EpochMs, hour } from "../../../src/core/domain/time.ts"
import { crowdActivity, crowdEveryMs } from "../../../src/venues/simulated/crowd.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import type { Wallet } from "../../../src/venues/simulated/wallets.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { evidenceOf } from "../../../src/whales/domain/evidence.ts"
import { labels } from "../../../src/whales/domain/label.ts"

const starts = [0, 16.8, 33.3, 77.5, 190.9].map((days) => Date.UTC(2026, 10, 30) + days * day)

/** What the whole history of a wallet says at the first start. */
function judgement(world: World, wallet: Wallet, now: EpochMs) {
  const bets = world.truth.episodes(wallet, -Infinity, now).map(
    ({ market, outcome, price, firstFillAt }) => {
      const payouts = market.resolvedAt <= now ? world.truth.payouts(market) : null
      const endedAt = market.resolvedAt <= now ? market.resolvedAt : null
      return { price, openedAt: firstFillAt, endedAt, paid: payouts?.[outcome] ?? null }
    },
  )
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

Deno.test("crowdActivity() buys every 40 seconds from its beginning on, the same in any ranges", () => {
  const [from = 0] = starts
  const world = devWorld(undefined, from)
  const rowsIn = (from: EpochMs, to: EpochMs) =>
    world.wallets.flatMap((wallet) => crowdActivity(world, wallet, { from, to }))
      .toSorted((a, b) => a.at - b.at)
  const rows = rowsIn(from, from + hour)
  ok(rows.length > 0.9 * hour / crowdEveryMs, `${rows.length} in an hour`)
  ok(rows.every(({ at, size, price }) => at >= from && size * price > 1_000))
  ok(rows.every(({ wallet }) => wallet.group.edge === 0))
  const parts = [0, 1, 2].flatMap((n) => rowsIn(from + n * hour / 3 + 1, from + (n + 1) * hour / 3))
  equal(parts, rows.filter(({ at }) => at > from))
})
