/**
 * Planted answers of a detector: every wrong one is refused by the check of its class, every corruption
 * of a true one is refused, and most true ones are accepted.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Result } from "effect"
import type { Detection } from "../../../src/predetermined/domain/detection.ts"
import { judgeDetection } from "../../../src/predetermined/domain/predetermined.ts"
import { carefulAnswers } from "../../support/predetermined/carefulAnswers.ts"
import { corruptions } from "../../support/predetermined/corruptions.ts"
import {
  plantedAnswer,
  type PlantedCase,
  plantedQuestion,
} from "../../support/predetermined/planted.ts"
import { trueAnswers } from "../../support/predetermined/trueAnswers.ts"
import { unseenTrueAnswers, unseenWrongAnswers } from "../../support/predetermined/unseenAnswers.ts"
import { wrongAnswers } from "../../support/predetermined/wrongAnswers.ts"

/** The kind of the accepted item, or why the answer is refused. */
function verdictOf(planted: PlantedCase, fields: Partial<Detection> = {}): string {
  const question = plantedQuestion(planted)
  if (question === null) return "no_evidence"
  return Result.match(
    judgeDetection(question, { ...plantedAnswer(planted, question), ...fields }),
    {
      onFailure: (reason) => reason,
      onSuccess: ({ kind }) => kind,
    },
  )
}

const accepted = (cases: ReadonlyArray<PlantedCase>) =>
  cases.filter((planted) => verdictOf(planted) === "evidence")

/** The checks that refuse a class; most classes are refused because nothing reports the outcome. */
const verdictsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "contradicting texts": ["undetermined"],
  "two winners": ["undetermined"],
  "corrected or denied": ["undetermined", "unsupported"],
  "one text only": ["one_text"],
  "invented decisive words": ["no_decisive_words"],
}

for (const [name, cases] of Object.entries(wrongAnswers)) {
  Deno.test(`judgeDetection() refuses ${cases.length} wrong answers: ${name}`, () => {
    const expected = verdictsOf[name] ?? ["unsupported", "no_evidence"]
    const others = cases.map((planted) => [verdictOf(planted), planted] as const)
      .filter(([verdict]) => !expected.includes(verdict))
    equal(others.map(([verdict, { question, headlines }]) => [verdict, question, headlines]), [])
  })
}

Deno.test("the wrong answers are at least 60, of at least 6 classes", () => {
  const classes = Object.values(wrongAnswers)
  ok(classes.length >= 6 && classes.flat().length >= 60)
})

for (const [name, corrupt] of Object.entries(corruptions)) {
  Deno.test(`judgeDetection() refuses true answers corrupted by: ${name}`, () => {
    const corrupted = [...trueAnswers, ...unseenTrueAnswers].flatMap((planted) =>
      corrupt(planted) ?? []
    )
    ok(corrupted.length >= 3)
    equal(accepted(corrupted).map(({ question, headlines }) => [question, headlines]), [])
  })
}

Deno.test("judgeDetection() accepts nine of ten true answers in varied wording", () => {
  const cases = [...trueAnswers, ...unseenTrueAnswers]
  const found = accepted(cases).length
  ok(found >= 0.9 * cases.length, `${found} of ${cases.length}`)
})

Deno.test("judgeDetection() refuses the wrong answers that were written after the checks", () => {
  equal(accepted(unseenWrongAnswers).map(({ headlines }) => headlines), [])
})

for (const planted of carefulAnswers) {
  Deno.test(`the careful answer ${planted.id} is judged: ${planted.verdict}`, () => {
    strictEqual(verdictOf(planted, { determined: planted.determined }), planted.verdict)
  })
}
