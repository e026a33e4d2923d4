/**
 * What a crooked service cannot get out of the demonstration agent: more authorizations than its
 * budget has, other ones than it checked, or half a day of its time.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { purchaseTimeoutMs } from "../../examples/agent/buy.ts"
import {
  asking,
  type Came,
  type Crooked,
  failing,
  item,
  json,
  visit,
} from "../support/examples/crookedShop.ts"
import { liveTest } from "../support/effect.ts"

interface Authorization {
  readonly nonce: string
  readonly value: string
  readonly validBefore: string
}

/** Everything the service could settle, whatever it says of it. */
const authorizations = (payments: ReadonlyArray<Came>): ReadonlyArray<Authorization> => {
  const all: ReadonlyArray<Authorization> = payments.map(({ payment }) =>
    JSON.parse(atob(payment ?? "")).payload.authorization
  )
  return [...new Map(all.map((made) => [made.nonce, made])).values()]
}
const units = (payments: ReadonlyArray<Came>) =>
  authorizations(payments).reduce((sum, { value }) => sum + Number(value), 0)

const givenAway = (n: number) => json({ success: true, charged: false, data: [item(n)] })

liveTest(
  "what a service says it did not take is signed for all the same",
  () =>
    Effect.gen(function* () {
      const { text, error, payments } = yield* visit({
        index: (looks) => looks,
        paid: (_, n) => givenAway(n),
      }, { polls: 40 })
      strictEqual(error, "")
      strictEqual(units(payments), 240_000)
      match(text, /stopping {3}\/v1\/signals would be over the budget/)
      match(text, /signed {5}\$0.24 of \$0.25; not taken according to the service: \$0.24/)
      match(text, /bought {5}0 answers[^]+left {7}\$0.01 of \$0.25/)
    }),
)

liveTest(
  "a 402 after the payment does not bring the budget back, nor do books that call it void",
  () =>
    Effect.gen(function* () {
      const { text, payments } = yield* visit({
        index: (looks) => looks,
        paid: (_, n) => n % 3 === 0 ? givenAway(n) : json({ error: "no" }, 402),
        books: { state: "void" },
      }, { polls: 40 })
      strictEqual(units(payments), 240_000)
      match(text, /left {7}\$0.01 of \$0.25/)
    }),
)

/** The feed's 402 with other entries to accept than the honest one. */
const offering = (
  change: (entry: Record<string, unknown>) => ReadonlyArray<Record<string, unknown>>,
): Crooked => ({
  unpaid: ({ path }, _, base) =>
    path === "/v1/signals"
      ? asking(base, (header) => {
        header.accepts = header.accepts.flatMap(change)
      })
      : null,
})
const extra = (entry: Record<string, unknown>, fields: object) => ({
  ...entry,
  extra: { ...Object(entry["extra"]), ...fields },
})

liveTest(
  "what is signed is the entry that was checked, not another of the list",
  () =>
    Effect.gen(function* () {
      const { payments } = yield* visit(offering((entry) => [
        // The reference client prefers the second to it.
        extra(entry, { paymentFlow: "upfront" }),
        { ...entry, maxTimeoutSeconds: 315_360_000 },
      ]))
      const [signed] = authorizations(payments)
      const seconds = Number(signed?.validBefore) - Date.now() / 1_000
      ok(seconds > 0 && seconds <= 120, `the authorization can be used for ${seconds} s`)
    }),
)

/** What the extra of an entry may talk the reference client into. */
const deeds: ReadonlyArray<readonly [string, object]> = [
  ["another token's domain", { name: "Coin" }],
  ["another version of the token", { version: "1" }],
  ["a permit in place of a transfer", { assetTransferMethod: "permit2" }],
]

for (const [name, fields] of deeds) {
  liveTest(`the key does not sign ${name}`, () =>
    Effect.gen(function* () {
      const { error, payments } = yield* visit(offering((entry) => [extra(entry, fields)]))
      match(error, /the message to sign is not a transfer of USDC on Base/)
      equal(payments, [])
    }))
}

const later = (seconds: number) =>
  failing(503, { charged: null, retryable: true }, { "retry-after": String(seconds) })

/** How long a paid request is put off each time, how often it is sent, and how long that takes. */
const putOff: ReadonlyArray<readonly [seconds: number, sends: number, waitedMs: number]> = [
  [3_600, 1, 0],
  [100, 2, 100_000],
  [29, 7, 174_000],
  [1, 12, 12_000],
]

for (const [seconds, sends, waitedMs] of putOff) {
  liveTest(
    `a payment that is put off by ${seconds} s each time is sent ${sends} times, and stays counted`,
    () =>
      Effect.gen(function* () {
        const { text, error, payments, skippedMs } = yield* visit({
          index: (looks) => looks,
          paid: () => later(seconds),
          books: { state: "unresolved" },
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
  "a purchase that is put off before its challenge is given up unsigned",
  () =>
    Effect.gen(function* () {
      const { error, payments, skippedMs } = yield* visit({
        unpaid: ({ path }) => path === "/v1/signals" ? later(100) : null,
      })
      match(error, /\/v1\/signals: status 503; 100 s more exceed the time limit/)
      equal([payments.length, skippedMs], [0, 100_000])
    }),
)
