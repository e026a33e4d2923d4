/**
 * The judge is measured before it is trusted: a careful one is, one that always says yes or no is not, and
 * its requests are few.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { type Duration, Effect, Layer, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import { claimsOfQuestion } from "../../src/writing/domain/judge.ts"
import { labelledClaims } from "../../src/writing/domain/trial.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { Model, ModelFailed } from "../../src/writing/Model.ts"
import { test } from "../support/effect.ts"
import { agreement, careful } from "../support/writing/writers.ts"

test("the service's judge is trusted after its trial, and measured again every day", () =>
  Effect.gen(function* () {
    let answers: typeof careful | (() => null) = careful
    let asked = 0
    const model = Layer.succeed(Model, {
      name: "stub-1",
      generate: ({ prompt, shape }) => {
        asked++
        const lines = prompt("BLOCK").user.split("\n").filter((line) => line.startsWith("{"))
        ok(!lines.some((line) => line.includes("fault")), "no label reaches the judge")
        const answer = answers({ data: lines.map((line) => JSON.parse(line)) })
        return answer === null
          ? Effect.fail(new ModelFailed({ reason: "status 500" }))
          : Effect.orDie(Schema.decodeUnknownEffect(shape)(answer))
      },
    })
    yield* Effect.gen(function* () {
      const { trusted } = yield* Narrator
      const after = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), trusted)
      equal(yield* after(0), true)
      answers = () => null
      equal(yield* after("1 day"), true)
      answers = agreement
      equal(yield* after("10 minutes"), false)
      answers = () => ({ verdicts: [] })
      equal(yield* after("1 day"), false)
      answers = careful
      equal(yield* after("23 hours"), false)
      equal(yield* after("1 hour"), true)
      ok(asked <= 5 * Math.ceil(labelledClaims.length / claimsOfQuestion), String(asked))
    }).pipe(Effect.provide(Narrator.layerModel.pipe(Layer.provide(model))))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
