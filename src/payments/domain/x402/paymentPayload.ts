/**
 * What a buyer shows us in x402: reading a payment header, and whether it pays for a product.
 *
 * Version 2 is spoken; version 1 payloads and the hybrid (version 2 without `accepted`) are taken
 * too, because what is signed is the same. What a buyer echoes is checked, never used: everything
 * that goes on is rebuilt from our own table and the signed message.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { usd } from "../../../core/domain/money.ts"
import { address, type Authorization, Bytes32, Signature } from "../payment.ts"
import { PaymentFault } from "../paymentFault.ts"
import type { Product } from "../../../catalog/domain/product.ts"
import { toolUrl } from "../../../catalog/domain/skill.ts"
import { type PaymentTerms, requirements, v1Networks } from "./terms.ts"

/** Tolerance for the block that will carry the payment, and for a buyer's clock ahead of ours. */
const clockMarginSeconds = { early: 6, late: 30 } as const
/** Largest payment header, as it comes: base64. */
export const paymentHeaderLengthMax = 8_192
/** Largest payment as JSON: what a header of that size holds. */
const paymentJsonLengthMax = paymentHeaderLengthMax * 3 / 4

const Digits = Schema.String.check(Schema.isPattern(/^[0-9]{1,30}$/))
const hexOf = (digits: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`)))
const Text = Schema.String.check(Schema.isMaxLength(2_048))

const Payload = Schema.Struct({
  authorization: Schema.Struct({
    from: hexOf(40),
    to: hexOf(40),
    value: Digits,
    validAfter: Digits,
    validBefore: Digits,
    nonce: hexOf(64),
  }),
  signature: hexOf(130),
})

const Accepted = Schema.Struct({
  scheme: Text,
  network: Text,
  amount: Digits,
  asset: hexOf(40),
  payTo: hexOf(40),
  extra: Schema.optionalKey(Schema.Unknown),
})

/** A buyer's own name for a payment: 16 to 128 letters, digits, `-` and `_`. */
export const PaymentIdentifier = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,128}$/))

/** Left out or null: some buyers write the one, some the other. */
const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const WirePayment = Schema.Union([
  Schema.Struct({
    x402Version: Schema.Literal(2),
    payload: Payload,
    accepted: optional(Accepted),
    scheme: optional(Text),
    network: optional(Text),
    resource: optional(
      Schema.Struct({ url: optional(Text) }),
    ),
    extensions: optional(Schema.Struct({
      "payment-identifier": optional(Schema.Struct({
        info: Schema.Struct({ id: optional(PaymentIdentifier) }),
      })),
    })),
  }),
  Schema.Struct({
    x402Version: Schema.Literal(1),
    scheme: Text,
    network: Text,
    payload: Payload,
  }),
])
type WirePayment = typeof WirePayment.Type
type Accepted = typeof Accepted.Type

/** What a payment header was found to hold. Hex is in lower case; the signature is in normal form. */
export interface PaymentPayload {
  readonly x402Version: 1 | 2
  readonly scheme: string | null
  readonly network: string | null
  /** The entry of `accepts` the buyer chose; null in version 1 and the hybrid. */
  readonly accepted: Accepted | null
  readonly authorization: Authorization
  readonly signature: Signature
  readonly resourceUrl: string | null
  /** The `payment-identifier` the buyer chose; null when none was. */
  readonly identifier: string | null
}

/** Why a payment does not pay for this, in words for its sender. */
class PaymentRejected extends Schema.TaggedError<PaymentRejected>()("PaymentRejected", {
  reason: Schema.String,
  fault: PaymentFault,
}) {}

/** Reads a payment header: base64 or base64url, padded or not, of UTF-8 JSON. */
export function decodePayment(header: string): Result.Result<PaymentPayload, PaymentRejected> {
  if (header.length > paymentHeaderLengthMax) {
    return malformed(`The payment header is larger than ${paymentHeaderLengthMax} bytes`)
  }
  return Result.flatMap(jsonOf(header), payloadOf)
}

/** Reads a payment that came as JSON, in a message's metadata: no larger than a header could hold. */
export function decodePaymentJson(json: unknown): Result.Result<PaymentPayload, PaymentRejected> {
  const length = JSON.stringify(json)?.length ?? 0
  return length > paymentJsonLengthMax
    ? malformed(`The payment is larger than ${paymentJsonLengthMax} characters of JSON`)
    : payloadOf(json)
}

function payloadOf(json: unknown): Result.Result<PaymentPayload, PaymentRejected> {
  return Result.match(decodeWire(json), { onFailure: malformed, onSuccess: shown })
}

/** Checks, in this order, that a payment pays for this product. Nothing is looked up. */
export function matchPayment(
  product: Product,
  payment: PaymentPayload,
  terms: PaymentTerms,
): Result.Result<PaymentPayload, PaymentRejected> {
  const checks = [
    ...offerChecks(product, payment, terms),
    ...authorizationChecks(product, payment.authorization, terms),
  ]
  return Result.map(firstFault(checks), () => payment)
}

/**
 * Checks that a payment can be settled now. Apart from `matchPayment`, because time passes: a
 * payment that is already known is answered by its state, however late it is sent again.
 */
export function checkTimes(
  { authorization }: PaymentPayload,
  terms: PaymentTerms,
  nowSeconds: bigint,
): Result.Result<void, PaymentRejected> {
  return firstFault(timeChecks(authorization, terms, nowSeconds))
}

function firstFault(checks: ReadonlyArray<Check>): Result.Result<void, PaymentRejected> {
  const fault = checks.find(([holds]) => !holds)
  return fault === undefined ? Result.void : rejected(fault[2], fault[1])
}

type Check = readonly [holds: boolean, reason: string, fault: PaymentFault]

function offerChecks(
  product: Product,
  payment: PaymentPayload,
  terms: PaymentTerms,
): ReadonlyArray<Check> {
  const ours = requirements(product, terms)
  const chosen = payment.accepted
  const networks = payment.x402Version === 1
    ? [ours.network, v1Networks[terms.chainId]]
    : [ours.network]
  return [
    [
      payment.scheme === null || payment.scheme === ours.scheme,
      "Only the scheme exact is taken",
      "invalid_terms",
    ],
    [
      payment.network === null || networks.includes(payment.network),
      `Pay on the network ${ours.network}`,
      "invalid_network",
    ],
    [
      chosen === null || chosen.amount === ours.amount,
      `The amount must be ${ours.amount} units of USDC ($${usd(product.price)})`,
      "invalid_amount",
    ],
    [
      chosen === null || same(chosen.asset, ours.asset),
      `The asset must be ${ours.asset}`,
      "invalid_terms",
    ],
    [chosen === null || same(chosen.payTo, ours.payTo), `Pay to ${ours.payTo}`, "invalid_terms"],
    [
      chosen === null || flowOf(chosen.extra) === (ours.extra.paymentFlow ?? "authorization"),
      "The payment flow is not the one this route uses",
      "invalid_terms",
    ],
    [
      names(product, payment.resourceUrl),
      `The payment is for another resource than ${product.path}`,
      "invalid_terms",
    ],
  ]
}

function authorizationChecks(
  product: Product,
  { from, to, value }: Authorization,
  terms: PaymentTerms,
): ReadonlyArray<Check> {
  return [
    [same(to, terms.payTo), `The authorization must pay to ${terms.payTo}`, "invalid_terms"],
    [
      value === product.price,
      `The authorization must be over exactly ${product.price} units of USDC`,
      "invalid_amount",
    ],
    [
      !same(from, terms.payTo) && !same(from, terms.treasury),
      "The payer is one of our own addresses",
      "invalid_terms",
    ],
  ]
}

/** An open-ended authorization could never be proved void, so it is refused. */
function timeChecks(
  { validAfter, validBefore }: Authorization,
  terms: PaymentTerms,
  now: bigint,
): ReadonlyArray<Check> {
  const latest = now + BigInt(terms.maxTimeoutSeconds + clockMarginSeconds.late)
  const needed = now + BigInt(terms.neededSeconds + clockMarginSeconds.early)
  return [
    [validAfter <= now, "The authorization is not valid yet", "expired"],
    [needed <= validBefore, "The authorization has expired or expires too soon", "expired"],
    [
      validBefore <= latest,
      `The authorization must expire within ${terms.maxTimeoutSeconds} seconds`,
      "expired",
    ],
  ]
}

/** The HTTP path of the product, or its name as an MCP tool. */
function names(product: Product, resourceUrl: string | null): boolean {
  if (resourceUrl === null) return true
  if (resourceUrl === toolUrl(product)) return true
  const path = /^https?:\/\/[^/?#]+([^?#]*)/.exec(resourceUrl)?.[1]
  return path === product.path
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function flowOf(extra: unknown): unknown {
  return typeof extra === "object" && extra !== null && "paymentFlow" in extra
    ? extra.paymentFlow
    : "authorization"
}

const decode = Schema.decodeUnknownResult(WirePayment)

/** Reads a payment, or says in words for its sender which field is wrong and what would be right. */
function decodeWire(json: unknown): Result.Result<WirePayment, string> {
  return Result.mapError(decode(json), ({ issue }) => complaint(deepest(issue)))
}

const notPayload = "The payment is not an x402 exact EVM payload"

function complaint(path: ReadonlyArray<PropertyKey>): string {
  const field = path.at(-1)
  if (field === undefined) return notPayload
  const wrong = `${path.join(".")} must be ${expected[String(field)] ?? "an object"}`
  return path[0] === "payload" ? `${notPayload}: ${wrong}` : `The payment's ${wrong}`
}

