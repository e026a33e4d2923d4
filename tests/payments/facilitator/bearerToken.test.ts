/**
 * The bearer token of a facilitator's API key: it has the claims of the reference implementation,
 * the public key verifies it, and it is valid for one path and two minutes.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Redacted } from "effect"
import { Base64, Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import { BadApiKey, bearer } from "../../../src/payments/facilitator/bearerToken.ts"
import { test } from "../../support/effect.ts"
import { startSeconds } from "../../support/payments/sales.ts"

const baseUrl = "https://api.cdp.coinbase.com/platform/v2/x402"
const keyId = "organizations/1/apiKeys/2"

const encoder = new TextEncoder()

const edwardsPair = Effect.promise(async () => {
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"])
  if (!("privateKey" in pair)) throw new Error("There is no key pair")
  const jwk = await crypto.subtle.exportKey("jwk", pair.privateKey)
  const bytes = (part: string | undefined) => Base64Url.decode(part ?? "")
  return { pair, seed: bytes(jwk.d), point: bytes(jwk.x) }
})

const edwardsKey = Effect.gen(function* () {
  const { pair, seed, point } = yield* edwardsPair
  const both = [...yield* Effect.fromResult(seed), ...yield* Effect.fromResult(point)]
  return {
    secret: Base64.encode(new Uint8Array(both)),
    verify: (signature: Uint8Array<ArrayBuffer>, signed: string) =>
      crypto.subtle.verify({ name: "Ed25519" }, pair.publicKey, signature, encoder.encode(signed)),
  }
})

const tokenOf = Effect.fnUntraced(function* (secret: string, path: string, base = baseUrl) {
  const headers = yield* bearer({ keyId, secret: Redacted.make(secret), baseUrl: base })
  const { authorization = "" } = yield* headers(path)
  const [, token = ""] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(authorization) ?? []
  const [header = "", claims = "", signature = ""] = token.split(".")
  const read = (part: string) =>
    Effect.map(Effect.fromResult(Base64Url.decodeString(part)), (text) => JSON.parse(text))
  return {
    header: yield* read(header),
    claims: yield* read(claims),
    signed: `${header}.${claims}`,
    signature: new Uint8Array(yield* Effect.fromResult(Base64Url.decode(signature))),
  }
})

test("a token names the caller and the call, and verifies", function* () {
  yield* TestClock.setTime(startSeconds * 1_000 + 999)
  const { secret, verify } = yield* edwardsKey
  const { header, claims, signed, signature } = yield* tokenOf(secret, "/verify")
  const { nonce, ...known } = header
  equal(known, { alg: "EdDSA", kid: keyId, typ: "JWT" })
  ok(/^[0-9a-f]{32}$/.test(nonce))
  equal(claims, {
    sub: keyId,
    iss: "cdp",
    uris: ["POST api.cdp.coinbase.com/platform/v2/x402/verify"],
    iat: startSeconds,
    nbf: startSeconds,
    exp: startSeconds + 120,
  })
  equal(signature.length, 64)
  ok(yield* Effect.promise(() => verify(signature, signed)))
  ok(!(yield* Effect.promise(() => verify(signature, `${signed}A`))))
})

test("each call has its own token: path, time and nonce differ", function* () {
  yield* TestClock.setTime(startSeconds * 1_000)
  const { secret } = yield* edwardsKey
  const first = yield* tokenOf(secret, "/settle", "http://127.0.0.1:4020/")
  yield* TestClock.adjust(Duration.seconds(5))
  const second = yield* tokenOf(secret, "/verify", "http://127.0.0.1:4020/")
  equal(first.claims.uris, ["POST 127.0.0.1:4020/settle"])
  equal(second.claims.exp, first.claims.exp + 5)
  ok(first.header.nonce !== second.header.nonce)
})

test("an invalid key is refused at once, and not printed", function* () {
  const { point } = yield* edwardsPair
  const { seed } = yield* edwardsPair
  const mismatchedPair = [...yield* Effect.fromResult(seed), ...yield* Effect.fromResult(point)]
  const notKeys = [
    ...["", "hunter2", "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----"],
    Base64.encode(new Uint8Array(32)),
    Base64.encode(new Uint8Array(mismatchedPair)),
  ]
  for (const secret of notKeys) {
    const refusal = yield* Effect.flip(bearer({ keyId, secret: Redacted.make(secret), baseUrl }))
    ok(refusal instanceof BadApiKey)
    ok(refusal.message.includes("FACILITATOR_API_KEY_SECRET"))
    ok(!JSON.stringify(refusal).includes("hunter2"))
  }
})
