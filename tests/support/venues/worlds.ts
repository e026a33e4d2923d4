/**
 * Finds a market of a simulated world.
 *
 * @module
 */
import type { SimulatedMarket } from "../../../src/venues/simulated/catalogue.ts"
import type { World } from "../../../src/venues/simulated/world.ts"

/** The generation at the origin, as written in slugs. */
const generationZero = 10_000_000

/** A market by its slug; not for mechanical markets. */
export function marketBySlug({ catalogue }: World, slug: string): SimulatedMarket | undefined {
  const [, slot, ordinal] = /-(\d{1,7})-(\d{1,9})$/.exec(slug) ?? []
  const market = catalogue.generation(Number(slot), Number(ordinal) - generationZero)
  return market.slug === slug ? market : undefined
}
