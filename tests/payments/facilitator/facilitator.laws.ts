/**
 * The laws of the `Facilitator` port, with the chain's proof and the ledger after each call.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { requirements } from "../../../src/payments/domain/x402/terms.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator, type FacilitatorRequest } from "../../../src/payments/Facilitator.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { authorizationFor, nonce, terms, token } from "../../support/payments/terms.ts"

export type FacilitatorLaw = readonly [
  name: string,
  body: (nowSeconds: number) => Effect.Effect<void, unknown, Facilitator | Chain | Ledger>,
]

const product = products.latest
const payTo = address(terms.payTo)

/** A signed request; the changes are made before it is signed. */
export const signedRequest = Effect.fnUntraced(function* (
  nowSeconds: number,
  changes: Partial<Authorization> = {},
) {
  const account = buyer(0)
  const authorization = authorizationFor(account, product, nowSeconds, changes)
  const signature = yield* sign(account, authorization)
  const request: FacilitatorRequest = {
    token,
    authorization,
    signature,
    requirements: requirements(product, terms),
  }
  return request
})

export const proofOf = ({ authorization, token }: FacilitatorRequest) =>
  Effect.flatMap(
    Chain,
    (chain) => chain.paymentProof({ ...token, ...authorization, transactionHint: null }),
  )

const received = Effect.flatMap(Ledger, (ledger) => ledger.received(payTo))

/** The law that both calls refuse a request and the ledger does not change. */
const refusal = (
  name: string,
  make: (nowSeconds: number) => Effect.Effect<FacilitatorRequest>,
): FacilitatorLaw => [
  `verify() and settle() refuse ${name}, and take nothing`,
  Effect.fnUntraced(function* (nowSeconds) {
    const { verify, settle } = yield* Facilitator
    const request = yield* make(nowSeconds)
    equal((yield* verify(request)).outcome, "invalid")
    equal((yield* settle(request)).outcome, "declined")
    equal(yield* received, 0n)
  }),
]

export const facilitatorLaws: ReadonlyArray<FacilitatorLaw> = [
  [
    "verify() of a valid payment is valid, and takes nothing",
    Effect.fnUntraced(function* (nowSeconds) {
      const { verify } = yield* Facilitator
      const request = yield* signedRequest(nowSeconds)
      equal(yield* verify(request), { outcome: "valid" })
      equal((yield* proofOf(request)).proof, "not_yet")
      equal(yield* received, 0n)
    }),
  ],
  [
    "settle() takes the price once; the chain then proves its transaction",
    Effect.fnUntraced(function* (nowSeconds) {
      const { verify, settle } = yield* Facilitator
      const { balance } = yield* Ledger
      const request = yield* signedRequest(nowSeconds)
      const outcome = yield* settle(request)
      const proof = yield* proofOf(request)
      equal(outcome.outcome, "settled")
      equal(proof.proof, "paid")
      equal(
        outcome.outcome === "settled" && outcome.transaction,
        proof.proof === "paid" && proof.at.transaction,
      )
      equal((yield* verify(request)).outcome, "invalid")
      equal((yield* settle(request)).outcome, "declined")
      equal(yield* received, product.price)
      equal(yield* balance(request.authorization.from), playBalance - product.price)
    }),
  ],
  [
    "settle() of many copies at once takes the price once",
    Effect.fnUntraced(function* (nowSeconds) {
      const { settle } = yield* Facilitator
      const request = yield* signedRequest(nowSeconds)
      const outcomes = yield* Effect.all(
        Array.from({ length: 10 }, () => settle(request)),
        { concurrency: "unbounded" },
      )
      equal(outcomes.filter(({ outcome }) => outcome === "settled").length, 1)
      equal(yield* received, product.price)
    }),
  ],
  refusal("a signature of another authorization", (nowSeconds) =>
    Effect.map(
      Effect.all([signedRequest(nowSeconds), signedRequest(nowSeconds, { nonce: nonce(5) })]),
      ([request, { signature }]) => ({ ...request, signature }),
    )),
  refusal("an amount other than the required one", (now) => signedRequest(now, { value: 9_999n })),
  refusal(
    "an expired authorization",
    (now) => signedRequest(now, { validBefore: BigInt(now - 1) }),
  ),
  refusal(
    "an authorization that is not valid yet",
    (now) => signedRequest(now, { validAfter: BigInt(now + 60) }),
  ),
  refusal(
    "an amount above the payer's balance",
    (now) =>
      Effect.map(signedRequest(now, { value: playBalance + 1n }), (request) => ({
        ...request,
        requirements: { ...request.requirements, amount: (playBalance + 1n).toString() },
      })),
  ),
  [
    "a nonce that its payer cancelled proves that nothing was paid",
    Effect.fnUntraced(function* (nowSeconds) {
      const { settle } = yield* Facilitator
      const { cancel } = yield* Ledger
      const request = yield* signedRequest(nowSeconds)
      const { from, nonce } = request.authorization
      const { asset } = request.token
      const blockTime = BigInt(nowSeconds)
      equal(yield* cancel({ asset, from, nonce, transaction: "0xcc", blockTime }), true)
      equal(yield* proofOf(request), { proof: "never", reason: "spent_elsewhere" })
      equal((yield* settle(request)).outcome, "declined")
      equal(yield* received, 0n)
    }),
  ],
  [
    "a nonce used for another transfer proves that this one was never paid",
    Effect.fnUntraced(function* (nowSeconds) {
      const { transfer } = yield* Ledger
      const request = yield* signedRequest(nowSeconds)
      const { from, nonce, value } = request.authorization
      const spent = { from, nonce, value, to: address(buyer(3).address), asset: token.asset }
      const block = { transaction: "0xdd", blockTime: BigInt(nowSeconds) }
      equal(yield* transfer({ ...spent, ...block }), "transferred")
      equal(yield* proofOf(request), { proof: "never", reason: "spent_elsewhere" })
      equal(yield* received, 0n)
    }),
  ],
]
