/**
 * The signing key: its signatures verify with the runtime's own Ed25519, with the published key
 * alone; its documents have the names that verifiers look up.
 *
 * @module
 */
import {
  deepStrictEqual as equal,
  notStrictEqual,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict"
import { verifyReceiptSignatureJWS } from "@x402/extensions"
import { Context, Effect, Layer } from "effect"
import { canonicalJson } from "../../src/signing/domain/canonicalJson.ts"
import { didDocument, jwkSet } from "../../src/signing/domain/keys.ts"
import { layer } from "../../src/signing/ed25519/signingKey.ts"
import { SigningKey } from "../../src/signing/SigningKey.ts"
import { test } from "../support/effect.ts"
import { keyOf } from "../support/signing/key.ts"

const origin = "https://api.example.com"
const bytesOf = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" })

const verifies = async (jws: string, x: string) => {
  const [header = "", payload = "", signature = ""] = jws.split(".")
  const jwk = { kty: "OKP", crv: "Ed25519", x }
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"])
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  return crypto.subtle.verify("Ed25519", key, bytesOf(signature), signed)
}

Deno.test("sign() makes a JWS of the canonical payload, which only its own key verifies", async () => {
  const key = keyOf(1, [], origin)
  const jws = key.sign({ b: 1, a: "ü" })
  const [header = "", payload = ""] = jws.split(".").map((part) =>
    new TextDecoder().decode(bytesOf(part))
  )
  strictEqual(payload, '{"a":"ü","b":1}')
  equal(JSON.parse(header), { alg: "EdDSA", kid: key.keys.current.kid })
  ok(await verifies(jws, key.keys.current.x))
  ok(!(await verifies(jws, keyOf(2).keys.current.x)))
  strictEqual(key.sign({ a: "ü", b: 1 }), jws)
})

Deno.test("the documents list the current key first and the retired ones after it", () => {
  const former = keyOf(1, [], origin).keys.current
  const { keys } = keyOf(2, [former.x], origin)
  equal(keys.retired, [former])
  notStrictEqual(keys.current.kid, former.kid)
  const did = "did:web:api.example.com"
  const kids = [keys.current.kid, former.kid]
  ok(kids.every((kid) => /^did:web:api\.example\.com#[\w-]{16}$/.test(kid)))
  const document = JSON.parse(JSON.stringify(didDocument(keys)))
  equal([document.id, document.assertionMethod], [did, [keys.current.kid]])
  equal(document.verificationMethod.map(({ id }: { id: string }) => id), kids)
  const set = JSON.parse(JSON.stringify(jwkSet(keys)))
  equal(set.keys.map(({ kid, x }: { kid: string; x: string }) => [kid, x]), [
    [keys.current.kid, keys.current.x],
    [former.kid, former.x],
  ])
})

test("the stock verifier finds current and retired keys by their DID URL", () =>
  Effect.promise(async () => {
    const documents = new Map<string, string>()
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      ({ url }) => new Response(documents.get(new URL(url).pathname)),
    )
    const address = `http://127.0.0.1:${server.addr.port}`
    const former = keyOf(1, [], address)
    const current = keyOf(2, [former.keys.current.x], address)
    documents.set("/.well-known/did.json", canonicalJson(didDocument(current.keys)))
    for (const { sign } of [former, current]) {
      const receipt = { format: "jws", signature: sign({ version: 1, payer: "0x1" }) } as const
      equal(await verifyReceiptSignatureJWS(receipt) as unknown, { version: 1, payer: "0x1" })
    }
    const stranger = keyOf(3, [], address).sign({ version: 1 })
    await rejects(() => verifyReceiptSignatureJWS({ format: "jws", signature: stranger }))
    await server.shutdown()
  }))

Deno.test("a DID encodes the colon of a port, and the current key is not retired", () => {
  const { keys } = keyOf(1, [keyOf(1).keys.current.x], "http://127.0.0.1:8402")
  equal([keys.did, keys.retired], ["did:web:127.0.0.1%3A8402", []])
})

test("a key in a folder is made once", function* () {
  const dir = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    (dir) => Effect.promise(() => Deno.remove(dir, { recursive: true })),
  )
  const open = (folder: string) =>
    Effect.map(
      Layer.build(layer({ key: { folder }, retired: [], publicBaseUrl: origin })),
      (built) => Context.get(built, SigningKey).keys.current.x,
    )
  const first = yield* open(`${dir}/one`)
  strictEqual(yield* open(`${dir}/one`), first)
  notStrictEqual(yield* open(`${dir}/two`), first)
  const { mode } = yield* Effect.promise(() => Deno.stat(`${dir}/one/private-key`))
  strictEqual((mode ?? 0) & 0o777, 0o600)
})
