/**
 * Which entries of tracked wallets the memory shows of one market, on every store and in memory.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/whales/postgres/whaleStore.ts"
import { WhaleStore } from "../../src/whales/WhaleStore.ts"
import { liveTest } from "../support/effect.ts"
import { memoryWhaleStore } from "../support/whales/memoryWhales.ts"
import { whaleRow } from "../support/products.ts"
import { onEveryStore } from "../support/stores.ts"
import {
  actOf,
  entryOf,
  factsOf,
  marketOf,
  resolutionOf,
  start,
  walletOf,
} from "./whaleStore.laws.ts"

const name = "a market shows its largest entries, as many as are asked for, until it ends"

/** Three wallets with three entries each: the second entry is a hedge, the third wallet is unread. */
const shows = Effect.gen(function* () {
  const store = yield* WhaleStore
  yield* store.track(
    [2, 0, 1].map((n) => ({
      ...{ wallet: walletOf(n), name: `name ${n}`, source: "volume" as const },
    })),
    start,
  )
  yield* store.saveFacts([factsOf(0)], [], start)
  for (const n of [0, 1, 2]) {
    const history = n === 2 ? "reading" as const : "whole" as const
    yield* store.saveRead({
      ...{ wallet: walletOf(n), acts: [actOf(n, 0, 0)], history },
      ...{ readFrom: start, readTo: start },
    })
    yield* store.saveMade([{
      ...{ wallet: walletOf(n), marketId: marketOf(0), version: 1, boughtBoth: true, due: false },
      entries: [entryOf(0), entryOf(1), entryOf(2)],
    }])
  }
  yield* store.saveCalibrated([
    { computedAt: start, row: whaleRow({ wallet: walletOf(1) }) },
  ], [])
  const shown = Effect.fnUntraced(function* (limit: number) {
    return (yield* store.entriesIn(marketOf(0), limit)).map((entry) => [
      ...[entry.wallet, entry.name, entry.stakeUsd, entry.calibration?.row.wallet ?? null],
    ])
  })
  const [first, second] = [[walletOf(0), "name 0"], [walletOf(1), "name 1"]]
  const largest = [[...first, 33.5, null], [...second, 33.5, walletOf(1)]]
  equal(yield* shown(2), largest)
  const rest = [[...first, 100 / 3, null], [...second, 100 / 3, walletOf(1)]]
  equal(yield* shown(9), [...largest, ...rest])
  equal(yield* store.entriesIn(marketOf(1), 9), [])
  yield* store.saveResolutions([resolutionOf(0, 0)], [], start)
  equal(yield* shown(9), [])
})

liveTest(`WhaleStore in memory: ${name}`, () => Effect.provide(shows, memoryWhaleStore))

onEveryStore("WhaleStore.entriesIn()", (law) => law(name, Effect.provide(shows, layer)))
