/**
 * Buyers who disconnect over raw sockets, at every step of a sale, in both orders.
 *
 * A disconnect before the claim leaves no row, one before the intent to settle releases the payment. After it the sale continues, and the
 * buyer can fetch the answer until HOLD is over; then the payment is refunded.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Layer, Schedule } from "effect"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../support/payments/simulated.ts"
import { layerStore, Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, type Bytes32, type PaymentState } from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { liveTest } from "../support/effect.ts"
import {
  ask,
  openReplica,
  orders,
  productBySettlementOrder,
  type Replica,
  type ReplicaPorts,
} from "../support/http/socketReplicas.ts"
import { type Signed, signedFor } from "../support/http/signed.ts"
import { stockedWorld } from "../support/http/servedService.ts"
import { embeddedStore } from "../support/stores.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"
import { makeBarrier, type Step } from "../support/payments/barrier.ts"

/** The first caller's secret. One key buys one answer, so each payment has its own. */
const keyOf = ({ authorization: { nonce } }: Signed) => `the-secret-of-${nonce.slice(-16)}`
const stepTimeout = Duration.seconds(10)

const ports: Layer.Layer<ReplicaPorts> = Layer.merge(
  paymentStore,
  layerLedger({ delay: Duration.millis(8) }).pipe(Layer.provideMerge(layerStore)),
).pipe(Layer.provide(embeddedStore), Layer.provideMerge(signatures))

/** A replica for the buyers, and one with a HOLD of zero that sweeps. */
const makeEnvironment = Effect.gen(function* () {
  const barrier = makeBarrier()
  const world = yield* stockedWorld()
  let aborted = Promise.withResolvers<void>()
  const onRequest = ({ signal }: Request) =>
    signal.addEventListener("abort", () => aborted.resolve())
  const guarded = openReplica(world, { onRequest, works: barrier.works })
  const replica = yield* barrier.guard(guarded)
  const afterHold = yield* openReplica(world, {
    timing: { answerWindow: Duration.zero, recoveryWindow: Duration.zero },
  })
  return {
    ...{ world, barrier, replica, sweep: afterHold.payments.sweep, afterHold },
    /** Closes the connection, and waits until the service has noticed. */
    disconnect: (connection: Deno.Conn) =>
      Effect.promise(async () => {
        aborted = Promise.withResolvers()
        connection.close()
        await aborted.promise
      }).pipe(Effect.timeout(stepTimeout)),
  }
})
type Environment = Effect.Success<typeof makeEnvironment>

/** Sends a paid request over a new socket and reads nothing. */
const sendRaw = ({ port }: Replica, signed: Signed) =>
  Effect.promise(async () => {
    const { product, header } = signed
    const connection = await Deno.connect({ hostname: "127.0.0.1", port })
    const head = [`GET ${product.path} HTTP/1.1`, "Host: x", `PAYMENT-SIGNATURE: ${header}`]
    const bytes = new TextEncoder().encode(
      [...head, `Idempotency-Key: ${keyOf(signed)}`, "", ""].join("\r\n"),
    )
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent))
    return connection
  })

const rowOf = Effect.fnUntraced(function* ({ authorization }: Signed) {
  const store = yield* PaymentStore
  const { paymentId } = yield* Signatures
  return yield* Effect.flatMap(
    store.find(paymentId({ ...token, ...authorization })),
    (found) => Effect.succeed(found._tag === "Some" ? recordOf(found.value) : null),
  )
})

/** Waits until the payment has one of the states. */
const waitForState = (signed: Signed, states: ReadonlyArray<PaymentState | "no row">) =>
  Effect.repeat(rowOf(signed), {
    until: (row) => states.includes(row?.state ?? "no row"),
    schedule: Schedule.spaced("10 millis"),
  }).pipe(
    Effect.timeoutOrElse({
      duration: stepTimeout,
      orElse: () =>
        Effect.flatMap(rowOf(signed), (row) => Effect.die(`the payment is ${row?.state}`)),
    }),
  )

/** The amount that the chain shows for each nonce. */
const paidByNonce = Effect.gen(function* () {
  const ledger = yield* Ledger
  const transfers = yield* ledger.transfersTo({
    ...{ asset: address(terms.asset), to: address(terms.payTo), after: 0n, through: 1n << 60n },
  })
  const paid = new Map<Bytes32, bigint>()
  for (const { nonce, value } of transfers) paid.set(nonce, (paid.get(nonce) ?? 0n) + value)
  strictEqual(paid.size, transfers.length, "each nonce has paid once")
  return paid
})

const refetch = (
  { replica }: Environment,
  signed: Signed,
  secret: string | null = keyOf(signed),
) => ask(replica.base, { path: signed.product.path, payment: signed.header, key: secret })

