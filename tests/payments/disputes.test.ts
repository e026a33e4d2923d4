/**
 * Sales and refunds while one of two endpoints of the chain lies, lags or is silent: no answer
 * without a payment, no refund that is not owed or paid twice, and nothing lost when the lie ends.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { Treasury } from "../../src/payments/refunds/Treasury.ts"
import { effectLaw, test } from "../support/effect.ts"
import { type Lie, lies, twoEndpoints } from "../support/payments/endpoints.ts"
import { Debts } from "../support/payments/memoryRefunds.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import {
  debtOf,
  eachPaidOnce,
  owed,
  paidBack,
  statesOf,
  sweepFor,
  withRefundHarness,
  worker,
} from "../support/payments/refunds.ts"
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
  stateOf,
  sweepingFor,
  taken,
  workOf,
} from "../support/payments/sales.ts"
import { token } from "../support/payments/terms.ts"
import { sized } from "../support/size.ts"

/** A world in which the endpoint answers each read with this lie, and whether it comes first. */
const Lies = Schema.Struct({
  lies: Schema.Array(Schema.NullOr(Schema.Literals(lies))).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(12),
  ),
  liarFirst: Schema.Boolean,
})

/** The lies of a world, one at each read and then again from the first; null once it has ended. */
function liar({ lies }: typeof Lies.Type) {
  let reads = 0
  const state = { ended: false }
  const lieOf = (): Lie | null => state.ended ? null : lies[reads++ % lies.length] ?? null
  return { state, lieOf }
}

const checked = <A, E>(
  name: string,
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E>,
) =>
  effectLaw(
    name,
    arbitrary,
    (value) => property(value).pipe(quietly, Effect.provide(TestClock.layer())),
    { runs: sized({ short: 40, full: 150 }) },
  )

checked(
  "no lie of one endpoint sells an answer without a payment, and none loses a payment",
  Arbitrary.schema(Schema.Struct({ ...Lies.fields, early: Schema.Boolean })),
  (world) => {
    const { state, lieOf } = liar(world)
    return inMarket(
      Effect.gen(function* () {
        const bought = yield* purchase({ product: world.early ? early : product })
        const outcome = yield* buying(bought, workOf(answering()), 60)
        if (outcome === "answer") equal(yield* taken, once)
        if (["payments_unavailable", "payment_required"].includes(outcome)) {
          equal(yield* taken, nothing)
        }
        yield* sweepingFor(300)
        const row = yield* stateOf(bought)
        const used = yield* taken
        if (row === "void" || row === "released" || row === null) equal(used, nothing, `${row}`)
        if (row === "answered" || row === "refund_due") equal(used, once, `${row}`)
        state.ended = true
        yield* sweepingFor(1_200)
        const end = yield* stateOf(bought)
        if ((yield* taken).spent === 0n) {
          ok(end === null || end === "released" || end === "void", `${end}`)
        } else ok(end === "answered" || end === "refund_due", `${end}`)
      }),
      {},
      memoryPaymentStore,
      { chain: (chain) => twoEndpoints(chain, lieOf, world.liarFirst) },
    )
  },
)

checked(
  "no lie of one endpoint pays a refund that is not owed, or one twice; what is owed is paid after it",
  Arbitrary.schema(Lies),
  (world) => {
    const { state, lieOf } = liar(world)
    return withRefundHarness(
      () =>
        Effect.gen(function* () {
          const debts = [yield* owed(0), yield* owed(1)]
          // Never paid: its payer cancelled the authorization.
          const unowed = yield* debtOf(2)
          const ledger = yield* Ledger
          yield* ledger.cancel({
            ...{ asset: token.asset, from: unowed.payer, nonce: unowed.paymentNonce },
            ...{ transaction: "0xcc", blockTime: 1n },
          })
          yield* Effect.flatMap(Debts, ({ owe }) => owe(unowed))
          const swept = yield* worker()
          yield* sweepFor(swept, 900)
          equal(yield* ledger.received(unowed.payer), 0n)
          const treasury = (yield* Treasury).address
          const { refundNonce } = yield* Signatures
          for (const [i, debt] of [...debts, unowed].entries()) {
            const [refund] = yield* statesOf([debt])
            const nonce = refundNonce({ ...token, from: debt.payer, nonce: debt.paymentNonce })
            const made = yield* ledger.used(token.asset, treasury, nonce)
            if (refund === "confirmed") ok(Option.isSome(made), `debt ${i} was not paid`)
            if (refund === "cancelled") ok(debt === unowed, `debt ${i} is owed`)
          }
          state.ended = true
          yield* sweepFor(swept, 2_400)
          equal(yield* statesOf([...debts, unowed]), ["confirmed", "confirmed", "cancelled"])
          equal(yield* paidBack([...debts, unowed]), eachPaidOnce(debts))
        }),
      { chain: (chain) => twoEndpoints(chain, lieOf, world.liarFirst) },
    )
  },
)

for (const lie of ["another state", "down", "silent"] as const) {
  test(`an endpoint with this fault, ${lie}, stops a sale before any charge`, () => {
    let current: Lie | null = lie
    return quietly(inMarket(
      Effect.gen(function* () {
        const bought = yield* purchase()
        equal(yield* buying(bought, workOf(answering()), 10), "payments_unavailable")
        equal([yield* stateOf(bought), yield* taken], [null, nothing])
        current = null
        equal(yield* buying(bought, workOf(answering()), 1), "answer")
      }),
      {},
      memoryPaymentStore,
      { chain: (chain) => twoEndpoints(chain, () => current) },
    ))
  })
}
