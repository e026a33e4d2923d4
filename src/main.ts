/**
 * The service's process: `main.ts dev` runs everything embedded and simulated by default; `main.ts
 * start` has production defaults.
 *
 * @module
 */
import { Cause, Console, Effect, Exit } from "effect"
import { printStopReason, serviceBanner } from "./app/console.ts"
import { serve } from "./app/service.ts"
import { loadService } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const mode = Deno.args[0] === "dev" ? "dev" : "start"
  const settings = yield* loadService(mode, (name) => Deno.env.get(name))
  yield* Console.log(serviceBanner(settings))
  return yield* serve(settings)
}).pipe(Effect.scoped, printStopReason)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
