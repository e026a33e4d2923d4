/**
 * Reports on the markets of a simulated world: each meets its twelve points.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Layer, Ref, References, Stream } from "effect"
import { TestClock } from "effect/testing"
import { day, minute } from "../../src/core/domain/time.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { News } from "../../src/news/News.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { reportPage } from "../../src/research/domain/page.ts"
import { readMaterial, readRequired } from "../../src/research/reading.ts"
import { layer as simulatedVenue } from "../../src/venues/simulated/venue.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { EntryStore } from "../../src/whales/EntryStore.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { test } from "../support/effect.ts"
import { alwaysFresh, makeProductPorts, productPortsLayer } from "../support/products.ts"
import { headline, templateReportOf } from "../support/research/reports.ts"
import { missedPoints } from "../support/research/twelvePoints.ts"
import { sized } from "../support/size.ts"

const marketsMax = sized({ short: 40, full: 200 })
const world = makeWorld({ seed: 2, markets: 80 })
const now = world.options.origin + 20 * day

test("reports on the markets of a simulated world meet their twelve points", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const shelf = yield* makeProductPorts
    yield* Ref.set(shelf.news, {
      headlines: [headline({ publishedAt: now - 90 * minute })],
      coverage: { sources: 5, answered: 5 },
    })
    const ports = yield* Layer.build(
      Layer.mergeAll(productPortsLayer(shelf), alwaysFresh, simulatedVenue(world)),
    )
    const venue = Context.get(ports, VenueClient)
    const listed = yield* Stream.runCollect(venue.listMarkets)
    const markets = listed.flatMap(({ rows }) => rows).slice(0, marketsMax)
    yield* Ref.set(shelf.markets, markets)
    const kinds = new Set<string>()
    for (const market of markets) {
      const reading = {
        markets: Context.get(ports, MarketStore),
        venue,
        whales: Context.get(ports, EntryStore),
        wallets: Context.get(ports, WalletStore),
        news: Context.get(ports, News),
        freshness: Context.get(ports, Freshness),
        feed: { moversSince: () => Effect.succeed([]) },
        trackRecord: { scorecard: Effect.succeed(sampleScorecard(now)) },
      }
      const read = yield* Effect.option(
        readMaterial(reading, market, readRequired(reading, market)),
      )
      if (read._tag === "None") continue
      const material = read.value
      const page = reportPage(material)
      equal(missedPoints(material, page, templateReportOf(material)), [], market.question)
      kinds.add(material.proposal === null ? "open" : "proposed")
      kinds.add(market.gameStartsAt === null ? "event" : "game")
      if (page.facts.some(({ values }) => values["rungs"] !== undefined)) kinds.add("ladder")
    }
    for (const kind of ["open", "event", "game", "ladder"]) ok(kinds.has(kind), [...kinds].join())
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")))
