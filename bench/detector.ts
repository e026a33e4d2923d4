/**
 * Planted answers of a detector: how many wrong ones are accepted and true ones refused, and how right the
 * outcomes are that two scripted detectors publish on simulated venues with news.
 *
 *     deno task bench:detector
 *
 * @module
 */
import { Console, Effect, Result } from "effect"
import { day } from "../src/core/domain/time.ts"
import { judgeDetection } from "../src/predetermined/domain/predetermined.ts"
import { makeWorld } from "../src/venues/simulated/world.ts"
import { corruptions } from "../tests/support/predetermined/corruptions.ts"
import { careful, hasty, scoreOf } from "../tests/support/predetermined/newsWorld.ts"
import {
  plantedAnswer,
  type PlantedCase,
  plantedQuestion,
} from "../tests/support/predetermined/planted.ts"
import { trueAnswers } from "../tests/support/predetermined/trueAnswers.ts"
import {
  unseenTrueAnswers,
  unseenWrongAnswers,
} from "../tests/support/predetermined/unseenAnswers.ts"
import { wrongAnswers } from "../tests/support/predetermined/wrongAnswers.ts"

const seeds = [21, 22, 23, 24]
const hours = 72

const isAccepted = (planted: PlantedCase): boolean => {
  const question = plantedQuestion(planted)
  if (question === null) return false
  const judged = judgeDetection(question, plantedAnswer(planted, question))
  return Result.isSuccess(judged) && judged.success.kind === "evidence"
}

const line = (name: string, cases: ReadonlyArray<PlantedCase>) =>
  `  ${name.padEnd(28)}${String(cases.filter(isAccepted).length).padStart(4)} of ${cases.length}`

const scores = (["careful", "hasty"] as const).map((name) => {
  const sum = { reported: 0, published: 0, right: 0 }
  for (const seed of seeds) {
    const world = makeWorld({
      ...{ seed, markets: 48, lifeDays: [3, 6], jumpsPerMarketDay: 1, laggardShare: 1 },
      ...{ wrongProposalShare: 0.1, wrongContestedShare: 0.2 },
    })
    const from = Math.ceil(world.options.origin / day) * day
    const score = scoreOf(world, { from, hours }, { careful, hasty }[name])
    sum.reported += score.reported
    sum.published += score.published
    sum.right += score.right
  }
  const { reported, published, right } = sum
  return `  ${name.padEnd(10)}${published} published, ${right} right: precision ` +
    `${(right / published).toFixed(2)}; ${(right / reported).toFixed(2)} of ${reported} reported`
})

const trueCases = [...trueAnswers, ...unseenTrueAnswers]
Effect.runSync(Console.log(
  [
    "Wrong answers accepted",
    ...Object.entries(wrongAnswers).map(([name, cases]) => line(name, cases)),
    line("written after the checks", unseenWrongAnswers),
    "True answers, corrupted, accepted",
    ...Object.entries(corruptions).map(([name, corrupt]) =>
      line(name, trueCases.flatMap((planted) => corrupt(planted) ?? []))
    ),
    "True answers accepted",
    line("written with the checks", trueAnswers),
    line("written after the checks", unseenTrueAnswers),
    `Outcomes published from news, ${seeds.length} worlds of ${hours} hours`,
    ...scores,
  ].join("\n"),
))
