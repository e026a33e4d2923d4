/**
 * The paywall over HTTP: the order of its checks, and the answer to each outcome.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Exit, Fiber, Result } from "effect"
import { Base64 } from "effect/encoding"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import type { RefusalCode } from "../../../src/catalog/domain/refusal.ts"
import { DataStale } from "../../../src/core/domain/freshness.ts"
import { isoTime } from "../../../src/core/domain/time.ts"
import { SignalNotFound } from "../../../src/feed/domain/item.ts"
import type { Computed, ProductHandler } from "../../../src/http/paywall/checkout.ts"
import { type FailedSale, NotCharged, Unresolved } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { hungUp, tooManyOfAddress } from "../../../src/payments/sale/responses.ts"
import { LookupsExhausted } from "../../../src/research/domain/report.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import { RateLimits, RateLimitUnavailable } from "../../../src/core/RateLimits.ts"
import { buyer } from "../../support/payments/buyers.ts"
import {
  nothing,
  once,
  passing,
  product,
  startSeconds,
  taken,
} from "../../support/payments/sales.ts"
import {
  authorizationFor,
  headerOf,
  nonce,
  terms,
  wirePayment,
} from "../../support/payments/terms.ts"
import { layerMemoryRateLimits, memoryRateLimits } from "../../support/memoryRateLimits.ts"
import { goodWork, paywallHarness } from "../../support/http/paywallHarness.ts"
import { signedFor } from "../../support/http/signed.ts"
import { marketTest } from "../../support/http/paidService.ts"

const url = `${terms.publicBaseUrl}${product.path}`
const paid = (header: string, more: Record<string, string> = {}, query = "") =>
  new Request(url + query, { headers: { "payment-signature": header, ...more } })

/** JSON has no text for it. */
const unsendable = { transaction: 1n } as unknown as Outcome["receipt"]

/** An Idempotency-Key that is too easy to guess. */
const shortKey = { "idempotency-key": "1" }

const payment = (n = 0) =>
  Effect.map(
    signedFor(product, { nonce: nonce(n), atSeconds: startSeconds }),
    ({ wire }) => wire,
  )

const error = (response: Response) => Effect.promise(async () => (await response.json()).error)

/** Calls while the test clock advances. */
const call = Effect.fnUntraced(function* (
  handle: (request: Request) => Effect.Effect<Response>,
  request: Request,
) {
  const fiber = yield* Effect.forkChild(handle(request))
  yield* passing(2)
  return yield* Fiber.join(fiber)
})

const makeHandler = (...args: Parameters<typeof paywallHarness>) =>
  Effect.provide(paywallHarness(...args), layerMemoryRateLimits)

const headerJson = (response: Response, name: string) =>
  JSON.parse(Result.getOrThrow(Base64.decodeString(response.headers.get(name) ?? "")))

marketTest("HEAD is a 402 even with a payment, and takes nothing", function* () {
  const handle = yield* makeHandler(Effect.die("computed"))
  const header = headerOf(yield* payment())
  const head = new Request(url, { method: "HEAD", headers: { "payment-signature": header } })
  equal((yield* handle(head)).status, 402)
  equal(yield* taken, nothing)
})

marketTest(
  "a valid payment with wrong parameters is counted, and pays once they are corrected",
  function* () {
    const handle = yield* makeHandler()
    const header = headerOf(yield* payment())
    const wrong = paid(header, {}, "?index=x")
    for (let i = 0; i < 2; i++) equal((yield* handle(wrong)).status, 400)
    equal((yield* call(handle, paid(header))).status, 200)
    equal((yield* handle(wrong)).status, 400)
    const denied = yield* handle(wrong)
    equal([denied.status, (yield* error(denied)).charged], [429, null])
    equal(yield* taken, once)
  },
)

for (const [what, query, key] of [["parameter", "?index=x", {}], ["key", "", shortKey]] as const) {
  marketTest(
    `an invalid ${what} with a malformed payment is a 400, and counts as an invalid payment`,
    function* () {
      const handle = yield* makeHandler()
      for (let i = 0; i < 3; i++) {
        equal((yield* handle(paid("rubbish", key, query))).status, 400)
      }
      const denied = yield* handle(paid("rubbish", key, query))
      equal([denied.status, (yield* error(denied)).charged], [429, null])
      equal((yield* handle(paid("rubbish"))).status, 429)
    },
  )
}

