/**
 * The judge over a real socket is measured before it is trusted: a careful one is, one that always says yes,
 * says no or is unreachable is not, and its requests are few.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type Duration, Effect, Layer, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import { claimsOfQuestion } from "../../src/writing/domain/judge.ts"
import { isTrusted, labelledClaims } from "../../src/writing/domain/trial.ts"
import { Judge, measuredJudge } from "../../src/writing/Judge.ts"
import { Model, ModelFailed } from "../../src/writing/Model.ts"
import { liveTest, test } from "../support/effect.ts"
import { modelOf, modelServer, says, status } from "../support/writing/modelServer.ts"
import { agreement, careful } from "../support/writing/writers.ts"

for (
  const [name, behaviour, trusted] of [
    ["careful", says(careful), true],
    ["always says yes", says(agreement), false],
    ["always says no", says(() => ({ verdicts: [] })), false],
    ["is unreachable", status(500), null],
  ] as const
) {
  liveTest(
    `a judge that is or does this is ${trusted ? "" : "not "}trusted: ${name}`,
    () =>
      Effect.gen(function* () {
        const server = yield* modelServer(behaviour)
        const trial = yield* Effect.flatMap(Judge, measuredJudge).pipe(
          Effect.provide(Judge.layerUnmeasured.pipe(Layer.provide(modelOf(server)))),
          Effect.match({ onFailure: () => null, onSuccess: isTrusted }),
        )
        equal(trial, trusted)
        if (trusted !== null) {
          equal(server.calls.length, Math.ceil(labelledClaims.length / claimsOfQuestion))
        }
        const asked = server.calls.flatMap(({ data }) => data).map((row) => JSON.stringify(row))
        ok(!asked.some((row) => row.includes("fault")), "no label reaches the judge")
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )
}

test("the service's judge is trusted after its trial, and measured again every day", () =>
  Effect.gen(function* () {
    let answers: typeof careful | (() => null) = careful
    let asked = 0
    const model = Layer.succeed(Model, {
      name: "stub-1",
      generate: ({ prompt, shape }) => {
        asked++
        const lines = prompt("BLOCK").user.split("\n").filter((line) => line.startsWith("{"))
        const answer = answers({ data: lines.map((line) => JSON.parse(line)) })
        return answer === null
          ? Effect.fail(new ModelFailed({ reason: "status 500" }))
          : Effect.orDie(Schema.decodeUnknownEffect(shape)(answer))
      },
    })
    yield* Effect.gen(function* () {
      const { trusted } = yield* Judge
      const after = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), trusted)
      equal(yield* after(0), true)
      answers = () => null
      equal(yield* after("1 day"), true)
      answers = agreement
      equal(yield* after("10 minutes"), false)
      answers = careful
      equal(yield* after("23 hours"), false)
      equal(yield* after("1 hour"), true)
      ok(asked <= 4 * Math.ceil(labelledClaims.length / claimsOfQuestion), String(asked))
    }).pipe(Effect.provide(Judge.layerModel.pipe(Layer.provide(model))))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
