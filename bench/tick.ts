/**
 * What a tick costs: CPU seconds and peak memory of the process, over a simulated venue and a real
 * store.
 *
 *   deno run -A bench/tick.ts [markets=50000] [books=5000] [ticks=3]
 *
 * With TEST_DATABASE_URL the store is that PostgreSQL (in a schema of its own), without it the
 * embedded one in memory, whose work is then inside of the figures. Ticks are ten minutes apart on a
 * test clock. Every series is marked as seeded, so that a tick reads no histories: seeding happens
 * once a market. The first tick is cold (every market is new to the store). The simulated venue's
 * own work is in the figures too; how much that is, is measured first, by asking it alone.
 *
 * @module
 */
import process from "node:process"
import { Console, Duration, Effect, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../src/adapters/postgres/feed.ts"
import * as marketStore from "../src/adapters/postgres/markets.ts"
import * as venue from "../src/adapters/simulation/venue.ts"
import { makeWorld } from "../src/adapters/simulation/world.ts"
import type { Market } from "../src/domain/market.ts"
import { screenMarket } from "../src/domain/mover.ts"
import { booksMax, Ingestion } from "../src/services/Ingestion.ts"
import { MarketStore } from "../src/services/MarketStore.ts"
import { VenueClient } from "../src/services/VenueClient.ts"
import { embeddedStore, postgresStore } from "../tests/support/stores.ts"

const [markets = 50_000, books = 5_000, ticks = 3] = Deno.args.map(Number)
const url = Deno.env.get("TEST_DATABASE_URL")
const cadence = Duration.minutes(10)
/** Ordinary markets are what is left of all after the mechanical ones; some are past their end. */
const ordinaryShare = 0.95
const world = makeWorld({ seed: 7, markets, gateShare: books / markets / ordinaryShare })

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const peakMb = () => Math.round(process.resourceUsage().maxRSS / 1024)

/** How many CPU seconds an effect takes. */
const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const before = cpuSeconds()
  const value = yield* effect
  return { value, cpu: cpuSeconds() - before }
})

const worthABook = Effect.gen(function* () {
  const { listMarkets } = yield* VenueClient
  const found: Array<Market> = []
  yield* Stream.runForEach(listMarkets, (page) =>
    Effect.sync(() => {
      for (const market of page.rows) {
        if (Result.isSuccess(screenMarket(market))) found.push(market)
      }
    }))
  return found
})

const program = Effect.gen(function* () {
  const client = yield* VenueClient
  const store = yield* MarketStore
  const ingestion = yield* Ingestion
  yield* TestClock.setTime(world.options.origin)

  const alone = yield* timed(Effect.gen(function* () {
    const worth = yield* worthABook
    yield* client.books(worth.slice(0, booksMax).map((market) => market.tokenIds[0]))
    return worth
  }))
  yield* Console.log(
    `venue alone: ${markets} markets, ${alone.value.length} worth a book, ` +
      `${alone.cpu.toFixed(2)} CPU s, ${peakMb()} MB`,
  )
  yield* store.markSeeded(alone.value.map(({ id }) => id), world.options.origin)

  for (let n = 0; n < ticks; n++) {
    const slot = world.options.origin + n * Duration.toMillis(cadence)
    yield* TestClock.setTime(slot)
    const { value: report, cpu } = yield* timed(ingestion.tick(slot))
    yield* Console.log(
      `tick ${n + 1}: ${report.markets} markets, ${report.books} books, ` +
        `${report.movers.length} movers, ${cpu.toFixed(2)} CPU s, ` +
        `${report.seeded} histories, peak ${peakMb()} MB` +
        (report.failed.length > 0 ? `, failed: ${report.failed.join(", ")}` : ""),
    )
  }
})

const stores = Layer.mergeAll(feedStore.layer, marketStore.layer).pipe(
  Layer.provide(url === undefined ? embeddedStore : postgresStore(url)),
)
const layers = Ingestion.layer({ tick: cadence }).pipe(
  Layer.provideMerge(Layer.mergeAll(stores, venue.layer(world))),
)

await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(layers, TestClock.layer()))))
