/**
 * The demonstration agent against faulty services: what it signs, what it sends again, and what it
 * reports as spent.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { buy, type Buyer } from "../../examples/agent/buy.ts"
import { atomic } from "../../src/core/domain/money.ts"
import {
  brokenResponse,
  challengeResponse,
  errorResponse,
  instantClock,
  json,
  openFaultyService,
  receipt,
  runAgentAgainst,
  type ServiceFaults,
  transaction,
} from "../support/examples/faultyService.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"

liveTest(
  "an honest service is paid once, and its receipt is checked against its record",
  () =>
    Effect.gen(function* () {
      const { text, error, payments, received } = yield* runAgentAgainst({})
      strictEqual(error, "")
      equal(payments.length, 1)
      match(payments[0]?.key ?? "", /^[A-Za-z0-9_-]{16,128}$/)
      match(text, new RegExp(`receipt and record agree: \\$0\\.03 in ${transaction}`))
      match(text, /#3 moved: “Question 3” 0.4 -> 0.6 \(\+0.2\) in 1h, z 4.2/)
      match(
        text,
        /signed {5}\$0.03 of \$0.25; .+ \$0.00\nbought {5}1 answers for \$0.03\n.+\n.+\nleft {7}\$0.22 of \$0.25\n.+since 3$/,
      )
      equal(received.slice(0, 4).map(({ path }) => path), [
        ...["/llms.txt", "/documents/openapi.json", "/health", "/v1/index"],
      ])
      ok(received.some(({ path }) => /^\/v1\/payments\/0x[0-9a-f]{64}$/.test(path)))
    }),
)

/** A fault of the service, and the error of the agent, which signs nothing. */
const unsigned: ReadonlyArray<readonly [string, ServiceFaults, RegExp]> = [
  [
    "a challenge that requests more than the contract says",
    {
      unpaid: ({ path }, _, base) =>
        path === "/v1/signals" ? tamperedChallenge(base, "amount", "40000") : null,
    },
    /it requests 40000 units, the contract says 30000/,
  ],
  [
    "a challenge with another receiver than the body",
    {
      unpaid: ({ path }, _, base) =>
        path === "/v1/signals" ? tamperedChallenge(base, "payTo", `0x${"66".repeat(20)}`) : null,
    },
    /header and body have different receivers/,
  ],
  [
    "a 402 without a challenge",
    { unpaid: ({ path }) => path === "/v1/signals" ? json({}, 402) : null },
    /returned 402 without a challenge/,
  ],
  [
    "documents with different prices",
    { listedPrice: "0.01" },
    /\/v1\/signals costs \$0.01 in one document and \$0.03 in another/,
  ],
  [
    "a contract without a price",
    {
      unpaid: ({ path }) => path === "/documents/openapi.json" ? json({ openapi: "3.1.0" }) : null,
    },
    /The contract cannot be read/,
  ],
]

const tamperedChallenge = (base: string, name: string, value: string) =>
  challengeResponse(base, ({ accepts }) => Object.assign(accepts[0] ?? {}, { [name]: value }))

for (const [name, faults, reason] of unsigned) {
  liveTest(`nothing is signed for ${name}`, () =>
    Effect.gen(function* () {
      const { error, text, payments } = yield* runAgentAgainst(faults)
      match(error, reason)
      equal(payments, [])
      match(text, /bought {5}0 answers for \$0.00/)
    }))
}

liveTest(
  "a price over the cap is not requested, and the agent ends without an error",
  () =>
    Effect.gen(function* () {
      const { text, error, received } = yield* runAgentAgainst({}, {
        limits: { budget: atomic("1"), perCall: atomic("0.029999") },
      })
      strictEqual(error, "")
      match(text, /stopping {3}\/v1\/signals would be over the cap/)
      ok(!received.some(({ path }) => path === "/v1/signals"))
    }),
)

liveTest(
  "a growing feed is bought until the budget is used up",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* runAgentAgainst({ index: (nth) => nth }, {
        limits: { budget: atomic("0.10"), perCall: atomic("1") },
        polls: null,
      })
      strictEqual(error, "")
      equal(payments.length, 3)
      equal(new Set(payments.map(({ payment }) => payment)).size, 3)
      equal(new Set(payments.map(({ key }) => key)).size, 3)
      match(text, /stopping {3}\/v1\/signals would be over the budget/)
      match(text, /bought {5}3 answers for \$0.09[^]+left {7}\$0.01 of \$0.10/)
    }),
)

/** The answers to the payments in order, how often they are sent, and the summary. */
const ends: ReadonlyArray<
  readonly [name: string, faults: ServiceFaults, sends: number, summary: RegExp, waitsMs: number]
