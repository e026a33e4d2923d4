/**
 * The readings and the sums of published whale entries in PostgreSQL.
 *
 * A result is stored once and never summed in advance, so a corrected resolution changes the sums once.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { MarketId } from "../../markets/domain/market.ts"
import type { ClusterSums } from "../../core/domain/clusteredMean.ts"
import { isoTime } from "../../core/domain/time.ts"
import { jsonText } from "../../postgres/json.ts"
import {
  type EntryLabel,
  type EntryTotals,
  metrics,
  scoredEntriesMax,
  walletClosing,
} from "../domain/entryScore.ts"
import type { JudgedReading, ScoreStore } from "../ScoreStore.ts"

type Ports = Pick<
  ScoreStore["Service"],
  "dueReadings" | "saveReadings" | "entryTotals" | "walletEntrySums"
>

/** The part of `ScoreStore` about entries; `changed` marks the counts as changed. */
export const entryScores = (
  sql: SqlClient,
  changed: Effect.Effect<unknown, SqlError>,
): Ports => ({
  dueReadings: dueReadings(sql),
  saveReadings: saveReadings(sql, changed),
  entryTotals: entryTotals(sql),
  walletEntrySums: firstScored(sql).pipe(
    Effect.flatMap((first) => sums(sql, "wallet", first)),
    Effect.map(sumsByGroup),
    Effect.orDie,
  ),
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
        WHERE r.state = 'due' AND r.due_at <= ${new Date(now)} AND c.kind = 'whale_entry'
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
        UPDATE score_reading r SET state = i.state, read_at = i.read_at, mid = i.mid,
          stake_price = i.stake_price, other_stake_price = i.other_stake_price
        FROM json_to_recordset(${jsonText(readings.map(readingRow))}::json) AS i (
          feed_index bigint, delay_minutes smallint, state text, read_at timestamptz, mid float8,
          stake_price float8, other_stake_price float8
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
  return {
    ...row,
    read_at: isoTime(result.readAt),
    mid: result.mid,
    stake_price,
    other_stake_price,
  }
}

/** The index of the oldest entry that is scored. */
const firstScored = (sql: SqlClient) =>
  Effect.map(
    sql<{ feed_index: bigint }>`
      SELECT feed_index FROM score_entry ORDER BY feed_index DESC LIMIT 1
      OFFSET ${scoredEntriesMax - 1}`,
    ([row]) => row?.feed_index ?? 0n,
  )

type Group = "label" | "wallet" | "all"

/** Each published entry from one side: that of its label, else the side that the wallet bought. */
const sides = (sql: SqlClient, group: Group, first: bigint) => {
  const faded = group === "label" ? sql`e.label = 'fade'` : sql`false`
  return sql`
    SELECT e.feed_index, ${
    group === "all" ? sql`'all'` : sql`e.${sql(group)}`
  } AS name, e.event_key, e.fee_rate, ${faded} AS faded,
      CASE WHEN ${faded} THEN 1 - e.entry_price ELSE e.entry_price END AS price,
      CASE WHEN ${faded} THEN e.other_ask ELSE e.ask END AS ask,
      CASE WHEN ${faded} THEN 1 - c.value ELSE c.value END AS payout
    FROM score_entry e
    JOIN score_check c ON c.feed_index = e.feed_index AND c.kind = 'whale_entry'
    WHERE e.feed_index >= ${first} AND c.feed_index >= ${first}`
}

/**
 * The cost of a share with the venue's taker fee: fee = shares x rate x p x (1 - p). At a mean price over
 * several levels it is at least the sum over the levels, because p (1 - p) is concave.
 */
const cost = (sql: SqlClient, price: "ask" | "stake_price") =>
  sql`(${sql(price)} + fee_rate * ${sql(price)} * (1 - ${sql(price)}))`

/**
 * Every value that is averaged, with its deviation under a fair price; for wallets only what their rows
 * show.
 */
const observations = (sql: SqlClient, group: Group, first: bigint) =>
  sql`
    SELECT name, event_key, ${metrics.atAsk}::text AS metric, payout / ${cost(sql, "ask")} - 1 AS x,
      sqrt(ask * (1 - ask)) / ${cost(sql, "ask")} AS fair
    FROM side WHERE ${group === "label"} AND payout IS NOT NULL AND ask IS NOT NULL
    UNION ALL
    SELECT name, event_key, 'book_' || delay_minutes, payout / ${cost(sql, "stake_price")} - 1,
      sqrt(stake_price * (1 - stake_price)) / ${cost(sql, "stake_price")}
    FROM side JOIN (
      SELECT feed_index AS read_index, delay_minutes,
        unnest(ARRAY[false, true]) AS other, unnest(ARRAY[stake_price, other_stake_price]) AS stake_price
      FROM score_reading WHERE feed_index >= ${first}
    ) reading ON read_index = feed_index AND other = faded
    WHERE payout IS NOT NULL AND stake_price IS NOT NULL
    UNION ALL
    SELECT name, side.event_key, kind || suffix, CASE WHEN faded THEN 1 - value ELSE value END - against, 0
    FROM side JOIN score_check USING (feed_index),
      LATERAL (VALUES ('_from_entry', price), ('_from_ask', ask)) AS v (suffix, against)
    WHERE kind <> 'whale_entry' AND feed_index >= ${first} AND (${
    group === "label"
  } OR kind || suffix = ${
    metrics.fromEntry(walletClosing)
  }) AND value IS NOT NULL AND against IS NOT NULL`

interface SumRow extends Omit<ClusterSums, "clusters"> {
  readonly name: string
  readonly metric: string
  readonly clusters: bigint
}

const sums = (sql: SqlClient, group: Group, first: bigint) =>
  sql<SumRow>`
    WITH side AS (${sides(sql, group, first)}),
    cluster AS (
      SELECT name, metric, event_key, count(*)::float8 AS n, sum(x) AS s, sum(fair) AS f
      FROM (${observations(sql, group, first)}) observation GROUP BY name, metric, event_key
    )
    SELECT name, metric, count(*) AS clusters, sum(n) AS n, sum(s) AS s, sum(n * n) AS nn,
      sum(n * s) AS ns, sum(s * s) AS ss, sum(f * f) AS ff
    FROM cluster GROUP BY name, metric`

function sumsByGroup(rows: ReadonlyArray<SumRow>): ReadonlyMap<string, EntryTotals["sums"]> {
  const groups = Map.groupBy(rows, ({ name }) => name)
  return new Map([...groups].map(([name, of]) => [
    name,
    Object.fromEntries(of.map(({ name: _, metric, clusters, ...rest }) => [
      metric,
      { ...rest, clusters: Number(clusters) },
    ])),
  ]))
}

interface CountRow {
  readonly label: EntryLabel
  readonly metric: string
  readonly entries: bigint
}

const entryTotals = (sql: SqlClient) =>
  Effect.gen(function* () {
    const first = yield* firstScored(sql)
    const sumsOfLabel = sumsByGroup(yield* sums(sql, "label", first))
    const copied = sumsByGroup(yield* sums(sql, "all", first)).get("all") ?? {}
    const rows = yield* sql<CountRow>`
      WITH entry AS (SELECT * FROM score_entry WHERE feed_index >= ${first})
      SELECT label, metric, count(*) AS entries FROM (
        SELECT label, unnest(ARRAY[
          ${metrics.published}::text, CASE WHEN ask IS NULL THEN ${metrics.withoutBook}::text END
        ]) AS metric FROM entry
        UNION ALL
        SELECT label, kind || '_' || verdict FROM score_check JOIN entry USING (feed_index)
        WHERE verdict IS NOT NULL AND feed_index >= ${first}
        UNION ALL
        SELECT label, 'reading_' || delay_minutes || '_' || state
        FROM score_reading JOIN entry USING (feed_index) WHERE feed_index >= ${first}
        UNION ALL
        SELECT label, 'unfillable_' || delay_minutes
        FROM score_reading JOIN entry USING (feed_index)
        WHERE state = 'read' AND feed_index >= ${first}
          AND CASE label WHEN 'fade' THEN other_stake_price ELSE stake_price END IS NULL
      ) counted WHERE metric IS NOT NULL GROUP BY label, metric`
    const totals = new Map(
      [...Map.groupBy(rows, ({ label }) => label)].map(([label, of]): [EntryLabel, EntryTotals] => [
        label,
        {
          counts: Object.fromEntries(of.map(({ metric, entries }) => [metric, Number(entries)])),
          sums: sumsOfLabel.get(label) ?? {},
        },
      ]),
    )
    return { byLabel: totals, copied }
  }).pipe(Effect.orDie)
