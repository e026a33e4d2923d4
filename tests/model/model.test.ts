/**
 * The model of the payment protocol, a small share of it: run.ts beside this file is the whole.
 *
 * @module
 */
import { deepStrictEqual as equal, notDeepStrictEqual as differ, ok } from "node:assert/strict"
import { Tally } from "./coverage.ts"
import { breakages, type Mutant } from "./mutants.ts"
import { loners, type Run, simulate } from "./simulate.ts"
import { story } from "./story.ts"

/** Far from the seeds that CI runs, so that a day's tests see more of the world. */
const from = 1_000_000
const seeds = 2_000

/** Everything that can be seen of a run. */
const transcript = ({ world, verdict }: Run) => ({
  trace: world.trace,
  log: world.database.log,
  told: world.told,
  chain: [...world.chain.entries],
  steps: world.kernel.steps,
  verdict,
})

const tally = new Tally()

Deno.test("no run breaks an invariant, and most payments are delivered", () => {
  for (let seed = from; seed < from + seeds; seed++) {
    const run = simulate(seed)
    tally.add(run)
    equal(run.verdict.violations, [], story(run).join("\n"))
  }
  ok(tally.delivered > 0.7 * tally.paid)
})

Deno.test("faults reach their windows: only rare ones are missing from a small share", () => {
  const missing = tally.missing()
  ok(missing.length < 20, missing.join("\n"))
  equal(missing.filter((what) => what.startsWith("settle: ")), [])
})

Deno.test("without faults every payment is delivered and none is refunded", () => {
  const runs = Array.from({ length: 60 }, (_, index) => simulate(20 * index))
  for (const { world, verdict } of runs) {
    ok(world.faultFree)
    equal(verdict.violations, [])
    equal(verdict.refunded, 0)
    equal(verdict.delivered, verdict.paid)
    ok(verdict.paid > 0)
  }
})

Deno.test("a machine may die at any step of a payment", () => {
  let steps = 0
  for (const lone of loners) {
    const { mortalSteps } = simulate(0, new Set(), { lone }).world.kernel
    for (let step = 1; step <= mortalSteps; step++) {
      const { world, verdict } = simulate(0, new Set(), { lone: { ...lone, killAt: [step] } })
      equal(world.kernel.deaths.length, 1)
      equal(verdict.violations, [], `${lone.order}, killed at ${step}`)
      steps++
    }
  }
  ok(steps > 150, `${steps}`)
})

Deno.test("a crash at the wrong step shows what only a crash can show", () => {
  const undisturbed = loners.filter(({ chainAway }) => !chainAway)
  for (const name of ["bytes only with the answer", "refund row in another transaction"] as const) {
    const isCaught = undisturbed.some((lone) =>
      Array.from({ length: 40 }, (_, step) => {
        const options = { lone: { ...lone, killAt: [step + 1] } }
        return simulate(0, new Set([name]), options).verdict.violations.length > 0
      }).includes(true)
    )
    const isCaughtWithout = undisturbed.some((lone) =>
      simulate(0, new Set([name]), { lone }).verdict.violations.length > 0
    )
    ok(isCaught && !isCaughtWithout, name)
  }
})

Deno.test("a seed replays exactly, and traced as untraced", () => {
  for (const seed of [3, 7, 14, 59, 131, 1_999]) {
    const first = transcript(simulate(seed, new Set(), { traced: true }))
    equal(first, transcript(simulate(seed, new Set(), { traced: true })))
    equal({ ...first, trace: null }, transcript(simulate(seed)))
    differ(first.told, transcript(simulate(seed + 1)).told)
  }
})

Deno.test("the oracle notices what is broken often", () => {
  const often: ReadonlyArray<Mutant> = [
    "no compare-and-set",
    "no request binding",
    "no sweeper",
    "no refund of the unsent",
    "refund row in another transaction",
    "trust authorizationState",
    "trust facilitator success",
    "402 on unknown",
    "redeliver without the secret",
  ]
  for (const name of often) {
    const caught = Array.from({ length: 100 }, (_, seed) => simulate(seed, new Set([name])))
      .find(({ verdict }) => verdict.violations.length > 0)
    ok(caught !== undefined, name)
    const told = story(simulate(caught.world.seed, new Set([name]), { traced: true }))
    ok(told.length > 2, `no story of ${name}`)
  }
})

Deno.test("every mutant has a place in the gate, once", () => {
  const names = breakages.map(({ name }) => name)
  equal(names.length, new Set(names).size)
  ok(names.length >= 18)
})
