/**
 * The plot of a backtest.
 *
 * @module
 */
import { Effect } from "effect"
import { FileRefused } from "./readTable.ts"

/** The only file that the task may write. */
const plotFile = "backtest.svg"

/** Writes the plot; returns the name of its file. */
export const writePlot = (svg: string) =>
  Effect.tryPromise({
    try: () => Deno.writeTextFile(plotFile, svg),
    catch: () => new FileRefused({ message: `Cannot write ${plotFile}` }),
  }).pipe(Effect.as(plotFile))
