/**
 * Runs the program of a process until it ends, or is asked to by a signal.
 *
 * @module
 */
import { Effect, type Exit, Fiber } from "effect"

interface Options {
  readonly signals?: ReadonlyArray<Deno.Signal>
  /** What a second signal does; by default it ends the process. */
  readonly again?: () => void
}

/** How it ended. The first signal interrupts it and waits for what it is at. */
export async function untilSignal<A, E>(
  program: Effect.Effect<A, E>,
  { signals = ["SIGINT", "SIGTERM"], again = () => Deno.exit(1) }: Options = {},
): Promise<Exit.Exit<A, E>> {
  const fiber = Effect.runFork(program)
  let asked = false
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      if (asked) return again()
      asked = true
      Effect.runFork(Fiber.interrupt(fiber))
    })
  }
  return await Effect.runPromise(Fiber.await(fiber))
}
