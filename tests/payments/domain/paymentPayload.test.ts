/**
 * Decoding a payment header, and every check against a product, with the code of each fault.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { products } from "../../../src/catalog/domain/product.ts"
import { faultOf, type PaymentFault } from "../../../src/payments/domain/failedSale.ts"
import { signatureBytesMax } from "../../../src/payments/domain/payment.ts"
import {
  checkTimes,
  decodePayment,
  matchPayment,
  paymentHeaderLengthMax,
} from "../../../src/payments/domain/x402/paymentPayload.ts"
import { law } from "../../support/effect.ts"
import {
  authorizationFor,
  headerOf,
  nonce,
  terms,
  wirePayment,
} from "../../support/payments/terms.ts"
import { encodings } from "../../support/payments/encodings.ts"

const now = 1_800_000_000
const product = products.latest
const payer = { address: `0x${"Ab".repeat(20)}` }
const signature = `0x${"11".repeat(32)}${"22".repeat(32)}1b`
const authorization = authorizationFor(payer, product, now, { nonce: nonce(7) })
const wire = wirePayment(product, authorization, signature)

type Json = Readonly<Record<string, unknown>>

/** The payment with one field changed, at a path such as `payload.authorization.value`. */
function changed(path: string, value: unknown, from: Json = wire): Json {
  const [head = "", ...rest] = path.split(".")
  const inside = from[head] as Json
  return { ...from, [head]: rest.length === 0 ? value : changed(rest.join("."), value, inside) }
}

function without(name: string, from: Json = wire): Json {
  return Object.fromEntries(Object.entries(from).filter(([key]) => key !== name))
}

const decode = (json: unknown) => decodePayment(headerOf(json))
const checked = (json: unknown) => {
  const matched = Result.flatMap(decode(json), (payment) => matchPayment(product, payment, terms))
  return Result.flatMap(matched, (payment) => checkTimes(payment, terms, BigInt(now)))
}
const check = (json: unknown): string =>
  Result.match(checked(json), { onSuccess: () => "matches", onFailure: ({ reason }) => reason })
const refused = (json: unknown, expected: RegExp, fault: PaymentFault = "malformed") => {
  const { reason, fault: found } = Result.getOrThrow(Result.flip(checked(json)))
  ok(expected.test(reason), reason)
  equal(found, fault)
}

Deno.test("a payment of the reference client matches its product", () => {
  equal(check(wire), "matches")
  const payment = Result.getOrThrow(decode(wire))
  equal(payment.authorization, authorization)
  equal<string>(payment.signature, signature)
  equal(payment.identifier, null)
})

Deno.test("version 1 payloads and the hybrid without accepted match too", () => {
  const { payload } = wire
  equal(check({ x402Version: 1, scheme: "exact", network: "base", payload }), "matches")
  equal(check({ x402Version: 1, scheme: "exact", network: "eip155:8453", payload }), "matches")
  equal(check({ x402Version: 2, payload }), "matches")
  equal(check({ x402Version: 2, scheme: "exact", network: "eip155:8453", payload }), "matches")
  refused(
    { x402Version: 1, scheme: "exact", network: "base-sepolia", payload },
    /network/,
    "invalid_network",
  )
  equal(check({ x402Version: 2, scheme: "exact", network: "base", payload }), "matches")
  refused({ x402Version: 3, payload }, /not an x402/)
})

Deno.test("one authorization is one payment in a hundred encodings", () => {
  const all = encodings(wire, "a-secret-of-16-chars")
  equal(all.length, 100)
  for (const { payment } of all) {
    const decoded = Result.getOrThrow(decodePayment(payment))
    equal(decoded.authorization, authorization)
    equal<string>(decoded.signature, signature)
  }
})

Deno.test("anything that is not a payment is refused with a reason", () => {
  const notJson = [
    "",
    "%%%",
    "a",
    "é",
    Base64.encode("{"),
    Base64.encode(new Uint8Array([0x22, 0xff, 0x22])),
    `${headerOf(wire)}====`,
  ]
  for (const header of notJson) {
    const decoded = decodePayment(header)
    ok(Result.isFailure(decoded) && /not base64 of a JSON/.test(decoded.failure.reason), header)
  }
  for (const json of [null, 1, "x", [], {}, { x402Version: 2 }, [wire]]) {
    refused(json, /not an x402/)
  }
})

