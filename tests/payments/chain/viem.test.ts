/**
 * The chain over JSON-RPC on endpoints that are broken, behind or lying: a payment is then neither
 * paid nor void, and the call ends in time.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Effect, References, Result, Schema } from "effect"
import { authorizationStateCall } from "../../../src/payments/chain/token.ts"
import { address, Signature } from "../../../src/payments/domain/payment.ts"
import { effectLaw, liveTest } from "../../support/effect.ts"
import {
  chainAt,
  type ChainHistory,
  chainWith,
  falseLogs,
  far,
  honestResponses,
  impatientChainAt,
  type Log,
  logsOf,
  nowSeconds,
  paymentOf,
  refusal,
  type Responder,
  result,
  type RpcRequest,
  secretKey,
  stranger,
  transaction,
  use,
} from "../../support/payments/rpc.ts"
import { terms, token } from "../../support/payments/terms.ts"

const proofFrom = Effect.fnUntraced(
  function* (
    history: ChainHistory,
    answer: Responder,
    hint: string | null,
    at: typeof chainAt = chainAt,
  ) {
    const { paymentProof } = yield* at(answer)
    const proof = yield* Effect.result(
      paymentProof({ ...token, ...paymentOf(history), transactionHint: hint }),
    )
    if (Result.isFailure(proof)) {
      equal(proof.failure._tag, "ChainUnavailable")
      ok(
        !JSON.stringify(proof.failure).includes(secretKey),
        "The error contains the endpoint's key",
      )
    }
    return proof
  },
)

const outcomeOf = (proof: Effect.Success<ReturnType<typeof proofFrom>>) =>
  Result.isFailure(proof)
    ? "unavailable"
    : proof.success.proof === "never"
    ? proof.success.reason
    : proof.success.proof

const outcomes = {
  paid: "paid",
  expired: "expired",
  cancelled: "spent_elsewhere",
  waiting: "not_yet",
} as const
const histories = Object.keys(outcomes) as ReadonlyArray<ChainHistory>
const hints = [transaction, null]

for (const history of histories) {
  liveTest(
    `an honest endpoint returns the outcome of a payment that is ${history}, with or without a hint`,
    function* () {
      const honest = honestResponses(history)
      for (const hint of hints) {
        const proof = yield* proofFrom(
          history,
          (request) => result(request, honest(request)),
          hint,
        )
        equal(outcomeOf(proof), outcomes[history])
      }
    },
  )
}

const paid = paymentOf("paid")
const stateCall = authorizationStateCall(paid.from, paid.nonce)

liveTest("a transfer is tried from the account that settled last, with a gas price", function* () {
  const honest = honestResponses("paid")
  const { paymentProof, wouldSettle } = yield* chainAt((request) => {
    const response = honest(request)
    switch (request.method) {
      case "eth_gasPrice":
        return result(request, "0x5")
      case "eth_getTransactionReceipt":
        return result(request, { ...response as object, from: stranger })
      case "eth_call": {
        const call = request.params[0] as Readonly<Record<string, unknown>>
        const settles = call["from"] === stranger && call["gasPrice"] === "0x5"
        return settles ? refusal(request, 3) : result(request, response)
      }
      default:
        return result(request, response)
    }
  })
  const signature = Signature.make(`0x${"51".repeat(66)}`)
  equal(yield* wouldSettle(token.asset, paid, signature), true, "no settlement was seen yet")
  yield* paymentProof({ ...token, ...paid, transactionHint: transaction })
  equal(yield* wouldSettle(token.asset, paid, signature), "insufficient_funds")
})

for (
  const [name, isRefused, settles] of [
    ["an account that can pay for no call any more refuses no transfer", () => true, true],
    ["a call that fails in another way is no verdict", (call: unknown) => call !== stateCall, null],
  ] as const
) {
  liveTest(name, function* () {
    const honest = honestResponses("paid")
    const { paymentProof, wouldSettle } = yield* chainAt((request) => {
      const response = honest(request)
      if (request.method === "eth_gasPrice") return result(request, "0x5")
      if (request.method === "eth_getTransactionReceipt") {
        return result(request, { ...response as object, from: stranger })
      }
      const call = request.params[0] as Readonly<Record<string, unknown>>
      return request.method === "eth_call" && call["from"] === stranger && isRefused(call["data"])
        ? refusal(request, -32_003)
        : result(request, response)
    })
    yield* paymentProof({ ...token, ...paid, transactionHint: transaction })
    const signature = Signature.make(`0x${"51".repeat(66)}`)
    const tried = yield* Effect.result(wouldSettle(token.asset, paid, signature))
    equal(Result.getOrNull(tried), settles)
  })
}

liveTest("a redirect is not followed, even to a correct endpoint", function* () {
  equal(outcomeOf(yield* proofFrom("paid", redirecting(), transaction)), "unavailable")
})

const utf8 = new TextEncoder()
const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(utf8.encode(" ".repeat(65_536))),
  })
const stalled = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(utf8.encode('{"jsonrpc":')),
  })

/** Redirects every request once, and then responds honestly. */
function redirecting(): Responder {
  const sent = new Set<number>()
  const honest = honestResponses("paid")
  return (request) => {
    if (sent.has(request.id)) return result(request, honest(request))
    sent.add(request.id)
    return new Response(null, { status: 307, headers: { location: "/elsewhere" } })
  }
}

