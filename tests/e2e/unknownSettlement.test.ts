/**
 * A facilitator that fails for a minute, behind a real socket: while the outcome of a settlement is
 * unknown, no client is asked for another payment.
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
import { sized } from "../support/size.ts"
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
/** How long a buyer waits until it retries: the value of Retry-After. */
const retrySeconds = 5

const ports = Layer.merge(
  memoryPaymentStore,
  layerLedger().pipe(Layer.provideMerge(layerMemory)),
).pipe(Layer.provideMerge(signatures))

/** When the payment is broadcast: by the facilitator at once, by the test later, or never. */
const broadcastTimes = ["at once", "late", "never"] as const

interface Call {
  readonly broadcastTime: typeof broadcastTimes[number]
  readonly order: typeof orders[number]
  readonly key: string | null
  readonly signed: Signed
}

/** One payment of each kind, each with its own nonce. */
const allCalls = Effect.forEach(
  broadcastTimes.flatMap((broadcastTime) =>
    orders.flatMap((order) => [key, null].map((key) => ({ broadcastTime, order, key })))
  ),
  (kind, n) =>
    Effect.map(
      signedFor(productBySettlementOrder[kind.order], { n, nonce: nonce(n) }),
      (signed): Call => ({ ...kind, signed }),
    ),
)

/** A replica whose facilitator is behind a socket, and whose chain can be hidden. */
const openReplicaAt = Effect.fnUntraced(
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
      const request = ask(replica.base, { path: product.path, payment: header, key, client })
      return Effect.map(request, (answer) => ({ ...call, answer }))
    }
    /** Sends all requests at once; the clock advances until all are answered. */
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
        // The faults are intended, so their logs are not printed.
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
  )

/** Whether an answer is allowed while the outcome of the payment is unknown. */
function isPatient({ status, code, charged, retryAfter }: PaidResponse): boolean {
  const outcome = `${status} ${code} ${charged}`
  return retryAfter !== null &&
    (outcome === "503 settlement_unresolved null" || outcome === "409 payment_in_progress null")
}

/** Every n-th kind of outage is run. */
const outageEvery = sized({ short: 3, full: 1 })

for (const settle of outages.filter((_, n) => n % outageEvery === 0)) {
  for (const hidden of [false, true]) {
    inTime(
      `no client is asked to pay again while settlement is unknown for ${outageSeconds} s: the ` +
        `facilitator fails with ${settle}, the chain is ${hidden ? "unavailable" : "readable"}`,
      Effect.scoped(Effect.gen(function* () {
        const calls = yield* allCalls
        const chain = { hidden }
        const immediate = new Set<string>(
          calls.filter(({ broadcastTime }) => broadcastTime === "at once").map(({ signed }) =>
            signed.authorization.nonce
          ),
        )
        const behaviour: FacilitatorBehaviour = {
          verify: null,
          settle,
          broadcasts: (nonce) => immediate.has(nonce),
        }
        const { replica, buyAll, broadcast } = yield* openReplicaAt(behaviour, chain)

        const first = yield* buyAll(calls)
        const isKnown = ({ broadcastTime }: Call) => broadcastTime === "at once" && !hidden
        equal(first.filter(isKnown).filter(({ answer }) => answer.status !== 200), [])
        equal(first.filter((call) => !isKnown(call) && !isPatient(call.answer)), [])
        const unknown = calls.filter((call) => !isKnown(call))
        while ((yield* secondsPassed) < outageSeconds) {
          yield* TestClock.adjust(Duration.seconds(retrySeconds))
          yield* replica.payments.sweep
          equal((yield* buyAll(unknown)).filter(({ answer }) => !isPatient(answer)), [])
        }
        ok((yield* secondsPassed) < 100, "the payments have not expired yet")

        // The outage is over.
        chain.hidden = false
        yield* Effect.forEach(
          calls,
          ({ broadcastTime, signed }) =>
            broadcastTime === "late" ? broadcast(signed.wire) : Effect.void,
        )
        const paid = unknown.filter(({ broadcastTime }) => broadcastTime !== "never")
        for (const { answer, key, order } of yield* buyAll(paid)) {
          if (key !== null) equal([answer.status, answer.receipt !== null], [200, true])
          // Without a secret: settle-early does not compute the answer; compute-first has stored it.
          else if (order === "settle-early") ok(isPatient(answer))
          else equal([answer.code, answer.charged], ["payment_already_used", true])
        }

        // Only a payment that has expired unpaid gets a 402.
        const unpaid = unknown.filter(({ broadcastTime }) => broadcastTime === "never")
        const until = Number(unpaid[0]?.signed.authorization.validBefore) - startSeconds
        for (;;) {
          const before = yield* secondsPassed
          const answers = yield* buyAll(unpaid)
          if ((yield* secondsPassed) > until + 1) {
            equal(new Set(answers.map(({ answer }) => answer.status)), new Set([402]))
            break
          }
          if (before <= until) equal(answers.filter(({ answer }) => !isPatient(answer)), [])
          yield* TestClock.adjust(Duration.seconds(retrySeconds))
        }

        // A payment whose answer was never fetched is refunded.
        yield* TestClock.adjust(defaultTiming.answerWindow)
        yield* replica.payments.sweep
        const withoutSecret = paid.filter(({ key }) => key === null)
        for (const { answer } of yield* buyAll(withoutSecret)) {
          equal([answer.status, answer.code, answer.charged], [410, "payment_refunded", true])
        }
        const withSecret = calls.filter(({ broadcastTime, key }) =>
          broadcastTime !== "never" && key !== null
        )
        for (const { answer } of yield* buyAll(withSecret)) strictEqual(answer.status, 200)
      })),
    )
  }
}

inTime(
  "no payment is charged while the facilitator cannot verify; afterwards the same payment buys",
  Effect.scoped(Effect.gen(function* () {
    const calls = yield* allCalls
    const behaviour: FacilitatorBehaviour = { verify: null, settle: null, broadcasts: () => true }
    const { buyAll } = yield* openReplicaAt(behaviour, { hidden: false })
    for (const verify of outages) {
      behaviour.verify = verify
      const answers = yield* buyAll(calls)
      equal(
        new Set(answers.map(({ answer }) => `${answer.status} ${answer.code} ${answer.charged}`)),
        new Set(["502 facilitator_error false"]),
        verify,
      )
    }
    behaviour.verify = null
    const answers = yield* buyAll(calls)
    equal(new Set(answers.map(({ answer }) => answer.status)), new Set([200]))
  })),
)
