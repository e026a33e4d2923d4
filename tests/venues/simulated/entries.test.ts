/**
 * Entries computed from simulated activity, compared with the wallets' plans.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import {
  activityOfRows,
  computedEntries,
  trueEntries,
} from "../../support/whales/simulatedActivity.ts"
import { sized } from "../../support/size.ts"

const walletsMin = sized({ short: 100, full: 1_000 })

Deno.test(`the computed entries of ${walletsMin} wallets are exactly the planned ones`, () => {
  let [wallets, entries, hedges] = [0, 0, 0]
  for (let seed = 1; wallets < walletsMin; seed++) {
    const world = makeWorld({ seed, markets: 60, walletDays: 40 })
    const until = world.options.origin
    for (const wallet of world.wallets) {
      const rows = world.activity(wallet, { from: -Infinity, to: until })
      const truth = trueEntries(world, wallet, until)
      const byId = (all: typeof truth) => [...all].sort(([a], [b]) => a < b ? -1 : 1)
      deepStrictEqual(
        byId(computedEntries(world, activityOfRows(rows), until)),
        byId(truth),
        `${wallet.group.strategy} ${wallet.number} of seed ${seed}`,
      )
      const all = [...truth.values()].flat()
      wallets += 1
      entries += all.length
      hedges += all.filter(({ hedge }) => hedge).length
    }
  }
  ok(entries > 20 * walletsMin && hedges > 2 * walletsMin, `${entries} entries, ${hedges} hedges`)
})
