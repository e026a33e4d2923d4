/**
 * The cost of each chart on data of usual size: milliseconds the first time and warm, and bytes.
 *
 *     deno task bench:charts
 *
 * @module
 */
import { Console, Effect } from "effect"
import {
  calibrationChart,
  countsChart,
  daysChart,
  intervalChart,
  priceChart,
  sparkline,
} from "../src/http/pages/charts/charts.ts"
import { signedPercent } from "../src/http/pages/parts.tsx"
import { sampleAt, sampleScorecard } from "../src/catalog/domain/sample.ts"

const rounds = 200
const record = sampleScorecard(sampleAt)
const isoOf = (minutes: number) => new Date(sampleAt + minutes * 60_000).toISOString()
const text = (prefix: string) => ({ prefix, title: "Measured", description: "A measured chart." })
const prices = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ at: isoOf(n), price: 0.5 + 0.4 * Math.sin(n / 40) }))

const charts: Readonly<Record<string, () => string | null>> = {
  calibration: () =>
    calibrationChart({
      ...text("calibration"),
      bands: record.oddsBands.map((band) => ({
        ...{ price: band.meanEntryPrice, winRate: band.winRate },
        ...{ low: band.winRateLow, high: band.winRateHigh, entries: band.entries },
      })),
    }),
  "intervals, 12 rows": () =>
    intervalChart({
      ...text("intervals"),
      rows: Array.from({ length: 12 }, (_, n) => ({
        ...{ label: `Row ${n}`, value: n / 50 - 0.1, low: n / 50 - 0.2, high: n / 50 },
      })),
      baseline: { value: 0, label: "no return" },
      form: signedPercent,
    }),
  "counts, 4 rows": () =>
    countsChart({
      ...text("counts"),
      rows: Array.from({ length: 4 }, (_, n) => ({
        label: `Row ${n}`,
        parts: [{ name: "right", count: 30 + n, tone: "good" }, {
          ...{ name: "wrong", count: 5, tone: "bad" },
        }],
      })),
    }),
  "sparkline, 48 points": () =>
    sparkline({
      ...text("spark"),
      points: prices(48).map(({ at, price }) => ({ at, value: price })),
    }),
  "price, 1,000 points, 5 items": () =>
    priceChart({
      ...text("price"),
      points: prices(1_000),
      items: [100, 300, 500, 700, 900].map((minutes) => ({ at: isoOf(minutes) })),
    }),
  "days, 90": () =>
    daysChart({
      ...text("days"),
      days: Array.from({ length: 90 }, (_, n) => ({
        date: isoOf(n * 1_440).slice(0, 10),
        state: n % 30 === 0 ? "failed" : n < 10 ? "unknown" : "ok",
      })),
    }),
}

const timed = <A>(work: () => A): readonly [number, A] => {
  const from = performance.now()
  const made = work()
  return [performance.now() - from, made]
}

await Effect.runPromise(Effect.gen(function* () {
  for (const [name, draw] of Object.entries(charts)) {
    const [first, svg] = timed(draw)
    const [all] = timed(() => Array.from({ length: rounds }, draw))
    yield* Console.log(
      `${name}: first ${first.toFixed(1)} ms, warm ${(all / rounds).toFixed(2)} ms, ` +
        `${svg?.length ?? 0} bytes`,
    )
  }
}))