/** Responses that answer no request. */
const invalidResponses: ReadonlyArray<readonly [string, Responder]> = [
  ["HTML", () => new Response("<html>busy</html>", { headers: { "content-type": "text/html" } })],
  ["nothing", () => new Response()],
  ["a status 500", () => new Response("no", { status: 500 })],
  ["a status 429", () => Response.json({ error: "slow down" }, { status: 429 })],
  ["half of a JSON", () => new Response('{"jsonrpc":"2.0","id":1,"resu')],
  ["null", () => Response.json(null)],
  ["a list", () => Response.json([])],
  ["a number", () => Response.json(7)],
  ["a redirect", () => new Response(null, { status: 307, headers: { location: "/elsewhere" } })],
  ["silence", () => new Promise(() => {})],
  ["10 MB", (request) => result(request, "x".repeat(10_000_000))],
  ["bytes without an end", () => new Response(endless())],
  ["a body that stops in the middle", () => new Response(stalled())],
  ["a JSON-RPC error", (request) => refusal(request, -32_603)],
  ["a malformed error", ({ id }) => Response.json({ id, error: "no" })],
  ["no result", ({ id }) => Response.json({ jsonrpc: "2.0", id })],
]

for (const [name, answer] of invalidResponses) {
  liveTest(`an endpoint that returns ${name} proves nothing`, function* () {
    const proof = yield* proofFrom("paid", answer, transaction, impatientChainAt)
    equal(outcomeOf(proof), "unavailable")
    const { head, balanceOf, hasCode, transfers } = yield* impatientChainAt(answer)
    const { asset } = token
    const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      balanceOf(asset, stranger),
      hasCode(stranger),
      transfers({ asset, to: stranger, after: 1n }),
      head,
    ]
    const results = yield* Effect.forEach(calls, Effect.result, { concurrency: "unbounded" })
    ok(results.every(Result.isFailure))
  })
}

liveTest("the response of another request proves nothing", function* () {
  for (const history of histories) {
    const honest = honestResponses(history)
    const late = (request: RpcRequest) =>
      result({ ...request, id: request.id + 1 }, honest(request))
    equal(outcomeOf(yield* proofFrom(history, late, transaction)), "unavailable")
  }
})

for (const [name, logs] of falseLogs) {
  liveTest(`logs ${name} prove no payment, in the receipt or in eth_getLogs`, function* () {
    const honest = honestResponses("paid")
    const lying = (method: string): Responder => (request) => {
      switch (request.method) {
        case "eth_getTransactionReceipt": {
          if (method !== request.method) return result(request, null)
          const block = logs[0]?.["blockNumber"] ?? null
          const receipt = honest(request) as Readonly<Record<string, unknown>>
          return result(request, { ...receipt, blockNumber: block, logs })
        }
        case "eth_getLogs":
          return result(request, method === request.method ? logs : [])
        default:
          return result(request, honest(request))
      }
    }
    for (const method of ["eth_getTransactionReceipt", "eth_getLogs"]) {
      equal(outcomeOf(yield* proofFrom("paid", lying(method), transaction)), "unavailable")
    }
    const filtering = honestResponses("paid", logs)
    const plausible = (request: RpcRequest) => result(request, filtering(request))
    const outcome = outcomeOf(yield* proofFrom("paid", plausible, null))
    ok(["unavailable", "spent_elsewhere"].includes(outcome), outcome)
    // A scan queries the two kinds of logs one after the other, so their order is not known to
    // it.
    if (name !== "in the wrong order") equal(yield* scansPayment(plausible), false)
  })
}

