/**
 * The stand-in for the venue is as strict as the venue.
 *
 * @module
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual } from "node:assert/strict"
import { wire } from "../../support/venues/wire/wire.ts"
import { makeWorld } from "../../../src/venues/simulated/world.ts"
import { day, second } from "../../../src/core/domain/time.ts"
import { test } from "../../support/effect.ts"

const world = makeWorld({ seed: 4, markets: 20 })
const now = world.options.origin + 5 * day

test("what the official client would not send is refused", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const handle = wire(world, {})
    const statusOf = (path: string, body: string | null = null) =>
      Effect.map(
        handle(new Request(`http://venue.test${path}`, { method: body ? "POST" : "GET", body })),
        ({ status }) => status,
      )
    const many = Array.from({ length: 501 }, () => ({ token_id: "1" }))
    deepStrictEqual(yield* statusOf("/books", JSON.stringify(many)), 400)
    deepStrictEqual(yield* statusOf("/books", JSON.stringify(many.slice(1))), 200)
    const start = Math.floor((now - 20 * day) / second)
    const [one, other] = [`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`]
    const statuses = {
      [`/v2/resolutions?condition=${one},${other}`]: 200,
      [`/v2/resolutions?condition=${one}&condition=${other}`]: 400,
      [`/v2/resolutions?condition=${one},${one}`]: 400,
      [`/v2/resolutions?condition=${one}&event_id=1`]: 400,
      [`/v2/resolutions?condition=${one.slice(0, 64)}`]: 400,
      [`/v2/trades?condition=${one}&start=1`]: 400,
      "/v2/activity": 400,
      "/v2/leaderboard?sort_by=pnl": 400,
      "/v2/leaderboard?sortBy=PNL": 400,
      [`/markets/keyset?condition_ids=${one}&condition_ids=${other}`]: 200,
      [`/markets/keyset?condition_ids=${one},${other}`]: 400,
      "/markets/keyset?limit=101": 400,
      "/markets/keyset?offset=10": 400,
      [`/prices-history?market=1&startTs=${start}&endTs=${Math.floor(now / second)}`]: 400,
      "/book?token_id=1": 404,
      "/nothing": 404,
    }
    for (const [path, status] of Object.entries(statuses)) {
      deepStrictEqual([path, yield* statusOf(path)], [path, status])
    }
  }))
