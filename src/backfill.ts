/**
 * The backfill's process: reads the past of every tracked wallet.
 *
 * It works on the same venue and store as the service, at the same time where the store is a server.
 * It can be stopped at any time, and goes on where it was.
 *
 * @module
 */
import { Console, Effect, Exit } from "effect"
import { backfill } from "./app/backfill.ts"
import { backfillBanner, backfillSummary, printingWhy } from "./app/console.ts"
import { loadBackfill } from "./app/settings.ts"
import { untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const settings = yield* loadBackfill((name) => Deno.env.get(name))
  yield* Console.log(backfillBanner(settings))
  return yield* backfill(settings)
}).pipe(
  Effect.scoped,
  Effect.tap((progress) => Console.log(backfillSummary(progress))),
  printingWhy,
)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) && exit.value.failed === 0 ? 0 : 1)
