/**
 * The laws of the record of the service, on every store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { day, type EpochMs, hour, minute, second } from "../../src/core/domain/time.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { layer as jobSlots } from "../../src/postgres/jobSlots.ts"
import { type PaymentDaySums, refundSecondsSteps } from "../../src/status/domain/paymentSums.ts"
import { layer as storeLayer } from "../../src/status/postgres/statusStore.ts"
import { Status } from "../../src/status/Status.ts"
import { StatusStore } from "../../src/status/StatusStore.ts"
import { startingAt } from "../support/effect.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

const today = Date.UTC(2026, 10, 20)
const morning = today + 2 * hour
const tickIntervalMs = hour

/** How often a sum is tried again. */
const retriesMax = 20_000

/**
 * The store, which sums until nothing is left. Transactions of other tests on the same server hold
 * the sums back, and each try is some queries long.
 */
const statusStore = Layer.effect(
  StatusStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const store = yield* StatusStore
    const isBehind = Effect.map(
      sql<{ behind: boolean }>`
        SELECT EXISTS (SELECT FROM payment_event
          WHERE event_id > (SELECT through_event FROM status_payment_cursor)) AS behind`,
      ([row]) => row?.behind === true,
    )
    const sumPayments: StatusStore["Service"]["sumPayments"] = (options) =>
      Effect.gen(function* () {
        for (let tries = 0; tries < retriesMax; tries++) {
          const summed = yield* store.sumPayments(options)
          if (summed > 0 || !(yield* isBehind)) return summed
        }
        return yield* Effect.die("The sums are held back by another transaction")
      }).pipe(Effect.orDie)
    return StatusStore.of({ ...store, sumPayments })
  }),
).pipe(Layer.provide(storeLayer))

const layer = Status.layer({ tickIntervalMs, paymentMode: "simulated" }).pipe(
  Layer.provide(Freshness.layer({ tickIntervalMs })),
  Layer.provideMerge(statusStore),
  Layer.provide(jobSlots),
)

/** Two replicas over one store. */
const replicas = Effect.all([
  Effect.provide(Status, layer),
  Effect.provide(Status, layer),
])

const Run = Schema.Literals(["ok", "failed", "running", "none"])
const day1 = today - 6 * day
/** What becomes of the ticks of six days. */
const ticks = Arbitrary.array(Arbitrary.schema(Run), { minLength: 144, maxLength: 144 })

const storeTicks = Effect.fnUntraced(function* (runs: ReadonlyArray<typeof Run.Type>) {
  const sql = yield* SqlClient
  const rows = runs.flatMap((run, n) =>
    run === "none" ? [] : [{
      slot: new Date(day1 + n * hour).toISOString(),
      finished_at: run === "running" ? null : new Date(day1 + n * hour).toISOString(),
      outcome: run === "running" ? null : run,
    }]
  )
  yield* sql`
    INSERT INTO job_slot (job, slot, fence, lease_until, finished_at, outcome)
    SELECT 'tick', slot, 1, slot, finished_at, outcome
    FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS (slot timestamptz, finished_at timestamptz, outcome text)`
})

const tickDays = (status: Status["Service"]) =>
  Effect.map(status.report, ({ parts }) => {
    const tick = parts.find(({ part }) => part === "tick")
    return (tick?.days ?? []).flatMap(({ date, runs }) => runs === null ? [] : [{ date, runs }])
  })

/** The counts of a day, one slot at a time; null before the first stored slot. */
function expectedDays(runs: ReadonlyArray<typeof Run.Type>) {
  const first = runs.findIndex((run) => run !== "none")
  return Array.from({ length: 6 }, (_, n) => n).flatMap((n) => {
    const known = runs.slice(n * 24, n * 24 + 24).filter((_, at) => n * 24 + at >= first)
    if (first < 0 || known.length === 0) return []
    const of = (...wanted: ReadonlyArray<string>) =>
      known.filter((run) => wanted.includes(run)).length
    return [{
      date: new Date(day1 + n * day).toISOString().slice(0, 10),
      runs: {
        planned: known.length,
        ok: of("ok"),
        failed: of("failed"),
        missing: of("running", "none"),
      },
    }]
  })
}

