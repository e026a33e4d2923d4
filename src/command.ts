/**
 * The process of an operator's command: check, migrate, restore, and the tasks for refunds.
 *
 * Exit code 0: it was done, or a check found no fault. 1: it failed. 2: the arguments are wrong.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Effect } from "effect"
import { readCommand } from "./app/arguments.ts"
import { runCommand } from "./app/command.ts"
import { commandArguments, exitCodeOf } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const command = yield* readCommand(commandArguments())
  return command === null ? 0 : yield* runCommand(command, (name) => Deno.env.get(name))
}).pipe(Effect.scoped)

Deno.exit(await exitCodeOf(program))
