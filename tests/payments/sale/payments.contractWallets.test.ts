/**
 * Payments of contract wallets: the facilitator judges their signatures, within limits, and one
 * authorization stays one payment.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Deferred, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { Chain, ChainUnavailable, type Settles } from "../../../src/payments/Chain.ts"
import { address, Signature } from "../../../src/payments/domain/payment.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { layerLedger } from "../../support/payments/simulated.ts"
import { layer as realSignatures } from "../../../src/payments/wasmSignatures.ts"
import { payloadOf } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"
import { memoryPaymentStore } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  calling,
  type Market,
  passing,
  paymentsLayer,
  product,
  purchase,
  rowOf,
  startSeconds,
  stateOf,
  timing,
  workOf,
} from "../../support/payments/sales.ts"
import { authorizationFor, nonce } from "../../support/payments/terms.ts"

const wallet = address(`0x${"3a".repeat(20)}`)
const undeployed = address(`0x${"3b".repeat(20)}`)
/** What every wallet accepts: any signature that starts with this. */
const owner = "0x51a7"
const suffix = "6492".repeat(16)
const valid = Signature.make(`${owner}${"00".repeat(300)}` as `0x${string}`)
const invalid = Signature.make(`0x${"00".repeat(300)}`)
const wrapped = Signature.make(`${owner}${"00".repeat(500)}${suffix}` as `0x${string}`)

interface Faults {
  /** Replaces the chain's answer whether an address has code. */
  readonly hasCode?: Chain["Service"]["hasCode"]
  /** Replaces the chain's answer whether a transfer would settle. */
  readonly wouldSettle?: Chain["Service"]["wouldSettle"]
  /** Runs before each verification. */
  readonly beforeVerify?: Effect.Effect<void>
}

/** A seller whose facilitator and chain know the wallets. */
const withWallets = (body: Effect.Effect<void, unknown, Market>, faults: Faults = {}) => {
  const judging = Layer.effect(
    Signatures,
    Effect.map(Signatures, (real) =>
      Signatures.of({
        ...real,
        signer: (token, authorization, signature) =>
          signature.startsWith(owner)
            ? Effect.succeedSome(authorization.from)
            : real.signer(token, authorization, signature),
      })),
  ).pipe(Layer.provide(realSignatures))
  const simulated = layerLedger().pipe(Layer.provide(judging), Layer.provideMerge(layerMemory))
  const outside = Layer.effectContext(
    Effect.gen(function* () {
      const ports = yield* Effect.context<Layer.Success<typeof simulated>>()
      const facilitator = yield* Facilitator
      const hasCode: Chain["Service"]["hasCode"] = (of) => Effect.succeed(of === wallet)
      return Layer.succeedContext(ports).pipe(
        Layer.merge(Layer.succeed(Chain, { ...yield* Chain, hasCode, ...faults })),
        Layer.merge(Layer.succeed(Facilitator, {
          ...facilitator,
          verify: (request) =>
            Effect.andThen(faults.beforeVerify ?? Effect.void, facilitator.verify(request)),
        })),
        Layer.build,
      )
    }).pipe(Effect.flatten),
  ).pipe(Layer.provide(simulated))
  const ports = Layer.mergeAll(memoryPaymentStore, outside, realSignatures)
  const seller = paymentsLayer({ timing }).pipe(Layer.provideMerge(ports))
  return TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.scoped(body)),
    Effect.provide(seller),
    Effect.provideService(References.MinimumLogLevel, "None"),
  )
}

/** A purchase by a contract with this signature. */
const bySignature = Effect.fnUntraced(function* (
  signature: Signature,
  changes: Partial<Purchase> = {},
  n = 0,
  from = wallet,
) {
  const authorization = authorizationFor({ address: from }, product, startSeconds, {
    nonce: nonce(n),
  })
  const payment = payloadOf(authorization, signature)
  return { ...(yield* purchase()), payment, ...changes } satisfies Purchase
})

const answer = workOf(answering())
const notComputed = workOf(Effect.die("computed"))

