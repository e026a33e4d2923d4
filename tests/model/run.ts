/**
 * The model at full length: many seeds without a violation, every mutant caught, every fault seen.
 *
 * `deno run -A tests/model/run.ts --seeds 30000 --crashes --mutants` is what CI runs; `--from 12345 --seeds 1`
 * shows one seed.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { Tally } from "./coverage.ts"
import { type Breakage, breakages, type Mutant, type Tame } from "./mutants.ts"
import { loners, simulate } from "./simulate.ts"
import { story } from "./story.ts"

/** Below this many seeds the rarest windows may be missed by chance. */
const coveredBy = 30_000
/** Delivered and refunded is our loss: at most this share of what was paid, under all the faults. */
const bothShareMax = 0.002
const storiesMax = 3

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "30000" },
    from: { type: "string", default: "0" },
    crashes: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
  },
})

const tally = new Tally()
let passed = 0
let failed = 0

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`))
}

function check(title: string, isRight: boolean): void {
  say(`${title} ... ${isRight ? "ok" : "FAILED"}`)
  if (isRight) passed++
  else failed++
}

function runSeeds(from: number, seeds: number): void {
  const start = performance.now()
  let stories = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const run = simulate(seed)
    tally.add(run)
    if (run.verdict.violations.length > 0 && stories++ < storiesMax) {
      for (const line of story(simulate(seed, new Set(), { traced: true }))) say(line)
    }
  }
  const seconds = (performance.now() - start) / 1000
  const { paid, delivered, refunded, both, bothRestored, resold, steps } = tally
  const open = paid - delivered - refunded + both + bothRestored
  say(
    `${seeds} seeds in ${seconds.toFixed(1)} s (${Math.round(seeds / seconds)}/s), ${steps} steps`,
  )
  say(`used ${paid}, delivered ${delivered}, refunded ${refunded}, both ${both}, open ${open}`)
  say(`beside these ${bothRestored} both after a restored backup, ${resold} resold after a fork`)
  for (const failure of tally.failures) say(`seed ${failure}`)
  check(`no invariant is broken in ${seeds} seeds`, tally.failed === 0)
  check("delivered and refunded stays rare", both <= paid * bothShareMax)
}

/** Whether everything was reached that should be, by chance or by one crash after the other. */
function checkWindows(): void {
  const missing = tally.missing()
  for (const [what, times] of [...tally.counts].sort()) {
    say(`  ${String(times).padStart(7)} ${what}`)
  }
  for (const what of missing) say(`never happened: ${what}`)
  check("every crash point, lie and move was reached", missing.length === 0)
}

/** Every way to kill a machine once, and twice, while one payment is under way. */
function runCrashes(): void {
  const start = performance.now()
  const crashes = { singles: 0, doubles: 0, failed: 0 }
  for (const lone of loners) {
    const run = (killAt: ReadonlyArray<number>) => {
      const run = simulate(0, new Set(), { lone: { ...lone, killAt } })
      if (run.verdict.violations.length > 0 && crashes.failed++ < storiesMax) {
        const options = { lone: { ...lone, killAt }, traced: true }
        say(`${lone.order}, killed at ${killAt.join(" and ")}`)
        for (const line of story(simulate(0, new Set(), options))) say(line)
      }
      tally.watch(run)
      return run.world.kernel.mortalSteps
    }
    const steps = run([])
    for (let first = 1; first <= steps; first++) {
      crashes.singles++
      const left = run([first])
      for (let second = first + 1; second <= left; second++) {
        crashes.doubles++
        run([first, second])
      }
    }
  }
  const seconds = (performance.now() - start) / 1000
  say(`${crashes.singles} single and ${crashes.doubles} double crashes in ${seconds.toFixed(1)} s`)
  check("no crash at any step, or two, breaks an invariant", crashes.failed === 0)
}

/** The first seed that a broken protocol fails, and the invariants that notice. */
function firstCaught(broken: ReadonlySet<Mutant | Tame>, seedsMax: number) {
  for (let seed = 0; seed < seedsMax; seed++) {
    const { violations } = simulate(seed, broken).verdict
    if (violations.length > 0) return { seed, by: new Set(violations.map((one) => one.invariant)) }
  }
  return null
}

function runMutant({ name, without, seedsMax }: Breakage): void {
  const caught = firstCaught(new Set([name, ...without]), seedsMax)
  const seeds = caught === null ? seedsMax : caught.seed + 1
  // What is switched off for the mutant's sake must not be what was caught.
  const alone = without.length === 0 ? null : firstCaught(new Set(without), seeds)
  const by = caught === null ? "survives" : [...caught.by].join(" ")
  say(`${name.padEnd(38)} ${by.padEnd(18)} ${String(seeds).padStart(6)} seeds`)
  check(`mutant ${name} is caught`, caught !== null && alone === null)
}

runSeeds(Number(values.from), Number(values.seeds))
if (values.crashes) runCrashes()
if (values.crashes && Number(values.seeds) >= coveredBy) checkWindows()
if (values.mutants) breakages.forEach(runMutant)
say(`\n${failed === 0 ? "ok" : "FAILED"} | ${passed} passed (0 steps) | ${failed} failed`)
Deno.exit(failed === 0 ? 0 : 1)
