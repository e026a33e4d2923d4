/**
 * Buyers who hang up, over raw sockets: at every call of a sale, at any moment, in both orders.
 *
 * Before the intent to settle, hanging up gives the payment back unused; after it the sale goes on, and
 * its answer waits for its buyer until HOLD is over. Then it is owed back. There is no third way.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Layer, Schedule } from "effect"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { layerStore, Ledger } from "../../src/payments/simulated/ledger.ts"
import {
  address,
  type Bytes32,
  type PaymentState,
  recordOf,
} from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { Random } from "../support/random.ts"
import { liveTest } from "../support/effect.ts"
import {
  ask,
  openReplica,
  orders,
  productBySettlementOrder,
  type Replica,
  type ReplicaPorts,
  type Signed,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { embeddedStore } from "../support/stores.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"
import { makeBarrier, type Step } from "../support/payments/barrier.ts"

const key = "the-first-callers-secret"
const patience = Duration.seconds(10)

const ports: Layer.Layer<ReplicaPorts> = Layer.merge(
  paymentStore,
  layerLedger({ delay: Duration.millis(8) }).pipe(Layer.provideMerge(layerStore)),
).pipe(Layer.provide(embeddedStore), Layer.provideMerge(signatures))

/** One replica that buyers hang up on, and one for which HOLD is over at once: it sweeps. */
const house = Effect.gen(function* () {
  const barrier = makeBarrier()
  const world = yield* stockedWorld
  let gone = Promise.withResolvers<void>()
  const onRequest = ({ signal }: Request) => signal.addEventListener("abort", () => gone.resolve())
  const guarded = openReplica(world, { onRequest, works: barrier.works })
  const replica = yield* barrier.guard(guarded)
  const afterHold = yield* openReplica(world, {
    timing: { answerWindow: Duration.zero, recoveryWindow: Duration.zero },
  })
  return {
    ...{ barrier, replica, sweep: afterHold.payments.sweep, afterHold },
    /** Hangs up, and waits until the service has noticed. */
    hangUp: (connection: Deno.Conn) =>
      Effect.promise(async () => {
        gone = Promise.withResolvers()
        connection.close()
        await gone.promise
      }).pipe(Effect.timeout(patience)),
  }
})
type House = Effect.Success<typeof house>

/** Asks on a socket of its own, and reads nothing. */
const askRaw = ({ port }: Replica, { product, header }: Signed) =>
  Effect.promise(async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port })
    const head = [`GET ${product.path} HTTP/1.1`, "Host: x", `PAYMENT-SIGNATURE: ${header}`]
    const bytes = new TextEncoder().encode(
      [...head, `Idempotency-Key: ${key}`, "", ""].join("\r\n"),
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

/** Waits until the row stands where it should. */
const until = (signed: Signed, states: ReadonlyArray<PaymentState | "no row">) =>
  Effect.repeat(rowOf(signed), {
    until: (row) => states.includes(row?.state ?? "no row"),
    schedule: Schedule.spaced("10 millis"),
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.flatMap(rowOf(signed), (row) => Effect.die(`it is ${row?.state}`)),
    }),
  )

/** How much the chain shows as paid under each nonce. */
const paidByNonce = Effect.gen(function* () {
  const ledger = yield* Ledger
  const transfers = yield* ledger.transfersTo({
    ...{ asset: address(terms.asset), to: address(terms.payTo), after: 0n, through: 1n << 60n },
  })
  const paid = new Map<Bytes32, bigint>()
  for (const { nonce, value } of transfers) paid.set(nonce, (paid.get(nonce) ?? 0n) + value)
  strictEqual(paid.size, transfers.length, "no nonce has paid twice")
  return paid
})

const refetch = ({ replica }: House, { product, header }: Signed, secret: string | null = key) =>
  ask(replica.base, { path: product.path, payment: header, key: secret })

type ByOrder = Readonly<Record<typeof orders[number], ReadonlyArray<Step>>>

/** The calls of a sale, in their order. */
const places: ByOrder = {
  "compute-first": ["claim", "verify", "work", "intend", "settle", "proof", "answer"],
  // deno-fmt-ignore
  "settle-early": [
    "claim", "check", "verify", "intend", "settle", "proof", "charge", "work", "answer",
  ],
}

/** The calls at which hanging up gives the payment back. The later ones take it to its end. */
const releases: ByOrder = {
  "compute-first": ["verify", "work"],
  "settle-early": ["check", "verify"],
}

