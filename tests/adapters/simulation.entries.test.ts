/**
 * Entries made of what simulated wallets did, against what they set out to do: every pitfall that
 * trips trackers of whales, each with the truth beside it.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import type { Deed, DeedKind } from "../../src/adapters/simulation/deeds.ts"
import type { Episode } from "../../src/adapters/simulation/episodes.ts"
import type { Wallet } from "../../src/adapters/simulation/wallets.ts"
import { makeWorld, type World } from "../../src/adapters/simulation/world.ts"
import { type Act, type ActKind, numbered } from "../../src/domain/act.ts"
import { entriesOf, type Entry, isHedge } from "../../src/domain/entry.ts"
import type { MarketId } from "../../src/domain/market.ts"

const kinds: ReadonlySet<DeedKind> = new Set<ActKind>([
  ...["buy", "sell", "split", "merge", "redeem", "convert"] as const,
])

function actsOf(deeds: ReadonlyArray<Deed>): ReadonlyArray<Act> {
  return deeds.flatMap(({ kind, wallet, market, outcome, size, price, at, transaction }) =>
    market === null || !kinds.has(kind) ? [] : [{
      wallet: wallet.address,
      marketId: market.id,
      kind: kind as ActKind,
      tokenId: outcome === null ? null : market.tokenIds[outcome],
      size,
      price,
      at,
      transaction,
    }]
  )
}

/** An entry so far as both sides must agree on it to the last millionth. */
function told(entry: Entry, hedge: boolean) {
  const { outcome, price, stakeUsd, shares, hedgedShares, fills, firstFillAt, lastFillAt } = entry
  const whole = (value: number) => Math.round(value * 1e6)
  return [
    ...[outcome, hedge, fills, firstFillAt, lastFillAt, whole(price)],
    ...[whole(stakeUsd), whole(shares), whole(hedgedShares)],
  ]
}

function entriesBy(world: World, wallet: Wallet): ReadonlyMap<MarketId, ReadonlyArray<unknown>> {
  const range = { from: -Infinity, to: world.options.origin }
  const acts = numbered(actsOf(world.deeds(wallet, range, Infinity)))
  const found = new Map<MarketId, ReadonlyArray<unknown>>()
  for (const [marketId, inMarket] of Map.groupBy(acts, (act) => act.marketId)) {
    const market = world.catalogue.byId(marketId)
    if (market === undefined) throw new Error(`${marketId} is unknown`)
    const { entries, uncoveredShares } = entriesOf(inMarket, market.tokenIds)
    deepStrictEqual(uncoveredShares, 0)
    if (entries.length > 0) found.set(marketId, entries.map((entry) => told(entry, isHedge(entry))))
  }
  return found
}

/** Episodes of markets that nothing more happens in after the origin. */
function over(world: World, wallet: Wallet): ReadonlyArray<Episode> {
  const { origin } = world.options
  return world.truth.episodes(wallet, -Infinity, origin)
    .filter(({ market }) => market.resolvedAt <= origin)
}

Deno.test("entries of a thousand wallets are those they set out to make", () => {
  let [wallets, entries, hedges] = [0, 0, 0]
  for (let seed = 1; wallets < 1_000; seed++) {
    const world = makeWorld({ seed, markets: 60, walletDays: 40 })
    for (const wallet of world.wallets) {
      const found = entriesBy(world, wallet)
      const truth = Map.groupBy(over(world, wallet), ({ market }) => market.id)
      wallets += 1
      for (const [marketId, episodes] of truth) {
        entries += episodes.length
        hedges += episodes.filter(({ hedge }) => hedge).length
        deepStrictEqual(
          found.get(marketId),
          episodes.map((episode) => told(episode, episode.hedge)),
          `${wallet.group.habit} ${wallet.number} of seed ${seed}`,
        )
      }
    }
  }
  ok(entries > 20_000 && hedges > 2_000, `${entries} entries, ${hedges} hedges`)
})
