/**
 * Many copies of one authorization on two replicas get one answer, and none without its secret.
 *
 * Each replica is the whole service on its own socket with its own connection pool. They share only
 * one PostgreSQL, which also contains the ledger of the simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer, Option, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import type { Misbehaviour } from "../support/payments/simulated.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { ticket } from "../payments/paymentStore.laws.ts"
import { Random } from "../support/random.ts"
import { type Body, effectOf, liveTest } from "../support/effect.ts"
import { encodings } from "../support/payments/encodings.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import {
  ask,
  openReplica,
  type PaidRequest,
  type PaidResponse,
  pooledReplicaPorts,
  type Replica,
} from "../support/http/socketReplicas.ts"
import { type Signed, signedFor } from "../support/http/signed.ts"
import { stockedWorld } from "../support/http/servedService.ts"
import { freshSchema } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL") || undefined
const copies = 50
const seeds = 4
const seedsMax = 24
const claimRaces = 300
const key = "the-first-callers-secret"
const otherKey = "another-callers-guess-of-it"

interface Environment {
  readonly sql: SqlClient
  readonly ledger: Ledger["Service"]
  readonly replicas: readonly [Replica, Replica]
  readonly stores: readonly [PaymentStore["Service"], PaymentStore["Service"]]
  /** Sets how the next settlements misbehave. */
  readonly misbehave: (misbehaviour: Misbehaviour | null) => void
}

/** Two replicas, with direct access to their store and chain. */
const makeEnvironment = Effect.gen(function* () {
  const url = yield* freshSchema(testDatabaseUrl ?? "")
  const owner = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 2 })))
  const sql = Context.get(owner, SqlClient)
  yield* Effect.provideService(Effect.flatMap(migrationFiles, migrate), SqlClient, sql)
  const world = yield* stockedWorld()
  let misbehaviour: Misbehaviour | null = null
  const simulation = {
    delay: Duration.millis(20),
    misbehave: (call: string) => call === "settle" ? misbehaviour : null,
  }
  const replica = Effect.gen(function* () {
    const ports = yield* Layer.build(pooledReplicaPorts(url, simulation))
    return {
      replica: yield* Effect.provide(openReplica(world), ports),
      ledger: Context.get(ports, Ledger),
      store: Context.get(ports, PaymentStore),
    }
  })
  const [first, second] = [yield* replica, yield* replica]
  const environment: Environment = {
    sql,
    ledger: first.ledger,
    replicas: [first.replica, second.replica],
    stores: [first.store, second.store],
    misbehave: (next) => {
      misbehaviour = next
    },
  }
  return environment
})

const onReplicas = (
  name: string,
  body: (environment: Environment) => ReturnType<Body<Scope.Scope>>,
) =>
  testDatabaseUrl === undefined ? registerSkipped(name, "set TEST_DATABASE_URL") : liveTest(
    name,
    () => Effect.flatMap(makeEnvironment, (environment) => effectOf(() => body(environment))),
  )

const nonceOf = (seed: number) => Bytes32.make(`0x${seed.toString(16).padStart(64, "5")}`)

/** The routes that a payment for a product is sent to: the right one and two others. */
const routesOf = (product: Product): ReadonlyArray<string> =>
  product === products.resolving
    ? ["/v1/resolving", "/v1/resolving?withinHours=48", "/v1/latest"]
    : ["/v1/latest", "/v1/signal", "/v1/resolving"]

interface Sent extends PaidRequest {
  readonly replica: Replica
  /** The secret of the request, in the header or in the payment. */
  readonly secret: string | null
}

/** Copies of one payment over both replicas, three routes and both headers; some with the secret. */
const copiesOf = ({ product, header }: Signed, { replicas }: Environment, random: Random) =>
  Array.from({ length: copies }, (_, client): Sent => {
    const secret = random.chance(0.5) ? key : random.chance(0.2) ? otherKey : null
    return {
      client,
      payment: header,
      replica: replicas[random.below(2)] ?? replicas[0],
      path: routesOf(product)[random.below(3)] ?? "",
      header: random.chance(0.5) ? "PAYMENT-SIGNATURE" : "X-PAYMENT",
      key: secret,
      secret,
    }
  })

const send = (sent: Sent) =>
  Effect.map(ask(sent.replica.base, sent), (answer) => ({ sent, answer }))
type SentCopy = Effect.Success<ReturnType<typeof send>>

/** Whether an honest service may return this answer to a copy. */
function isAllowed({ status, code, charged }: PaidResponse): boolean {
  switch (status) {
    case 200:
      return charged === undefined
    case 402:
      // The challenge has no error code, and no `charged`.
      return code === null
    case 409:
      return code === "payment_conflict" || code === "payment_in_progress"
        // The first copy is being charged or was charged, so `charged` must not be false.
        ? charged !== false
        : code === "payment_already_used" && charged === true
    default:
      // The store and the chain are always available, so no payment is unresolved.
      return false
  }
}

