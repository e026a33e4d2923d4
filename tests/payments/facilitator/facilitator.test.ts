/**
 * The laws of a facilitator: simulated in memory, simulated in the store, and over HTTP; and how
 * the HTTP adapter reads invalid responses.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { extractDiscoveryInfo } from "@x402/extensions/bazaar"
import { Clock, Duration, Effect, Layer, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { connect, type FacilitatorOptions } from "../../../src/payments/facilitator/facilitator.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../support/payments/simulated.ts"
import { layerStore } from "../../../src/payments/simulated/ledger.ts"
import { decodePayment } from "../../../src/payments/domain/x402/paymentPayload.ts"
import { listingOf } from "../../../src/payments/domain/x402/challenge.ts"
import { requirements } from "../../../src/payments/domain/x402/terms.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { liveTest, test } from "../../support/effect.ts"
import { startSeconds } from "../../support/payments/sales.ts"
import { onEveryStore } from "../../support/stores.ts"
import { headerOf, terms, token } from "../../support/payments/terms.ts"
import { facilitatorLaws, proofOf, signedRequest } from "./facilitator.laws.ts"
import { layerMemory } from "../../support/payments/memoryLedger.ts"
import { type Handler, serving } from "../../support/serving.ts"

const overHttp = (options: FacilitatorOptions) => Layer.effect(Facilitator, connect(options))
const simulated = layerLedger().pipe(Layer.provide(signatures))
const inMemory = Layer.provideMerge(simulated, layerMemory)

const nowSeconds = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1_000))

for (const [name, body] of facilitatorLaws) {
  test(`facilitator in memory: ${name}`, () =>
    TestClock.setTime(startSeconds * 1_000).pipe(
      Effect.andThen(body(startSeconds)),
      Effect.provide(inMemory),
    ))
  liveTest(`facilitator over HTTP: ${name}`, () =>
    Effect.flatMap(nowSeconds, body).pipe(
      Effect.provide(Layer.provideMerge(behindHttp, inMemory)),
    ))
}

onEveryStore("facilitator", (law) => {
  for (const [name, body] of facilitatorLaws) {
    const inStore = Layer.provideMerge(simulated, layerStore)
    law(name, Effect.flatMap(nowSeconds, body).pipe(Effect.provide(inStore)))
  }
})

test("an unused authorization is void when it has expired, not earlier", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startSeconds * 1_000)
    const request = yield* signedRequest(startSeconds)
    yield* TestClock.adjust(Duration.seconds(terms.maxTimeoutSeconds))
    equal((yield* proofOf(request)).proof, "not_yet")
    yield* TestClock.adjust(Duration.seconds(1))
    equal(yield* proofOf(request), { proof: "never", reason: "expired" })
  }).pipe(Effect.provide(inMemory)))

const json = (body: unknown, status = 200) => () => Response.json(body, { status })
const transaction = `0x${"ab".repeat(32)}`

function silent(): Promise<Response> {
  return new Promise(() => {})
}

/** The HTTP facilitator on a server that runs until the Layer closes. */
const overServer = (
  handler: Handler,
  options: Pick<FacilitatorOptions, "headers"> = {},
  timeout = Duration.minutes(1),
) =>
  Layer.unwrap(Effect.map(serving(handler), (baseUrl) =>
    overHttp({
      ...{ baseUrl, verifyTimeout: timeout, settleTimeout: timeout },
      ...options,
    }).pipe(Layer.provide(FetchHttpClient.layer))))

const responding = (respond: () => Response | Promise<Response>) =>
  overServer(respond, {}, respond === silent ? Duration.millis(100) : undefined)

/** A facilitator's response, and the expected outcomes. */
const responses: ReadonlyArray<
  readonly [
    name: string,
    respond: () => Response | Promise<Response>,
    verify: string,
    settle: string,
  ]
> = [
  ["a success", json({ isValid: true, success: true, transaction }), "valid", "settled"],
  ["a refusal", json({ isValid: false, success: false }), "invalid", "declined"],
  [
    "a refusal with status 400",
    json({ isValid: false, success: false }, 400),
    "invalid",
    "declined",
  ],
  [
    "a success with status 500",
    json({ isValid: true, success: true, transaction }, 500),
    "unknown",
    "unknown",
  ],
  ["success without a transaction", json({ success: true, transaction: "" }), "unknown", "unknown"],
  [
    "a settlement that is pending",
    json({ success: false, errorReason: "settlement_pending" }),
    "unknown",
    "unknown",
  ],
  ["HTML", () => new Response("<html>busy</html>"), "unknown", "unknown"],
  ["half of a JSON", () => new Response('{"isValid":tr'), "unknown", "unknown"],
  ["an empty body", () => new Response(), "unknown", "unknown"],
  ["null", json(null), "unknown", "unknown"],
  ["values of other types", json({ isValid: "true", success: 1 }), "unknown", "unknown"],
  [
    "too many bytes",
    () => new Response(`{"isValid":true,"success":true,"x":"${"x".repeat(70_000)}"}`),
    "unknown",
    "unknown",
  ],
  [
    "a redirect",
    () => new Response(null, { status: 302, headers: { location: "/elsewhere" } }),
    "unknown",
    "unknown",
  ],
  ["silence", silent, "unknown", "unknown"],
]