marketTest(
  "a valid payment in either header gets a 200 with charged and the receipt",
  function* () {
    const handle = yield* makeHandler()
    for (const [at, name] of (["payment-signature", "x-payment"] as const).entries()) {
      const header = headerOf(yield* payment(at))
      const response = yield* call(handle, new Request(url, { headers: { [name]: header } }))
      equal(response.status, 200)
      equal(response.headers.get("cache-control"), "private, no-store")
      equal(response.headers.get("content-type"), "application/json")
      const receipt = headerJson(response, "payment-response")
      equal([receipt.success, receipt.network], [true, "eip155:8453"])
      equal(response.headers.get("x-payment-response"), response.headers.get("payment-response"))
      const text = yield* Effect.promise(() => response.text())
      ok(text.startsWith('{"success":true,"validUntil":"2027-01-15T08:'))
      ok(text.endsWith('"},"data":{"feedIndex":7},"charged":true}'))
    }
  },
)

marketTest("PAYMENT-SIGNATURE has priority over X-PAYMENT", function* () {
  const handle = yield* makeHandler()
  const header = headerOf(yield* payment())
  equal((yield* call(handle, paid(header, { "x-payment": "rubbish" }))).status, 200)
})

marketTest("an invalid payment is a 402 with the reason in header and body", function* () {
  const handle = yield* makeHandler(Effect.die("computed"))
  const wire = yield* payment()
  const other = wirePayment(
    product,
    authorizationFor(buyer(1), product, startSeconds),
    wire.payload.signature,
  )
  for (
    const [header, why] of [
      ["rubbish", /base64/],
      [headerOf({ ...wire, accepted: { ...wire.accepted, amount: "1" } }), /amount must be/],
      [headerOf(other), /signature/],
    ] as const
  ) {
    const response = yield* call(handle, paid(header))
    const body = yield* Effect.promise(() => response.json())
    equal([response.status, body.charged], [402, false])
    ok(why.test(body.error), body.error)
    equal(headerJson(response, "payment-required").error, body.error)
  }
  equal(yield* taken, nothing)
})

marketTest(
  "too many invalid payments are a 429, and then no payment of that client is verified",
  function* () {
    const handle = yield* makeHandler()
    for (let i = 0; i < 3; i++) equal((yield* handle(paid("rubbish"))).status, 402)
    const denied = yield* handle(paid("rubbish"))
    equal([denied.status, denied.headers.get("retry-after")], [429, "60"])
    const header = headerOf(yield* payment())
    equal((yield* handle(paid(header))).status, 429)
    equal((yield* call(handle, paid(header, { "x-client": "192.0.2.2" }))).status, 200)
    yield* passing(60)
    equal((yield* call(handle, paid(headerOf(yield* payment(1))))).status, 200)
  },
)

marketTest("answers that are not charged count as invalid payments, for any payment", function* () {
  let computed = 0
  const handle = yield* makeHandler(
    Effect.sync(() => ({ ...goodWork, charge: computed++ >= 3 })),
  )
  for (const n of [0, 0, 1]) {
    equal((yield* call(handle, paid(headerOf(yield* payment(n))))).status, 200)
  }
  const denied = yield* call(handle, paid(headerOf(yield* payment(1))))
  const { code, charged } = yield* error(denied)
  // The payment was not verified, so it may be one that was charged.
  equal([denied.status, code, charged], [429, "rate_limited", null])
  equal([denied.headers.get("retry-after"), computed, yield* taken], ["54", 3, nothing])
  const other = paid(headerOf(yield* payment(2)), { "x-client": "192.0.2.2" })
  equal((yield* call(handle, other)).status, 200)
  equal(yield* taken, once)
})

marketTest(
  "requests without an answer and repeated payments count as invalid payments",
  function* () {
    const failing = yield* makeHandler(Effect.fail(new SignalNotFound({ index: 7 })))
    const selling = yield* makeHandler()
    const statuses = (handle: typeof failing) =>
      Effect.forEach([1, 1, 1, 1, 1], (n) =>
        Effect.map(
          Effect.flatMap(payment(n), (wire) => call(handle, paid(headerOf(wire)))),
          ({ status }) => status,
        ))
    equal(yield* statuses(failing), [404, 404, 404, 429, 429])
    equal((yield* statuses(selling)).slice(0, 4), [200, 409, 409, 409])
  },
)

