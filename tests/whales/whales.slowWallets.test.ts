/**
 * Wallets whose reading never ends do not stop the reading of others.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Context, Duration, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import type { TrackedWallet } from "../../src/whales/domain/tracking.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import { Whales } from "../../src/whales/Whales.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { test } from "../support/effect.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { embeddedStore } from "../support/stores.ts"
import {
  stakeMinUsd,
  tick,
  tickIntervalMs,
  trialLayer,
  trialVenue,
} from "../support/whales/whaleTrial.ts"

const world = makeWorld({ seed: 5, markets: 2, wallets: [] })
const start = world.options.origin

test("tick() reads the other wallets when some never answer", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const trial = yield* Layer.build(
      trialLayer(trialVenue(world, [])).pipe(Layer.provide(embeddedStore)),
    )
    const wallets = Array.from({ length: 20 }, (_, n) => `0x${`${n}`.padStart(40, "0")}`)
    const hanging = new Set(wallets.slice(0, 9))
    yield* Context.get(trial, WalletStore).track(
      wallets.map((wallet) => ({ wallet, name: wallet, source: "volume" as const })),
      start,
    )
    const read = new Set<string>()
    const unanswered = yield* Queue.unbounded<TrackedWallet>()
    const history = WalletHistory.of({
      readBack: () => Effect.never,
      readForward: (wallet) =>
        hanging.has(wallet.wallet)
          ? Effect.andThen(Queue.offer(unanswered, wallet), Effect.never)
          : Effect.sync(() => {
            read.add(wallet.wallet)
            return { wallet, added: 0, pages: 1, rejected: {} }
          }),
    })
    const whales = yield* Layer.build(
      Layer.fresh(Whales.layer({ tick, stakeMinUsd })).pipe(
        Layer.provide([Layer.succeed(WalletHistory, history), Layer.fresh(Calibration.layer)]),
        Layer.provide(Layer.succeedContext(trial)),
      ),
    )
    for (let n = 0; n < 3; n++) {
      const slot = start + n * tickIntervalMs
      yield* TestClock.setTime(slot)
      const ticking = yield* Effect.forkChild(Context.get(whales, Whales).tick(slot))
      // No other wallet is read then: four are read at once.
      yield* Queue.takeN(unanswered, 4)
      yield* TestClock.adjust(Duration.minutes(5))
      equal((yield* Fiber.join(ticking)).failed, ["reading"])
    }
    equal([...read].sort(), wallets.filter((wallet) => !hanging.has(wallet)))
  }))
