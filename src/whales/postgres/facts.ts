/**
 * What is known of the markets that tracked wallets act in, in PostgreSQL.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { MarketFacts, MarketId } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { batches } from "../../postgres/batches.ts"
import { jsonText } from "../../postgres/json.ts"
import { keys, name } from "./keys.ts"

/** Markets in one transaction: about half a megabyte of JSON. */
const factsBatch = 1_000

/** The part of `WhaleStore` that is about facts. */
export const facts = (sql: SqlClient) => ({
  unknownMarkets: unknownMarkets(sql),
  saveFacts: saveFacts(sql),
})

const unknownMarkets = (sql: SqlClient) =>
  Effect.fn("WhaleStore.unknownMarkets")(function* (limit: number, askedBefore: EpochMs) {
    const rows = yield* sql<{ market: MarketId }>`
      SELECT market FROM whale_market
      WHERE event_id IS NULL AND facts_asked_at < ${new Date(askedBefore)}
        AND EXISTS (SELECT FROM whale_position p WHERE p.market_id = whale_market.market_id)
      ORDER BY facts_asked_at, market_id LIMIT ${limit}`
    return rows.map(({ market }) => market)
  }, Effect.orDie)

const saveFacts = (sql: SqlClient) =>
  Effect.fn("WhaleStore.saveFacts")(
    function* (
      facts: ReadonlyArray<MarketFacts>,
      asked: ReadonlyArray<MarketId>,
      at: EpochMs,
    ) {
      const known = new Map(facts.map((market) => [market.id, market]))
      const ids = [...new Set([...known.keys(), ...asked])]
      const asking = new Set(asked)
      for (const batch of batches(ids, factsBatch)) {
        yield* saveBatch(
          sql,
          batch.map((id) => ({ id, facts: known.get(id), asked: asking.has(id) })),
          at,
        )
      }
    },
    Effect.orDie,
  )

interface Told {
  readonly id: MarketId
  readonly facts: MarketFacts | undefined
  readonly asked: boolean
}

const saveBatch = Effect.fnUntraced(
  function* (sql: SqlClient, told: ReadonlyArray<Told>, at: EpochMs) {
    const ids = told.map(({ id }) => id)
    const events = told.flatMap(({ facts }) => facts === undefined ? [] : [facts.eventSlug])
    yield* name(sql, "market", ids)
    yield* name(sql, "event", events)
    const markets = yield* keys(sql, "market", ids, "to write")
    const eventKeys = yield* keys(sql, "event", events)
    const rows = told.map(({ id, facts, asked }) => ({
      market_id: markets.get(id),
      asked,
      event_id: facts === undefined ? null : eventKeys.get(facts.eventSlug),
      fee_rate: facts?.takerFeeRate,
      ends_at: facts?.endsAt ?? null,
      facts: facts ?? null,
    }))
    yield* sql`
      WITH incoming AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${jsonText(rows)}::json) AS i (
          market_id integer, asked boolean, event_id integer, fee_rate float8, ends_at float8,
          facts json
        )
      ), first_told AS MATERIALIZED (
        SELECT market_id FROM incoming i JOIN whale_market m USING (market_id)
        WHERE m.event_id IS NULL AND i.event_id IS NOT NULL
      ), written AS (
        UPDATE whale_market m SET
          event_id = coalesce(m.event_id, i.event_id),
          fee_rate = coalesce(i.fee_rate, m.fee_rate),
          ends_at = CASE WHEN i.event_id IS NULL THEN m.ends_at
            ELSE to_timestamp(i.ends_at / 1000) END,
          facts_asked_at = CASE WHEN i.asked
            THEN greatest(m.facts_asked_at, ${new Date(at)}::timestamptz)
            ELSE m.facts_asked_at END
        FROM incoming i WHERE m.market_id = i.market_id
      ), remembered AS (
        INSERT INTO whale_market_facts AS held (market_id, facts)
        SELECT market_id, facts FROM incoming WHERE event_id IS NOT NULL
        ON CONFLICT (market_id) DO UPDATE SET facts = excluded.facts
          WHERE held.facts::text <> excluded.facts::text
      )
      INSERT INTO whale_stale (market_id, wallet_id, acted_at)
      SELECT market_id, wallet_id, newest.acted_at
      FROM first_told JOIN whale_position USING (market_id), LATERAL (
        SELECT coalesce(max(acted_at), 0) AS acted_at FROM whale_act a
        WHERE a.wallet_id = whale_position.wallet_id AND a.market_id = whale_position.market_id
      ) newest
      ORDER BY market_id, wallet_id
      ON CONFLICT DO NOTHING`
  },
  (saved, sql) => sql.withTransaction(saved),
)