Deno.test(`a header over ${paymentHeaderLengthMax} bytes is refused without decoding`, () => {
  const over = decodePayment("A".repeat(paymentHeaderLengthMax + 1))
  ok(Result.isFailure(over) && /larger than/.test(over.failure.reason))
  const at = decodePayment("A".repeat(paymentHeaderLengthMax))
  ok(Result.isFailure(at) && !/larger than/.test(at.failure.reason))
})

Deno.test("a payload of the wrong shape is refused before its numbers are parsed", () => {
  const at = "payload.authorization"
  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    [`${at}.value`, "1".repeat(31)],
    [`${at}.value`, "-1"],
    [`${at}.value`, "0x10"],
    [`${at}.value`, "1e4"],
    [`${at}.value`, ""],
    [`${at}.value`, 10_000],
    [`${at}.validAfter`, " 1"],
    [`${at}.validBefore`, "1.5"],
    [`${at}.nonce`, `0x${"11".repeat(31)}`],
    [`${at}.nonce`, "11".repeat(32)],
    [`${at}.from`, "0x1"],
    [`${at}.to`, `0x${"gg".repeat(20)}`],
    ["payload.signature", `0x${"11".repeat(64)}`],
    ["payload.signature", "0x"],
    ["payload.signature", `0x${"11".repeat(66)}1`],
    ["payload.signature", `0x${"11".repeat(signatureBytesMax + 1)}`],
    ["payload.signature", "11".repeat(70)],
  ]
  for (const [path, value] of wrong) {
    refused(changed(path, value), new RegExp(`not an x402 exact EVM payload: ${path} must be `))
  }
})

Deno.test("the error for a wrong field outside the payload names the field and the expected form", () => {
  const identifier = (id: string) => ({ "payment-identifier": { info: { id } } })
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["accepted", "exact", "accepted must be an object"],
    ["accepted.amount", "9".repeat(31), "accepted.amount must be 1 to 30 decimal digits, as text"],
    ["accepted.asset", "USDC", "accepted.asset must be 0x and 40 hex digits"],
    ["resource", "https://a.example/v1/latest", "resource must be an object"],
    ["resource.url", "x".repeat(3_000), "resource.url must be text of at most 2048 characters"],
    ["resource.url", 7, "resource.url must be text of at most 2048 characters"],
    ["extensions", [], "extensions must be an object"],
    [
      "extensions",
      identifier("x".repeat(15)),
      "extensions.payment-identifier.info.id must be 16 to 128 letters, digits, - or _",
    ],
  ]
  for (const [path, value, expected] of wrong) {
    equal(check(changed(path, value)), `The payment's ${expected}`)
  }
})

Deno.test("a field that is null counts as absent", () => {
  for (const name of ["accepted", "resource", "extensions", "scheme", "network"]) {
    equal(decode(changed(name, null)), decode(without(name)), name)
  }
  equal(check(changed("resource.url", null)), "matches")
  for (
    const extensions of [
      { "payment-identifier": null },
      { "payment-identifier": { info: { id: null } } },
    ]
  ) {
    equal(Result.getOrThrow(decode({ ...wire, extensions })).identifier, null)
  }
})

Deno.test("a signature longer than 65 bytes is for the payer's contract: only its case changes", () => {
  for (const bytes of [66, 500, signatureBytesMax]) {
    const long = `0x${"Ff".repeat(bytes)}`
    const payment = Result.getOrThrow(decode(changed("payload.signature", long)))
    equal<string>(payment.signature, long.toLowerCase())
  }
})

Deno.test("the signature must be in one form: v of 0, 1, 27 or 28, and the lower s", () => {
  const v = (byte: string) => changed("payload.signature", `${signature.slice(0, -2)}${byte}`)
  for (const byte of ["00", "01", "1b", "1c"]) equal(check(v(byte)), "matches")
  for (const byte of ["02", "1d", "ff"]) refused(v(byte), /recovery byte/, "invalid_signature")
  const s = (half: string) => changed("payload.signature", `0x${"11".repeat(32)}${half}1b`)
  const halfOrder = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
  equal(check(s(halfOrder)), "matches")
  refused(s(halfOrder.replace(/0$/, "1")), /malleable/, "invalid_signature")
})

