/**
 * Runs the program of a process until it ends or a signal stops it.
 *
 * @module
 */
import { Effect, type Exit, Fiber } from "effect"

interface Options {
  readonly signals?: ReadonlyArray<Deno.Signal>
  /** The action of a second signal; by default it exits the process. */
  readonly onSecondSignal?: () => void
}

/** Returns the program's exit. The first signal interrupts it and waits for its finalizers. */
export async function untilSignal<A, E>(
  program: Effect.Effect<A, E>,
  { signals = ["SIGINT", "SIGTERM"], onSecondSignal = () => Deno.exit(1) }: Options = {},
): Promise<Exit.Exit<A, E>> {
  const fiber = Effect.runFork(program)
  let signalled = false
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (signalled) return onSecondSignal()
      signalled = true
      Effect.runFork(Fiber.interrupt(fiber))
    })
  }
  return await Effect.runPromise(Fiber.await(fiber))
}
