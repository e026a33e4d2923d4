/**
 * A facilitator that is out of order for a minute, behind a real socket: while nobody can know whether
 * a payment was taken, nobody is asked for another one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Duration, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { Chain, ChainUnavailable } from "../../src/payments/Chain.ts"
import { defaultTiming } from "../../src/payments/timing.ts"
import {
  facilitatorAt,
  type FacilitatorBehaviour,
  meanwhile,
  outages,
  startBadFacilitator,
} from "../support/payments/badFacilitator.ts"
import { test } from "../support/effect.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import { startSeconds } from "../support/payments/sales.ts"
import {
  ask,
  openReplica,
  orders,
  type PaidResponse,
  productBySettlementOrder,
  type Signed,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { nonce } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const key = "the-first-callers-secret"
const outageSeconds = 60
/** How soon a buyer comes again: what Retry-After says. */
const againSeconds = 5

const ports = Layer.merge(
  memoryPaymentStore,
  layerLedger().pipe(Layer.provideMerge(layerMemory)),
).pipe(Layer.provideMerge(signatures))

/** When the chain gets the payment: through the facilitator at once, by other hands later, or not. */
const fates = ["at once", "late", "never"] as const

interface Call {
  readonly fate: typeof fates[number]
  readonly order: typeof orders[number]
  readonly key: string | null
  readonly signed: Signed
}

/** One payment of each kind, under nonces of their own. */
const allCalls = Effect.forEach(
  fates.flatMap((fate) =>
    orders.flatMap((order) => [key, null].map((key) => ({ fate, order, key })))
  ),
  (kind, n) =>
    Effect.map(
      signedFor(productBySettlementOrder[kind.order], { n, nonce: nonce(n) }),
      (signed): Call => ({ ...kind, signed }),
    ),
)

/** A shop whose facilitator is the one at a socket, and whose chain may be hidden. */
const shop = Effect.fnUntraced(
  function* (behaviour: FacilitatorBehaviour, chain: { hidden: boolean }) {
    const facilitator = yield* startBadFacilitator(behaviour)
    const built = yield* Layer.build(facilitatorAt(facilitator.url))
    const replica = yield* openReplica(yield* stockedWorld).pipe(
      Effect.updateService(Chain, (inner) => ({
        ...inner,
        paymentProof: (expected) =>
          Effect.suspend(() =>
            chain.hidden
              ? Effect.fail(new ChainUnavailable({ reason: "hidden" }))
              : inner.paymentProof(expected)
          ),
      })),
      Effect.provide(built),
    )
    const buy = (call: Call, client: number) => {
      const { signed: { product, header }, key } = call
      const asked = ask(replica.base, { path: product.path, payment: header, key, client })
      return Effect.map(asked, (told) => ({ ...call, told }))
    }
    /** All of them at once, with as much time as that takes. */
    const buyAll = (calls: ReadonlyArray<Call>) =>
      meanwhile(Effect.forEach(calls, buy, { concurrency: "unbounded" }))
    return { ...facilitator, replica, buyAll }
  },
)

const secondsPassed = Effect.map(Clock.currentTimeMillis, (ms) => ms / 1_000 - startSeconds)

