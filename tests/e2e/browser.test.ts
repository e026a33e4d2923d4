/**
 * A page of another origin in a real browser: which headers it may send and read, and that it can buy.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Result, type Scope } from "effect"
import { Base64 } from "effect/encoding"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { type Call, missing, type Sight, visit } from "../support/http/browser.ts"
import { buyer, buyerKey } from "../support/payments/buyers.ts"
import { type Body, liveTest } from "../support/effect.ts"
import { currentRequest, payFor } from "../support/http/mcp.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { type Market, market } from "../support/payments/sales.ts"
import { corsHeaders } from "../support/http/shape.ts"
import { type Between, openShop } from "../support/http/servedService.ts"
import { spentBy } from "../support/packages/shop.ts"

const key = buyerKey(0)
const secret = "known-to-this-page-alone"

/** Each header that a page may send, with a value that needs a CORS preflight. */
const requestHeaders = {
  "Content-Type": "application/json",
  Accept: "application/json;".repeat(10),
  Authorization: "Bearer unknown",
  "PAYMENT-SIGNATURE": "e30=",
  "X-PAYMENT": "e30=",
  "Access-Control-Expose-Headers": "PAYMENT-RESPONSE",
  "If-None-Match": '"a-tag"',
  "X-Request-Id": "from-a-page",
  "Idempotency-Key": secret,
  "A2A-Version": "0.3",
  "A2A-Extensions": "https://example.com/a",
  "X-A2A-Extensions": "https://example.com/a",
  "MCP-Protocol-Version": "2025-06-18",
  "Mcp-Method": "tools/list",
  "Mcp-Name": "get_index",
}

/** Adds the header that `?extra=NAME` names to an answer. */
const addExtra: Between = async (request, answer) => {
  const response = await answer(request)
  const extra = new URL(request.url).searchParams.get("extra")
  if (extra !== null) response.headers.set(extra, "extra")
  return response
}

const runInPage = (...calls: ReadonlyArray<Call>) => Effect.promise(() => visit(...calls))

/** The status of a call, with the code of an error; or that the browser blocked it. */
const outcome = ({ blocked, status, body }: Sight) => {
  if (blocked !== null) return "blocked"
  return status < 400 || status === 402 ? `${status}` : `${status} ${JSON.parse(body).error.code}`
}

/** The JSON in a base64 header. */
const decoded = (sight: Sight | undefined, name: string) =>
  JSON.parse(Result.getOrThrow(Base64.decodeString(sight?.headers[name] ?? "")))

const spent = spentBy(buyer(0).address)
const sumOf = (sold: ReadonlyArray<Product>) => sold.reduce((sum, { price }) => sum + price, 0n)

function pageTest(name: string, body: Body<Market | Scope.Scope>) {
  if (missing !== null) return registerSkipped(name, missing)
  liveTest(name, body, market())
}

for (const version of [1, 2] as const) {
  pageTest(
    `a page buys with the unmodified buyer of version ${version}, and reads its receipts`,
    function* () {
      const base = yield* openShop()
      const sold = [products.latest, products.whales, products.resolving]
      const responses = yield* runInPage(...sold.map(({ path }) => ({
        url: `${base}${path}?x402Version=${version}`,
        pay: { key, version },
      })))
      equal(responses.map(outcome), ["200", "200", "200"])
      equal(responses.map(({ body }) => JSON.parse(body).success), [true, true, true])
      for (const sight of responses) {
        for (const name of ["payment-response", "x-payment-response"]) {
          const { success, payer } = decoded(sight, name)
          equal([success, payer], [true, buyer(0).address.toLowerCase()])
        }
      }
      strictEqual(yield* spent, sumOf(sold))
    },
  )
}

pageTest("a page may send each header that the service reads, and no other", function* () {
  const url = `${yield* openShop()}/openapi.json`
  const calls = Object.entries(requestHeaders).map(([name, value]) => ({
    url: `${url}?name=${name}`,
    headers: { [name]: value },
  }))
  const responses = yield* runInPage(...calls, { url, headers: { "X-Other": "unknown" } })
  equal(responses.map(outcome), [...calls.map(() => "200"), "blocked"])
})

pageTest("a page may read each header that the service exposes, and no other", function* () {
  const url = `${yield* openShop(addExtra)}/openapi.json`
  const responses = yield* runInPage(
    ...corsHeaders.map((name) => ({ url: `${url}?extra=${name}` })),
    { url: `${url}?extra=X-Other` },
  )
  equal(
    corsHeaders.map((name, at) => responses[at]?.headers[name.toLowerCase()]),
    corsHeaders.map(() => "extra"),
  )
  strictEqual(responses.at(-1)?.headers["x-other"], undefined)
})

/** An MCP request from a page. */
const mcpCall = (base: string, ...request: Parameters<typeof currentRequest>) =>
  Effect.promise(async (): Promise<Call> => {
    const made = new Request(`${base}/mcp`, currentRequest(...request))
    const headers = Object.fromEntries(made.headers)
    return { url: made.url, method: "POST", headers, body: await made.text() }
  })

pageTest("a page lists the tools of /mcp, calls a free one, and buys with another", function* () {
  const base = yield* openShop()
  const latest = { name: "get_latest" }
  const unpaid = yield* mcpCall(base, "tools/call", latest)
  const [listed, index, challenge] = yield* runInPage(
    yield* mcpCall(base, "tools/list"),
    yield* mcpCall(base, "tools/call", { name: "get_index" }),
    unpaid,
  )
  const resultOf = (sight: Sight | undefined) => JSON.parse(sight?.body ?? "").result
  ok(resultOf(listed).tools.length > Object.keys(products).length)
  equal([index?.status, resultOf(index).structuredContent.index], [200, 3])
  match(index?.headers["ratelimit"] ?? "", /^"free";r=4/)
  const payment = yield* payFor(resultOf(challenge))
  const paid = yield* mcpCall(base, "tools/call", latest, { meta: { "x402/payment": payment } })
  const [bought] = yield* runInPage(paid)
  const { structuredContent, _meta } = resultOf(bought)
  equal([structuredContent.charged, _meta["x402/payment-response"].success], [true, true])
  strictEqual(yield* spent, sumOf([products.latest]))
})

pageTest("a page follows the redirect from the old paths", function* () {
  const base = yield* openShop()
  const headers = { "X-Request-Id": "from-a-page" }
  const [followed] = yield* runInPage({ url: `${base}/api/index?a=1`, headers })
  equal([followed?.status, JSON.parse(followed?.body ?? "").index], [200, 3])
})

pageTest("a page sends one preflight for several requests", function* () {
  const methods: Array<string> = []
  const base = yield* openShop((request, answer) => {
    methods.push(request.method)
    return answer(request)
  })
  const call = { url: `${base}/v1/latest`, headers: { "X-Request-Id": "from-a-page" } }
  yield* runInPage(call, call, call)
  equal(methods, ["OPTIONS", "GET", "GET", "GET"])
})
