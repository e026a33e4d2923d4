/**
 * The simulated `VenueClient`: complete listings, no data from the future.
 *
 * @module
 */
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { devWorld, layer } from "../../../src/venues/simulated/venue.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({ seed: 1, markets: 1_200, wallets: [] })

function venueOf(of: World) {
  return Effect.provide(Effect.flatMap(VenueClient, Effect.succeed), layer(of))
}

const sweep = (venue: VenueClient["Service"]) =>
  Effect.map(Stream.runCollect(venue.listMarkets), (pages) => pages.flatMap(({ rows }) => rows))

test("listMarkets returns every slot's market once, in pages", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(world.options.origin)
    const venue = yield* venueOf(world)
    const pages = yield* Stream.runCollect(venue.listMarkets)
    const rows = pages.flatMap((page) => page.rows)
    ok(pages.length > 1)
    deepStrictEqual(new Set(rows.map(({ id }) => id)).size, 1_200)
    deepStrictEqual(new Set(rows.map(({ slug }) => slug)).size, 1_200)
    ok(rows.every(({ status }) => status === "open" || status === "proposed"))
  }))

test("listMarkets returns new markets after the old ones are paid out", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(world.options.origin)
    const venue = yield* venueOf(world)
    const before = new Set((yield* sweep(venue)).map(({ id }) => id))
    yield* TestClock.adjust("100 days")
    const after = yield* sweep(venue)
    deepStrictEqual(after.length, 1_200)
    ok(after.every(({ id }) => !before.has(id)))
  }))

test("books(), priceHistory() and trades() return nothing from the future", () =>
  Effect.gen(function* () {
    const now = world.options.origin + 3 * hour
    yield* TestClock.setTime(now)
    const venue = yield* venueOf(world)
    const market = (yield* sweep(venue)).find(({ volumeUsd }) => volumeUsd > 100_000)
    if (market === undefined) throw new Error("no market")
    const { rows } = yield* venue.books(market.tokenIds)
    const range = { from: now - day, to: now + day, stepMs: minute }
    const points = yield* venue.priceHistory(market.tokenIds[0], range)
    const trades = yield* venue.trades(market.id, now - day)
    deepStrictEqual(rows.map(({ tokenId }) => tokenId), [...market.tokenIds])
    ok(rows.every(({ observedAt }) => observedAt <= now && observedAt > now - minute))
    ok(points.length > 1_000 && points.every(({ at }) => at <= now && at >= range.from))
    ok(trades.rows.length > 10 && trades.rows.every(({ at }) => at <= now && at >= now - day))
  }))

Deno.test("the development world has recent price moves at any time", () => {
  for (let seed = 1; seed <= 5; seed++) {
    const dev = devWorld(seed)
    for (let look = 0; look < 8; look++) {
      const at = dev.options.origin + (10 + look * 2.3) * day
      const moved = { "1h": 0, "24h": 0 }
      for (let slot = 0; slot < dev.catalogue.slots; slot++) {
        const market = dev.catalogue.at(slot, at)
        if (!market.aboveGate) continue
        if (at - market.opensAt < 2 * day || at >= market.proposedAt) continue
        const now = dev.truth.probability(market, at)
        if (Math.abs(now - dev.truth.probability(market, at - hour)) > 0.06) moved["1h"] += 1
        if (Math.abs(now - dev.truth.probability(market, at - day)) > 0.12) moved["24h"] += 1
      }
      ok(moved["1h"] + moved["24h"] >= 4, `seed ${seed}, look ${look}: ${JSON.stringify(moved)}`)
    }
  }
})
