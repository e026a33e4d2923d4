/**
 * The chain at two endpoints on real sockets, one of which lies, lags or does not answer: its answer
 * alone is never the chain's. On anvil, two endpoints obey the laws of one.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Layer, Metric, Result } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { Chain, type ChainUnavailable } from "../../../src/payments/Chain.ts"
import { layer } from "../../../src/payments/chain/chain.ts"
import { lagBlocksMax } from "../../../src/payments/domain/agreement.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { liveTest } from "../../support/effect.ts"
import { hasAnvil, skipWithoutAnvil } from "../../support/payments/anvil.ts"
import { controlOf, freshAnvil } from "../../support/payments/chains.ts"
import {
  chainAt,
  type ChainHistory,
  chainWith,
  honestResponses,
  type Log,
  logsOf,
  nowSeconds,
  paymentOf,
  type Responder,
  result,
  type RpcRequest,
  secretKey,
  stranger,
  transaction,
} from "../../support/payments/rpc.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { buyer } from "../../support/payments/buyers.ts"
import { authorizationFor, token } from "../../support/payments/terms.ts"
import { ChainControl, chainLaws } from "./chain.laws.ts"
import { serving } from "../../support/serving.ts"

const hex = (number: number | bigint) => `0x${number.toString(16)}`
const word = (number: number | bigint) => `0x${number.toString(16).padStart(64, "0")}`

/** An endpoint that answers honestly for a history, except where `instead` gives another result. */
const answering =
  (history: ChainHistory, instead: (request: RpcRequest) => unknown = () => undefined): Responder =>
  (request) => result(request, instead(request) ?? honestResponses(history)(request))

const outcomeOf = <A>(
  read: Effect.Effect<A, ChainUnavailable>,
  textOf: (value: A) => string,
): Effect.Effect<string> =>
  Effect.map(
    Effect.result(read),
    Result.match({
      onSuccess: textOf,
      onFailure: ({ disputed }) => disputed === true ? "disputed" : "unavailable",
    }),
  )

const histories = ["paid", "expired", "cancelled"] as const
const proofs = { paid: "paid", expired: "expired", cancelled: "spent_elsewhere" } as const

for (const one of histories) {
  for (const other of histories) {
    liveTest(
      `of a payment that is ${one} at one endpoint and ${other} at the other, the proof is ${
        one === other ? proofs[one] : "disputed"
      }`,
      function* () {
        const { paymentProof } = yield* chainAt(answering(one), answering(other))
        for (const transactionHint of [transaction, null]) {
          const proof = paymentProof({ ...token, ...paymentOf(one), transactionHint })
          equal(
            yield* outcomeOf(proof, (it) => it.proof === "never" ? it.reason : it.proof),
            one === other ? proofs[one] : "disputed",
          )
        }
      },
    )
  }
}

/** The safe block and the newest one, this many blocks before those of the honest endpoint. */
const behind = (blocks: number) => ({ method }: RpcRequest) =>
  method !== "eth_getBlockByNumber" ? undefined : {
    ...{ number: hex(5_000 - blocks), hash: word(5_000 - blocks) },
    timestamp: hex(nowSeconds - 80 - 2 * blocks),
  }

liveTest(
  "a payment that one endpoint has not reached is not proved yet, and nothing is disputed",
  function* () {
    const lagging = (request: RpcRequest) =>
      behind(101)(request) ?? (request.method === "eth_getLogs" ? [] : undefined)
    const { paymentProof } = yield* chainAt(answering("paid"), answering("paid", lagging))
    const proof = paymentProof({ ...token, ...paymentOf("paid"), transactionHint: null })
    equal((yield* proof).proof, "not_yet")
  },
)

for (
  const [blocks, expected] of [[Number(lagBlocksMax), "4985"], [
    Number(lagBlocksMax) + 1,
    "disputed",
  ]] as const
) {
  liveTest(`a newest block ${blocks} behind the other is ${expected}`, function* () {
    const late = (request: RpcRequest) => {
      const asked = request.params[0]
      return typeof asked === "string" && asked.startsWith("0x")
        ? { number: asked, hash: word(BigInt(asked)), timestamp: hex(nowSeconds - 200) }
        : behind(blocks)(request)
    }
    const numbered = (request: RpcRequest) =>
      request.method === "eth_getBlockByNumber" ? late(request) : undefined
    const honest = (request: RpcRequest) => {
      const asked = request.params[0]
      return request.method === "eth_getBlockByNumber" && asked !== "latest" && asked !== "safe"
        ? late(request)
        : undefined
    }
    const { head } = yield* chainAt(answering("paid", honest), answering("paid", numbered))
    equal(yield* outcomeOf(head, ({ number }) => String(number)), expected)
  })
}

