/**
 * The interface, row by row: the fields of every path, the values of every parameter, and the
 * status and charge of every error.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import { resend } from "../../src/catalog/domain/refusal.ts"
import { payHint } from "../../src/payments/domain/x402/challenge.ts"
import { errorRules, type RefusalCode } from "../../src/catalog/domain/refusal.ts"
import { NotCharged, RefundQueued, Unresolved } from "../../src/payments/domain/failedSale.ts"
import { minute } from "../../src/core/domain/time.ts"
import { test } from "../support/effect.ts"
import { paymentFor } from "../support/http/httpService.ts"
import { faultOf } from "../support/http/shape.ts"
import { at, json, missing, sellingAs, stockedService } from "../support/http/stockedService.ts"
import { terms } from "../support/payments/terms.ts"

/** Free path, and the fields of its body. */
const free: ReadonlyArray<readonly [path: string, names: string]> = [
  ["/.well-known/family", "family products.0.slug products.0.name products.0.api products.0.mcp"],
  [
    "/v1/index",
    "success status index lastUpdated totalToday todayByType.mover todayByType.whale_entry " +
    "todayByType.predetermined feedTypes.2 digest.latestAt digest.title",
  ],
  [
    "/v1/pulse",
    "success status topMovers24h.2.question topMovers24h.0.slug topMovers24h.0.window topMovers24h.0.priceStart " +
    "topMovers24h.0.priceNow topMovers24h.0.delta topMovers24h.0.liquidityUsd digestTitle digestAt " +
    "_upgrade.fullFeed _upgrade.digest",
  ],
  ["/v1/digest/brief", "success data.title data.summary data.sourcesUsed.0 data.createdAt"],
  [
    "/v1/sample",
    "success _notice.type _notice.message feedItems.2.feedIndex feedItems.0.type feedItems.0.title",
  ],
  [
    "/v1/track-record",
    "success computedAt coverage.trackedWallets coverage.resolvedEntries coverage.labeledWallets " +
    "overall.holdToResolutionWinRate overall.followRoiCostWeighted overall.fadeRoiCostWeighted topWallets",
  ],
  ["/health", "success status version paymentMode network feed.index digest.latestAt checks.store"],
  ["/terms.json", "success version textUrl textSha256 payment.x402Version payment.refunds summary"],
  ["/terms.txt", ""],
]

for (const [path, names] of free) {
  test(`GET ${path} is free, rate limited, and has ${names || "a text body"}`, function* () {
    const { get } = yield* stockedService()
    const response = yield* get(path)
    const { headers, status } = response
    strictEqual(status, 200)
    strictEqual(yield* faultOf(path, "GET", response), null)
    equal(
      [headers.get("ratelimit-policy"), headers.get("ratelimit")],
      ['"free";q=5;w=60', '"free";r=4;t=60'],
    )
    match(headers.get("cache-control") ?? "", /^private, max-age=(15|300)$/)
    match(headers.get("etag") ?? "", /^"[^"]+"$/)
    if (names === "") return match(yield* Effect.promise(() => response.text()), /refund/)
    const body = yield* json(response)
    equal(missing(body, names), [])
  })
}

test("a client has five free requests a minute, over all free paths together", function* () {
  const { get } = yield* stockedService()
  const paths = Object.values(freeRows).map(({ path }) => path)
  for (const [n, path] of paths.entries()) {
    const from = { headers: { "x-forwarded-for": `203.0.113.${n}` } }
    for (let call = 0; call < 5; call += 1) strictEqual((yield* get(path, from)).status, 200)
    for (const other of paths) {
      const refused = yield* get(other, from)
      equal(
        [refused.status, refused.headers.get("retry-after")],
        [429, "60"],
        `${path}, ${other}`,
      )
      strictEqual(yield* faultOf(other, "GET", refused), null)
    }
    strictEqual((yield* get("/openapi.json", from)).status, 200)
    strictEqual((yield* get("/v1/latest", from)).status, 402)
  }
  yield* TestClock.adjust(minute)
  const again = { headers: { "x-forwarded-for": "203.0.113.0" } }
  strictEqual((yield* get("/v1/index", again)).status, 200)
})

