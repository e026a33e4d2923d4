/**
 * `deno task backtest --whales` over files of entries: the example, both halves, and bad rows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert"
import { Result } from "effect"
import { entryRow } from "../../src/backtest/domain/entryRow.ts"
import { walletHalves } from "../../src/backtest/domain/walletHalves.ts"
import { whalePlot, whaleScores, whaleTable } from "../../src/backtest/domain/whaleReport.ts"
import { lineReader, type RawRow } from "../../src/backtest/domain/tableText.ts"
import { exampleEntries } from "../support/backtest/entries.ts"

const fixture = new URL("../../fixtures/backtest/entries.csv", import.meta.url)
const raw: RawRow = {
  ...{ wallet: "0xA", market: "m", event: "e", outcome: "Yes", price: 0.4, stakeUsd: 10 },
  ...{ time: "2026-03-02T00:00:00Z", payout: 1 },
}

Deno.test("the example is what its program writes", async () => {
  strictEqual(await Deno.readTextFile(fixture), exampleEntries())
})

function scoresOf(text: string) {
  const [header = "", ...lines] = text.trimEnd().split("\n")
  const { read } = lineReader(header)
  const rows = lines.flatMap((line) => {
    const row = Result.flatMap(read(line), entryRow)
    return Result.isSuccess(row) ? [row.success] : []
  })
  const wallets = Map.groupBy(rows, ({ wallet }) => wallet)
  return whaleScores(new Map([...wallets].map(([name, rows]) => [name, walletHalves(rows)])))
}

Deno.test("the wallet with an edge is proven by its first half, and wins in its second", () => {
  const scores = scoresOf(exampleEntries())
  const group = (name: string) => scores.groups.find((group) => group.name === name)
  equal([scores.wallets, scores.judged], [3, 2])
  const proven = group("label follow")?.second
  strictEqual(proven?.wallets, 1)
  ok((proven?.edge?.low ?? 0) > 0.05, `${proven?.edge?.low}`)
  strictEqual(group("label neutral")?.second.wallets, 1)
  strictEqual(group("sweeps, apart")?.second.entries, 120)
  const [table, plot] = [whaleTable(scores), whalePlot(scores, "entries.csv")]
  ok(/^label follow +1 +120 /m.test(table), table)
  ok(plot.startsWith("<svg") && !/NaN|undefined/.test(plot))
})

Deno.test("a row without what is needed is bad, for the first reason", () => {
  const why = (changed: RawRow) => {
    const row = entryRow({ ...raw, ...changed })
    return Result.isFailure(row) ? row.failure : null
  }
  strictEqual(why({}), null)
  strictEqual(why({ market: null }), "no_wallet_or_market")
  strictEqual(why({ side: "SELL" }), "sale")
  strictEqual(why({ time: "soon" }), "bad_time")
  strictEqual(why({ price: 1 }), "bad_price")
  strictEqual(why({ stakeUsd: 0 }), "bad_stake")
  strictEqual(why({ payout: "" }), "no_payout")
})

Deno.test("buys of one outcome without a day between them are one entry, at the first price", () => {
  const row = (hours: number, price: number) => ({
    ...raw,
    ...{ price, time: Date.UTC(2026, 2, 2, hours) },
  })
  const rows = [row(0, 0.4), row(20, 0.6), row(60, 0.5), row(1_000, 0.5)].map((each) =>
    Result.getOrThrow(entryRow(each))
  )
  const { first, second } = walletHalves(rows)
  equal(first.entries.map(({ openingPrice }) => openingPrice), [0.4, 0.5, 0.5])
  ok(Math.abs((first.entries[0]?.price ?? 0) - 0.48) < 1e-12)
  strictEqual(second.entries.length, 0)
})
