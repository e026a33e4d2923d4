/**
 * What the chain over JSON-RPC makes of endpoints that are broken, behind or lying: a payment is then
 * neither paid nor void, and nobody waits for long.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Clock, Effect, References, Result, Schema } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { liveTest } from "../../support/effect.ts"
import {
  chainAt,
  type ChainHistory,
  falseLogs,
  far,
  honestResponses,
  type Log,
  logsOf,
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

/** How long a request may take here: its calls, one after the other. */
const patienceMs = 2_500

/** What is said of the story's payment: its proof, or why there is none. */
const asked = Effect.fnUntraced(
  function* (story: ChainHistory, answer: Responder, hint: string | null) {
    const { paymentProof } = yield* chainAt(answer)
    const began = yield* Clock.currentTimeMillis
    const said = yield* Effect.result(
      paymentProof({ ...token, ...paymentOf(story), transactionHint: hint }),
    )
    ok((yield* Clock.currentTimeMillis) - began < patienceMs, "It took too long")
    if (Result.isFailure(said)) {
      equal(said.failure._tag, "ChainUnavailable")
      ok(!JSON.stringify(said.failure).includes(secretKey), "The URL was reported")
    }
    return said
  },
)

const wordOf = (said: Effect.Success<ReturnType<typeof asked>>) =>
  Result.isFailure(said)
    ? "unavailable"
    : said.success.proof === "never"
    ? said.success.reason
    : said.success.proof

const truths = {
  paid: "paid",
  expired: "expired",
  cancelled: "spent_elsewhere",
  waiting: "not_yet",
} as const
const stories = Object.keys(truths) as ReadonlyArray<ChainHistory>
const hints = [transaction, null]

for (const story of stories) {
  liveTest(
    `an honest endpoint shows a payment that is ${story}, by its hint or without`,
    () =>
      Effect.gen(function* () {
        const honest = honestResponses(story)
        for (const hint of hints) {
          const said = yield* asked(story, (request) => result(request, honest(request)), hint)
          equal(wordOf(said), truths[story])
        }
      }),
  )
}

liveTest("a redirect is not followed, even to a correct endpoint", () =>
  Effect.gen(function* () {
    equal(wordOf(yield* asked("paid", redirecting(), transaction)), "unavailable")
  }))

const utf8 = new TextEncoder()
const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(utf8.encode(" ".repeat(65_536))),
  })
const stalled = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(utf8.encode('{"jsonrpc":')),
  })

/** Sends every request away once, and then answers it truly. */
function redirecting(): Responder {
  const sent = new Set<number>()
  const honest = honestResponses("paid")
  return (request) => {
    if (sent.has(request.id)) return result(request, honest(request))
    sent.add(request.id)
    return new Response(null, { status: 307, headers: { location: "/elsewhere" } })
  }
}

/** Answers that are none, whatever the request. */
const rubbish: ReadonlyArray<readonly [string, Responder]> = [
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
  ["a refusal", (request) => refusal(request, -32_603)],
  ["a refusal without sense", ({ id }) => Response.json({ id, error: "no" })],
  ["no result", ({ id }) => Response.json({ jsonrpc: "2.0", id })],
]

for (const [name, answer] of rubbish) {
  liveTest(`an endpoint that returns ${name} proves nothing`, () =>
    Effect.gen(function* () {
      equal(wordOf(yield* asked("paid", answer, transaction)), "unavailable")
      const { balanceOf, hasCode, transfers } = yield* chainAt(answer)
      const { asset } = token
      const questions: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        balanceOf(asset, stranger),
        hasCode(stranger),
        transfers({ asset, to: stranger, after: 1n }),
        transfers({ asset, to: stranger, after: null }),
      ]
      const said = yield* Effect.forEach(questions, Effect.result, { concurrency: "unbounded" })
      ok(said.every(Result.isFailure))
    }))
}

liveTest("the response of another request proves nothing", () =>
  Effect.gen(function* () {
    for (const story of stories) {
      const honest = honestResponses(story)
      const late = (request: RpcRequest) =>
        result({ ...request, id: request.id + 1 }, honest(request))
      equal(wordOf(yield* asked(story, late, transaction)), "unavailable")
    }
  }))

for (const [name, logs] of falseLogs) {
  liveTest(
    `logs ${name} do not pay, in the receipt or by themselves`,
    () =>
      Effect.gen(function* () {
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
          equal(wordOf(yield* asked("paid", lying(method), transaction)), "unavailable")
        }
        const filtering = honestResponses("paid", logs)
        const plausible = (request: RpcRequest) => result(request, filtering(request))
        const word = wordOf(yield* asked("paid", plausible, null))
        ok(["unavailable", "spent_elsewhere"].includes(word), word)
        // A scan asks for the one and then for the other, so it is shown no order.
        if (name !== "in the wrong order") equal(yield* scansPayment(plausible), false)
      }),
  )
}

/** Whether a scan finds the payment. */
const scansPayment = Effect.fnUntraced(function* (answer: Responder) {
  const { transfers } = yield* chainAt(answer)
  const read = yield* Effect.result(
    transfers({ asset: token.asset, to: address(terms.payTo), after: 4_000n }),
  ).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  const { from, nonce, value } = paymentOf("paid")
  return Result.isSuccess(read) &&
    read.success.transfers.some((seen) =>
      seen.from === from && seen.nonce === nonce && seen.value === value
    )
})

