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
import { Effect } from "effect"
import { launch, mainCode, stopAgain } from "./app/launcher.ts"
import { exitCodeOf } from "./app/untilSignal.ts"

const code = await exitCodeOf(
  Effect.as(launch(Deno.args, (name) => Deno.env.get(name)), 0),
  { signals: ["SIGINT", "SIGTERM", "SIGHUP"], onSecondSignal: stopAgain },
)
Deno.exit(code === 0 ? mainCode : code)
