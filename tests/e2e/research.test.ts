/**
 * A hundred buyers of one market at once, on two replicas: one report is made and all get it, or it
 * cannot be made and all get their money back.
 *
 * The replicas are whole faces on sockets of their own, with the real paywall, over one store, which
 * is all they share: the ledger of the simulated chain is in it too.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import type { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Layer, Ref, References, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as reportStore } from "../../src/research/postgres/reportStore.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { layerStore } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { templateReport } from "../../src/research/domain/template.ts"
import { ReportNarrator } from "../../src/research/ReportNarrator.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { reportAgeMax } from "../../src/research/sharedReports.ts"
import { endingMarket, pricesOver } from "../support/products.ts"
import {
  ask,
  openReplica,
  type Replica,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { onEveryStore } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"
import { sized } from "../support/size.ts"

const { research } = products
const buyers = sized({ short: 20, full: 100 })
/** How long a venue takes that fails: as long as every buyer needs to come while it does. */
const failureMs = sized({ short: 3_000, full: 10_000 })
/** How long a buyer who has paid may need to reach the report. */
const reachTime = Duration.millis(500)
const market = "market-1"

/** Two replicas over the store at hand, and a treasury that covers every buyer. */
const house = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = Layer.succeed(SqlClient, sql)
  yield* sql`
    INSERT INTO simulated_account (address, balance)
    VALUES (${address(terms.treasury)}, ${research.price * BigInt(buyers) * 10n})`
  const world = yield* stockedWorld
  const now = yield* Clock.currentTimeMillis
  yield* Ref.set(world.productPorts.series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  const drafts = yield* Ref.make(0)
  const expected = yield* Ref.make(buyers)
  /** Every buyer who is expected has paid, and waits for the report. */
  const allWait = sql<{ count: number }>`
    SELECT count(*)::int FROM payment WHERE state = 'settled'`.pipe(
    Effect.orDie,
    Effect.zipWith(Ref.get(expected), ([row], count) => (row?.count ?? 0) >= count),
    Effect.repeat({ until: (all) => all, schedule: Schedule.spaced("50 millis") }),
    Effect.andThen(Effect.sleep(reachTime)),
  )
  const narrator = Layer.succeed(ReportNarrator, {
    name: "a slow model",
    write: (brief) =>
      Effect.as(
        Effect.andThen(allWait, Ref.update(drafts, (n) => n + 1)),
        templateReport(brief),
      ),
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
type House = Effect.Success<typeof house>

/** Buyers with payments of their own, by turns at one replica and the other. */
const comeAll = Effect.fnUntraced(function* ({ replicas }: House, from: number, count: number) {
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
})

/** What the store says of money and of makings. */
const books = Effect.fnUntraced(function* ({ sql }: House) {
  const [paid] = yield* sql<{ count: number; sum: bigint }>`
    SELECT count(*)::int, coalesce(sum(amount), 0)::bigint AS sum FROM simulated_authorization
    WHERE recipient = ${address(terms.payTo)}`
  const payments = yield* sql<{ state: string; count: number }>`
    SELECT state, count(*)::int FROM payment GROUP BY state ORDER BY state`
  const refunds = yield* sql<{ state: string; count: number; sum: bigint }>`
    SELECT state, count(*)::int, sum(amount)::bigint FROM refund GROUP BY state ORDER BY state`
  const makings = yield* sql<{ state: string }>`
    SELECT state FROM research_report ORDER BY generation`
  return { paid, payments, refunds, makings: makings.map(({ state }) => state) }
})

const all = BigInt(buyers) * research.price

onEveryStore("research on two replicas", (law) => {
  const on = (
    name: string,
    body: (house: House) => Effect.Effect<void, unknown, Scope.Scope | PgClient.PgClient>,
  ) =>
    law(
      name,
      Effect.flatMap(house, body).pipe(
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    )

  on(
    `${buyers} buyers at once get one report, and each pays for it`,
    Effect.fnUntraced(function* (house) {
      const told = yield* comeAll(house, 0, buyers)
      equal([...new Set(told.map(({ status }) => status))], [200])
      const bodies = told.map(({ text }) => JSON.parse(text))
      equal([...new Set(bodies.map(({ cached }) => cached))], [false])
      strictEqual(new Set(bodies.map(({ generatedAt }) => generatedAt)).size, 1)
      strictEqual(new Set(bodies.map(({ data }) => JSON.stringify(data))).size, 1)
      strictEqual(yield* Ref.get(house.drafts), 1)
      equal(yield* books(house), {
        paid: { count: buyers, sum: all },
        payments: [{ state: "answered", count: buyers }],
        refunds: [],
        makings: ["made"],
      })
      const [late] = yield* comeAll(house, buyers, 1)
      strictEqual(JSON.parse(late?.text ?? "").cached, true)
      strictEqual(yield* Ref.get(house.drafts), 1)
    }),
  )

  on(
    `${buyers} buyers of a report that cannot be made have ${buyers} refunds queued`,
    Effect.fnUntraced(function* (house) {
      yield* Ref.set(house.world.productPorts.latencyMs, failureMs)
      yield* Ref.set(house.world.productPorts.venueUp, false)
      const told = yield* comeAll(house, 0, buyers)
      const seen = new Set(told.map(({ status, code, charged }) => `${status} ${code} ${charged}`))
      equal([...seen], ["502 venue_error true"])
      ok(told.every(({ text }) => JSON.parse(text).error.refund.state === "queued"))
      const { makings, ...money } = yield* books(house)
      equal(money, {
        paid: { count: buyers, sum: all },
        payments: [{ state: "refund_due", count: buyers }],
        refunds: [{ state: "queued", count: buyers, sum: all }],
      })
      equal([...new Set(makings)], ["failed"])
      strictEqual(makings.length, 1)
      yield* Ref.set(house.world.productPorts.venueUp, true)
      yield* Ref.set(house.world.productPorts.latencyMs, 0)
      yield* Ref.set(house.expected, 1)
      const [next] = yield* comeAll(house, buyers, 1)
      equal([next?.status, JSON.parse(next?.text ?? "").cached], [200, false])
    }),
  )

  on(
    "buyers of a report whose maker was killed get it from the next",
    Effect.fnUntraced(function* (house) {
      const begun = yield* Effect.flatMap(
        ReportStore,
        (reports) =>
          reports.begin(endingMarket(1, 0).id, {
            ageMax: reportAgeMax,
            lease: Duration.seconds(4),
          }),
      ).pipe(
        Effect.provide(reportStore.pipe(Layer.provide(Layer.succeed(SqlClient, house.sql)))),
      )
      strictEqual(begun.state, "acquired")
      yield* Ref.set(house.expected, 20)
      const told = yield* comeAll(house, 0, 20)
      equal([...new Set(told.map(({ status }) => status))], [200])
      strictEqual(new Set(told.map(({ text }) => JSON.parse(text).generatedAt)).size, 1)
      equal((yield* books(house)).makings, ["lost", "made"])
      strictEqual(yield* Ref.get(house.drafts), 1)
    }),
  )
})
