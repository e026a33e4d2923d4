/**
 * The stdio server as a process, started by unmodified clients, against the service with payments
 * that are signed and settled on a simulated chain.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { makeBuyer } from "../../../packages/mcp/src/buyer.ts"
import { readSettings } from "../../../packages/mcp/src/settings.ts"
import { serviceTools as tools } from "../../../packages/mcp/src/serviceTools.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { clientKinds, type ToolResult } from "../../support/http/mcp.ts"
import { liveTest } from "../../support/effect.ts"
import { buyer, buyerKey } from "../../support/payments/buyers.ts"
import { market } from "../../support/payments/sales.ts"
import { temporaryFolder } from "../../support/process.ts"
import type { Between } from "../../support/http/servedService.ts"
import { openShop, spentBy } from "../../support/packages/shop.ts"
import { connectStdio, fromSources, type ServerCommand } from "../../support/packages/stdio.ts"

const payer = buyer(0).address
const query = { count: 2 }
const price = products.signals.price as bigint

/** The server's command over a shop, with the key of the first buyer. */
const paying = (base: string, folder: string, env: Record<string, string> = {}): ServerCommand =>
  fromSources(folder, { BASE_URL: base, BUYER_PRIVATE_KEY: buyerKey(0), ...env })

const texts = ({ content }: ToolResult) => content.map(({ text = "" }) => text)
const receiptOf = ({ _meta }: ToolResult): Record<string, unknown> =>
  Object(_meta?.["x402/payment-response"])
const json = (url: string) => Effect.promise(async () => await (await fetch(url)).json())

