/**
 * The `WhaleMarketStore` in PostgreSQL.
 *
 * @module
 */
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketFacts, MarketId } from "../../markets/domain/market.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { resolutionColumns, resolutionJson } from "../../postgres/resolutionJson.ts"
import { jsonText } from "../../postgres/json.ts"
import { millis } from "../../postgres/millis.ts"
import { dueAt } from "../domain/due.ts"
import { themeOf } from "../domain/theme.ts"
import { WhaleMarketStore } from "../WhaleMarketStore.ts"
import { insertNames, keys, markUncounted } from "./locking.ts"

type Port = WhaleMarketStore["Service"]

/** Markets in one transaction: with facts, about half a megabyte of JSON. */
const marketsBatch = 1_000

export const layer: Layer.Layer<WhaleMarketStore, never, SqlClient> = Layer.effect(
  WhaleMarketStore,
  Effect.map(SqlClient, (sql) =>
    WhaleMarketStore.of({
      unknownMarkets: unknownMarkets(sql),
      saveFacts: saveFacts(sql),
      unresolved: unresolved(sql),
      saveResolutions: saveResolutions(sql),
      ended: ended(sql),
    })),
)

const unknownMarkets = (sql: SqlClient) =>
  Effect.fn("WhaleMarketStore.unknownMarkets")(function* (limit: number, requestedBefore: EpochMs) {
    const rows = yield* sql<{ market: MarketId }>`
      SELECT market FROM whale_market
      WHERE event_id IS NULL AND facts_requested_at < ${new Date(requestedBefore)}
        AND EXISTS (SELECT FROM whale_position p WHERE p.market_id = whale_market.market_id)
      ORDER BY facts_requested_at, market_id DESC LIMIT ${limit}`
    return rows.map(({ market }) => market)
  }, Effect.orDie)

const saveFacts = (sql: SqlClient): Port["saveFacts"] =>
  Effect.fn("WhaleMarketStore.saveFacts")(function* (facts, requested, at) {
    for (const batch of batchesOf(new Map(facts.map((one) => [one.id, one])), requested)) {
      yield* saveFactsOf(sql, batch, at)
    }
  }, Effect.orDie)

/** The answered and the other requested markets, each once, in batches. */
function batchesOf<Answer>(
  answers: ReadonlyMap<MarketId, Answer>,
  requested: ReadonlyArray<MarketId>,
): ReadonlyArray<ReadonlyArray<{ readonly id: MarketId; readonly answer: Answer | undefined }>> {
  const ids = [...new Set([...answers.keys(), ...requested])]
  return Array.chunksOf(ids.map((id) => ({ id, answer: answers.get(id) })), marketsBatch)
}

type Batch<Answer> = ReturnType<typeof batchesOf<Answer>>[number]

const saveFactsOf = Effect.fnUntraced(
  function* (sql: SqlClient, requests: Batch<MarketFacts>, at: EpochMs) {
    const ids = requests.map(({ id }) => id)
    const events = requests.flatMap(({ answer }) => answer === undefined ? [] : [themeOf(answer)])
    yield* insertNames(sql, "market", ids)
    yield* insertNames(sql, "event", events)
    const markets = yield* keys(sql, "market", ids, "to write")
    const eventKeys = yield* keys(sql, "event", events)
    const rows = requests.map(({ id, answer: facts }) => ({
      market_id: markets.get(id),
      event_id: facts === undefined ? null : eventKeys.get(themeOf(facts)),
      fee_rate: facts?.takerFeeRate,
      ends_at: facts?.endsAt ?? null,
      due_at: facts === undefined ? null : dueAt(facts),
      facts: facts ?? null,
    }))
    yield* sql`
      WITH incoming AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${jsonText(rows)}::json) AS i (
          market_id integer, event_id integer, fee_rate float8, ends_at float8, due_at float8,
          facts json
        )
      ), first_known AS MATERIALIZED (
        SELECT market_id FROM incoming i JOIN whale_market m USING (market_id)
        WHERE m.event_id IS NULL AND i.event_id IS NOT NULL
      ), written AS (
        UPDATE whale_market m SET
          event_id = coalesce(m.event_id, i.event_id),
          due_at = CASE WHEN m.event_id IS NOT NULL THEN m.due_at
            ELSE coalesce(to_timestamp(i.due_at / 1000), '-infinity') END,
          fee_rate = CASE WHEN m.event_id IS NULL THEN i.fee_rate ELSE m.fee_rate END,
          ends_at = CASE WHEN i.event_id IS NULL THEN m.ends_at
            ELSE to_timestamp(i.ends_at / 1000) END,
          facts_requested_at = greatest(m.facts_requested_at, ${new Date(at)}::timestamptz)
        FROM incoming i WHERE m.market_id = i.market_id
      ), saved_facts AS (
        INSERT INTO whale_market_facts AS stored (market_id, facts)
        SELECT market_id, facts FROM incoming WHERE event_id IS NOT NULL
        ON CONFLICT (market_id) DO UPDATE SET facts = excluded.facts
          WHERE stored.facts::text <> excluded.facts::text
      )
      INSERT INTO whale_stale (market_id, wallet_id, activity_at_ms)
      SELECT market_id, wallet_id, newest.activity_at_ms
      FROM first_known JOIN whale_position USING (market_id), LATERAL (
        SELECT coalesce(max(activity_at_ms), 0) AS activity_at_ms FROM whale_activity a
        WHERE a.wallet_id = whale_position.wallet_id AND a.market_id = whale_position.market_id
      ) newest
      WHERE entries_version < activity_version
      ORDER BY market_id, wallet_id
      ON CONFLICT DO NOTHING`
  },
  (saved, sql) => sql.withTransaction(saved),
)