/** Checks the answers of a race, its one transfer and its one row. */
const checkRace = Effect.fnUntraced(function* (
  { sql, ledger }: Environment,
  signed: Signed,
  all: ReadonlyArray<SentCopy>,
) {
  const { authorization: { nonce, from }, product } = signed
  const allowed = all.filter(({ answer }) => isAllowed(answer))
  equal(all.filter((one) => !allowed.includes(one)), [], "every answer is allowed")
  const transfers = yield* ledger.transfersTo({
    ...{ asset: address(terms.asset), to: address(terms.payTo), after: 0n, through: 1n << 60n },
  })
  const paid = transfers.filter((transfer) => transfer.nonce === nonce && transfer.from === from)
  equal(paid.map(({ value }) => value), [product.price], "one transfer")
  const rows = yield* sql<{ request: string; secret: boolean; state: string; sent: boolean }>`
    SELECT request, secret_hash IS NOT NULL AS secret, state, sent_at IS NOT NULL AS sent
    FROM payment WHERE nonce = ${nonce}`
  strictEqual(rows.length, 1, "one row")
  const delivered = all.filter(({ answer }) => answer.status === 200)
  ok(new Set(delivered.map(({ answer }) => answer.text)).size <= 1, "one distinct answer")
  ok(new Set(delivered.map(({ sent }) => sent.path)).size <= 1, "for one request")
  ok(new Set(delivered.map(({ sent }) => sent.secret)).size <= 1, "for one secret, or for none")
  const [row] = rows
  if (!row?.secret) ok(delivered.length <= 1, "without a secret, one copy gets the answer")
  return { row, delivered }
})

for (const misbehaviour of [null, "error_after_broadcast", "failure_after_broadcast"] as const) {
  onReplicas(
    `${copies} parallel copies on 2 replicas and 3 routes get one answer, and none without the ` +
      `secret: ${misbehaviour ?? "honest facilitator"}`,
    function* (environment) {
      environment.misbehave(misbehaviour)
      let withSecret = 0
      let races = 0
      // Which copy wins is random; the run must include winners with and without a secret.
      const isOneSided = () => withSecret === 0 || withSecret === races
      for (let seed = 0; seed < seeds || (seed < seedsMax && isOneSided()); seed++) {
        races++
        const random = new Random(seed)
        const product = seed % 2 === 0 ? products.latest : products.resolving
        const signed = yield* signedFor(product, { n: seed, nonce: nonceOf(seed) })
        const all = yield* Effect.forEach(copiesOf(signed, environment, random), send, {
          concurrency: "unbounded",
        })
        const { row, delivered } = yield* checkRace(environment, signed, all)
        strictEqual(row?.state, "answered", `seed ${seed}`)
        const [first] = delivered
        ok(first !== undefined, `seed ${seed}: one copy got the answer`)
        const copies = all.map(({ sent }) => sent)
        for (const { sent, answer } of yield* Effect.forEach(copies, send, { concurrency: 10 })) {
          const own: boolean = row.secret && sent.path === first.sent.path &&
            sent.secret === first.sent.secret
          strictEqual(answer.status === 200, own, `seed ${seed}: ${JSON.stringify(sent.secret)}`)
          if (own) strictEqual(answer.text, first.answer.text)
        }
        if (row.secret) withSecret++
      }
      ok(!isOneSided(), `${withSecret} of ${races} seeds had a secret`)
    },
  )
}

onReplicas(
  "two replicas that claim one payment at once insert one row, and neither fails",
  ({ stores: [first, second] }) =>
    Effect.forEach(
      Array.from({ length: claimRaces }, (_, n) => ticket(n)),
      Effect.fnUntraced(function* (ticket) {
        const claim = (store: PaymentStore["Service"]) =>
          store.claim(ticket, null, Duration.seconds(30))
        const both = yield* Effect.all([claim(first), claim(second)], { concurrency: 2 })
        strictEqual(both.filter(Option.isSome).length, 1)
      }),
      { discard: true },
    ),
)

onReplicas(
  "100 encodings of one authorization are one payment: one row, one transfer, the same answer",
  function* (environment) {
    const signed = yield* signedFor(products.latest, { nonce: nonceOf(100) })
    const spellings = encodings(signed.wire, key)
    strictEqual(new Set(spellings.map((spelling) => JSON.stringify(spelling))).size, 100)
    const all = yield* Effect.forEach(spellings, (spelling, client) =>
      send({
        ...spelling,
        ...{ client, secret: key, path: "/v1/latest" },
        replica: environment.replicas[client % 2] ?? environment.replicas[0],
      }), { concurrency: "unbounded" })
    const { delivered: [first] } = yield* checkRace(environment, signed, all)
    ok(first !== undefined, "one copy got the answer")
    // The copies that had to wait were sent away.
    const again = yield* Effect.forEach(all.map(({ sent }) => sent), send, { concurrency: 10 })
    equal(new Set(again.map(({ answer }) => answer.text)), new Set([first.answer.text]))
    const wrongSecret = yield* Effect.forEach(spellings, (spelling, client) =>
      send({
        ...spelling,
        ...{ client, path: "/v1/latest", replica: environment.replicas[0] },
        ...{ key: otherKey, secret: otherKey },
      }), { concurrency: 10 })
    equal(
      new Set(wrongSecret.map(({ answer }) => answer.code)),
      new Set(["payment_already_used"]),
    )
  },
)
