/**
 * The calls of the chain over JSON-RPC: one for a payment, and smaller ranges for a scan when a
 * range is refused.
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
  honestResponses,
  nowSeconds,
  paymentOf,
  refusal,
  result,
  type RpcRequest,
  strange,
  transaction,
  transfer,
  transferTopics,
  use,
} from "../../support/payments/rpc.ts"
import { terms, token } from "../../support/payments/terms.ts"

test("a payment is proved by one call, when its transaction is known and the head is fresh", function* () {
  yield* TestClock.setTime(nowSeconds * 1_000)
  const honest = honestResponses("paid")
  const calls: Array<string> = []
  const { paymentProof } = yield* chainAt((request) => {
    calls.push(request.method)
    return result(request, honest(request))
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
})

liveTest("a scan halves a range that is refused or too large, and misses nothing", function* () {
  for (
    const refuse of [
      (q: RpcRequest) => refusal(q, -32_005),
      (q: RpcRequest) => result(q, "x".repeat(2_000_000)),
    ]
  ) {
    const honest = honestResponses("paid")
    let ranges = 0
    const { transfers } = yield* chainAt((request) => {
      if (request.method !== "eth_getLogs") {
        return result(request, honest(request))
      }
      const { fromBlock, toBlock } = request.params[0] as Readonly<Record<string, string>>
      const [from, to] = [Number(fromBlock), Number(toBlock)]
      if (to - from >= 300) {
        return refuse(request)
      }
      ranges++
      return result(request, from <= 4_900 && 4_900 <= to ? honest(request) : [])
    })
    const found: Array<string> = []
    let after = 3_500n
    while (after < 5_000n) {
      const read = yield* transfers({ asset: token.asset, to: address(terms.payTo), after })
      found.push(...read.transfers.map(({ at }) => at.transaction))
      ok(read.through > after)
      after = read.through
    }
    equal([found, after], [[transaction], 5_000n])
    ok(ranges < 20)
  }
})

liveTest(
  "a scan finds the payments in a block whose transfers are never returned at once",
  function* () {
    const honest = honestResponses("paid")
    const { transfers } = yield* chainAt((request) => {
      if (request.method !== "eth_getLogs") return result(request, honest(request))
      const [filter] = request.params as ReadonlyArray<
        { fromBlock: string; toBlock: string; topics: ReadonlyArray<ReadonlyArray<string>> }
      >
      const isInRange = Number(filter?.fromBlock) <= 4_900 && 4_900 <= Number(filter?.toBlock)
      if (!isInRange) return result(request, [])
      // An attacker has filled the block with transfers of 0.
      return filter?.topics[0]?.[0] === transferTopics[0]
        ? refusal(request, -32_005)
        : result(request, honest(request))
    })
    const found: Array<string> = []
    let after = 4_890n
    for (let reads = 0; reads < 20 && after < 4_910n; reads++) {
      const read = yield* transfers({ asset: token.asset, to: address(terms.payTo), after })
      found.push(...read.transfers.map(({ at }) => at.transaction))
      after = read.through
    }
    equal([found, after >= 4_910n], [[transaction], true])
  },
)

liveTest("a scan rejects logs that do not match the query or are not in order", function* () {
  const foreign = { ...transfer, topics: [transferTopics[0], transferTopics[1], strange] }
  const low = { ...transfer, blockNumber: "0x1" }
  for (
    const logs of [[foreign], [low], [transfer, transfer], [use], [{
      ...transfer,
      removed: true,
    }]]
  ) {
    const honest = honestResponses("paid")
    const { transfers } = yield* chainAt((request) =>
      result(request, request.method === "eth_getLogs" ? logs : honest(request))
    )
    const read = transfers({ asset: token.asset, to: address(terms.payTo), after: 4_000n })
    ok(Result.isFailure(yield* Effect.result(read)))
  }
})
