/**
 * Published whale entries in PostgreSQL: the readings of books after them, and what is known of each. How
 * their markets ended is known from the whale tables.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { MarketId } from "../../markets/domain/market.ts"
import { jsonText } from "../../postgres/json.ts"
import { type EntryLabel, scoredEntriesMax, type ScoredEntry } from "../domain/entryScore.ts"
import type { JudgedReading, ScoreStore } from "../ScoreStore.ts"

type Ports = Pick<ScoreStore["Service"], "dueReadings" | "saveReadings" | "entries">

/** The part of `ScoreStore` about entries; `changed` marks the counts as changed. */
export const entryScores = (
  sql: SqlClient,
  changed: Effect.Effect<unknown, SqlError>,
): Ports => ({
  dueReadings: dueReadings(sql),
  saveReadings: saveReadings(sql, changed),
  entries: entries(sql),
})

interface ReadingRow {
  readonly feed_index: bigint
  readonly delay_minutes: number
  readonly market_id: MarketId | null
  readonly outcome: 0 | 1
  readonly due_at: Date
}

const dueReadings = (sql: SqlClient): Ports["dueReadings"] =>
  Effect.fn("ScoreStore.dueReadings")(
    function* (now, limit) {
      const rows = yield* sql<ReadingRow>`
        SELECT feed_index, delay_minutes, c.market_id, r.due_at, c.outcome
        FROM score_reading r JOIN score_check c USING (feed_index)
        WHERE r.state = 'due' AND r.due_at <= ${new Date(now)} AND c.kind = 'whale_24h'
        ORDER BY r.due_at, feed_index, delay_minutes LIMIT ${limit}`
      return rows.map((row) => ({
        feedIndex: Number(row.feed_index),
        delayMinutes: row.delay_minutes,
        marketId: row.market_id,
        outcome: row.outcome,
        dueAt: row.due_at.getTime(),
      }))
    },
    Effect.orDie,
  )

const saveReadings = (
  sql: SqlClient,
  changed: Effect.Effect<unknown, SqlError>,
): Ports["saveReadings"] =>
  Effect.fn("ScoreStore.saveReadings")(
    function* (readings) {
      if (readings.length === 0) return 0
      const saved = yield* sql`
        UPDATE score_reading r SET state = i.state, stake_price = i.stake_price,
          other_stake_price = i.other_stake_price
        FROM json_to_recordset(${jsonText(readings.map(readingRow))}::json) AS i (
          feed_index bigint, delay_minutes smallint, state text, stake_price float8,
          other_stake_price float8
        )
        WHERE r.feed_index = i.feed_index AND r.delay_minutes = i.delay_minutes
          AND r.state = 'due'
        RETURNING 1`
      if (saved.length > 0) yield* changed
      return saved.length
    },
    sql.withTransaction,
    Effect.orDie,
  )

function readingRow({ feedIndex, delayMinutes, result }: JudgedReading) {
  const row = { feed_index: feedIndex, delay_minutes: delayMinutes, state: result.state }
  if (result.state !== "read") return row
  const [stake_price, other_stake_price] = result.prices
  return { ...row, stake_price, other_stake_price }
}

export interface EntryResultRow {
  readonly result: ScoredEntry["result"]
  readonly payout: number | null
}

/** The columns of `EntryResultRow`, from a check `c` and its market `m`. */
export const entryResult = (sql: SqlClient) =>
  sql`m.state AS result, CASE c.outcome WHEN 0 THEN payout_first ELSE payout_second END AS payout`

interface EntryRow extends EntryResultRow {
  readonly feed_index: bigint
  readonly wallet: string
  readonly event_key: string
  readonly label: EntryLabel
  readonly entry_price: number
  readonly ask: number | null
  readonly other_ask: number | null
  readonly fee_rate: number
  readonly verdict: "priced" | "unknown" | null
  readonly value: number | null
  readonly readings: ReadonlyArray<
    readonly [
      delay: number,
      state: "due" | "read" | "missed" | "no_book",
      bought: number | null,
      other: number | null,
    ]
  >
}

const entries = (sql: SqlClient) =>
  sql<EntryRow>`
    SELECT e.*, c.verdict, c.value, ${entryResult(sql)}, (
      SELECT json_agg(json_build_array(delay_minutes, r.state, stake_price, other_stake_price)
        ORDER BY delay_minutes)
      FROM score_reading r WHERE r.feed_index = e.feed_index
    ) AS readings
    FROM (SELECT * FROM score_entry ORDER BY feed_index DESC LIMIT ${scoredEntriesMax}) e
    JOIN score_check c ON c.feed_index = e.feed_index AND c.kind = 'whale_24h'
    LEFT JOIN whale_market m ON m.market = c.market_id
    ORDER BY e.feed_index`.pipe(Effect.map((rows) => rows.map(scoredEntry)), Effect.orDie)

function scoredEntry(row: EntryRow): ScoredEntry {
  const { ask, other_ask, verdict, value } = row
  return {
    feedIndex: Number(row.feed_index),
    wallet: row.wallet,
    eventKey: row.event_key,
    label: row.label,
    entryPrice: row.entry_price,
    asks: ask === null || other_ask === null ? null : [ask, other_ask],
    feeRate: row.fee_rate,
    result: row.result,
    payout: row.payout,
    later: verdict === null ? undefined : value ?? "unknown",
    readings: row.readings.map(([delayMinutes, state, bought, other]) => ({
      delayMinutes,
      result: state === "read" ? { state, prices: [bought, other] } : { state },
    })),
  }
}
