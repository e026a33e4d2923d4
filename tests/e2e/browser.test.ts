/**
 * A page of another origin in a real browser: which headers it may send and read, and that it can buy.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Result, type Scope } from "effect"
import { Base64 } from "effect/encoding"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { x402Extensions } from "../../src/http/a2a/taskView.ts"
import { type Call, missing, type Sight, visit } from "../support/http/browser.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { currentRequest, payFor } from "../support/http/mcp.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { type Market, market } from "../support/payments/sales.ts"
import { corsHeaders } from "../support/http/shape.ts"
import { type Between, openShop } from "../support/http/servedService.ts"

const key = `0x${"1".padStart(64, "0")}` as const
const freeLimit = 5
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

/** Calls with different URLs, so that the browser's cache does not answer them. */
const distinctUrls = (url: string, count: number): ReadonlyArray<Call> =>
  Array.from({ length: count }, (_, n) => ({ url: `${url}?n=${n}` }))

/** How much the buyer has spent. */
const spent = Effect.gen(function* () {
  const ledger = yield* Ledger
  return playBalance - (yield* ledger.balance(address(buyer(0).address)))
})

const sumOf = (sold: ReadonlyArray<Product>) => sold.reduce((sum, { price }) => sum + price, 0n)

function pageTest(name: string, body: () => Effect.Effect<void, unknown, Market | Scope.Scope>) {
  if (missing !== null) return registerSkipped(name, missing)
  liveTest(name, () => Effect.provide(body(), market()))
}

pageTest(
  "a page reads the index, and gets 304 for its ETag",
  () =>
    Effect.gen(function* () {
      const index = `${yield* openShop()}/v1/index`
      const [read] = yield* runInPage({ url: index, headers: { "X-Request-Id": "from-a-page" } })
      equal([read?.status, JSON.parse(read?.body ?? "").index], [200, 3])
      strictEqual(read?.headers["x-request-id"], "from-a-page")
      strictEqual(read?.headers["ratelimit"], '"free";r=4;t=60')
      const tag = read?.headers["etag"] ?? ""
      const [again] = yield* runInPage({ url: index, headers: { "If-None-Match": tag } })
      equal([again?.status, again?.body, again?.headers["etag"]], [304, "", tag])
    }),
)

pageTest("a page reads the price of an answer without paying", () =>
  Effect.gen(function* () {
    const [challenge] = yield* runInPage({ url: `${yield* openShop()}/v1/latest` })
    equal([challenge?.status, JSON.parse(challenge?.body ?? "").accepts[0].price], [402, "$0.01"])
    strictEqual(decoded(challenge, "payment-required").accepts[0].amount, "10000")
  }))

for (const version of [1, 2] as const) {
  pageTest(
    `a page buys with the unmodified buyer of version ${version}, and reads its receipts`,
    () =>
      Effect.gen(function* () {
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
      }),
  )
}

pageTest(
  "a page gets its paid answer again with its own key, and not with another",
  () =>
    Effect.gen(function* () {
      const url = `${yield* openShop()}/v1/whales`
      const pay = { key, version: 2 } as const
      const [bought] = yield* runInPage({ url, pay, headers: { "Idempotency-Key": secret } })
      const headers = bought?.sent ?? {}
      const [again, otherKey] = yield* runInPage(
        { url, headers },
        { url, headers: { ...headers, "idempotency-key": "a-key-of-another-client" } },
      )
      equal([again?.status, again?.body], [200, bought?.body])
      strictEqual(otherKey && outcome(otherKey), "409 payment_already_used")
      strictEqual(yield* spent, sumOf([products.whales]))
    }),
)

pageTest(
  "a page reads the reason of every refusal, and is not charged",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const pay = { key, version: 2 } as const
      const invalid = { "PAYMENT-SIGNATURE": "e30=" }
      const responses = yield* runInPage(
        { url: `${base}/v1/resolving?withinHours=abc`, pay },
        { url: `${base}/v1/signal?index=999`, pay },
        { url: `${base}/v1/latest`, headers: invalid },
        { url: `${base}/nowhere` },
        { url: `${base}/v1/latest`, method: "POST", body: "{}" },
        ...distinctUrls(`${base}/v1/index`, freeLimit + 1),
        ...Array.from({ length: 2 }, () => ({ url: `${base}/v1/whales`, headers: invalid })),
      )
      const outcomes = [...responses.map(outcome)]
      equal(outcomes, [
        ...["400 invalid_parameter", "404 signal_not_found", "402", "404 not_found"],
        ...["405 method_not_allowed", ...Array.from({ length: freeLimit }, () => "200")],
        ...["429 rate_limited", "402", "402"],
      ])
      const limited = responses[outcomes.indexOf("429 rate_limited")]
      match(limited?.headers["retry-after"] ?? "", /^[1-6]\d$/)
      equal(limited?.headers["ratelimit-policy"], '"free";q=5;w=60')
      match(JSON.parse(responses[2]?.body ?? "").error, /payment/i)
      strictEqual(yield* spent, 0n)
    }),
)

