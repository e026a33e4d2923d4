/**
 * A hundred encodings of one payment: the signed message is the same, everything around it varies.
 *
 * @module
 */
import { Base64, Base64Url } from "effect/encoding"
import type { wirePayment } from "./terms.ts"

type Wire = ReturnType<typeof wirePayment>

/** One encoding, with its header and its key. */
export interface Encoding {
  readonly payment: string
  readonly header: "PAYMENT-SIGNATURE" | "X-PAYMENT"
  /** The Idempotency-Key; null when the payment itself carries the secret. */
  readonly key: string | null
}

type Choice<A> = readonly [A, ...ReadonlyArray<A>]
type Json = { readonly [name: string]: unknown }

/** The accepted shapes of the payload. */
const shapes: Choice<(wire: Wire, secret: string) => Json> = [
  identified,
  (wire) => wire,
  ({ payload }) => ({ x402Version: 2, payload }),
  ({ payload }) => ({ x402Version: 2, payload, accepted: null, resource: null, extensions: null }),
  ({ payload }) => ({ x402Version: 1, scheme: "exact", network: "base", payload }),
  ({ payload }) => ({ x402Version: 1, scheme: "exact", network: "eip155:8453", payload }),
]

/** Carries the secret as payment-identifier, so there is no Idempotency-Key header. */
function identified({ payload, accepted }: Wire, secret: string): Json {
  return {
    ...{ x402Version: 2, payload, accepted, unknown: { nested: [1, "x"] } },
    extensions: { "payment-identifier": { info: { required: false, id: secret } } },
  }
}

const hexForms: Choice<(hex: string) => string> = [
  (hex) => hex,
  (hex) => `0x${hex.slice(2).toUpperCase()}`,
  (hex) => `0x${[...hex.slice(2)].map((c, at) => at % 2 ? c.toUpperCase() : c).join("")}`,
]

/** v as 27 or 28, and as 0 or 1. */
const recoveries: Choice<(signature: string) => string> = [
  (signature) => signature,
  (signature) => signature.slice(0, -2) + (signature.endsWith("1b") ? "00" : "01"),
]

const texts: Choice<(json: Json) => string> = [
  (json) => JSON.stringify(json),
  (json) => JSON.stringify(json, null, 2),
  (json) => ` \n${JSON.stringify(withReversedKeys(json), null, "\t")}\r\n `,
]

const alphabets: Choice<(text: string) => string> = [
  (text) => Base64.encode(text),
  (text) => Base64.encode(text).replace(/=+$/, ""),
  (text) => Base64Url.encode(text),
]

/**
 * The number of combinations, and the stride between the chosen ones, so that every variant occurs.
 */
const combinations = shapes.length * hexForms.length * recoveries.length * texts.length *
  alphabets.length
const stride = 71

/** A hundred different encodings. */
export function encodings(wire: Wire, secret: string): ReadonlyArray<Encoding> {
  const found = new Map<string, Encoding>()
  for (let n = 0; n < combinations && found.size < 100; n++) {
    let left = n * stride % combinations
    const pick = <A>(from: Choice<A>): A => {
      const at = left % from.length
      left = Math.floor(left / from.length)
      return from[at] ?? from[0]
    }
    const hex = pick(hexForms)
    const recovery = pick(recoveries)
    const shape = pick(shapes)
    const text = pick(texts)
    const alphabet = pick(alphabets)
    const { authorization, signature } = wire.payload
    const reencoded = {
      ...wire,
      payload: {
        authorization: {
          ...authorization,
          from: hex(authorization.from),
          to: hex(authorization.to),
          nonce: hex(authorization.nonce),
          value: n % 4 === 0 ? `0${authorization.value}` : authorization.value,
        },
        signature: hex(recovery(signature)),
      },
    }
    const encoding: Encoding = {
      payment: alphabet(text(shape(reencoded, secret))),
      header: n % 2 === 0 ? "PAYMENT-SIGNATURE" : "X-PAYMENT",
      key: shape === identified ? null : secret,
    }
    found.set(JSON.stringify(encoding), encoding)
  }
  return [...found.values()]
}

/** The same object with all keys in reverse order, at every level. */
function withReversedKeys(json: unknown): unknown {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json
  return Object.fromEntries(
    Object.entries(json).toReversed().map(([name, value]) => [name, withReversedKeys(value)]),
  )
}
