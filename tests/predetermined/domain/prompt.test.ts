/**
 * The prompt for a detector shows what the judgement needs, and the schema of its answer is strict.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, throws } from "node:assert/strict"
import { Schema } from "effect"
import { DetectionAnswer, detectionPrompt } from "../../../src/predetermined/domain/prompt.ts"
import { plantedQuestion } from "../../support/predetermined/planted.ts"

const boundary = "-----"

/** The JSON values of the prompt's data. */
const dataOf = (question: Parameters<typeof detectionPrompt>[0]) =>
  detectionPrompt(question, boundary).user.split("\n").filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

Deno.test("detectionPrompt() shows siblings, their evidence, and the challenge times", () => {
  const question = plantedQuestion({
    question: "Will the Civic Alliance win the most seats in Portugal by November 21?",
    siblings: ["Will the Reform Union win the most seats in Portugal by November 21?"],
    proposed: { outcome: 1, hoursAgo: 26 },
    headlines: ["Reform Union takes most seats"],
    answer: "No",
  })
  if (question === null) throw new Error("no evidence")
  const [data, ...evidence] = dataOf(question)
  equal(data.otherMarketsOfTheEvent, question.siblings.map(({ question }) => question))
  equal(data.proposal, {
    outcome: "No",
    state: "proposed, undisputed for 26 hours",
    proposedAt: "2026-11-20T10:00:00.000Z",
    canBeChallengedUntil: "2026-11-21T13:00:00.000Z",
    challengedBefore: false,
  })
  equal(evidence.map(({ kind, title }) => [kind, title]), [
    ["venue", "Outcome proposed at the venue: No"],
    ["news", "Reform Union takes most seats"],
  ])
})

Deno.test("detectionPrompt() gives the usual window when the venue publishes no end of it", () => {
  const question = plantedQuestion({
    question: "Will the Skerry Point lighthouse open by November 30?",
    proposed: { outcome: 0, hoursAgo: 1 },
    headlines: [],
    answer: "Yes",
  })
  if (question === null || question.proposal === null) throw new Error("no evidence")
  const [data] = dataOf({ ...question, proposal: { ...question.proposal, settlesAt: null } })
  equal(data.proposal.canBeChallengedUntil, "2026-11-21T13:00:00.000Z")
  ok(!JSON.stringify(data).includes("already"))
})

Deno.test("DetectionAnswer needs decisive words, of limited length, and nothing else", () => {
  const answer = {
    ...{ determined: true, outcome: "Yes", confidence: "high" },
    ...{ evidence: ["E1"], decisiveWords: "wins" },
  }
  const decode = Schema.decodeUnknownSync(DetectionAnswer, { onExcessProperty: "error" })
  equal(decode(answer), answer)
  const { decisiveWords: _, ...without } = answer
  throws(() => decode(without))
  throws(() => decode({ ...answer, decisiveWords: "x".repeat(301) }))
  throws(() => decode({ ...answer, decisiveWords: null }))
  throws(() => decode({ ...answer, certainty: 1 }))
})