const refusing = (code: RefusalCode) => new NotCharged({ code, message: "Refused" })
/** Ends of a sale, and whether its buyer can choose them: then they count as invalid payments. */
const ends: ReadonlyArray<readonly [string, FailedSale, boolean]> = [
  ["an unresolved settlement", new Unresolved({ message: "", retryAfterSeconds: 1 }), true],
  ...([
    ...["payment_conflict", "payment_already_used", "payment_refunded", "signal_not_found"],
    ...["market_not_found", "below_threshold", "invalid_parameter", "rate_limited"],
  ] as const).map((code) => [code, refusing(code), true] as const),
  ["a full address", tooManyOfAddress, false],
  ["a venue that failed", refusing("venue_error"), false],
  ["a full service", refusing("overloaded"), false],
]

for (const [what, failure, counts] of ends) {
  marketTest(`${what} ${counts ? "counts" : "does not count"} as an invalid payment`, function* () {
    const handle = yield* Effect.provideService(makeHandler(), Payments, {
      ...yield* Payments,
      sell: () => Effect.fail(failure),
    })
    const messages: Array<string> = []
    for (let n = 0; n < 4; n++) {
      messages.push((yield* error(yield* handle(paid(headerOf(yield* payment(n)))))).message)
    }
    equal(messages.map((text) => /Too many invalid/.test(text)), [false, false, false, counts])
  })
}

marketTest("a buyer who hangs up before the charge counts as an invalid payment", function* () {
  const handle = yield* Effect.provideService(makeHandler(), Payments, {
    ...yield* Payments,
    sell: ({ onAbandoned }) => Effect.andThen(onAbandoned(Exit.fail(hungUp)), Effect.interrupt),
  })
  for (let n = 0; n < 3; n++) {
    yield* Effect.exit(handle(paid(headerOf(yield* payment(n)))))
  }
  equal((yield* handle(paid(headerOf(yield* payment(3))))).status, 429)
})

marketTest("refusals for a limit of the client count as invalid payments", function* () {
  const used = new LookupsExhausted({ ofClient: true, retryAfterSeconds: 9 })
  const handle = yield* makeHandler(Effect.fail(used))
  const charged: Array<unknown> = []
  for (let n = 0; n < 4; n++) {
    const response = yield* call(handle, paid(headerOf(yield* payment(n))))
    equal(response.status, 429)
    charged.push((yield* error(response)).charged)
  }
  // The last payment was not read.
  equal(charged, [false, false, false, null])
})

marketTest(
  "charged answers do not count as invalid payments, and repeated answers do",
  function* () {
    const handle = yield* makeHandler()
    const key = (n: number) => ({ "idempotency-key": `0123456789abcde${n}` })
    const statuses: Array<number> = []
    for (const n of [0, 1, 2, 3, 4, 0, 0, 0, 0]) {
      statuses.push((yield* call(handle, paid(headerOf(yield* payment(n)), key(n)))).status)
    }
    equal(statuses, [...Array(8).fill(200), 429])
  },
)

marketTest(
  "an answer that is not charged is returned even when it cannot be counted",
  function* () {
    const handle = yield* Effect.provideService(
      paywallHarness(Effect.succeed({ ...goodWork, charge: false })),
      RateLimits,
      RateLimits.of({
        ...memoryRateLimits(),
        take: () => Effect.fail(new RateLimitUnavailable()),
      }),
    )
    for (let i = 0; i < 5; i++) {
      equal((yield* call(handle, paid(headerOf(yield* payment())))).status, 200)
    }
  },
)

marketTest(
  "a known payment with a forged signature is a 409, and counts as an invalid payment",
  function* () {
    const handle = yield* makeHandler()
    const wire = yield* payment()
    equal((yield* call(handle, paid(headerOf(wire)))).status, 200)
    const other = yield* payment(1)
    const { signature } = other.payload
    const forged = headerOf({ ...wire, payload: { ...wire.payload, signature } })
    const statuses = yield* Effect.forEach(
      Array.from({ length: 4 }),
      () => Effect.map(call(handle, paid(forged)), ({ status }) => status),
    )
    equal(statuses, [409, 409, 409, 429])
  },
)

