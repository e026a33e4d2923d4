/**
 * A long proof or a bench as a program: its arguments, its end by a signal, and its last line, which CI counts.
 *
 * @module
 */
import { Cause, Console, Effect, Exit, Fiber } from "effect"
import { type Command, Flag } from "effect/cli"
import { readArguments } from "../../src/app/commandLine.ts"
import { printStopReason } from "../../src/app/console.ts"

/** The arguments of a task. With `--help` they are printed, and the program ends with nothing begun. */
export async function taskArguments<const Config extends Command.Command.Config>(
  name: string,
  config: Config,
): Promise<Command.Command.Config.Infer<Config>> {
  const command = { name: `deno task ${name}`, description: "", config }
  const read = await Effect.runPromiseExit(printStopReason(readArguments(command, Deno.args)))
  return Exit.isSuccess(read) ? read.value ?? Deno.exit(0) : Deno.exit(2)
}

/** `--name N`. */
export const whole = (name: string, otherwise: number) =>
  Flag.Int(name).pipe(
    Flag.filter((value) => value > 0, () => "a whole number above 0"),
    Flag.withDefault(otherwise),
    Flag.withDescription(`${otherwise} by default`),
  )

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
