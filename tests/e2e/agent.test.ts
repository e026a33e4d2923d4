/**
 * The demonstration agent against faulty services: when it stops, what it buys again, and what it
 * reports as spent. The purchases themselves are those of bellwether-client.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import {
  brokenResponse,
  challengeResponse,
  item,
  runAgentAgainst,
  type ServiceFaults,
} from "../support/examples/faultyService.ts"
import { errorResponse, json, receipt, transaction } from "../support/client/seller.ts"
import { liveTest } from "../support/effect.ts"

liveTest(
  "an honest service is paid once, and its receipt is checked against its record",
  () =>
    Effect.gen(function* () {
      const { text, error, payments, received } = yield* runAgentAgainst({})
      strictEqual(error, "")
      equal(payments.length, 1)
      match(text, new RegExp(`receipt and record agree: \\$0\\.03 in ${transaction}`))
      match(text, /#3 moved: “Question 3” 0.4 -> 0.6 \(\+0.2\) in 1h, z 4.2/)
      match(
        text,
        /signed {5}\$0.03; .+ \$0.00\nbought {5}1 answers for \$0.03\n.+\nleft {7}\$0.22 of \$0.25\n.+since 3$/,
      )
      equal(received.slice(0, 4).map(({ path }) => path), [
        ...["/llms.txt", "/documents/openapi.json", "/health", "/v1/index"],
      ])
    }),
)

/** A fault of the service, and the error of the agent, which signs nothing. */
const unsigned: ReadonlyArray<readonly [string, ServiceFaults, RegExp]> = [
  [
    "a challenge that requests more than the contract says",
    {
      unpaid: ({ path }, _, base) =>
        path === "/v1/signals"
          ? challengeResponse(base, ({ accepts }) => {
            Object.assign(accepts[0] ?? {}, { amount: "40000" })
          })
          : null,
    },
    /terms for get_signals are not those of the contract/,
  ],
  [
    "documents with different prices",
    { listedPrice: "0.01" },
    /\/v1\/signals costs \$0.01 in a document of the service, and \$0.03 in the client/,
  ],
  [
    "a contract that cannot be read",
    {
      unpaid: ({ path }) => path === "/documents/openapi.json" ? json({ openapi: "3.1.0" }) : null,
    },
    /The contract cannot be read/,
  ],
]

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
      const { text, error, received } = yield* runAgentAgainst({}, { maxPriceUsd: "0.029999" })
      strictEqual(error, "")
      match(text, /stopping {3}the feed costs more than is left/)
      ok(!received.some(({ path }) => path === "/v1/signals"))
    }),
)

liveTest("a growing feed is bought until the budget is used up", () =>
  Effect.gen(function* () {
    const { text, error, payments } = yield* runAgentAgainst({ index: (nth) => nth }, {
      ...{ budgetUsd: "0.10", polls: null },
    })
    strictEqual(error, "")
    equal(new Set(payments.map(({ payment }) => payment)).size, 3)
    match(text, /stopping {3}the feed costs more than is left/)
    match(text, /bought {5}3 answers for \$0.09[^]+left {7}\$0.01 of \$0.10/)
  }))

/** The answers to the payments, how often the one payment is sent, and the summary. */
const ends: ReadonlyArray<readonly [string, ServiceFaults, sends: number, summary: RegExp]> = [
  [
    "an answer that was lost once",
    { paid: (_, nth) => nth === 1 ? brokenResponse() : null },
    2,
    /bought {5}1 answers for \$0.03/,
  ],
  [
    "an uncharged answer",
    { paid: () => json({ success: true, data: [], charged: false }) },
    1,
    /not taken according to the service: \$0.03\nbought {5}0 answers[^]+left {7}\$0.22 of \$0.25/,
  ],
  [
    "a refund that was queued and is paid before the agent ends",
    {
      paid: () =>
        errorResponse(500, { charged: true, retryable: true, refund: { state: "queued" } }),
      record: { state: "refunded" },
    },
    1,
    /refunds {4}\$0.03; paid according to the service: \$0.03\nleft {7}\$0.22 of \$0.25/,
  ],
  [
    "no answer at all, and a record that is unresolved",
    { paid: brokenResponse, record: { state: "unresolved" } },
    12,
    /stopping {3}the outcome of a payment is unclear\n[^]+unclear {4}\$0.03 for \/v1\/signals\?since=0&count=20: check GET \/v1\/payments\/0x[^]+left {7}\$0.22 of \$0.25/,
  ],
]

for (const [name, faults, sends, summary] of ends) {
  liveTest(`the agent signs only once for ${name}`, () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* runAgentAgainst(faults)
      strictEqual(error, "")
      equal(payments.length, sends, text)
      equal(new Set(payments.map(({ payment }) => payment)).size, 1)
      equal(new Set(payments.map(({ key }) => key)).size, 1)
      match(text, summary)
    }))
}

liveTest(
  "a wrong receipt stops the agent, and the payment is counted",
  () =>
    Effect.gen(function* () {
      const { error, text, payments } = yield* runAgentAgainst({
        paid: () => json({ data: [], charged: true }, 200, receipt({ amount: "40000" })),
      }, { polls: 5 })
      match(error, /The service says that it charged \$0.03, but/)
      equal(payments.length, 1)
      match(text, /bought {5}1 answers for \$0.03/)
    }),
)

liveTest(
  "what the service reports as not taken counts against the budget all the same",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* runAgentAgainst({
        index: (polls) => polls,
        paid: (_, n) => json({ success: true, charged: false, data: [item(n)] }),
      }, { polls: 40 })
      strictEqual(error, "")
      equal(new Set(payments.map(({ payment }) => payment)).size, 8)
      match(text, /signed {5}\$0.24; not taken according to the service: \$0.24/)
      match(text, /bought {5}0 answers[^]+left {7}\$0.01 of \$0.25/)
    }),
)

liveTest("a key whose payments are rejected is tried three times", () =>
  Effect.gen(function* () {
    const { text, error, payments } = yield* runAgentAgainst({
      paid: () => json({ error: "insufficient_funds" }, 402),
    }, { polls: 9 })
    strictEqual(error, "")
    equal(payments.length, 3)
    match(text, /stopping {3}the feed was not available 3 times in a row/)
  }))

liveTest("a throw-away key is not used where payments are real", () =>
  Effect.gen(function* () {
    const { text, payments } = yield* runAgentAgainst({ paymentMode: "live" }, { polls: 3 })
    equal(payments, [])
    match(text, /the key has no money: watching only/)
  }))

liveTest("the agent waits as long as the free limit asks", () =>
  Effect.gen(function* () {
    const { error, received, skippedMs } = yield* runAgentAgainst({ index: () => 0 }, {
      ...{ polls: 12, everyMs: 0 },
    })
    strictEqual(error, "")
    ok(received.filter(({ path }) => path === "/v1/index").length >= 12)
    // Thirteen free requests are five at once and eight more at five a minute.
    ok(skippedMs >= 2 * 60_000 - 5_000, `waited ${skippedMs} ms`)
  }))
