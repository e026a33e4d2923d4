/**
 * `deno task narrate`: measures a model on the recorded cases.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Console, Effect, Exit, Result } from "effect"
import { narrateCommand, runNarrate } from "./app/narrate.ts"
import { loadModel } from "./app/settings.ts"

const command = narrateCommand(Deno.args)
if (Result.isFailure(command)) {
  await Effect.runPromise(Console.error(command.failure))
  Deno.exit(2)
}
const program = Effect.gen(function* () {
  const model = yield* loadModel((name) => Deno.env.get(name))
  yield* runNarrate(model, command.success)
})
const exit = await Effect.runPromiseExit(
  Effect.tapError(program, ({ message }) => Console.error(message)),
)
Deno.exit(Exit.isSuccess(exit) ? 0 : 1)
