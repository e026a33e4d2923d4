/**
 * Starts the processes of the product, each in its sandbox: `launch.ts dev | start | refunds |
 * backfill | migrate`.
 *
 * It alone may read the whole environment: a process gets its own variables and no others. With
 * `--print` it prints the command lines instead, for the unit files of those who run their own
 * supervisor.
 *
 * @module
 */
import { Cause, Exit } from "effect"
import { printingWhy } from "./app/console.ts"
import { launch, mainCode, stopAll } from "./app/launcher.ts"
import { untilSignal } from "./app/untilSignal.ts"

const exit = await untilSignal(
  printingWhy(launch(Deno.args, (name) => Deno.env.get(name))),
  { signals: ["SIGINT", "SIGTERM", "SIGHUP"], again: stopAll },
)
Deno.exit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? mainCode : 1)
