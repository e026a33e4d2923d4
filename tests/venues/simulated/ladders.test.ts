/**
 * The rungs of a simulated ladder: a harder one is never more likely and never wins alone, and what
 * their quotes contradict is small.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { day, hour } from "../../../src/core/domain/time.ts"
import { contradictionsOf, laddersOf } from "../../../src/markets/domain/ladders.ts"
import { quoteOf } from "../../../src/markets/domain/quote.ts"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"

/** Each rung with the next harder one. */
function neighbours(world: World, generation: number) {
  const rungs = Array.from(
    { length: world.catalogue.slots },
    (_, slot) => world.catalogue.generation(slot, generation),
  ).filter(({ rung }) => rung !== null)
  return rungs.flatMap((easier): ReadonlyArray<readonly [SimulatedMarket, SimulatedMarket]> => {
    const harder = world.catalogue.generation(easier.slot + 1, generation)
    return harder.eventKey === easier.eventKey ? [[easier, harder]] : []
  })
}

for (const world of [devWorld(), makeWorld({ seed: 3, markets: 300, jumpsPerMarketDay: 2 })]) {
  Deno.test(`a harder rung is never more likely, to the end (seed ${world.options.seed})`, () => {
    const pairs = [-2, -1, 0].flatMap((generation) => neighbours(world, generation))
    ok(pairs.length > 80, `${pairs.length} pairs`)
    for (const [easier, harder] of pairs) {
      for (let part = 0; part <= 40; part++) {
        const at = easier.opensAt + (easier.closesAt - easier.opensAt) * part / 40
        const [low, high] = [
          world.truth.probability(easier, at),
          world.truth.probability(harder, at),
        ]
        const undecided = easier.end !== "decided" || harder.end !== "decided"
        ok(high <= low + 1e-9 || part === 40 && undecided, `${harder.slug}: ${high} above ${low}`)
      }
    }
  })
}

Deno.test("quotes of the dev world contradict each other by a few cents, and not rarely", () => {
  const world = devWorld()
  const gains = Array.from({ length: 40 }, (_, n) => {
    const at = world.options.origin + n * 17 * hour + day
    const markets = world.list(at, 0, world.catalogue.slots).map((market) => ({
      market,
      quote: market.listed === null || market.status !== "open" ? null : quoteOf({
        ...market.listed,
        ...{ bidShares: 1_000, askShares: 1_000 },
      }),
      known: null,
    }))
    return contradictionsOf(laddersOf(markets)).map(({ gainPerShare }) => gainPerShare)
  })
  const all = gains.flat()
  ok(all.length >= 40 && all.length <= 400, `${all.length} in ${gains.length} readings`)
  ok(Math.max(...all) <= 0.08, `${Math.max(...all)}`)
})
