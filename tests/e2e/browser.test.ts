/**
 * A page of another origin in a real browser: what it may send, what it may read, and that it buys.
 *
 * The shop here spoils its own answers where a query asks it to, so that each test also shows what a
 * page would lose: nobody but the browser decides.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Result, type Scope } from "effect"
import { Base64 } from "effect/encoding"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { type Product, products } from "../../src/catalog/domain/product.ts"
import { x402Extensions } from "../../src/http/documents/cards.ts"
import { type Call, missing, type Sight, visit as open } from "../support/http/browser.ts"
import { buyer } from "../support/payments/buyers.ts"
import { liveTest } from "../support/effect.ts"
import { currentRequest, payFor } from "../support/http/mcp.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { type Market, market } from "../support/payments/sales.ts"
import { corsHeaders } from "../support/http/shape.ts"
import { openService } from "../support/http/socketService.ts"
import { terms } from "../support/payments/terms.ts"

const key = `0x${"1".padStart(64, "0")}` as const
const freeLimit = 5
const secret = "known-to-this-page-alone"

/** What a page may send, each with a value that needs leave: short plain ones need none. */
const sent = {
  "Content-Type": "application/json",
  Accept: "application/json;".repeat(10),
  Authorization: "Bearer nobody",
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

/** A list of names in a header, without one of them. */
const without = (list: string | null, name: string | null) =>
  (list ?? "").split(", ").filter((other) => other !== name).join(", ")

/**
 * Spoils an answer: `?deaf=NAME` does not let that header be sent, `?mute=NAME` does not let it be
 * read, `?bare` says nothing to pages. `?tell=NAME` puts that header on the answer.
 */
function spoil(response: Response, request: Request): Response {
  const asked = new URL(request.url).searchParams
  const { headers } = response
  const tell = asked.get("tell")
  if (tell !== null) headers.set(tell, "told")
  const lists = [
    ["access-control-allow-headers", asked.get("deaf")],
    ["access-control-expose-headers", asked.get("mute")],
  ] as const
  for (const [list, name] of lists) {
    if (name !== null && headers.has(list)) headers.set(list, without(headers.get(list), name))
  }
  if (asked.has("bare") && request.method !== "OPTIONS") {
    headers.delete("access-control-allow-origin")
  }
  return response
}

const visit = (...calls: ReadonlyArray<Call>) => Effect.promise(() => open(...calls))

/** What became of a call: its status, with a refusal's code; or that the browser showed nothing. */
const outcome = ({ blocked, status, body }: Sight) => {
  if (blocked !== null) return "blocked"
  return status < 400 || status === 402 ? `${status}` : `${status} ${JSON.parse(body).error.code}`
}

/** What a header tells in base64. */
const decoded = (sight: Sight | undefined, name: string) =>
  JSON.parse(Result.getOrThrow(Base64.decodeString(sight?.headers[name] ?? "")))

/** Calls that no cache of the browser's answers. */
const fresh = (url: string, count: number): ReadonlyArray<Call> =>
  Array.from({ length: count }, (_, n) => ({ url: `${url}?n=${n}` }))

/** What the buyer has spent of its play money. */
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
  "a page reads the index, and by its tag that nothing is new",
  () =>
    Effect.gen(function* () {
      const index = `${yield* openService()}/v1/index`
      const [read] = yield* visit({ url: index, headers: { "X-Request-Id": "from-a-page" } })
      equal([read?.status, JSON.parse(read?.body ?? "").index], [200, 3])
      strictEqual(read?.headers["x-request-id"], "from-a-page")
      strictEqual(read?.headers["ratelimit"], '"free";r=4;t=60')
      const tag = read?.headers["etag"] ?? ""
      const [again] = yield* visit({ url: index, headers: { "If-None-Match": tag } })
      equal([again?.status, again?.body, again?.headers["etag"]], [304, "", tag])
    }),
)

pageTest("a page reads what an answer costs, without paying", () =>
  Effect.gen(function* () {
    const [seen] = yield* visit({ url: `${yield* openService()}/v1/latest` })
    equal([seen?.status, JSON.parse(seen?.body ?? "").accepts[0].price], [402, "$0.01"])
    strictEqual(decoded(seen, "payment-required").accepts[0].amount, "10000")
  }))

