/**
 * Cases that need a real EVM: blocks with many payments, nested calls, smart wallets, reorganised
 * blocks.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { serializeErc6492Signature } from "viem"
import type { Finality } from "../../../src/payments/chain/heads.ts"
import { layer } from "../../../src/payments/chain/chain.ts"
import {
  type Address,
  address,
  type Authorization,
  Signature,
} from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { type Anvil, hasAnvil, skipWithoutAnvil } from "../../support/payments/anvil.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { controlOf, freshAnvil } from "../../support/payments/chains.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { authorizationFor, nonce, terms, token } from "../../support/payments/terms.ts"
import {
  inOneTransaction,
  mined,
  sent,
  succeeded,
  toToken,
  transferCall,
  walletAddress,
} from "../../support/payments/token.ts"
import { ChainControl } from "./chain.laws.ts"

const payTo = address(terms.payTo)
const deep = { blocks: 4 } as const satisfies Finality

const authorization = (n: number, changes: Partial<Authorization> = {}) =>
  authorizationFor(buyer(n), products.latest, startSeconds, { nonce: nonce(n), ...changes })

const proofOf = (expected: Authorization, transactionHint: string | null = null) =>
  Effect.flatMap(
    Chain,
    (chain) => chain.paymentProof({ ...token, ...expected, transactionHint }),
  )

const scanAll = Effect.flatMap(
  Chain,
  ({ transfers }) => transfers({ asset: token.asset, to: payTo, after: 0n }),
)

/** Mines a block with these transactions, ordered by their senders' fees. */
const block = Effect.fnUntraced(function* (
  anvil: Anvil,
  calls: ReadonlyArray<ReturnType<typeof toToken>>,
) {
  yield* TestClock.adjust(2_000)
  const transactions = yield* Effect.forEach(calls, (call) => sent(anvil, call))
  yield* mined(anvil, (yield* Clock.currentTimeMillis) / 1_000)
  return transactions
})

function onAnvil(
  name: string,
  body: (anvil: Anvil) => Effect.Effect<void, unknown, Chain | ChainControl>,
): void {
  if (!hasAnvil) return skipWithoutAnvil(name)
  Deno.test(`over JSON-RPC: ${name}`, () =>
    TestClock.setTime(startSeconds * 1_000).pipe(
      Effect.andThen(freshAnvil),
      Effect.flatMap((anvil) =>
        Effect.provide(
          body(anvil),
          Layer.merge(
            layer({ rpcUrls: [anvil.url], chainId: 8453, finality: deep }),
            Layer.succeed(ChainControl, controlOf(anvil, deep.blocks)),
          ),
        )
      ),
      Effect.scoped,
      Effect.provide(TestClock.layer()),
      Effect.runPromise,
    ))
}

onAnvil(
  "a scan of a full block returns exactly its payments, in order",
  Effect.fnUntraced(function* (anvil) {
    const { advance } = yield* ChainControl
    const payments = [0, 1, 2, 3].map((n) => authorization(n))
    const calls = yield* Effect.forEach(payments, (payment, n) => transferCall(buyer(n), payment))
    const toOther = yield* transferCall(
      buyer(0),
      authorization(0, { to: address(buyer(1).address), nonce: nonce(50) }),
    )
    const [first = toOther, second = toOther, third = toOther, fourth = toOther] = calls
    const plain = toToken("mint", [payTo, 5n])
    const transactions = yield* block(anvil, [
      plain,
      first,
      inOneTransaction([plain, second, toOther, plain, third], true),
      plain,
      fourth,
    ])
    for (const transaction of transactions) equal(yield* succeeded(anvil, transaction), true)
    for (const payment of payments) equal((yield* proofOf(payment)).proof, "paid")
    yield* advance(10)
    const { transfers } = yield* scanAll
    equal(
      transfers.map(({ from, nonce, value, at }) => [from, nonce, value, at.transaction]),
      payments.map(({ from, nonce, value }, n) => [
        from,
        nonce,
        value,
        transactions[[1, 2, 2, 4][n] ?? 0],
      ]),
    )
  }),
)

onAnvil(
  "a smart wallet has code, and its payment is proved like any other",
  Effect.fnUntraced(function* (anvil) {
    const { hasCode } = yield* Chain
    const { advance } = yield* ChainControl
    equal([yield* hasCode(walletAddress), yield* hasCode(authorization(0).from)], [true, false])
    const bought = authorization(0, { from: walletAddress })
    const [transaction] = yield* block(anvil, [yield* transferCall(buyer(0), bought)])
    const proof = yield* proofOf(bought)
    equal(proof.proof === "paid" && proof.at.transaction, transaction)
    yield* advance(10)
    equal((yield* scanAll).transfers.map(({ from }) => from), [walletAddress])
  }),
)

onAnvil(
  "a reported transaction that failed is named, until another one pays",
  Effect.fnUntraced(function* (anvil) {
    const { transfer, advance } = yield* ChainControl
    yield* block(anvil, [toToken("pause", [true])])
    const failed = yield* transfer(0, authorization(0))
    equal(failed.succeeded, false)
    equal(yield* proofOf(authorization(0), failed.transaction), {
      ...{ proof: "not_yet", reverted: true },
    })
    yield* block(anvil, [toToken("pause", [false])])
    yield* transfer(0, authorization(0))
    equal((yield* proofOf(authorization(0), failed.transaction)).proof, "paid")
    yield* transfer(1, authorization(1))
    yield* advance(200)
    equal((yield* proofOf(authorization(2), failed.transaction)).proof, "never")
  }),
)

