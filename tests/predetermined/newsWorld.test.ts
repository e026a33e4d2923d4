/**
 * Outcomes that are published from the news of a simulated venue: nearly all of them are right, even
 * when the detector believes every headline.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { day } from "../../src/core/domain/time.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { careful, hasty, scoreOf } from "../support/predetermined/newsWorld.ts"

const world = makeWorld({
  ...{ seed: 23, markets: 48, lifeDays: [3, 6], jumpsPerMarketDay: 1, laggardShare: 1 },
  ...{ wrongProposalShare: 0.1, wrongContestedShare: 0.2 },
})
const range = { from: Math.ceil(world.options.origin / day) * day, hours: 72 }

Deno.test("a careful detector publishes only right outcomes, and half of those reported", () => {
  const { reported, published, right } = scoreOf(world, range, careful)
  strictEqual(right, published)
  ok(right >= reported / 2, `${right} of ${reported}`)
})

Deno.test("a detector that believes every headline publishes few wrong outcomes", () => {
  const { published, right } = scoreOf(world, range, hasty)
  ok(published >= 2 && right >= 0.8 * published, `${right} of ${published}`)
})
