/**
 * Prepares a store that was restored from a backup, as the owner of the tables: answers in the
 * delivery journals are not refunded, and the scan starts where it must.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Cause, Console, Effect, Exit, Option } from "effect"
import { stopReason } from "./app/console.ts"
import { restore } from "./app/restore.ts"
import { commandArguments } from "./app/untilSignal.ts"

const exit = await Effect.runPromiseExit(
  Effect.scoped(restore(commandArguments(), (name) => Deno.env.get(name))),
)
if (Exit.isFailure(exit)) {
  await Effect.runPromise(Console.error(stopReason(exit.cause)))
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  Deno.exit(error?._tag === "InvalidArguments" || error?._tag === "BlockRefused" ? 2 : 1)
}
