/**
 * Runs the program of a process until it ends, a signal stops it, or its launcher has died.
 *
 * @module
 */
import { Cause, Effect, Exit, Fiber, Option, Predicate } from "effect"
import { printStopReason } from "./console.ts"
import { fairScheduler } from "./fairScheduler.ts"

/**
 * The argument that the launcher adds: the launcher holds the other end of standard input, so its
 * end says that the launcher has exited, even if it was killed.
 */
export const stopWithLauncher = "--stop-with-launcher"

/** The arguments of a command, without the launcher's own. */
export const commandArguments = (): ReadonlyArray<string> =>
  Deno.args.filter((argument) => argument !== stopWithLauncher)

/**
 * Returns the program's exit. The first signal, or the launcher's death, interrupts it and waits
 * for its finalizers; a second signal exits the process.
 */
export async function untilSignal<A, E>(program: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> {
  const fiber = Effect.runFork(program, { scheduler: fairScheduler })
  let stopping = false
  const stop = () => {
    stopping = true
    Effect.runFork(Fiber.interrupt(fiber))
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => stopping ? Deno.exit(1) : stop())
  }
  if (Deno.args.includes(stopWithLauncher)) void endOfInput().then(stop)
  return await Effect.runPromise(Fiber.await(fiber))
}

/**
 * Runs the program of a process, prints why it failed, and returns the code to exit with: the program's,
 * 0 when a signal stopped it, 2 for wrong arguments, else 1.
 */
export async function exitCodeOf<E>(program: Effect.Effect<number, E>): Promise<number> {
  const exit = await untilSignal(printStopReason(program))
  if (Exit.isSuccess(exit)) return exit.value
  if (Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  const areArgumentsWrong = Predicate.isTagged(error, "InvalidArguments") ||
    Predicate.isTagged(error, "BlockRefused")
  return areArgumentsWrong ? 2 : 1
}

/** Standard input has ended or cannot be read. */
async function endOfInput(): Promise<void> {
  const discarded = new Uint8Array(64)
  try {
    while (await Deno.stdin.read(discarded) !== null);
  } catch {
    // A broken pipe is an end too.
  }
}
