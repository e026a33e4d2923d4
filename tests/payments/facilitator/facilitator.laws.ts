/**
 * What every facilitator must do, and what the chain then says. The ledger is the judge.
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

/** A signed request to settle, with changes made before it is signed. */
export const asked = Effect.fnUntraced(function* (
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

/** What the chain says of a request. */
export const proofOf = ({ authorization, token }: FacilitatorRequest) =>
  Effect.flatMap(
    Chain,
    (chain) => chain.paymentProof({ ...token, ...authorization, transactionHint: null }),
  )

const received = Effect.flatMap(Ledger, (ledger) => ledger.received(payTo))

/** A request that must be refused by both calls, and leave the ledger as it was. */
const refusal = (
  name: string,
  make: (nowSeconds: number) => Effect.Effect<FacilitatorRequest>,
): FacilitatorLaw => [
  `refuses ${name}, and takes nothing`,
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
    "verify() of a good payment is valid, and takes nothing",
    Effect.fnUntraced(function* (nowSeconds) {
      const { verify } = yield* Facilitator
      const request = yield* asked(nowSeconds)
      equal(yield* verify(request), { outcome: "valid" })
      equal((yield* proofOf(request)).proof, "not_yet")
      equal(yield* received, 0n)
    }),
  ],
  [
    "settle() takes the price once; the chain then proves that very transaction",
    Effect.fnUntraced(function* (nowSeconds) {
      const { verify, settle } = yield* Facilitator
      const { balance } = yield* Ledger
      const request = yield* asked(nowSeconds)
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
      const request = yield* asked(nowSeconds)
      const outcomes = yield* Effect.all(
        Array.from({ length: 10 }, () => settle(request)),
        { concurrency: "unbounded" },
      )
      equal(outcomes.filter(({ outcome }) => outcome === "settled").length, 1)
      equal(yield* received, product.price)
    }),
  ],
  refusal("another's signature", (nowSeconds) =>
    Effect.map(
      Effect.all([asked(nowSeconds), asked(nowSeconds, { nonce: nonce(5) })]),
      ([request, { signature }]) => ({ ...request, signature }),
    )),
  refusal("another amount than was asked for", (now) => asked(now, { value: 9_999n })),
  refusal("what has expired", (now) => asked(now, { validBefore: BigInt(now - 1) })),
  refusal("what is not valid yet", (now) => asked(now, { validAfter: BigInt(now + 60) })),
  refusal(
    "more than the payer's balance",
    (now) =>
      Effect.map(asked(now, { value: playBalance + 1n }), (request) => ({
        ...request,
        requirements: { ...request.requirements, amount: (playBalance + 1n).toString() },
      })),
  ),
  [
    "a nonce that its payer cancelled proves that nothing was paid",
    Effect.fnUntraced(function* (nowSeconds) {
      const { settle } = yield* Facilitator
      const { cancel } = yield* Ledger
      const request = yield* asked(nowSeconds)
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
      const request = yield* asked(nowSeconds)
      const { from, nonce, value } = request.authorization
      const spent = { from, nonce, value, to: address(buyer(3).address), asset: token.asset }
      const block = { transaction: "0xdd", blockTime: BigInt(nowSeconds) }
      equal(yield* transfer({ ...spent, ...block }), "transferred")
      equal(yield* proofOf(request), { proof: "never", reason: "spent_elsewhere" })
      equal(yield* received, 0n)
    }),
  ],
]
