/**
 * The agent's money: its signatures stay within the budget, it checks challenge, message, receipt and
 * record, and it interprets answers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import {
  addSigned,
  exceededLimit,
  type Ledger,
  type PaymentOutcome,
  unspent,
  withOutcome,
} from "../../../examples/agent/budget.ts"
import {
  checkChallenge,
  checkReceipt,
  checkRecord,
  checkTyped,
  interpretAnswer,
} from "../../../examples/agent/buy.ts"
import type { HttpAnswer } from "../../../examples/agent/http.ts"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { challenge } from "../../../src/payments/domain/x402/challenge.ts"
import { receiptHeader } from "../../../src/payments/domain/x402/terms.ts"
import { law } from "../../support/effect.ts"
import { terms } from "../../support/payments/terms.ts"

const units = AtomicAmount.make
const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 30n }))
const outcomes: ReadonlyArray<PaymentOutcome> = [
  ...["signed", "charged", "uncharged", "refundQueued", "refunded"] as const,
]

law(
  "an agent that calls exceededLimit() before it signs never signs for more than its budget",
  Arbitrary.schema(Schema.Struct({
    budget: Units,
    perCall: Units,
    steps: Schema.Array(
      Schema.Struct({ price: Units, of: Schema.Int, becomes: Schema.Literals(outcomes) }),
    ),
  })),
  ({ budget, perCall, steps }) => {
    const limits = { budget: units(budget), perCall: units(perCall) }
    let ledger: Ledger = []
    let signedTotal = 0n
    steps.forEach(({ price, of, becomes }, n) => {
      if (exceededLimit(units(price), ledger, limits) === null) {
        ok(price <= perCall)
        ledger = addSigned(ledger, { target: "/", price: units(price), paymentId: String(n) })
        signedTotal += price
      }
      ledger = withOutcome(ledger, String(Math.abs(of) % (n + 1)), becomes)
      ok(signedTotal <= budget)
      equal<bigint>(signedTotal + unspent(ledger, limits), budget)
    })
  },
)

Deno.test("withOutcome() keeps final outcomes, and changes a charge only to a refund", () => {
  const start = addSigned([], { target: "/", price: units(3n), paymentId: "a" })
  for (const first of outcomes) {
    for (const second of outcomes) {
      const outcome = withOutcome(withOutcome(start, "a", first), "a", second)[0]?.outcome
      const allowed = first === "signed" ||
        (first === "charged" && second.startsWith("refund")) ||
        (first === "refundQueued" && second === "refunded")
      equal(outcome, allowed ? second : first, `${first}, then ${second}`)
    }
  }
})

const offer = {
  path: products.signals.path,
  description: "",
  price: products.signals.price,
  countMax: null,
}
const url = new URL(`${terms.publicBaseUrl}/v1/signals?since=3`)
const { header, body } = challenge(products.signals, terms)
const honest = { header: JSON.parse(atob(header)), body: JSON.parse(JSON.stringify(body)) }
type Honest = typeof honest

Deno.test("checkChallenge() accepts the service's own challenge", () => {
  equal(
    Result.getOrThrow(checkChallenge(offer, url, honest)),
    { amount: products.signals.price, payTo: terms.payTo },
  )
})

/** Changes to the challenge, and the error of each. */
const changes: ReadonlyArray<readonly [string, (honest: Honest) => void, RegExp]> = [
  ["more in the header", ({ header }) => header.accepts[0].amount = "40000", /requests 40000/],
  ["less in the header", ({ header }) => header.accepts[0].amount = "1", /requests 1 units/],
  ["more in the body", ({ body }) => body.accepts[0].price = "$0.04", /body says \$0.04/],
  ["another token", ({ header }) => header.accepts[0].asset = terms.payTo, /is not USDC/],
  ["another network", ({ header }) => header.accepts[0].network = "eip155:1", /on eip155:1/],
  ["another scheme", ({ header }) => header.accepts[0].scheme = "upto", /requests upto/],
  ["two receivers", ({ body }) => body.accepts[0].payTo = terms.asset, /different receivers/],
  ["a year's time", ({ header }) => header.accepts[0].maxTimeoutSeconds = 31_536_000, /31536000 s/],
  ["another path", ({ header }) => header.resource.url = "http://127.0.0.1:8402/v1/x", /it is for/],
  ["another host", ({ header }) => header.resource.url = "http://a.example/v1/signals", /is for/],
  ["version 1", ({ header }) => header.x402Version = 1, /not x402 version 2/],
  ["no amount", ({ header }) => header.accepts[0].amount = "", /not x402/],
  ["nothing to accept", ({ header }) => header.accepts = [], /not x402/],
  ["no body", (honest) => honest.body = null, /has no price/],
]