liveTest("endpoints of two forks, with other hashes of one safe block, are disputed", function* () {
  const fork = ({ method }: RpcRequest) =>
    method === "eth_getBlockByNumber"
      ? { number: hex(5_000), hash: word(0xfa), timestamp: hex(nowSeconds - 80) }
      : undefined
  const { head } = yield* chainAt(answering("paid"), answering("paid", fork))
  equal(yield* outcomeOf(head, () => "agreed"), "disputed")
})

/** The same word for each call of a contract. */
const returning = (number: number) => ({ method }: RpcRequest) =>
  method === "eth_call" ? word(number) : undefined

/** An endpoint at which an account has this balance and this code. */
const showing = (balance: number, code: string) =>
  answering(
    "paid",
    (request) => request.method === "eth_getCode" ? code : returning(balance)(request),
  )

liveTest("the smaller balance and the code of any endpoint count, in any order", function* () {
  const pair = [showing(7, "0x"), showing(9, "0x60")]
  for (const endpoints of [pair, pair.toReversed()]) {
    const { balanceOf, hasCode } = yield* chainAt(...endpoints)
    equal(yield* outcomeOf(balanceOf(token.asset, stranger), String), "7")
    equal(yield* outcomeOf(hasCode(stranger), String), "true")
  }
})

/** The reads that differed between endpoints, with how often. */
const differences = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.flatMap(({ id, attributes, state }) =>
      id === "chain_disagreements_total" && "count" in state
        ? [`${attributes?.["call"]} ${state.count}`]
        : []
    ).toSorted(),
)

