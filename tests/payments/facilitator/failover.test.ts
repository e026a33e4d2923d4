/**
 * Two facilitators as one: when one does not answer, the other gets the same payment; each fault of
 * each of them, in sales and in refunds, charges and refunds at most once.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Context, Duration, Effect, Layer, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../../../src/payments/Facilitator.ts"
import { connect } from "../../../src/payments/facilitator/facilitator.ts"
import { type FacilitatorSteps, failover } from "../../../src/payments/facilitator/failover.ts"
import { scaledRefundTiming } from "../../../src/payments/refunds/RefundWorker.ts"
import { defaultTiming, scaledTiming } from "../../../src/payments/timing.ts"
import { layerLedger, type Misbehaviour } from "../../support/payments/simulated.ts"
import { Ledger } from "../../../src/payments/simulated/ledger.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { effectLaw, test } from "../../support/effect.ts"
import {
  type FacilitatorBehaviour,
  meanwhile,
  type Outage,
  outages,
  startBadFacilitator,
} from "../../support/payments/badFacilitator.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"
import { memoryPaymentStore } from "../../support/payments/memoryPayments.ts"
import {
  eachPaidOnce,
  owed,
  paidBack,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../../support/payments/refunds.ts"
import {
  answering,
  buying,
  early,
  inMarket,
  nothing,
  once,
  product,
  purchase,
  quietly,
  startSeconds,
  stateOf,
  sweepingFor,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { sized } from "../../support/size.ts"
import { signedRequest } from "./facilitator.laws.ts"

const noAnswer = { outcome: "unknown", reason: "status 503", unanswered: true } as const
const unclear = { outcome: "unknown", reason: "settlement_pending" } as const
const valid = { outcome: "valid" } as const
const invalid = { outcome: "invalid", reason: "insufficient_funds" } as const
const settled = { outcome: "settled", transaction: `0x${"ab".repeat(32)}` } as const
const declined = { outcome: "declined", reason: "authorization_used" } as const

/** A facilitator with this outcome for every call, and what it was asked. */
function fixed(verify: VerifyOutcome, settle: SettleOutcome) {
  const asked: Array<FacilitatorRequest> = []
  const answer = <A>(outcome: A) => (request: FacilitatorRequest) =>
    Effect.sync(() => {
      asked.push(request)
      return outcome
    })
  const port = Facilitator.of({ name: "fixed", verify: answer(verify), settle: answer(settle) })
  return { port, asked }
}

const verifies: ReadonlyArray<readonly [VerifyOutcome, VerifyOutcome, VerifyOutcome, number]> = [
  [valid, invalid, valid, 0],
  [invalid, valid, invalid, 0],
  [noAnswer, valid, valid, 1],
  [noAnswer, invalid, invalid, 1],
  [noAnswer, noAnswer, noAnswer, 1],
]
const afterNone = { outcome: "unknown", reason: "declined after no answer: authorization_used" }
const settles: ReadonlyArray<readonly [SettleOutcome, SettleOutcome, object, number]> = [
  [settled, declined, settled, 0],
  [declined, settled, declined, 0],
  [unclear, settled, unclear, 0],
  [noAnswer, settled, settled, 1],
  [noAnswer, unclear, unclear, 1],
  [noAnswer, declined, afterNone, 1],
  [noAnswer, noAnswer, noAnswer, 1],
]

test("the second facilitator is asked only when the first does not answer, with the same payment", () =>
  quietly(Effect.gen(function* () {
    const request = yield* signedRequest(startSeconds)
    for (const [one, two, expected, calls] of verifies) {
      const [first, second] = [fixed(one, unclear), fixed(two, unclear)]
      equal(yield* failover([first.port, second.port]).verify(request), expected)
      equal([first.asked.length, second.asked.length], [1, calls])
      ok(second.asked.every((asked) => asked === request))
    }
    for (const [one, two, expected, calls] of settles) {
      const [first, second] = [fixed(valid, one), fixed(valid, two)]
      equal(yield* failover([first.port, second.port]).settle(request), expected)
      equal([first.asked.length, second.asked.length], [1, calls])
      ok(second.asked.every((asked) => asked === request))
    }
  })))

test("a facilitator that did not answer is asked last for 30 s; one alone is used as it is", () =>
  quietly(Effect.gen(function* () {
    const request = yield* signedRequest(startSeconds)
    const [first, second] = [fixed(noAnswer, noAnswer), fixed(valid, settled)]
    const both = failover([first.port, second.port])
    yield* both.verify(request)
    yield* both.settle(request)
    equal([first.asked.length, second.asked.length], [1, 2])
    yield* TestClock.adjust("30 seconds")
    yield* both.verify(request)
    equal([first.asked.length, second.asked.length], [2, 3])
    equal(failover([first.port]), first.port)
  })))

const silent = Facilitator.of({
  name: "silent",
  verify: () => Effect.never,
  settle: () => Effect.never,
})

/** The steps of a sale and of a refund at this lease. */
const stepsAt = (seconds: number): ReadonlyArray<FacilitatorSteps> => {
  const lease = Duration.seconds(seconds)
  return [scaledTiming({ lease, answerWindow: lease }), scaledRefundTiming(lease)]
}