marketTest("payments that came too late count as invalid payments", function* () {
  const handle = yield* makeHandler()
  const statuses: Array<number> = []
  for (let n = 0; n < 12; n++) {
    const late = yield* signedFor(product, { nonce: nonce(n), atSeconds: startSeconds - 80 })
    statuses.push((yield* handle(paid(late.header))).status)
  }
  equal(statuses, [...Array(3).fill(409), ...Array(9).fill(429)])
})

marketTest(
  "a repeated payment gets the answer only with the secret of the first call",
  function* () {
    const handle = yield* makeHandler()
    const header = headerOf(yield* payment())
    const key = { "idempotency-key": "0123456789abcdef" }
    const first = yield* call(handle, paid(header, key))
    const again = yield* call(handle, paid(header, key))
    equal([first.status, again.status], [200, 200])
    equal(again.headers.get("idempotent-replayed"), "true")
    equal(first.headers.get("idempotent-replayed"), null)
    equal(
      yield* Effect.promise(() => again.text()),
      yield* Effect.promise(() => first.text()),
    )
    const stranger = yield* call(handle, paid(header))
    const { code, charged, receipt } = yield* error(stranger)
    equal([stranger.status, code, charged], [409, "payment_already_used", true])
    equal(receipt, {
      payer: buyer(0).address.toLowerCase(),
      transaction: headerJson(first, "payment-response").transaction,
      network: "eip155:8453",
    })
    const elsewhere = yield* call(handle, paid(header, key, "?index=4"))
    const conflict = yield* error(elsewhere)
    equal([elsewhere.status, conflict.code, conflict.charged], [409, "payment_conflict", true])
    match(conflict.message, /^This payment was already used for another request \(product latest\)/)
    equal(yield* taken, once)
  },
)

marketTest(
  "the hint of an unresolved payment says what the same payment returns when sent again",
  function* () {
    const handle = yield* makeHandler()
    const key = { "idempotency-key": "0123456789abcdef" }
    const settling = yield* Effect.forkChild(handle(paid(headerOf(yield* payment()), key)))
    yield* passing(4)
    const unresolved = yield* Fiber.join(settling)
    const { code, charged, hint } = yield* error(unresolved)
    equal([unresolved.status, code, charged], [503, "settlement_unresolved", null])
    ok(/With the Idempotency-Key or payment-identifier .* returns the answer/.test(hint), hint)
    ok(/without one, only whether it was taken/.test(hint), hint)
    yield* passing(5)
    const header = headerOf(yield* payment())
    const without = yield* call(handle, paid(header))
    equal([without.status, (yield* error(without)).charged], [409, true])
    equal((yield* call(handle, paid(header, key))).status, 200)
    equal(yield* taken, once)
  },
  {
    misbehave: (call) => call === "settle" ? "late_broadcast" : null,
    late: Duration.seconds(6),
  },
)

marketTest("an Idempotency-Key that is too easy to guess is a 400", function* () {
  const handle = yield* makeHandler()
  const response = yield* handle(paid(headerOf(yield* payment()), { "idempotency-key": "1" }))
  equal([response.status, (yield* error(response)).details[0].in], [400, "header"])
  equal(yield* taken, nothing)
})

marketTest(
  "an expired payment that is known gets the answer of its state, an unknown one a 402",
  function* () {
    const handle = yield* makeHandler()
    const key = { "idempotency-key": "0123456789abcdef" }
    const header = headerOf(yield* payment())
    const unused = headerOf(yield* payment(1))
    equal((yield* call(handle, paid(header, key))).status, 200)
    yield* passing(300)
    equal((yield* call(handle, paid(header, key))).status, 200)
    equal((yield* call(handle, paid(unused))).status, 402)
    equal(yield* taken, once)
  },
)

type Compiles<P extends Product, A, E> = Effect.Effect<A, E> extends
  ReturnType<ProductHandler<P>["compute"]> ? true
  : false
type Latest = typeof products.latest
type Signals = typeof products.signals
type Input<P extends Product> = Parameters<ProductHandler<P>["compute"]>[0]

Deno.test("a work that fails with an error other than its product's facts does not compile", () => {
  const stranger: Compiles<Product, Computed<Product>, Error> = false
  const fact: Compiles<Product, Computed<Product>, SignalNotFound> = true
  const own: Compiles<Latest, Computed<Latest>, SignalNotFound> = true
  const undeclared: Compiles<Signals, Computed<Signals>, SignalNotFound> = false
  equal([stranger, fact, own, undeclared], [false, true, true, false])
})