/** A contract that accepts each signature in a call that pays for no gas, and none in another one. */
const twoFacedWallet = "0x3a15631626ba7e60e01b0260005260206000f3"

onAnvil(
  "a wallet that accepts a transfer only while it is simulated would not settle",
  Effect.fnUntraced(function* (anvil) {
    const { wouldSettle } = yield* Chain
    const twoFaced = address(`0x${"2f".repeat(20)}`)
    yield* anvil.call("anvil_setCode", twoFaced, twoFacedWallet)
    yield* block(anvil, [toToken("mint", [twoFaced, 1_000_000n])])
    const signature = yield* sign(buyer(0), authorization(0))
    const wrapped = Signature.make(
      serializeErc6492Signature({ address: payTo, data: "0x", signature }),
    )
    const wouldPay = (from: Address, shown: Signature) =>
      wouldSettle(token.asset, authorization(3, { from }), shown)
    const { data } = toToken("transferWithAuthorization", [
      ...Object.values(authorization(3, { from: twoFaced })),
      signature,
    ])
    equal(yield* anvil.call("eth_call", { to: token.asset, data }, "latest"), "0x", "simulated")
    equal(yield* wouldPay(twoFaced, signature), true, "no settlement was seen yet")
    const [settled = ""] = yield* block(anvil, [yield* transferCall(buyer(0), authorization(0))])
    equal((yield* proofOf(authorization(0), settled)).proof, "paid")
    for (const shown of [signature, wrapped]) {
      equal(yield* wouldPay(twoFaced, shown), "invalid_signature")
    }
    const delegated = address(buyer(1).address)
    const ownKey = yield* sign(buyer(1), authorization(3, { from: delegated }))
    equal(yield* wouldPay(delegated, ownKey), true)
    yield* anvil.call("anvil_setCode", delegated, `0xef0100${twoFaced.slice(2)}`)
    equal(yield* wouldPay(delegated, ownKey), "invalid_signature", "EIP-7702")
    equal(yield* wouldPay(address(`0x${"3b".repeat(20)}`), wrapped), true, "not deployed")
    const honest = authorization(4, { from: walletAddress })
    equal(yield* wouldSettle(token.asset, honest, yield* sign(buyer(0), honest)), true)
    const early = authorization(5, {
      from: walletAddress,
      validAfter: BigInt(yield* Clock.currentTimeMillis) / 1_000n,
    })
    equal(yield* wouldSettle(token.asset, early, yield* sign(buyer(0), early)), "too_early")
    const dear = authorization(6, { from: walletAddress, value: 10n ** 18n })
    equal(yield* wouldSettle(token.asset, dear, yield* sign(buyer(0), dear)), "insufficient_funds")
  }),
)

onAnvil(
  "a payment that is reorganised away is not paid until it is included again",
  Effect.fnUntraced(function* (anvil) {
    const { transfer, advance } = yield* ChainControl
    yield* advance(20)
    yield* transfer(0, authorization(0))
    equal((yield* proofOf(authorization(0))).proof, "paid")
    yield* anvil.call("anvil_reorg", 2, [])
    yield* TestClock.adjust(2_000)
    equal(yield* proofOf(authorization(0)), { proof: "not_yet" })
    yield* transfer(0, authorization(0))
    equal((yield* proofOf(authorization(0))).proof, "paid")
  }),
)

onAnvil(
  "a chain whose safe block goes back or is replaced is rejected until it has caught up",
  Effect.fnUntraced(function* (anvil) {
    const { advance } = yield* ChainControl
    const proofTag = Effect.map(Effect.result(proofOf(authorization(0))), ({ _tag }) => _tag)
    yield* advance(20)
    const snapshot = yield* anvil.call("evm_snapshot")
    yield* advance(20)
    equal(yield* proofTag, "Success")
    yield* anvil.call("evm_revert", snapshot)
    yield* TestClock.adjust(2_000)
    equal(yield* proofTag, "Failure")
    yield* advance(24)
    equal(yield* proofTag, "Success")
    yield* anvil.call("anvil_reorg", 8, [])
    yield* TestClock.adjust(2_000)
    equal(yield* proofTag, "Failure")
  }),
)

onAnvil(
  "a transfer that a blacklist or a pause stops is not a payment",
  Effect.fnUntraced(function* (anvil) {
    const { transfer } = yield* ChainControl
    yield* block(anvil, [toToken("blacklist", [authorization(0).from, true])])
    equal((yield* transfer(0, authorization(0))).succeeded, false)
    yield* block(anvil, [toToken("pause", [true])])
    equal((yield* transfer(1, authorization(1))).succeeded, false)
    equal(yield* proofOf(authorization(0)), { proof: "not_yet" })
    equal(yield* proofOf(authorization(1)), { proof: "not_yet" })
    equal((yield* scanAll).transfers, [])
  }),
)
