/**
 * Markets of one simulated event: a harder rung is never more likely and never wins alone, and rivals
 * never add up to more than 1.
 *
 * @module
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"

/** Each rung with the next harder one. */
function neighbours(world: World, generation: number) {
  const rungs = Array.from(
    { length: world.catalogue.slots },
    (_, slot) => world.catalogue.generation(slot, generation),
  ).filter(({ rivals, rung }) => rung !== null && rivals === 0)
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

  Deno.test(`rivals add up to at most 1, and at most one wins (seed ${world.options.seed})`, () => {
    const events = [-2, -1, 0].flatMap((generation) => [
      ...Map.groupBy(
        Array.from(
          { length: world.catalogue.slots },
          (_, slot) => world.catalogue.generation(slot, generation),
        ).filter(({ rivals }) => rivals > 0),
        ({ eventKey }) => eventKey,
      ).values(),
    ])
    ok(events.length > 40, `${events.length} events`)
    for (const markets of events) {
      const [first] = markets
      if (first === undefined) continue
      const { closesAt, opensAt, resolvedAt, slug } = first
      ok(markets.every((market) => world.listed(market, opensAt).exclusive))
      for (let part = 0; part < 40; part++) {
        const at = opensAt + (resolvedAt - opensAt) * part / 40
        const sum = markets.reduce((sum, it) => sum + world.truth.probability(it, at), 0)
        // Also of what quotes show, in an event whose quotes lag.
        const bids = markets.reduce((sum, market) => {
          const quote = world.quote(market, at)
          return sum + (quote === null ? 0 : quote.bidTicks / quote.ticksPerUsd)
        }, 0)
        ok(sum <= 1 + 1e-6 && bids < 1.05, `${slug}: ${sum}, bid ${bids}`)
      }
      const winners = markets.filter((market) => world.truth.payouts(market)?.[0] === 1)
      ok(winners.length <= 1, `${slug}: ${winners.length} winners at ${closesAt}`)
      const yes = markets.filter((market) =>
        world.proposal(market, market.proposedAt)?.outcome === 0
      )
      ok(yes.length <= 1, `${slug}: ${yes.length} are proposed to win`)
    }
  })
}

Deno.test("no two open markets of the dev world ask the same", () => {
  for (const seed of [1, 2, 3]) {
    const world = devWorld(seed)
    for (const days of [0, 5, 30]) {
      const open = world.list(world.options.origin + days * 86_400_000, 0, world.catalogue.slots)
      const questions = open.filter(({ gameStartsAt }) => gameStartsAt === null)
        .map(({ question }) => question)
      deepStrictEqual(questions.filter((it, n) => questions.indexOf(it) < n), [])
    }
  }
})