for (const [name, respond, verified, settled] of responses) {
  liveTest(`the HTTP facilitator reads ${name} as ${verified} and ${settled}`, function* () {
    const request = yield* signedRequest(startSeconds)
    const { verify, settle } = yield* Facilitator
    equal((yield* verify(request)).outcome, verified)
    equal((yield* settle(request)).outcome, settled)
  }, responding(respond))
}

liveTest(
  "the HTTP facilitator limits an untrusted reason to 100 printable characters",
  function* () {
    const { verify } = yield* Facilitator
    equal(yield* verify(yield* signedRequest(startSeconds)), {
      outcome: "invalid",
      reason: `??${"x".repeat(98)}`,
    })
  },
  responding(json({ isValid: false, invalidReason: `\n\u0007${"x".repeat(500)}` })),
)

liveTest("the HTTP facilitator creates new headers for the path of each call", function* () {
  const received: Array<string | null> = []
  let created = 0
  const headers = (path: string) => Effect.sync(() => ({ authorization: `${path} ${++created}` }))
  const request = yield* signedRequest(startSeconds)
  const calls = Effect.gen(function* () {
    const { verify, settle } = yield* Facilitator
    yield* verify(request)
    yield* settle(request)
    yield* verify(request)
  })
  const recording = overServer((request) => {
    received.push(request.headers.get("authorization"))
    return Response.json({ isValid: true, success: false })
  }, { headers })
  yield* Effect.provide(calls, recording)
  equal(received, ["/verify 1", "/settle 2", "/verify 3"])
})

const verdictHeader = (value: unknown) => ({ "EXTENSION-RESPONSES": btoa(JSON.stringify(value)) })

/** A header of a settlement, and the verdict that is read in it. */
const verdicts: ReadonlyArray<
  readonly [Readonly<Record<string, string>>, { status: string; reason: string | null } | undefined]
> = [
  [{}, undefined],
  [{ "EXTENSION-RESPONSES": "%%% no base64" }, undefined],
  [{ "EXTENSION-RESPONSES": btoa("no JSON") }, undefined],
  [verdictHeader({ other: { status: "success" } }), undefined],
  [verdictHeader({ bazaar: { status: 1 } }), undefined],
  [verdictHeader({ bazaar: { status: "success", reason: "x".repeat(9_000) } }), undefined],
  [verdictHeader({ bazaar: { status: "processing" } }), { status: "processing", reason: null }],
  [
    verdictHeader({ bazaar: { status: "rejected", rejectedReason: "no\nexample" }, more: 1 }),
    { status: "rejected", reason: "no?example" },
  ],
]

for (const [headers, listed] of verdicts) {
  liveTest(
    `the HTTP facilitator reads ${listed?.status ?? "nothing"} in ${JSON.stringify(headers)}`
      .slice(0, 120),
    function* () {
      const { settle } = yield* Facilitator
      const settled = yield* settle(yield* signedRequest(startSeconds))
      equal(settled, {
        ...{ outcome: "settled", transaction },
        ...listed === undefined ? {} : { listed },
      })
    },
    responding(() => Response.json({ success: true, transaction }, { headers })),
  )
}

liveTest("a settlement names its product as the reference catalogue reads it", function* () {
  const found: Array<unknown> = []
  const reading = overServer(async (request) => {
    const { paymentPayload, paymentRequirements } = await request.json()
    const { resourceUrl, description } =
      extractDiscoveryInfo(paymentPayload, paymentRequirements) ?? {}
    found.push([resourceUrl, description])
    return Response.json({ success: true, transaction })
  })
  yield* Effect.gen(function* () {
    const { settle } = yield* Facilitator
    const request = yield* signedRequest(startSeconds)
    for (const product of Object.values(products)) {
      yield* settle({
        ...request,
        requirements: requirements(product, terms),
        listing: listingOf(product, terms),
      })
    }
  }).pipe(Effect.provide(reading))
  equal(
    found,
    Object.values(products).map(({ path, description }) => [
      `${terms.publicBaseUrl}${path}`,
      description,
    ]),
  )
})

/** The simulated facilitator behind the standard wire format, called through the HTTP adapter. */
const behindHttp = Layer.unwrap(Effect.gen(function* () {
  const { verify, settle } = yield* Facilitator
  const handle = (
    path: string,
    body: { paymentPayload: unknown; paymentRequirements: unknown },
  ) => {
    const { authorization, signature } = Result.getOrThrow(
      decodePayment(headerOf(body.paymentPayload)),
    )
    const required = body.paymentRequirements as ReturnType<typeof requirements>
    equal({ ...required, amount: "" }, { ...requirements(products.latest, terms), amount: "" })
    const request = { token, authorization, signature, requirements: required }
    return path === "/verify"
      ? Effect.map(verify(request), (result): unknown => ({ isValid: result.outcome === "valid" }))
      : Effect.map(settle(request), (result): unknown => ({
        success: result.outcome === "settled",
        transaction: result.outcome === "settled" ? result.transaction : "",
      }))
  }
  return overServer(async (request) => {
    const { pathname } = new URL(request.url)
    return Response.json(await Effect.runPromise(handle(pathname, await request.json())))
  })
}))
