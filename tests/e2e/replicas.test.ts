/**
 * One authorization, many copies of it, two replicas: one answer, and nothing for who has no secret.
 *
 * The replicas are whole faces on sockets of their own, each with a pool of its own on one PostgreSQL,
 * which is all they share: the ledger of the simulated chain is in it too.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../../src/postgres/client.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import type { Misbehaviour } from "../../src/payments/simulated/facilitator.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { ticket } from "../payments/paymentStore.laws.ts"
import { Random } from "../support/random.ts"
import { liveTest } from "../support/effect.ts"
import { encodings } from "../support/payments/encodings.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import {
  ask,
  openReplica,
  type PaidRequest,
  type PaidResponse,
  pooledReplicaPorts,
  type Replica,
  type Signed,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { freshSchema } from "../support/stores.ts"
import { terms } from "../support/payments/terms.ts"

const testDatabaseUrl = Deno.env.get("TEST_DATABASE_URL")
const copies = 50
const seeds = 4
const seedsMax = 24
const claimRaces = 300
const key = "the-first-callers-secret"
const otherKey = "somebody-elses-guess-of-it"

interface House {
  readonly sql: SqlClient
  readonly ledger: Ledger["Service"]
  readonly replicas: readonly [Replica, Replica]
  readonly stores: readonly [PaymentStore["Service"], PaymentStore["Service"]]
  /** How the next settlements misbehave. */
  readonly misbehave: (how: Misbehaviour | null) => void
}

