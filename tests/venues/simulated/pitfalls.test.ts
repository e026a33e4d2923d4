/**
 * The pitfalls of tracking whales. Each is in the simulated world: a naive reading of the rows gets it
 * wrong, and the computed entries are right.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import type { Activity } from "../../../src/venues/simulated/activity.ts"
import type { Strategy, Wallet } from "../../../src/venues/simulated/wallets.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { isMarketMaker, isNearCertain } from "../../../src/whales/domain/entry.ts"
import { day } from "../../../src/core/domain/time.ts"
import {
  activityOfRows,
  computedEntries,
  positionsOf,
  trueEntries,
} from "../../support/whales/simulatedActivity.ts"

/** The world of `deno task dev`, three weeks after its origin. */
const world = devWorld(1)
const now = world.options.origin + 21 * day

function walletsOf(strategy: Strategy): ReadonlyArray<Wallet> {
  return world.wallets.filter(({ group }) => group.strategy === strategy)
}

const activities = new Map<Wallet, ReadonlyArray<Activity>>()

function activityOf(wallet: Wallet): ReadonlyArray<Activity> {
  const known = activities.get(wallet)
  if (known !== undefined) return known
  const activity = world.activity(wallet, { from: -Infinity, to: now }, Infinity)
  activities.set(wallet, activity)
  return activity
}

const trades = (rows: ReadonlyArray<Activity>) =>
  rows.filter(({ kind }) => kind === "buy" || kind === "sell")

/** Entries in ended markets: those computed from these rows, and those planned. */
function count(wallet: Wallet, rows: ReadonlyArray<Activity>) {
  const all = (of: ReturnType<typeof computedEntries>) =>
    [...of.values()].flat().filter(({ hedge }) => !hedge)
  return {
    made: all(computedEntries(world, activityOfRows(rows), now)).length,
    meant: all(trueEntries(world, wallet, now)).length,
  }
}

Deno.test("a tape of takers only misses the makers' fills", () => {
  for (const wallet of walletsOf("market_maker")) {
    const plans = world.truth.plans(wallet, { from: now - 9 * day, to: now - day })
    for (const { market } of plans.slice(0, 20)) {
      const mine = world.trades(market, { from: market.opensAt, to: now }, Infinity)
        .filter((fill) => fill.wallet === wallet.address)
      ok(mine.some(({ role }) => role === "maker"), "no maker fill")
    }
  }
})

Deno.test("counting only purchases misses entries by split and sale", () => {
  for (const wallet of walletsOf("splitter")) {
    const rows = activityOf(wallet)
    const bought = count(wallet, rows.filter(({ kind }) => kind === "buy"))
    const all = count(wallet, rows)
    ok(bought.made === 0 && all.made === all.meant && all.meant > 30, JSON.stringify(all))
  }
})

Deno.test("counting every purchase as an entry counts hedges and exits", () => {
  for (const wallet of [...walletsOf("hedger"), ...walletsOf("opposer")]) {
    const sides = new Set(
      trades(activityOf(wallet))
        .filter(({ kind, market }) => kind === "buy" && (market?.resolvedAt ?? Infinity) <= now)
        .map(({ market, outcome }) => `${market?.id} ${outcome}`),
    )
    const { made, meant } = count(wallet, activityOf(wallet))
    ok(sides.size > 1.5 * meant && made === meant, `${sides.size} sides, ${meant} entries`)
  }
})

Deno.test("ignoring that buying the other side is a sale misses the end of positions", () => {
  for (const wallet of walletsOf("opposer")) {
    const positions = [...positionsOf(world, activityOfRows(trades(activityOf(wallet)))).values()]
    // The others have not left yet.
    ok(positions.filter(({ boughtBoth }) => boughtBoth).length > 0.85 * positions.length)
  }
})

Deno.test("conversions and redemptions change no entry", () => {
  for (const wallet of [...walletsOf("converter"), ...walletsOf("bettor").slice(0, 8)]) {
    const rows = activityOf(wallet)
    const plain = rows.filter(({ kind }) => kind !== "convert" && kind !== "redeem")
    deepStrictEqual(
      computedEntries(world, activityOfRows(plain), now),
      computedEntries(world, activityOfRows(rows), now),
    )
    ok(rows.some(({ kind, outcome }) => kind === "redeem" && outcome === null))
  }
  const kinds = new Set(walletsOf("converter").flatMap(activityOf).map(({ kind }) => kind))
  ok(kinds.has("convert"))
})