/** Whether a scan finds the payment. */
const scansPayment = Effect.fnUntraced(function* (answer: Responder) {
  const { transfers } = yield* chainAt(answer)
  const read = yield* Effect.result(
    transfers({ asset: token.asset, to: address(terms.payTo), after: 4_000n }),
  ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  const { from, nonce, value } = paymentOf("paid")
  return Result.isSuccess(read) &&
    read.success.transfers.some((transfer) =>
      transfer.from === from && transfer.nonce === nonce && transfer.value === value
    )
})

liveTest("a nonce that is used twice, or whose block lacks the log, proves nothing", function* () {
  const [canceled = {}] = logsOf("cancelled")
  const twice = honestResponses("cancelled", [canceled, { ...canceled, logIndex: "0x9" }])
  const honest = honestResponses("cancelled")
  const forgetful = (request: RpcRequest) => {
    const [filter] = request.params as ReadonlyArray<{ readonly blockHash?: string }>
    return result(request, filter?.blockHash === undefined ? honest(request) : [])
  }
  for (const answer of [(q: RpcRequest) => result(q, twice(q)), forgetful]) {
    equal(outcomeOf(yield* proofFrom("cancelled", answer, null)), "unavailable")
  }
})

/** False responses to one method, and the payment's history. */
const falseResponses: ReadonlyArray<
  readonly [string, ChainHistory, string, ReadonlyArray<unknown>]
> = [
  ["an invalid nonce state", "expired", "eth_call", [
    null,
    true,
    "0x",
    "0x0",
    `0x${"0".repeat(63)}2`,
    `0x${"0".repeat(128)}`,
    -1,
  ]],
  ["a used nonce without its log", "expired", "eth_call", [`0x${"0".repeat(63)}1`]],
  ["another chain", "expired", "eth_chainId", ["0x1", "0x14a34", null, "", 8453]],
  ["no safe block", "expired", "eth_getBlockByNumber", [null, {}, "0x1", []]],
  ["a safe block without a valid time", "expired", "eth_getBlockByNumber", [
    { number: "0x1388", hash: `0x${"0".repeat(64)}` },
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: "-0x1" },
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: `0x${"f".repeat(40)}` },
  ]],
  ["a use in a block far ahead", "paid", "eth_getLogs", [[{ ...use, blockNumber: far }]]],
  ["a safe block from the future", "waiting", "eth_getBlockByNumber", [
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: "0x1ffffffff" },
  ]],
]

for (const [name, history, method, answers] of falseResponses) {
  liveTest(`an endpoint that returns ${name} proves nothing about a payment`, function* () {
    const honest = honestResponses(history)
    for (const lie of answers) {
      const lying = (request: RpcRequest) =>
        result(request, request.method === method ? lie : honest(request))
      equal(outcomeOf(yield* proofFrom(history, lying, null)), "unavailable")
    }
  })
}

const hex = (n: number | bigint) => `0x${n.toString(16)}`

/** An honest endpoint with this safe block; its other blocks and our clock are ahead of it. */
const safeAt = (history: ChainHistory, number: number, timestamp: bigint): Responder => {
  const honest = honestResponses(history)
  return (request) => {
    const isSafe = request.method === "eth_getBlockByNumber" && request.params[0] === "safe"
    if (!isSafe) return result(request, honest(request))
    const hash = `0x${"5a".repeat(32)}`
    return result(request, { number: hex(number), hash, timestamp: hex(timestamp) })
  }
}

liveTest(
  "an unused payment is void when a safe block is later than validBefore, not earlier",
  function* () {
    const { validBefore } = paymentOf("expired")
    for (
      const [later, outcome] of [[-1n, "not_yet"], [0n, "not_yet"], [1n, "expired"]] as const
    ) {
      const answer = safeAt("expired", 5_000, validBefore + later)
      equal(outcomeOf(yield* proofFrom("expired", answer, null)), outcome)
    }
  },
)

liveTest(
  "a cancelled payment is void when the block of its cancellation is safe, not earlier",
  function* () {
    const { validBefore } = paymentOf("cancelled")
    for (const [safe, outcome] of [[4_899, "not_yet"], [4_900, "spent_elsewhere"]] as const) {
      const answer = safeAt("cancelled", safe, validBefore - 100n)
      equal(outcomeOf(yield* proofFrom("cancelled", answer, null)), outcome)
    }
  },
)

liveTest(
  "the receipt of a failed transaction proves no payment, whatever its logs are, and is named",
  function* () {
    const paying = honestResponses("paid")
    for (
      const [history, expected] of [
        ["expired", { proof: "never", reason: "expired" }],
        ["waiting", { proof: "not_yet", reverted: true }],
      ] as const
    ) {
      const honest = honestResponses(history)
      const proof = yield* proofFrom(history, (request) =>
        result(
          request,
          request.method === "eth_getTransactionReceipt"
            ? { ...paying(request) as Log, status: "0x0" }
            : honest(request),
        ), transaction)
      equal(Result.getOrNull(proof), expected)
    }
  },
)