/**
 * Product, its price, its settlement order, a valid query, and the keys and fields of its answer.
 */
const paid: ReadonlyArray<
  readonly [ProductId, price: string, order: string, query: string, keys: string, names: string]
> = [
  [
    ...["latest", "0.01", "compute-first", ""] as const,
    "asOf charged data status success",
    "data.feedIndex data.type data.title data.createdAt data.data.market.slug",
  ],
  [
    ...["signal", "0.01", "compute-first", "?index=7"] as const,
    "charged data success",
    "data.feedIndex data.type data.title data.createdAt data.data.microstructure.spread",
  ],
  [
    ...["signals", "0.03", "compute-first", "?since=25&count=3&type=mover"] as const,
    "asOf charged count data filters success",
    "filters.since filters.count filters.type data.2.feedIndex",
  ],
  [
    ...["digest", "0.10", "compute-first", ""] as const,
    "charged data success",
    "data.id data.title data.summary data.fullAnalysis data.sourcesUsed.0 data.createdAt",
  ],
  [
    ...["digest_history", "0.05", "compute-first", "?hours=24"] as const,
    "charged count data hours success",
    "data.0.id data.0.title data.0.summary data.0.createdAt",
  ],
  [
    ...["resolving", "0.02", "settle-early", ""] as const,
    "asOf count data filters omitted success",
    "filters.withinHours filters.minLiquidity filters.includeNoise data.0.question data.0.slug data.0.outcome data.0.eventEndDate " +
    "data.0.hoursRemaining data.0.yesMid data.0.convergence data.0.liquidityUsd data.0.microstructure",
  ],
  [
    ...["whales", "0.05", "settle-early", ""] as const,
    "asOf computedAt data filters success",
    "data.wallets.0.pseudonym data.wallets.0.wallet data.wallets.0.resolved data.wallets.0.winRate " +
    "data.wallets.0.fadeRoi data.wallets.0.label",
  ],
  [
    ...["research", "1.00", "settle-early", "?market=market-1"] as const,
    "cached data disclaimer generatedAt success",
    "data.market.question data.market.slug data.analysis.thesis data.analysis.whaleView " +
    "data.analysis.risks data.analysis.confidence data.analysis.bottomLine",
  ],
]

for (const [id, price, order, query, keys, names] of paid) {
  const { path } = products[id]
  test(`GET ${path}${query} costs $${price}, is ${order}, and has ${names}`, function* () {
    const { get } = yield* stockedService()
    strictEqual(products[id].settlementOrder, order)
    const unpaid = yield* get(path + query)
    strictEqual(yield* faultOf(path, "GET", unpaid), null)
    equal(yield* json(unpaid), {
      x402Version: 2,
      error: "Payment required",
      accepts: [{
        scheme: "exact",
        network: "eip155:8453",
        asset: "USDC",
        price: `$${price}`,
        payTo: terms.payTo,
        mimeType: "application/json",
      }],
      terms: `${terms.publicBaseUrl}/terms.txt`,
      hint: payHint,
    })
    const required = JSON.parse(atob(unpaid.headers.get("payment-required") ?? ""))
    equal([required.x402Version, required.accepts.length], [2, 1])
    equal(required.accepts[0].amount, String(Math.round(Number(price) * 1e6)))

    for (const header of ["payment-signature", "x-payment"]) {
      const payment = yield* paymentFor(products[id])
      const response = yield* get(path + query, { headers: { [header]: payment } })
      strictEqual(response.status, 200)
      strictEqual(yield* faultOf(path, "GET", response), null)
      ok(response.headers.has("payment-response"))
      const body = yield* json(response)
      equal(Object.keys(body).sort(), [...keys.split(" "), "next", "validUntil"].sort())
      equal(missing(body, names), [])
    }
  })
}