liveTest(
  "a nonce that is used twice, or whose block lacks the log, proves nothing",
  () =>
    Effect.gen(function* () {
      const [canceled = {}] = logsOf("cancelled")
      const twice = honestResponses("cancelled", [canceled, { ...canceled, logIndex: "0x9" }])
      const honest = honestResponses("cancelled")
      const forgetful = (request: RpcRequest) => {
        const [filter] = request.params as ReadonlyArray<{ readonly blockHash?: string }>
        return result(request, filter?.blockHash === undefined ? honest(request) : [])
      }
      for (const answer of [(q: RpcRequest) => result(q, twice(q)), forgetful]) {
        equal(wordOf(yield* asked("cancelled", answer, null)), "unavailable")
      }
    }),
)

/** Answers to one method that must not be believed, and the payment they are about. */
const lies: ReadonlyArray<readonly [string, ChainHistory, string, ReadonlyArray<unknown>]> = [
  ["a state that is none", "expired", "eth_call", [
    null,
    true,
    "0x",
    "0x0",
    `0x${"0".repeat(63)}2`,
    `0x${"0".repeat(128)}`,
    -1,
  ]],
  ["a state without its log", "expired", "eth_call", [`0x${"0".repeat(63)}1`]],
  ["another chain", "expired", "eth_chainId", ["0x1", "0x14a34", null, "", 8453]],
  ["no safe block", "expired", "eth_getBlockByNumber", [null, {}, "0x1", []]],
  ["a safe block of no time", "expired", "eth_getBlockByNumber", [
    { number: "0x1388", hash: `0x${"0".repeat(64)}` },
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: "-0x1" },
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: `0x${"f".repeat(40)}` },
  ]],
  ["a use in a block far ahead", "waiting", "eth_getLogs", [[{ ...use, blockNumber: far }]]],
  ["a safe block from the future", "waiting", "eth_getBlockByNumber", [
    { number: "0x1388", hash: `0x${"0".repeat(64)}`, timestamp: "0x1ffffffff" },
  ]],
]

for (const [name, story, method, answers] of lies) {
  liveTest(`an endpoint that shows ${name} proves nothing`, () =>
    Effect.gen(function* () {
      const honest = honestResponses(story)
      for (const lie of answers) {
        const lying = (request: RpcRequest) =>
          result(request, request.method === method ? lie : honest(request))
        equal(wordOf(yield* asked(story, lying, null)), "unavailable")
      }
    }))
}

const hex = (n: number | bigint) => `0x${n.toString(16)}`

/** An honest endpoint whose safe block is another; its other blocks, and our clock, are ahead of it. */
const safeAt = (story: ChainHistory, number: number, timestamp: bigint): Responder => {
  const honest = honestResponses(story)
  return (request) => {
    const isSafe = request.method === "eth_getBlockByNumber" && request.params[0] === "safe"
    if (!isSafe) return result(request, honest(request))
    const hash = `0x${"5a".repeat(32)}`
    return result(request, { number: hex(number), hash, timestamp: hex(timestamp) })
  }
}

liveTest(
  "an unused payment is void when a safe block is later than validBefore, not earlier",
  () =>
    Effect.gen(function* () {
      const { validBefore } = paymentOf("expired")
      for (const [later, word] of [[-1n, "not_yet"], [0n, "not_yet"], [1n, "expired"]] as const) {
        const answer = safeAt("expired", 5_000, validBefore + later)
        equal(wordOf(yield* asked("expired", answer, null)), word)
      }
    }),
)

liveTest(
  "a cancelled payment is void when the block of its cancellation is safe, not earlier",
  () =>
    Effect.gen(function* () {
      const { validBefore } = paymentOf("cancelled")
      for (const [safe, word] of [[4_899, "not_yet"], [4_900, "spent_elsewhere"]] as const) {
        const answer = safeAt("cancelled", safe, validBefore - 100n)
        equal(wordOf(yield* asked("cancelled", answer, null)), word)
      }
    }),
)

liveTest(
  "the receipt of a failed transaction proves no payment, whatever its logs are",
  () =>
    Effect.gen(function* () {
      const [honest, paying] = [honestResponses("expired"), honestResponses("paid")]
      const said = yield* asked("expired", (request) =>
        result(
          request,
          request.method === "eth_getTransactionReceipt"
            ? { ...paying(request) as Log, status: "0x0" }
            : honest(request),
        ), transaction)
      equal(wordOf(said), "expired")
    }),
)

/** A value somewhere in an answer, by its path, and what it is replaced by. */
const anyDamage = Arbitrary.schema(Schema.Struct({
  story: Schema.Literals(["paid", "expired", "cancelled", "waiting"]),
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

Deno.test("no corruption of one response turns one proof into another", async () => {
  const checked = await Effect.runPromise(Arbitrary.checkEffect(
    anyDamage,
    ({ story, hinted, call, leaf, by }) => {
      const honest = honestResponses(story)
      let calls = 0
      const lying = (request: RpcRequest) => {
        const answer = honest(request)
        return result(request, calls++ === call ? damaged(answer, { left: leaf }, by) : answer)
      }
      return Effect.scoped(Effect.map(
        asked(story, lying, hinted ? transaction : null),
        (said) => [truths[story], "not_yet", "unavailable"].includes(wordOf(said)),
      ))
    },
    { runs: 300 },
  ))
  const failure = Arbitrary.formatCheckFailure(checked)
  if (failure !== undefined) throw new Error(failure)
})
