/**
 * Lines and rows of a price file: what is read, and why a row is not.
 *
 * @module
 */
import { deepStrictEqual, strictEqual } from "node:assert"
import { Result } from "effect"
import { priceRow } from "../../../src/backtest/domain/priceRow.ts"
import { lineReader, missingColumns, timeOf } from "../../../src/backtest/domain/tableText.ts"
import { rowOrder } from "../../../src/backtest/domain/rowOrder.ts"

const good = { market: "m", time: "2026-03-02T00:00:00Z", bid: "0.4", ask: "0.5" }
const fault = (fields: Record<string, unknown>) =>
  Result.match(priceRow({ ...good, ...fields }), {
    onFailure: (why) => why,
    onSuccess: () => "used",
  })

Deno.test("priceRow() reads a row of text or of JSON alike", () => {
  const expected = {
    ...{ market: "m", event: "m", at: Date.UTC(2026, 2, 2), mid: 0.45, spread: 0.5 - 0.4 },
    ...{ depthUsd: null, volumeUsd: null, endsAt: null, resolution: null },
  }
  deepStrictEqual(Result.getOrThrow(priceRow(good)), expected)
  const json = { ...good, time: 1_772_409_600, bid: 0.4, ask: 0.5, event: null }
  deepStrictEqual(Result.getOrThrow(priceRow(json)), expected)
})

Deno.test("priceRow() says why it refuses a row", () => {
  strictEqual(fault({}), "used")
  strictEqual(fault({ market: "" }), "no_market")
  strictEqual(fault({ time: "yesterday" }), "bad_time")
  strictEqual(fault({ time: undefined }), "bad_time")
  strictEqual(fault({ bid: "1.2" }), "bad_price")
  strictEqual(fault({ bid: "x" }), "bad_price")
  strictEqual(fault({ bid: "" }), "bad_price")
  strictEqual(fault({ bid: "", mid: "0.3" }), "used")
  strictEqual(fault({ bid: "", ask: "", resolution: "1" }), "used")
  strictEqual(fault({ resolution: "2" }), "bad_price")
  strictEqual(fault({ bid: "0.5" }), "crossed")
  strictEqual(fault({ depthUsd: "much" }), "bad_number")
  strictEqual(fault({ endTime: "soon" }), "bad_number")
})

Deno.test("timeOf() reads seconds, milliseconds and ISO 8601, without a zone as UTC", () => {
  const at = Date.UTC(2026, 2, 2, 3, 4)
  for (
    const text of [
      ...[at, at / 1_000, String(at), "2026-03-02T03:04Z", "2026-03-02 03:04:00"],
      ...["2026-03-02T03:04:00+00:00", "2026-03-02T05:04:00+02:00"],
    ]
  ) {
    strictEqual(timeOf(text), at, String(text))
  }
  strictEqual(timeOf("2026-03-02"), Date.UTC(2026, 2, 2))
})

Deno.test("lineReader() reads CSV with quotes, and JSON lines", () => {
  const csv = lineReader('\uFEFFmarket,time,"mid"')
  deepStrictEqual(csv.header, ["market", "time", "mid"])
  const fields = csv.read('"a, ""b""",,.5')
  deepStrictEqual(fields, Result.succeed({ market: 'a, "b"', time: "", mid: ".5" }))
  deepStrictEqual(csv.read("a,b"), Result.fail("wrong_column_count"))
  const json = lineReader('{"market":"a"}')
  deepStrictEqual(json.read('{"market":"a"}'), Result.succeed({ market: "a" }))
  for (const line of ["[]", "null", "{", "3"]) {
    deepStrictEqual(json.read(line), Result.fail("not_json"))
  }
})

Deno.test("missingColumns() names the alternatives", () => {
  deepStrictEqual(missingColumns([["market"], ["mid", "bid"]], ["market"]), ["mid or bid"])
  deepStrictEqual(missingColumns([["market"], ["mid", "bid"]], ["bid", "market"]), [])
})

Deno.test("rowOrder() finds blocks of markets", () => {
  const rows = (...of: ReadonlyArray<readonly [string, number]>) =>
    rowOrder(of.map(([market, at]) => ({ market, at })))
  strictEqual(rows(["a", 1], ["a", 2], ["b", 1], ["b", 2]), "market")
  strictEqual(rows(["a", 1], ["b", 1], ["a", 2], ["b", 2]), "time")
  strictEqual(rows(["a", 1], ["a", 2], ["b", 3]), "time")
  strictEqual(rows(["a", 1], ["b", 0]), "time")
})