test("the facilitator judges a contract's signature: a valid one buys, an invalid one does not", () =>
  withWallets(Effect.gen(function* () {
    const refused = yield* bySignature(invalid)
    equal(yield* buying(refused, notComputed), "payment_required")
    equal(yield* stateOf(refused), null)
    const bought = yield* bySignature(valid)
    equal(yield* buying(bought, answer), "answer")
    equal([yield* stateOf(bought), (yield* rowOf(bought))?.signature], ["answered", valid])
  })))

test("a payer whose transfer would not settle leaves no row, even with its own key's signature", () => {
  const verdicts: Array<Settles> = [
    ...["invalid_signature", "invalid_signature", "insufficient_funds", "too_early"] as const,
  ]
  return withWallets(
    Effect.gen(function* () {
      const wallets = yield* bySignature(valid)
      const keys = yield* purchase()
      for (const bought of [wallets, keys, wallets]) {
        equal(yield* buying(bought, notComputed), "payment_required")
      }
      equal(yield* buying(wallets, notComputed), "payments_unavailable")
      equal([yield* stateOf(wallets), yield* stateOf(keys)], [null, null])
      for (const bought of [wallets, keys]) equal(yield* buying(bought, answer), "answer")
    }),
    { wouldSettle: () => Effect.sync(() => verdicts.shift() ?? true) },
  )
})

test("a wallet that is not deployed yet pays with an ERC-6492 signature, and with no other", () =>
  withWallets(Effect.gen(function* () {
    const plain = yield* bySignature(valid, {}, 0, undeployed)
    equal(yield* buying(plain, notComputed), "payment_required")
    const bought = yield* bySignature(wrapped, {}, 0, undeployed)
    equal(yield* buying(bought, answer), "answer")
  })))

test("one authorization is one payment, whatever signature is shown", () =>
  withWallets(Effect.gen(function* () {
    const secret = "a-secret-of-16-chars"
    equal(yield* buying(yield* bySignature(valid, { secret }), answer), "answer")
    const another = Signature.make(`${valid}00` as `0x${string}`)
    for (const signature of [another, wrapped, invalid]) {
      const shown = yield* bySignature(signature, { secret })
      equal(yield* buying(shown, notComputed), "payment_conflict")
    }
    equal(yield* buying(yield* bySignature(valid, { secret }), notComputed), "answer again")
  })))

test("a key is charged once, and only after the facilitator accepts the signature", () =>
  withWallets(Effect.gen(function* () {
    const secret = "a-secret-of-16-chars"
    equal(yield* buying(yield* bySignature(valid, { secret }), answer), "answer")
    const forged = yield* bySignature(invalid, { secret }, 1)
    equal(yield* buying(forged, notComputed), "payment_required", "a stranger knows the key")
    const again = yield* bySignature(valid, { secret }, 2)
    equal(yield* buying(again, notComputed), "answer again")
    equal(yield* stateOf(again), null)
  })))

test("a chain that cannot be read is no reason to call a signature invalid", () =>
  withWallets(
    Effect.gen(function* () {
      const ownerKey = yield* purchase()
      const mismatch = { ...ownerKey.payment.authorization, nonce: nonce(1) }
      const bought = { ...ownerKey, payment: payloadOf(mismatch, ownerKey.payment.signature) }
      for (const shown of [yield* bySignature(valid), bought]) {
        equal(yield* buying(shown, notComputed), "payments_unavailable")
        equal(yield* stateOf(shown), null)
      }
      equal(yield* buying(ownerKey, answer), "answer", "a key needs no code lookup")
    }),
    { hasCode: () => Effect.fail(new ChainUnavailable({ reason: "test" })) },
  ))

