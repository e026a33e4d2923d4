/**
 * A long proof as a program: its options, its end by a signal, and its last line, which CI counts.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber } from "effect"

/** Reads `--name value`, a whole number that is not negative. */
export const wholeNumbers = (args: ReadonlyArray<string>) => (name: string, fallback: number) => {
  const at = args.indexOf(`--${name}`)
  const value = at < 0 ? fallback : Number(args[at + 1])
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`)
  return value
}

/** Runs a program that says whether it passed, and exits; a signal interrupts it. */
export async function runProgram(
  name: string,
  program: Effect.Effect<boolean, unknown>,
): Promise<never> {
  const fiber = Effect.runFork(program)
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      Effect.runFork(Fiber.interrupt(fiber))
    })
  }
  const exit = await Effect.runPromise(Fiber.await(fiber))
  const passed = Exit.isSuccess(exit) && exit.value
  const result = `${name} | ${passed ? "1 passed | 0" : "0 passed | 1"} failed`
  await Effect.runPromise(
    Console.log(`${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""}\n${result}`),
  )
  Deno.exit(passed ? 0 : 1)
}
