/**
 * Labels and shrunk edges against known skill: in worlds without skill a proven label hardly ever stands
 * at any look, whatever results have in common; skilled wallets are found; and the interval of the
 * shrunk edge covers the true one. `deno task bench:skill` has the figures of full size.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { day } from "../../src/core/domain/time.ts"
import {
  dailyWorld,
  isEverLabelled,
  labelsAt,
  monthlyWorld,
  worldOf,
} from "../support/whales/fairWorld.ts"
import { plantedEdges, rankedEdges } from "../support/whales/plantedSkill.ts"
import { sized } from "../support/size.ts"

const looks = 28
const unskilled = sized({ short: { worlds: 3, wallets: 15 }, full: { worlds: 20, wallets: 50 } })

for (const rho of [0, 0.02, 0.05, 0.1, 0.3]) {
  Deno.test(`at ${looks} looks at worlds without skill, whose results share a factor of ${rho}, 5 % have a label`, () => {
    const { worlds, wallets } = unskilled
    const fair = { wallets, rho, edgeOf: () => 0, prices: [0.02, 0.94] } as const
    const labelled = Array.from(
      { length: worlds },
      (_, seed) => isEverLabelled({ ...fair, ...monthlyWorld, seed: seed + 1 }, looks),
    ).filter((any) => any).length
    // Three standard errors.
    const most = worlds * 0.05 + 3 * Math.sqrt(worlds * 0.05 * 0.95)
    ok(labelled <= most, `${labelled} of ${worlds} worlds`)
  })
}

Deno.test("of wallets with 8 points of edge and a bet a day for 600 days, 60 % are proven, and few others", () => {
  const { worlds, wallets } = sized({
    short: { worlds: 1, wallets: 25 },
    full: { worlds: 20, wallets: 100 },
  })
  const edgeOf = (wallet: number) => wallet < wallets / 5 ? 0.08 : 0
  let [found, wrong] = [0, 0]
  for (let seed = 1; seed <= worlds; seed++) {
    const world = worldOf({ wallets, rho: 0, edgeOf, prices: [0.3, 0.7], seed, ...dailyWorld })
    for (const [wallet, label] of labelsAt(world, [1_000 * day])[0] ?? []) {
      if (label === "neutral") continue
      if (Number(wallet) < wallets / 5 && label === "follow") found += 1
      else wrong += 1
    }
  }
  const all = worlds * wallets / 5
  ok(found / all >= 0.6 - 3 * Math.sqrt(0.6 * 0.4 / all), `${found} of ${all}`)
  ok(wrong <= 0.05 * (found + wrong) + 3 * Math.sqrt(0.05 * (found + wrong)), `${wrong} wrong`)
})

const ranked = sized({ short: 4, full: 60 })

for (const [name, edgeOf] of Object.entries(plantedEdges)) {
  Deno.test(`the interval of the shrunk edge covers 87 to 93 % of true edges, and ranks best: ${name}`, () => {
    const { covered, shrunk, winRate, profit } = rankedEdges(edgeOf, ranked)
    const chance = 3 * Math.sqrt(0.09 / (100 * ranked))
    ok(covered >= 0.87 - chance && covered <= 0.93 + chance, `${covered}`)
    ok(shrunk > winRate && shrunk > profit, `${shrunk} ${winRate} ${profit}`)
  })
}