Deno.test("a work that returns another product's body does not compile", () => {
  const other: Compiles<Latest, Computed<Signals>, DataStale> = false
  equal(other, false)
})

Deno.test("a work gets its product's parameters: numbers, flags, and null for an absent one", () => {
  const page: Input<Signals> = { since: null, count: 10, type: "mover" }
  const list: Input<typeof products.resolving> = {
    withinHours: 24,
    minLiquidity: 5_000,
    includeNoise: true,
    limit: 50,
  }
  const report: Input<typeof products.research> = { market: "a-slug" }
  equal(Object.keys({ ...page, ...list, ...report }).length, 8)
})

marketTest(
  "a payer's own ETag of an unchanged answer is a 304, charges nothing and leaves the payment unused",
  function* () {
    const handle = yield* makeHandler()
    const first = yield* call(handle, paid(headerOf(yield* payment())))
    const etag = first.headers.get("etag") ?? ""
    ok(/^W\/"[A-Za-z0-9_-]{43}"$/.test(etag), etag)
    equal([first.status, yield* taken], [200, once])

    const second = headerOf(yield* payment(1))
    for (const tags of [etag, `"other", ${etag.slice("W/".length)}`]) {
      const response = yield* call(handle, paid(second, { "if-none-match": tags }))
      equal([response.status, response.headers.get("etag")], [304, etag])
      equal(response.headers.has("payment-response"), false)
      equal(yield* Effect.promise(() => response.text()), "")
    }
    equal(yield* taken, once)
    // The same payment still buys: nothing used it.
    equal((yield* call(handle, paid(second))).status, 200)
    equal((yield* taken).spent, 2n * once.spent)
  },
)

marketTest(
  "an answer with the same data is unchanged, also after the inputs were read again",
  function* () {
    let [reads, item] = [0, 1]
    // As the body of /v1/latest.
    const work = Effect.sync((): Computed<Product> => ({
      body: { asOf: { mover: isoTime(++reads) }, data: { item } },
      charge: true,
    }))
    const handle = yield* makeHandler(work)
    const etag = (yield* call(handle, paid(headerOf(yield* payment())))).headers.get("etag") ?? ""
    const second = headerOf(yield* payment(1))
    const again = paid(second, { "if-none-match": etag })
    equal([(yield* call(handle, again)).status, reads], [304, 2])
    equal(yield* taken, once)
    item = 2
    const changed = yield* call(handle, paid(second, { "if-none-match": etag }))
    equal(changed.status, 200)
    ok(changed.headers.get("etag") !== etag)
    equal((yield* taken).spent, 2n * once.spent)
  },
)

for (const [what, tag] of [["another tag", '"other"'], ["*", "*"], ["none", ""]] as const) {
  marketTest(`If-None-Match with ${what} charges for the answer`, function* () {
    const handle = yield* makeHandler()
    const request = paid(headerOf(yield* payment()), { "if-none-match": tag })
    equal((yield* call(handle, request)).status, 200)
    equal(yield* taken, once)
  })
}

marketTest(
  "another payer's ETag of the same answer saves no charge, so it shows nothing for free",
  function* () {
    const handle = yield* makeHandler()
    const etag = (yield* call(handle, paid(headerOf(yield* payment())))).headers.get("etag") ?? ""
    const { header } = yield* signedFor(product, { n: 1, nonce: nonce(9) })
    const response = yield* call(handle, paid(header, { "if-none-match": etag }))
    equal(response.status, 200)
    ok(response.headers.get("etag") !== etag)
    equal((yield* taken).received, 2n * once.received)
  },
)

marketTest(
  "an answer that cannot be sent is not delivered, and it is not known whether it was charged",
  function* () {
    const payments = yield* Payments
    let marks = 0
    const handle = yield* Effect.provideService(makeHandler(), Payments, {
      ...payments,
      sell: (...sale) =>
        Effect.map(payments.sell(...sale), (outcome) => ({ ...outcome, receipt: unsendable })),
      sent: () => Effect.sync(() => void marks++),
    })
    const response = yield* call(handle, paid(headerOf(yield* payment())))
    const { code, charged } = yield* error(response)
    equal([response.status, code, charged, marks], [500, "internal_error", null, 0])
    equal(yield* taken, once)
  },
)
