/**
 * Every quickstart runs as a real process against the service on a real socket: it pays once for an
 * answer, also when an answer is lost and when it is killed in the middle of a purchase.
 *
 * @module
 */
import { deepStrictEqual as equal, doesNotMatch, match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { resendRule } from "../../src/catalog/domain/refusal.ts"
import { liveTest } from "../support/effect.ts"
import {
  hasAllPackages,
  hasQuickstartPackages,
  installQuickstarts,
  quickstartFolder,
  quickstarts,
  runQuickstart,
} from "../support/examples/quickstarts.ts"
import { errorResponse } from "../support/client/seller.ts"
import { openShop, spentBy } from "../support/packages/shop.ts"
import { buyer, buyerKey } from "../support/payments/buyers.ts"
import { market } from "../support/payments/sales.ts"
import { registerSkipped } from "../support/venues/oracle.ts"

const linesMax = 34
const key = buyerKey(0)
const spent = spentBy(buyer(0).address)
/** The signing code that `python.py` imports: not a quickstart. */
const isModule = (name: string) => name === "eip3009.py"

const names = [...Deno.readDirSync(quickstarts)].map(({ name }) => name)

Deno.test("a quickstart has at most 34 lines", () => {
  const long = names.filter((name) => !isModule(name)).flatMap((name) => {
    const lines = Deno.readTextFileSync(new URL(name, quickstarts)).trimEnd().split("\n").length
    return lines > linesMax ? [`${name}: ${lines} lines`] : []
  })
  equal(long, [])
})

Deno.test("a quickstart says how to recover, and makes no key where it sends it", () => {
  for (const name of names.filter((name) => !isModule(name))) {
    const text = Deno.readTextFileSync(new URL(name, quickstarts))
    equal(text.includes(resendRule), true, name)
    doesNotMatch(text, /Idempotency-Key["']?\s*:[^,}\n]*(random|uuid)/i, name)
  }
})

liveTest("curl.sh reads what is free and the terms of what is paid", function* () {
  const base = yield* openShop()
  const folder = yield* quickstartFolder
  const { code, stdout, stderr } = yield* runQuickstart(folder, "curl.sh", { BASE_URL: base })
  equal([code, stderr], [0, ""])
  for (const text of ['"index":3', "topMovers24h", "static_sample", '"price":"$0.03"']) {
    match(stdout, new RegExp(RegExp.escape(text)))
  }
  match(stdout, new RegExp(`"amount":"${products.signals.price}"`))
  strictEqual(yield* spent, 0n)
}, market())

/** What a request with a payment carried. */
interface Sent {
  readonly payment: string | null
  readonly key: string | null
}

/**
 * The service; `lose` replaces the answer to the n-th request with a payment, after the service has
 * made it.
 */
const lossyService = Effect.fnUntraced(function* (lose: (nth: number) => Response | null) {
  const sent: Array<Sent> = []
  const base = yield* openShop(async (request, answer) => {
    const payment = request.headers.get("payment-signature")
    const key = request.headers.get("idempotency-key")
    const response = await answer(request)
    if (payment === null) return response
    sent.push({ payment, key })
    return lose(sent.length) ?? response
  })
  return { sent, env: { BASE_URL: base, BUYER_PRIVATE_KEY: key } }
})

const unknownOutcome = () => errorResponse(503, { charged: null, retryable: true })
/** The connection breaks while the body is sent. */
const brokenResponse = (): Response =>
  new Response(
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"success"')),
      pull: (controller) => controller.error("lost"),
    }),
  )

const losses = { "breaks off": brokenResponse, "is a 503": unknownOutcome }

/** What every quickstart buys, and what it prints of it. */
const price: bigint = products.latest.price
const answer = /"feedIndex": 3/

function buysOnce(file: string): void {
  liveTest(`${file} pays once and prints the answer`, function* () {
    const { sent, env } = yield* lossyService(() => null)
    const folder = yield* quickstartFolder
    const { code, stdout, stderr } = yield* runQuickstart(folder, file, env)
    equal([code, stderr, sent.length], [0, "", 1])
    match(stdout, answer)
    strictEqual(yield* spent, price)
  }, market())

  liveTest(`${file} without a good key ends in one sentence that names the variable`, function* () {
    const { sent, env } = yield* lossyService(() => null)
    const folder = yield* quickstartFolder
    for (const wrong of ["", "0x12"]) {
      const run = yield* runQuickstart(folder, file, { ...env, BUYER_PRIVATE_KEY: wrong })
      equal([run.code, run.stdout, sent.length], [1, "", 0])
      match(run.stderr, /^Set BUYER_PRIVATE_KEY [^\n]+\.\r?\n$/)
    }
  }, market())

  for (const [what, lost] of Object.entries(losses)) {
    liveTest(`${file} sends the same payment again when the answer ${what}`, function* () {
      const { sent, env } = yield* lossyService((nth) => nth === 1 ? lost() : null)
      const folder = yield* quickstartFolder
      const { code, stdout } = yield* runQuickstart(folder, file, env)
      equal([code, sent.length], [0, 2])
      match(stdout, answer)
      equal(sent[1], sent[0])
      strictEqual(yield* spent, price)
    }, market())
  }

  liveTest(
    `${file}, killed before its answer, sends the same payment when it starts again`,
    function* () {
      const killed = new AbortController()
      const { sent, env } = yield* lossyService((nth) => {
        if (nth === 1) killed.abort()
        return nth === 1 ? brokenResponse() : null
      })
      const folder = yield* quickstartFolder
      const first = yield* runQuickstart(folder, file, env, killed.signal)
      const second = yield* runQuickstart(folder, file, env)
      doesNotMatch(first.stdout, answer)
      equal([second.code, sent.length], [0, 2])
      equal(sent[1], sent[0])
      strictEqual(yield* spent, price)
    },
    market(),
  )
}

buysOnce("python.py")
if (hasQuickstartPackages) buysOnce("typescript.mjs")
else registerSkipped("typescript.mjs", installQuickstarts)
if (hasAllPackages) buysOnce("client.mjs")
else registerSkipped("client.mjs", installQuickstarts)
