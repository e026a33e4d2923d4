/**
 * The payer proof: a buyer without a key fetches the answer with a signature of the payer, within
 * HOLD, and no one else does.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Duration, Effect, Fiber } from "effect"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { payerProofText } from "../../../src/payments/domain/x402/paymentPayload.ts"
import { Signature } from "../../../src/payments/domain/payment.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { buyer, provePayer } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  early,
  heldSale,
  idOf,
  inMarket,
  market,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  taken,
  timing,
  useNonce,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce, terms } from "../../support/payments/terms.ts"

const computedTwice = workOf(Effect.die("computed twice"))
const holdSeconds = Duration.toSeconds(timing.answerWindow)

const withProof = (bought: Purchase, payerProof: Signature): Purchase => ({
  ...bought,
  payment: { ...bought.payment, payerProof },
})

/** The same payment with its payer's proof. */
const proven = Effect.fnUntraced(function* (bought: Purchase) {
  return withProof(bought, yield* provePayer(buyer(0), yield* idOf(bought)))
})

test("the text to sign is fixed", () =>
  Effect.gen(function* () {
    const id = yield* idOf(yield* purchase())
    equal(
      payerProofText(id, "https://a.example"),
      `Fetch the answer of payment ${id} from https://a.example`,
    )
  }).pipe(Effect.provide(market())))

for (const sold of [product, early]) {
  test(`${sold.settlementOrder}: the payer fetches an answer again without a key, until HOLD is over`, () =>
    inMarket(Effect.gen(function* () {
      const { sell, sent } = yield* Payments
      const bought = yield* purchase({ product: sold })
      const first = yield* sell(bought, workOf(answering()))
      // The runtime reported the answer as delivered, and the buyer never got it.
      yield* sent(first)
      equal(yield* buying(bought, computedTwice), "payment_already_used")
      const again = yield* proven(bought)
      equal(yield* sell(again, computedTwice), { ...first, replayed: true })
      yield* passing(holdSeconds - 60)
      equal(yield* sell(again, computedTwice), { ...first, replayed: true })
      yield* passing(60)
      equal(yield* buying(again, computedTwice), "payment_already_used")
      equal(yield* taken, once)
    })))
}

test("the payer waits for an answer in progress", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase()
    const first = yield* heldSale(bought)
    equal(yield* buying(bought, computedTwice), "payment_in_progress")
    const again = yield* Effect.forkChild(Effect.result(sell(yield* proven(bought), computedTwice)))
    yield* passing(0)
    yield* first.end
    equal(outcomeText(yield* Fiber.join(again)), "answer again")
    equal(yield* taken, once)
  })))

test("a proof of a payment that was never sold sells it, and a wrong one does not", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    const wrong = withProof(bought, yield* provePayer(buyer(1), yield* idOf(bought)))
    equal(yield* buying(wrong, computedTwice), "payment_required")
    equal(yield* taken, { spent: 0n, received: 0n })
    equal(yield* buying(yield* proven(bought), workOf(answering())), "answer")
  })))

test("no one else can make the proof: another key, payment, service or text is refused", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase()
    const other = yield* purchase({ authorization: { nonce: nonce(1) } })
    yield* sell(bought, workOf(answering()))
    const id = yield* idOf(bought)
    const sign = (message: string) =>
      Effect.map(
        Effect.promise(() => buyer(0).signMessage({ message })),
        (text) => Signature.make(text),
      )
    const proofs = [
      yield* provePayer(buyer(1), id),
      yield* provePayer(buyer(0), yield* idOf(other)),
      yield* provePayer(buyer(0), id, "https://another.example"),
      yield* provePayer(buyer(0), id, `${terms.publicBaseUrl}/`),
      yield* sign(""),
      yield* sign(id),
      // Everything that is public: the signature of the settled authorization itself.
      bought.payment.signature,
    ]
    for (const proof of proofs) {
      const failure = yield* Effect.flip(sell(withProof(bought, proof), computedTwice))
      if (!(failure instanceof NotCharged)) throw new Error(failure._tag)
      equal([failure.code, failure.taken], ["payment_conflict", true])
      match(failure.message, /payer-proof is not the payer's signature .* charged nothing/)
    }
    equal(yield* taken, once)
  })))

test("a proof opens only its own request", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    equal(yield* buying(bought, workOf(answering())), "answer")
    const elsewhere = { ...yield* proven(bought), request: 'signal?[["index",1]]' }
    equal(yield* buying(elsewhere, computedTwice), "payment_conflict")
  })))

test("the payer resumes an unresolved settle-early sale without a key", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* purchase({ product: early })
      equal(yield* buying(bought, computedTwice, 60), "Unresolved")
      yield* useNonce(bought, early.price)
      equal(yield* buying(bought, computedTwice), "Unresolved")
      equal(yield* buying(yield* proven(bought), workOf(answering())), "answer")
    }),
    { misbehave: (call) => call === "settle" ? "html" : null },
  ))

test("the payer of a refunded payment gets its refund", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    equal(yield* buying(bought, workOf(answering())), "answer")
    yield* passing(holdSeconds)
    const result = yield* buying(yield* proven(bought), computedTwice)
    equal(result, "payment_refunded")
  })))
