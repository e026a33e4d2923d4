/**
 * Wallets without skill that keep the feed of `deno task dev` moving: from a given time on, one of them
 * buys every 40 seconds.
 *
 * A history at this pace would be long to read, so it begins shortly before the start of the process.
 *
 * @module
 */
import { type EpochMs, minute, second } from "../../core/domain/time.ts"
import { slotsOf } from "./catalogue.ts"
import { type Activity, costOf } from "./plans.ts"
import { between, hex, type Key, mix, pick, uniform } from "./seed.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

export const crowdEveryMs = 40 * second
/** Markets that a wallet looks at before it gives up. */
const looksMax = 12
const prices = { low: 0.1, high: 0.9 }
const stakesUsd = { low: 1_200, high: 6_000 }

/** What a wallet of the crowd buys in `[from, to]`, newest first. */
export function crowdActivity(
  world: World,
  wallet: Wallet,
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
): ReadonlyArray<Activity> {
  const members = world.wallets.filter(({ group }) =>
    group.strategy === "bettor" && group.edge === 0
  )
  const rows: Array<Activity> = []
  for (let n = Math.floor(to / crowdEveryMs); n * crowdEveryMs >= from; n--) {
    const key = mix(mix(0xc40d, world.options.seed), n)
    const at = n * crowdEveryMs
    const bought = pick(mix(key, 1), members) === wallet ? purchase(world, wallet, at, key) : null
    if (bought !== null) rows.push(bought)
  }
  return rows
}

function purchase(world: World, wallet: Wallet, at: EpochMs, key: Key): Activity | null {
  for (let look = 0; look < looksMax; look++) {
    const slot = mix(key, 10 + look) % slotsOf(world.options).ordinary
    const market = world.catalogue.at(slot, at)
    const quote = at < market.revealsAt - minute ? world.quote(market, at) : null
    if (quote === null || quote.fault !== "none") continue
    const outcome = uniform(mix(key, 2)) < 0.5 ? 0 : 1
    const price = costOf(quote, outcome)
    if (price < prices.low || price > prices.high) continue
    const stakeUsd = between(mix(key, 3), stakesUsd.low, stakesUsd.high)
    const size = Math.round(stakeUsd / price)
    const transaction = `0x${hex(mix(key, 4), 64)}`
    return { kind: "buy", wallet, market, outcome, size, price, at, transaction }
  }
  return null
}
