/**
 * Compares a process that is killed at each of its calls with one that is not killed.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { digestEvery } from "../../src/digest/domain/digest.ts"
import { hour } from "../../src/core/domain/time.ts"
import { DigestStore } from "../../src/digest/DigestStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { News } from "../../src/news/News.ts"
import { storesOf, whalesContext } from "../support/whales/whaleStores.ts"
import {
  digestsOn,
  makeNarrator,
  moverAt,
  portsLayer,
  reading,
} from "../support/digest/digestService.ts"
import { test } from "../support/effect.ts"
import { makeKiller } from "../support/killer.ts"
import { embeddedStore } from "../support/stores.ts"

const start = Date.UTC(2026, 10, 20)
const slots = 3
/** Writing a digest takes fewer calls. */
const callsMax = 100

/** Writes `slots` digests; `withKills`: each one is killed before its first call, its second, and so on. */
const run = Effect.fnUntraced(function* (withKills: boolean) {
  yield* TestClock.setTime(start)
  const ports = reading(yield* Layer.build(portsLayer.pipe(Layer.provide(embeddedStore))))
  const { service: narrator } = yield* makeNarrator
  const killer = makeKiller()
  const watched = ports.pipe(
    Context.add(FeedStore, killer.watched(Context.get(ports, FeedStore))),
    Context.add(MarketStore, killer.watched(Context.get(ports, MarketStore))),
    Context.merge(whalesContext(killer.watched(storesOf(ports)))),
    Context.add(DigestStore, killer.watched(Context.get(ports, DigestStore))),
    Context.add(JobSlots, killer.watched(Context.get(ports, JobSlots))),
    Context.add(News, killer.watched(Context.get(ports, News))),
  )
  const process = Effect.flatMap(
    digestsOn(watched, killer.watched(narrator)),
    ({ write }) => write,
  )
  const feed = Context.get(ports, FeedStore)
  const deaths: Array<number> = []
  for (let slot = 0; slot < slots; slot++) {
    const now = yield* Clock.currentTimeMillis
    yield* feed.append([1, 2, 3].map((n) => moverAt(slot * 3 + n, now - hour)))
    let call = 1
    while (withKills && call < callsMax && (yield* killer.killed(call, process))) call += 1
    deaths.push(call - 1)
    yield* process
    yield* TestClock.adjust(digestEvery)
  }
  return { deaths, stored: yield* Context.get(ports, DigestStore).since(0, 99) }
})

test("write() stores the same digests when it is killed at every call", () =>
  Effect.gen(function* () {
    const quiet = yield* Effect.scoped(run(false))
    const killed = yield* Effect.scoped(run(true))
    equal(quiet.deaths, [0, 0, 0])
    ok(Math.min(...killed.deaths) >= 12, `killed at ${killed.deaths} calls only`)
    equal(killed.stored.map(({ slot }) => slot), [2, 1, 0].map((n) => start + n * digestEvery))
    equal(killed.stored, quiet.stored)
  }))
