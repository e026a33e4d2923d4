/**
 * Signed offers and receipts: two verifiers accept every one of ours, the stock package's and one
 * that shares no code with the service; both refuse every altered one.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, rejects, strictEqual } from "node:assert/strict"
import { createHash, createPublicKey, verify } from "node:crypto"
import {
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions"
import { Buffer } from "node:buffer"
import { Effect } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { offerPeriodSeconds } from "../../../src/payments/domain/x402/offerReceipt.ts"
import { makeOffers } from "../../../src/http/paywall/paywall.ts"
import { SigningKey } from "../../../src/signing/SigningKey.ts"
import { test } from "../../support/effect.ts"
import {
  json,
  type PaidService,
  paidTest,
  payment,
  statusOf,
  withPaidService,
} from "../../support/http/paidService.ts"
import { passing } from "../../support/payments/sales.ts"
import { terms } from "../../support/payments/terms.ts"
import { Random } from "../../support/random.ts"
import { sized } from "../../support/size.ts"
import { testKey } from "../../support/signing/key.ts"

interface Jws {
  readonly format: "jws"
  readonly signature: string
}

const jwk = { kty: "OKP", crv: "Ed25519", x: testKey.keys.current.x, alg: "EdDSA" } as const
const publicKey = createPublicKey({ key: jwk, format: "jwk" })
const partsOf = (jws: string) => {
  const [header = "", payload = "", signature = "", ...more] = jws.split(".")
  return { header, payload, signature, more }
}

/** The independent verifier: node:crypto and nothing of ours. Null when the text is refused. */
function payloadOf({ signature: jws }: Jws): Record<string, unknown> | null {
  const { header, payload, signature, more } = partsOf(jws)
  const plain = /^[\w-]+$/
  if (more.length > 0 || ![header, payload, signature].every((part) => plain.test(part))) {
    return null
  }
  const bytes = Buffer.from(signature, "base64url")
  // Base64url has several texts for some bytes; only one of them is ours.
  if (bytes.toString("base64url") !== signature) return null
  if (!verify(null, Buffer.from(`${header}.${payload}`), publicKey, bytes)) return null
  return JSON.parse(Buffer.from(payload, "base64url").toString())
}

const requiredIn = (response: Response) =>
  JSON.parse(atob(response.headers.get("payment-required") ?? ""))
const receiptIn = (response: Response) => extractReceiptFromResponse(response) as Jws

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const queries: Partial<Record<Product["id"], string>> = {
  signals: "?since=0&count=2",
  signal: "?index=1",
  research: "?market=market-1",
}

paidTest(
  "every 402 offers its terms, signed, and both verifiers read the same",
  function* ({ call }) {
    for (const product of Object.values(products)) {
      const required = requiredIn(yield* call(product.path))
      const offers = extractOffersFromPaymentRequired(required)
      equal(offers.length, 1)
      for (const offer of offers) {
        const payload = payloadOf(offer as Jws)
        equal(yield* Effect.promise(() => verifyOfferSignatureJWS(offer as Jws, jwk)), payload)
        strictEqual(findAcceptsObjectFromSignedOffer(offer, required.accepts), required.accepts[0])
        strictEqual(payload?.["resourceUrl"], required.resource.url)
      }
    }
  },
)

const purchases = sized({ short: 24, full: 5_000 })

/** Payments of one service: the clock moves with each, and they are signed at its start. */
const batch = 16
const sold = Object.values(products)

/** Buys once and checks the receipt with both verifiers. Returns its payment id. */
const buyAndVerify = Effect.fnUntraced(function* (service: PaidService, n: number) {
  const product = sold[n % sold.length] ?? products.latest
  const query = queries[product.id] ?? ""
  const response = yield* service.pay(product, query, n)
  strictEqual(response.status, 200, product.id)
  const receipt = receiptIn(response)
  const body = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  const stated = payloadOf(receipt)
  equal(yield* Effect.promise(() => verifyReceiptSignatureJWS(receipt, jwk)), stated)
  const { authorization } = yield* payment(product, n)
  const settled = JSON.parse(atob(response.headers.get("payment-response") ?? ""))
  const { request, issuedAt, paymentId, ...rest } = stated ?? {}
  equal(rest, {
    ...{ version: 1, kind: "sale", network: "eip155:8453" },
    resourceUrl: `${terms.publicBaseUrl}${product.path}`,
    payer: authorization.from,
    transaction: settled.transaction,
    nonce: authorization.nonce,
    ...{ asset: terms.asset, payTo: terms.payTo, amount: product.price.toString() },
    bodySha256: sha256(body),
  })
  ok(typeof issuedAt === "number" && Number.isInteger(issuedAt))
  const answered = new URL(String(request)).searchParams
  for (const [name, value] of new URLSearchParams(query)) strictEqual(answered.get(name), value)
  return String(paymentId)
})