type Unresolved = Parameters<Port["unresolved"]>[0]

const unresolved = (sql: SqlClient) =>
  Effect.fn("WhaleMarketStore.unresolved")(
    function* ({ limit, checkedBefore, ending, endedAfter, recheckedBefore }: Unresolved) {
      const before = sql`${new Date(checkedBefore)}::timestamptz`
      const endingBefore = sql`${new Date(ending.checkedBefore)}::timestamptz`
      const rows = yield* sql<{ market: MarketId }>`
        SELECT market FROM (
          (SELECT market, market_id, requested_at FROM whale_market
          WHERE has_entries AND ended_at IS NULL
            AND requested_at < greatest(${before}, ${endingBefore})
            AND (requested_at < ${before} OR requested_at < ${endingBefore}
              AND ends_at BETWEEN ${new Date(ending.from)} AND ${new Date(ending.to)})
          ORDER BY requested_at, market_id LIMIT ${limit})
          UNION ALL
          (SELECT market, market_id, requested_at FROM whale_market
          WHERE has_entries AND ended_at > ${new Date(endedAfter)}
            AND requested_at < ${new Date(recheckedBefore)}
          ORDER BY requested_at, market_id LIMIT ${limit})
        ) waiting
        ORDER BY requested_at, market_id LIMIT ${limit}`
      return rows.map(({ market }) => market)
    },
    Effect.orDie,
  )

const saveResolutions = (sql: SqlClient): Port["saveResolutions"] =>
  Effect.fn("WhaleMarketStore.saveResolutions")(function* (resolutions, checked, at) {
    const found = new Map(resolutions.map((resolution) => [resolution.marketId, resolution]))
    let changed = 0
    for (const batch of batchesOf(found, checked)) {
      changed += yield* saveResolutionsOf(sql, batch, at)
    }
    return changed
  }, Effect.orDie)

const saveResolutionsOf = Effect.fnUntraced(
  function* (sql: SqlClient, checks: Batch<Resolution>, at: EpochMs) {
    const ids = checks.map(({ id }) => id)
    yield* insertNames(sql, "market", ids)
    const markets = yield* keys(sql, "market", ids, "to write")
    const rows = checks.map(({ id, answer }) => ({ market_id: markets.get(id), ...answer }))
    const [found] = yield* sql<{ changed: number }>`
      WITH incoming AS MATERIALIZED (
        SELECT market_id, i.state, payouts, to_timestamp("resolvedAt" / 1000) AS resolved_at,
          (i.state, payouts[1], payouts[2])
            IS DISTINCT FROM (m.state, m.payout_first, m.payout_second)
            AND i.state IS NOT NULL AS is_new,
          to_timestamp("resolvedAt" / 1000) <> m.ended_at AS is_moved
        FROM json_to_recordset(${jsonText(rows)}::json)
          AS i (market_id integer, ${resolutionColumns(sql)})
        JOIN whale_market m USING (market_id)
      ), updated AS (
        UPDATE whale_market m SET
          requested_at = greatest(requested_at, ${new Date(at)}::timestamptz),
          state = coalesce(i.state, m.state),
          payout_first = CASE WHEN i.state IS NULL THEN m.payout_first ELSE payouts[1] END,
          payout_second = CASE WHEN i.state IS NULL THEN m.payout_second ELSE payouts[2] END,
          resolved_at = coalesce(i.resolved_at, m.resolved_at),
          ended_at = CASE WHEN i.state IS NULL THEN m.ended_at
            ELSE coalesce(i.resolved_at, m.ended_at, ${new Date(at)}::timestamptz) END,
          resolution_learned_at = CASE WHEN i.is_new THEN ${new Date(at)}::timestamptz
            ELSE m.resolution_learned_at END
        FROM incoming i WHERE m.market_id = i.market_id
      ), marked AS (
        SELECT wallet_id FROM incoming JOIN whale_position USING (market_id)
        WHERE (is_new OR is_moved) AND entry_count > 0
      ), marks AS (${markUncounted(sql)})
      SELECT count(*)::integer AS changed FROM incoming WHERE is_new`
    return found?.changed ?? 0
  },
  (saved, sql) => sql.withTransaction(saved),
)

const ended = (sql: SqlClient): Port["ended"] =>
  Effect.fn("WhaleMarketStore.ended")(function* ({ endedFrom, changed, limit }) {
    return yield* sql<Effect.Success<ReturnType<Port["ended"]>>[number]>`
      SELECT facts AS market, ${millis(sql, "ended_at", "endedAt")}, wallets,
        stake_usd AS "stakeUsd", ${resolutionJson(sql, "m.market")}
      FROM whale_market m JOIN whale_market_facts USING (market_id), LATERAL (
        SELECT count(*)::integer AS wallets, coalesce(sum(staked), 0) AS stake_usd
        FROM whale_position p, LATERAL (
          SELECT sum((entry ->> 'stakeUsd')::float8) AS staked
          FROM json_array_elements(p.entries) entry
        ) entered
        WHERE p.market_id = m.market_id AND p.entry_count > 0
      ) sums
      WHERE has_entries AND ended_at IS NOT NULL AND ended_at >= ${new Date(endedFrom)}
        AND resolution_learned_at >= ${new Date(changed.from)}
        AND resolution_learned_at < ${new Date(changed.to)}
      ORDER BY stake_usd DESC, m.market COLLATE "C" LIMIT ${limit}`
  }, Effect.orDie)