for (const order of orders) {
  liveTest(
    `a buyer who hangs up at any call is charged for an answer or not at all: ${order}`,
    () =>
      Effect.gen(function* () {
        const all = yield* house
        const { barrier, replica, sweep } = all
        const outcomes: Array<{ readonly signed: Signed; readonly comes: boolean }> = []
        for (const place of places[order]) {
          for (const comes of [true, false]) {
            const signed = yield* signedFor(productBySettlementOrder[order], {
              nonce: nonce(outcomes.length),
            })
            outcomes.push({ signed, comes })
            const held = yield* barrier.close(place)
            const connection = yield* askRaw(replica, signed)
            yield* Effect.timeout(held.reached, patience)
            yield* all.hangUp(connection)
            const early = releases[order].includes(place)
            // The release does not wait for what is held up.
            if (early) yield* until(signed, ["released"])
            yield* held.open
            const given = early || place === "claim"
            yield* until(signed, [given ? "released" : "answered"])
            strictEqual(
              (yield* rowOf(signed))?.sent,
              false,
              `${place}: nobody was there to take it`,
            )
            const paid = (yield* paidByNonce).get(signed.authorization.nonce)
            strictEqual(paid, given ? undefined : signed.product.price, `${place}: paid`)
            if (!comes) continue
            const stranger = yield* refetch(all, signed, null)
            if (!given) {
              equal([stranger.status, stranger.charged], [409, true], place)
              const again = yield* refetch(all, signed)
              equal([again.status, again.receipt !== null], [200, true], place)
              yield* until(signed, ["answered"])
            } else equal(stranger.status, 200, place)
          }
        }
        // The answers that came over a live connection are marked a moment later.
        yield* Effect.forEach(outcomes.filter(({ comes }) => comes), ({ signed }) =>
          Effect.repeat(rowOf(signed), {
            until: (row) =>
              row?.sent === true,
            schedule: Schedule.spaced("10 millis"),
          }).pipe(Effect.timeout(patience)))
        yield* sweep
        const paid = yield* paidByNonce
        for (const { signed, comes } of outcomes) {
          const row = yield* rowOf(signed)
          const charged = paid.has(signed.authorization.nonce)
          strictEqual(row?.state, comes ? "answered" : charged ? "refund_due" : "released")
          if (row?.state !== "refund_due") {
            continue
          }
          const late = yield* refetch(all, signed)
          equal([late.status, late.code, late.charged], [410, "payment_refunded", true])
        }
        strictEqual(
          [...paid.values()].reduce((a, b) =>
            a + b, 0n) / productBySettlementOrder[order].price,
          paidIn(order),
        )
      }).pipe(Effect.provide(ports)),
  )
}

/** Everybody who comes again pays; who does not is charged past the intent. */
function paidIn(order: typeof orders[number]): bigint {
  const given = releases[order].length + 1
  return BigInt(2 * places[order].length - given)
}

for (const order of orders) {
  liveTest(
    `an answer on its way to a buyer who never reads it was handed over: ${order}`,
    () =>
      Effect.gen(function* () {
        const all = yield* house
        const signed = yield* signedFor(productBySettlementOrder[order])
        const connection = yield* askRaw(all.replica, signed)
        yield* until(signed, ["answered"])
        yield* Effect.repeat(rowOf(signed), { until: (row) => row?.sent === true }).pipe(
          Effect.timeout(patience),
        )
        connection.close()
        yield* all.sweep
        strictEqual((yield* rowOf(signed))?.state, "answered")
        const again = yield* refetch(all, signed)
        equal([again.status, again.receipt !== null], [200, true])
        equal((yield* refetch(all, signed, null)).code, "payment_already_used")
      }).pipe(Effect.provide(ports)),
  )
}

const buyers = 60
const seed = 5

liveTest(
  `${buyers} buyers who hang up at any moment lose nothing, and gain nothing`,
  () =>
    Effect.gen(function* () {
      const all = yield* house
      const random = new Random(seed)
      const calls = yield* Effect.forEach(
        Array.from({ length: buyers }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const order = orders[n % 2] ?? "compute-first"
          const signed = yield* signedFor(productBySettlementOrder[order], {
            nonce: nonce(n),
            n: n % 7,
          })
          return { signed, afterMs: random.between(0, 120) }
        }),
      )
      yield* Effect.forEach(
        calls,
        ({ signed, afterMs }) =>
          Effect.flatMap(askRaw(all.replica, signed), (connection) =>
            Effect.sync(() =>
              connection.close()
            ).pipe(Effect.delay(Duration.millis(afterMs)))),
        { concurrency: 12 },
      )
      // Whatever is under way comes to its end by itself: no lease has to run out for it.
      yield* Effect.forEach(
        calls,
        ({ signed }) => until(signed, ["no row", "released", "answered"]),
      )
      yield* Effect.sleep(Duration.millis(50))
      yield* all.sweep
      const paid = yield* paidByNonce
      const ends = yield* Effect.forEach(
        calls,
        Effect.fnUntraced(function* ({ signed }) {
          const row = yield* rowOf(signed)
          const charged = paid.has(signed.authorization.nonce)
          const end = row?.state ?? "no row"
          const fair = charged
            ? end === "refund_due" || (end === "answered" && row?.sent)
            : end === "released" || end === "no row"
          ok(fair, `${end}, ${charged ? "paid" : "unpaid"}`)
          if (end === "answered") {
            strictEqual((yield* refetch(all, signed)).status, 200)
          }
          return end
        }),
      )
      ok(new Set(ends).size >= 2, `they hang up at different moments: ${ends}`)
    }).pipe(Effect.provide(ports)),
)
