/**
 * Planted answers of a detector: every wrong one is refused, by class, and the true ones are accepted.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Result } from "effect"
import { judgeDetection } from "../../../src/predetermined/domain/predetermined.ts"
import {
  plantedAnswer,
  type PlantedCase,
  plantedQuestion,
} from "../../support/predetermined/planted.ts"
import { trueAnswers } from "../../support/predetermined/trueAnswers.ts"
import { wrongAnswers } from "../../support/predetermined/wrongAnswers.ts"

/** `accepted`, or why the answer is refused. */
function verdictOf(planted: PlantedCase): string {
  const question = plantedQuestion(planted)
  if (question === null) return "no_evidence"
  return Result.match(judgeDetection(question, plantedAnswer(planted, question)), {
    onFailure: (reason) => reason,
    onSuccess: ({ kind }) => kind,
  })
}

for (const [name, cases] of Object.entries(wrongAnswers)) {
  Deno.test(`judgeDetection() refuses ${cases.length} wrong answers: ${name}`, () => {
    const accepted = cases.filter((planted) => verdictOf(planted) === "evidence")
    equal(accepted.map(({ question, headlines }) => [question, headlines]), [])
  })
}

Deno.test("judgeDetection() accepts true answers in varied wording", () => {
  const refused = trueAnswers.map((planted) => [verdictOf(planted), planted] as const)
    .filter(([verdict]) => verdict !== "evidence")
  equal(refused.map(([verdict, { question, headlines }]) => [verdict, question, headlines]), [])
  ok(trueAnswers.length >= 30)
})
