/**
 * What the calibration of wallets finds in worlds whose skill is known: false labels where results
 * depend on each other, the power that is left, the coverage of the shrunk edge, and what a ranking by
 * it is worth on later bets.
 *
 *     deno task bench:skill [worlds, 100]
 *
 * @module
 */
import { Console, Effect } from "effect"
import { day } from "../src/core/domain/time.ts"
import {
  dailyWorld,
  isEverLabelled,
  labelsAt,
  monthlyWorld,
  worldOf,
  type WorldPlan,
} from "../tests/support/whales/fairWorld.ts"
import { plantedEdges, rankedEdges } from "../tests/support/whales/plantedSkill.ts"
import { benchArguments, count } from "./needs.ts"

const { worlds } = await benchArguments("skill", { worlds: count("worlds", 100) })
const looks = 28
const seeds = Array.from({ length: worlds }, (_, n) => n + 1)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const print = (line: string) => Effect.runSync(Console.log(line))

/** The share of worlds without skill in which a wallet has a label at any look. */
function labelledWorlds(plan: Pick<WorldPlan, "rho" | "persistence">): string {
  const rows = Object.entries({ monthly: monthlyWorld, daily: dailyWorld }).map(
    ([name, cadence]) => {
      const labelled = seeds.filter((seed) =>
        isEverLabelled(
          { wallets: 100, edgeOf: () => 0, prices: [0.02, 0.94], seed, ...plan, ...cadence },
          looks,
        )
      ).length
      return `${name} ${percent(labelled / worlds)}`
    },
  )
  return `${looks} looks: worlds with a label ${rows.join(", ")}`
}

for (const rho of [0, 0.02, 0.05, 0.1, 0.3]) {
  print(`no skill, rho ${rho}, ${labelledWorlds({ rho })}`)
}

for (const persistence of [0.9, 0.97, 0.99]) {
  const found = labelledWorlds({ rho: 0.1, persistence })
  print(`no skill, rho 0.1 of a factor that keeps ${persistence} a day, ${found}`)
}

for (const [name, cadence] of Object.entries({ monthly: monthlyWorld, daily: dailyWorld })) {
  for (const edge of [0.08, 0.15, 0.25]) {
    let [found, wrong] = [0, 0]
    const some = seeds.slice(0, Math.ceil(worlds / 10))
    for (const seed of some) {
      const edgeOf = (wallet: number) => wallet < 20 ? edge : 0
      const plan = { wallets: 100, rho: 0, edgeOf, prices: [0.3, 0.7], seed, ...cadence } as const
      for (const [wallet, label] of labelsAt(worldOf(plan), [1_000 * day])[0] ?? []) {
        if (label === "neutral") continue
        if (Number(wallet) < 20 && label === "follow") found += 1
        else wrong += 1
      }
    }
    print(
      `20 of 100 with an edge of ${edge}, ${name}: ${
        percent(found / some.length / 20)
      } found, ${wrong} false labels`,
    )
  }
}

for (const [name, edgeOf] of Object.entries(plantedEdges)) {
  const { covered, shrunk, winRate, profit } = rankedEdges(edgeOf, worlds)
  print(
    `skill ${name}: 90 % interval covers ${
      percent(covered)
    }; later edge of the ten ranked first, cents: ` +
      `shrunk ${shrunk.toFixed(2)}, win rate ${winRate.toFixed(2)}, profit ${profit.toFixed(2)}`,
  )
}
