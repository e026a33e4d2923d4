/**
 * The invented file of entries of `fixtures/backtest`: Wise wins 20 points more often than its prices,
 * Plain as often, and Late buys what is almost decided.
 *
 *     deno run tests/support/backtest/entries.ts > fixtures/backtest/entries.csv
 *
 * @module
 */
import { day, isoTime } from "../../../src/core/domain/time.ts"
import { mix, uniform } from "../../../src/venues/simulated/seed.ts"

const from = Date.UTC(2026, 2, 2)

const wallets = [
  { wallet: "0xwise", prices: [0.3, 0.7], edge: 0.2 },
  { wallet: "0xplain", prices: [0.3, 0.7], edge: 0 },
  { wallet: "0xlate", prices: [0.95, 0.99], edge: 0 },
] as const

export function exampleEntries(): string {
  const rows = wallets.flatMap(({ wallet, prices: [low, high], edge }, w) =>
    Array.from({ length: 240 }, (_, n) => {
      const key = mix(mix(7, w), n)
      const price = Math.round(100 * (low + (high - low) * uniform(mix(key, 1)))) / 100
      const payout = uniform(mix(key, 2)) < price + edge ? 1 : 0
      const stakeUsd = Math.round(100 + 900 * uniform(mix(key, 3)))
      const [time, endTime] = [isoTime(from + n * day / 4), isoTime(from + (n / 4 + 2) * day)]
      const outcome = uniform(mix(key, 4)) < 0.5 ? "Yes" : "No"
      return [wallet, `m${w}-${n}`, `e${w}-${n}`, outcome, price, stakeUsd, time, payout, endTime]
        .join(",")
    })
  )
  const header = "wallet,market,event,outcome,price,stakeUsd,time,payout,endTime"
  return [header, ...rows, ""].join("\n")
}

if (import.meta.main) await Deno.stdout.write(new TextEncoder().encode(exampleEntries()))