test("/v1/latest equals /v1/signal without index, and /v1/signals?since returns every newer item", function* () {
  const { get } = yield* stockedService()
  const buy = Effect.fnUntraced(function* (id: ProductId, query = "") {
    const headers = { "payment-signature": yield* paymentFor(products[id]) }
    return yield* json(yield* get(products[id].path + query, { headers }))
  })
  equal(yield* buy("latest"), yield* buy("signal"))
  const { index } = yield* json(yield* get("/v1/index"))
  equal(index, 30)
  const { data } = yield* buy("signals", "?since=27")
  equal(Object.values(data ?? {}).map(({ feedIndex }) => feedIndex), [28, 29, 30])
})

/** Parameter, the default that the answer repeats, valid values, invalid values. */
const parameters: ReadonlyArray<
  readonly [ProductId, name: string, echo: string, good: readonly string[], bad: readonly string[]]
> = [
  ["signal", "index", "", ["1", "30"], ["-1", "1.5", "x", "", "1e3", "+1", "1000000000000000"]],
  ["signals", "since", "filters.since=null", ["0", "29", "999999999999999"], ["-1", "1.5", ""]],
  ["signals", "count", "filters.count=10", ["1", "20"], ["0", "21", "x", "", "2.0", "-1"]],
  ["signals", "type", 'filters.type="all"', ["mover", "whale_entry", "predetermined"], [
    ...["all", "Mover", "", "whale"],
  ]],
  ["digest_history", "hours", "hours=24", ["1", "168"], ["0", "169", "x", "", "1.5"]],
  ["digest_history", "limit", "", ["1", "42"], ["0", "43", "x", ""]],
  ["resolving", "withinHours", "filters.withinHours=24", ["1", "72"], ["0", "73", "x", "", "1.5"]],
  ["resolving", "minLiquidity", "filters.minLiquidity=5000", ["1000", "1000.5", "999999"], [
    ...["999", "999.999999", "-5000", "1e4", "", "1000.0000001", "NaN"],
  ]],
  ["resolving", "includeNoise", "filters.includeNoise=false", ["0", "1"], ["2", "true", "", "yes"]],
  ["whales", "label", 'filters.label="all"', ["neutral"], ["shark", "Fade", ""]],
  ["whales", "limit", "", ["1"], ["0", "-1", "x", ""]],
  ["whales", "wallet", "filters.wallet=null", [], ["0x12", "", "x"]],
  ["research", "market", "", ["market-1", "https://simulated.example/event/any/market-1"], [
    "",
    "-market",
    "a/b",
    "x".repeat(256),
  ]],
]

/** Any sale fails the test. */
const noSales = sellingAs(Effect.die("a sale was started"))

for (const [id, name, echo, good, bad] of parameters) {
  const { path } = products[id]
  const rest = id === "research" && name !== "market" ? "&market=market-1" : ""
  test(`${path}?${name} accepts ${good.join(", ")}${echo && `; its default is ${echo}`}`, function* () {
    const { get } = yield* stockedService()
    const headers = { "payment-signature": yield* paymentFor(products[id]) }
    for (const value of good) {
      const response = yield* get(`${path}?${name}=${value}${rest}`, { headers })
      strictEqual(response.status, 200, value)
    }
    if (echo === "") return
    const body = yield* json(yield* get(path, { headers }))
    const [where = "", value = ""] = echo.split("=")
    equal(at(body, where), JSON.parse(value))
  })

  test(`${path}?${name} refuses ${bad.map((value) => `"${value.slice(0, 20)}"`).join(", ")}`, function* () {
    const { get } = yield* stockedService(noSales)
    const headers = { "payment-signature": yield* paymentFor(products[id]) }
    const queries = bad.map((value) => `${name}=${encodeURIComponent(value)}`)
    const twice = `${name}=${good[0]}&${name}=${good[0]}`
    for (const query of [...queries, twice]) {
      strictEqual((yield* get(`${path}?${query}`)).status, 402, query)
      const response = yield* get(`${path}?${query}`, { headers })
      const { error } = yield* json(response.clone())
      equal(
        [
          response.status,
          error?.["code"],
          error?.["charged"],
          error?.["details"]?.["0"]?.["param"],
        ],
        [400, "invalid_parameter", false, name],
        query,
      )
      match(String(error?.["details"]?.["0"]?.["in"]), /^query$/)
      ok(!response.headers.has("payment-response"))
      strictEqual(yield* faultOf(path, "GET", response), null)
    }
  })
}

