/**
 * What a dishonest service cannot get from the demonstration agent: authorizations beyond its budget,
 * authorizations that it did not check, or hours of waiting.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { purchaseTimeoutMs } from "../../examples/agent/buy.ts"
import {
  challengeResponse,
  errorResponse,
  item,
  json,
  type ReceivedRequest,
  runAgentAgainst,
  type ServiceFaults,
} from "../support/examples/faultyService.ts"
import { liveTest } from "../support/effect.ts"

interface Authorization {
  readonly nonce: string
  readonly value: string
  readonly validBefore: string
}

/** All authorizations that the service could settle, whatever it reports. */
const authorizations = (payments: ReadonlyArray<ReceivedRequest>): ReadonlyArray<Authorization> => {
  const all: ReadonlyArray<Authorization> = payments.map(({ payment }) =>
    JSON.parse(atob(payment ?? "")).payload.authorization
  )
  return [...new Map(all.map((one) => [one.nonce, one])).values()]
}
const units = (payments: ReadonlyArray<ReceivedRequest>) =>
  authorizations(payments).reduce((sum, { value }) => sum + Number(value), 0)

const uncharged = (n: number) => json({ success: true, charged: false, data: [item(n)] })

liveTest(
  "a payment that the service reports as not taken still counts against the budget",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* runAgentAgainst({
        index: (polls) => polls,
        paid: (_, n) => uncharged(n),
      }, { polls: 40 })
      strictEqual(error, "")
      strictEqual(units(payments), 240_000)
      match(text, /stopping {3}\/v1\/signals would be over the budget/)
      match(text, /signed {5}\$0.24 of \$0.25; not taken according to the service: \$0.24/)
      match(text, /bought {5}0 answers[^]+left {7}\$0.01 of \$0.25/)
    }),
)

liveTest(
  "neither a 402 after the payment nor a void record adds to the budget again",
  () =>
    Effect.gen(function* () {
      const { text, payments } = yield* runAgentAgainst({
        index: (polls) => polls,
        paid: (_, n) => n % 3 === 0 ? uncharged(n) : json({ error: "no" }, 402),
        record: { state: "void" },
      }, { polls: 40 })
      strictEqual(units(payments), 240_000)
      match(text, /left {7}\$0.01 of \$0.25/)
    }),
)

/** The feed's 402 with changed entries in `accepts`. */
const offering = (
  change: (entry: Record<string, unknown>) => ReadonlyArray<Record<string, unknown>>,
): ServiceFaults => ({
  unpaid: ({ path }, _, base) =>
    path === "/v1/signals"
      ? challengeResponse(base, (header) => {
        header.accepts = header.accepts.flatMap(change)
      })
      : null,
})
const extra = (entry: Record<string, unknown>, fields: object) => ({
  ...entry,
  extra: { ...Object(entry["extra"]), ...fields },
})

liveTest(
  "the agent signs the checked entry, not another one in the list",
  () =>
    Effect.gen(function* () {
      const { payments } = yield* runAgentAgainst(offering((entry) => [
        // The reference client prefers the second entry.
        extra(entry, { paymentFlow: "upfront" }),
        { ...entry, maxTimeoutSeconds: 315_360_000 },
      ]))
      const [signed] = authorizations(payments)
      const seconds = Number(signed?.validBefore) - Date.now() / 1_000
      ok(seconds > 0 && seconds <= 120, `the authorization is valid for ${seconds} s`)
    }),
)

/** Values of `extra` that change what the reference client signs. */
const forgedExtras: ReadonlyArray<readonly [string, object]> = [
  ["another token's domain", { name: "Coin" }],
  ["another version of the token", { version: "1" }],
  ["a permit in place of a transfer", { assetTransferMethod: "permit2" }],
]

for (const [name, fields] of forgedExtras) {
  liveTest(`the key does not sign ${name}`, () =>
    Effect.gen(function* () {
      const { error, payments } = yield* runAgentAgainst(
        offering((entry) => [extra(entry, fields)]),
      )
      match(error, /the message to sign is not a transfer of USDC on Base/)
      equal(payments, [])
    }))
}

const retryLater = (seconds: number) =>
  errorResponse(503, { charged: null, retryable: true }, { "retry-after": String(seconds) })

/** The Retry-After of each answer, how often the payment is sent, and how long that takes. */
const delayedAnswers: ReadonlyArray<readonly [seconds: number, sends: number, waitedMs: number]> = [
  [3_600, 1, 0],
  [100, 2, 100_000],
  [29, 7, 174_000],
  [1, 12, 12_000],
]

for (const [seconds, sends, waitedMs] of delayedAnswers) {
  liveTest(
    `a payment with Retry-After ${seconds} each time is sent ${sends} times and stays counted`,
    () =>
      Effect.gen(function* () {
        const { text, error, payments, skippedMs } = yield* runAgentAgainst({
          index: (polls) => polls,
          paid: () => retryLater(seconds),
          record: { state: "unresolved" },
        }, { polls: 9 })
        strictEqual(error, "")
        equal(payments.length, sends)
        strictEqual(authorizations(payments).length, 1)
        strictEqual(skippedMs, waitedMs)
        ok(skippedMs <= purchaseTimeoutMs)
        match(text, /the payment is unclear\nstopping {3}.+a second signature may pay twice\n/)
        match(
          text,
          /unclear {4}\$0.03 for \/v1\/signals\?since=0: check GET [^]+left {7}\$0.22 of/,
        )
      }),
  )
}

liveTest(
  "a purchase delayed before its challenge fails without a signature",
  () =>
    Effect.gen(function* () {
      const { error, payments, skippedMs } = yield* runAgentAgainst({
        unpaid: ({ path }) => path === "/v1/signals" ? retryLater(100) : null,
      })
      match(error, /\/v1\/signals: status 503; a wait of 100 s would exceed the time limit/)
      equal([payments.length, skippedMs], [0, 100_000])
    }),
)
