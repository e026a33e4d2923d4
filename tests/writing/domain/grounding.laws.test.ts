/**
 * The grounding of claims, measured on generated facts of every kind: true statements in many wordings,
 * and each way of making them false.
 *
 * @module
 */
import { ok } from "node:assert/strict"
import { Console, Effect } from "effect"
import { test } from "../../support/effect.ts"
import { sized } from "../../support/size.ts"
import { corruptions } from "../../support/writing/corruptions.ts"
import { type Counts, groundingTrial, tableOf } from "../../support/writing/groundingTrial.ts"
import { typedBrief } from "../../support/writing/typedFacts.ts"
import { wordings } from "../../support/writing/wordings.ts"

const briefs = sized({ short: 8, full: 60 })
const notPassedMin = 0.99
const askedMax = 0.03
const truthsRefusedMax = 0.01
const wordingsMin = 3

const trial = groundingTrial(Array.from({ length: briefs }, (_, n) => 1_000 + n))
const all = ({ pass, ask, refuse }: Counts) => pass + ask + refuse

test("ground() refuses each corruption of each fact", () =>
  Effect.gen(function* () {
    yield* Console.log(tableOf("corruption", trial.falsehoods))
    const missing = corruptions.filter(({ name }) => !trial.falsehoods.has(name))
    ok(missing.length === 0, `never applied: ${missing.map(({ name }) => name)}`)
    for (const [name, counts] of trial.falsehoods) {
      const shown = trial.examples.filter(({ what }) => what === name).slice(0, 5)
      const some = shown.map(({ text, verdict }) => `${verdict}: ${text}`).join("\n")
      ok(counts.pass / all(counts) <= 1 - notPassedMin, `${name} passes:\n${some}`)
      // A second check that says yes to everything passes what is asked.
      ok((counts.ask + counts.pass) / all(counts) <= askedMax, `${name} is asked about:\n${some}`)
    }
  }))

test("ground() refuses no true statement, in any wording", () =>
  Effect.gen(function* () {
    yield* Console.log(tableOf("true statement", trial.truths))
    for (const [kinds, counts] of trial.truths) {
      const shown = trial.examples.filter(({ what }) => what === `true: ${kinds}`).slice(0, 5)
      const some = shown.map(({ text, reasons }) => `${text} (${reasons.join("; ")})`).join("\n")
      ok(counts.refuse / all(counts) <= truthsRefusedMax, `${kinds}:\n${some}`)
    }
  }))

Deno.test("every kind of fact has wordings", () => {
  const kinds = new Set(typedBrief(1).map(({ kind }) => kind))
  for (const kind of kinds) {
    const own = wordings.filter((wording) => wording.kinds.join() === kind)
    ok(own.length >= wordingsMin, kind)
  }
})