const eventStates = [
  ...["claimed", "released", "settling", "unresolved", "settled", "answered"] as const,
  ...["refund_due", "refunded", "void"] as const,
]
const Walk = Schema.Struct({
  amount: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  unmatched: Schema.Boolean,
  states: Schema.Array(Schema.Literals(eventStates)).check(Schema.isMaxLength(6)),
  /** Seconds between two changes. */
  pauses: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))).check(
    Schema.isMinLength(7),
    Schema.isMaxLength(7),
  ),
})
const walks = Arbitrary.array(Arbitrary.schema(Walk), { maxLength: 12 })

interface StoredEvent {
  readonly id: string
  readonly amount: bigint
  readonly from: string | null
  readonly to: string
  readonly at: EpochMs
}

const eventsOf = (found: ReadonlyArray<typeof Walk.Type>): ReadonlyArray<StoredEvent> =>
  found.flatMap(({ amount, unmatched, states, pauses }, n) => {
    let at = today - 5 * day
    let from: string | null = null
    const all = [unmatched ? "refund_due" : "claimed", ...states]
    return all.map((to, step) => {
      at += (pauses[step] ?? 0) * 1_000
      const event = {
        id: `0x${n.toString(16).padStart(64, "0")}`,
        amount: BigInt(amount),
        from,
        to,
        at,
      }
      from = to
      return event
    })
  }).toSorted((a, b) => a.at - b.at)

/** Stores payments and their events as they are, without the triggers. */
const storeEvents = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
  const sql = yield* SqlClient
  const rows = JSON.stringify(events.map((event) => ({
    ...event,
    amount: Number(event.amount),
    at: new Date(event.at).toISOString(),
  })))
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`SET LOCAL session_replication_role = replica`
    yield* sql`
      INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
        pay_to, amount, valid_after, valid_before, settlement, state)
      SELECT DISTINCT ON (id) id, 1, 'a', 'n', 'v', id, id, 'p', amount, 0, 0, 'compute-first', 'void'
      FROM json_to_recordset(${rows}::json) AS (id text, amount bigint)
      ON CONFLICT DO NOTHING`
    yield* sql`
      INSERT INTO payment_event (payment_id, from_state, to_state, fence, at)
      SELECT id, "from", "to", 1, at
      FROM json_to_recordset(${rows}::json) AS (id text, "from" text, "to" text, at timestamptz)`
  }))
})

const paid = ["settled", "answered", "refund_due"]

/** The sums of days, one event at a time. */
function expectedSums(events: ReadonlyArray<StoredEvent>): ReadonlyArray<PaymentDaySums> {
  const days = new Map<
    EpochMs,
    {
      sums: Record<string, { payments: number; amount: bigint }>
      refundTimes: Array<number>
      refundSecondsMax: number | null
    }
  >()
  const owedAt = new Map<string, EpochMs>()
  for (const { id, amount, from, to, at } of events) {
    const start = Math.floor(at / day) * day
    const add = (kind: string) => {
      const none = () => ({ payments: 0, amount: 0n })
      const known = days.get(start) ?? {
        sums: {
          charged: none(),
          answered: none(),
          undelivered: none(),
          owed: none(),
          cancelled: none(),
          refunded: none(),
        },
        refundTimes: [0, 0, 0, 0, 0],
        refundSecondsMax: null,
      }
      days.set(start, known)
      const sum = known.sums[kind]
      if (sum !== undefined) {
        sum.payments += 1
        sum.amount += amount
      }
      return known
    }
    if (paid.includes(to) && (from === null || !paid.includes(from))) add("charged")
    if (to === "answered") add("answered")
    if (from === "answered" && to === "refund_due") add("undelivered")
    if (to === "refund_due") add("owed")
    if (from === "refund_due" && to === "void") add("cancelled")
    if (to === "refunded") {
      const known = add("refunded")
      const seconds = Math.ceil((at - (owedAt.get(id) ?? at)) / 1_000)
      const step = refundSecondsSteps.findIndex((longest) => seconds <= longest)
      const index = step < 0 ? refundSecondsSteps.length : step
      known.refundTimes[index] = (known.refundTimes[index] ?? 0) + 1
      known.refundSecondsMax = Math.max(known.refundSecondsMax ?? 0, seconds)
    }
    if (to === "refund_due") owedAt.set(id, at)
  }
  return [...days].toSorted(([a], [b]) => a - b)
    .map(([start, sums]) => ({ day: start, ...sums }) as unknown as PaymentDaySums)
}