/** A use between the usual search range and the safe block, and how often an endpoint fails. */
const anyLateUse = Arbitrary.schema(Schema.Struct({
  history: Schema.Literals(["paid", "cancelled"]),
  /** The safe block is 5,000. */
  block: Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 5_000 })),
  safeSecondsAfterExpiry: Schema.Int.check(
    Schema.isBetween({ minimum: 9_000, maximum: 200_000 }),
  ),
  failsEvery: Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 30 })),
}))

/** An endpoint at which the use is in this block, which lacks its log while `isForgetful`. */
function usedLate(history: "paid" | "cancelled", block: number, isForgetful = () => false) {
  const moved = logsOf(history).map((log) => ({
    ...log,
    ...{ blockNumber: hex(block), blockHash: `0x${block.toString(16).padStart(64, "0")}` },
  }))
  const [honest, forgetful] = [honestResponses(history, moved), honestResponses(history, [])]
  return (request: RpcRequest) =>
    (request.method === "eth_getLogs" && isForgetful() ? forgetful : honest)(request)
}

effectLaw(
  "a use long after the expiry is found, at two endpoints of which one often fails",
  anyLateUse,
  ({ history, block, safeSecondsAfterExpiry, failsEvery }) =>
    Effect.scoped(Effect.gen(function* () {
      const answer = usedLate(history, block)
      let calls = 0
      const honest = (request: RpcRequest) => result(request, answer(request))
      const failing = (request: RpcRequest) =>
        request.method === "eth_getLogs" && ++calls % failsEvery === 0
          ? result(request, null)
          : honest(request)
      // 1,600 blocks per read, and the endpoints are at different ranges after a failure.
      const { paymentProof } = yield* chainWith({ scanBlocksMax: 100 }, [honest, failing])
      const expected = {
        ...{ ...token, ...paymentOf(history), transactionHint: null },
        validBefore: BigInt(nowSeconds - 80 - safeSecondsAfterExpiry),
      }
      const proof = yield* Effect.retry(paymentProof(expected), { times: 100 })
      return outcomeOf(Result.succeed(proof)) === outcomes[history]
    })),
  { runs: 12 },
)

liveTest(
  "a use long before the expiry is found from the block on since which there can be one",
  function* () {
    const answer = usedLate("paid", 1_000)
    const { paymentProof } = yield* chainAt((request) => result(request, answer(request)))
    for (const secondsAfterNow of [3_600, -600]) {
      const validBefore = BigInt(nowSeconds + secondsAfterNow)
      const expected = { ...token, ...paymentOf("paid"), transactionHint: null, validBefore }
      const without = yield* Effect.result(paymentProof(expected))
      equal(outcomeOf(without) === outcomes.paid, false)
      equal((yield* paymentProof({ ...expected, since: 900n })).proof, "paid")
    }
  },
)

liveTest(
  "a later use whose log the endpoint lacks proves nothing until the log is there",
  function* () {
    let isForgetful = true
    const answer = usedLate("cancelled", 4_000, () => isForgetful)
    const { paymentProof } = yield* chainAt((request) => result(request, answer(request)))
    const expected = {
      ...{ ...token, ...paymentOf("cancelled"), transactionHint: null },
      validBefore: BigInt(nowSeconds - 9_000),
    }
    for (let read = 0; read < 3; read++) {
      equal((yield* Effect.flip(paymentProof(expected)))._tag, "ChainUnavailable")
    }
    isForgetful = false
    equal(yield* paymentProof(expected), { proof: "never", reason: "spent_elsewhere" })
  },
)

/** One value in one response, and its replacement. */
const anyDamage = Arbitrary.schema(Schema.Struct({
  history: Schema.Literals(["paid", "expired", "cancelled", "waiting"]),
  hinted: Schema.Boolean,
  call: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
  leaf: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  by: Schema.NullOr(
    Schema.Literals(["", "0x", "0x0", "-0x1", "0x1", true, 1e30, "0xzz", "\u0000", far]),
  ),
}))

function damaged(value: unknown, leaf: { left: number }, by: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => damaged(item, leaf, by))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, damaged(item, leaf, by)]),
    )
  }
  return leaf.left-- === 0 ? by : value
}

effectLaw(
  "no corruption of one response turns one proof into another",
  anyDamage,
  ({ history, hinted, call, leaf, by }) => {
    const honest = honestResponses(history)
    let calls = 0
    const lying = (request: RpcRequest) => {
      const answer = honest(request)
      return result(request, calls++ === call ? damaged(answer, { left: leaf }, by) : answer)
    }
    return Effect.scoped(Effect.map(
      proofFrom(history, lying, hinted ? transaction : null),
      (proof) => [outcomes[history], "not_yet", "unavailable"].includes(outcomeOf(proof)),
    ))
  },
  { runs: 300 },
)
