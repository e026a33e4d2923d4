/**
 * Labels at many looks against known skill: in worlds without skill a proven label hardly ever stands at
 * any look, and skilled wallets are found. At full size with the aims of docs/markets.md.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { fairWorld, labelsByLook, skilledWorld } from "../support/whales/fairWorld.ts"
import { sized } from "../support/size.ts"

const looks = 28
const unskilled = sized({ short: { worlds: 6, wallets: 40 }, full: { worlds: 100, wallets: 100 } })

Deno.test(`at ${looks} looks at ${unskilled.worlds} worlds without skill, 5 % have a proven label`, () => {
  const labelled = Array.from(
    { length: unskilled.worlds },
    (_, seed) =>
      labelsByLook(fairWorld(seed + 1, unskilled.wallets), looks)
        .some((given) => [...given.values()].some((label) => label !== "neutral")),
  )
    .filter((any) => any).length
  // Three standard errors.
  const most = unskilled.worlds * 0.05 + 3 * Math.sqrt(unskilled.worlds * 0.05 * 0.95)
  ok(labelled <= most, `${labelled} worlds`)
})

const skilled = sized({ short: { worlds: 1, wallets: 50 }, full: { worlds: 20, wallets: 100 } })

Deno.test("of wallets with 8 points of edge over 600 events, 60 % are proven, and few others", () => {
  let [found, wrong] = [0, 0]
  for (let seed = 1; seed <= skilled.worlds; seed++) {
    const [given] = labelsByLook(skilledWorld(seed, {}, skilled.wallets), 1)
    for (const [wallet, label] of given ?? []) {
      if (label === "neutral") continue
      if (Number(wallet) < skilled.wallets / 5 && label === "follow") found += 1
      else wrong += 1
    }
  }
  const all = skilled.worlds * skilled.wallets / 5
  ok(found / all >= 0.6 - 3 * Math.sqrt(0.6 * 0.4 / all), `${found} of ${all}`)
  ok(wrong <= 0.05 * (found + wrong) + 3 * Math.sqrt(0.05 * (found + wrong)), `${wrong} wrong`)
})
