/**
 * The store of published outcomes.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Layer } from "effect"
import { MarketId } from "../../src/markets/domain/market.ts"
import { DetectionStore } from "../../src/predetermined/DetectionStore.ts"
import { layer } from "../../src/predetermined/postgres/detectionStore.ts"
import { test } from "../support/effect.ts"
import { embeddedStore } from "../support/stores.ts"

test("a market is published once, however often it is added", () =>
  Effect.gen(function* () {
    const store = yield* DetectionStore
    const ids = ["a", "b", "a"].map((id) => MarketId.make(id))
    yield* store.add([], 1)
    yield* store.add(ids, 1)
    yield* store.add(ids, 2)
    equal(yield* store.published([]), new Set())
    equal(yield* store.published([...ids, MarketId.make("c")]), new Set(ids))
  }).pipe(Effect.provide(layer.pipe(Layer.provide(embeddedStore)))))
