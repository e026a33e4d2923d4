/**
 * `deno task verify URL`: checks the published history of a service from outside.
 *
 * Exit code 0: no fault was found. 1: a fault. 2: the service or a file cannot be read.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Console, Effect, Exit } from "effect"
import { verifyService } from "./app/verify.ts"
import { untilSignal } from "./app/untilSignal.ts"

const cannotVerify = 2
const exit = await untilSignal(
  verifyService(Deno.args).pipe(
    Effect.catch(({ message }) => Effect.as(Console.error(message), cannotVerify)),
  ),
)
Deno.exit(Exit.isSuccess(exit) ? exit.value : cannotVerify)
