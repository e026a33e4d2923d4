/**
 * Counting under concurrent changes, and judging at a cost that depends on what changed.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MarketId, TokenId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { day, hour } from "../../src/core/domain/time.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { recomputeEntries } from "../../src/whales/entryPublishing.ts"
import { test } from "../support/effect.ts"
import { hashOf } from "../support/whales/activityEvents.ts"
import { market, now } from "../support/movers/market.ts"
import { embeddedWhales, whalesContext, type WhaleStores } from "../support/whales/whaleStores.ts"

const wallet = "0xaaaa"
const entries = 40

const resolutionOf = (marketId: MarketId, payouts: readonly [number, number]): Resolution => ({
  marketId,
  resolvedAt: now - day,
  state: "paid",
  payouts,
})

/** Stores with one wallet that has forty entries, each in an ended market; `perEvent` in one event. */
const stageOf = Effect.fnUntraced(function* (
  perEvent: number,
  { endsAt = now - day, wins = (n: number) => n % 2 === 0 } = {},
) {
  yield* TestClock.setTime(now)
  const whales = yield* embeddedWhales
  yield* whales.track([{ wallet, name: "Calm-Comet", source: "volume" }], now)
  const markets = Array.from({ length: entries }, (_, n) =>
    market({
      id: MarketId.make(`m${n}`),
      eventKey: `event-${Math.floor(n / perEvent)}`,
      endsAt,
      tokenIds: [TokenId.make(`yes${n}`), TokenId.make(`no${n}`)],
    }))
  const activity = markets.map(({ id, tokenIds }, n) => ({
    ...{ wallet, marketId: id, kind: "buy" as const, tokenId: tokenIds[0], size: 500 },
    ...{ price: 0.4, at: now - 2 * day, transaction: hashOf(n), occurrence: 0 },
  }))
  yield* whales.saveRead({ wallet, activity, readFrom: 0, readTo: now, history: "whole" })
  yield* whales.saveFacts(markets, [], now)
  const terms = { stakeMinUsd: 1_000, notBefore: now - hour }
  const until = now + hour
  strictEqual(
    yield* recomputeEntries(yield* entryServices(whales), terms, until, { recomputed: 0 }),
    true,
  )
  yield* whales.saveResolutions(
    markets.map(({ id }, n) => resolutionOf(id, wins(n) ? [1, 0] : [0, 1])),
    [],
    now,
  )
  return { whales, until }
})

const stage = stageOf(1)

/** The service over the stores, with some methods replaced. */
const over = (whales: WhaleStores, replaced: Partial<WhaleStores> = {}) =>
  Layer.build(Layer.fresh(Calibration.layer)).pipe(
    Effect.map((services) => Context.get(services, Calibration)),
    Effect.provide(whalesContext({ ...whales, ...replaced })),
  )

/** The services of `recomputeEntries`. */
const entryServices = Effect.fnUntraced(function* (whales: WhaleStores) {
  return { wallets: whales, entries: whales, calibration: yield* over(whales) }
})

const edgesOf = (whales: WhaleStores) =>
  Effect.map(whales.counted, (all) => all.get(wallet)?.sums.edges)

test("count() computes the record of a wallet again when it changed meanwhile", () =>
  Effect.gen(function* () {
    const { whales, until } = yield* stage
    let changes = 3
    const contested = yield* over(whales, {
      saveCounted: (...counted) =>
        changes-- > 0
          ? Effect.andThen(
            whales.saveResolutions(
              [resolutionOf(
                MarketId.make("m1"),
                changes === 0 ? [1, 0] : [0.5, 0.5 - changes / 9],
              )],
              [],
              now,
            ),
            whales.saveCounted(...counted),
          )
          : whales.saveCounted(...counted),
    })
    const tally = { counted: 0 }
    strictEqual(yield* contested.count(until, tally), true)
    strictEqual(tally.counted, 1)
    const edges = yield* edgesOf(whales)
    equal([edges?.clusters, Math.round(edges?.s ?? 0)], [entries, 0.6 * entries - 19])
  }))

test("count() and recomputeEntries() stop at their time limit", () =>
  Effect.gen(function* () {
    const { whales } = yield* stage
    const tally = { counted: 0, recomputed: 0 }
    strictEqual(yield* (yield* over(whales)).count(now, tally), false)
    strictEqual(
      yield* recomputeEntries(
        yield* entryServices(whales),
        { stakeMinUsd: 1, notBefore: now },
        now,
        tally,
      ),
      false,
    )
    equal(tally, { counted: 0, recomputed: 0 })
  }))

test("count() leaves the other wallets to the next call after 50,000 positions", () =>
  Effect.gen(function* () {
    const { whales, until } = yield* stage
    const [position] = yield* whales.positions(wallet)
    if (position === undefined) throw new Error("The wallet has no position")
    const busy = yield* over(whales, {
      uncounted: (...query) => Effect.map(whales.uncounted(...query), (all) => [...all, ...all]),
      positions: () => Effect.succeed(Array.from({ length: 50_000 }, () => position)),
    })
    const tally = { counted: 0 }
    strictEqual(yield* busy.count(until, tally), false)
    strictEqual(tally.counted, 1)
    strictEqual(yield* busy.count(until, tally), true)
  }))

test("judge writes changed rows only", () =>
  Effect.gen(function* () {
    const { whales, until } = yield* stage
    yield* (yield* over(whales)).count(until, { counted: 0 })
    const calls = { written: 0 }
    const watched = yield* over(whales, {
      saveCalibrated: (...written) => {
        calls.written += 1
        return whales.saveCalibrated(...written)
      },
    })
    equal(yield* watched.judge, { follow: 0, fade: 0, neutral: 1 })
    equal(calls, { written: 1 })
    equal(yield* watched.judge, { follow: 0, fade: 0, neutral: 1 })
    equal(calls, { written: 1 })
    const [whale] = yield* whales.calibrated
    equal([whale?.row.resolved, whale?.computedAt], [entries, now])
  }))
