/**
 * What a soak reads from the store, over a connection of its own.
 *
 * @module
 */
import { Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"

/** The store may be busy. */
const retried = { schedule: Schedule.spaced("100 millis"), times: 300 }

export interface TickRow {
  readonly slot: number
  readonly lateMs: number
  readonly outcome: string
}

export interface StoreReader {
  /** How many of the slots are finished, and how many statements of the product run. */
  readonly progress: (
    slots: ReadonlyArray<{ readonly job: string; readonly slot: number }>,
  ) => Effect.Effect<{ readonly finished: number; readonly running: number }>
  /** The finished slots of a job since a time; `lateMs` is from the slot's start to its end. */
  readonly finishedSlots: (job: string, since: number) => Effect.Effect<ReadonlyArray<TickRow>>
  readonly digestSlots: (since: number) => Effect.Effect<ReadonlyArray<number>>
  readonly tableBytes: Effect.Effect<ReadonlyMap<string, number>>
  readonly connections: Effect.Effect<number>
  readonly openPayments: Effect.Effect<number>
  /** An item of the feed that can be bought; null while there is none. */
  readonly item: Effect.Effect<{ readonly index: number; readonly slug: string } | null>
}

/** Reads the store at `url` until the scope closes. */
export const openStore = Effect.fnUntraced(function* (url: string) {
  const connected = layerPostgres({ url: Redacted.make(url), maxConnections: 1 })
  const context = yield* Layer.build(connected).pipe(Effect.retry(retried), Effect.orDie)
  return yield* Effect.provideContext(makeReader, context)
})

const makeReader = Effect.map(SqlClient, (sql): StoreReader => {
  const rows = <Row extends object>(text: ReturnType<typeof sql<Row>>) =>
    text.pipe(Effect.retry(retried), Effect.orDie)
  return {
    progress: (slots) =>
      Effect.map(
        rows(sql<{ finished: number; running: number }>`
          SELECT (SELECT count(*)::int FROM job_slot
              JOIN unnest(${slots.map(({ job }) => job)}::text[],
                ${
          slots.map(({ slot }) => new Date(slot).toISOString())
        }::timestamptz[]) due(job, slot)
              USING (job, slot) WHERE finished_at IS NOT NULL) AS finished,
            (SELECT count(*)::int FROM pg_stat_activity
              WHERE application_name = 'bellwether' AND pid <> pg_backend_pid()
                AND state <> 'idle') AS running`),
        ([row]) => row ?? { finished: 0, running: 0 },
      ),
    finishedSlots: (job, since) =>
      rows(sql<TickRow>`SELECT (extract(epoch FROM slot) * 1000)::float8 AS slot,
          (extract(epoch FROM finished_at - slot) * 1000)::float8 AS "lateMs", outcome
        FROM job_slot WHERE job = ${job} AND slot >= ${new Date(since)}
          AND finished_at IS NOT NULL ORDER BY slot`),
    digestSlots: (since) =>
      Effect.map(
        rows(sql<{ slot: number }>`SELECT (extract(epoch FROM slot) * 1000)::float8 AS slot
          FROM digest WHERE slot >= ${new Date(since)} ORDER BY slot`),
        (found) => found.map(({ slot }) => slot),
      ),
    tableBytes: Effect.map(
      rows(sql<{ name: string; bytes: number }>`SELECT relname AS name,
          pg_total_relation_size(oid)::float8 AS bytes
        FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`),
      (found) => new Map(found.map(({ name, bytes }) => [name, bytes])),
    ),
    connections: Effect.map(
      rows(sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE application_name = 'bellwether' AND pid <> pg_backend_pid()`),
      ([row]) => row?.count ?? 0,
    ),
    openPayments: Effect.map(
      rows(sql<{ count: number }>`SELECT count(*)::int AS count FROM payment
        WHERE state IN ('claimed', 'released', 'settling', 'unresolved', 'settled', 'refund_due')
          OR (state = 'answered' AND sent_at IS NULL)`),
      ([row]) => row?.count ?? 0,
    ),
    item: Effect.map(
      rows(sql<{ index: number; slug: string }>`SELECT feed_index::int AS index,
          data #>> '{market,slug}' AS slug FROM feed_item ORDER BY feed_index DESC LIMIT 1`),
      ([row]) => row ?? null,
    ),
  }
})