for (const lease of [1, 20, 45, 90, 120, 600]) {
  test(`with a lease of ${lease} s, a silent facilitator leaves the second half of a step's time`, () =>
    quietly(Effect.forEach(stepsAt(lease), (steps) =>
      Effect.gen(function* () {
        const request = yield* signedRequest(startSeconds)
        const { verifyTimeout, settleTimeout } = { ...defaultTiming, ...steps }
        for (
          const [call, step] of [["verify", verifyTimeout], ["settle", settleTimeout]] as const
        ) {
          const good = fixed(valid, settled)
          const neither = failover([silent, { ...silent }], steps)
          const fiber = yield* Effect.forkChild(neither[call](request))
          const served = yield* Effect.forkChild(
            failover([silent, good.port], steps)[call](request),
          )
          yield* TestClock.adjust(Duration.times(step, 0.5))
          equal([good.asked.length, served.pollUnsafe()?._tag], [1, "Success"], call)
          equal(fiber.pollUnsafe(), undefined, call)
          yield* TestClock.adjust(Duration.times(step, 0.5))
          equal(fiber.pollUnsafe()?._tag, "Success", call)
        }
      }), { discard: true })))
}

const faults: ReadonlyArray<Misbehaviour | null> = [
  null,
  ...["success_without_transaction", "failure_after_broadcast", "double_broadcast"] as const,
  ...["late_broadcast", "error_after_broadcast", "html", "garbage", "silence"] as const,
]

for (const first of faults) {
  for (const second of faults) {
    test(`a sale with the faults ${first ?? "none"} and ${second ?? "none"} at settlement is charged at most once`, () =>
      quietly(Effect.forEach(
        [product, early],
        (sold) =>
          inMarket(
            Effect.gen(function* () {
              const bought = yield* purchase({ product: sold })
              const outcome = yield* buying(bought, workOf(answering()), 60)
              if (outcome === "answer") equal(yield* taken, once)
              yield* sweepingFor(1_500)
              const state = yield* stateOf(bought)
              const money = yield* taken
              equal(money, money.spent === 0n ? nothing : once)
              ok(
                money.spent === 0n
                  ? state === "void"
                  : ["answered", "refund_due"].includes(`${state}`),
                `${state}`,
              )
              const noAnswers = ["html", "garbage", "silence"]
              if (second === null && (first === null || noAnswers.includes(first))) {
                equal(outcome, "answer")
              }
            }),
            { misbehave: (call) => call === "settle" ? first : null },
            memoryPaymentStore,
            { second: { misbehave: (call) => call === "settle" ? second : null } },
          ),
        { discard: true },
      )))
  }
}

const AnyFaults = Schema.Struct({
  first: Schema.Array(Schema.Literals([...faults.map(String)])).check(Schema.isMinLength(1)),
  second: Schema.Array(Schema.Literals([...faults.map(String)])).check(Schema.isMinLength(1)),
})

effectLaw(
  "refunds with any faults of two facilitators are each paid once",
  Arbitrary.schema(AnyFaults),
  (world) => {
    const state = { ended: false }
    const from = (sequence: ReadonlyArray<string>) => {
      let calls = 0
      return () =>
        state.ended
          ? null
          : faults.find((fault) => String(fault) === sequence[calls++ % sequence.length]) ?? null
    }
    return withRefundHarness(
      () =>
        Effect.gen(function* () {
          const first = yield* Facilitator
          const other = yield* Layer.build(
            Layer.fresh(layerLedger({ misbehave: from(world.second) })),
          )
          const both = failover([first, Context.get(other, Facilitator)])
          const debts = [yield* owed(0), yield* owed(1)]
          const swept = yield* Effect.provideService(worker(), Facilitator, both)
          yield* sweepFor(swept, 900)
          state.ended = true
          yield* sweepFor(swept, 1_500)
          equal(yield* statesOf(debts), ["confirmed", "confirmed"])
          equal(yield* paidBack(debts), eachPaidOnce(debts))
        }),
      { simulation: { misbehave: from(world.first) } },
    ).pipe(quietly, Effect.provide(TestClock.layer()))
  },
  { runs: sized({ short: 20, full: 80 }) },
)

/** What each outage of the first facilitator gives, when the second works. */
const overSockets: Readonly<Record<Outage, "settled" | "unknown">> = {
  html: "settled",
  "500": "settled",
  "503": "settled",
  garbage: "settled",
  nothing: "settled",
  pending: "unknown",
  "untrue success": "settled",
}

test("over sockets, a payment settles at the second facilitator when the first does not answer", () =>
  TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.gen(function* () {
      const request = yield* signedRequest(startSeconds)
      const ledger = yield* Ledger
      for (const outage of outages) {
        const bad: FacilitatorBehaviour = {
          verify: outage,
          settle: outage,
          broadcasts: () => false,
        }
        const good: FacilitatorBehaviour = { verify: null, settle: null, broadcasts: () => true }
        const ports = yield* Effect.forEach(
          [bad, good],
          (behaviour) =>
            Effect.flatMap(startBadFacilitator(behaviour), ({ url }) => connect({ baseUrl: url })),
        )
        const both = failover(ports)
        if (outage !== "pending" && outage !== "untrue success") {
          equal((yield* meanwhile(both.verify(request))).outcome, "valid", outage)
        }
        equal((yield* meanwhile(both.settle(request))).outcome, overSockets[outage], outage)
      }
      // Sent to many facilitators, the one authorization has moved its amount once.
      equal(yield* ledger.received(request.authorization.to), request.authorization.value)
    })),
    quietly,
    Effect.provide(
      layerLedger().pipe(
        Layer.provideMerge(layerMemory),
        Layer.provideMerge(signatures),
        Layer.merge(FetchHttpClient.layer),
      ),
    ),
  ))
