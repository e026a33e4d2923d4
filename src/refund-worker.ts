/**
 * The entry point of the refund worker, the process that pays refunds. Only this process reads the
 * treasury's key.
 *
 * It connects to the service's PostgreSQL with its own login, listens for probes only, and
 * migrates nothing. Any number of workers may run at once. `refund-worker.ts dev` defaults to simulated
 * payments; `refund-worker.ts start` has no default.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Layer } from "effect"
import { printStopReason, workerBanner } from "./app/console.ts"
import { workerLayer } from "./app/refundWorker.ts"
import { loadWorker } from "./app/moneySettings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const mode = Deno.args[0] === "dev" ? "dev" : "start"
  const settings = yield* loadWorker(mode, (name) => Deno.env.get(name))
  yield* Console.log(workerBanner(settings))
  yield* Layer.build(workerLayer(settings))
  return yield* Effect.never
}).pipe(Effect.scoped, printStopReason)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
