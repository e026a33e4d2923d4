/**
 * The worlds of `fixtures/worlds`, with a digest of all their visible data.
 *
 * Run as a script it rewrites the fixtures: `deno run -A tests/support/venues/worlds.ts`.
 *
 * @module
 */
import { devWorld } from "../../../src/venues/simulated/venue.ts"
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import { day, hour } from "../../../src/core/domain/time.ts"

/** Worlds whose visible data must not change. */
export const worlds: Readonly<Record<string, () => World>> = {
  dev: () => devWorld(1),
  bounceOnly: () => makeWorld({ seed: 2, markets: 60, bounceOnly: true }),
  busy: () => makeWorld({ seed: 3, markets: 60, jumpsPerMarketDay: 2, mechanicalShare: 0.2 }),
}

/** The generation at the origin, as written in slugs. */
const generationZero = 10_000_000

/** A market by its slug; not for mechanical markets. */
export function marketBySlug({ catalogue }: World, slug: string): SimulatedMarket | undefined {
  const [, slot, ordinal] = /-(\d{1,7})-(\d{1,9})$/.exec(slug) ?? []
  const market = catalogue.generation(Number(slot), Number(ordinal) - generationZero)
  return market.slug === slug ? market : undefined
}

export const fixturesUrl = new URL("../../../fixtures/worlds/", import.meta.url)

/** SHA-256, for two instants 30 hours apart, of listing, books, histories and tape. */
export async function digests(world: World): Promise<ReadonlyArray<string>> {
  const { origin } = world.options
  return await Promise.all([origin, origin + 30 * hour].map(async (at) => {
    const visible = world.list(at, 0, world.catalogue.slots).map((market) => ({
      market,
      books: market.tokenIds.map((tokenId) => world.book(tokenId, at)),
      history: world.history(market.tokenIds[0], { from: at - day, to: at }, hour),
      trades: trades(world, market.id, at),
    }))
    const bytes = new TextEncoder().encode(JSON.stringify(visible))
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    return hash.toHex()
  }))
}

function trades(world: World, id: string, at: number) {
  const market = world.catalogue.byId(id)
  return market === undefined ? [] : world.trades(market, { from: at - hour, to: at }, 100)
}

if (import.meta.main) {
  await Deno.mkdir(fixturesUrl, { recursive: true })
  for (const [name, make] of Object.entries(worlds)) {
    const world = make()
    const fixture = { options: world.options, digests: await digests(world) }
    await Deno.writeTextFile(
      new URL(`${name}.json`, fixturesUrl),
      `${JSON.stringify(fixture, null, 2)}\n`,
    )
  }
}
