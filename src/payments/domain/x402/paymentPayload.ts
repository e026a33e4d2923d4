/**
 * Decodes an x402 payment and checks whether it pays for a product.
 *
 * Version 2 is supported. Version 1 payloads and the hybrid (version 2 without `accepted`) are
 * accepted too, because the signed message is the same. The terms that a payload repeats are
 * checked but never used: every later request is rebuilt from our own product table and the signed
 * message.
 *
 * @module
 */
import { Result, Schema, SchemaIssue } from "effect"
import { Base64Url } from "effect/encoding"
import { usd } from "../../../core/domain/money.ts"
import { address, type Authorization, Bytes32, Signature, signatureBytesMax } from "../payment.ts"
import { PaymentFault } from "../failedSale.ts"
import type { Product } from "../../../catalog/domain/product.ts"
import { toolUrl } from "../../../catalog/domain/skill.ts"
import { networkOf, type PaymentTerms, requirements } from "./terms.ts"

/**
 * Tolerance for the time of the block that will contain the payment, and for a buyer's clock that
 * is ahead of ours.
 */
const clockMarginSeconds = { early: 6, late: 30 } as const
/** Maximum length of a payment header in base64. */
export const paymentHeaderLengthMax = 8_192
/** Maximum length of a payment as JSON: the size that a header of that length decodes to. */
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
  signature: Schema.String.check(
    Schema.isMaxLength(2 + 2 * signatureBytesMax),
    Schema.isPattern(/^0x(?:[0-9a-fA-F]{2}){65,}$/),
  ),
})

const Accepted = Schema.Struct({
  scheme: Text,
  network: Text,
  amount: Digits,
  asset: hexOf(40),
  payTo: hexOf(40),
  extra: Schema.optionalKey(Schema.Unknown),
})

/** A buyer's identifier of a payment: 16 to 128 letters, digits, `-` and `_`. */
export const PaymentIdentifier = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{16,128}$/))

/** A field that may be absent or null, because buyers send either. */
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

/** A decoded payment. Hex is in lower case, and the signatures are in normal form. */
export interface PaymentPayload {
  readonly scheme: string | null
  readonly network: string | null
  /** The entry of `accepts` that the buyer chose; null in version 1 and the hybrid. */
  readonly accepted: Accepted | null
  readonly authorization: Authorization
  readonly signature: Signature
  readonly resourceUrl: string | null
  /** The buyer's `payment-identifier`; null when there is none. */
  readonly identifier: string | null
}

/** Why a payment does not pay for a product. The reason is text for the buyer. */
class PaymentRejected extends Schema.TaggedError<PaymentRejected>()("PaymentRejected", {
  reason: Schema.String,
  fault: PaymentFault,
}) {}

/** Decodes a payment header: base64 or base64url, padded or not, of UTF-8 JSON. */
export function decodePayment(header: string): Result.Result<PaymentPayload, PaymentRejected> {
  if (header.length > paymentHeaderLengthMax) {
    return malformed(`The payment header is larger than ${paymentHeaderLengthMax} bytes`)
  }
  return Result.flatMap(jsonOf(header), payloadOf)
}

/**
 * Decodes a payment that came as JSON in a message's metadata. The size limit is that of a header.
 */
export function decodePaymentJson(json: unknown): Result.Result<PaymentPayload, PaymentRejected> {
  const length = JSON.stringify(json)?.length ?? 0
  return length > paymentJsonLengthMax
    ? malformed(`The payment is larger than ${paymentJsonLengthMax} characters of JSON`)
    : payloadOf(json)
}

function payloadOf(json: unknown): Result.Result<PaymentPayload, PaymentRejected> {
  return Result.match(decodeWire(json), { onFailure: malformed, onSuccess: fromWire })
}

/**
 * Checks that a payment pays for this product: first the terms that it repeats, then what was
 * signed. Fails with the first fault.
 */
