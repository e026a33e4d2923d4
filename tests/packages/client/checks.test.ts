/**
 * The checks of the client: challenge, message to sign, receipt and record; what an answer to a payment
 * means; the waits; and the parameters of a call.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Arbitrary, Schema } from "effect"
import { calls } from "../../../packages/client/src/contract.ts"
import {
  backoffMs,
  type HttpAnswer,
  pollDelayMs,
  retryAfterMs,
} from "../../../packages/client/src/http.ts"
import { interpretAnswer } from "../../../packages/client/src/interpret.ts"
import { atomic, usd } from "../../../packages/client/src/money.ts"
import { addressOf } from "../../../packages/client/src/parameters.ts"
import {
  readReceipt,
  readRecord,
  readTerms,
  wrongRecord,
  wrongTransfer,
} from "../../../packages/client/src/terms.ts"
import { plain, quoted } from "../../../packages/client/src/text.ts"
import { usd as serviceUsd } from "../../../src/core/domain/money.ts"
import { queryReader } from "../../../src/catalog/domain/parameter.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import { law } from "../../support/effect.ts"
import { baseUrl, challengeAt, payer, receipt, sellerTerms } from "../../support/client/seller.ts"

const price = products.signals.price
const url = new URL(`${baseUrl}/v1/signals?since=3`)
const honest = challengeAt("/v1/signals") ?? { header: {}, body: {} }
type Honest = typeof honest

Deno.test("readTerms() accepts the service's own challenge of every product", () => {
  for (const { path, price, settlementOrder } of Object.values(products)) {
    const { header, body } = challengeAt(path) ?? honest
    equal(readTerms(price, new URL(`${baseUrl}${path}`), header, body), {
      amount: price,
      payTo: sellerTerms.payTo,
      validSeconds: 120,
      resource: `${baseUrl}${path}`,
      isUpfront: settlementOrder === "settle-early",
    })
  }
})

/** Changes to the challenge, and why it is refused. */
const changes: ReadonlyArray<readonly [string, (honest: Honest) => void, RegExp]> = [
  ["more in the header", ({ header }) => header.accepts[0].amount = "40000", /requests 40000/],
  ["less in the header", ({ header }) => header.accepts[0].amount = "1", /requests 1 units/],
  ["more in the body", ({ body }) => body.accepts[0].price = "$0.04", /body says \$0.04/],
  ["another token", ({ header }) => header.accepts[0].asset = sellerTerms.payTo, /is not USDC/],
  [
    "another token's name",
    ({ header }) => header.accepts[0].extra.name = "Coin",
    /message to sign/,
  ],
  ["another version", ({ header }) => header.accepts[0].extra.version = "1", /message to sign/],
  [
    "a permit",
    ({ header }) => header.accepts[0].extra.assetTransferMethod = "permit2",
    /message to sign/,
  ],
  ["another network", ({ header }) => header.accepts[0].network = "eip155:1", /on eip155:1/],
  ["another scheme", ({ header }) => header.accepts[0].scheme = "upto", /requests upto/],
  ["two receivers", ({ body }) => body.accepts[0].payTo = sellerTerms.asset, /different receivers/],
  ["a year's time", ({ header }) => header.accepts[0].maxTimeoutSeconds = 31_536_000, /31536000 s/],
  ["no time", ({ header }) => header.accepts[0].maxTimeoutSeconds = 0, /valid for 0 s/],
  ["another path", ({ header }) => header.resource.url = `${baseUrl}/v1/x`, /it is for/],
  ["another host", ({ header }) => header.resource.url = "http://a.example/v1/signals", /is for/],
  ["version 1", ({ header }) => header.x402Version = 1, /not x402 version 2/],
  ["no amount", ({ header }) => header.accepts[0].amount = "", /not x402/],
  ["nothing to accept", ({ header }) => header.accepts = [], /not x402/],
  ["no body", (honest) => honest.body = null, /has no price/],
]

for (const [name, apply, reason] of changes) {
  Deno.test(`readTerms() refuses ${name}`, () => {
    const tampered = structuredClone(honest)
    apply(tampered)
    const read = readTerms(price, url, tampered.header, tampered.body)
    ok(
      typeof read === "string" && reason.test(read),
      JSON.stringify(read, (_, value) => typeof value === "bigint" ? String(value) : value),
    )
  })
}