pageTest(
  "a page may send each header that the service reads, and no other",
  () =>
    Effect.gen(function* () {
      const url = `${yield* openShop()}/openapi.json`
      const calls = Object.entries(requestHeaders).map(([name, value]) => ({
        url: `${url}?name=${name}`,
        headers: { [name]: value },
      }))
      const responses = yield* runInPage(...calls, { url, headers: { "X-Other": "unknown" } })
      equal(responses.map(outcome), [...calls.map(() => "200"), "blocked"])
    }),
)

pageTest(
  "a page may read each header that the service exposes, and no other",
  () =>
    Effect.gen(function* () {
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
    }),
)

/** An MCP request from a page. */
const mcpCall = (base: string, ...request: Parameters<typeof currentRequest>) =>
  Effect.promise(async (): Promise<Call> => {
    const made = new Request(`${base}/mcp`, currentRequest(...request))
    const headers = Object.fromEntries(made.headers)
    return { url: made.url, method: "POST", headers, body: await made.text() }
  })

pageTest(
  "a page lists the tools of /mcp, calls a free one, and buys with another",
  () =>
    Effect.gen(function* () {
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
    }),
)

/** A message to /a2a from a page. */
const a2aCall = (base: string, message: Record<string, unknown>): Call => ({
  url: `${base}/a2a`,
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "A2A-Version": "0.3",
    "X-A2A-Extensions": x402Extensions.join(", "),
  },
  body: JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "message/send" },
    params: {
      message: { kind: "message", role: "user", messageId: crypto.randomUUID(), ...message },
    },
  }),
})

pageTest(
  "a page reads the card of /a2a, uses a free skill, and pays for another in its task",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const use = (skill: string) => a2aCall(base, { parts: [{ kind: "data", data: { skill } }] })
      const [card, index, offer] = yield* runInPage(
        { url: `${base}/a2a` },
        use("get_index"),
        use("get_latest"),
      )
      equal(JSON.parse(card?.body ?? "").protocolVersion, "0.3.0")
      const taskOf = (sight: Sight | undefined) => JSON.parse(sight?.body ?? "").result
      equal(taskOf(index).artifacts[0].parts.at(-1).data.index, 3)
      match(index?.headers["ratelimit"] ?? "", /^"free";r=4/)
      strictEqual(index?.headers["x-a2a-extensions"], x402Extensions.join(", "))
      const { id, contextId, status: { message: { metadata } } } = taskOf(offer)
      const structuredContent = metadata["x402.payment.required"]
      const [bought] = yield* runInPage(a2aCall(base, {
        ...{ taskId: id, contextId, parts: [{ kind: "text", text: "Here is the payment" }] },
        metadata: {
          "x402.payment.status": "payment-submitted",
          "x402.payment.payload": yield* payFor({ content: [], structuredContent }),
        },
      }))
      const { status, artifacts } = taskOf(bought)
      equal([status.state, artifacts[0].parts.at(-1).data.charged], ["completed", true])
      strictEqual(status.message.metadata["x402.payment.receipts"][0].success, true)
      strictEqual(yield* spent, sumOf([products.latest]))
    }),
)

pageTest(
  "a page follows the redirect from the old paths",
  () =>
    Effect.gen(function* () {
      const base = yield* openShop()
      const headers = { "X-Request-Id": "from-a-page" }
      const [followed] = yield* runInPage({ url: `${base}/api/index?a=1`, headers })
      equal([followed?.status, JSON.parse(followed?.body ?? "").index], [200, 3])
    }),
)

pageTest("a page sends one preflight for several requests", () =>
  Effect.gen(function* () {
    const methods: Array<string> = []
    const base = yield* openShop((request, answer) => {
      methods.push(request.method)
      return answer(request)
    })
    const call = { url: `${base}/v1/latest`, headers: { "X-Request-Id": "from-a-page" } }
    yield* runInPage(call, call, call)
    equal(methods, ["OPTIONS", "GET", "GET", "GET"])
  }))
