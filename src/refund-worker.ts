/**
 * The entry point of the refund worker, the process that pays refunds. Only this process reads the
 * treasury's key.
 *
 * It connects to the service's PostgreSQL with its own login, listens for probes only, and
 * migrates nothing. Any number of workers may run at once.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Console, Effect, Layer } from "effect"
import { workerBanner } from "./app/console.ts"
import { workerLayer } from "./app/refundProcess.ts"
import { loadWorker } from "./app/moneySettings.ts"
import { exitCodeOf } from "./app/untilSignal.ts"

const get = (name: string) => Deno.env.get(name)

const program = Effect.gen(function* () {
  const settings = yield* loadWorker(get)
  yield* Console.log(workerBanner(settings))
  yield* Layer.build(workerLayer(settings))
  return yield* Effect.never
}).pipe(Effect.scoped)

Deno.exit(await exitCodeOf(program))
