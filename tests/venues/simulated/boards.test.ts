/**
 * The simulated venue's leaderboards, and its resolutions as time passes.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import {
  boardCategories,
  boardOf,
  type BoardRow,
} from "../../../src/venues/simulated/walletSource.ts"
import { midOf } from "../../../src/venues/simulated/books.ts"
import type { Plan } from "../../../src/venues/simulated/plans.ts"
import { layer } from "../../../src/venues/simulated/venue.ts"
import { defaultGroups, type Wallet } from "../../../src/venues/simulated/wallets.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, second } from "../../../src/core/domain/time.ts"
import { boardPeriods } from "../../../src/markets/domain/leaderboard.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"
import { onTickingClock } from "../../support/tickingClock.ts"

const wallets = defaultGroups.map((group) => ({ ...group, count: 2 }))
const world = makeWorld({ seed: 6, markets: 80, walletDays: 45, wallets })
const { origin } = world.options

const byWallet = (rows: ReadonlyArray<BoardRow>) =>
  new Map(rows.map(({ wallet, pnl, volume }) => [wallet.number, { pnl, volume }]))

Deno.test("a week's leaderboard is the sum of its seven days", () => {
  const week = byWallet(boardOf(world, "week", "overall", "profit", origin))
  const days = [0, 1, 2, 3, 4, 5, 6].map((ago) =>
    byWallet(boardOf(world, "day", "overall", "profit", origin - ago * day))
  )
  const sum = (number: number, of: "pnl" | "volume") =>
    days.reduce((total, board) => total + (board.get(number)?.[of] ?? 0), 0)
  ok(week.size > 20)
  for (const [number, { pnl, volume }] of week) {
    ok(Math.abs(pnl - sum(number, "pnl")) < 1e-6, `${pnl} is not ${sum(number, "pnl")}`)
    ok(Math.abs(volume - sum(number, "volume")) < 1e-6)
  }
})

Deno.test("the leaderboards of all categories add up to the overall one", () => {
  for (const period of boardPeriods) {
    const [overall, ...parts] = boardCategories.map((category) =>
      byWallet(boardOf(world, period, category, "profit", origin))
    )
    for (const [number, { pnl, volume }] of overall ?? []) {
      const sums = parts.map((part) => part.get(number) ?? { pnl: 0, volume: 0 })
      ok(Math.abs(pnl - sums.reduce((sum, part) => sum + part.pnl, 0)) < 1e-6)
      ok(Math.abs(volume - sums.reduce((sum, part) => sum + part.volume, 0)) < 1e-6)
    }
  }
})

/** A plan's cash flow plus the value of the shares still held, at the origin. */
function resultOf({ moves, redemption, market }: Plan) {
  const shares: [number, number] = [0, 0]
  let usd = 0
  for (const { kind, outcome, lots, price } of moves.filter((move) => move.at <= origin)) {
    const whole = kind === "split" || kind === "merge"
    const size = (kind === "buy" || kind === "split" ? 1 : -1) * lots / 100
    usd -= size * (whole ? 1 : price)
    shares[outcome] += size
    if (whole) shares[outcome === 0 ? 1 : 0] += size
  }
  const published = world.publishedPayouts(market, origin)
  const flat = shares.every((size) => Math.abs(size) < 1e-9)
  const over = published !== undefined || flat
  if (redemption !== null && redemption.at <= origin) return { over, usd: usd + redemption.usd }
  const quote = world.quote(market, Math.min(origin, market.resolvedAt - 1))
  const first = quote === null ? 0.5 : midOf(quote)
  const [one, other] = published === undefined ? [first, 1 - first] : published ?? [0, 0]
  return { over, usd: usd + shares[0] * one + shares[1] * other }
}

const resultsOf = (wallet: Wallet) =>
  world.truth.plans(wallet, { from: -Infinity, to: origin }).map(resultOf)

Deno.test("all-time profit is the cash flow of closed positions", () => {
  const board = byWallet(boardOf(world, "all", "overall", "profit", origin))
  for (const wallet of world.wallets) {
    const over = resultsOf(wallet).filter(({ over }) => over)
    const usd = over.reduce((sum, result) => sum + result.usd, 0)
    const onBoard = board.get(wallet.number)?.pnl ?? 0
    ok(Math.abs(onBoard - usd) < 0.01, `${wallet.group.strategy}: ${onBoard}, not ${usd}`)
  }
})

Deno.test("the profits of all days add up to the cash flow plus the value of shares held", () => {
  const days = Array.from(
    { length: world.options.walletDays },
    (_, ago) => byWallet(boardOf(world, "day", "overall", "profit", origin - ago * day)),
  )
  for (const wallet of world.wallets) {
    const usd = resultsOf(wallet).reduce((sum, result) => sum + result.usd, 0)
    const onBoard = days.reduce((sum, board) => sum + (board.get(wallet.number)?.pnl ?? 0), 0)
    ok(Math.abs(onBoard - usd) < 0.01, `${wallet.group.strategy}: ${onBoard}, not ${usd}`)
  }
})

const late = makeWorld({ seed: 8, markets: 100, wallets: [], lateShare: 0.2, correctedShare: 0.2 })

test("resolutions() publishes late and corrected payouts as the world does", () =>
  Effect.gen(function* () {
    const venue = yield* VenueClient
    const markets = Array.from(
      { length: 90 },
      (_, slot) => late.catalogue.at(slot, late.options.origin),
    )
    const seen = { late: 0, corrected: 0, cancelled: 0, push: 0 }
    const changes = markets.flatMap((market) => {
      const { publishedAt, settledAt } = late.ending(market)
      return [market.resolvedAt, publishedAt, settledAt].map((at) => ({ market, at }))
    }).sort((a, b) => a.at - b.at)
    for (const { market, at } of changes) {
      yield* TestClock.setTime(at)
      const { publishedAt, settledAt } = late.ending(market)
      const { rows } = yield* venue.resolutions([market.id])
      const truth = late.truth.payouts(market)
      if (at < publishedAt) {
        seen.late += 1
        deepStrictEqual(rows, [])
        continue
      }
      const [row] = rows
      if (truth === null) {
        seen.cancelled += 1
        deepStrictEqual(row?.state, "cancelled")
        continue
      }
      const last = at >= settledAt
      if (!last) seen.corrected += 1
      if (truth[0] === 0.5) seen.push += 1
      deepStrictEqual(row?.state === "paid" ? row.payouts : null, last ? truth : truth.toReversed())
      deepStrictEqual(row?.resolvedAt, last ? settledAt : publishedAt)
      ok(at % second === 0 || at === market.resolvedAt)
    }
    ok(seen.late > 5 && seen.corrected > 5, JSON.stringify(seen))
  }).pipe(Effect.provide(layer(late)), Effect.orDie))

test("other fibers run between the markets of each day of a leaderboard", () =>
  Effect.gen(function* () {
    // A world of its own, because results are computed once per world.
    const world = makeWorld({ seed: 7, markets: 80, walletDays: 45, wallets })
    yield* TestClock.setTime(world.options.origin)
    let turns = 0
    const other = Effect.forever(Effect.andThen(Effect.sync(() => turns++), Effect.yieldNow))
    const { wallets: source } = yield* Effect.provide(VenueClient, layer(world))
    ok(source !== null)
    const board = { period: "all", category: "overall", by: "profit" } as const
    yield* onTickingClock(Effect.raceFirst(other, source.leaderboard(board, 10)))
    // A slice has 5 parts of this clock, and `forever` yields too: two yields are one turn.
    ok(turns >= 45 * 80 / 10, `${turns} turns`)
  }))
