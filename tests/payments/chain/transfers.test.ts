/**
 * What the chain over JSON-RPC asks for: one call for a payment, and for a scan as much as is answered.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { address } from "../../../src/payments/domain/payment.ts"
import { liveTest, test } from "../../support/effect.ts"
import {
  chainAt,
  honestly,
  nowSeconds,
  paymentOf,
  type Question,
  refusal,
  result,
  strange,
  transaction,
  transfer,
  transferTopics,
  use,
} from "../../support/payments/rpc.ts"
import { terms, token } from "../../support/payments/terms.ts"

test("a payment is proved by one call, when its transaction is known and the head is fresh", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(nowSeconds * 1_000)
    const honest = honestly("paid")
    const calls: Array<string> = []
    const { paymentProof } = yield* chainAt((question) => {
      calls.push(question.method)
      return result(question, honest(question))
    })
    const proof = paymentProof({ ...token, ...paymentOf("paid"), transactionHint: transaction })
    yield* proof
    equal(calls, ["eth_chainId", "eth_getBlockByNumber", "eth_getTransactionReceipt"])
    yield* TestClock.adjust(999)
    yield* proof
    equal(calls.slice(3), ["eth_getTransactionReceipt"])
    yield* TestClock.adjust(1)
    yield* proof
    equal(calls.slice(4), ["eth_getBlockByNumber", "eth_getTransactionReceipt"])
  }))

liveTest(
  "a scan halves a stretch that is refused or too large, and misses nothing",
  () =>
    Effect.gen(function* () {
      for (
        const refuse of [(q: Question) => refusal(q, -32_005), (q: Question) =>
          result(q, "x".repeat(2_000_000))]
      ) {
        const honest = honestly("paid")
        let stretches = 0
        const { transfers } = yield* chainAt((question) => {
          if (question.method !== "eth_getLogs") {
            return result(question, honest(question))
          }
          const { fromBlock, toBlock } = question.params[0] as Readonly<Record<string, string>>
          const [from, to] = [Number(fromBlock), Number(toBlock)]
          if (to - from >= 300) {
            return refuse(question)
          }
          stretches++
          return result(question, from <= 4_900 && 4_900 <= to ? honest(question) : [])
        })
        const found: Array<string> = []
        let after = 3_500n
        while (after < 5_000n) {
          const read = yield* transfers({ asset: token.asset, to: address(terms.payTo), after })
          found.push(...read.transfers.map(({ at }) =>
            at.transaction
          ))
          ok(read.through > after)
          after = read.through
        }
        equal([found, after], [[transaction], 5_000n])
        ok(stretches < 20)
      }
    }),
)

liveTest(
  "a scan passes a block of which the transfers are never told, and finds the payments in it",
  () =>
    Effect.gen(function* () {
      const honest = honestly("paid")
      const { transfers } = yield* chainAt((question) => {
        if (question.method !== "eth_getLogs") return result(question, honest(question))
        const [asked] = question.params as ReadonlyArray<
          { fromBlock: string; toBlock: string; topics: ReadonlyArray<ReadonlyArray<string>> }
        >
        const holds = Number(asked?.fromBlock) <= 4_900 && 4_900 <= Number(asked?.toBlock)
        if (!holds) return result(question, [])
        // Somebody has filled the block with transfers of nothing.
        return asked?.topics[0]?.[0] === transferTopics[0]
          ? refusal(question, -32_005)
          : result(question, honest(question))
      })
      const found: Array<string> = []
      let after = 4_890n
      for (let reads = 0; reads < 20 && after < 4_910n; reads++) {
        const read = yield* transfers({ asset: token.asset, to: address(terms.payTo), after })
        found.push(...read.transfers.map(({ at }) => at.transaction))
        after = read.through
      }
      equal([found, after >= 4_910n], [[transaction], true])
    }),
)

liveTest(
  "a scan of logs that were not asked for, or are not in order, gives nothing",
  () =>
    Effect.gen(function* () {
      const foreign = { ...transfer, topics: [transferTopics[0], transferTopics[1], strange] }
      const low = { ...transfer, blockNumber: "0x1" }
      for (
        const logs of [[foreign], [low], [transfer, transfer], [use], [{
          ...transfer,
          removed: true,
        }]]
      ) {
        const honest = honestly("paid")
        const { transfers } = yield* chainAt((question) =>
          result(question, question.method === "eth_getLogs" ? logs : honest(question))
        )
        const read = transfers({ asset: token.asset, to: address(terms.payTo), after: 4_000n })
        ok(Result.isFailure(yield* Effect.result(read)))
      }
    }),
)
