/**
 * The backfill's process: reads the history of every tracked wallet.
 *
 * It uses the venue and the store of the service, and may run at the same time if the store is a
 * server. It can be stopped at any time and continues where it stopped.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Console, Effect, Exit } from "effect"
import { backfill } from "./app/backfill.ts"
import { backfillBanner, backfillSummary, printStopReason } from "./app/console.ts"
import { loadBackfill } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const settings = yield* loadBackfill((name) => Deno.env.get(name))
  yield* Console.log(backfillBanner(settings))
  return yield* backfill(settings)
}).pipe(
  Effect.scoped,
  Effect.tap((progress) => Console.log(backfillSummary(progress))),
  printStopReason,
)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) && exit.value.failed === 0 ? 0 : 1)
