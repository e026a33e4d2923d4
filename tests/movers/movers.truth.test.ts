/**
 * Movers against planted truth: the aims of bench/movers.ts on a few small worlds.
 *
 * @module
 */
import { ok } from "node:assert"
import type { MovePhase } from "../../src/feed/domain/item.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { claimsOf, score, total, watch, watchNaively } from "../support/movers/moverTruth.ts"
import { sized } from "../support/size.ts"

const seeds = sized({ short: [1, 2], full: [1, 2, 3, 4, 5, 6] })
const markets = 100
const jumpsMin = sized({ short: 12, full: 50 })

Deno.test("90 % of movers are right in each phase, and 80 % of planted jumps are found", () => {
  const worlds = seeds.map((seed) => makeWorld({ seed, markets }))
  const watched = worlds.map((world) => [world, watch(world).movers] as const)
  const scoreOf = (...phases: ReadonlyArray<MovePhase>) =>
    total(watched.map(([world, movers]) => score(world, claimsOf(movers, phases))))
  for (const phase of ["running", "settled"] as const) {
    const { right, emitted } = scoreOf(phase)
    ok(emitted >= jumpsMin && right / emitted >= 0.9, `${right} of ${emitted} ${phase} are right`)
  }
  const rule = scoreOf("running", "settled")
  ok(rule.jumps >= jumpsMin, `only ${rule.jumps} planted jumps to find`)
  ok(rule.found / rule.jumps >= 0.8, `${rule.found} of ${rule.jumps} jumps are found`)

  const naive = total(worlds.map((world) => score(world, watchNaively(world))))
  ok(naive.right / naive.emitted < rule.right / rule.emitted, "the naive rule is as precise")
})
