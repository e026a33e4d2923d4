/**
 * Floods of invalid payments: they cause no facilitator call and no row in the store, and a client
 * that pays during a flood is served.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, References, type Scope } from "effect"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../support/payments/simulated.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address, Bytes32 } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { Random } from "../support/random.ts"
import { liveTest } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { type MemoryPayments, memoryPayments } from "../support/payments/memoryPayments.ts"
import {
  ask,
  openReplica,
  type ReplicaPorts,
  type Signed,
  signedFor,
} from "../support/http/socketReplicas.ts"
import { stockedWorld } from "../support/http/servedService.ts"
import { headerOf, token } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const flood = sized({ short: 150, full: 600 })
const allowance = 30
const paths = ["/v1/latest", "/v1/signal", "/v1/resolving", "/v1/whales"]

const portsOn = ({ store }: MemoryPayments): Layer.Layer<ReplicaPorts> =>
  Layer.merge(
    Layer.succeed(PaymentStore, store),
    layerLedger().pipe(Layer.provideMerge(layerMemory)),
  ).pipe(Layer.provideMerge(signatures))

/** A replica that counts the calls to its facilitator. */
const countingReplica = Effect.gen(function* () {
  const calls = { verify: 0, settle: 0 }
  const world = yield* stockedWorld()
  const replica = yield* openReplica(world, { invalidPayments: allowance }).pipe(
    Effect.updateService(Facilitator, (inner) => ({
      ...inner,
      verify: (request) => Effect.suspend(() => (calls.verify++, inner.verify(request))),
      settle: (request) => Effect.suspend(() => (calls.settle++, inner.settle(request))),
    })),
  )
  return { replica, calls, world }
})

const flooded = (
  name: string,
  body: (memory: MemoryPayments) => Effect.Effect<void, unknown, ReplicaPorts | Scope.Scope>,
) =>
  liveTest(name, () => {
    const memory = memoryPayments()
    return Effect.suspend(() => body(memory)).pipe(
      Effect.provide(portsOn(memory)),
      Effect.provideService(References.MinimumLogLevel, "None"),
    )
  })

const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join("")
const anyNonce = (random: Random) => Bytes32.make(`0x${hex(random, 64)}`)

type Wire = Signed["wire"]
/** A signed payment that was changed after it was signed. */
const tampered = ({ payload, ...rest }: Wire, changes: Partial<Wire["payload"]["authorization"]>) =>
  headerOf({
    ...rest,
    payload: { ...payload, authorization: { ...payload.authorization, ...changes } },
  })

/** Invalid payments; each call returns a different one. */
const invalidPayments: ReadonlyArray<(signed: Signed, random: Random) => string> = [
  (_, random) => hex(random, 200),
  (_, random) => btoa(`{"x402Version":2,"n":"${hex(random, 20)}"}`),
  ({ header }, random) => header.slice(0, random.between(10, header.length - 10)),
  ({ wire }, random) =>
    headerOf({ ...wire, payload: { ...wire.payload, signature: `0x${hex(random, 128)}1b` } }),
  ({ wire }, random) => tampered(wire, { nonce: anyNonce(random) }),
  ({ wire }, random) => tampered(wire, { from: `0x${hex(random, 40)}` }),
  ({ wire }) => tampered(wire, { value: "1" }),
  ({ wire }) => tampered(wire, { validBefore: "9999999999" }),
  ({ wire }, random) => tampered(wire, { to: `0x${hex(random, 40)}` }),
]

/** Sends each payment from the client that `clientOf` returns. */
const sendAll = (base: string, headers: ReadonlyArray<string>, clientOf: (n: number) => number) =>
  Effect.forEach(
    headers,
    (payment, n) =>
      ask(base, {
        ...{ payment, path: paths[n % paths.length] ?? "", client: clientOf(n) },
        header: n % 3 === 0 ? "X-PAYMENT" : "PAYMENT-SIGNATURE",
      }),
    { concurrency: 40 },
  )

const makeFlood = Effect.fnUntraced(function* (random: Random) {
  const signed = yield* signedFor(products.latest, { nonce: anyNonce(random) })
  return Array.from(
    { length: flood },
    (_, n) => invalidPayments[n % invalidPayments.length]?.(signed, random) ?? "",
  )
})

const countByStatus = (answers: ReadonlyArray<{ readonly status: number }>) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

flooded(
  `${flood} invalid payments from as many clients cause no facilitator call and no row`,
  (memory) =>
    Effect.gen(function* () {
      const { replica, calls } = yield* countingReplica
      const headers = yield* makeFlood(new Random(2))
      const validPayment = Effect.gen(function* () {
        const signed = yield* signedFor(products.latest, { n: 1 })
        return yield* ask(replica.base, {
          ...{ path: signed.product.path, payment: signed.header, client: 20_000 },
        })
      })
      const [answers, paid] = yield* Effect.all(
        [sendAll(replica.base, headers, (n) => n), validPayment],
        { concurrency: 2 },
      )
      equal(countByStatus(answers), { 402: flood })
      strictEqual(paid.status, 200)
      equal(calls, { verify: 1, settle: 1 })
      equal(memory.countByState(), new Map([["answered", 1]]))
    }),
)

flooded(
  "valid signatures of payers without money use up a client's allowance, and settle nothing",
  () =>
    Effect.gen(function* () {
      const { replica, calls } = yield* countingReplica
      const ledger = yield* Ledger
      const signed = yield* Effect.forEach(
        Array.from({ length: 2 * allowance }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const signed = yield* signedFor(products.latest, { n: 100 + n })
          const { from } = signed.authorization
          const value = yield* ledger.balance(from)
          yield* ledger.transfer({
            ...{ asset: token.asset, from, to: address(`0x${"99".repeat(20)}`), value },
            ...{ nonce: anyNonce(new Random(n)), transaction: "0x", blockTime: 1n },
          })
          return signed
        }),
      )
      const answers = yield* Effect.forEach(
        signed,
        ({ header: payment }) => ask(replica.base, { path: "/v1/latest", payment, client: 5 }),
      )
      equal(countByStatus(answers), { 402: allowance, 429: allowance })
      // The payment that exceeds the allowance is verified before it is counted.
      ok(calls.verify <= allowance + 1, `${calls.verify} calls`)
      strictEqual(calls.settle, 0)
    }),
)
