/**
 * The arguments of `deno task backtest`.
 *
 * @module
 */
import { Result } from "effect"
import { type EpochMs, minute } from "../../core/domain/time.ts"
import { timeOf } from "./tableText.ts"

const usage = [
  "deno task backtest FILE [--tick MINUTES] [--order time|market] [--from TIME] [--bins]",
  "deno task backtest --whales FILE",
  "",
  "Replays the movers' rule over the prices in FILE (CSV or JSON lines; docs/markets.md describes the",
  "columns), prints its score and writes backtest.svg.",
  "  --tick   the minutes between two prices of a market; 10 by default",
  "  --order  how the rows are ordered; by default found from the first 10,000 rows",
  "  --from   items before this time are not scored, so that prices that chose a rule do not judge it",
  "  --bins   also prints the drift of the movers by window, size, z-score and time to the end",
  "  --whales labels each wallet of a file of entries by the first half of its time, and prints the",
  "           results of the second half",
].join("\n")

export interface PriceBacktest {
  readonly kind: "prices"
  readonly file: string
  readonly tickIntervalMs: number
  /** Null: to be found. */
  readonly order: "time" | "market" | null
  /** Items before it are not scored; minus infinity: none. */
  readonly from: EpochMs
  readonly withBins: boolean
}

export interface WhaleBacktest {
  readonly kind: "whales"
  readonly file: string
}

/** What to run. */
type BacktestCommand = PriceBacktest | WhaleBacktest

const tickMinutesMax = 24 * 60

/** Options with a value. */
const valued: ReadonlySet<string> = new Set(["--tick", "--order", "--from"])

/** Reads the arguments; fails with the text to print. */
export function backtestCommand(
  args: ReadonlyArray<string>,
): Result.Result<BacktestCommand, string> {
  const files: Array<string> = []
  const options = new Map<string, string>()
  for (let n = 0; n < args.length; n++) {
    const argument = args[n] ?? ""
    if (!argument.startsWith("--")) files.push(argument)
    else if (argument === "--bins" || argument === "--whales") options.set(argument, "")
    else if (valued.has(argument)) {
      n += 1
      options.set(argument, args[n] ?? "")
    } else return Result.fail(`Unknown option ${argument}\n\n${usage}`)
  }
  const [file] = files
  if (file === undefined || files.length > 1) return Result.fail(usage)
  if (options.has("--whales")) {
    return options.size === 1 ? Result.succeed({ kind: "whales", file }) : Result.fail(usage)
  }
  const tickMinutes = Number(options.get("--tick") ?? 10)
  if (!Number.isInteger(tickMinutes) || tickMinutes < 1 || tickMinutes > tickMinutesMax) {
    return Result.fail(`--tick must be a whole number of minutes, 1 to ${tickMinutesMax}`)
  }
  const order = options.get("--order") ?? null
  if (order !== null && order !== "time" && order !== "market") {
    return Result.fail("--order must be time or market")
  }
  const from = options.has("--from") ? timeOf(options.get("--from")) : Number.NEGATIVE_INFINITY
  if (from === null || Number.isNaN(from)) {
    return Result.fail("--from must be a time, as in the file")
  }
  const withBins = options.has("--bins")
  const tickIntervalMs = tickMinutes * minute
  return Result.succeed({ kind: "prices", file, tickIntervalMs, order, from, withBins })
}
