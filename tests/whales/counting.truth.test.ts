/**
 * Whatever changes, and in whatever order it becomes known, the sums of a wallet's record equal those
 * computed from scratch at that time.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { hour, minute, second } from "../../src/core/domain/time.ts"
import type { NumberedActivityEvent } from "../../src/markets/domain/activity.ts"
import { type Market, MarketId, TokenId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { noSums, type WalletSums } from "../../src/whales/domain/score.ts"
import { recomputeEntries } from "../../src/whales/entryPublishing.ts"
import { hashOf } from "../support/whales/activityEvents.ts"
import { market, now as start } from "../support/movers/market.ts"
import { Random } from "../support/random.ts"
import { sized } from "../support/size.ts"
import { alike } from "../support/whales/records.ts"
import { makeOracle } from "../support/whales/whaleOracle.ts"
import type { ObservedResolutions } from "../support/whales/whaleTrial.ts"
import {
  onEveryWhaleStore,
  whalesContext,
  type WhaleStores,
} from "../support/whales/whaleStores.ts"

const wallet = "0xaaaa"
const steps = 60
const stepMs = 2 * hour
/** Some markets are due at the same time, one has no schedule. */
const dueHours = [4, 4, 20, 40, 40, 60, null]
const markets: ReadonlyArray<Market> = dueHours.map((hours, n) =>
  market({
    ...{ id: MarketId.make(`m${n}`), eventKey: `event-${n}`, takerFeeRate: n / 100 },
    endsAt: hours === null ? null : start + hours * hour,
    tokenIds: [TokenId.make(`yes${n}`), TokenId.make(`no${n}`)],
  })
)
const anyMarket = (random: Random) => markets[random.below(markets.length)] ?? market()

/** An event of the `n`-th step, or of one long before it. */
function anyEvent(random: Random, n: number): NumberedActivityEvent {
  const { id, tokenIds } = anyMarket(random)
  const age = random.chance(0.5) ? random.below(n + 1) : 0
  return {
    ...{ wallet, marketId: id, kind: random.pick(["buy", "buy", "sell"] as const), size: 500 },
    ...{ tokenId: random.pick(tokenIds), price: random.pick([0.2, 0.4, 0.97]), occurrence: 0 },
    // No two events have the same time: seconds differ by step here, minutes in `removing`.
    at: start + (n - age) * stepMs - (1 + n) * second,
    transaction: hashOf(n),
  }
}

/** A purchase of the other outcome without a price, before `event`: without it there is no entry. */
function removing(event: NumberedActivityEvent, n: number): NumberedActivityEvent {
  const [yes, no] = markets.find(({ id }) => id === event.marketId)?.tokenIds ?? []
  const tokenId = (event.tokenId === yes ? no : yes) ?? null
  const at = event.at - (1 + n) * minute
  return { ...event, kind: "buy", tokenId, price: 0, at, transaction: hashOf(n) }
}

/** A resolution, of which another one of the same market is a correction. */
function anyResolution(random: Random, now: number): Resolution {
  const resolvedAt = random.chance(0.3) ? null : now - random.below(60) * minute
  const ended = { marketId: anyMarket(random).id, resolvedAt } as const
  return random.chance(0.2)
    ? { ...ended, state: "cancelled" }
    : { ...ended, state: "paid", payouts: random.pick([[1, 0], [0, 1], [0.5, 0.5]]) }
}

/** Saves the changes of one seed one by one, and counts the wallet after each. */
const countEach = Effect.fnUntraced(function* (store: WhaleStores, seed: number) {
  const random = new Random(seed)
  const calibration = Context.get(
    yield* Effect.provide(Layer.build(Layer.fresh(Calibration.layer)), whalesContext(store)),
    Calibration,
  )
  const services = { wallets: store, entries: store, calibration }
  const activity: Array<NumberedActivityEvent> = []
  const readAt = new Map<number, number>()
  const observed: ObservedResolutions = []
  const seen: Array<{ readonly now: number; readonly sums: WalletSums }> = []
  yield* store.track([{ wallet, name: "Calm-Comet", source: "volume" }], start)
  yield* store.saveFacts(markets, [], start)
  for (let n = 0; n < steps; n++) {
    const now = start + n * stepMs
    yield* TestClock.setTime(now)
    if (random.chance(0.75)) {
      const known = activity[random.below(activity.length)]
      const event = known !== undefined && known.price > 0 && random.chance(0.3)
        ? removing(known, n)
        : anyEvent(random, n)
      activity.push(event)
      readAt.set(event.at, now)
      yield* store.saveRead({
        ...{ wallet, activity: [event], readFrom: 0, readTo: now, history: "whole" },
      })
    } else {
      const resolution = anyResolution(random, now)
      observed.push({ at: now, resolution })
      yield* store.saveResolutions([resolution], [], now)
    }
    const until = now + hour
    const terms = { stakeMinUsd: 1_000, notBefore: now - hour }
    yield* recomputeEntries(services, terms, until, { recomputed: 0 })
    equal(yield* calibration.count(until, { counted: 0 }), true)
    seen.push({ now, sums: (yield* store.counted).get(wallet)?.sums ?? noSums })
  }
  const oracle = makeOracle({
    ...{ activity, observed, readAt: (at) => readAt.get(at) ?? Infinity },
    facts: new Map(markets.map((one) => [one.id, one])),
    wallets: yield* store.tracked,
    slots: seen.map(({ now }) => now),
  })
  return { seen, oracle }
})

onEveryWhaleStore("Counting", (law) => {
  // In all but the first, an open position that delays results loses its entries.
  for (const seed of sized({ short: [1, 49], full: [1, 2, 49, 58, 88, 109] })) {
    law(
      `seed ${seed}: after each change the sums equal those computed from scratch`,
      (store) =>
        Effect.gen(function* () {
          const { seen, oracle } = yield* countEach(store, seed)
          for (const [n, { now, sums }] of seen.entries()) {
            const expected = oracle.sumsAt(now).get(wallet) ?? noSums
            ok(alike(sums, expected), `step ${n}`)
          }
          const counts = new Set(seen.map(({ sums }) => sums.edges.n))
          ok(counts.size > 1, `all records are equal`)
        }).pipe(Effect.scoped, Effect.provide(TestClock.layer())),
    )
  }
})