test(`every answer of ${purchases} purchases has a receipt of its payment and its bytes`, function* () {
  const seen = new Set<string>()
  for (let first = 0; first < purchases; first += batch) {
    yield* withPaidService(Effect.fnUntraced(function* (service) {
      for (let n = first; n < Math.min(first + batch, purchases); n++) {
        seen.add(yield* buyAndVerify(service, n))
      }
    }))
  }
  equal(seen.size, purchases)
})

paidTest(
  "an answer that is sent again has the same receipt, and its status shows it for the key",
  function* (service) {
    const { header } = yield* payment(products.latest, 0)
    const key = "a-key-of-this-purchase"
    const headers = { "payment-signature": header, "idempotency-key": key }
    const first = receiptIn(yield* service.call(products.latest.path, { headers }))
    yield* passing(400)
    const again = yield* service.call(products.latest.path, { headers })
    equal([again.headers.get("idempotent-replayed"), receiptIn(again)], ["true", first])
    const { paymentId } = payloadOf(first) ?? {}
    const at = `/v1/payments/${paymentId}`
    const stated = yield* json(yield* service.call(at, { headers: { "idempotency-key": key } }))
    equal(stated.receipt, first)
    for (const other of [{}, { "idempotency-key": "a-key-of-another-one" }]) {
      equal((yield* json(yield* service.call(at, { headers: other }))).receipt, null)
    }
    equal((yield* json(yield* statusOf(service, products.latest))).receipt, null)
  },
)

paidTest(
  "the stock package matches a receipt with the offer it was bought by",
  function* (service) {
    const product = products.research
    const [offer] = extractOffersFromPaymentRequired(requiredIn(yield* service.call(product.path)))
    const receipt = receiptIn(yield* service.pay(product, queries["research"]))
    const { from } = (yield* payment(product, 0)).authorization
    const payload = payloadOf(offer as Jws)
    ok(verifyReceiptMatchesOffer(receipt, payload as never, [from], Infinity))
    ok(!verifyReceiptMatchesOffer(receipt, payload as never, [terms.payTo], Infinity))
  },
)

test("offers are signed once per product and period, at any number of requests", function* () {
  let signed = 0
  const counting = {
    ...testKey,
    sign: (payload: Parameters<typeof testKey.sign>[0]) => {
      signed += 1
      return testKey.sign(payload)
    },
  }
  const offers = yield* Effect.provideService(makeOffers(terms), SigningKey, counting)
  const all = Object.values(products)
  for (let call = 0; call < 10_000; call++) offers(all[call % all.length] ?? products.latest)
  strictEqual(signed, all.length)
  yield* passing(offerPeriodSeconds)
  for (let call = 0; call < 10_000; call++) offers(products.research)
  strictEqual(signed, all.length + 1)
})

const alterations = sized({ short: 400, full: 20_000 })

test(`${alterations} altered offers and receipts are refused by both verifiers`, () =>
  Effect.promise(async () => {
    const random = new Random(21)
    for (let n = 0; n < alterations; n++) {
      const signature = testKey.sign({
        version: 1,
        amount: String(n),
        resourceUrl: "https://a.b/c",
      })
      const altered = alteredJws(random, signature)
      const jws: Jws = { format: "jws", signature: altered }
      strictEqual(payloadOf(jws), null, `${signature} -> ${altered}`)
      const stock = n % 2 === 0 ? verifyOfferSignatureJWS : verifyReceiptSignatureJWS
      equal(await stock({ format: "jws", signature }, jwk), payloadOf({ format: "jws", signature }))
      await rejects(() => stock(jws, jwk), `${signature} -> ${altered}`)
    }
  }))

const sameBytes = (a: string, b: string) =>
  a.split(".").every((part, at) =>
    Buffer.from(part, "base64url").equals(Buffer.from(b.split(".")[at] ?? "", "base64url"))
  )

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** One edit: a letter replaced, removed or inserted, or a part of another statement. */
function alteredJws(random: Random, jws: string): string {
  const below = (limit: number) => Math.floor(random.fraction() * limit)
  for (;;) {
    const at = below(jws.length)
    const letter = letters[below(letters.length)]
    const { header, payload, signature } = partsOf(jws)
    const other = partsOf(testKey.sign({ version: 1, amount: "0.5" }))
    const edited = [
      `${jws.slice(0, at)}${letter}${jws.slice(at + 1)}`,
      `${jws.slice(0, at)}${jws.slice(at + 1)}`,
      `${jws.slice(0, at)}${letter}${jws.slice(at)}`,
      `${header}.${other.payload}.${signature}`,
      `${header}.${payload}.${other.signature}`,
    ][below(5)]
    // Base64url has several texts for the last byte of a signature. The stock decoder reads them
    // all as the same signature of the same statement, so they are no alterations.
    if (edited !== undefined && !sameBytes(edited, jws)) return edited
  }
}
