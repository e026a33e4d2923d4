/**
 * Requests one digest from a model and prints the result as JSON. modelSandbox.test.ts runs it under
 * the flags of the service, with environment variables that could mislead the client.
 *
 * @module
 */
import { Console, Effect, Layer, Redacted } from "effect"
import { DigestNarrator } from "../../src/digest/DigestNarrator.ts"
import * as model from "../../src/writing/openai/model.ts"
import { digestBrief } from "../support/writing/briefs.ts"

const [baseUrl = "", apiKey = ""] = Deno.args

const program = Effect.gen(function* () {
  const { write } = yield* DigestNarrator
  return yield* write(digestBrief, [])
}).pipe(
  Effect.provide(DigestNarrator.layerModel.pipe(Layer.provide(model.layer({
    apiKey: Redacted.make(apiKey),
    baseUrl: new URL(baseUrl),
    model: "stub-1",
    price: null,
  })))),
)

await Effect.runPromise(
  Effect.flatMap(Effect.result(program), (result) => Console.log(JSON.stringify(result))),
)