const nowSeconds = 1_795_000_000
const agreed = {
  ...{ amount: price, payTo: sellerTerms.payTo, validSeconds: 120 },
  ...{ resource: url.href, isUpfront: false },
}
const typed = {
  domain: { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: sellerTerms.asset },
  primaryType: "TransferWithAuthorization",
  message: {
    from: payer,
    to: sellerTerms.payTo,
    value: price as bigint,
    validAfter: 0n,
    validBefore: BigInt(nowSeconds + 120),
    nonce: `0x${"ab".repeat(32)}`,
  },
}
type Typed = typeof typed

const domainChange = (change: object) => ({ domain }: Typed) => ({
  domain: { ...domain, ...change },
})
const change = (change: object) => ({ message }: Typed) => ({ message: { ...message, ...change } })

/** Changes to the message to sign, and why it is refused; null when it is signed. */
const messages: ReadonlyArray<readonly [string, (typed: Typed) => object, RegExp | null]> = [
  ["a transfer as agreed", () => ({}), null],
  ["another token's name", domainChange({ name: "Coin" }), /is not a transfer/],
  ["another version", domainChange({ version: "1" }), /is not a transfer/],
  ["another chain", domainChange({ chainId: 1 }), /is not a transfer/],
  ["another token", domainChange({ verifyingContract: sellerTerms.payTo }), /is not a transfer/],
  ["another type", () => ({ primaryType: "PermitWitnessTransferFrom" }), /is not a transfer/],
  ["no nonce", change({ nonce: undefined }), /is not a transfer/],
  ["another receiver", change({ to: sellerTerms.asset }), /pays 0x/],
  ["another payer", change({ from: sellerTerms.asset }), /spends from 0x/],
  ["more", change({ value: price + 1n }), /for 30001 units/],
  ["less", change({ value: price - 1n }), /for 29999 units/],
  ["an amount as text", change({ value: price.toString() }), /units/],
  ["three seconds too long", change({ validBefore: BigInt(nowSeconds + 123) }), /is valid from/],
  ["not before tomorrow", change({ validAfter: BigInt(nowSeconds + 1) }), /is valid from/],
]

for (const [name, change, reason] of messages) {
  Deno.test(`wrongTransfer() ${reason === null ? "accepts" : "refuses"} ${name}`, () => {
    const wrong = wrongTransfer({ ...typed, ...change(typed) }, agreed, payer, nowSeconds)
    if (reason === null) equal(wrong, null)
    else match(wrong ?? "accepted", reason)
  })
}

Deno.test("readTerms() refuses nested lists of any depth", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)
  for (const name of ["scheme", "network", "extra", "asset", "payTo", "amount"]) {
    const { header, body } = structuredClone(honest)
    header.accepts[0][name] = deep
    equal(typeof readTerms(price, url, header, body), "string", name)
  }
})

Deno.test("wrongTransfer() never accepts more than 600 s, whatever was agreed", () => {
  const long = { ...agreed, validSeconds: 100_000 }
  const message = { ...typed.message, validBefore: BigInt(nowSeconds + 700) }
  match(wrongTransfer({ ...typed, message }, long, payer, nowSeconds) ?? "", /is valid from/)
})

const sent = JSON.parse(atob(receipt()["payment-response"] ?? ""))

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
  Deno.test(`readReceipt() ${isValid ? "accepts" : "refuses"} ${JSON.stringify(change)}`, () => {
    equal(typeof readReceipt({ ...sent, ...change }, price, payer) !== "string", isValid)
  })
}

