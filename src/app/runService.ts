/**
 * Runs the service until a signal, and returns its exit code.
 *
 * @module
 */
import { Cause, Console, Effect, Exit } from "effect"
import { openAt } from "../core/listening.ts"
import { printStopReason, serviceBanner } from "./console.ts"
import { type RefundsLayer, serve } from "./service.ts"
import { loadService } from "./settings.ts"
import { untilSignal } from "./untilSignal.ts"

/** `get` reads one variable of the environment. `refunds` pays refunds in this process. */
export async function runService(
  mode: "dev" | "start",
  get: (name: string) => string | undefined,
  refunds?: RefundsLayer,
): Promise<number> {
  const program = Effect.gen(function* () {
    const settings = yield* loadService(mode, get)
    yield* Console.log(serviceBanner(settings))
    yield* tryAddress(settings.host, settings.port)
    yield* tryAddress(settings.adminHost, settings.adminPort)
    return yield* serve(settings, refunds)
  }).pipe(Effect.scoped, printStopReason)
  const exit = await untilSignal(program)
  return Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1
}

/** Fails where the service could not listen, before the store is opened and migrated. */
const tryAddress = (hostname: string, port: number) =>
  openAt(hostname, port, () => Deno.listen({ hostname, port }).close())