for (const kind of clientKinds) {
  liveTest(`client ${kind} lists the tools, calls a free one and buys over stdio`, function* () {
    const base = yield* openShop()
    const client = yield* connectStdio(kind, paying(base, yield* temporaryFolder))
    const listed = yield* Effect.promise(client.tools)
    equal(listed.map(({ name }) => name), ["get_budget", ...tools.map(({ name }) => name)])

    const free = yield* Effect.promise(() => client.call("get_index"))
    equal(free.structuredContent, yield* json(`${base}/v1/index`))
    equal(texts(free).map((text) => JSON.parse(text)), [free.structuredContent])

    const bought = yield* Effect.promise(() => client.call("get_signals", query))
    ok(bought.isError !== true, JSON.stringify(bought))
    equal([bought.structuredContent?.["count"], bought.structuredContent?.["charged"]], [
      2,
      true,
    ])
    const [sentence = "", body = ""] = texts(bought)
    match(sentence, /^Paid \$0\.03 .*\$0\.97 of this client's \$1\.00 left/)
    equal(JSON.parse(body), bought.structuredContent)
    const { success, payer: paidBy } = receiptOf(bought)
    equal([success, String(paidBy).toLowerCase()], [true, payer.toLowerCase()])
    strictEqual(yield* spentBy(payer), price)
  }, market())
}

liveTest(
  "without a key a paid tool pays with a throw-away key where payments are simulated",
  function* () {
    const requested: Array<string> = []
    const base = yield* openShop(async (request, answer) => {
      requested.push(new URL(request.url).pathname)
      return await answer(request)
    })
    const client = yield* connectStdio(
      "2 auto",
      fromSources(yield* temporaryFolder, { BASE_URL: base }),
    )
    const bought = yield* Effect.promise(() => client.call("get_latest"))
    const [sentence = ""] = texts(bought)
    match(sentence, /^Paid \$0\.01/)
    match(sentence, /simulated/)
    // The free calls of the limit are the user's.
    ok(!requested.includes("/health"), requested.join(" "))
    equal(yield* spentBy(String(receiptOf(bought)["payer"])), products.latest.price as bigint)
  },
  market(),
)

liveTest("without a key a paid tool returns its price where payments are real", function* () {
  const payments: Array<string> = []
  const base = yield* openShop(async (request, answer) => {
    if (request.headers.has("payment-signature")) payments.push(request.url)
    return await answer(request)
  }, { paymentMode: "live" })
  const client = yield* connectStdio(
    "sdk 1",
    fromSources(yield* temporaryFolder, { BASE_URL: base }),
  )
  const refused = yield* Effect.promise(() => client.call("get_latest"))
  strictEqual(refused.isError, true)
  match(
    texts(refused)[0] ?? "",
    /^Nothing was paid: get_latest costs \$0\.01.*BUYER_PRIVATE_KEY/,
  )
  const free = yield* Effect.promise(() => client.call("get_sample"))
  strictEqual(free.structuredContent?.["success"], true)
  equal(payments, [])
}, market())

liveTest(
  "a wrong argument is refused before anything is signed, whatever the client",
  function* () {
    const base = yield* openShop()
    for (const kind of clientKinds) {
      const client = yield* connectStdio(kind, paying(base, yield* temporaryFolder))
      for (const args of [{ count: 21 }, { number: 2 }, { type: "all" }]) {
        const refused = yield* Effect.promise(() => client.call("get_signals", args))
        strictEqual(refused.isError, true)
        match(texts(refused)[0] ?? "", new RegExp(`Nothing was charged.*${Object.keys(args)[0]}`))
      }
    }
    strictEqual(yield* spentBy(payer), 0n)
  },
  market(),
)

/** Holds back the first of these answers, which the service has given by then. */
function holdFirst(isHeld: (request: Request) => boolean) {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isFirst = true
  const between: Between = async (request, answer) => {
    if (!isFirst || !isHeld(request)) return await answer(request)
    isFirst = false
    const response = await answer(new Request(request, { signal: null }))
    held.resolve()
    await released.promise
    return response
  }
  return { between, held: held.promise, release: released.resolve }
}

const isPayment = ({ headers }: Request) => headers.has("payment-signature")
const isRecord = ({ url }: Request) => url.includes("/v1/payments/")

liveTest("a cancelled call keeps its payment, and the same call fetches its answer", function* () {
  const hold = holdFirst(isPayment)
  const base = yield* openShop(hold.between)
  const client = yield* connectStdio("2 pinned", paying(base, yield* temporaryFolder))
  const controller = new AbortController()
  const cancelled = client.call("get_signals", query, {}, { signal: controller.signal })
    .then(() => "answered", () => "cancelled")
  yield* Effect.promise(() => hold.held)
  controller.abort()
  strictEqual(yield* Effect.promise(() => cancelled), "cancelled")
  const budget = yield* Effect.promise(() => client.call("get_budget"))
  const [{ paymentId = "", ...unclear } = {}, ...others] = Object(budget.structuredContent).unclear
  equal([unclear, others], [
    { amountUsd: "0.03", tool: "get_signals", arguments: query },
    [],
  ])
  match(paymentId, /^0x[0-9a-f]{64}$/)
  hold.release()
  const again = yield* Effect.promise(() => client.call("get_signals", query))
  equal([again.isError, again.structuredContent?.["count"]], [undefined, 2])
  strictEqual(yield* spentBy(payer), price)
}, market())

liveTest(
  "an answer that comes after the host has given up is fetched by the same call",
  function* () {
    const released = Promise.withResolvers<void>()
    const base = yield* openShop(async (request, answer) => {
      const response = await answer(request)
      if (request.headers.has("payment-signature")) await released.promise
      return response
    })
    const settings = readSettings({
      platform: "linux",
      env: {
        BASE_URL: base,
        BUYER_PRIVATE_KEY: buyerKey(0),
        BUDGET_DIR: yield* temporaryFolder,
      },
    })
    const called = (callMsMax?: number) =>
      Effect.promise(() =>
        makeBuyer(settings, [], () => {}, callMsMax)
          .call("get_signals", query, new AbortController().signal)
      )
    // The host does not cancel, and the error is written to it.
    const late = yield* called(3_000)
    late.onWritten()
    match(
      String(Object(late.result.content[0])["text"]),
      /^It is not known whether \$0\.03 was charged/,
    )
    released.resolve()
    const again = yield* called()
    match(
      String(Object(again.result.content[0])["text"]),
      /^This is the answer to an earlier call/,
    )
    strictEqual(yield* spentBy(payer), price)
  },
  market(),
)

for (
  const [held, end, what] of [
    [isPayment, "killed", "an answer that was lost when its server was killed"],
    [isRecord, "cancelled", "an answer that had arrived when its call was cancelled"],
    [isRecord, "killed", "an answer that had arrived when its server was killed"],
  ] as const
) {
  liveTest(`${what} is fetched again, not bought`, function* () {
    const hold = holdFirst(held)
    const base = yield* openShop(hold.between)
    const command = paying(base, yield* temporaryFolder)
    const first = yield* connectStdio("sdk 1", command)
    const controller = new AbortController()
    const lost = first.call("get_signals", query, {}, { signal: controller.signal })
      .then(() => "answered", () => "lost")
    yield* Effect.promise(() => hold.held)
    if (end === "killed") Deno.kill(first.pid() ?? 0, "SIGKILL")
    else controller.abort()
    strictEqual(yield* Effect.promise(() => lost), "lost")
    hold.release()
    const next = end === "killed" ? yield* connectStdio("sdk 1", command) : first
    const again = yield* Effect.promise(() => next.call("get_signals", query))
    equal([again.isError, again.structuredContent?.["count"]], [undefined, 2])
    strictEqual(yield* spentBy(payer), price)
    // It has arrived now, so the same call buys a new answer.
    yield* Effect.promise(() => next.call("get_signals", query))
    strictEqual(yield* spentBy(payer), 2n * price)
  }, market())
}

liveTest("a call that takes long reports progress", function* () {
  const hold = holdFirst(isPayment)
  const base = yield* openShop(hold.between)
  const client = yield* connectStdio("2 pinned", paying(base, yield* temporaryFolder))
  const messages: Array<string | undefined> = []
  const answer = yield* Effect.promise(() =>
    client.call("get_research", { market: "market-1" }, {}, {
      onprogress: ({ message }) => {
        messages.push(message)
        hold.release()
      },
    })
  )
  strictEqual(answer.isError, undefined)
  match(messages[0] ?? "", /^Waiting for the answer \(\d+ s\)$/)
}, market())

liveTest(
  "a paid answer without its documented form is delivered as an error, and paid once",
  function* () {
    const base = yield* openShop(async (request, answer) => {
      const uncompressed = new Headers(request.headers)
      uncompressed.delete("accept-encoding")
      const response = await answer(new Request(request, { headers: uncompressed }))
      if (response.status !== 200 || !response.headers.has("payment-response")) return response
      const headers = new Headers(response.headers)
      headers.delete("content-length")
      const body = { ...await response.json(), count: "many" }
      return new Response(JSON.stringify(body), { headers })
    })
    for (const kind of clientKinds) {
      const client = yield* connectStdio(kind, paying(base, yield* temporaryFolder))
      const answer = yield* Effect.promise(() => client.call("get_signals", query))
      equal([answer.isError, answer.structuredContent], [true, undefined])
      const [sentence = "", body = ""] = texts(answer)
      match(sentence, /^Paid \$0\.03/)
      strictEqual(JSON.parse(body)["count"], "many")
    }
  },
  market(),
)