for (const [name, apply, reason] of changes) {
  Deno.test(`checkChallenge() refuses ${name}`, () => {
    const tampered = structuredClone(honest)
    apply(tampered)
    const checked = checkChallenge(offer, url, tampered)
    ok(Result.isFailure(checked) && reason.test(checked.failure.message), JSON.stringify(checked))
  })
}

Deno.test("checkChallenge() refuses to pay for a path that the contract calls free", () => {
  const checked = checkChallenge({ ...offer, price: null }, url, honest)
  ok(Result.isFailure(checked) && /says that this path is free/.test(checked.failure.message))
})

const payer = `0x${"a1".repeat(20)}`
const agreed = { amount: products.signals.price, payTo: terms.payTo }

const nowSeconds = 1_795_000_000
const typed = {
  domain: { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: terms.asset },
  primaryType: "TransferWithAuthorization",
  message: {
    from: payer,
    to: terms.payTo,
    value: products.signals.price,
    validAfter: 0n,
    validBefore: BigInt(nowSeconds + 600),
  },
}
type Typed = typeof typed

/** Changes to the message to sign, and the error; null when it is signed. */
const messages: ReadonlyArray<readonly [string, (typed: Typed) => object, RegExp | null]> = [
  ["a transfer as agreed", () => ({}), null],
  [
    "another token's name",
    ({ domain }) => ({ domain: { ...domain, name: "Coin" } }),
    /is not a transfer/,
  ],
  [
    "another version",
    ({ domain }) => ({ domain: { ...domain, version: "1" } }),
    /is not a transfer/,
  ],
  ["another chain", ({ domain }) => ({ domain: { ...domain, chainId: 1 } }), /is not a transfer/],
  [
    "another token",
    ({ domain }) => ({ domain: { ...domain, verifyingContract: terms.payTo } }),
    /is not a transfer/,
  ],
  [
    "another primary type",
    () => ({ primaryType: "PermitWitnessTransferFrom" }),
    /is not a transfer/,
  ],
  ["another receiver", changed({ to: terms.asset }), /pays 0x/],
  ["another payer", changed({ from: terms.asset }), /spends from 0x/],
  ["more", changed({ value: products.signals.price + 1n }), /for 30001 units/],
  ["less", changed({ value: products.signals.price - 1n }), /for 29999 units/],
  ["a second too long", changed({ validBefore: BigInt(nowSeconds + 601) }), /is valid from/],
  ["not before tomorrow", changed({ validAfter: BigInt(nowSeconds + 1) }), /is valid from/],
]

function changed(change: object) {
  return ({ message }: Typed) => ({ message: { ...message, ...change } })
}

for (const [name, change, reason] of messages) {
  Deno.test(`checkTyped() ${reason === null ? "accepts" : "refuses"} ${name}`, () => {
    const checked = checkTyped({ ...typed, ...change(typed) }, agreed, payer, nowSeconds)
    equal(Result.isSuccess(checked), reason === null)
    if (Result.isFailure(checked)) {
      ok(reason?.test(checked.failure.message), checked.failure.message)
    }
  })
}

const receipt = JSON.parse(atob(receiptHeader({
  payer,
  transaction: `0x${"5a".repeat(32)}`,
  network: "eip155:8453",
})))