for (const version of [1, 2] as const) {
  pageTest(
    `a page buys with the stock buyer of version ${version}, and reads its receipts`,
    () =>
      Effect.gen(function* () {
        const base = yield* openService()
        const sold = [products.latest, products.whales, products.resolving]
        const seen = yield* visit(...sold.map(({ path }) => ({
          url: `${base}${path}?x402Version=${version}`,
          pay: { key, version },
        })))
        equal(seen.map(outcome), ["200", "200", "200"])
        equal(seen.map(({ body }) => JSON.parse(body).success), [true, true, true])
        for (const sight of seen) {
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
  "a page gets what it paid for again with its own key, and not without",
  () =>
    Effect.gen(function* () {
      const url = `${yield* openService()}/v1/whales`
      const pay = { key, version: 2 } as const
      const [bought] = yield* visit({ url, pay, headers: { "Idempotency-Key": secret } })
      const headers = bought?.sent ?? {}
      const [again, stranger] = yield* visit(
        { url, headers },
        { url, headers: { ...headers, "idempotency-key": "somebody-else-entirely" } },
      )
      equal([again?.status, again?.body], [200, bought?.body])
      strictEqual(stranger && outcome(stranger), "409 payment_already_used")
      strictEqual(yield* spent, sumOf([products.whales]))
    }),
)

pageTest(
  "a page reads why it was refused, whatever the status, and is not charged",
  () =>
    Effect.gen(function* () {
      const base = yield* openService()
      const pay = { key, version: 2 } as const
      const invalid = { "PAYMENT-SIGNATURE": "e30=" }
      const seen = yield* visit(
        { url: `${base}/v1/resolving?withinHours=abc`, pay },
        { url: `${base}/v1/signal?index=999`, pay },
        { url: `${base}/v1/latest`, headers: invalid },
        { url: `${base}/nowhere` },
        { url: `${base}/v1/latest`, method: "POST", body: "{}" },
        ...fresh(`${base}/v1/index`, freeLimit + 1),
        ...Array.from({ length: 2 }, () => ({ url: `${base}/v1/whales`, headers: invalid })),
      )
      const outcomes = [...seen.map(outcome)]
      equal(outcomes, [
        ...["400 invalid_parameter", "404 signal_not_found", "402", "404 not_found"],
        ...["405 method_not_allowed", ...Array.from({ length: freeLimit }, () => "200")],
        ...["429 rate_limited", "402", "402"],
      ])
      const limited = seen[outcomes.indexOf("429 rate_limited")]
      match(limited?.headers["retry-after"] ?? "", /^[1-6]\d$/)
      equal(limited?.headers["ratelimit-policy"], '"free";q=5;w=60')
      match(JSON.parse(seen[2]?.body ?? "").error, /payment/i)
      strictEqual(yield* spent, 0n)
    }),
)

pageTest(
  "a page may send each header the service reads, and no header but those",
  () =>
    Effect.gen(function* () {
      const url = `${yield* openService(spoil)}/openapi.json`
      const calls = Object.entries(sent).map(([name, value]) => ({
        url: `${url}?name=${name}`,
        headers: { [name]: value },
      }))
      const deaf = calls.map(({ url, headers }) => ({
        url: url.replace("name=", "deaf="),
        headers,
      }))
      const seen = yield* visit(...calls, ...deaf, { url, headers: { "X-Other": "unknown" } })
      equal(seen.map(outcome), [
        ...calls.map(() => "200"),
        ...deaf.map(() => "blocked"),
        "blocked",
      ])
    }),
)

pageTest(
  "a page may read each header the service tells, and no header but those",
  () =>
    Effect.gen(function* () {
      const url = `${yield* openService(spoil)}/openapi.json`
      const seen = yield* visit(
        ...corsHeaders.map((name) => ({ url: `${url}?tell=${name}` })),
        ...corsHeaders.map((name) => ({ url: `${url}?tell=${name}&mute=${name}` })),
        { url: `${url}?tell=X-Other` },
      )
      equal(
        seen.map(({ headers }, at) =>
          headers[(corsHeaders[at % corsHeaders.length] ?? "").toLowerCase()]
        ),
        [...corsHeaders.map(() => "told"), ...corsHeaders.map(() => undefined), undefined],
      )
      strictEqual(seen.at(-1)?.headers["x-other"], undefined)
    }),
)

pageTest(
  "a page sees nothing of an answer that is not for every origin",
  () =>
    Effect.gen(function* () {
      const bare: Array<number> = []
      const base = yield* openService((response, request) => {
        if (request.url.includes("bare")) bare.push(response.status)
        return spoil(response, request)
      })
      const pay = { key, version: 2 } as const
      const seen = yield* visit(
        { url: `${base}/v1/index?bare` },
        { url: `${base}/v1/index?bare`, headers: { "If-None-Match": "*" } },
        { url: `${base}/v1/latest?bare` },
        { url: `${base}/v1/latest?bare`, pay },
        { url: `${base}/v1/latest?mute=PAYMENT-REQUIRED`, pay },
        { url: `${base}/v1/latest?deaf=PAYMENT-SIGNATURE`, pay },
        { url: `${base}/v1/latest?deaf=Access-Control-Expose-Headers`, pay },
        { url: `${base}/nowhere?bare` },
        ...fresh(`${base}/v1/index`, freeLimit - 2),
        { url: `${base}/v1/index?bare` },
      )
      equal(seen.filter(({ blocked }) => blocked === null).length, freeLimit - 2)
      equal(bare, [200, 204, 304, 402, 402, 404, 429])
      strictEqual(yield* spent, 0n)
    }),
)

/** A request of MCP, as a page makes it. */
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
      const base = yield* openService(spoil)
      const latest = { name: "get_latest" }
      const unpaid = yield* mcpCall(base, "tools/call", latest)
      const [listed, index, asked, bare] = yield* visit(
        yield* mcpCall(base, "tools/list"),
        yield* mcpCall(base, "tools/call", { name: "get_index" }),
        unpaid,
        { ...unpaid, url: `${unpaid.url}?bare` },
      )
      const resultOf = (sight: Sight | undefined) => JSON.parse(sight?.body ?? "").result
      ok(resultOf(listed).tools.length > Object.keys(products).length)
      equal([index?.status, resultOf(index).structuredContent.index], [200, 3])
      match(index?.headers["ratelimit"] ?? "", /^"free";r=4/)
      strictEqual(bare && outcome(bare), "blocked")
      const payment = yield* payFor(resultOf(asked))
      const paid = yield* mcpCall(base, "tools/call", latest, { meta: { "x402/payment": payment } })
      const [bought] = yield* visit(paid)
      const { structuredContent, _meta } = resultOf(bought)
      equal([structuredContent.charged, _meta["x402/payment-response"].success], [true, true])
      strictEqual(yield* spent, sumOf([products.latest]))
    }),
)

/** A message to /a2a, as a page sends it. */
const said = (base: string, message: Record<string, unknown>): Call => ({
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
      const base = yield* openService(spoil)
      const use = (skill: string) => said(base, { parts: [{ kind: "data", data: { skill } }] })
      const [card, index, asked, bare] = yield* visit(
        { url: `${base}/a2a` },
        use("get_index"),
        use("get_latest"),
        { ...use("get_index"), url: `${base}/a2a?bare` },
      )
      equal(JSON.parse(card?.body ?? "").protocolVersion, "0.3.0")
      const taskOf = (sight: Sight | undefined) => JSON.parse(sight?.body ?? "").result
      equal(taskOf(index).artifacts[0].parts.at(-1).data.index, 3)
      match(index?.headers["ratelimit"] ?? "", /^"free";r=4/)
      strictEqual(index?.headers["x-a2a-extensions"], x402Extensions.join(", "))
      strictEqual(bare && outcome(bare), "blocked")
      const { id, contextId, status: { message: { metadata } } } = taskOf(asked)
      const structuredContent = metadata["x402.payment.required"]
      const [bought] = yield* visit(said(base, {
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
  "a page is led from where the predecessor was, when the move is for every origin",
  () =>
    Effect.gen(function* () {
      const base = yield* openService((response, request) => {
        const location = response.headers.get("location")?.replace(terms.publicBaseUrl, "")
        if (location !== undefined) response.headers.set("location", location)
        return spoil(response, request)
      })
      const headers = { "X-Request-Id": "from-a-page" }
      const [led, lost] = yield* visit(
        { url: `${base}/api/index?a=1`, headers },
        { url: `${base}/api/index?bare`, headers },
      )
      equal([led?.status, JSON.parse(led?.body ?? "").index], [200, 3])
      strictEqual(lost && outcome(lost), "blocked")
    }),
)

pageTest("a page asks once for leave to send what it sends", () =>
  Effect.gen(function* () {
    const methods: Array<string> = []
    const base = yield* openService((response, { method }) => {
      methods.push(method)
      return response
    })
    const asking = { url: `${base}/v1/latest`, headers: { "X-Request-Id": "from-a-page" } }
    yield* visit(asking, asking, asking)
    equal(methods, ["OPTIONS", "GET", "GET", "GET"])
  }))
