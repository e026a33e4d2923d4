/**
 * Movers against planted truth: the aims of bench/movers.ts on a few small worlds.
 *
 * @module
 */
import { ok } from "node:assert"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { claimsOf, score, total, watch, watchNaively } from "../support/movers/moverTruth.ts"
import { sized } from "../support/size.ts"

const seeds = sized({ short: [1, 2], full: [1, 2, 3, 4, 5, 6] })
const markets = 60
const jumpsMin = sized({ short: 12, full: 50 })

Deno.test("at least 90 % of movers are right, and at least 80 % of planted jumps are found", () => {
  const worlds = seeds.map((seed) => makeWorld({ seed, markets }))
  const rule = total(worlds.map((world) => score(world, claimsOf(watch(world).movers))))
  ok(rule.jumps >= jumpsMin, `only ${rule.jumps} planted jumps to find`)
  ok(rule.right / rule.emitted >= 0.9, `${rule.right} of ${rule.emitted} movers are right`)
  ok(rule.withJump / rule.beforeRun >= 0.9, `${rule.withJump} of ${rule.beforeRun} have a jump`)
  ok(rule.found / rule.jumps >= 0.8, `${rule.found} of ${rule.jumps} jumps are found`)

  const naive = total(worlds.map((world) => score(world, watchNaively(world, "everything"))))
  ok(naive.right / naive.emitted < rule.right / rule.emitted, "the naive rule is as precise")
})
