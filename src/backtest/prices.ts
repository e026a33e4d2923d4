/**
 * `deno task backtest FILE`: reads a price file, replays the movers' rule over it, prints the scores and
 * writes the plot.
 *
 * @module
 */
import { Clock, Console, Effect, Result } from "effect"
import { day, isoTime, minute, second } from "../core/domain/time.ts"
import type { PriceBacktest } from "./domain/backtestArguments.ts"
import { priceReplay } from "./domain/priceReplay.ts"
import { pricePlot, priceScores, priceTable } from "./domain/priceReport.ts"
import { priceColumns, type PriceRow, priceRow } from "./domain/priceRow.ts"
import type { RawRow } from "./domain/tableText.ts"
import { orderRows, rowOrder } from "./domain/rowOrder.ts"
import { writePlot } from "./plotFile.ts"
import { badRowLines, readTable } from "./readTable.ts"

export const backtestPrices = Effect.fn("backtestPrices")(function* (command: PriceBacktest) {
  const started = yield* Clock.currentTimeMillis
  const order = yield* foundOrder(command)
  const scores = priceScores(command.from)
  const replay = priceReplay(order, command.tickIntervalMs, scores)
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const { rows, bad } = yield* readTable(command.file, {
    required: priceColumns,
    rowsMax: Number.POSITIVE_INFINITY,
    onRow: withRow((row) => {
      ;[from, to] = [Math.min(from, row.at), Math.max(to, row.at)]
      return replay.observe(row)
    }),
  })
  replay.finish()
  const seconds = ((yield* Clock.currentTimeMillis) - started) / second
  const source = command.file.split("/").at(-1) ?? command.file
  const plotFile = yield* writePlot(pricePlot(scores, source))
  yield* Console.log(
    [
      `${source}: ${rows} rows, ${isoTime(from)} to ${isoTime(to)} ` +
      `(${((to - from) / day).toFixed(1)} days), ticks of ${command.tickIntervalMs / minute} min`,
      ...order === "market"
        ? ["ordered by market: the limit of items per event is not applied"]
        : [],
      ...badRowLines(bad),
      "",
      priceTable(scores, to - Math.max(from, command.from), command.tickIntervalMs),
      "",
      `${Math.round(rows / seconds)} rows a second, ${seconds.toFixed(1)} s; plot in ${plotFile}`,
    ].join("\n"),
  )
})

/** The order of the rows, from the first ones. */
const foundOrder = Effect.fnUntraced(function* ({ file, order }: PriceBacktest) {
  if (order !== null) return order
  const first: Array<PriceRow> = []
  yield* readTable(file, {
    required: priceColumns,
    rowsMax: orderRows,
    onRow: withRow((row) => void first.push(row)),
  })
  return rowOrder(first)
})

/** Decodes a row for `use`; returns why it is bad, or null. */
const withRow = (use: (row: PriceRow) => string | null | void) => (raw: RawRow): string | null => {
  const row = priceRow(raw)
  return Result.isFailure(row) ? row.failure : use(row.success) ?? null
}
