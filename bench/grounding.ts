/**
 * What the grounding of claims says to true statements about generated facts of every kind, and to each
 * way of making them false.
 *
 *     deno task bench:grounding [briefs]
 *
 * @module
 */
import { Console, Effect } from "effect"
import { groundingTrial, tableOf } from "../tests/support/writing/groundingTrial.ts"

const briefs = Number(Deno.args[0] ?? 200)
const examplesMax = 20

const started = performance.now()
const trial = groundingTrial(Array.from({ length: briefs }, (_, n) => 1 + n))
const seconds = ((performance.now() - started) / 1_000).toFixed(1)

await Effect.runPromise(Effect.gen(function* () {
  yield* Console.log(`${briefs} briefs in ${seconds} s\n`)
  yield* Console.log(tableOf("true statement", trial.truths))
  yield* Console.log(`\n${tableOf("corruption", trial.falsehoods)}`)
  for (const { what, verdict, text, reasons } of trial.examples.slice(0, examplesMax)) {
    yield* Console.log(`\n${what}: ${verdict}: ${text}\n  ${reasons.join("; ")}`)
  }
}))