const inTime = <E>(name: string, body: Effect.Effect<void, E, Layer.Success<typeof ports>>) =>
  test(
    name,
    () =>
      TestClock.setTime(startSeconds * 1_000).pipe(
        Effect.andThen(Effect.provide(body, ports)),
        // What goes wrong here goes wrong on purpose.
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
  )

/** What may be told of a payment while its outcome cannot be known. */
function isPatient({ status, code, charged, retryAfter }: PaidResponse): boolean {
  const told = `${status} ${code} ${charged}`
  return retryAfter !== null &&
    (told === "503 settlement_unresolved null" || told === "409 payment_in_progress null")
}

for (const settle of outages) {
  for (const hidden of [false, true]) {
    inTime(
      `nobody is asked to pay anew while settlement is unknown for ${outageSeconds} s: the ` +
        `facilitator says ${settle}, the chain is ${hidden ? "out of reach" : "readable"}`,
      Effect.scoped(Effect.gen(function* () {
        const calls = yield* allCalls
        const chain = { hidden }
        const immediate = new Set<string>(
          calls.filter(({ fate }) => fate === "at once").map(({ signed }) =>
            signed.authorization.nonce
          ),
        )
        const behaviour: FacilitatorBehaviour = {
          verify: null,
          settle,
          broadcasts: (nonce) => immediate.has(nonce),
        }
        const { replica, buyAll, broadcast } = yield* shop(behaviour, chain)

        const first = yield* buyAll(calls)
        const isKnown = ({ fate }: Call) => fate === "at once" && !hidden
        equal(first.filter(isKnown).filter(({ told }) => told.status !== 200), [])
        equal(first.filter((call) => !isKnown(call) && !isPatient(call.told)), [])
        const unknown = calls.filter((call) => !isKnown(call))
        while ((yield* secondsPassed) < outageSeconds) {
          yield* TestClock.adjust(Duration.seconds(againSeconds))
          yield* replica.payments.sweep
          equal((yield* buyAll(unknown)).filter(({ told }) => !isPatient(told)), [])
        }
        ok((yield* secondsPassed) < 100, "the payments have not run out yet")

        // The outage is over.
        chain.hidden = false
        yield* Effect.forEach(
          calls,
          ({ fate, signed }) => fate === "late" ? broadcast(signed.wire) : Effect.void,
        )
        const paid = unknown.filter(({ fate }) => fate !== "never")
        for (const { told, key, order } of yield* buyAll(paid)) {
          if (key !== null) equal([told.status, told.receipt !== null], [200, true])
          // Without a secret there is nobody to compute it for; computed, it is somebody's.
          else if (order === "settle-early") ok(isPatient(told))
          else equal([told.code, told.charged], ["payment_already_used", true])
        }

        // What can never be paid any more, and only that, may be paid anew.
        const unpaid = unknown.filter(({ fate }) => fate === "never")
        const until = Number(unpaid[0]?.signed.authorization.validBefore) - startSeconds
        for (;;) {
          const before = yield* secondsPassed
          const told = yield* buyAll(unpaid)
          if ((yield* secondsPassed) > until + 1) {
            equal(new Set(told.map(({ told }) => told.status)), new Set([402]))
            break
          }
          if (before <= until) equal(told.filter(({ told }) => !isPatient(told)), [])
          yield* TestClock.adjust(Duration.seconds(againSeconds))
        }

        // Who never came for it, and could not have, has it back.
        yield* TestClock.adjust(defaultTiming.answerWindow)
        yield* replica.payments.sweep
        const forgotten = paid.filter(({ key }) => key === null)
        for (const { told } of yield* buyAll(forgotten)) {
          equal([told.status, told.code, told.charged], [410, "payment_refunded", true])
        }
        const kept = calls.filter(({ fate, key }) => fate !== "never" && key !== null)
        for (const { told } of yield* buyAll(kept)) strictEqual(told.status, 200)
      })),
    )
  }
}

inTime(
  "a facilitator that cannot verify takes nothing, and the same payment buys when it can again",
  Effect.scoped(Effect.gen(function* () {
    const calls = yield* allCalls
    const behaviour: FacilitatorBehaviour = { verify: null, settle: null, broadcasts: () => true }
    const { buyAll } = yield* shop(behaviour, { hidden: false })
    for (const verify of outages) {
      behaviour.verify = verify
      const told = yield* buyAll(calls)
      equal(
        new Set(told.map(({ told }) => `${told.status} ${told.code} ${told.charged}`)),
        new Set(["502 facilitator_error false"]),
        verify,
      )
    }
    behaviour.verify = null
    const told = yield* buyAll(calls)
    equal(new Set(told.map(({ told }) => told.status)), new Set([200]))
  })),
)
