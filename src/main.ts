/**
 * The service's process: `main.ts dev` runs everything embedded and simulated unless its settings say
 * otherwise; `main.ts start` assumes nothing.
 *
 * @module
 */
import { Cause, Console, Effect, Exit } from "effect"
import { printingWhy, serviceBanner } from "./app/console.ts"
import { serve } from "./app/service.ts"
import { loadService } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const mode = Deno.args[0] === "dev" ? "dev" : "start"
  const settings = yield* loadService(mode, (name) => Deno.env.get(name))
  yield* Console.log(serviceBanner(settings))
  return yield* serve(settings)
}).pipe(Effect.scoped, printingWhy)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
