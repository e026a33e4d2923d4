/**
 * The speed and the peak memory of `deno task backtest` over a million rows.
 *
 *     deno run -A --no-check bench/backtest.ts [markets] [ticks]
 *
 * The file has 500 markets at 2,000 ticks of ten minutes, in order of time: random walks on the logit
 * scale that jump now and then. Peak memory is that of this process, which wrote the file before.
 *
 * @module
 */
import process from "node:process"
import { Effect } from "effect"
import { backtestPrices } from "../src/backtest/prices.ts"
import { minute } from "../src/core/domain/time.ts"
import { gaussian, mix, uniform } from "../src/venues/simulated/seed.ts"

const markets = Number(Deno.args[0] ?? 500)
const ticks = Number(Deno.args[1] ?? 2_000)
const tickIntervalMs = 10 * minute
const jumpShare = 1 / 300

const logits = Array.from({ length: markets }, (_, n) => 3 * (uniform(mix(1, n)) - 0.5))

function rowsOf(tick: number): string {
  const at = Date.UTC(2026, 0, 1) + tick * tickIntervalMs
  return logits.map((before, n) => {
    const key = mix(mix(2, n), tick)
    const size = uniform(mix(key, 1)) < jumpShare ? 0.6 : 0.01
    const next = Math.max(-5, Math.min(5, before + size * gaussian(mix(key, 2))))
    logits[n] = next
    const mid = 1 / (1 + Math.exp(-next))
    const [bid, ask] = [Math.max(0, mid - 0.005), Math.min(1, mid + 0.005)]
    return `market-${n},event-${n >> 1},${at},${bid.toFixed(4)},${ask.toFixed(4)}\n`
  }).join("")
}

const folder = await Deno.makeTempDir()
Deno.chdir(folder)
const file = await Deno.open("rows.csv", { create: true, write: true })
const writer = file.writable.getWriter()
const encoder = new TextEncoder()
await writer.write(encoder.encode("market,event,time,bid,ask\n"))
for (let tick = 0; tick < ticks; tick++) await writer.write(encoder.encode(rowsOf(tick)))
await writer.close()

const before = process.cpuUsage()
await Effect.runPromise(backtestPrices({
  ...{ kind: "prices", file: "rows.csv", tickIntervalMs, order: null, withBins: false },
  from: Number.NEGATIVE_INFINITY,
}))
const { user, system } = process.cpuUsage(before)
const cpu = ((user + system) / 1e6).toFixed(1)
const peak = Math.round(process.resourceUsage().maxRSS / 1024)
await Deno.stdout.write(
  encoder.encode(`${markets * ticks} rows, ${cpu} CPU s, peak memory ${peak} MB\n`),
)
Deno.chdir("/")
await Deno.remove(folder, { recursive: true })
