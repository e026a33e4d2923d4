/**
 * Reading over HTTP: a request is bounded in time and size, and says whether another try may help.
 *
 * @module
 */
import { Clock, Effect, Schema, Stream } from "effect"
import {
  HttpClient,
  type HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse,
} from "effect/http"

/** Why one attempt gave no usable answer. */
export class HttpFault extends Schema.TaggedError<HttpFault>()("HttpFault", {
  /** A few words of our own, nothing of the answer. */
  reason: Schema.String,
  /** Whether a retry may help. */
  transient: Schema.Boolean,
  /** From the server's Retry-After. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
}) {}

export function transientFault(reason: string): HttpFault {
  return new HttpFault({ reason, transient: true, retryAfterMs: null })
}

export function permanentFault(reason: string): HttpFault {
  return new HttpFault({ reason, transient: false, retryAfterMs: null })
}

interface AttemptLimits {
  /** How long one request may take, body included. */
  readonly timeoutMs: number
  /** A longer body is a fault. */
  readonly bodyBytesMax: number
  /** Of which statuses the body is read; 200 alone when absent. */
  readonly hasBody?: (status: number) => boolean
}

/** An answer of any status; the body is empty where it was not to be read. */
interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** How much of an error's body is read and discarded, so that its connection can be reused. */
const discardedBytesMax = 64 * 1024

/** The answer to one request. */
export function readAnswer(
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  { timeoutMs, bodyBytesMax, hasBody = (status) => status === 200 }: AttemptLimits,
): Effect.Effect<HttpAnswer, HttpFault> {
  return client.execute(request).pipe(
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    Effect.mapError(faultOf),
    Effect.flatMap((response) => {
      const { status, headers } = response
      const body = hasBody(status)
        ? bytesOf(response, bodyBytesMax)
        : Effect.as(Effect.ignore(bytesOf(response, discardedBytesMax)), new Uint8Array())
      return Effect.map(body, (body): HttpAnswer => ({ status, headers, body }))
    }),
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () => Effect.fail(transientFault("no answer in time")),
    }),
  )
}

/** Reads in pieces, so that an endless body is cut off and never kept in memory. */
function bytesOf(
  response: HttpClientResponse.HttpClientResponse,
  bytesMax: number,
): Effect.Effect<Uint8Array, HttpFault> {
  return Effect.suspend(() => {
    let bytes = 0
    return response.stream.pipe(
      Stream.mapError(faultOf),
      Stream.tap((piece) =>
        (bytes += piece.byteLength) > bytesMax
          ? Effect.fail(permanentFault("response too long"))
          : Effect.void
      ),
      Stream.mkUint8Array,
    )
  })
}

function faultOf(error: HttpClientError.HttpClientError): HttpFault {
  return error.reason._tag === "InvalidUrlError"
    ? permanentFault("invalid URL")
    : transientFault("connection failed")
}

/** The fault of an answer that is none of those expected. */
export function statusFault({ status, headers }: HttpAnswer): Effect.Effect<never, HttpFault> {
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.fail(
      new HttpFault({
        reason: `status ${status}`,
        transient: status >= 500 || [408, 425, 429].includes(status),
        retryAfterMs: retryAfterMsOf(headers["retry-after"], now),
      }),
    ))
}

/** Reads seconds or an HTTP date, in milliseconds; null when the header is absent or unreadable. */
function retryAfterMsOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