> = [
  [
    "an answer that was lost once",
    { paid: (_, nth) => nth === 1 ? brokenResponse() : null },
    2,
    bought(1),
    0,
  ],
  [
    "a settlement that was unresolved twice",
    {
      paid: (_, nth) =>
        nth < 3
          ? errorResponse(503, { charged: null, retryable: true }, { "retry-after": "5" })
          : null,
    },
    ...[3, bought(1), 10_000] as const,
  ],
  [
    "a 429",
    {
      paid: (_, nth) =>
        nth === 1
          ? errorResponse(429, { charged: false, retryable: true }, { "retry-after": "7" })
          : null,
    },
    ...[2, bought(1), 7_000] as const,
  ],
  [
    "a proxy's 502",
    { paid: (_, nth) => nth === 1 ? new Response("<html>", { status: 502 }) : null },
    ...[2, bought(1), 1_000] as const,
  ],
  [
    "a payment that is still in progress",
    {
      paid: (_, nth) => nth === 1 ? errorResponse(409, { charged: null, retryable: true }) : null,
    },
    ...[2, bought(1), 1_000] as const,
  ],
  [
    "an uncharged answer",
    { paid: () => json({ success: true, data: [], charged: false }) },
    ...[
      1,
      /signed {5}\$0.03 of \$0.25; not taken according to the service: \$0.03\nbought {5}0 answers/,
      0,
    ] as const,
  ],
  [
    "a payment that was used already",
    { paid: () => errorResponse(409, { charged: true, retryable: false }) },
    ...[1, bought(1), 0] as const,
  ],
  [
    "a payment that was refunded",
    {
      paid: () =>
        errorResponse(410, { charged: true, retryable: false, refund: { state: "confirmed" } }),
    },
    ...[
      1,
      /refunds {4}\$0.03; paid according to the service: \$0.03\nleft {7}\$0.22 of \$0.25/,
      0,
    ] as const,
  ],
  [
    "a refund that is queued",
    {
      paid: () =>
        errorResponse(500, { charged: true, retryable: true, refund: { state: "queued" } }),
      record: { state: "refund_due" },
    },
    ...[
      1,
      /refunds {4}\$0.03; paid according to the service: \$0.00\nleft {7}\$0.22 of \$0.25/,
      0,
    ] as const,
  ],
  [
    "a refund that was queued and is paid before the agent ends",
    {
      paid: () =>
        errorResponse(500, { charged: true, retryable: true, refund: { state: "queued" } }),
      record: { state: "refunded" },
    },
    ...[
      1,
      /refunds {4}\$0.03; paid according to the service: \$0.03\nleft {7}\$0.22 of \$0.25/,
      0,
    ] as const,
  ],
  [
    "a payment that is not valid",
    { paid: () => json({ error: "insufficient_funds" }, 402) },
    ...[1, /not taken according to the service: \$0.03[^]+left {7}\$0.22 of \$0.25/, 0] as const,
  ],
  [
    "no answer at all, and a record that says void",
    { paid: brokenResponse, record: { state: "void" } },
    ...[
      12,
      /the payment is uncharged\n[^]+not taken according to the service: \$0.03[^]+left {7}\$0.22 of \$0.25/,
      0,
    ] as const,
  ],
  [
    "no answer at all, and a record that is unresolved",
    { paid: brokenResponse, record: { state: "unresolved" } },
    ...[
      12,
      /unclear {4}\$0.03 for \/v1\/signals\?since=0: check GET \/v1\/payments\/0x[^]+left {7}\$0.22 of \$0.25/,
      0,
    ] as const,
  ],
  [
    "a redirect to elsewhere",
    {
      paid: (_, __, base) => Response.redirect(`${base}/elsewhere`, 308),
      record: { state: "unresolved" },
    },
    ...[1, /unclear {4}\$0.03/, 0] as const,
  ],
]

function bought(answers: number): RegExp {
  return new RegExp(`bought {5}${answers} answers for \\$0.0${3 * answers}`)
}

for (const [name, faults, sends, summary, waitsMs] of ends) {
  liveTest(`the agent signs only once for ${name}`, () =>
    Effect.gen(function* () {
      const { text, error, payments, received, skippedMs } = yield* runAgentAgainst(faults)
      strictEqual(error, "")
      equal(payments.length, sends)
      equal(new Set(payments.map(({ payment }) => payment)).size, 1)
      equal(new Set(payments.map(({ key }) => key)).size, 1)
      match(text, summary)
      ok(skippedMs >= waitsMs, `waited ${skippedMs} ms`)
      ok(!received.some(({ path }) => path === "/elsewhere"))
    }))
}

