/**
 * Requests the claims of one digest from a model and prints the result as JSON. modelSandbox.test.ts runs it under
 * the flags of the service, with environment variables that could mislead the client.
 *
 * @module
 */
import { Console, Effect, Layer, Redacted } from "effect"
import { Narrator } from "../../src/writing/Narrator.ts"
import * as model from "../../src/writing/openai/model.ts"
import { draftRequest } from "../support/writing/pages.ts"

const [baseUrl = "", apiKey = ""] = Deno.args

const program = Effect.gen(function* () {
  const { draft } = yield* Narrator
  return yield* draft(draftRequest)
}).pipe(
  Effect.provide(Narrator.layerUnmeasured.pipe(Layer.provide(model.layer({
    apiKey: Redacted.make(apiKey),
    baseUrl: new URL(baseUrl),
    model: "stub-1",
    checkModel: null,
    reasoningEffort: null,
    tokensMax: null,
  })))),
)

await Effect.runPromise(
  Effect.flatMap(Effect.result(program), (result) => Console.log(JSON.stringify(result))),
)
