/**
 * Published studies of prediction-market prices, recomputed with the code that bands and scores
 * entries.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert"
import { Schema } from "effect"
import {
  addBandSums,
  bandEdges,
  bandOf,
  type BandSums,
  entrySums,
  meanPriceOf,
  noBandSums,
  publishedBands,
  roisOf,
  winRateOf,
} from "../src/whales/domain/oddsBands.ts"
import { hasRecordings, recorded, recordingsDir, registerSkipped } from "./support/venues/oracle.ts"

/** Rows of a CSV file as records; fields may be quoted. */
function table(path: string): ReadonlyArray<Readonly<Record<string, string>>> {
  const text = Deno.readTextFileSync(recordingsDir + path)
  const rows: Array<Array<string>> = [[]]
  for (
    const [, quoted, plain = "", end] of text.matchAll(
      /(?:"((?:[^"]|"")*)"|([^,\n\r]*))(,|\r?\n|$)/g,
    )
  ) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ",") rows.push([])
  }
  const [header = [], ...body] = rows
  return body
    .filter((row) => row.length === header.length)
    .map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ""])))
}

/** The sums of `times` identical entries. */
function repeated(times: number, part: BandSums): BandSums {
  const scaled: Record<keyof BandSums, number> = { ...part }
  for (const key of Object.keys(part) as Array<keyof BandSums>) scaled[key] = times * part[key]
  return scaled
}

/** Groups entries, with their wins, into the bands between `edges`. */
function groupByBand(
  prices: ReadonlyArray<
    { readonly price: number; readonly entries: number; readonly wins: number }
  >,
  edges: ReadonlyArray<number>,
): ReadonlyArray<BandSums> {
  const bands = edges.slice(1).map(() => noBandSums)
  for (const { price, entries, wins } of prices) {
    const band = bandOf(price, edges)
    bands[band] = [
      repeated(wins, entrySums(price, 1, 1, 0)),
      repeated(entries - wins, entrySums(price, 1, 0, 0)),
    ].reduce(addBandSums, bands[band] ?? noBandSums)
  }
  return bands
}

const near = (a: number, b: number, tolerance: number) =>
  ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`)

function forecasts(): ReadonlyArray<
  { readonly id: string; readonly sums: BandSums; readonly price: number }
> {
  return table("forecastbench/market_calibration_joined.csv")
    .filter((row) => row["source"] === "polymarket" && row["resolved"] === "True")
    .map((row) => {
      const price = Number(row["freeze_price"])
      return {
        id: row["id"] ?? "",
        price,
        sums: entrySums(price, 1, Number(row["resolved_to"]), 0),
      }
    })
}

const LMarque = Schema.decodeUnknownSync(Schema.Struct({
  full_sample: Schema.Struct({
    n_trades: Schema.Int,
    hit_rate_pct: Schema.Finite,
    roi_pct: Schema.Finite,
  }),
}))

/** ForecastBench's figures for its Polymarket markets by decile of price. */
const deciles: ReadonlyArray<readonly [mean: number, realised: number, count: number | null]> = [
  [0.0216, 0.011, 364],
  [0.139, 0.069, 73],
  [0.241, 0.23, null],
  [0.342, 0.265, null],
  [0.442, 0.321, null],
  [0.548, 0.559, null],
  [0.657, 0.692, null],
  [0.752, 0.757, null],
  [0.854, 0.815, null],
  [0.954, 1, 39],
]

function publicTests(): void {
  Deno.test("ForecastBench's 723 resolved Polymarket markets have the published deciles", () => {
    const all = forecasts()
    const first = [...new Map(all.toReversed().map((it) => [it.id, it])).values()]
    strictEqual(all.length, 975)
    strictEqual(first.length, 723)
    const edges = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    deciles.forEach(([mean, realised, count], i) => {
      const band = first
        .filter(({ price }) => bandOf(price, edges) === i)
        .map(({ sums }) => sums)
        .reduce(addBandSums, noBandSums)
      near(meanPriceOf(band), mean, 6e-4)
      near(winRateOf(band).winRate, realised, 6e-4)
      if (count !== null) strictEqual(band.entries, count)
    })
  })

  /** Becker's Kalshi trades by price in whole cents: 1 to 99. */
  const kalshi = (who: "taker" | "maker" | "combined") =>
    table("becker/mispricing_by_price.csv").map((row) => ({
      price: Number(row["price"]) / 100,
      entries: Number(row[`${who}_trades`]),
      wins: Number(row[`${who}_wins`]),
    }))

  Deno.test("Becker's Kalshi trades have the published win rate at every price and in bins of five cents", () => {
    const cents = Array.from({ length: 101 }, (_, i) => i / 100)
    const byCent = groupByBand(kalshi("combined"), cents)
    for (const row of table("becker/win_rate_by_price.csv")) {
      const band = byCent[Number(row["price"])]
      if (band === undefined || band.entries === 0) continue
      near(winRateOf(band).winRate, Number(row["win_rate"]) / 100, 1e-9)
    }
    // His bins are of the takers' prices and start above their edge: 1 to 5 cents, 6 to 10, …. They
    // include some trades at 0 and at fractions of a cent, which the table by price does not have.
    const fives = Array.from({ length: 21 }, (_, i) => (5 * i + 1) / 100)
    const byFive = groupByBand(kalshi("taker"), fives)
    table("becker/upset_frequency.csv").forEach((row, i) => {
      const band = byFive[i] ?? noBandSums
      near(winRateOf(band).winRate, Number(row["actual_win_rate"]) / 100, 2e-4)
    })
  })

  Deno.test("Becker's Kalshi takers lose most at long odds, and makers win most there", () => {
    const rois = (who: "taker" | "maker") =>
      publishedBands(groupByBand(kalshi(who), bandEdges), 1).map(({ followRoi }) => followRoi)
    // The return of a dollar on each trade, before fees.
    const published = {
      taker: [-0.383, -0.103, -0.042, -0.016, -0.002, -0.003],
      maker: [0.176, 0.015, 0.028, 0.026, 0.019, 0.017],
    }
    rois("taker").forEach((roi, i) => near(roi, published.taker[i] ?? NaN, 5e-4))
    rois("maker").forEach((roi, i) => near(roi, published.maker[i] ?? NaN, 5e-4))
  })

  // The study publishes only its significant bins, without mean prices, so neither the ten bins nor the
  // pooled Brier score (.1414) can be recomputed. The mean price of this bin follows from its win rate
  // (of No) and its miscalibration.
  Deno.test("l-marque's crypto bin has the published return", () => {
    const published = LMarque(recorded("lmarque/bot_verdict.json")).full_sample
    const losses = Math.round(published.n_trades * published.hit_rate_pct / 100)
    const wins = published.n_trades - losses
    const price = wins / published.n_trades + 0.1068
    const [band = noBandSums] = groupByBand([{ price, entries: published.n_trades, wins }], [
      0.5,
      0.6,
    ])
    // The study deducts 2 % for the round trip and 0.5 % for slippage.
    near((1 + (roisOf(band).fadeRoi ?? NaN)) / 1.025 - 1, published.roi_pct / 100, 0.005)
  })
}

if (hasRecordings) publicTests()
else registerSkipped("published studies of market prices", "../shared/data is missing")
