/**
 * The whale service over a simulated world with a store of its own, tick by tick on the TestClock.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as feedStore from "../../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../../src/markets/postgres/marketStore.ts"
import * as simulated from "../../../src/venues/simulated/venue.ts"
import type { Wallet } from "../../../src/venues/simulated/wallets.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import type { MarketFacts, MarketId } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import type { TrackingSource } from "../../../src/whales/domain/tracking.ts"
import { FeedStore } from "../../../src/feed/FeedStore.ts"
import { MarketStore } from "../../../src/markets/MarketStore.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { WalletHistory } from "../../../src/whales/WalletHistory.ts"
import { Whales } from "../../../src/whales/Whales.ts"
import { Calibration } from "../../../src/whales/Calibration.ts"
import { WalletStore } from "../../../src/whales/WalletStore.ts"
import { postgresWhales, type WhalePorts } from "./whaleStores.ts"

export const tick = Duration.hours(1)
export const tickIntervalMs = Duration.toMillis(tick)
export const stakeMinUsd = 1_000

type Venue = VenueClient["Service"]

/** The resolutions that the venue returned, in order. */
export type ObservedResolutions = Array<{ readonly at: EpochMs; readonly resolution: Resolution }>

/** The simulated venue with some methods replaced; records the resolutions it returns. */
export const trialVenue = (
  world: World,
  observed: ObservedResolutions,
  replace: (real: Venue) => Partial<Venue> = () => ({}),
) =>
  Layer.effect(
    VenueClient,
    Effect.map(VenueClient, (real) => {
      const venue = { ...real, ...replace(real) }
      return VenueClient.of({
        ...venue,
        resolutions: (markets) =>
          Effect.gen(function* () {
            const answer = yield* venue.resolutions(markets)
            const at = yield* Clock.currentTimeMillis
            observed.push(...answer.rows.map((resolution) => ({ at, resolution })))
            return answer
          }),
      })
    }),
  ).pipe(Layer.provide(simulated.layer(world)))

/** The services and their ports; the whale stores are in PostgreSQL by default. */
export const trialLayer = <R = SqlClient>(
  venue: Layer.Layer<VenueClient>,
  whaleStores: Layer.Layer<WhalePorts, never, R | SqlClient> = postgresWhales,
) =>
  Whales.layer({ tick, stakeMinUsd }).pipe(
    Layer.provideMerge(WalletHistory.layer),
    Layer.provide(Calibration.layer),
    Layer.provideMerge(
      Layer.mergeAll(feedStore.layer, marketStore.layer, whaleStores, venue),
    ),
  )

export type Trial = Context.Context<
  Whales | WalletHistory | FeedStore | MarketStore | WhalePorts | VenueClient
>

/** Tracks these wallets, and reads their histories. */
export const track = Effect.fnUntraced(function* (
  trial: Trial,
  wallets: ReadonlyArray<{ readonly wallet: Wallet; readonly source: TrackingSource }>,
) {
  yield* Context.get(trial, WalletStore).track(
    wallets.map(({ wallet, source }) => ({
      wallet: wallet.address,
      name: wallet.pseudonym,
      source,
    })),
    yield* Clock.currentTimeMillis,
  )
  yield* Context.get(trial, WalletHistory).readHistories(Infinity)
})

/** Sets the time to `at`, and saves the listed markets as the movers' tick does. */
export const listAt = Effect.fnUntraced(function* (trial: Trial, at: EpochMs) {
  yield* TestClock.setTime(at)
  const pages = yield* Stream.runCollect(Context.get(trial, VenueClient).listMarkets)
  yield* Context.get(trial, MarketStore).save(pages.flatMap(({ rows }) => rows), at)
})

/** One tick at `at`. */
export const tickAt = Effect.fnUntraced(function* (trial: Trial, at: EpochMs) {
  yield* listAt(trial, at)
  return yield* Context.get(trial, Whales).tick(at)
})

/** Every whale entry in the feed. */
export const itemsOf = Effect.fnUntraced(function* (trial: Trial) {
  const items = yield* Context.get(trial, FeedStore).page({ since: 0, count: 1_000, type: null })
  return items.flatMap((item) => item.type === "whale_entry" ? [item] : [])
})

/** All activity of these wallets until `to`, as the venue returns it at the clock's time. */
export const allActivity = Effect.fnUntraced(function* (
  trial: Trial,
  wallets: ReadonlyArray<Wallet>,
  to: EpochMs,
) {
  const source = Context.get(trial, VenueClient).wallets
  const activity: Array<ActivityEvent> = []
  if (source === null) return []
  for (const wallet of wallets) {
    // The simulated venue has one page.
    const page = yield* Effect.orDie(source.activity(wallet.address, { from: 0, to }))
    activity.push(...page.rows.map(({ event }) => event))
  }
  return numberOccurrences(activity)
})

/** The facts of these markets. */
export const factsOf = Effect.fnUntraced(function* (
  trial: Trial,
  ids: ReadonlyArray<MarketId>,
) {
  const { rows } = yield* Effect.orDie(Context.get(trial, VenueClient).facts(ids))
  return new Map<MarketId, MarketFacts>(rows.map((facts) => [facts.id, facts]))
})