/** Changes to a receipt, and whether it is still valid. */
const receipts: ReadonlyArray<readonly [object, boolean]> = [
  [{}, true],
  [{ payer: payer.toUpperCase().replace("0X", "0x") }, true],
  [{ amount: "30000" }, true],
  [{ amount: "30001" }, false],
  [{ payer: `0x${"a2".repeat(20)}` }, false],
  [{ network: "eip155:1" }, false],
  [{ transaction: "" }, false],
  [{ success: false }, false],
]

for (const [change, isValid] of receipts) {
  Deno.test(`checkReceipt() ${isValid ? "accepts" : "refuses"} ${JSON.stringify(change)}`, () => {
    equal(Result.isSuccess(checkReceipt({ ...receipt, ...change }, agreed, payer)), isValid)
  })
}

const record = {
  state: "answered",
  amountUsd: "0.03",
  payer,
  transaction: receipt.transaction as string | null,
}

Deno.test("checkRecord() compares amount, transaction and payer with the receipt", () => {
  ok(Result.isSuccess(checkRecord(record, receipt, agreed)))
  for (
    const change of [
      { amountUsd: "0.04" },
      { transaction: null },
      { transaction: `0x${"5b".repeat(32)}` },
      { payer: `0x${"a2".repeat(20)}` },
    ]
  ) ok(Result.isFailure(checkRecord({ ...record, ...change }, receipt, agreed)))
})

interface Failure {
  readonly charged: boolean | null
  readonly retryable: boolean
  readonly refund?: { readonly state: string }
}
const failure = (fields: Failure) => ({
  error: { code: "some_code", message: "why", ...fields },
})

const statuses = [200, 308, 400, 402, 404, 409, 410, 422, 429, 500, 502, 503]
const failures: ReadonlyArray<Failure> = [true, false, null].flatMap((charged) =>
  [true, false].flatMap((retryable) => [
    { charged, retryable },
    ...["queued", "confirmed"].map((state) => ({ charged, retryable, refund: { state } })),
  ])
)
const answer = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): HttpAnswer => ({ status, body, text: "", headers: new Headers(headers) })

Deno.test("interpretAnswer() reads the outcome from the service's own errors", () => {
  for (const status of statuses.filter((status) => status !== 200 && status !== 402)) {
    for (const fields of failures) {
      const { charged, retryable, refund } = fields
      const result = interpretAnswer(answer(status, failure(fields)))
      const actual = result.kind === "ended" ? result.outcome : result.kind
      const expected = refund !== undefined
        ? refund.state === "confirmed" ? "refunded" : "refundQueued"
        : charged === true
        ? "charged"
        : charged === null || retryable
        ? "retry"
        : "uncharged"
      equal(actual, expected, JSON.stringify([status, fields]))
    }
  }
})

Deno.test("interpretAnswer() never claims an outcome that the service did not report", () => {
  equal(interpretAnswer(null).kind, "retry")
  for (const body of [undefined, "<html>", {}, { charged: false }, { error: "no" }]) {
    for (const status of statuses) {
      const result = interpretAnswer(answer(status, body))
      const actual = result.kind === "ended" ? result.outcome : result.kind
      const expected = status === 200
        ? "delivered"
        : status === 402
        ? "uncharged"
        : status >= 500 || status === 429
        ? "retry"
        : "signed"
      equal(actual, expected, JSON.stringify([status, body]))
    }
  }
})

Deno.test("interpretAnswer() takes a 200 as charged unless it says otherwise and has no receipt", () => {
  for (
    const [receipt, body, charged] of [
      [true, { charged: true }, true],
      [false, { charged: false }, false],
      [true, { charged: false }, true],
      [false, {}, true],
    ] as const
  ) {
    const headers: Record<string, string> = receipt ? { "payment-response": "" } : {}
    equal(interpretAnswer(answer(200, body, headers)), { kind: "delivered", charged })
  }
})

Deno.test("interpretAnswer() waits as long as Retry-After says", () => {
  const unresolved = failure({ charged: null, retryable: true })
  const waits = [{ "retry-after": "7" }, undefined].map((headers) =>
    interpretAnswer(answer(503, unresolved, headers))
  )
  equal(waits.map((result) => result.kind === "retry" && result.waitMs), [7_000, 5_000])
})
