/**
 * The invented price file of `fixtures/backtest`: three markets over two days. The price of `harbour`
 * jumps and stays, that of `ferry` has one stray quote and a move that goes back within an hour, and
 * that of `lantern` runs to 1 and is paid.
 *
 *     deno run tests/support/backtest/prices.ts > fixtures/backtest/prices.csv
 *
 * @module
 */
import { isoTime, minute } from "../../../src/core/domain/time.ts"

const from = Date.UTC(2026, 2, 2)
const ticks = 288
const paidAtTick = 230

interface ExampleMarket {
  readonly market: string
  readonly event: string
  readonly spread: number
  readonly depthUsd: number
  readonly price: (tick: number) => number
}

const noise = (tick: number, speed: number) =>
  0.003 * Math.sin(tick * speed) + 0.002 * Math.sin(tick * (speed + 1.4) + 1)

const markets: ReadonlyArray<ExampleMarket> = [
  {
    ...{ market: "harbour-reopens-in-march", event: "harbour", spread: 0.01, depthUsd: 9_000 },
    price: (tick) => 0.42 + noise(tick, 1.3) + 0.08 * Math.min(2, Math.max(0, tick - 149)),
  },
  {
    ...{ market: "ferry-line-starts-in-april", event: "ferry", spread: 0.02, depthUsd: 4_000 },
    price: (tick) =>
      0.55 + noise(tick, 1.7) + (tick === 160 ? 0.12 : 0) - (tick >= 200 && tick < 206 ? 0.11 : 0),
  },
  {
    ...{ market: "lantern-festival-is-held", event: "lantern", spread: 0.01, depthUsd: 12_000 },
    price: (tick) =>
      Math.min(0.985, 0.8 + noise(tick, 1.1) + 0.03 * Math.min(6, Math.max(0, tick - 179))),
  },
]

const header = "market,event,time,bid,ask,depthUsd,volume24hUsd,endTime,resolution"

function row({ market, event, spread, depthUsd, price }: ExampleMarket, tick: number): string {
  const bid = price(tick) - spread / 2
  const ends = event === "lantern"
  return [
    market,
    event,
    isoTime(from + tick * 10 * minute),
    bid.toFixed(3),
    (bid + spread).toFixed(3),
    depthUsd,
    20_000 + 10 * tick,
    ends ? "2026-03-03T15:00:00.000Z" : "",
    ends && tick === paidAtTick ? 1 : "",
  ].join(",")
}

/** The text of the file. */
export function examplePrices(): string {
  const rows = Array.from({ length: ticks }, (_, tick) =>
    markets
      .filter(({ event }) => event !== "lantern" || tick <= paidAtTick)
      .map((market) => row(market, tick)))
  return [header, ...rows.flat(), ""].join("\n")
}

if (import.meta.main) await Deno.stdout.write(new TextEncoder().encode(examplePrices()))
