/**
 * A payment as a buyer puts it on the wire: the shapes that are taken, and which field is wrong.
 *
 * @module
 */
import { Result, Schema } from "effect"

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
export type WirePayment = typeof WirePayment.Type
export type Accepted = typeof Accepted.Type

const decode = Schema.decodeUnknownResult(WirePayment)

/** Reads a payment, or says in words for its sender which field is wrong and what would be right. */
export function decodeWire(json: unknown): Result.Result<WirePayment, string> {
  return Result.mapError(decode(json), ({ issue }) => complaint(deepest(issue)))
}

const notPayload = "The payment is not an x402 exact EVM payload"

function complaint(path: ReadonlyArray<PropertyKey>): string {
  const field = path.at(-1)
  if (field === undefined) return notPayload
  const wrong = `${path.join(".")} must be ${expected[String(field)] ?? "an object"}`
  return path[0] === "payload" ? `${notPayload}: ${wrong}` : `The payment's ${wrong}`
}

const digits = "1 to 30 decimal digits, as text"
const address = "0x and 40 hex digits"
const text = "text of at most 2048 characters"

/** What a field must be, by its name; the others are objects. */
const expected: Readonly<Record<string, string>> = {
  ...{ from: address, to: address, asset: address, payTo: address },
  ...{ value: digits, validAfter: digits, validBefore: digits, amount: digits },
  ...{ scheme: text, network: text, url: text },
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
