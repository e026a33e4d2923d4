/**
 * `deno task backtest`: judges the rules over recorded data in a file.
 *
 * @module
 */
import "./core/fiberContext.ts"
import { Console, Effect, Exit, Result } from "effect"
import { backtestPrices } from "./backtest/prices.ts"
import { backtestWhales } from "./backtest/whales.ts"
import { backtestCommand } from "./backtest/domain/backtestArguments.ts"

const command = backtestCommand(Deno.args)
if (Result.isFailure(command)) {
  await Effect.runPromise(Console.error(command.failure))
  Deno.exit(1)
}
const exit = await Effect.runPromiseExit(
  (command.success.kind === "prices"
    ? backtestPrices(command.success)
    : backtestWhales(command.success)).pipe(
      Effect.tapErrorTag("FileRefused", ({ message }) => Console.error(message)),
    ),
)
Deno.exit(Exit.isSuccess(exit) ? 0 : 1)
