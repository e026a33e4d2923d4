/**
 * Runs the service until a signal, and returns its exit code.
 *
 * @module
 */
import { Cause, Console, Effect, Exit } from "effect"
import { printStopReason, serviceBanner } from "./console.ts"
import { serve } from "./service.ts"
import { loadService } from "./settings.ts"
import { untilSignal } from "./untilSignal.ts"

/** `get` reads one variable of the environment. */
export async function runService(
  mode: "dev" | "start",
  get: (name: string) => string | undefined,
): Promise<number> {
  const program = Effect.gen(function* () {
    const settings = yield* loadService(mode, get)
    yield* Console.log(serviceBanner(settings))
    return yield* serve(settings)
  }).pipe(Effect.scoped, printStopReason)
  const exit = await untilSignal(program)
  return Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1
}