for (
  const [whose, clientOf, atOnce, refused] of [
    ["all clients", (n: number) => `client ${n}`, 8, ["overloaded", 20]],
    ["one client", () => "client", 2, ["rate_limited", 50]],
  ] as const
) {
  test(`unverified payments of contracts of ${whose} occupy ${atOnce} places, and leave the others to keys`, () => {
    const verdict = Deferred.makeUnsafe<void>()
    let verifying = 0
    const beforeVerify = Effect.suspend(() => {
      verifying += 1
      return Deferred.await(verdict)
    })
    return withWallets(
      Effect.gen(function* () {
        const calls: Array<Fiber.Fiber<string>> = []
        for (let n = 0; n < 60; n++) {
          const client = { client: clientOf(n), site: null }
          const payer = address(`0x${(n + 1).toString(16).padStart(40, "c")}`)
          calls.push(yield* calling(yield* bySignature(wrapped, { client }, n, payer), answer))
        }
        yield* passing(1)
        equal(verifying, atOnce)
        yield* calling(yield* purchase(), answer)
        yield* passing(0)
        equal(verifying, atOnce + 1, "a key's payment is verified at once")
        yield* Deferred.succeed(verdict, undefined)
        yield* passing(20)
        const [code, count] = refused
        const outcomes = yield* Effect.forEach(calls, Fiber.join)
        equal(outcomes.filter((outcome) => outcome === code).length, count)
        equal(new Set(outcomes), new Set(["answer", code]))
      }),
      { beforeVerify },
    )
  })
}

test("more code lookups than the limit refuse a long signature as overloaded, not as invalid", () => {
  const read = Deferred.makeUnsafe<void>()
  let lookups = 0
  return withWallets(
    Effect.gen(function* () {
      const from = (n: number, client: string) =>
        Effect.flatMap(
          bySignature(valid, { client: { client, site: null } }, n),
          (bought) => calling(bought, answer),
        )
      for (let n = 0; n < 9; n++) yield* from(n, "stranger")
      yield* passing(0)
      equal(lookups, 2)
      for (let n = 9; n < 15; n++) yield* from(n, `client ${n}`)
      const last = yield* from(15, "client 15")
      yield* passing(0)
      equal([lookups, yield* Fiber.join(last)], [8, "overloaded"])
      yield* Deferred.succeed(read, undefined)
      yield* passing(10)
    }),
    { hasCode: () => Effect.as(Effect.suspend(() => (lookups++, Deferred.await(read))), true) },
  )
})

test("a known payment of a contract needs no code lookup: it is never called unused", () => {
  let readable = true
  const hasCode: Chain["Service"]["hasCode"] = (of) =>
    readable ? Effect.succeed(of === wallet) : Effect.fail(new ChainUnavailable({ reason: "test" }))
  return withWallets(
    Effect.gen(function* () {
      const secret = "a-secret-of-16-chars"
      const bought = yield* bySignature(valid, { secret })
      equal(yield* buying(bought, answer), "answer")
      readable = false
      equal(yield* buying(bought, notComputed), "answer again")
      equal(yield* buying({ ...bought, secret: null }, notComputed), "payment_already_used")
      const { authorization } = bought.payment
      const altered = { ...authorization, validBefore: authorization.validBefore + 1n }
      for (const payment of [payloadOf(altered, valid), payloadOf(authorization, invalid)]) {
        equal(yield* buying({ ...bought, payment }, notComputed), "payment_conflict")
      }
      equal(yield* buying(yield* bySignature(valid, {}, 1), notComputed), "payments_unavailable")
    }),
    { hasCode },
  )
})

test("two calls with an unverified signature at the same time do not fetch the answer of a key", () => {
  const secret = "a-secret-of-16-chars"
  let read = Deferred.makeUnsafe<void>()
  return withWallets(
    Effect.gen(function* () {
      yield* Deferred.succeed(read, undefined)
      equal(yield* buying(yield* bySignature(valid, { secret }), answer), "answer")
      read = Deferred.makeUnsafe<void>()
      const forged = yield* bySignature(invalid, { secret }, 1)
      const calls = [yield* calling(forged, notComputed), yield* calling(forged, notComputed)]
      yield* passing(0)
      yield* Deferred.succeed(read, undefined)
      yield* passing(5)
      const outcomes = yield* Effect.forEach(calls, Fiber.join)
      equal(new Set(outcomes), new Set(["payment_required", "payment_in_progress"]))
    }),
    {
      hasCode: () => Effect.as(Effect.suspend(() => Deferred.await(read)), true),
      beforeVerify: Effect.sleep(1_000),
    },
  )
})
