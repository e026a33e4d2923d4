/**
 * How a model does on the recorded cases: the claims that are accepted in each page, and the time:
 *
 *     OPENAI_BASE_URL=... OPENAI_MODEL=... OPENAI_API_KEY=... deno task bench:narration
 *
 * @module
 */
import { Console, Effect, Redacted } from "effect"
import { overModel } from "../tests/support/writing/modelServer.ts"
import { writtenPages } from "../tests/support/writing/recordedCases.ts"

const base = Deno.env.get("OPENAI_BASE_URL")
const model = Deno.env.get("OPENAI_MODEL")
if (base === undefined || model === undefined) {
  await Effect.runPromise(Console.error("Set OPENAI_BASE_URL and OPENAI_MODEL"))
  Deno.exit(2)
}

const program = Effect.gen(function* () {
  const began = performance.now()
  for (const { name, accepted, refused, dropped, failed } of yield* writtenPages) {
    yield* Console.log(
      `${name}: ${accepted} claims accepted, ${refused} refused, ` +
        `${dropped} dropped, ${failed} requests failed`,
    )
  }
  yield* Console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s`)
})
const apiKey = Redacted.make(Deno.env.get("OPENAI_API_KEY") ?? "")
await Effect.runPromise(
  Effect.provide(program, overModel({ baseUrl: new URL(base) }, { apiKey, model })),
)