liveTest(
  "a difference of the newest state is counted, and stops no other sale",
  () =>
    Effect.gen(function* () {
      const { from, nonce } = paymentOf("waiting")
      const alike = yield* chainAt(showing(1, "0x"), showing(1, "0x"))
      yield* alike.balanceOf(token.asset, stranger)
      equal(yield* differences, [])
      const { balanceOf, hasCode, isNonceUsed } = yield* chainAt(
        showing(1, "0x"),
        showing(0, "0x60"),
      )
      yield* balanceOf(token.asset, stranger)
      yield* hasCode(stranger)
      for (let i = 0; i < 2; i++) yield* Effect.ignore(isNonceUsed(token.asset, from, nonce))
      equal(yield* differences, ["balance 1", "code 1", "nonce 2"])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
)

for (
  const [what, one, other, expected] of [
    ["used at both", 1, 1, "used"],
    ["unused at both", 0, 0, "unused"],
    ["used at one", 1, 0, "unavailable"],
  ] as const
) {
  liveTest(`an authorization that is ${what} is ${expected}`, function* () {
    const { isNonceUsed } = yield* chainAt(
      answering("waiting", returning(one)),
      answering("waiting", returning(other)),
    )
    const { from, nonce } = paymentOf("waiting")
    const read = outcomeOf(
      isNonceUsed(token.asset, from, nonce),
      (used) => used ? "used" : "unused",
    )
    equal(yield* read, expected)
  })
}

liveTest("after a contradiction no authorization counts as unused", function* () {
  const { head, isNonceUsed } = yield* chainAt(
    answering("waiting", returning(0)),
    answering("waiting", (request) => behind(99)(request) ?? returning(0)(request)),
  )
  const { from, nonce } = paymentOf("waiting")
  const read = outcomeOf(isNonceUsed(token.asset, from, nonce), String)
  equal(yield* read, "false")
  equal(yield* outcomeOf(head, () => "agreed"), "disputed")
  equal(yield* read, "unavailable")
})

const [use = {}, transfer = {}] = logsOf("paid")

for (
  const [what, logs] of [
    ["none", []],
    ["one of another amount", [use, { ...transfer, data: word(1) }]],
    ["one more", [use, transfer, { ...use, logIndex: "0x9" }, { ...transfer, logIndex: "0xa" }]],
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Log>]>
) {
  liveTest(
    `of the transfers in safe blocks, of which the other endpoint has ${what}, none is read`,
    function* () {
      const lying = (request: RpcRequest) => result(request, honestResponses("paid", logs)(request))
      const query = { asset: token.asset, to: paymentOf("paid").to, after: 4_800n }
      for (const pair of [[answering("paid"), lying], [lying, answering("paid")]]) {
        const { transfers } = yield* chainAt(...pair)
        equal(yield* outcomeOf(transfers(query), () => "read"), "disputed")
      }
      const { transfers } = yield* chainAt(answering("paid"), answering("paid"))
      equal((yield* transfers(query)).transfers.length, 1)
    },
  )
}

for (
  const [what, respond] of [
    ["does not answer", () => new Promise<Response>(() => {})],
    ["answers 503", () => new Response("no", { status: 503 })],
    [
      "is of another chain",
      answering("paid", ({ method }) => method === "eth_chainId" ? "0x1" : undefined),
    ],
  ] as ReadonlyArray<readonly [string, Responder]>
) {
  liveTest(
    `an endpoint that ${what} makes every read fail, and is not a contradiction`,
    function* () {
      const callTimeout = Duration.seconds(3)
      const chain = yield* chainWith({ callTimeout }, [answering("paid"), respond])
      const { from, nonce } = paymentOf("paid")
      const reads: ReadonlyArray<Effect.Effect<unknown, ChainUnavailable>> = [
        chain.head,
        chain.paymentProof({ ...token, ...paymentOf("paid"), transactionHint: transaction }),
        chain.balanceOf(token.asset, stranger),
        chain.isNonceUsed(token.asset, from, nonce),
        chain.transfers({ asset: token.asset, to: from, after: 4_900n }),
      ]
      const failures = yield* Effect.forEach(reads, Effect.flip, { concurrency: "unbounded" })
      for (const { reason, disputed } of failures) {
        equal(disputed, undefined)
        match(reason, /^endpoint 2: /)
        ok(!reason.includes(secretKey), reason)
      }
    },
  )
}

/** A proxy in front of an endpoint until the scope closes; it may answer a request itself. */
const proxyTo = (url: string, instead: (request: RpcRequest) => unknown) =>
  serving(async (request) => {
    const body: RpcRequest = await request.json()
    const answer = instead(body)
    if (answer !== undefined) return result(body, answer)
    const headers = { "content-type": "application/json" }
    const real = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
    return Response.json(await real.json())
  })

/** A payment on anvil, at anvil and at a proxy that lies, until long after its expiry. */
const lyingProxy = Effect.fnUntraced(function* (lie: (request: RpcRequest) => unknown) {
  const anvil = yield* freshAnvil
  const proxy = yield* proxyTo(anvil.url, lie)
  const { transfer, advance } = controlOf(anvil, 1)
  const paid = authorizationFor(buyer(0), products.latest, startSeconds)
  const rpcUrls = [anvil.url, proxy]
  yield* Effect.gen(function* () {
    const chain = yield* Chain
    const { transaction } = yield* transfer(0, paid)
    for (const seconds of [0, 60, 600]) {
      yield* advance(seconds)
      for (const transactionHint of [null, transaction]) {
        const proof = yield* Effect.result(
          chain.paymentProof({ ...token, ...paid, transactionHint }),
        )
        if (Result.isSuccess(proof)) ok(proof.success.proof !== "never", proof.success.proof)
      }
    }
    const query = { asset: token.asset, to: paid.to, after: 1n }
    const reads = yield* Effect.all([
      outcomeOf(chain.transfers(query), ({ transfers }) => String(transfers.length)),
      outcomeOf(chain.isNonceUsed(token.asset, buyerAt(1), paid.nonce), String),
    ])
    ok(reads.includes("disputed") || reads.includes("unavailable"), reads.join())
  }).pipe(Effect.provide(layer({ rpcUrls, chainId: 8453, finality: "safe" })))
})

const buyerAt = (n: number) => address(buyer(n).address)

if (hasAnvil) {
  const overTwo = Layer.unwrap(Effect.gen(function* () {
    const anvil = yield* freshAnvil
    const proxy = yield* proxyTo(anvil.url, () => undefined)
    return Layer.merge(
      layer({ rpcUrls: [anvil.url, proxy], chainId: 8453, finality: "safe" }),
      Layer.succeed(ChainControl, controlOf(anvil, 1)),
    )
  }))
  for (const [name, body] of chainLaws) {
    Deno.test(`two endpoints of anvil: ${name}`, () =>
      Effect.runPromise(
        TestClock.setTime(startSeconds * 1_000).pipe(
          Effect.andThen(Effect.provide(body(), Layer.fresh(overTwo))),
          Effect.scoped,
          Effect.provide(TestClock.layer()),
        ),
      ))
  }

  const lies: ReadonlyArray<readonly [string, (request: RpcRequest) => unknown]> = [
    ["hides logs and receipts", ({ method }) => method === "eth_getLogs" ? [] : hidden(method)],
    ["says that every nonce is used", ({ method }) => method === "eth_call" ? word(1) : undefined],
  ]
  const hidden = (method: string) => method === "eth_getTransactionReceipt" ? null : undefined
  for (const [what, lie] of lies) {
    Deno.test(`anvil behind a proxy that ${what}: a payment is never proved unpaid, and no state is read`, () =>
      Effect.runPromise(
        TestClock.setTime(startSeconds * 1_000).pipe(
          Effect.andThen(lyingProxy(lie)),
          Effect.scoped,
          Effect.provide(TestClock.layer()),
        ),
      ))
  }
} else {
  skipWithoutAnvil("the laws of a chain at two endpoints")
}