/** Sends an unused payment again until the sale of the caller who left has ended. */
const buyUnused = (environment: Environment, signed: Signed) =>
  Effect.repeat(refetch(environment, signed, null), {
    until: ({ status }) => status !== 409,
    schedule: Schedule.spaced("10 millis"),
  }).pipe(Effect.timeout(stepTimeout))

type ByOrder = Readonly<Record<typeof orders[number], ReadonlyArray<Step>>>

/** The steps of a sale, in order. */
const steps: ByOrder = {
  "compute-first": ["verify", "claim", "work", "intend", "settle", "proof", "answer"],
  // deno-fmt-ignore
  "settle-early": [
    "check", "verify", "claim", "intend", "settle", "proof", "charge", "work", "answer",
  ],
}

/** The steps at which a disconnect leaves the payment unused, with the row that it leaves. */
const unusedAt: {
  readonly [O in typeof orders[number]]: { readonly [S in Step]?: "no row" | "released" }
} = {
  "compute-first": { verify: "no row", claim: "released", work: "released" },
  "settle-early": { check: "no row", verify: "no row", claim: "released" },
}

for (const order of orders) {
  liveTest(
    `a buyer who disconnects at any step is charged for an answer or not at all: ${order}`,
    function* () {
      const environment = yield* makeEnvironment
      const { barrier, replica, sweep } = environment
      const outcomes: Array<{ readonly signed: Signed; readonly retries: boolean }> = []
      for (const step of steps[order]) {
        for (const retries of [true, false]) {
          const signed = yield* signedFor(productBySettlementOrder[order], {
            nonce: nonce(outcomes.length),
          })
          outcomes.push({ signed, retries })
          const blocked = yield* barrier.close(step)
          const connection = yield* sendRaw(replica, signed)
          yield* Effect.timeout(blocked.reached, stepTimeout)
          yield* environment.disconnect(connection)
          const unused = unusedAt[order][step]
          // The release does not wait for the blocked step.
          if (step === "work" && unused === "released") yield* waitForState(signed, [unused])
          yield* blocked.open
          yield* waitForState(signed, [unused ?? "answered"])
          ok((yield* rowOf(signed))?.sent !== true, `${step}: not delivered`)
          const paid = (yield* paidByNonce).get(signed.authorization.nonce)
          strictEqual(paid, unused ? undefined : signed.product.price, `${step}: paid`)
          if (!retries) continue
          if (unused !== undefined) {
            equal((yield* buyUnused(environment, signed)).status, 200, step)
            continue
          }
          const withoutSecret = yield* refetch(environment, signed, null)
          equal([withoutSecret.status, withoutSecret.charged], [409, true], step)
          const again = yield* refetch(environment, signed)
          equal([again.status, again.receipt !== null], [200, true], step)
          yield* waitForState(signed, ["answered"])
        }
      }
      // A delivery is recorded shortly after the answer has left.
      yield* Effect.forEach(
        outcomes.filter(({ retries }) => retries),
        ({ signed }) =>
          Effect.repeat(rowOf(signed), {
            until: (row) => row?.sent === true,
            schedule: Schedule.spaced("10 millis"),
          }).pipe(Effect.timeout(stepTimeout)),
      )
      yield* sweep
      const paid = yield* paidByNonce
      for (const { signed, retries } of outcomes) {
        const row = yield* rowOf(signed)
        const charged = paid.has(signed.authorization.nonce)
        const ends = [retries ? "answered" : charged ? "refund_due" : "released"]
        ok(ends.includes(row?.state ?? "released"), row?.state)
        if (row?.state !== "refund_due") {
          continue
        }
        const late = yield* refetch(environment, signed)
        equal([late.status, late.code, late.charged], [410, "payment_refunded", true])
      }
      strictEqual(
        [...paid.values()].reduce((a, b) => a + b, 0n) / productBySettlementOrder[order].price,
        paidCount(order),
      )
    },
    ports,
  )
}

/** Buyers who retry pay; the others pay only when they disconnected after the intent. */
function paidCount(order: typeof orders[number]): bigint {
  return BigInt(2 * steps[order].length - Object.keys(unusedAt[order]).length)
}

for (const order of orders) {
  liveTest(`an answer to a buyer who never reads it counts as delivered: ${order}`, function* () {
    const environment = yield* makeEnvironment
    const signed = yield* signedFor(productBySettlementOrder[order])
    const connection = yield* sendRaw(environment.replica, signed)
    yield* waitForState(signed, ["answered"])
    yield* Effect.repeat(rowOf(signed), { until: (row) => row?.sent === true }).pipe(
      Effect.timeout(stepTimeout),
    )
    connection.close()
    yield* environment.sweep
    strictEqual((yield* rowOf(signed))?.state, "answered")
    const again = yield* refetch(environment, signed)
    equal([again.status, again.receipt !== null], [200, true])
    equal((yield* refetch(environment, signed, null)).code, "payment_already_used")
  }, ports)
}
