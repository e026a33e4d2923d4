/**
 * Movers against planted truth: how many are right, how many planted jumps are found, and the same for
 * a naive rule on the same worlds. The counts are defined in tests/support/movers/moverTruth.ts.
 *
 *     deno task bench:movers [seeds] [markets]
 *
 * Each seed is its own world with 24 hours of ticks (every 10 minutes) on 8 days of history, without a
 * store. The exit code is 1 when an aim is missed.
 *
 * @module
 */
import { makeWorld } from "../src/venues/simulated/world.ts"
import {
  type Claim,
  claimsOf,
  type Score,
  score,
  total,
  watch,
  watchNaively,
} from "../tests/support/movers/moverTruth.ts"
import { benchArguments, count } from "./needs.ts"

const { seeds, markets } = await benchArguments("movers", {
  seeds: count("seeds", 50),
  markets: count("markets", 150),
})

const phases = ["running", "settled"] as const
const names = ["gates", ...phases, "naive"]
const rules: Record<string, Array<Score>> = Object.fromEntries(names.map((name) => [name, []]))
const rejected: Record<string, number> = {}

for (let seed = 1; seed <= seeds; seed++) {
  const world = makeWorld({ seed, markets })
  const watched = watch(world)
  for (const [reason, count] of Object.entries(watched.rejected)) {
    rejected[reason] = (rejected[reason] ?? 0) + count
  }
  const add = (rule: string, claims: ReadonlyArray<Claim>) =>
    rules[rule]?.push(score(world, claims))
  add("gates", claimsOf(watched.movers, phases))
  for (const phase of phases) add(phase, claimsOf(watched.movers, [phase]))
  add("naive", watchNaively(world))
}

const share = (part: number, whole: number) => `${part}/${whole} ${(part / whole).toFixed(4)}`
const lines = Object.entries(rules).map(([rule, scores]) => {
  const all = total(scores)
  return [
    rule.padEnd(16),
    `precision ${share(all.right, all.emitted)}`,
    `recall ${share(all.found, all.jumps)}`,
  ].join("  ")
})
const gates = total(rules["gates"] ?? [])
const aims = { precision: 0.9, recall: 0.8 }
const isPrecise = ({ right, emitted }: Score) => right >= aims.precision * emitted
const met = phases.map((phase) => total(rules[phase] ?? [])).every(isPrecise) &&
  gates.found >= aims.recall * gates.jumps
const report = [
  `${seeds} worlds of ${markets} markets, 24 h each`,
  ...lines,
  `rejected: ${JSON.stringify(rejected)}`,
  `aims (precision ${aims.precision}, recall ${aims.recall}) ${met ? "met" : "MISSED"}`,
]
await Deno.stdout.write(new TextEncoder().encode(report.join("\n") + "\n"))
Deno.exit(met ? 0 : 1)
