/**
 * Runs the program of a process until it ends, or is asked to by a signal.
 *
 * @module
 */
import { Effect, type Exit, Fiber } from "effect"

/** How it ended. The first signal interrupts it and waits for what it is at; a second one does not. */
export async function untilSignal<A, E>(program: Effect.Effect<A, E>): Promise<Exit.Exit<A, E>> {
  const fiber = Effect.runFork(program)
  let asked = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (asked) Deno.exit(1)
      asked = true
      Effect.runFork(Fiber.interrupt(fiber))
    })
  }
  return await Effect.runPromise(Fiber.await(fiber))
}