const decimal = "1 to 30 decimal digits, as text"
const hexAddress = "0x and 40 hex digits"
const shortText = "text of at most 2048 characters"

/** What a field must be, by its name; the others are objects. */
const expected: Readonly<Record<string, string>> = {
  ...{ from: hexAddress, to: hexAddress, asset: hexAddress, payTo: hexAddress },
  ...{ value: decimal, validAfter: decimal, validBefore: decimal, amount: decimal },
  ...{ scheme: shortText, network: shortText, url: shortText },
  nonce: "0x and 64 hex digits",
  signature: "0x and 130 hex digits",
  id: "16 to 128 letters, digits, - or _",
}

/** The longest path to a fault: in a union, the branch that came furthest is the one that was meant. */
function deepest(issue: Schema.SchemaError["issue"]): ReadonlyArray<PropertyKey> {
  switch (issue._tag) {
    case "Pointer":
      return [...issue.path, ...deepest(issue.issue)]
    case "Filter":
    case "Encoding":
      return deepest(issue.issue)
    case "Composite":
    case "AnyOf":
      return issue.issues.map(deepest).reduce(
        (longest, path) => path.length > longest.length ? path : longest,
        [],
      )
    default:
      return []
  }
}

const decodeBytes32 = Schema.decodeUnknownSync(Bytes32)

