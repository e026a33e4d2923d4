/**
 * Verifies what the service signs: the offer in each 402 before it is paid, and the receipt of each
 * paid answer against the bytes that arrived. The keys are those of /.well-known/jwks.json.
 *
 * @module
 */
import { plain } from "bellwether-client"
import { Schema } from "effect"

export interface Signatures {
  /** `fetch` of the service: fails on a 402 without a valid offer, before anything is signed. */
  readonly fetch: typeof globalThis.fetch
  /** What a signature contradicts; null while all are valid. */
  readonly fault: () => string | null
}

type Keys = ReadonlyMap<string, CryptoKey>

const timeoutMs = 30_000

export function makeSignatures(base: URL, print: (line: string) => void): Signatures {
  let published: Promise<Keys> | null = null
  let fault: string | null = null
  return {
    fault: () => fault,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const header = response.headers.get("payment-required") ??
        response.headers.get("payment-response")
      if (header === null) return response
      const keys = await (published ??= readKeys(base, print))
      if (keys.size === 0) return response
      const isOffer = response.headers.has("payment-required")
      const wrong =
        await (isOffer ? offerFault(keys, header) : receiptFault(keys, header, response))
          .catch(() => "it cannot be read")
      if (wrong === null) {
        print(`  ${isOffer ? "the offer" : "the receipt"} is signed by ${base.host}`)
        return response
      }
      fault = `The signed ${isOffer ? "offer" : "receipt"} is wrong: ${wrong}`
      if (isOffer) throw new TypeError(fault)
      return response
    },
  }
}

const KeySet = Schema.Struct({
  keys: Schema.Array(Schema.Struct({ kid: Schema.String, x: Schema.String })),
})

/** The published keys by their name; none where the service has no such document. */
async function readKeys(base: URL, print: (line: string) => void): Promise<Keys> {
  const signal = AbortSignal.timeout(timeoutMs)
  const address = new URL("/.well-known/jwks.json", base)
  const response = await fetch(address, { redirect: "manual", signal })
  const body = response.ok ? await response.json() : null
  if (!Schema.is(KeySet)(body)) {
    await response.body?.cancel()
    print("  the service publishes no signing key")
    return new Map()
  }
  const keys = new Map<string, CryptoKey>()
  for (const { kid, x } of body.keys) {
    const jwk = { kty: "OKP", crv: "Ed25519", x }
    keys.set(kid, await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]))
  }
  return keys
}

const Jws = Schema.Struct({ format: Schema.Literal("jws"), signature: Schema.String })
const terms = {
  scheme: Schema.String,
  network: Schema.String,
  asset: Schema.String,
  payTo: Schema.String,
  amount: Schema.String,
}
const signedIn = <Info extends Schema.Struct.Fields>(info: Info) =>
  Schema.Struct({ "offer-receipt": Schema.Struct({ info: Schema.Struct(info) }) })

const Required = Schema.Struct({
  resource: Schema.Struct({ url: Schema.String }),
  accepts: Schema.Array(Schema.Struct(terms)),
  extensions: signedIn({ offers: Schema.Array(Jws) }),
})
const Offer = Schema.Struct({ ...terms, resourceUrl: Schema.String, validUntil: Schema.Number })

/** What is wrong with the offers of a 402. Each way to pay needs one that is still valid. */
async function offerFault(keys: Keys, header: string): Promise<string | null> {
  const required = decoded(Required, header)
  if (required === null) return "the 402 has none"
  const offers: Array<typeof Offer.Type> = []
  for (const { signature } of required.extensions["offer-receipt"].info.offers) {
    const offer = await verified(keys, signature)
    if (!Schema.is(Offer)(offer)) return "no published key made its signature"
    offers.push(offer)
  }
  const now = Date.now() / 1_000
  const isOffered = (accepted: Record<keyof typeof terms, string>) =>
    offers.some((offer) =>
      offer.resourceUrl === required.resource.url && offer.validUntil > now &&
      (Object.keys(terms) as ReadonlyArray<keyof typeof terms>)
        .every((name) => offer[name] === accepted[name])
    )
  return required.accepts.every(isOffered) ? null : "it has other terms than the 402"
}

const Settled = Schema.Struct({
  payer: Schema.String,
  transaction: Schema.String,
  extensions: signedIn({ receipt: Jws }),
})
const Receipt = Schema.Struct({
  payer: Schema.String,
  transaction: Schema.String,
  resourceUrl: Schema.String,
  bodySha256: Schema.String,
})

/** What is wrong with the receipt of an answer, whose bytes it must name. */
async function receiptFault(
  keys: Keys,
  header: string,
  response: Response,
): Promise<string | null> {
  const settled = decoded(Settled, header)
  if (settled === null) return "the answer has none"
  const receipt = await verified(keys, settled.extensions["offer-receipt"].info.receipt.signature)
  if (!Schema.is(Receipt)(receipt)) return "no published key made its signature"
  const bytes = await response.clone().arrayBuffer()
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()
  const faults: ReadonlyArray<readonly [boolean, string]> = [
    [receipt.bodySha256 !== hash, "it is of other bytes than those that arrived"],
    [receipt.transaction !== settled.transaction, "it is of another transaction"],
    [receipt.payer !== settled.payer, `it is of another payer, ${plain(receipt.payer, 50)}`],
    [new URL(receipt.resourceUrl).pathname !== new URL(response.url).pathname, "of another path"],
  ]
  return faults.find(([isWrong]) => isWrong)?.[1] ?? null
}

function decoded<A>(schema: Schema.Codec<A, unknown>, header: string): A | null {
  const value: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(header)))
  return Schema.is(schema)(value) ? value : null
}

const base64url = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" })

/** The payload of a compact JWS that a published key signed; null for any other text. */
async function verified(keys: Keys, jws: string): Promise<unknown> {
  const [header = "", payload = "", signature = ""] = jws.split(".")
  const { kid } = JSON.parse(new TextDecoder().decode(base64url(header)))
  const key = keys.get(kid)
  if (key === undefined) return null
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  const isValid = await crypto.subtle.verify("Ed25519", key, base64url(signature), signed)
  return isValid ? JSON.parse(new TextDecoder().decode(base64url(payload))) : null
}