Deno.test("identical rows are separate fills", () => {
  let [wrong, wallets] = [0, 0]
  for (const wallet of walletsOf("bettor").slice(0, 20)) {
    const rows = activityOf(wallet)
    const once = [
      ...new Map(activityOfRows(rows).map((act) => [JSON.stringify(act), act])).values(),
    ]
    const stake = (of: ReturnType<typeof computedEntries>) =>
      [...of.values()].flat().reduce((sum, { millionths }) => sum + (millionths[1] ?? 0), 0)
    const truth = stake(trueEntries(world, wallet, now))
    deepStrictEqual(stake(computedEntries(world, activityOfRows(rows), now)), truth)
    wallets += 1
    if (stake(computedEntries(world, once, now)) < 0.9 * truth) wrong += 1
  }
  ok(wrong > wallets / 2, `${wrong} of ${wallets}`)
})

Deno.test("sweepers pay 0.95 and more, and other wallets rarely do", () => {
  for (const wallet of world.wallets) {
    const positions = [...positionsOf(world, activityOfRows(activityOf(wallet))).values()]
    const entries = positions.flatMap(({ entries }) => entries)
    const sweeps = entries.filter(isNearCertain).length
    const { strategy } = wallet.group
    if (strategy === "sweeper") ok(sweeps === entries.length && sweeps > 20)
    else ok(strategy.endsWith("_maker") || sweeps < 0.02 * entries.length, `${strategy}: ${sweeps}`)
  }
})

Deno.test("isMarketMaker() is true for market makers, and for no other strategy that buys one side", () => {
  for (const wallet of world.wallets) {
    const found = [...positionsOf(world, activityOfRows(activityOf(wallet))).values()]
    const bothSides = found.filter(({ boughtBoth }) => boughtBoth).length
    const { strategy } = wallet.group
    // Wallets that hedge or exit by buying the other side look like makers.
    const buysBoth = strategy === "hedger" || strategy === "opposer" || strategy === "splitter"
    const marked = isMarketMaker({ markets: found.length, bothSides })
    ok(
      buysBoth || marked === strategy.endsWith("_maker"),
      `${strategy}: ${bothSides} of ${found.length}`,
    )
    if (strategy === "market_maker") ok(bothSides > 0.4 * found.length)
    if (strategy === "interval_maker") ok(found.length >= 1_000, `${found.length} markets`)
  }
})

Deno.test("counting only redemptions sees mostly winners", () => {
  let [redeemed, won, entries, winners] = [0, 0, 0, 0]
  for (const wallet of walletsOf("bettor").filter(({ group }) => group.edge === 0)) {
    for (
      const { redemption, market, episodes } of world.truth.plans(wallet, { from: 0, to: now })
    ) {
      const paid = world.truth.payouts(market)
      const [episode] = episodes
      if (paid === null || episode === undefined || market.resolvedAt > now - 9 * day) continue
      entries += 1
      winners += paid[episode.outcome]
      if (redemption === null) continue
      redeemed += 1
      won += redemption.usd > 0 ? 1 : 0
    }
  }
  ok(won > 0.85 * redeemed && winners < 0.6 * entries, `${won}/${redeemed}, ${winners}/${entries}`)
})

Deno.test("rows that move only money are not activity events", () => {
  const rows = world.wallets.flatMap(activityOf).filter(({ market }) => market === null)
  deepStrictEqual(
    new Set(rows.map(({ kind }) => kind)),
    new Set(["reward", "deposit", "maker_rebate"]),
  )
  deepStrictEqual(activityOfRows(rows), [])
})

Deno.test("most wallets of the development world have 30 to 320 resolved entries", () => {
  const resolved = world.wallets
    .filter(({ group }) => !group.strategy.endsWith("_maker"))
    .map((wallet) => count(wallet, activityOf(wallet)).meant)
  const fit = resolved.filter((entries) => entries >= 30 && entries <= 320)
  ok(fit.length > 0.9 * resolved.length, `${resolved.toSorted((a, b) => a - b)}`)
  const rows = world.wallets.map((wallet) => activityOf(wallet).length)
  ok(Math.max(...rows) < 12_000, `${Math.max(...rows)} rows`)
})