Deno.test("wrongRecord() compares amount, transaction and payer with the receipt", () => {
  const { transaction } = sent
  const body = { state: "answered", amountUsd: "0.03", payer, transaction }
  const record = readRecord(body)
  ok(record !== null)
  equal(wrongRecord(record, { payer, transaction }, price), null)
  for (
    const change of [
      { amount: 40_000n },
      { transaction: null },
      { transaction: `0x${"5b".repeat(32)}` },
      { payer: `0x${"a2".repeat(20)}` },
    ]
  ) ok(wrongRecord({ ...record, ...change }, { payer, transaction }, price) !== null)
  for (
    const wrong of [{ state: 1 }, { amountUsd: "free" }, { payer: "me" }, { transaction: "0x" }]
  ) {
    equal(readRecord({ ...body, ...wrong }), null)
  }
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
const meaningOf = (answer: HttpAnswer | null): string => {
  const meaning = interpretAnswer(answer)
  return meaning.kind === "ended" ? meaning.outcome : meaning.kind
}

Deno.test("interpretAnswer() reads the outcome from the service's own errors", () => {
  for (const status of statuses.filter((status) => status !== 200 && status !== 402)) {
    for (const fields of failures) {
      const { charged, retryable, refund } = fields
      const expected = refund !== undefined
        ? refund.state === "confirmed" ? "refunded" : "refundQueued"
        : charged === true
        ? "charged"
        : charged === null || retryable
        ? "retry"
        : "unused"
      equal(meaningOf(answer(status, failure(fields))), expected, JSON.stringify([status, fields]))
    }
  }
})

Deno.test("interpretAnswer() never claims an outcome that the service did not report", () => {
  equal(interpretAnswer(null).kind, "retry")
  for (const body of [undefined, "<html>", {}, { charged: false }, { error: "no" }]) {
    for (const status of statuses) {
      const hasCharged = typeof body === "object" && "charged" in body
      const expected = status === 200 && hasCharged
        ? "delivered"
        : status === 402
        ? "refused"
        : status >= 500 || status === 429
        ? "retry"
        : "unknown"
      equal(meaningOf(answer(status, body)), expected, JSON.stringify([status, body]))
    }
  }
})

Deno.test("interpretAnswer() takes a 200 as charged unless it says otherwise and has no receipt", () => {
  for (
    const [receipt, body, charged] of [
      [true, { charged: true }, true],
      [false, { charged: false }, false],
      [true, { charged: false }, true],
      [false, { charged: true }, true],
    ] as const
  ) {
    const headers: Record<string, string> = receipt ? { "payment-response": "" } : {}
    const meaning = interpretAnswer(answer(200, body, headers))
    equal(meaning.kind === "delivered" && meaning.charged, charged)
  }
})

Deno.test("interpretAnswer() does not know what a 200 means that has neither receipt nor charged", () => {
  for (const body of [{}, undefined, [], "<html>"]) {
    const meaning = interpretAnswer(answer(200, body, {}))
    equal(meaning.kind === "ended" && meaning.outcome, "unknown")
  }
})

Deno.test("interpretAnswer() waits as long as Retry-After says", () => {
  const unresolved = failure({ charged: null, retryable: true })
  const waits = [{ "retry-after": "7" }, undefined].map((headers) =>
    interpretAnswer(answer(503, unresolved, headers))
  )
  equal(waits.map((meaning) => meaning.kind === "retry" && meaning.waitMs), [7_000, 5_000])
})

const Budget = Schema.Struct({
  quota: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
  windowSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })),
  everyMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 })),
})

law(
  "a client that waits as pollDelayMs() says never exceeds the limit it reads",
  Arbitrary.schema(Budget),
  ({ quota, windowSeconds, everyMs }) => {
    const windowMs = windowSeconds * 1_000
    let grants: ReadonlyArray<number> = []
    let now = 0
    for (let poll = 0; poll < 40; poll += 1) {
      grants = grants.filter((at) => now - at < windowMs)
      ok(grants.length < quota, `poll ${poll} at ${now} is refused`)
      grants = [...grants, now]
      const resetMs = (grants[0] ?? now) + windowMs - now
      const field = `"free";r=${quota - grants.length};t=${Math.ceil(resetMs / 1_000)}`
      const waitMs = pollDelayMs(field, everyMs)
      ok(waitMs >= everyMs)
      now += waitMs
    }
  },
)

