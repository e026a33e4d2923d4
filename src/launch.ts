/**
 * Starts a process of the product in its sandbox: `launch.ts dev | start | refunds | check |
 * migrate | restore | refunds:list | refunds:requeue | refunds:settle`.
 *
 * Only the launcher may read the whole environment: each process gets only its own variables. With
 * `--print` it prints the command line instead, for the unit files of another supervisor.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Cause, Exit, Option } from "effect"
import { printStopReason } from "./app/console.ts"
import { launch, mainCode, stopAgain } from "./app/launcher.ts"
import { untilSignal } from "./app/untilSignal.ts"

const exit = await untilSignal(
  printStopReason(launch(Deno.args, (name) => Deno.env.get(name))),
  { signals: ["SIGINT", "SIGTERM", "SIGHUP"], onSecondSignal: stopAgain },
)
const ended = Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
const error = Option.getOrUndefined(Exit.findErrorOption(exit))
Deno.exit(ended ? mainCode : error?._tag === "InvalidArguments" ? 2 : 1)
