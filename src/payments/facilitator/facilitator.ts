/**
 * An x402 facilitator over HTTP. A clear response is returned as it is; anything else is `unknown`.
 *
 * @module
 */
import { Duration, Effect, Option, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { type HttpFault, permanentFault, readAnswer } from "../../core/httpReading.ts"
import type { ListingVerdict } from "../domain/paymentHealth.ts"
import {
  Facilitator,
  type FacilitatorRequest,
  type SettleOutcome,
  type VerifyOutcome,
} from "../Facilitator.ts"

export interface FacilitatorOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The headers for a path. Called for each request, because a bearer token is made for each. */
  readonly headers?: (path: string) => Effect.Effect<Readonly<Record<string, string>>>
  readonly verifyTimeout?: Duration.Duration
  readonly settleTimeout?: Duration.Duration
}

/** Maximum size of a response. */
const responseBytesMax = 64 * 1024
const reasonLengthMax = 100

const VerifyResponse = Schema.Struct({
  isValid: Schema.Boolean,
  invalidReason: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const SettleResponse = Schema.Struct({
  success: Schema.Boolean,
  errorReason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  transaction: Schema.optionalKey(Schema.NullOr(Schema.String)),
})
const decodeVerify = Schema.decodeUnknownEffect(VerifyResponse)
const decodeSettle = Schema.decodeUnknownEffect(SettleResponse)
const transactionPattern = /^0x[0-9a-f]{64}$/i

/** The reasons that mean a pending settlement, not a refused one. */
const pendingReasons: ReadonlyArray<string> = ["settlement_pending", "pending"]

/** One facilitator; `failover.ts` has that of several. */
export const connect = Effect.fnUntraced(function* (options: FacilitatorOptions) {
  const client = yield* HttpClient.HttpClient
  const verifyTimeout = options.verifyTimeout ?? Duration.seconds(3)
  const settleTimeout = options.settleTimeout ?? Duration.seconds(20)

  return Facilitator.of({
    name: options.baseUrl,
    verify: (request) =>
      post(client, options, "/verify", request, verifyTimeout).pipe(
        Effect.flatMap(({ json }) => decodeVerify(json)),
        Effect.map(({ isValid, invalidReason }): VerifyOutcome =>
          isValid
            ? { outcome: "valid" }
            : { outcome: "invalid", reason: printable(invalidReason ?? "no reason given") }
        ),
        Effect.catch((error) => unknown("verify", error)),
      ),
    settle: (request) =>
      post(client, options, "/settle", request, settleTimeout).pipe(
        Effect.flatMap(({ json, headers }) =>
          Effect.map(decodeSettle(json), (response) => settleOutcome(response, headers))
        ),
        Effect.catch((error) => unknown("settle", error)),
      ),
  })
})

function settleOutcome(
  { success, errorReason, transaction }: typeof SettleResponse.Type,
  headers: Readonly<Record<string, string | undefined>>,
): SettleOutcome {
  if (!success) {
    const reason = printable(errorReason ?? "no reason given")
    return { outcome: pendingReasons.includes(reason) ? "unknown" : "declined", reason }
  }
  if (!transactionPattern.test(transaction ?? "")) {
    return { outcome: "unknown", reason: "success without a transaction" }
  }
  const listed = listingVerdict(headers["extension-responses"])
  return {
    ...{ outcome: "settled", transaction: (transaction ?? "").toLowerCase() },
    ...listed === null ? {} : { listed },
  }
}

/** A header with a catalogue's verdict: base64 of JSON. No header of a payment is longer. */
const verdictLengthMax = 8_192
const Verdict = Schema.fromJsonString(Schema.Struct({
  bazaar: Schema.Struct({
    status: Schema.String,
    rejectedReason: Schema.optionalKey(Schema.Unknown),
    reason: Schema.optionalKey(Schema.Unknown),
    code: Schema.optionalKey(Schema.Unknown),
  }),
}))
const decodeVerdict = Schema.decodeUnknownOption(Verdict)

/** What the catalogue says in `EXTENSION-RESPONSES`; null without the header, or with another form. */
function listingVerdict(header: string | undefined): ListingVerdict | null {
  if (header === undefined || header.length > verdictLengthMax) return null
  const text = Result.getOrElse(Base64.decodeString(header), () => "")
  return Option.match(decodeVerdict(text), {
    onNone: () => null,
    onSome: ({ bazaar: { status, rejectedReason, reason, code } }) => {
      const why = [rejectedReason, reason, code].find((value) => typeof value === "string")
      return { status: printable(status), reason: why === undefined ? null : printable(`${why}`) }
    },
  })
}

/**
 * Posts a request and parses the response as JSON. Some facilitators refuse with the documented
 * body and a 4xx, so a client error is parsed too. After a server error nothing is known.
 */
const post = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient,
  options: FacilitatorOptions,
  path: string,
  request: FacilitatorRequest,
  timeout: Duration.Duration,
) {
  const headers = options.headers === undefined ? {} : yield* options.headers(path)
  const answer = yield* readAnswer(
    client,
    HttpClientRequest.post(`${options.baseUrl}${path}`).pipe(
      HttpClientRequest.setHeaders(headers),
      HttpClientRequest.bodyJsonUnsafe(bodyOf(request)),
    ),
    {
      timeoutMs: Duration.toMillis(timeout),
      bodyBytesMax: responseBytesMax,
      hasBody: (status) => status < 500,
    },
  ).pipe(Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" }))
  const { status } = answer
  if (status >= 500) return yield* permanentFault(`status ${status}`)
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder().decode(answer.body)),
    catch: () => permanentFault(`not JSON, status ${status}`),
  })
  return { json, headers: answer.headers }
})

/** The standard request, rebuilt from checked values. Nothing else of the buyer's is passed on. */
function bodyOf({ authorization, signature, requirements, listing }: FacilitatorRequest) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      accepted: requirements,
      ...listing,
      payload: {
        signature,
        authorization: {
          from,
          to,
          value: value.toString(),
          validAfter: validAfter.toString(),
          validBefore: validBefore.toString(),
          nonce,
        },
      },
    },
    paymentRequirements: requirements,
  }
}

/**
 * Logs the reason and returns `unknown`, without an answer. The reason has nothing of the request, which
 * contains the signature and the bearer token, or of the response.
 */
const unknown = (call: string, error: HttpFault | Schema.SchemaError) => {
  const reason = error._tag === "SchemaError" ? "a response of another form" : error.reason
  return Effect.as(
    Effect.logWarning(`The facilitator's response to ${call} is unclear: ${reason}`),
    { outcome: "unknown", reason, unanswered: true } as const,
  )
}

/** Makes untrusted text safe to log. */
function printable(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, "?").slice(0, reasonLengthMax)
}
