/**
 * The adapters of facilitator and chain keep why a call failed, and neither the address, which may
 * contain a key, nor what was sent.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Duration, Effect, Layer, Logger, type Scope } from "effect"
import { FetchHttpClient } from "effect/http"
import { Chain } from "../../src/payments/Chain.ts"
import * as chain from "../../src/payments/chain/chain.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { connect } from "../../src/payments/facilitator/facilitator.ts"
import { liveTest } from "../support/effect.ts"
import { startSeconds } from "../support/payments/sales.ts"
import { signedRequest } from "./facilitator/facilitator.laws.ts"
import { type Handler, serving } from "../support/serving.ts"

/** A server that answers every request alike; its address contains a key. */
const withKey = (handler: Handler) => Effect.map(serving(handler), (url) => `${url}/hunter2`)

const refusedUrl = Effect.succeed("http://127.0.0.1:1/hunter2")

const faults: ReadonlyArray<
  readonly [string, Effect.Effect<string, never, Scope.Scope>, RegExp, RegExp]
> = [
  [
    "no server",
    refusedUrl,
    /^connection failed$/,
    /did not respond \(HttpRequestError\)$/,
  ],
  [
    "a 503",
    withKey(() => new Response("secret body", { status: 503 })),
    ...[/^status 503$/, /did not respond \(status 503\)$/] as const,
  ],
  [
    "a 429 in HTML",
    withKey(() => new Response("<html>secret body</html>", { status: 429 })),
    ...[/^not JSON, status 429$/, /did not respond \(status 429\)$/] as const,
  ],
  [
    "an error of JSON-RPC",
    withKey(() => Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32005, message: "no" } })),
    ...[/^a response of another form$/, /refused with code -32005|another request/] as const,
  ],
]

for (const [name, url, facilitatorReason, chainReason] of faults) {
  liveTest(`${name}: facilitator and chain say so, without the address`, function* () {
    const printed: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => void printed.push(line))
    const baseUrl = yield* url
    const request = yield* signedRequest(startSeconds)
    yield* Effect.gen(function* () {
      const { verify, settle } = yield* Facilitator
      for (const outcome of [yield* verify(request), yield* settle(request)]) {
        equal(outcome.outcome, "unknown")
        ok("reason" in outcome)
        match(outcome.reason, facilitatorReason)
      }
      const { head } = yield* Chain
      const { reason } = yield* Effect.flip(head)
      match(reason, chainReason)
      printed.push(reason)
    }).pipe(
      Effect.provide(Layer.merge(
        Layer.effect(Facilitator, connect({ baseUrl, verifyTimeout: Duration.seconds(5) }))
          .pipe(Layer.provide(FetchHttpClient.layer)),
        chain.layer({ rpcUrls: [baseUrl], chainId: 8453, finality: "safe" }),
      )),
      Effect.provide(Logger.layer([logger])),
    )
    for (const secret of ["hunter2", "secret body", request.signature.slice(2, 40)]) {
      ok(!printed.join().includes(secret), printed.join())
    }
    ok(printed.length >= 3)
  })
}
