/**
 * The laws of `CountedLog`, on every store: no count is left out or changed, and its batches are one
 * chain.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { day, minute } from "../../src/core/domain/time.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { linkText, noHash, proofFault } from "../../src/feed/domain/chain.ts"
import { CountedLog } from "../../src/whales/CountedLog.ts"
import { listHash } from "../../src/postgres/countedRecords.ts"
import { batchText } from "../../src/whales/domain/countedLog.ts"
import { sumOfTotals } from "../../src/whales/domain/rates.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { testKey } from "../support/signing/key.ts"
import { postgresWhales, whaleStores } from "../support/whales/whaleStores.ts"
import { sized } from "../support/size.ts"
import { program, runCall, start, upTo, walletOf, worker } from "./whaleStores.laws.ts"

interface RecordRow {
  readonly batch: bigint | null
  readonly records: ReadonlyArray<string>
  readonly hash: string
}

const records = (sql: SqlClient) =>
  sql<RecordRow>`
    SELECT batch, records, encode(hash, 'hex') AS hash FROM counted_record ORDER BY record_id`

const runs = sized({ short: 5, full: 40 })

onEveryStore("CountedLog", (law) => {
  law(
    "after any calls, with replicas that close at once, the batches are one chain and have every count",
    checkProperty(
      Arbitrary.all([
        program,
        Arbitrary.schema(
          Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))),
        ),
      ]),
      ([calls, closes]) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const log = yield* CountedLog
          const store = yield* whaleStores
          const by = worker(store)
          let now = start
          const seen: Array<string> = []
          for (const [n, call] of calls.entries()) {
            yield* runCall(by, call, n)
            now += minute * 400
            const replicas = closes[n % Math.max(1, closes.length)] ?? 1
            yield* Effect.all(
              Array.from({ length: replicas }, () => log.close(now, testKey.sign)),
              { concurrency: "unbounded" },
            )
            const { head } = yield* log.latest
            if (head.batch > 0) seen[head.batch] = head.hash
          }
          yield* log.close(now, testKey.sign)
          yield* check(seen)
          const [sums, { totals }] = [yield* store.sums(upTo(3).map(walletOf)), yield* log.latest]
          const whole = (yield* store.judged).flatMap(({ wallet }) => sums.get(wallet)?.sums ?? [])
          assert.deepEqual(totals, sumOfTotals(whole.map(({ totals }) => totals)))
          assert.equal(yield* log.close(now, testKey.sign), false, "nothing was counted")
          const rows = yield* records(sql)
          assert.ok(rows.every(({ batch }) => batch !== null))
          assert.deepEqual(lastScores(rows), yield* storedScores)
        }).pipe(Effect.provide(postgresWhales)),
      { runs },
    ),
  )
})

type Score = Readonly<Record<string, unknown>>

/** The store names a part of `favoured` otherwise. */
const withoutFavoured = ({ favoured: _, ...score }: Score): Score => score

/** The score of the last record of each position. */
function lastScores(rows: ReadonlyArray<RecordRow>) {
  const last = new Map<string, Score>()
  const all = rows.flatMap(({ records }) => records.map((text) => JSON.parse(text)))
  for (const { wallet, market, score, salt } of all) {
    assert.match(salt, /^[0-9a-f]{32}$/)
    if (score === null) last.delete(`${wallet} ${market}`)
    else last.set(`${wallet} ${market}`, withoutFavoured(score))
  }
  return last
}

const storedScores = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ key: string; score: Score }>`
    SELECT wallet || ' ' || market AS key, score
    FROM whale_score JOIN whale_wallet USING (wallet_id) JOIN whale_market USING (market_id)`
  return new Map(rows.map(({ key, score }) => [key, withoutFavoured(score)]))
})

/** Every batch is proven by the head, has its records, and is what was seen when it was the head. */
const check = Effect.fnUntraced(function* (seen: ReadonlyArray<string | undefined>) {
  const sql = yield* SqlClient
  const log = yield* CountedLog
  const rows = yield* records(sql)
  const { head } = yield* log.latest
  let before = noHash
  for (let batch = 1; batch <= head.batch; batch++) {
    const { head, path, content } = Option.getOrThrow(yield* log.proof(batch))
    assert.equal(proofFault({ head, path }, sha256), null)
    const link = path.at(-1)
    assert.ok(link?.batch === batch)
    assert.equal(link.contentHash, sha256(batchText(content)))
    assert.equal(link.previousHash, before)
    before = sha256(linkText(link))
    assert.equal(seen[batch] ?? before, before)
    const own = rows.filter((row) => Number(row.batch) === batch)
    for (const { records, hash } of own) assert.equal(listHash(records.map(sha256)), hash)
    assert.equal(content.recordsHash, listHash(own.map(({ hash }) => hash)))
    assert.equal(content.records, own.flatMap(({ records }) => records).length)
  }
  assert.ok(Option.isNone(yield* log.proof(head.batch + 1)))
  const days = yield* log.days(100)
  assert.deepEqual(
    days.map(({ day }) => day),
    [...new Set(days.map(({ day }) => day))].sort((a, b) => b - a),
  )
})

onEveryStore("The counted log", (law) => {
  law(
    "signs the first batch of a day, also without a new count, and refuses every change",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const log = yield* CountedLog
      assert.equal(yield* log.close(start, testKey.sign), false, "there is nothing yet")
      yield* sql`INSERT INTO counted_record (records, hash) VALUES (ARRAY['{}'], '\\x00')`
      assert.equal(yield* log.close(start, testKey.sign), true)
      assert.equal(yield* log.close(start + minute, testKey.sign), false)
      assert.equal(yield* log.close(start + day, testKey.sign), true)
      assert.equal(yield* log.close(start + 3 * day, testKey.sign), true)
      const days = yield* log.days(2)
      assert.deepEqual(days.map(({ day, batch }) => [day, batch]), [[start + 2 * day, 3], [
        start,
        2,
      ]])
      const changes = [
        sql`UPDATE counted_batch SET content = ''`,
        sql`UPDATE counted_batch SET jws = 'x', day = '2026-01-01'`,
        sql`DELETE FROM counted_batch WHERE batch = 3`,
        sql`UPDATE counted_record SET batch = 2`,
        sql`UPDATE counted_record SET records = '{}'`,
        sql`DELETE FROM counted_record`,
      ]
      for (const [n, change] of changes.entries()) {
        const refused = yield* Effect.flip(change)
        assert.match(Deno.inspect(refused, { depth: 9 }), /and never changed/, `change ${n}`)
      }
      assert.equal((yield* log.latest).head.batch, 3)
    }).pipe(Effect.provide(postgresWhales)),
  )
})
