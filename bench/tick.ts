/**
 * The cost of a tick: CPU seconds and peak memory, with a real store and a venue in another process
 * that serves Polymarket's wire shapes, and whose CPU seconds are printed too: a tick waits for them.
 *
 *   deno task bench:tick [markets=50000] [books=5000] [ticks=10]
 *
 * The store is a PostgreSQL (`needs.ts`), whose work is not part of the figures. The world runs 300 times faster than the clock
 * and slots are ten minutes apart, so that movers appear once the series are an hour long (tick 7).
 * There are no pace limits for the venue: they cost time, not work. Histories are not read (every
 * market is marked as seeded), because seeding happens once per market.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import process from "node:process"
import { Console, Duration, Effect, Layer } from "effect"
import { Flag } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { defaultLimits } from "../src/venues/polymarket/requests.ts"
import * as polymarket from "../src/venues/polymarket/venue.ts"
import * as feedStore from "../src/feed/postgres/feedStore.ts"
import * as marketStore from "../src/markets/postgres/marketStore.ts"
import { serveWire } from "../tests/support/venues/wire/wire.ts"
import { worldDefaults } from "../src/venues/simulated/options.ts"
import { makeWorld } from "../src/venues/simulated/world.ts"
import { Ingestion } from "../src/movers/Ingestion.ts"
import { MarketStore } from "../src/markets/MarketStore.ts"
import { postgresStore } from "../tests/support/stores.ts"
import { benchArguments, benchDatabase, count } from "./needs.ts"
import { cpuSeconds } from "../tests/support/processUse.ts"

const tickInterval = Duration.minutes(10)
/** World milliseconds per millisecond of the clock. */
const speed = 300
const unpaced = {
  ...defaultLimits.perTenSeconds,
  listing: 1e6,
  books: 1e6,
  history: 1e6,
  trades: 1e6,
}

/** The venue's process: prints its address and serves until it is killed. */
const serveVenue = (markets: number, books: number) =>
  Effect.scoped(Effect.gen(function* () {
    const world = makeWorld({ seed: 7, markets, gateShare: books / markets })
    yield* Console.log(yield* serveWire(world, { speed, clockOrigin: Date.now() }))
    return yield* Effect.never
  }))

/** Starts the venue's process, which is killed when the scope closes. */
const startVenue = Effect.fnUntraced(function* (markets: number, books: number) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--lock=tests/deno.lock",
          "-A",
          import.meta.filename ?? "",
          "--venue",
          `${markets}`,
          `${books}`,
        ],
        stdout: "piped",
      }).spawn()
    ),
    (child) =>
      Effect.promise(async () => {
        child.kill()
        await child.stdout.cancel()
        await child.status
      }),
  )
  const reader = child.stdout.getReader()
  const { value } = yield* Effect.promise(() => reader.read())
  reader.releaseLock()
  return { url: new TextDecoder().decode(value).trim(), cpuSeconds: () => cpuSeconds(child.pid) }
})

/** Runs the ticks one after another and prints the cost of each. */
const measure = (ticks: number, venueSeconds: () => number) =>
  Effect.gen(function* () {
    const ingestion = yield* Ingestion
    for (let n = 0; n < ticks; n++) {
      const slot = worldDefaults.origin + n * Duration.toMillis(tickInterval)
      const before = process.cpuUsage()
      const venueBefore = venueSeconds()
      const report = yield* ingestion.tick(slot)
      const { user, system } = process.cpuUsage(before)
      yield* Console.log(
        `tick ${n + 1}: ${report.markets} markets, ${report.books} books, ` +
          `${report.items.length} movers, ${((user + system) / 1e6).toFixed(2)} CPU s ` +
          `and ${(venueSeconds() - venueBefore).toFixed(1)} of the venue, ` +
          `${report.seconds.toFixed(1)} s, ` +
          `peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB` +
          report.failed.map((stage) => `, ${stage} failed`).join(""),
      )
      yield* Console.log(`  rejected ${JSON.stringify(report.rejected)}`)
    }
  })

/** A store in which every series is seeded. */
const seededStore = Layer.effect(
  MarketStore,
  Effect.map(
    MarketStore,
    (store) => MarketStore.of({ ...store, unseeded: () => Effect.succeed([]) }),
  ),
).pipe(Layer.provide(marketStore.layer))

const benchLayer = (baseUrl: string, databaseUrl: string) => {
  const venue = polymarket.layer({
    gammaUrl: baseUrl,
    clobUrl: baseUrl,
    dataUrl: `${baseUrl}/v2`,
    limits: { perTenSeconds: unpaced },
  })
  const stores = Layer.mergeAll(
    feedStore.layer,
    seededStore,
  )
  return Ingestion.layer({ tick: tickInterval }).pipe(
    Layer.provide(Layer.mergeAll(
      stores.pipe(Layer.provide(postgresStore(databaseUrl))),
      venue.pipe(Layer.provide(FetchHttpClient.layer)),
    )),
  )
}

const { venue, markets, books, ticks } = await benchArguments("tick", {
  venue: Flag.Boolean("venue").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Only serve the venue; the bench starts such a process itself"),
  ),
  markets: count("markets", 50_000),
  books: count("books", 5_000),
  ticks: count("ticks", 10),
})
await Effect.runPromise(
  venue ? serveVenue(markets, books) : Effect.scoped(Effect.gen(function* () {
    const { url, cpuSeconds } = yield* startVenue(markets, books)
    const databaseUrl = yield* benchDatabase
    yield* measure(ticks, cpuSeconds).pipe(Effect.provide(benchLayer(url, databaseUrl)))
  })),
)
