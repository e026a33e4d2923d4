/**
 * A hundred buyers of one market at once, on two replicas: one report is written and all receive it,
 * or it cannot be written and all are refunded.
 *
 * Each replica is the whole service on its own socket, with the real paywall. They share only the
 * store, which also contains the ledger of the simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import type { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Ref, References, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as reportStore } from "../../src/research/postgres/reportStore.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../support/payments/simulated.ts"
import { layerStore } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { Narrator } from "../../src/writing/Narrator.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { reportAgeMax } from "../../src/research/sharedReports.ts"
import { endingMarket } from "../support/products.ts"
import { ask, openReplica, type Replica } from "../support/http/socketReplicas.ts"
import { signedFor } from "../support/http/signed.ts"
import { stockedWorld } from "../support/http/servedService.ts"
import { onEveryStore } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"
import { sized } from "../support/size.ts"
import { agreeing } from "../support/writing/pages.ts"

const { research } = products
const buyers = sized({ short: 20, full: 100 })
/** How long a failing read takes: all buyers must arrive in this time. */
const failureMs = sized({ short: 3_000, full: 4_500 })
/** How long a buyer who has paid may need until it waits for the report. */
const arrivalTime = Duration.millis(500)
const market = "market-1"

/** Two replicas over the current store, and a treasury that covers every buyer. */
const makeEnvironment = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = Layer.succeed(SqlClient, sql)
  yield* sql`
    INSERT INTO simulated_account (address, balance)
    VALUES (${address(terms.treasury)}, ${research.price * BigInt(buyers) * 10n})`
  const world = yield* stockedWorld()
  const drafts = yield* Ref.make(0)
  const expected = yield* Ref.make(buyers)
  /** Returns when every expected buyer has paid and waits for the report. */
  const allWait = sql<{ count: number }>`
    SELECT count(*)::int FROM payment WHERE state = 'settled'`.pipe(
    Effect.orDie,
    Effect.zipWith(Ref.get(expected), ([row], count) => (row?.count ?? 0) >= count),
    Effect.repeat({ until: (all) => all, schedule: Schedule.spaced("50 millis") }),
    Effect.andThen(Effect.sleep(arrivalTime)),
  )
  const narrator = Layer.succeed(Narrator, {
    ...agreeing,
    name: "a slow model",
    draft: () => Effect.as(Effect.andThen(allWait, Ref.update(drafts, (n) => n + 1)), []),
  })
  const replica = Effect.gen(function* () {
    const ports = yield* Layer.build(Layer.fresh(
      Layer.merge(paymentStore, layerLedger({}).pipe(Layer.provideMerge(layerStore))).pipe(
        Layer.provideMerge(signatures),
        Layer.provide(store),
      ),
    ))
    const writing = Layer.merge(Layer.fresh(reportStore), narrator).pipe(Layer.provide(store))
    return yield* Effect.provide(openReplica(world, { writing }), ports)
  })
  const replicas: readonly [Replica, Replica] = [yield* replica, yield* replica]
  return { sql, world, drafts, expected, replicas }
})
type Environment = Effect.Success<typeof makeEnvironment>

/** Buys with one payment per buyer, at alternating replicas. */
const buyAll = Effect.fnUntraced(
  function* ({ replicas }: Environment, from: number, count: number) {
    const signed = yield* Effect.forEach(
      Array.from({ length: count }, (_, n) => from + n),
      (n) => signedFor(research, { n }),
    )
    return yield* Effect.forEach(
      signed,
      ({ header }, n) =>
        ask(replicas[n % 2 === 0 ? 0 : 1].base, {
          path: `${research.path}?market=${market}`,
          payment: header,
          client: from + n,
        }),
      { concurrency: "unbounded" },
    )
  },
)

