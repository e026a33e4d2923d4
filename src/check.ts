/**
 * The entry point of `deno task check`: tries the settings and every outside part of the service, or
 * with `--role migrate` of the owner's login. Those of the refund worker are tried by its own process.
 *
 * Exit code 0: the process would start and sell. 1: a part failed. 2: the arguments are wrong.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Cause, Effect, Exit } from "effect"
import { parseCheck } from "./app/arguments.ts"
import { printCheck } from "./app/check/print.ts"
import { checkMigration, checkService } from "./app/check/serviceCheck.ts"
import { printStopReason } from "./app/console.ts"
import { loadMigrationCheck, loadServiceCheck } from "./app/settings.ts"
import { commandArguments, untilSignal } from "./app/untilSignal.ts"

const program = Effect.gen(function* () {
  const read = yield* parseCheck(commandArguments())
  if (read === null) return 0
  const { role, json } = read
  const get = (name: string) => Deno.env.get(name)
  const rows = role === "migrate"
    ? yield* checkMigration(yield* loadMigrationCheck(get))
    : yield* checkService(yield* loadServiceCheck(get))
  return yield* printCheck(role, json, rows)
}).pipe(printStopReason)

const exit = await untilSignal(program)
Deno.exit(Exit.isSuccess(exit) ? exit.value : Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