onEveryStore("the record of the service", (law) => {
  const on = (
    name: string,
    body: Effect.Effect<void, unknown, SqlClient | StatusStore>,
  ) => law(name, startingAt(morning, Effect.provide(body, statusStore)))

  on(
    "counts each run of each day once, whenever and however often it is written",
    checkProperty(ticks, (runs) =>
      Effect.gen(function* () {
        yield* storeTicks(runs)
        const [one, two] = yield* replicas
        const live = yield* tickDays(one)
        const expected = expectedDays(runs)
        equal(live.slice(0, expected.length), expected)
        yield* Effect.all([one.record, two.record, one.record], { concurrency: 3 })
        equal(yield* tickDays(two), live)
        const sql = yield* SqlClient
        yield* sql`DELETE FROM job_slot`
        yield* two.record
        equal((yield* tickDays(one)).slice(0, expected.length), expected)
      })),
  )

  on(
    "a day without any replica is missing, and a day before the first run is not known",
    Effect.gen(function* () {
      yield* storeTicks(Array.from({ length: 24 }, () => "ok" as const))
      const [status] = yield* replicas
      yield* startingAt(day1 + 4 * day, status.record)
      const ok = { planned: 24, ok: 24, failed: 0, missing: 0 }
      const missing = { planned: 24, ok: 0, failed: 0, missing: 24 }
      const { parts, incidents } = yield* startingAt(day1 + 4 * day, status.report)
      equal(parts[0]?.days.slice(-5).map(({ runs }) => runs), [ok, missing, missing, missing, null])
      equal(parts[0]?.days.filter(({ runs }) => runs === null).length, 86)
      equal(parts[0]?.recordedSince, new Date(day1).toISOString())
      equal(incidents.latest, [{
        part: "tick",
        from: new Date(day1 + day).toISOString(),
        to: null,
        failed: 0,
        missing: 72,
      }])
    }),
  )

  on(
    "a day is not written until an hour after its end",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* storeTicks([...Array.from({ length: 23 }, () => "ok" as const), "running"])
      const [status] = yield* replicas
      yield* startingAt(day1 + day + 59 * minute, status.record)
      yield* sql`UPDATE job_slot SET outcome = 'ok', finished_at = now() WHERE outcome IS NULL`
      yield* startingAt(day1 + day + 61 * minute, status.record)
      equal((yield* tickDays(status))[0]?.runs, { planned: 24, ok: 24, failed: 0, missing: 0 })
    }),
  )

  on(
    "days are deleted when they are too old to be shown",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* storeTicks(Array.from({ length: 24 }, () => "ok" as const))
      const [status] = yield* replicas
      yield* startingAt(day1 + 2 * day, status.record)
      yield* startingAt(day1 + 102 * day, status.record)
      const [row] = yield* sql<{ first: string; days: number }>`
        SELECT to_char(min(day), 'YYYY-MM-DD') AS first, count(*)::int AS days FROM status_run_day`
      equal(row, { first: new Date(day1 + 2 * day).toISOString().slice(0, 10), days: 99 })
    }),
  )

  on(
    "sums each change of a payment once, in any batches, on two replicas at a time",
    checkProperty(walks, (found) =>
      Effect.gen(function* () {
        const store = yield* StatusStore
        const events = eventsOf(found)
        const half = Math.floor(events.length / 2)
        for (const part of [events.slice(0, half), events.slice(half), []]) {
          yield* storeEvents(part)
          for (const eventsMax of [1, 3, 7, 5_000]) {
            yield* Effect.all(
              [1, 2].map(() => store.sumPayments({ eventsMax, from: today - 30 * day })),
              { concurrency: 2 },
            )
          }
        }
        const { days } = yield* store.paymentRecord(today - 30 * day)
        equal(days, expectedSums(events))
      })),
  )

  on(
    "the report stays the same between two runs, while nothing is stored",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [clock] = yield* sql<{ hour: Date }>`
        SELECT date_trunc('hour', clock_timestamp()) AS hour`
      const at = (clock?.hour.getTime() ?? 0) + 30 * minute
      yield* sql`
        INSERT INTO job_slot (job, slot, fence, lease_until, finished_at, outcome)
        SELECT 'tick', hour, 1, hour, hour, 'ok'
        FROM (SELECT ${new Date(at - 90 * minute)}::timestamptz AS hour) slot`
      yield* storeEvents([{ id: "0x1", amount: 5n, from: "settling", to: "answered", at }])
      const [status] = yield* replicas
      yield* startingAt(at, status.record)
      const before = yield* startingAt(at, status.report)
      equal([before.parts[0]?.total.ok, before.payments.total.charged.payments], [1, 1])
      yield* startingAt(at + 20 * second, status.record)
      equal(yield* startingAt(at + 20 * second, status.report), before)
    }),
  )

  on(
    "sums that are more than an hour behind say so",
    Effect.gen(function* () {
      const store = yield* StatusStore
      const sql = yield* SqlClient
      yield* store.sumPayments({ eventsMax: 10, from: today })
      const [cursor] = yield* sql<{ through_at: Date }>`
        SELECT through_at FROM status_payment_cursor`
      const through = cursor?.through_at.getTime() ?? 0
      const [status] = yield* replicas
      const behindAt = (at: EpochMs) =>
        Effect.map(startingAt(at, status.report), ({ payments }) => payments.behindSince)
      // The clock goes on while the report is made.
      equal(yield* behindAt(through + hour - minute), null)
      equal(yield* behindAt(through + hour + 1), new Date(through).toISOString())
    }),
  )

  on(
    "changes of days that are too old to be shown are passed and not summed",
    Effect.gen(function* () {
      const store = yield* StatusStore
      yield* storeEvents([
        { id: "0x1", amount: 5n, from: "settling", to: "answered", at: today - 3 * day },
        { id: "0x2", amount: 7n, from: "settling", to: "answered", at: today },
      ])
      equal(yield* store.sumPayments({ eventsMax: 10, from: today - day }), 2)
      equal(yield* store.sumPayments({ eventsMax: 10, from: today - 9 * day }), 0)
      const { since, days } = yield* store.paymentRecord(today - 9 * day)
      equal(since, today - 3 * day)
      equal(days.map(({ day, sums }) => [day, sums.charged]), [[today, {
        payments: 1,
        amount: 7n,
      }]])
    }),
  )

  on(
    "a copy of the store whose transactions have smaller numbers goes on with its sums",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const store = yield* StatusStore
      const from = today - day
      const event = { amount: 5n, from: "settling", to: "answered", at: today }
      yield* storeEvents([{ ...event, id: "0x1" }])
      equal(yield* store.sumPayments({ eventsMax: 10, from }), 1)
      yield* storeEvents([{ ...event, id: "0x2" }])
      yield* sql`
        UPDATE status_payment_cursor SET seen_event = seen_event + 1, seen_xid = '9000000000000'`
      yield* store.sumPayments({ eventsMax: 10, from })
      const { days } = yield* store.paymentRecord(from)
      equal(days.map(({ sums }) => sums.charged.payments), [2])
    }),
  )

  on(
    "payments are recorded since the first day that is shown, not since an older one",
    Effect.gen(function* () {
      const [status] = yield* replicas
      const event = { amount: 5n, from: "settling", to: "answered" }
      yield* storeEvents([
        { ...event, id: "0x1", at: today - 200 * day },
        { ...event, id: "0x2", at: today },
      ])
      yield* status.record
      const { payments } = yield* status.report
      equal(payments.total.charged.payments, 1)
      equal(payments.recordedSince, new Date(today - 89 * day).toISOString())
    }),
  )
})
