/**
 * Runs the program of a process until it ends, a signal stops it, or its launcher has died.
 *
 * @module
 */
import { Effect, type Exit, Fiber } from "effect"
import { fairScheduler } from "./fairScheduler.ts"

/**
 * The argument that the launcher adds: the launcher holds the other end of standard input, so its
 * end says that the launcher has exited, even if it was killed.
 */
export const stopWithLauncher = "--stop-with-launcher"

interface Options {
  readonly signals?: ReadonlyArray<Deno.Signal>
  /** The action of a second signal; by default it exits the process. */
  readonly onSecondSignal?: () => void
}

/** The arguments of a command, without the launcher's own. */
export const commandArguments = (): ReadonlyArray<string> =>
  Deno.args.filter((argument) => argument !== stopWithLauncher)

/**
 * Returns the program's exit. The first signal, or the launcher's death, interrupts it and waits
 * for its finalizers.
 */
export async function untilSignal<A, E>(
  program: Effect.Effect<A, E>,
  { signals = ["SIGINT", "SIGTERM"], onSecondSignal = () => Deno.exit(1) }: Options = {},
): Promise<Exit.Exit<A, E>> {
  const fiber = Effect.runFork(program, { scheduler: fairScheduler })
  let stopping = false
  const stop = () => {
    stopping = true
    Effect.runFork(Fiber.interrupt(fiber))
  }
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => stopping ? onSecondSignal() : stop())
  }
  if (Deno.args.includes(stopWithLauncher)) void endOfInput().then(stop)
  return await Effect.runPromise(Fiber.await(fiber))
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