Deno.test("the accepted offer must be ours: scheme, network, amount, asset, payTo, flow", () => {
  refused(changed("accepted.scheme", "upto"), /scheme/, "invalid_terms")
  refused(changed("accepted.network", "eip155:84532"), /network/, "invalid_network")
  refused(changed("accepted.amount", "9999"), /amount must be 10000/, "invalid_amount")
  refused(changed("accepted.asset", payer.address), /asset must be/, "invalid_terms")
  refused(changed("accepted.payTo", payer.address), /Pay to/, "invalid_terms")
  refused(changed("accepted.extra.paymentFlow", "upfront"), /flow/, "invalid_terms")
  equal(check(changed("accepted.extra.paymentFlow", "authorization")), "matches")
  equal(check(changed("accepted.maxTimeoutSeconds", 9_999)), "matches")
  equal(check(changed("accepted.asset", terms.asset.toLowerCase())), "matches")
})

Deno.test("a resource URL must be the product's path or tool", () => {
  const url = (url: string) => changed("resource.url", url)
  equal(check(without("resource")), "matches")
  equal(check(url("https://elsewhere.example/v1/latest?x=1#y")), "matches")
  equal(check(url("mcp://tool/get_latest")), "matches")
  for (
    const other of [
      "https://a.example/v1/signal",
      "https://a.example/x/v1/latest",
      "/v1/latest",
      "mcp://tool/latest",
      "mcp://tool/get_signal",
      "",
    ]
  ) {
    refused(url(other), /another resource/, "invalid_terms")
  }
})

Deno.test("the authorization must pay us the exact price, and not from our own addresses", () => {
  const at = "payload.authorization"
  refused(changed(`${at}.to`, payer.address), /must pay to/, "invalid_terms")
  for (const value of ["9999", "10001", "0"]) {
    refused(changed(`${at}.value`, value), /exactly 10000/, "invalid_amount")
  }
  refused(changed(`${at}.from`, terms.payTo), /our own/, "invalid_terms")
  refused(changed(`${at}.from`, terms.treasury), /our own/, "invalid_terms")
})

Deno.test("the authorization must be valid now, for long enough, and must expire in time", () => {
  const at = "payload.authorization"
  refused(changed(`${at}.validAfter`, String(now + 1)), /not valid yet/, "expired")
  equal(check(changed(`${at}.validAfter`, String(now))), "matches")
  const before = (seconds: number) => changed(`${at}.validBefore`, String(now + seconds))
  equal(check(before(terms.neededSeconds + 6)), "matches")
  refused(before(terms.neededSeconds + 5), /expired or expires too soon/, "expired")
  equal(check(before(terms.maxTimeoutSeconds + 30)), "matches")
  refused(before(terms.maxTimeoutSeconds + 31), /must expire within/, "expired")
  refused(changed(`${at}.validBefore`, "9".repeat(30)), /must expire within/, "expired")
})

Deno.test("the payment-identifier is read from its extension and must be valid", () => {
  const named = (id: unknown) => ({
    ...wire,
    extensions: { "payment-identifier": { info: { required: false, id } } },
  })
  const id = "pay_7d5d747be160e280"
  equal(Result.getOrThrow(decode(named(id))).identifier, id)
  for (const wrong of ["short", "x".repeat(129), "sixteen spaces in", 7]) {
    refused(named(wrong), /info\.id must be 16 to 128/)
  }
  const declared = { ...wire, extensions: { "payment-identifier": { info: { required: false } } } }
  equal(Result.getOrThrow(decode(declared)).identifier, null)
})

Deno.test("faultOf() maps what reasons of facilitators contain, and every other reason to refused", () => {
  equal(faultOf("insufficient_funds"), "insufficient_funds")
  equal(faultOf("invalid_exact_evm_nonce_already_used"), "nonce_used")
  equal(faultOf("invalid_exact_evm_signature"), "invalid_signature")
  equal(faultOf("invalid_exact_evm_payload_authorization_valid_before"), "expired")
  equal(faultOf("invalid_exact_evm_payload_authorization_value_mismatch"), "invalid_amount")
  equal(faultOf("invalid_exact_evm_network_mismatch"), "invalid_network")
  equal(faultOf("invalid_exact_evm_insufficient_balance"), "insufficient_funds")
  equal(faultOf("invalid_network"), "invalid_network")
  const ownTroubles = "insufficient_gas network_error signature_service_down unexpected_null_value"
  const unknown = ["", "authorization", "INSUFFICIENT_FUNDS", "constructor"]
  for (const word of [...unknown, ...ownTroubles.split(" ")]) equal(faultOf(word), "refused", word)
})

const anyText = Arbitrary.schema(Schema.String)
law("decodePayment() never throws on any text", anyText, (text) => {
  decodePayment(text)
  decodePayment(Base64.encode(text))
})
