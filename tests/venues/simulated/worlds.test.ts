/**
 * The fixture worlds do not change: a database that was filled from one must stay valid.
 *
 * @module
 */
import { deepStrictEqual } from "node:assert/strict"
import { digests, fixturesUrl, worlds } from "../../support/venues/worlds.ts"

for (const [name, make] of Object.entries(worlds)) {
  Deno.test(`the world "${name}" equals its fixture`, async () => {
    const world = make()
    const fixture: unknown = JSON.parse(
      await Deno.readTextFile(new URL(`${name}.json`, fixturesUrl)),
    )
    const now = { options: world.options, digests: await digests(world) }
    deepStrictEqual(JSON.parse(JSON.stringify(now)), fixture)
  })
}