Deno.test("pollDelayMs() and retryAfterMs() read only the documented form", () => {
  equal(pollDelayMs('"documents";r=0;t=7, "free";r=1;t=2', 5), 7_000)
  for (
    const field of [null, "", "free;r=0;t=9", '"free";r=-1;t=2', '"free";r=0', '"free";r=4;t=60']
  ) {
    equal(pollDelayMs(field, 5), 5)
  }
  const waitOf = (field: string) => retryAfterMs(answer(503, {}, { "retry-after": field }))
  equal(["7", "0", "999999999"].map(waitOf), [7_000, 1_000, 3_600_000])
  for (const field of ["", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"]) {
    equal(waitOf(field), null)
  }
  equal(retryAfterMs(null), null)
})

Deno.test("backoffMs() doubles each time, up to a minute", () => {
  const waits = [1, 2, 3, 6, 7, 8, 1_000].map(backoffMs)
  equal(waits, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000])
})

const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 12n }))

law(
  "atomic() and usd() are inverse, and agree with the service",
  Arbitrary.schema(Units),
  (units) => {
    equal(atomic(usd(units)), units)
    equal(usd(units), serviceUsd(AtomicAmount.make(units)))
  },
)

Deno.test("atomic() refuses what is not an amount", () => {
  for (const text of ["", "-1", "1e3", ".5", "0.0000001", "12345678", "0x1", "1,5", 3, null]) {
    equal(atomic(text), null)
  }
})

const Values = Schema.Union([
  Schema.String,
  Schema.Int,
  Schema.Finite,
  Schema.Boolean,
  Schema.Literals(["mover", "0", "1", "will-the-bridge-open"]),
])
const Given = Schema.Record(
  Schema.Literals(["since", "count", "type", "market", "hours", "minLiquidity", "index", "x"]),
  Values,
)

law(
  "addressOf() accepts only parameters that the service accepts",
  Arbitrary.schema(Schema.Struct({ given: Given, of: Schema.Literals(Object.keys(products)) })),
  ({ given, of }) => {
    const product = Object.values(products).find(({ id }) => id === of)
    const row = Object.values(calls).find(({ path }) => path === product?.path)
    ok(product !== undefined && row !== undefined)
    const address = addressOf(row, given, new URL(baseUrl))
    if (typeof address === "string") return
    const decoded = queryReader(product.parameters)(address.searchParams)
    equal(decoded._tag, "Success", address.href)
  },
)

Deno.test("addressOf() gives one address to one call, and names the parameter that is wrong", () => {
  const of = (name: keyof typeof calls, given: object) => {
    const address = addressOf(calls[name], given, new URL(baseUrl))
    return typeof address === "string" ? address : `${address.pathname}${address.search}`
  }
  equal(of("get_signals", { count: 20, since: 5 }), "/v1/signals?since=5&count=20")
  equal(of("get_signals", { since: 5, count: 20, type: undefined }), "/v1/signals?since=5&count=20")
  equal(of("get_resolving", { includeNoise: true }), "/v1/resolving?includeNoise=1")
  equal(of("get_resolving", { includeNoise: false }), "/v1/resolving")
  equal(of("get_signals", { count: 21 }), "count must be a whole number from 1 to 20, not 21")
  equal(of("get_signals", { since: -1 }), "since must be a whole number of at least 0, not -1")
  match(of("get_signals", { type: "rumour" }), /^type must be one of mover, /)
  equal(of("get_research", {}), "market is missing")
  equal(of("get_latest", { since: 1 }), "there is no parameter since: this call has none")
  equal(of("get_research", { market: "A-Slug" }), "/v1/research?market=a-slug")
  match(of("get_research", { market: "HTTPS://Polymarket.com/event/A-Slug" }), /a-slug$/)
  match(of("get_research", { amrket: "x" }), /amrket: use market; the nearest is market$/)
  const known = "use since, count, type"
  equal(of("get_signals", { foo: 1 }), `there is no parameter foo: ${known}`)
  equal(
    of("get_signals", { sinse: 1 }),
    `there is no parameter sinse: ${known}; the nearest is since`,
  )
})

Deno.test("plain() and quoted() leave nothing that could control a terminal or end a quotation", () => {
  equal(plain("a\u001b[2J\u202eb\n\u200bc", 40), "a [2J b c")
  equal(plain("abcdef", 4), "abc…")
  equal(plain("a".repeat(50_000_000), 4), "aaa…")
  equal(quoted('he said “buy” "now"'), "“he said 'buy' 'now'”")
  equal(quoted("\u200b"), "“unnamed”")
})
