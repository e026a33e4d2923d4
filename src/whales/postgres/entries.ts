/**
 * Entries of tracked wallets in one market, in PostgreSQL.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { isMarketMaker, type OpenEntry } from "../domain/entry.ts"
import type { HeldEntry } from "../domain/heldEntry.ts"
import type { MarketId } from "../../markets/domain/market.ts"
import type { WhaleRow } from "../domain/whale.ts"

/** The part of `WhaleStore` that is about a market. */
export const entries = (sql: SqlClient) => ({ entriesIn: entriesIn(sql) })

interface Row {
  readonly wallet: string
  readonly name: string
  readonly markets: number
  readonly both_sides: number
  readonly entry: HeldEntry
  readonly computed_at: Date | null
  readonly calibration: WhaleRow | null
}

const entriesIn = (sql: SqlClient) =>
  Effect.fn("WhaleStore.entriesIn")(function* (marketId: MarketId, limit: number) {
    const rows = yield* sql<Row>`
      SELECT w.wallet, w.name, w.markets, w.both_sides, entry, computed_at, calibration
      FROM whale_market m
      JOIN whale_position p USING (market_id)
      JOIN whale_wallet w USING (wallet_id)
      CROSS JOIN LATERAL json_array_elements(p.entries) AS entry
      LEFT JOIN whale_calibration c ON c.wallet = w.wallet
      WHERE m.market = ${marketId} AND m.state IS NULL AND w.history <> 'reading'
        AND p.entry_count > 0
        AND (entry ->> 'hedgedShares')::float8 * 2 <= (entry ->> 'shares')::float8
      ORDER BY (entry ->> 'stakeUsd')::float8 DESC, w.wallet COLLATE "C",
        (entry ->> 'openedAt')::float8, (entry ->> 'outcome')::integer
      LIMIT ${limit}`
    return rows.map(openEntry)
  }, Effect.orDie)

function openEntry(row: Row): OpenEntry {
  const { wallet, name, markets, both_sides, entry, computed_at, calibration } = row
  return {
    wallet,
    name,
    marketMaker: isMarketMaker({ markets, bothSides: both_sides }),
    outcome: entry.outcome,
    price: entry.price,
    stakeUsd: entry.stakeUsd,
    firstFillAt: entry.firstFillAt,
    calibration: computed_at === null || calibration === null
      ? null
      : { computedAt: computed_at.getTime(), row: calibration },
  }
}