test("/v1/research requires market", function* () {
  const { get } = yield* stockedService(noSales)
  const headers = { "payment-signature": yield* paymentFor(products.research) }
  const response = yield* get("/v1/research", { headers })
  strictEqual(response.status, 400)
  match(
    String(at(yield* json(response), "error.message")),
    /^market must be a slug such as .+: it is missing$/,
  )
})

/** Every status and its error codes. */
const statuses: Readonly<Record<number, ReadonlyArray<RefusalCode>>> = {
  400: ["invalid_parameter"],
  402: ["payment_required"],
  404: ["not_found", "signal_not_found", "market_not_found"],
  405: ["method_not_allowed"],
  409: ["payment_in_progress", "payment_already_used", "payment_conflict"],
  410: ["payment_refunded"],
  413: ["payload_too_large"],
  414: ["uri_too_long"],
  415: ["unsupported_media_type"],
  422: ["below_threshold"],
  429: ["rate_limited"],
  431: ["headers_too_large"],
  500: ["internal_error"],
  502: ["facilitator_error", "venue_error"],
  503: [
    ...["digest_stale", "data_stale", "payments_unavailable", "settlement_unresolved"] as const,
    "overloaded",
  ],
  504: ["upstream_timeout"],
}

test("every error code has its status, and the error says whether the payment was charged", function* () {
  const rows = Object.entries(statuses).flatMap(([status, codes]) =>
    codes.map((code) => [Number(status), code] as const)
  )
  equal(rows.map(([, code]) => code).sort(), Object.keys(errorRules).sort())
  for (const [status, code] of rows) {
    const failSale = (error: NotCharged | RefundQueued | Unresolved) =>
      Effect.gen(function* () {
        const { get } = yield* stockedService(sellingAs(Effect.fail(error)))
        const headers = { "payment-signature": yield* paymentFor(products.latest) }
        const response = yield* get("/v1/latest", { headers })
        const body = yield* json(response.clone())
        return { response, error: body["error"] }
      })
    const plain = yield* failSale(new NotCharged({ code, message: "why" }))
    strictEqual(plain.response.status, status, code)
    // These two also name the parameters or the methods, which a bare error has not.
    if (status !== 400 && status !== 405) {
      strictEqual(yield* faultOf("/v1/latest", "GET", plain.response), null, code)
    }
    if (status === 402) {
      equal(plain.error, "why")
      continue
    }
    const { requestId, retryable, retryAfterSeconds, hint, ...error } = plain.error ?? {}
    equal(String(hint).includes(resend), status >= 500, code)
    equal(error, { code, message: "why", status, charged: false })
    match(String(requestId), /^[A-Za-z0-9_-]{8,64}$/)
    strictEqual(typeof retryable, "boolean")
    strictEqual(retryAfterSeconds !== undefined, [429, 502, 503, 504].includes(status), code)
    const refund = {
      id: "0xabc",
      state: "queued",
      amountUsd: "0.01",
      to: "0xdef",
      paymentTransaction: "0x7c",
    }
    const refunded = yield* failSale(new RefundQueued({ code, message: "why", refund }))
    equal([refunded.error?.["charged"], refunded.error?.["refund"]], [true, refund])
  }
  const error = new Unresolved({ message: "why", retryAfterSeconds: 5 })
  const { get } = yield* stockedService(sellingAs(Effect.fail(error)))
  const headers = { "payment-signature": yield* paymentFor(products.latest) }
  const unresolved = yield* get("/v1/latest", { headers })
  equal([unresolved.status, unresolved.headers.get("retry-after")], [503, "5"])
  equal((yield* json(unresolved))["error"]?.["charged"], null)
})