/** Two replicas, and the store and the chain behind them to be read back. */
const house = Effect.gen(function* () {
  const url = yield* freshSchema(testDatabaseUrl ?? "")
  const owner = yield* Layer.build(Layer.fresh(layerPostgres({ url, maxConnections: 2 })))
  const sql = Context.get(owner, SqlClient)
  yield* Effect.provideService(Effect.flatMap(migrationFiles, migrate), SqlClient, sql)
  const world = yield* stockedWorld
  let how: Misbehaviour | null = null
  const simulation = {
    delay: Duration.millis(20),
    misbehave: (call: string) => call === "settle" ? how : null,
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
  const house: House = {
    sql,
    ledger: first.ledger,
    replicas: [first.replica, second.replica],
    stores: [first.store, second.store],
    misbehave: (next) => {
      how = next
    },
  }
  return house
})

const onReplicas = (
  name: string,
  body: (house: House) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  testDatabaseUrl === undefined
    ? registerSkipped(name, "set TEST_DATABASE_URL")
    : liveTest(name, () => Effect.flatMap(house, body))

const nonceOf = (seed: number) => Bytes32.make(`0x${seed.toString(16).padStart(64, "5")}`)

/** The routes a payment for a product is shown on: first the one that it is claimed for, or others. */
const routesOf = (product: Product): ReadonlyArray<string> =>
  product === products.resolving
    ? ["/v1/resolving", "/v1/resolving?withinHours=48", "/v1/latest"]
    : ["/v1/latest", "/v1/signal", "/v1/resolving"]

interface Sent extends PaidRequest {
  readonly replica: Replica
  /** What it shows, in whichever place. */
  readonly secret: string | null
}

/** Copies of one payment over both replicas, three routes and both headers; some with the secret. */
const copiesOf = ({ product, header }: Signed, { replicas }: House, random: Random) =>
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

const send = (sent: Sent) => Effect.map(ask(sent.replica.base, sent), (told) => ({ sent, told }))
type Answered = Effect.Success<ReturnType<typeof send>>

/** What an honest seller may tell a copy. */
function truthful({ status, code, charged }: PaidResponse): boolean {
  switch (status) {
    case 200:
      return charged === undefined
    case 402:
      // No envelope: of this payment it says only why it does not buy this.
      return code === null
    case 409:
      return code === "payment_conflict" || code === "payment_in_progress"
        // It is being taken, or it has been, by the copy that came first: never "not charged".
        ? charged !== false
        : code === "payment_already_used" && charged === true
    default:
      // The store and the chain can be asked all the time, so nothing is left unresolved.
      return false
  }
}

/** How a race went: how many copies got the answer, and whose it was. */
const judged = Effect.fnUntraced(function* (
  { sql, ledger }: House,
  signed: Signed,
  all: ReadonlyArray<Answered>,
) {
  const { authorization: { nonce, from }, product } = signed
  const fair = all.filter(({ told }) => truthful(told))
  equal(all.filter((one) => !fair.includes(one)), [], "every copy is told the truth")
  const transfers = yield* ledger.transfersTo({
    ...{ asset: address(terms.asset), to: address(terms.payTo), after: 0n, through: 1n << 60n },
  })
  const paid = transfers.filter((transfer) => transfer.nonce === nonce && transfer.from === from)
  equal(paid.map(({ value }) => value), [product.price], "one transfer")
  const rows = yield* sql<{ request: string; secret: boolean; state: string; sent: boolean }>`
    SELECT request, secret_hash IS NOT NULL AS secret, state, sent_at IS NOT NULL AS sent
    FROM payment WHERE nonce = ${nonce}`
  strictEqual(rows.length, 1, "one row")
  const given = all.filter(({ told }) => told.status === 200)
  ok(new Set(given.map(({ told }) => told.text)).size <= 1, "one distinct answer")
  ok(new Set(given.map(({ sent }) => sent.path)).size <= 1, "for one request")
  ok(new Set(given.map(({ sent }) => sent.secret)).size <= 1, "for one secret, or for none")
  const [row] = rows
  if (!row?.secret) ok(given.length <= 1, "without a secret, to the first copy alone")
  return { row, given }
})

for (const how of [null, "error_after_broadcast", "failure_after_broadcast"] as const) {
  onReplicas(
    `${copies} parallel copies on 2 replicas and 3 routes get one answer, and none without the ` +
      `secret: ${how ?? "honest facilitator"}`,
    (house) =>
      Effect.gen(function* () {
        house.misbehave(how)
        let withSecret = 0
        let races = 0
        // Whose copy comes first is chance: both kinds of winner have to be seen.
        const oneKind = () => withSecret === 0 || withSecret === races
        for (let seed = 0; seed < seeds || (seed < seedsMax && oneKind()); seed++) {
          races++
          const random = new Random(seed)
          const product = seed % 2 === 0 ? products.latest : products.resolving
          const signed = yield* signedFor(product, { n: seed, nonce: nonceOf(seed) })
          const all = yield* Effect.forEach(copiesOf(signed, house, random), send, {
            concurrency: "unbounded",
          })
          const { row, given } = yield* judged(house, signed, all)
          strictEqual(row?.state, "answered", `seed ${seed}`)
          const [first] = given
          ok(first !== undefined, `seed ${seed}: somebody got the answer`)
          const again = all.map(({ sent }) => sent)
          for (const { sent, told } of yield* Effect.forEach(again, send, { concurrency: 10 })) {
            const own: boolean = row.secret && sent.path === first.sent.path &&
              sent.secret === first.sent.secret
            strictEqual(told.status === 200, own, `seed ${seed}: ${JSON.stringify(sent.secret)}`)
            if (own) strictEqual(told.text, first.told.text)
          }
          if (row.secret) withSecret++
        }
        ok(!oneKind(), `${withSecret} of ${races} seeds had a secret`)
      }),
  )
}

onReplicas(
  "two replicas that claim one payment at once make one row, and neither of them fails",
  ({ stores: [first, second] }) =>
    Effect.forEach(
      Array.from({ length: claimRaces }, (_, n) => ticket(n)),
      Effect.fnUntraced(function* (ticket) {
        const claim = (store: PaymentStore["Service"]) =>
          store.claim(ticket, null, Duration.seconds(30))
        const both = yield* Effect.all([claim(first), claim(second)], { concurrency: 2 })
        strictEqual(both.filter(({ claimed }) => claimed).length, 1)
      }),
      { discard: true },
    ),
)

onReplicas(
  "100 encodings of one authorization are one payment: one row, one transfer, the same bytes to all",
  (house) =>
    Effect.gen(function* () {
      const signed = yield* signedFor(products.latest, { nonce: nonceOf(100) })
      const spellings = encodings(signed.wire, key)
      strictEqual(new Set(spellings.map((spelling) => JSON.stringify(spelling))).size, 100)
      const all = yield* Effect.forEach(spellings, (spelling, client) =>
        send({
          ...spelling,
          ...{ client, secret: key, path: "/v1/latest" },
          replica: house.replicas[client % 2] ?? house.replicas[0],
        }), { concurrency: "unbounded" })
      const { given } = yield* judged(house, signed, all)
      strictEqual(given.length, 100)
      const strangers = yield* Effect.forEach(spellings, (spelling, client) =>
        send({
          ...spelling,
          ...{ client, path: "/v1/latest", replica: house.replicas[0] },
          ...{ key: otherKey, secret: otherKey },
        }), { concurrency: 10 })
      equal(new Set(strangers.map(({ told }) => told.code)), new Set(["payment_already_used"]))
    }),
)
