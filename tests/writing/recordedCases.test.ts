/**
 * The recorded digests, reports and detections, run against a model's server on a real socket.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect } from "effect"
import { liveTest } from "../support/effect.ts"
import { type Call, completion, modelServer, overModel } from "../support/writing/modelServer.ts"
import { answeredQuestions, writtenPages } from "../support/writing/recordedCases.ts"
import { writesTruly } from "../support/writing/writers.ts"

/** Cites all evidence for the first outcome, whatever was asked. */
const careless = (call: Call) => {
  const [question, ...rows] = call.data as ReadonlyArray<Record<string, unknown>>
  const evidence = rows.filter(({ id, title }) => id !== undefined && title !== undefined)
  return {
    determined: true,
    outcome: Object(question)["outcomes"][0],
    confidence: "high",
    evidence: evidence.map(({ id }) => id),
    decisiveWords: evidence.at(-1)?.["title"] ?? "",
  }
}

liveTest(
  "writePage() accepts true claims about every recorded page, and refuses none",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer(writesTruly)
      const pages = yield* Effect.provide(writtenPages, overModel(server))
      equal(
        pages.map(({ name }) => name),
        [1, 2, 3].map((n) => `digest-${n}`).concat(
          [1, 2, 3].map((n) => `report-${n}`),
        ),
      )
      for (const { name, accepted, refused, failed } of pages) {
        ok(accepted > 0 && refused === 0 && failed === 0, `${name}: ${accepted}, ${refused}`)
      }
    }),
)

liveTest(
  "judgeDetection() takes no careless answer to a recorded question for a wrong outcome",
  () =>
    Effect.gen(function* () {
      const server = yield* modelServer((call) => completion(JSON.stringify(careless(call))))
      const answers = yield* Effect.provide(answeredQuestions, overModel(server))
      ok(answers.length >= 28 && answers.every(({ answered }) => answered))
      equal(answers.filter(({ verdict }) => verdict === "wrong"), [])
    }),
)
