/**
 * Which calibrated wallets are published, the row of a wallet, when it becomes a new calibration, and
 * the calibration of an entry.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { isoTime } from "../../../src/core/domain/time.ts"
import { FrozenCalibration } from "../../../src/feed/domain/item.ts"
import type { Rates } from "../../../src/whales/domain/rates.ts"
import {
  calibrationBefore,
  calibrationTable,
  freeze,
  matchingRows,
  publishable,
  rowChanges,
  tableRowsMax,
  whaleFacts,
  WhaleRow,
  whaleRow,
} from "../../../src/whales/domain/whale.ts"
import { law } from "../../support/effect.ts"
import { now } from "../../support/movers/market.ts"
import { whaleRow as anyRow } from "../../support/products.ts"
import { trackedWallet } from "../../support/whales/entries.ts"

Deno.test("publishable() returns the wallets with 30 resolved entries, by stake", () => {
  const rows = [
    anyRow({ wallet: "0xa", resolved: 30, stakeUsd: 5, winRate: 0.9 }),
    anyRow({ wallet: "0xb", resolved: 29, stakeUsd: 50 }),
    anyRow({ wallet: "0xc", resolved: 31, stakeUsd: 9, winRate: 0.1 }),
    anyRow({ wallet: "0xd", resolved: 400, stakeUsd: 5, winRate: 0.2 }),
  ]
  equal(publishable(rows).map(({ wallet }) => wallet), ["0xc", "0xa", "0xd"])
  ok(publishable(rows).every(Schema.is(WhaleRow)))
  equal(publishable([]), [])
})

Deno.test("calibrationTable() is null without a publishable row, and dated by the newest", () => {
  const whales = [1, 3, 2].map((computedAt) => ({
    computedAt,
    row: anyRow({ wallet: `0x${computedAt}` }),
  }))
  strictEqual(calibrationTable(whales)?.computedAt, 3)
  strictEqual(calibrationTable([]), null)
  strictEqual(calibrationTable([{ computedAt: 1, row: anyRow({ resolved: 29 }) }]), null)
})

const someRows = Arbitrary.schema(Schema.Struct({
  labels: Schema.Array(FrozenCalibration.fields.label).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(12),
  ),
  label: Schema.NullOr(FrozenCalibration.fields.label),
  wallet: Schema.NullOr(Schema.Literals(["0xA0", "0xA3", "0xZ"])),
  limit: Schema.NullOr(Schema.Literals([1, 2, 5])),
}))

law(
  "matchingRows() has the matching rows with the largest stakes, and counts the others",
  someRows,
  ({ labels, ...filter }) => {
    const table = calibrationTable(labels.map((label, n) => ({
      computedAt: n,
      row: anyRow({ wallet: `0xa${n}`, stakeUsd: (7 * n) % 11, label }),
    })))
    if (table === null) return false
    const matching = table.wallets
      .filter(({ label }) => filter.label === null || label === filter.label)
      .filter(({ wallet }) => filter.wallet === null || wallet === filter.wallet.toLowerCase())
    const found = matchingRows(table, filter)
    const wallets = found?.wallets ?? []
    equal(wallets, matching.slice(0, filter.limit ?? matching.length))
    equal(wallets.length + (found?.omitted ?? 0), matching.length)
    return true
  },
)

Deno.test("matchingRows() has a limit of its own", () => {
  const table = calibrationTable(Array.from({ length: tableRowsMax + 3 }, (_, n) => ({
    computedAt: n,
    row: anyRow({ wallet: `0x${n}`, stakeUsd: n }),
  })))
  const all = { label: null, wallet: null, limit: null }
  const found = table === null ? null : matchingRows(table, all)
  equal([found?.wallets.length, found?.omitted], [tableRowsMax, 3])
})

Deno.test("calibrationTable() rounds rates to a hundredth of a percent and USD to the cent", () => {
  const third = 1 / 3
  const band = {
    ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 84 },
    ...{ meanEntryPrice: third, winRate: third, winRateLow: third, winRateHigh: third },
    ...{ followRoi: -third, fadeRoi: third },
  }
  const rates = { winRate: third, winRateLow: third, winRateHigh: third, meanEntryPrice: third }
  const returns = { fadeRoi: third, mirrorRoi: -third, edge: third, edgeLow: -third }
  const row = anyRow({
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

const rates: Rates = {
  resolved: 60,
  events: 40,
  cancelled: 2,
  stakeUsd: 120_000,
  winRate: 0.6,
  winRateLow: 0.47,
  winRateHigh: 0.71,
  meanEntryPrice: 0.52,
  edge: 0.08,
  edgeLow: -0.02,
  edgeHigh: 0.18,
  followRoi: 0.11,
  fadeRoi: -0.14,
  oddsBands: [],
  intervals: {
    ...{ followRoiLow: -0.1, followRoiHigh: 0.3, fadeRoiLow: -0.3, fadeRoiHigh: 0.1 },
    effectiveEntries: 20,
  },
  sweeps: { entries: 0, stakeUsd: 0, meanEntryPrice: null, winRate: null, followRoi: null },
}
const facts = whaleFacts(trackedWallet(), 3)
const row = whaleRow("0xaaaa", rates, "neutral", facts)
const stored = [{ computedAt: now, row }]
const later = now + 1

Deno.test("whaleRow() and freeze() match their schemas", () => {
  equal(Schema.decodeUnknownSync(WhaleRow)(row), row)
  const frozen = freeze({ computedAt: now, row })
  equal(Schema.decodeUnknownSync(FrozenCalibration)(frozen), frozen)
  equal([frozen.followRoi, frozen.fadeRoi], [rates.followRoi, rates.fadeRoi])
  strictEqual(frozen.computedAt, isoTime(now))
})

law(
  "calibrationBefore() is the newest one strictly before, in any order",
  Arbitrary.schema(Schema.Struct({
    times: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 21 })),
  })),
  ({ times, at }) => {
    const given = calibrationBefore(times.map((computedAt) => ({ computedAt, row })), at)
    const before = times.filter((time) => time < at)
    equal(
      given?.computedAt ?? null,
      before.length === 0 ? null : isoTime(Math.max(...before)),
    )
  },
)

Deno.test("rowChanges() is empty when nothing changed", () => {
  const again = whaleRow("0xaaaa", structuredClone(rates), "neutral", facts)
  equal(rowChanges(stored, [again], later), { changed: [], removed: [] })
})

Deno.test("rowChanges() updates computedAt with any figure or the label, not with facts", () => {
  const wrote = (changed: Partial<WhaleRow>) =>
    rowChanges(stored, [{ ...row, ...changed }], later).changed
  for (
    const changed of [
      { label: "follow" as const },
      ...[{ resolved: 61 }, { edge: 0.081 }, { mirrorRoi: 0.12 }, { fadeRoi: -0.15 }],
      { sweeps: { ...row.sweeps, entries: 1 } },
    ]
  ) equal(wrote(changed), [{ computedAt: later, row: { ...row, ...changed } }])
  for (
    const changed of [
      { openEntries: 4 },
      { pseudonym: "Calm-Comet" },
      { marketMaker: true },
      { source: "profit" as const },
    ]
  ) equal(wrote(changed), [{ computedAt: now, row: { ...row, ...changed } }])
})

Deno.test("rowChanges() adds the row of a new wallet, and removes the row of one without a label", () => {
  equal(rowChanges([], [row], later), { changed: [{ computedAt: later, row }], removed: [] })
  equal(rowChanges(stored, [], later), { changed: [], removed: ["0xaaaa"] })
})