export function matchPayment(
  product: Product,
  payment: PaymentPayload,
  terms: PaymentTerms,
): Result.Result<PaymentPayload, PaymentRejected> {
  return checkOffer(product, payment, terms).pipe(
    Result.andThen(() => checkAuthorization(product, payment.authorization, terms)),
    Result.map(() => payment),
  )
}

/** The last second at which a call with this authorization can be sold. */
export const sellableUntil = (
  { validBefore }: Authorization,
  { neededSeconds }: PaymentTerms,
): bigint => validBefore - BigInt(neededSeconds + clockMarginSeconds.early)

/**
 * Checks that a payment can be settled now. Separate from `matchPayment` because time passes: the
 * response to a known payment depends on its state, even when the payment has expired since.
 */
export function checkTimes(
  { authorization }: PaymentPayload,
  terms: PaymentTerms,
  nowSeconds: bigint,
): Result.Result<void, PaymentRejected> {
  const { validAfter, validBefore } = authorization
  const { maxTimeoutSeconds } = terms
  if (validAfter > nowSeconds) return rejected("expired", "The authorization is not valid yet")
  if (sellableUntil(authorization, terms) < nowSeconds) {
    return rejected("expired", "The authorization has expired or expires too soon")
  }
  // An open-ended authorization could never be proved void.
  return validBefore > nowSeconds + BigInt(maxTimeoutSeconds + clockMarginSeconds.late)
    ? rejected("expired", `The authorization must expire within ${maxTimeoutSeconds} seconds`)
    : Result.void
}

/** Checks the terms that a payment repeats, where it repeats them. */
function checkOffer(
  product: Product,
  { scheme, network, accepted: chosen, resourceUrl }: PaymentPayload,
  terms: PaymentTerms,
): Result.Result<void, PaymentRejected> {
  const ours = requirements(product, terms)
  if (scheme !== null && scheme !== ours.scheme) {
    return rejected("invalid_terms", "Only the scheme exact is accepted")
  }
  // A payment without the terms it chose may name the network as version 1 did.
  const v1Name = chosen === null ? networkOf(terms.chainId)?.v1Name : undefined
  if (network !== null && network !== ours.network && network !== v1Name) {
    return rejected("invalid_network", `Pay on the network ${ours.network}`)
  }
  if (chosen !== null && chosen.amount !== ours.amount) {
    const amount = `${ours.amount} units of USDC ($${usd(product.price)})`
    return rejected("invalid_amount", `The amount must be ${amount}`)
  }
  if (chosen !== null && !isSameAddress(chosen.asset, ours.asset)) {
    return rejected("invalid_terms", `The asset must be ${ours.asset}`)
  }
  if (chosen !== null && !isSameAddress(chosen.payTo, ours.payTo)) {
    return rejected("invalid_terms", `Pay to ${ours.payTo}`)
  }
  if (chosen !== null && flowOf(chosen.extra) !== (ours.extra.paymentFlow ?? "authorization")) {
    return rejected("invalid_terms", "The payment flow is not the one this route uses")
  }
  return isForProduct(product, resourceUrl)
    ? Result.void
    : rejected("invalid_terms", `The payment is for another resource than ${product.path}`)
}

/** Checks what was signed. */
function checkAuthorization(
  { price }: Product,
  { from, to, value }: Authorization,
  { payTo, treasury }: PaymentTerms,
): Result.Result<void, PaymentRejected> {
  if (!isSameAddress(to, payTo)) {
    return rejected("invalid_terms", `The authorization must pay to ${payTo}`)
  }
  if (value !== price) {
    return rejected(
      "invalid_amount",
      `The authorization must be for exactly ${price} units of USDC`,
    )
  }
  return isSameAddress(from, payTo) || isSameAddress(from, treasury)
    ? rejected("invalid_terms", "The payer is one of our own addresses")
    : Result.void
}

