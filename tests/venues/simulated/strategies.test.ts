/**
 * How simulated wallets trade: rows as planned, independent of how they are requested, and the planted
 * edge at the prices paid.
 *
 * @module
 */
import { Arbitrary, Schema } from "effect"
import { deepStrictEqual, ok } from "node:assert/strict"
import { type Activity, fillOf } from "../../../src/venues/simulated/activity.ts"
import { lotsHeldAt, lotsPerShare } from "../../../src/venues/simulated/plans.ts"
import {
  defaultGroups,
  type Strategy,
  type WalletGroup,
} from "../../../src/venues/simulated/wallets.ts"
import type { Fill } from "../../../src/venues/simulated/tape.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { day, hour, second } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"

const anyInt = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const options = {
  markets: 60,
  walletDays: 40,
  mechanicalShare: 0.1,
  wallets: defaultGroups.map((group) => ({ ...group, count: 1 })),
}
const worlds = new Map<number, World>()

/** A shared world that has answered many calls before. */
function usedWorld(seed: number): World {
  const known = worlds.get(seed) ?? makeWorld({ seed, ...options })
  worlds.set(seed, known)
  return known
}

/** A wallet's last weeks, split into ranges. */
const pieces = Arbitrary.all({
  seed: anyInt(1, 5),
  wallet: anyInt(0, defaultGroups.length - 1),
  cuts: Arbitrary.array(anyInt(0, 20 * 24 * 3_600), { maxLength: 6 }),
})

function walletOf(world: World, number: number) {
  const wallet = world.wallets[number]
  if (wallet === undefined) throw new Error("no such wallet")
  return wallet
}

law("activity() of consecutive ranges is that of the whole range", pieces, (drawn) => {
  const world = usedWorld(drawn.seed)
  const wallet = walletOf(world, drawn.wallet)
  const { origin } = world.options
  const [from, to] = [origin - 20 * day, origin]
  const ends = [...new Set(drawn.cuts)].sort((a, b) => b - a).map((cut) => from + cut * second)
  const ranges = [to, ...ends].map((end, index, all) => ({
    from: (all[index + 1] ?? from - 1) + 1,
    to: end,
  }))
  const whole = world.activity(wallet, { from, to }, Infinity)
  deepStrictEqual(ranges.flatMap((range) => world.activity(wallet, range, Infinity)), whole)
  deepStrictEqual(world.activity(wallet, { from, to }, 7), whole.slice(0, 7))
  return whole.every(({ at }, index) => at % second === 0 && at <= (whole[index - 1]?.at ?? to))
})

law(
  "activity() does not depend on earlier calls",
  pieces,
  (drawn) => {
    const request = (world: World) => {
      const { origin } = world.options
      const range = { from: origin - 3 * day, to: origin }
      const wallet = walletOf(world, drawn.wallet)
      return [
        world.activity(wallet, range, Infinity),
        world.truth.episodes(wallet, range.from, range.to),
      ]
    }
    deepStrictEqual(
      request(makeWorld({ seed: drawn.seed, ...options })),
      request(usedWorld(drawn.seed)),
    )
  },
  { runs: 20 },
)

Deno.test("a wallet's rows in a market are the moves of its plan", () => {
  const world = makeWorld({ seed: 3, markets: 120, mechanicalShare: 0.1 })
  const to = world.options.origin
  const seen = new Set<Activity["kind"]>()
  for (const wallet of world.wallets) {
    const rows = Map.groupBy(
      world.activity(wallet, { from: -Infinity, to }, Infinity),
      ({ market }) => market?.id,
    )
    for (const plan of world.truth.plans(wallet, { from: -Infinity, to })) {
      const found = rows.get(plan.market.id) ?? []
      const moved = plan.moves.filter(({ at }) => at <= to - hour)
      for (const { kind, outcome, lots, price, at, rowCount } of moved) {
        const trades = kind === "buy" || kind === "sell"
        const mine = found.filter((row) =>
          row.kind === kind && row.at >= at && row.at <= at + 10 * second &&
          (!trades || (row.outcome === outcome && row.price === price))
        )
        seen.add(kind)
        deepStrictEqual(mine.length, rowCount)
        const shares = mine.reduce((sum, { size }) => sum + size * lotsPerShare, 0)
        deepStrictEqual(Math.round(shares), lots)
      }
      const paid = found.filter(({ kind }) => kind === "redeem")
      if (paid.length > 0) seen.add("redeem")
      const lotsHeld = lotsHeldAt(plan.moves, Infinity)
      deepStrictEqual(paid.length, plan.redemption !== null && plan.redemption.at <= to ? 1 : 0)
      ok(paid.every(({ size }) => Math.round(size * lotsPerShare) === lotsHeld[0] + lotsHeld[1]))
    }
  }
  for (const kind of ["buy", "sell", "split", "merge", "convert", "redeem"] as const) {
    ok(seen.has(kind), `no ${kind}`)
  }
})

