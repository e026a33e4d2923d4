/**
 * The kept worlds are still what they were: a store that was filled from one goes on with it.
 *
 * @module
 */
import { deepStrictEqual } from "node:assert/strict"
import { digests, fixturesUrl, worlds } from "../../support/venues/worlds.ts"

for (const [name, make] of Object.entries(worlds)) {
  Deno.test(`the world “${name}” is what it was when its fixture was made`, async () => {
    const world = make()
    const kept: unknown = JSON.parse(
      await Deno.readTextFile(new URL(`${name}.json`, fixturesUrl)),
    )
    const now = { options: world.options, digests: await digests(world) }
    deepStrictEqual(JSON.parse(JSON.stringify(now)), kept)
  })
}
