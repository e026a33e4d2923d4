/**
 * The pitfalls that trip trackers of whales: each is in the simulated world, shown by what a plain
 * reading makes of it beside the truth, and none of them moves the entries.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import type { Activity } from "../../../src/venues/simulated/activity.ts"
import type { Habit, Wallet } from "../../../src/venues/simulated/wallets.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { isMarketMaker, isSweep } from "../../../src/whales/domain/entry.ts"
import { day } from "../../../src/core/domain/time.ts"
import { actsOf, made, meant, positionsOf } from "../../support/whales/simulatedActs.ts"

/** The world of `deno task dev`, three weeks after its origin. */
const world = devWorld(1)
const now = world.options.origin + 21 * day

function walletsOf(habit: Habit): ReadonlyArray<Wallet> {
  return world.wallets.filter(({ group }) => group.habit === habit)
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

/** Entries in ended markets: those made of these rows, beside those meant. */
function count(wallet: Wallet, rows: ReadonlyArray<Activity>) {
  const all = (of: ReturnType<typeof made>) => [...of.values()].flat().filter(({ hedge }) => !hedge)
  return {
    made: all(made(world, actsOf(rows), now)).length,
    meant: all(meant(world, wallet, now)).length,
  }
}

Deno.test("the tape of takers hides what makers bought", () => {
  for (const wallet of walletsOf("market_maker")) {
    const plans = world.truth.plans(wallet, { from: now - 9 * day, to: now - day })
    for (const { market } of plans.slice(0, 20)) {
      const mine = world.trades(market, { from: market.opensAt, to: now }, Infinity)
        .filter((fill) => fill.wallet === wallet.address)
      ok(mine.some(({ role }) => role === "maker"), "nothing was made")
    }
  }
})

Deno.test("who reads purchases only misses what was split and sold", () => {
  for (const wallet of walletsOf("splitter")) {
    const rows = activityOf(wallet)
    const bought = count(wallet, rows.filter(({ kind }) => kind === "buy"))
    const all = count(wallet, rows)
    ok(bought.made === 0 && all.made === all.meant && all.meant > 30, JSON.stringify(all))
  }
})

Deno.test("who takes every purchase for an entry counts hedges and exits", () => {
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

Deno.test("who takes a purchase of the other side for no sale never sees a position end", () => {
  for (const wallet of walletsOf("opposer")) {
    const positions = [...positionsOf(world, actsOf(trades(activityOf(wallet)))).values()]
    // The others have not left yet.
    ok(positions.filter(({ boughtBoth }) => boughtBoth).length > 0.85 * positions.length)
  }
})

Deno.test("conversions and redemptions move no entry", () => {
  for (const wallet of [...walletsOf("converter"), ...walletsOf("bettor").slice(0, 8)]) {
    const rows = activityOf(wallet)
    const plain = rows.filter(({ kind }) => kind !== "convert" && kind !== "redeem")
    deepStrictEqual(made(world, actsOf(plain), now), made(world, actsOf(rows), now))
    ok(rows.some(({ kind, outcome }) => kind === "redeem" && outcome === null))
  }
  const kinds = new Set(walletsOf("converter").flatMap(activityOf).map(({ kind }) => kind))
  ok(kinds.has("convert"))
})

Deno.test("rows alike in every field are fills of their own", () => {
  let [wrong, wallets] = [0, 0]
  for (const wallet of walletsOf("bettor").slice(0, 20)) {
    const rows = activityOf(wallet)
    const once = [...new Map(actsOf(rows).map((act) => [JSON.stringify(act), act])).values()]
    const stake = (of: ReturnType<typeof made>) =>
      [...of.values()].flat().reduce((sum, { millionths }) => sum + (millionths[1] ?? 0), 0)
    const truth = stake(meant(world, wallet, now))
    deepStrictEqual(stake(made(world, actsOf(rows), now)), truth)
    wallets += 1
    if (stake(made(world, once, now)) < 0.9 * truth) wrong += 1
  }
  ok(wrong > wallets / 2, `${wrong} of ${wallets}`)
})

Deno.test("sweepers pay .95 and more, and hardly anybody else does", () => {
  for (const wallet of world.wallets) {
    const positions = [...positionsOf(world, actsOf(activityOf(wallet))).values()]
    const entries = positions.flatMap(({ entries }) => entries)
    const sweeps = entries.filter(isSweep).length
    const { habit } = wallet.group
    if (habit === "sweeper") ok(sweeps === entries.length && sweeps > 20)
    else ok(habit.endsWith("_maker") || sweeps < 0.02 * entries.length, `${habit}: ${sweeps}`)
  }
})

Deno.test("makers of markets bear their marks, nobody else does", () => {
  for (const wallet of world.wallets) {
    const found = [...positionsOf(world, actsOf(activityOf(wallet))).values()]
    const bothSides = found.filter(({ boughtBoth }) => boughtBoth).length
    const { habit } = wallet.group
    // Who hedges, or leaves by buying the other side, quotes both like a maker.
    const alike = habit === "hedger" || habit === "opposer" || habit === "splitter"
    const marked = isMarketMaker({ markets: found.length, bothSides })
    ok(alike || marked === habit.endsWith("_maker"), `${habit}: ${bothSides} of ${found.length}`)
    if (habit === "market_maker") ok(bothSides > 0.4 * found.length)
    if (habit === "interval_maker") ok(found.length >= 1_000, `${found.length} markets`)
  }
})

Deno.test("who counts what was handed in sees winners only", () => {
  let [handedIn, won, entries, winners] = [0, 0, 0, 0]
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
      handedIn += 1
      won += redemption.usd > 0 ? 1 : 0
    }
  }
  ok(won > 0.85 * handedIn && winners < 0.6 * entries, `${won}/${handedIn}, ${winners}/${entries}`)
})

Deno.test("money without shares stands among the rows, and is no act", () => {
  const rows = world.wallets.flatMap(activityOf).filter(({ market }) => market === null)
  deepStrictEqual(
    new Set(rows.map(({ kind }) => kind)),
    new Set(["reward", "deposit", "maker_rebate"]),
  )
  deepStrictEqual(actsOf(rows), [])
})

Deno.test("the development world shows wallets of 30 to 300 resolved entries", () => {
  const resolved = world.wallets
    .filter(({ group }) => !group.habit.endsWith("_maker"))
    .map((wallet) => count(wallet, activityOf(wallet)).meant)
  const fit = resolved.filter((entries) => entries >= 30 && entries <= 320)
  ok(fit.length > 0.9 * resolved.length, `${resolved.toSorted((a, b) => a - b)}`)
  const rows = world.wallets.map((wallet) => activityOf(wallet).length)
  ok(Math.max(...rows) < 12_000, `${Math.max(...rows)} rows`)
})