/** Whether a resource URL is the product's HTTP path or its MCP tool. */
function isForProduct(product: Product, resourceUrl: string | null): boolean {
  if (resourceUrl === null) return true
  if (resourceUrl === toolUrl(product)) return true
  const path = /^https?:\/\/[^/?#]+([^?#]*)/.exec(resourceUrl)?.[1]
  return path === product.path
}

function isSameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function flowOf(extra: unknown): unknown {
  return typeof extra === "object" && extra !== null && "paymentFlow" in extra
    ? extra.paymentFlow
    : "authorization"
}

const decode = Schema.decodeUnknownResult(WirePayment)

/**
 * Decodes a payment. The error is text for the buyer: which field is wrong, and what it must be. In a
 * union, the member that decoded furthest is the one that the buyer meant.
 */
function decodeWire(json: unknown): Result.Result<WirePayment, string> {
  return Result.mapError(decode(json), ({ issue }) =>
    errorText(
      issuesOf(issue).issues.map(({ path = [] }) => path.map(String)).reduce(
        (longest, path) => path.length > longest.length ? path : longest,
        [],
      ),
    ))
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const notPayload = "The payment is not an x402 exact EVM payload"

function errorText(path: ReadonlyArray<string>): string {
  const field = path.at(-1)
  if (field === undefined) return notPayload
  const where = path.join(".")
  const form = where === "payload.signature" ? anySignature : expected.get(field)
  const wrong = `${where} must be ${form ?? "an object"}`
  return path[0] === "payload" ? `${notPayload}: ${wrong}` : `The payment's ${wrong}`
}

const anySignature = `0x and 130 hex digits; of a contract wallet, up to ${signatureBytesMax} bytes`

/** The expected form of fields, by their names. The others are objects. */
const forms: ReadonlyArray<readonly [form: string, fields: ReadonlyArray<string>]> = [
  ["0x and 40 hex digits", ["from", "to", "asset", "payTo"]],
  ["1 to 30 decimal digits, as text", ["value", "validAfter", "validBefore", "amount"]],
  ["text of at most 2048 characters", ["scheme", "network", "url"]],
  ["0x and 64 hex digits", ["nonce"]],
  ["16 to 128 letters, digits, - or _", ["id"]],
]
const expected = new Map(forms.flatMap(([form, fields]) => fields.map((field) => [field, form])))

const decodeBytes32 = Schema.decodeUnknownSync(Bytes32)

function fromWire(wire: WirePayment): Result.Result<PaymentPayload, PaymentRejected> {
  const { authorization, signature } = wire.payload
  const accepted = wire.x402Version === 2 ? wire.accepted ?? null : null
  const extensions = wire.x402Version === 2 ? wire.extensions ?? null : null
  return Result.map(
    normalSignature(signature),
    (signature) => ({
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
      identifier: extensions?.["payment-identifier"]?.info.id ?? null,
    }),
  )
}

/** Length of the signature of a key, in characters: 0x and 65 bytes. */
const keySignatureLength = 132
/**
 * Half of the order of secp256k1. Of the two forms of a signature only the one with the lower s is
 * accepted.
 */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const signatureVs: Readonly<Record<number, string>> = { 0: "1b", 1: "1c", 27: "1b", 28: "1c" }

/**
 * Normalises a signature, so that it has only one form: v of 0 or 1 becomes 27 or 28, and a high s
 * is refused. Of a longer one, which a contract wallet checks, only the case of its digits changes.
 */
function normalSignature(spelling: string): Result.Result<Signature, PaymentRejected> {
  const lower = spelling.toLowerCase()
  if (lower.length > keySignatureLength) {
    return Result.succeed(Signature.make(`0x${lower.slice(2)}`))
  }
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
  return bytes.pipe(
    Result.flatMap((bytes) => Result.try((): unknown => JSON.parse(utf8.decode(bytes)))),
    Result.orElse(() => malformed("The payment header is not base64 of a JSON payload")),
  )
}

function malformed(reason: string): Result.Result<never, PaymentRejected> {
  return rejected("malformed", reason)
}

function rejected(
  fault: PaymentFault,
  reason: string,
): Result.Result<never, PaymentRejected> {
  return Result.fail(new PaymentRejected({ fault, reason }))
}
