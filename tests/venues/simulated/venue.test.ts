/**
 * The simulated `VenueClient`: a complete listing, no data from the future.
 *
 * @module
 */
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual, ok } from "node:assert/strict"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { layer } from "../../../src/venues/simulated/venue.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({ seed: 1, markets: 200, wallets: [] })

test("listMarkets is complete, and books(), priceHistory() and trades() return nothing from the future", () =>
  Effect.gen(function* () {
    const now = world.options.origin + 3 * hour
    yield* TestClock.setTime(now)
    const venue = yield* Effect.provide(VenueClient, layer(world))
    const listed = (yield* Stream.runCollect(venue.listMarkets)).flatMap(({ rows }) => rows)
    deepStrictEqual(new Set(listed.map(({ id }) => id)).size, 200)
    const market = listed.find(({ volumeUsd }) => volumeUsd > 100_000)
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
