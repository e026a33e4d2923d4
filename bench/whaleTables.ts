/**
 * Fills the whale tables in bulk, on the server. Most entries are in ended markets.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { StoredEntry } from "../src/whales/domain/storedEntry.ts"
import { MarketId } from "../src/markets/domain/market.ts"
import { sumsOf } from "../src/whales/domain/score.ts"
import { ruleVersion } from "../src/whales/domain/label.ts"
import { factsOf, start } from "../tests/whales/whaleStores.laws.ts"

export interface Size {
  readonly entries: number
  readonly wallets: number
}

/** Positions in a market that has ended, and in one that is open. */
const positionsEnded = 15
const positionsOpen = 6
/** Two of three positions have two entries. */
const entriesPerPosition = 5 / 3
const open = 10_000
const marketsPerEvent = 3
const actsPerPosition = 2
const stale = 100_000
const due = 2_000
/** Events in the sums of each wallet. */
const eventsCounted = 60

const ended = ({ entries }: Size) =>
  Math.round((entries / entriesPerPosition - open * positionsOpen) / positionsEnded)

/** The number of the first market that is open. */
export const openMarkets = (size: Size) => ended(size) + 1

export const marketOf = (n: number) => MarketId.make(`0x${n.toString(16).padStart(64, "0")}`)

const entry: StoredEntry = {
  outcome: 0,
  price: 0.5731,
  openingPrice: 0.57,
  stakeUsd: 2_417.331,
  shares: 4_218.02,
  hedgedShares: 0,
  fills: 7,
  firstFillAt: start,
  lastFillAt: start + 3_600_000,
  openedAt: start,
  calibration: {
    label: "neutral",
    resolved: 412,
    winRate: 0.5631,
    meanEntryPrice: 0.5512,
    edge: 0.0119,
    edgeLow: -0.0312,
    edgeHigh: 0.0551,
    followRoi: 0.0131,
    fadeRoi: -0.0404,
    effectiveEntries: 214,
    computedAt: "2026-11-20T00:00:00.000Z",
    ruleVersion,
  },
  emitted: true,
}

/** Sums as long as those of a wallet with entries at every price. */
const recordOf = (isWon: (n: number) => boolean) =>
  JSON.stringify(sumsOf(Array.from({ length: eventsCounted }, (_, n) => [{
    entries: [{ ...entry, price: 0.03 + 0.94 * (n * 0.618 % 1) }],
    payouts: isWon(n) ? [1, 0] : [0, 1],
    feeRate: 0.02,
  }])))
const won = recordOf(() => true)
const halfWon = recordOf((n) => n % 2 === 0)
/** One wallet in so many won all, so that it may be labelled. */
const wonEvery = 10

/** The wallet of the n-th position: half of a market's wallets are in its sibling markets too. */
const walletOf = (wallets: number) =>
  `1 + CASE WHEN n % 2 = 0
    THEN (market_id / ${marketsPerEvent} * 7919 + n * 976) % (${wallets} / 2) * 2
    ELSE (market_id * 3989 + n * 976) % (${wallets} / 2) * 2 + 1 END`

const statements = (size: Size): ReadonlyArray<string> => {
  const { wallets } = size
  const markets = ended(size) + open
  const isOpen = `market_id > ${ended(size)}`
  const facts = JSON.stringify({
    ...factsOf(1),
    question: "Will the lighthouse be lit? ".repeat(3),
  })
  const held = JSON.stringify(entry)
  return [
    `INSERT INTO whale_wallet (wallet_id, wallet, name, source, tracked_at, history, read_from,
      read_to, activity_count, markets) OVERRIDING SYSTEM VALUE
    SELECT n, '0x' || lpad(to_hex(n), 40, '0'), 'name ' || n,
      CASE n % 3 WHEN 0 THEN 'profit' ELSE 'volume' END, now(), 'whole', now(), now(), 1, 1
    FROM generate_series(1, ${wallets}) n`,
    `INSERT INTO whale_event (event_id, event) OVERRIDING SYSTEM VALUE
    SELECT n, 'event ' || n FROM generate_series(0, ${markets} / ${marketsPerEvent}) n`,
    `INSERT INTO whale_market (market_id, market, event_id, fee_rate, ends_at, has_entries,
      requested_at, state, payout_first, payout_second, source, resolved_at, ended_at)
      OVERRIDING SYSTEM VALUE
    SELECT market_id, '0x' || lpad(to_hex(market_id), 64, '0'), market_id / ${marketsPerEvent},
      0.02, now(), true, now() - market_id * interval '1 second',
      CASE WHEN NOT open THEN 'paid' END, CASE WHEN NOT open THEN 1 END,
      CASE WHEN NOT open THEN 0 END, CASE WHEN NOT open THEN 'oracle' END,
      CASE WHEN NOT open THEN now() END, CASE WHEN NOT open THEN now() END
    FROM generate_series(1, ${markets}) market_id, LATERAL (SELECT ${isOpen} AS open) o`,
    `INSERT INTO whale_market_facts SELECT n, '${facts}'::json FROM generate_series(1, ${markets}) n`,
    `INSERT INTO whale_token (token_id, token) OVERRIDING SYSTEM VALUE VALUES (1, 'yes'), (2, 'no')`,
    `INSERT INTO whale_position (market_id, wallet_id, activity_version, entries_version,
      entry_count, due, counted, entries)
    SELECT market_id, ${
      walletOf(wallets)
    }, 2, 2, count, market_id <= ${due} AND n = 0, NOT ${isOpen},
      (CASE count WHEN 1 THEN '[${held}]' ELSE '[${held},${held}]' END)::json
    FROM generate_series(1, ${markets}) market_id,
      LATERAL generate_series(0, CASE WHEN ${isOpen} THEN ${positionsOpen} ELSE ${positionsEnded}
        END - 1) n,
      LATERAL (SELECT CASE (market_id + n) % 3 WHEN 0 THEN 1 ELSE 2 END AS count) c`,
    `INSERT INTO whale_activity (wallet_id, market_id, activity_at_ms, size, price, token_id, kind,
      occurrence, transaction)
    SELECT wallet_id, market_id, ${start} + n * 1000, 100.5 * n, 0.57, 1, 'buy', 0,
      decode(md5(market_id || ' ' || wallet_id) || md5(n::text), 'hex')
    FROM whale_position, generate_series(1, ${actsPerPosition}) n
    ORDER BY wallet_id, market_id`,
    `INSERT INTO whale_stale (market_id, wallet_id, activity_at_ms)
    SELECT market_id, wallet_id, ${start} + market_id FROM whale_position WHERE market_id % 7 = 0 LIMIT ${stale}`,
    `INSERT INTO whale_record (wallet_id, count_at, sums, evidence)
    SELECT n, 'infinity', (CASE n % ${wonEvery} WHEN 0 THEN '${won}' ELSE '${halfWon}' END)::json,
      '{"follow":1,"fade":1}'::json
    FROM generate_series(1, ${wallets}) n`,
  ]
}

export const fill = Effect.fnUntraced(function* (size: Size) {
  const sql = yield* SqlClient
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`SELECT set_config('statement_timeout', '20min', true),
      set_config('idle_in_transaction_session_timeout', '20min', true),
      set_config('synchronous_commit', 'off', true), set_config('maintenance_work_mem', '1GB', true)`
    for (const statement of statements(size)) yield* sql.unsafe(statement).unprepared
  }))
  yield* sql`SET statement_timeout = '20min'`
  yield* sql`VACUUM (ANALYZE)`
  yield* sql`CHECKPOINT`
})
