/**
 * The simulated `VenueClient`: leaderboards, activity, and facts and resolutions of open and
 * closed markets.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { layer } from "../../../src/venues/simulated/venue.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, hour, minute, second } from "../../../src/core/domain/time.ts"
import {
  type ActivityRow,
  VenueClient,
  type WalletSource,
} from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({ seed: 1, markets: 120 })
const now = world.options.origin + 5 * hour

const at = (
  name: string,
  body: (venue: VenueClient["Service"], wallets: WalletSource) => Effect.Effect<void, unknown>,
) =>
  test(name, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const venue = yield* VenueClient
      if (venue.wallets === null) throw new Error("no wallets")
      yield* body(venue, venue.wallets)
    }).pipe(Effect.provide(layer(world)), Effect.orDie))

const readActivity = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: { readonly from: number; readonly to: number },
) {
  const rows: Array<ActivityRow> = []
  let cursor: string | null = null
  for (let page = 0; page < 900; page++) {
    const page: Effect.Success<ReturnType<WalletSource["activity"]>> = yield* source
      .activity(wallet, range, cursor)
    ok((page.oldest ?? Infinity) <= (page.rows.at(-1)?.event.at ?? Infinity))
    rows.push(...page.rows)
    if (page.next === null) return rows
    cursor = page.next
  }
  throw new Error("the activity does not end")
})

at(
  "leaderboard() ranks wallets by volume or profit, up to the limit",
  (_, wallets) =>
    Effect.gen(function* () {
      const orders = new Set<string>()
      for (const by of ["volume", "profit"] as const) {
        for (const category of wallets.categories) {
          const { rows } = yield* wallets.leaderboard({ period: "week", category, by }, 25)
          deepStrictEqual(rows.map(({ rank }) => rank), rows.map((_, index) => index + 1))
          ok(rows.length > 5 && rows.length <= 25)
          orders.add(rows.map(({ wallet }) => wallet).join())
        }
      }
      deepStrictEqual(orders.size, 2 * wallets.categories.length)
    }),
)

at(
  "activity() is newest first, in whole seconds, and never from the future",
  (_, source) =>
    Effect.gen(function* () {
      for (const { address } of world.wallets.slice(0, 100)) {
        const rows = yield* readActivity(source, address, { from: now - 20 * day, to: now + day })
        const times = rows.map(({ event }) => event.at)
        deepStrictEqual(times, times.toSorted((a, b) => b - a))
        ok(times.every((time) => time % second === 0 && time <= now && time >= now - 20 * day))
        ok(rows.every(({ event }) => event.wallet === address && event.size > 0))
      }
    }),
)

at(
  "activity() of consecutive ranges is that of the whole range",
  (_, source) =>
    Effect.gen(function* () {
      for (const { address } of world.wallets.slice(0, 90)) {
        const whole = yield* readActivity(source, address, { from: now - 6 * day, to: now })
        const cut = now - 2 * day - 17 * minute
        const newer = yield* readActivity(source, address, { from: cut + second, to: now })
        const older = yield* readActivity(source, address, { from: now - 6 * day, to: cut })
        deepStrictEqual([...newer, ...older], whole)
      }
    }),
)

at("an unknown wallet has no activity", (_, source) =>
  Effect.gen(function* () {
    const page = yield* source.activity(`0x${"1".repeat(40)}`, { from: 0, to: now }, null)
    deepStrictEqual(page, { rows: [], rejected: {}, oldest: null, next: null, cut: false })
  }))

at(
  "facts() returns open and closed markets, not future ones",
  (venue) =>
    Effect.gen(function* () {
      const live = world.catalogue.at(3, now)
      const past = world.catalogue.generation(3, live.generation - 2)
      const next = world.catalogue.generation(3, live.generation + 1)
      const { rows } = yield* venue.facts([past.id, next.id, live.id])
      deepStrictEqual(rows.map(({ slug }) => slug), [past.slug, live.slug])
      deepStrictEqual(rows.map(({ tokenIds }) => tokenIds), [past.tokenIds, live.tokenIds])
    }),
)

at(
  "resolutions() returns the world's payouts of paid and cancelled markets",
  (venue) =>
    Effect.gen(function* () {
      const live = Array.from({ length: 110 }, (_, slot) => world.catalogue.at(slot, now))
      const ended = live.flatMap(({ slot, generation }) =>
        [1, 2, 3, 4, 5, 6].map((ago) => world.catalogue.generation(slot, generation - ago))
      )
      const { rows } = yield* venue.resolutions([...live, ...ended].map(({ id }) => id))
      deepStrictEqual(
        rows.map((row) => row.state === "paid" ? row.payouts : null),
        ended.map((market) => world.truth.payouts(market)),
      )
      ok(rows.some(({ state }) => state === "cancelled"))
      ok(rows.every(({ resolvedAt }) => resolvedAt !== null && resolvedAt <= now))
    }),
)