/** Counts of the stored payments and refunds, and the states of the reports. */
const storedCounts = Effect.fnUntraced(function* ({ sql }: Environment) {
  const [paid] = yield* sql<{ count: number; sum: bigint }>`
    SELECT count(*)::int, coalesce(sum(amount), 0)::bigint AS sum FROM simulated_authorization
    WHERE recipient = ${address(terms.payTo)}`
  const payments = yield* sql<{ state: string; count: number }>`
    SELECT state, count(*)::int FROM payment GROUP BY state ORDER BY state`
  const refunds = yield* sql<{ state: string; count: number; sum: bigint }>`
    SELECT state, count(*)::int, sum(amount)::bigint FROM refund GROUP BY state ORDER BY state`
  const reportStates = yield* sql<{ state: string }>`
    SELECT state FROM research_report ORDER BY generation`
  return { paid, payments, refunds, reportStates: reportStates.map(({ state }) => state) }
})

const all = BigInt(buyers) * research.price

onEveryStore("research on two replicas", (law) => {
  const on = (
    name: string,
    body: (
      environment: Environment,
    ) => Effect.Effect<void, unknown, Scope.Scope | PgClient.PgClient>,
  ) =>
    law(
      name,
      Effect.flatMap(makeEnvironment, body).pipe(
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    )

  on(
    `${buyers} buyers at once get one report, and each pays for it`,
    Effect.fnUntraced(function* (environment) {
      const answers = yield* buyAll(environment, 0, buyers)
      equal([...new Set(answers.map(({ status }) => status))], [200])
      const bodies = answers.map(({ text }) => JSON.parse(text))
      equal([...new Set(bodies.map(({ cached }) => cached))], [false])
      strictEqual(new Set(bodies.map(({ generatedAt }) => generatedAt)).size, 1)
      strictEqual(new Set(bodies.map(({ data }) => JSON.stringify(data))).size, 1)
      strictEqual(yield* Ref.get(environment.drafts), 1)
      equal(yield* storedCounts(environment), {
        paid: { count: buyers, sum: all },
        payments: [{ state: "answered", count: buyers }],
        refunds: [],
        reportStates: ["made"],
      })
      const [late] = yield* buyAll(environment, buyers, 1)
      strictEqual(JSON.parse(late?.text ?? "").cached, true)
      strictEqual(yield* Ref.get(environment.drafts), 1)
    }),
  )

  on(
    `each of ${buyers} buyers of a report that cannot be written is refunded, and the next pays nothing`,
    Effect.fnUntraced(function* (environment) {
      yield* Ref.set(environment.world.productPorts.latencyMs, failureMs)
      yield* Ref.set(environment.world.productPorts.entriesUp, false)
      const answers = yield* buyAll(environment, 0, buyers)
      const taken = answers.filter(({ charged }) => charged !== false)
      const failures = new Set(taken.map(({ status, code }) => `${status} ${code}`))
      equal([...failures], ["503 data_stale"])
      ok(taken.every(({ charged }) => charged))
      ok(taken.every(({ text }) => JSON.parse(text).error.refund.state === "queued"))
      const [next] = yield* buyAll(environment, buyers, 1)
      ok(failures.has(`${next?.status} ${next?.code}`))
      strictEqual(next?.charged, false)
      const { reportStates, ...money } = yield* storedCounts(environment)
      const count = taken.length
      const sum = BigInt(count) * research.price
      equal(money, {
        paid: { count, sum },
        payments: [{ state: "refund_due", count }],
        refunds: [{ state: "queued", count, sum }],
      })
      // Each replica tried once.
      equal(reportStates, ["failed", "failed"])
    }),
  )

  on(
    "buyers of a report whose writer was killed get it from the next",
    Effect.fnUntraced(function* (environment) {
      const claim = yield* Effect.flatMap(
        ReportStore,
        (reports) =>
          reports.begin(endingMarket(1, 0).id, {
            ageMax: reportAgeMax,
            lease: Duration.seconds(4),
          }),
      ).pipe(
        Effect.provide(reportStore.pipe(Layer.provide(Layer.succeed(SqlClient, environment.sql)))),
      )
      strictEqual(claim.state, "acquired")
      yield* Ref.set(environment.expected, 20)
      const answers = yield* buyAll(environment, 0, 20)
      equal([...new Set(answers.map(({ status }) => status))], [200])
      strictEqual(new Set(answers.map(({ text }) => JSON.parse(text).generatedAt)).size, 1)
      equal((yield* storedCounts(environment)).reportStates, ["lost", "made"])
      strictEqual(yield* Ref.get(environment.drafts), 1)
    }),
  )
})
