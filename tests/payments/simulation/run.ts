/**
 * Runs many seeds and prints those that violate an invariant:
 * deno run -A tests/payments/simulation/run.ts --seeds 5000 [--from 1] [--trace]
 *
 * @module
 */
import { Clock, Console, Effect } from "effect"
import { Flag } from "effect/cli"
import { layer } from "../../../src/payments/wasmSignatures.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { taskArguments, whole } from "../../support/program.ts"
import { simulate } from "./simulate.ts"

const { from, seeds, trace } = await taskArguments("test:simulation", {
  from: whole("from", 1),
  seeds: whole("seeds", 5_000),
  trace: Flag.Boolean("trace").pipe(Flag.withDefault(false)),
})

const program = Effect.gen(function* () {
  const realSignatures = yield* Signatures
  const sums = { calls: 0, paid: 0, delivered: 0, refunded: 0, both: 0 }
  const transitionCounts = new Map<string, number>()
  let failed = 0
  const began = yield* Clock.currentTimeMillis
  for (let seed = from; seed < from + seeds; seed++) {
    const { result, lines, transitions } = simulate(seed, realSignatures)
    for (const transition of transitions) {
      transitionCounts.set(transition, (transitionCounts.get(transition) ?? 0) + 1)
    }
    for (const key of Object.keys(sums) as Array<keyof typeof sums>) sums[key] += result[key]
    if (result.violations.length === 0) continue
    failed += 1
    yield* Console.log(`seed ${seed}:\n  ${result.violations.join("\n  ")}`)
    if (trace) yield* Console.log(lines.join("\n"))
  }
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - began) / 1_000)
  const transitions = [...transitionCounts].sort().map(([transition, times]) =>
    `${transition}, ${times} times`
  )
  yield* Console.log(transitions.join("\n"))
  yield* Console.log(JSON.stringify({ seeds, seconds, ...sums }))
  const passed = seeds - failed
  yield* Console.log(`\n${failed === 0 ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed`)
  return failed
})

if (await Effect.runPromise(Effect.provide(program, layer)) > 0) Deno.exit(1)