Deno.test("the tape contains exactly the fills of the wallets' activity", () => {
  const world = usedWorld(2)
  const to = world.options.origin
  const from = to - 2 * day
  const sortedJson = (fills: ReadonlyArray<Fill>) =>
    fills.map((fill) => JSON.stringify(fill)).sort()
  const activities = world.wallets.flatMap((wallet) =>
    world.activity(wallet, { from, to }, Infinity)
  )
  const known = new Set(world.wallets.map(({ address }) => address))
  const fills: Array<Fill> = []
  for (let slot = 0; slot < world.catalogue.slots; slot++) {
    const last = world.catalogue.at(slot, to).generation
    for (
      let generation = world.catalogue.at(slot, from).generation;
      generation <= last;
      generation++
    ) {
      const market = world.catalogue.generation(slot, generation)
      fills.push(...world.trades(market, { from, to }, Infinity))
    }
  }
  const ours = fills.filter(({ wallet }) => known.has(wallet))
  deepStrictEqual(sortedJson(ours), sortedJson(activities.flatMap(fillOf)))
  ok(ours.length > 100 && ours.some(({ role }) => role === "maker"))
})

Deno.test("wallets pay only prices within their limits", () => {
  const world = usedWorld(4)
  for (const wallet of world.wallets) {
    const [low, high] = wallet.group.prices
    for (const { price, hedge } of world.truth.episodes(wallet, -Infinity, world.options.origin)) {
      ok(
        hedge || (price > low - 1e-9 && price < high + 1e-9),
        `${wallet.group.strategy} paid ${price}`,
      )
    }
  }
})

/** A group of one strategy and edge, which trades only at middle prices. */
function skilled(strategy: Strategy, edge: number, more: Partial<WalletGroup> = {}): WalletGroup {
  const base = { repeatShare: 0, eventShare: 0, medianStakeUsd: 500 }
  return { ...base, strategy, edge, count: 5, entriesPerDay: 8, prices: [0.25, 0.75], ...more }
}

Deno.test("every strategy has its planted edge at the prices paid", () => {
  const strategies = ["bettor", "seller", "hedger", "opposer", "splitter", "converter"] as const
  const groups = [
    ...strategies.flatMap((strategy) => [0.1, 0, -0.08].map((edge) => skilled(strategy, edge))),
    ...[0.1, 0, -0.08].map((edge) => skilled("bettor", edge, { repeatShare: 0.6 })),
    ...[0.1, 0, -0.08].map((edge) => skilled("bettor", edge, { eventShare: 0.8 })),
    skilled("bettor", 0, { prices: [0.02, 0.95], repeatShare: 0.4, eventShare: 0.5 }),
    skilled("market_maker", 0),
  ]
  const sums = groups.map(() => ({ count: 0, sum: 0, squares: 0 }))
  for (const seed of [21, 22, 23]) {
    const world = makeWorld({
      seed,
      markets: 240,
      mechanicalShare: 0,
      gateShare: 0.2,
      wallets: groups,
    })
    const from = world.options.origin - world.options.walletDays * day
    for (let slot = 0; slot < world.catalogue.slots; slot++) {
      let market = world.catalogue.at(slot, from + 45 * day)
      for (let generations = 0; generations < 8; generations++) {
        market = world.catalogue.generation(slot, market.generation + (generations === 0 ? 0 : 1))
        const paid = market.end === "decided" ? world.truth.payouts(market) : null
        if (paid === null) continue
        // A market's entries share its outcome, so its sum is one observation.
        const inMarket = groups.map(() => 0)
        for (const { wallet, episodes } of world.truth.plansIn(market)) {
          const index = groups.indexOf(wallet.group)
          const sum = sums[index]
          for (const { outcome, price } of episodes.filter(({ hedge }) => !hedge)) {
            if (sum === undefined) continue
            sum.count += 1
            inMarket[index] = (inMarket[index] ?? 0) + paid[outcome] - price - wallet.group.edge
          }
        }
        inMarket.forEach((gain, index) => {
          const sum = sums[index]
          if (sum === undefined) return
          sum.sum += gain
          sum.squares += gain * gain
        })
      }
    }
  }
  let squared = 0
  groups.forEach(({ strategy, edge }, index) => {
    const { count, sum, squares } = sums[index] ?? { count: 0, sum: 0, squares: 0 }
    const error = Math.sqrt(squares) / count
    const what = `${strategy} of ${edge}: off by ${sum / count} over ${count}, error ${error}`
    ok(Math.abs(sum / count) < 4 * error && error < 0.02, what)
    squared += (sum / count / error) ** 2
  })
  // An uncompensated half spread would shift all groups a little, so chi-squared is over all of them.
  ok(squared < groups.length + 4 * Math.sqrt(2 * groups.length), `${squared}`)
})