/** Faults that the agent finds after it has paid. */
const dishonest: ReadonlyArray<readonly [string, ServiceFaults, RegExp]> = [
  [
    "a receipt for another amount",
    { paid: () => json({ data: [], charged: true }, 200, receipt({ amount: "40000" })) },
    /the receipt is for 40000 units, but 30000 were signed/,
  ],
  [
    "a receipt of another payer",
    {
      paid: () =>
        json({ data: [], charged: true }, 200, receipt({ payer: `0x${"66".repeat(20)}` })),
    },
    /the receipt has another payer/,
  ],
  ["no receipt", { paid: () => json({ data: [], charged: true }) }, /but has no receipt/],
  ["a record with a higher amount", { record: { amountUsd: "0.04" } }, /the record says \$0.04/],
  [
    "a record with another transaction",
    { record: { transaction: `0x${"66".repeat(32)}` } },
    /different transactions/,
  ],
]

for (const [name, faults, reason] of dishonest) {
  liveTest(`${name} stops the agent, and the payment is counted`, () =>
    Effect.gen(function* () {
      const { error, text, payments } = yield* runAgentAgainst(faults, { polls: 5 })
      match(error, reason)
      equal(payments.length, 1)
      match(text, bought(1))
    }))
}

liveTest(
  "a key whose payments are rejected is tried three times",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* runAgentAgainst({
        paid: () => json({ error: "insufficient_funds" }, 402),
      }, { polls: 9 })
      strictEqual(error, "")
      equal(payments.length, 3)
      match(text, /stopping {3}the feed was not available 3 times in a row/)
    }),
)

liveTest(
  "a throw-unavailable key is not used where payments are real",
  () =>
    Effect.gen(function* () {
      const { text, payments } = yield* runAgentAgainst({ paymentMode: "live" }, { polls: 3 })
      equal(payments, [])
      match(text, /the key has no money: watching only/)
    }),
)

liveTest("the agent reads the free limit and never exceeds it", () =>
  Effect.gen(function* () {
    const { refused, received, skippedMs } = yield* runAgentAgainst({ index: () => 0 }, {
      polls: 12,
    })
    equal(received.filter(({ path }) => path === "/v1/index").length, 12)
    strictEqual(refused, 0)
    // Thirteen free requests are five at once and eight more at five a minute.
    ok(skippedMs >= 2 * 60_000 - 5_000, `waited ${skippedMs} ms`)
  }))

liveTest(
  "an unavailable service is tried again after longer and longer waits",
  () =>
    Effect.gen(function* () {
      const unavailable = yield* runAgentAgainst({
        unpaid: ({ path }, nth) =>
          path === "/v1/index" && nth > 1 && nth < 5 ? brokenResponse() : null,
      }, { polls: 2 })
      strictEqual(unavailable.error, "")
      ok(unavailable.skippedMs >= 7_000, `waited ${unavailable.skippedMs} ms`)
      match(
        unavailable.text,
        /retry in 1 s\n.+ in 2 s\n.+ in 4 s\n\/v1\/index answers again\npoll 2/,
      )
      const neverBack = yield* runAgentAgainst({
        unpaid: ({ path }, nth) => path === "/v1/index" && nth > 1 ? brokenResponse() : null,
      }, { polls: 9 })
      match(neverBack.error, /did not answer 12 times in a row/)
      match(neverBack.text, bought(1))
    }),
)

liveTest(
  "a rate-limited index is polled again after its Retry-After",
  () =>
    Effect.gen(function* () {
      const { error, text, skippedMs } = yield* runAgentAgainst({
        unpaid: ({ path }, nth) =>
          path === "/v1/index" && nth === 1
            ? errorResponse(429, { charged: false, retryable: true }, { "retry-after": "9" })
            : null,
      })
      strictEqual(error, "")
      match(text, /\/v1\/index: status 429; retry in 9 s\n\/v1\/index answers again\npoll 1/)
      ok(skippedMs >= 9_000, `waited ${skippedMs} ms`)
    }),
)

liveTest(
  "buy() checks the budget before it signs, whatever the plan decided",
  () =>
    Effect.gen(function* () {
      const { clock } = yield* instantClock
      const { base, received } = yield* openFaultyService(clock, {})
      for (
        const [budget, perCall, reason] of [
          ["0.029999", "1", "over the budget"],
          ["1", "0.029999", "over the cap"],
        ] as const
      ) {
        const limits = { budget: atomic(budget), perCall: atomic(perCall) }
        const buyer0: Buyer = {
          ...{ base, account: buyer(0), limits },
          ledger: [],
          print: () => Effect.void,
        }
        const offer = {
          path: "/v1/signals",
          description: "",
          price: atomic("0.03"),
          countMax: null,
        }
        equal(yield* buy(buyer0, offer, "/v1/signals?since=0"), { kind: "failed", reason })
        equal(buyer0.ledger, [])
      }
      ok(received.length === 2 && received.every(({ payment }) => payment === null))
    }),
)
