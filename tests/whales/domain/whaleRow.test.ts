/**
 * The row of a wallet, when it counts as another calibration, and what an entry is given of it.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Arbitrary, Schema } from "effect"
import type { Rates } from "../../../src/whales/domain/rates.ts"
import { isoTime } from "../../../src/core/domain/time.ts"
import { WhaleRow } from "../../../src/whales/domain/whale.ts"
import { FrozenCalibration } from "../../../src/feed/domain/item.ts"
import {
  calibrationBefore,
  freeze,
  rewritten,
  saysStill,
  whaleFacts,
  whaleRow,
} from "../../../src/whales/domain/whaleRow.ts"
import { law } from "../../support/effect.ts"
import { trackedWallet } from "../../support/whales/entries.ts"
import { now } from "../../support/movers/market.ts"

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
}
const facts = whaleFacts(trackedWallet(), 3)
const row = whaleRow("0xaaaa", rates, "neutral", facts)
const held = new Map([["0xaaaa", { computedAt: now, row }]])
const later = now + 1
const known = (fields: Partial<typeof facts> = {}) => new Map([["0xaaaa", { ...facts, ...fields }]])
const label = (of: WhaleRow["label"]) => new Map([["0xaaaa", of]])

Deno.test("whaleRow() is a row of the table, and freeze() what an item carries", () => {
  equal(Schema.decodeUnknownSync(WhaleRow)(row), row)
  const frozen = freeze({ computedAt: now, row })
  equal(Schema.decodeUnknownSync(FrozenCalibration)(frozen), frozen)
  equal([frozen.followRoi, frozen.fadeRoi], [rates.followRoi, rates.fadeRoi])
  strictEqual(frozen.computedAt, isoTime(now))
})

law(
  "calibrationBefore() is the newest that stood strictly before, in whatever order they are held",
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

Deno.test("rewritten() writes nothing while nothing is new", () => {
  ok(saysStill(row, { pValue: 0.4, ...rates }))
  equal(rewritten(held, label("neutral"), new Map(), known(), later), { changed: [], gone: [] })
})

Deno.test("rewritten() dates a row anew with its figures or its label, not with its facts", () => {
  const wrote = (...given: [Map<string, WhaleRow["label"]>, Map<string, Rates>, typeof facts]) => {
    const [labels, rates, facts] = given
    const { changed } = rewritten(held, labels, rates, new Map([["0xaaaa", facts]]), later)
    strictEqual(changed.length, 1)
    return changed[0]
  }
  const figures = new Map([["0xaaaa", { ...rates, resolved: 61 }]])
  equal(wrote(label("neutral"), figures, facts)?.computedAt, later)
  equal(wrote(label("follow"), new Map(), facts), {
    computedAt: later,
    row: { ...row, label: "follow" },
  })
  for (
    const other of [
      { openEntries: 4 },
      { pseudonym: "Calm-Comet" },
      { marketMaker: true },
      { source: "profit" as const },
    ]
  ) {
    equal(wrote(label("neutral"), new Map(), { ...facts, ...other }), {
      computedAt: now,
      row: { ...row, ...other },
    })
  }
})

Deno.test("rewritten() adds the row of a wallet that had none, and takes that of one not judged", () => {
  const added = rewritten(new Map(), label("fade"), new Map([["0xaaaa", rates]]), known(), later)
  equal(added, { changed: [{ computedAt: later, row: { ...row, label: "fade" } }], gone: [] })
  equal(rewritten(held, new Map(), new Map(), known(), later), { changed: [], gone: ["0xaaaa"] })
})

Deno.test("saysStill() tells a row whose figures are others by now", () => {
  for (const moved of [{ edge: 0.081 }, { followRoi: 0.12 }, { fadeRoi: -0.15 }]) {
    ok(!saysStill(row, { pValue: 0.4, ...rates, ...moved }))
  }
})
