/**
 * The rungs of a simulated ladder: a harder one is never more likely and never wins alone.
 *
 * @module
 */
import { ok } from "node:assert/strict"
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
