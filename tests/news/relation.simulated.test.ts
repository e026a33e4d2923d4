/**
 * The relation of stories and markets in simulated worlds, which know the market of every headline.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { day } from "../../src/core/domain/time.ts"
import { newsIndex, related } from "../support/news/unsliced.ts"
import { makeNewsArchive, outlets } from "../../src/venues/simulated/news.ts"
import { devWorld } from "../../src/venues/simulated/venue.ts"
import { sized } from "../support/size.ts"

/** A world, three days of its news, and its markets at their end. */
function newsOf(seed: number) {
  const world = devWorld(seed)
  const until = world.options.origin + 20 * day
  const archive = makeNewsArchive(world)
  const rows = outlets.flatMap((outlet) =>
    archive.published(outlet, { from: until - 3 * day, to: until })
  )
  const markets = Array.from(
    { length: world.catalogue.slots },
    (_, slot) => world.catalogue.at(slot, until),
  ).filter(({ kind }) => kind !== "mechanical")
  return { world, rows, markets }
}

Deno.test("an index that was asked about other markets answers as a new one", () => {
  const { rows, markets } = newsOf(1)
  const oneEvent = markets.slice(0, 12).map((market) => ({ ...market, eventSlug: "one-event" }))
  const asked = newsIndex(rows, oneEvent)
  for (const market of [...oneEvent, ...oneEvent.toReversed()]) {
    const found = related(asked, market, 0, rows.length)
    equal(found, related(newsIndex(rows, oneEvent), market, 0, rows.length))
  }
})

Deno.test("every story of a market is direct, and none is close to a market of another subject", () => {
  const counts = { direct: 0, missed: 0, close: 0, wrong: 0 }
  for (let seed = 1; seed <= sized({ short: 2, full: 12 }); seed++) {
    const { world, rows, markets } = newsOf(seed)
    const index = newsIndex(rows, markets)
    const marketOf = new Map(rows.map(({ url, marketId }) => [url, marketId]))
    for (const market of markets) {
      const found = related(index, market, 0, rows.length)
      const direct = new Set(
        found.filter(({ strength }) => strength === "direct").map(({ url }) => url),
      )
      for (const { url } of index.stories.filter(({ url }) => marketOf.get(url) === market.id)) {
        counts[direct.has(url) ? "direct" : "missed"] += 1
      }
      for (const { strength, url } of found) {
        if (strength === "family") continue
        const id = marketOf.get(url) ?? null
        const category = id === null ? null : world.catalogue.byId(id)?.category
        counts[category === market.category ? "close" : "wrong"] += 1
      }
    }
  }
  const { direct, missed, close, wrong } = counts
  ok(direct > 100 && missed <= 0.01 * direct, JSON.stringify(counts))
  ok(close > 500 && wrong <= 0.01 * close, JSON.stringify(counts))
})
