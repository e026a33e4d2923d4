/**
 * The simulated world stays the same while its code becomes faster: the SHA-256 of what the venue
 * and the news return at one instant.
 *
 * @module
 */
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual } from "node:assert/strict"
import { day, hour } from "../../../src/core/domain/time.ts"
import { boardPeriods } from "../../../src/markets/domain/leaderboard.ts"
import {
  type ActivityPage,
  VenueClient,
  type WalletSource,
} from "../../../src/markets/VenueClient.ts"
import { NewsSources } from "../../../src/news/NewsSources.ts"
import * as simulatedNews from "../../../src/venues/simulated/news.ts"
import { layer } from "../../../src/venues/simulated/venue.ts"
import { defaultGroups } from "../../../src/venues/simulated/wallets.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { test } from "../../support/effect.ts"

const wallets = defaultGroups.map((group) => ({ ...group, count: 1 }))
const options = { activityRows: 40 }
const newWorld = () =>
  makeWorld({
    ...{ seed: 12, markets: 60, walletDays: 25, wallets },
    ...{ laggardShare: 0.2, wrongProposalShare: 0.01, wrongContestedShare: 0.33 },
  })

/** Everything the venue and the news of a world return now, in a fixed order. */
const everythingOf = Effect.fnUntraced(function* (world: World, at: number) {
  const venue = yield* Effect.provide(VenueClient, layer(world, options))
  const source = venue.wallets
  if (source === null) throw new Error("no wallets")
  const sources = yield* Effect.provide(NewsSources, simulatedNews.layer(world))
  const listed = (yield* Stream.runCollect(venue.listMarkets)).flatMap(({ rows }) => rows)
  const ids = listed.map(({ id }) => id)
  const range = { from: at - day, to: at, stepMs: hour }
  return {
    listed,
    books: yield* venue.books(listed.flatMap(({ tokenIds }) => tokenIds)),
    history: yield* Effect.forEach(
      listed,
      ({ tokenIds }) => venue.priceHistory(tokenIds[0], range),
    ),
    trades: yield* Effect.forEach(ids.slice(0, 10), (id) => venue.trades(id, at - day)),
    facts: yield* venue.facts(ids),
    proposals: yield* venue.proposals(ids),
    resolutions: yield* venue.resolutions(ids),
    rules: yield* venue.rules(ids),
    boards: yield* Effect.forEach(
      boardPeriods.flatMap((period) =>
        source.categories.flatMap((category) => [
          { period, category, by: "profit" as const },
          { period, category, by: "volume" as const },
        ])
      ),
      (board) => source.leaderboard(board, 20),
    ),
    activity: yield* Effect.forEach(world.wallets, ({ address }) => pagesOf(source, address, at)),
    news: yield* Effect.forEach(sources, ({ read }) => read([["to"], ["open"]])),
  }
})

/** A wallet's pages of the last ten days. */
const pagesOf = Effect.fnUntraced(
  function* (source: WalletSource, wallet: string, at: number) {
    const pages: Array<ActivityPage> = []
    let cursor: string | null = null
    do {
      const page: ActivityPage = yield* source.activity(
        wallet,
        { from: at - 10 * day, to: at },
        cursor,
      )
      pages.push(page)
      cursor = page.next
    } while (cursor !== null)
    return pages
  },
)

async function digestOf(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 16)
}

/** It changes only with the rules of the world. */
const expected = "4eacb50d1beffc97"

test("a seed gives the same world as before", () =>
  Effect.gen(function* () {
    const world = newWorld()
    const at = world.options.origin + 2.3 * day
    yield* TestClock.setTime(at)
    const everything = yield* everythingOf(world, at)
    deepStrictEqual(yield* Effect.promise(() => digestOf(everything)), expected)
  }))
