/**
 * Which calibrated wallets are published.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Schema } from "effect"
import {
  calibrationTable,
  publishable,
  tableRowsMax,
  WhaleRow,
} from "../../../src/whales/domain/whale.ts"
import { whaleRow } from "../../support/products.ts"

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

Deno.test("calibrationTable() keeps the largest stakes, and says how many found no place", () => {
  const whales = Array.from({ length: tableRowsMax + 3 }, (_, n) => ({
    computedAt: n,
    row: whaleRow({ wallet: `0x${n}`, stakeUsd: n, winRate: 1 - n / 1_000 }),
  }))
  const table = calibrationTable(whales)
  equal([table?.wallets.length, table?.omitted], [tableRowsMax, 3])
  equal([table?.wallets[0].stakeUsd, table?.wallets.at(-1)?.stakeUsd], [tableRowsMax + 2, 3])
  strictEqual(table?.computedAt, tableRowsMax + 2)
  strictEqual(calibrationTable([]), null)
  strictEqual(calibrationTable([{ computedAt: 1, row: whaleRow({ resolved: 29 }) }]), null)
})

Deno.test("calibrationTable() shows rates to a hundredth of a percent and USD to the cent", () => {
  const third = 1 / 3
  const band = {
    ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 84 },
    ...{ meanEntryPrice: third, winRate: third, winRateLow: third, winRateHigh: third },
    ...{ followRoi: -third, fadeRoi: third },
  }
  const rates = { winRate: third, winRateLow: third, winRateHigh: third, meanEntryPrice: third }
  const returns = { fadeRoi: third, mirrorRoi: -third, edge: third, edgeLow: -third }
  const row = whaleRow({
    ...rates,
    ...returns,
    edgeHigh: third,
    stakeUsd: 1_000 * third,
    oddsBands: [band],
  })
  const text = JSON.stringify(calibrationTable([{ computedAt: 0, row }]))
  strictEqual(/\.\d{5}/.exec(text), null)
  strictEqual([...text.matchAll(/0\.3333\b/g)].length, 15)
  match(text, /"stakeUsd":333\.33,/)
})
