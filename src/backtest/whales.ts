/**
 * `deno task backtest --whales FILE`: reads a file of entries, labels each wallet by the first half of
 * its time, prints the results of the second half and writes the plot.
 *
 * @module
 */
import { Clock, Console, Effect, Result } from "effect"
import { second } from "../core/domain/time.ts"
import { entryColumns, type EntryRow, entryRow } from "./domain/entryRow.ts"
import type { WhaleBacktest } from "./domain/backtestArguments.ts"
import { walletHalves } from "./domain/walletHalves.ts"
import { whalePlot, whaleScores, whaleTable } from "./domain/whaleReport.ts"
import { writePlot } from "./plotFile.ts"
import { badRowLines, readTable } from "./readTable.ts"

/** All rows are kept, because a wallet's rows may be anywhere: about 200 bytes each. */
const rowsMax = 3_000_000

export const backtestWhales = Effect.fn("backtestWhales")(function* ({ file }: WhaleBacktest) {
  const started = yield* Clock.currentTimeMillis
  const byWallet = new Map<string, Array<EntryRow>>()
  const texts = new Map<string, string>()
  const { rows, bad } = yield* readTable(file, {
    required: entryColumns,
    rowsMax,
    onRow: (raw) => {
      const row = entryRow(raw)
      if (Result.isFailure(row)) return row.failure
      const { wallet, market, event, outcome } = row.success
      // Rows share their texts, so that memory is bounded by the numbers of markets and wallets.
      const shared = (text: string) => texts.getOrInsert(text, text)
      byWallet.getOrInsertComputed(wallet, () => []).push({
        ...row.success,
        wallet: shared(wallet),
        market: shared(market),
        event: shared(event),
        outcome: shared(outcome),
      })
      return null
    },
  })
  const scores = whaleScores(
    new Map([...byWallet].map(([wallet, rows]) => [wallet, walletHalves(rows)])),
  )
  const seconds = ((yield* Clock.currentTimeMillis) - started) / second
  const source = file.split("/").at(-1) ?? file
  const plot = yield* writePlot(whalePlot(scores, source))
  yield* Console.log(
    [
      `${source}: ${rows} rows${rows >= rowsMax ? ", the rest is not read" : ""}`,
      ...badRowLines(bad),
      whaleTable(scores),
      "",
      `${Math.round(rows / seconds)} rows a second, ${seconds.toFixed(1)} s; plot in ${plot}`,
    ].join("\n"),
  )
})