function shown(wire: WirePayment): Result.Result<PaymentPayload, PaymentRejected> {
  const { authorization, signature } = wire.payload
  const accepted = wire.x402Version === 2 ? wire.accepted ?? null : null
  return Result.map(normalSignature(signature), (signature) => ({
    x402Version: wire.x402Version,
    scheme: accepted?.scheme ?? wire.scheme ?? null,
    network: accepted?.network ?? wire.network ?? null,
    accepted,
    authorization: {
      from: address(authorization.from),
      to: address(authorization.to),
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: decodeBytes32(authorization.nonce.toLowerCase()),
    },
    signature,
    resourceUrl: wire.x402Version === 2 ? wire.resource?.url ?? null : null,
    identifier: wire.x402Version === 2
      ? wire.extensions?.["payment-identifier"]?.info.id ?? null
      : null,
  }))
}

/** Half of the order of secp256k1: of the two forms of a signature only the lower s is taken. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const signatureVs: Readonly<Record<number, string>> = { 0: "1b", 1: "1c", 27: "1b", 28: "1c" }

/** One authorization has one signature: v of 0 or 1 becomes 27 or 28, a high s is refused. */
function normalSignature(spelling: string): Result.Result<Signature, PaymentRejected> {
  const lower = spelling.toLowerCase()
  const v = signatureVs[Number.parseInt(lower.slice(130), 16)]
  const s = BigInt(`0x${lower.slice(66, 130)}`)
  if (v === undefined) {
    return rejected("invalid_signature", "The signature's recovery byte must be 0, 1, 27 or 28")
  }
  if (s > halfOrder) {
    return rejected("invalid_signature", "The signature is malleable: its s is in the upper half")
  }
  return Result.succeed(Signature.make(`0x${lower.slice(2, 130)}${v}`))
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

function jsonOf(header: string): Result.Result<unknown, PaymentRejected> {
  const unpadded = header.replace(/={1,2}$/, "")
  const bytes = Base64Url.decode(unpadded.replaceAll("+", "-").replaceAll("/", "_"))
  return Result.mapError(
    Result.flatMap(bytes, (bytes) =>
      Result.try(() => {
        const json: unknown = JSON.parse(utf8.decode(bytes))
        return json
      })),
    () =>
      new PaymentRejected({
        reason: "The payment header is not base64 of a JSON payload",
        fault: "malformed",
      }),
  )
}

function malformed(reason: string): Result.Result<never, PaymentRejected> {
  return rejected("malformed", reason)
}

function rejected(fault: PaymentFault, reason: string): Result.Result<never, PaymentRejected> {
  return Result.fail(new PaymentRejected({ fault, reason }))
}
