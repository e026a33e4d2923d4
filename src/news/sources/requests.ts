/**
 * Reads a page of a source over HTTP, with a size limit, a timeout and retries, and only from the host
 * in the settings.
 *
 * @module
 */
import { Clock, Effect, Random, Schema, Stream } from "effect"
import {
  FetchHttpClient,
  type HttpClient,
  HttpClient as Http,
  HttpClientRequest,
  type HttpClientResponse,
} from "effect/http"
import type { EpochMs } from "../../core/domain/time.ts"
import type { Limits } from "./limits.ts"

export class PageFault extends Schema.TaggedError<PageFault>()("PageFault", {
  /** A few words of our own, nothing of the response. */
  reason: Schema.String,
  /** Whether a retry may help. */
  transient: Schema.Boolean,
  /** The source's Retry-After. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
}) {}

interface Page {
  /** `unchanged`: status 304. */
  readonly status: "new" | "unchanged"
  readonly body: Uint8Array
  readonly contentType: string
  readonly etag: string | null
  readonly lastModified: string | null
}

interface PageRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Runs before each attempt. */
  readonly waitForTurn: Effect.Effect<void>
}

/** Reads pages of one source; no request is sent before its Retry-After has passed. */
type ReadPage = (page: PageRequest) => Effect.Effect<Page, PageFault>

/** Bytes of an error response that are read and discarded, to keep the connection. */
const discardedBytesMax = 64 * 1024
/** Longer validators (ETag, Last-Modified) are not sent back. */
const validatorLengthMax = 500

export function pageReader(client: HttpClient.HttpClient, limits: Limits): ReadPage {
  let restUntil: EpochMs = 0
  return (request) => {
    const attempt = (count: number): Effect.Effect<Page, PageFault> =>
      Effect.gen(function* () {
        if ((yield* Clock.currentTimeMillis) < restUntil) {
          return yield* permanentFault("Retry-After has not passed")
        }
        yield* request.waitForTurn
        return yield* fetchPage(client, request, limits).pipe(
          Effect.timeoutOrElse({
            duration: limits.timeout,
            orElse: () => Effect.fail(transientFault("no answer in time")),
          }),
        )
      }).pipe(Effect.catch((fault) => retry(fault, count)))
    const retry = Effect.fnUntraced(function* (fault: PageFault, count: number) {
      if (fault.retryAfterMs !== null) {
        const now = yield* Clock.currentTimeMillis
        restUntil = now + Math.min(fault.retryAfterMs, limits.restMsMax)
      }
      const retryAfterMs = fault.retryAfterMs ?? 0
      if (
        !fault.transient || count >= limits.attemptsMax ||
        retryAfterMs > limits.retryAfterWaitMsMax
      ) return yield* fault
      // Half of the backoff is random, so that replicas do not retry together.
      const random = yield* Random.next
      const backoffMs = limits.retryDelayMs * 2 ** (count - 1)
      yield* Effect.sleep(Math.max(retryAfterMs, backoffMs / 2 + random * backoffMs / 2))
      return yield* attempt(count + 1)
    })
    return attempt(1)
  }
}

/** Follows redirects within the same origin. */
const fetchPage = Effect.fnUntraced(
  function* (client: HttpClient.HttpClient, request: PageRequest, limits: Limits) {
    let url = new URL(request.url)
    for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
      const response = yield* client.execute(
        HttpClientRequest.get(url.href, { headers: request.headers }),
      ).pipe(
        Effect.provideService(Http.TracerPropagationEnabled, false),
        Effect.provideService(FetchHttpClient.RequestInit, {
          redirect: "manual",
          credentials: "omit",
        }),
        Effect.mapError(() => transientFault("connection failed")),
      )
      if (response.status === 200) return yield* pageOf(response, limits.bodyBytesMax)
      yield* Effect.ignore(bytesOf(response, discardedBytesMax))
      if (response.status === 304) return unchanged
      const location = response.headers["location"]
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) {
        return yield* statusFault(response)
      }
      const next = URL.parse(location, url)
      if (next === null || next.origin !== url.origin || next.username !== "") {
        return yield* permanentFault("redirect to another host")
      }
      url = next
    }
    return yield* permanentFault("too many redirects")
  },
)

const unchanged: Page = {
  status: "unchanged",
  body: new Uint8Array(),
  contentType: "",
  etag: null,
  lastModified: null,
}

const pageOf = (response: HttpClientResponse.HttpClientResponse, bytesMax: number) =>
  Effect.map(bytesOf(response, bytesMax), (body): Page => ({
    status: "new",
    body,
    contentType: response.headers["content-type"] ?? "",
    etag: validator(response.headers["etag"]),
    lastModified: validator(response.headers["last-modified"]),
  }))

function validator(header: string | undefined): string | null {
  return header === undefined || header.length > validatorLengthMax ? null : header
}

const statusFault = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const now = yield* Clock.currentTimeMillis
  return yield* new PageFault({
    reason: `status ${response.status}`,
    transient: response.status >= 500 || [408, 425, 429].includes(response.status),
    retryAfterMs: retryAfter(response.headers["retry-after"], now),
  })
})

/** Reads in pieces, so that an endless answer is aborted at the limit. */
function bytesOf(
  response: HttpClientResponse.HttpClientResponse,
  bytesMax: number,
): Effect.Effect<Uint8Array, PageFault> {
  return Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let bytes = 0
    return Stream.runForEach(
      response.stream.pipe(Stream.mapError(() => transientFault("connection failed"))),
      (piece) =>
        Effect.suspend(() => {
          bytes += piece.byteLength
          if (bytes > bytesMax) return Effect.fail(permanentFault("answer too large"))
          pieces.push(piece)
          return Effect.void
        }),
    ).pipe(Effect.map(() => joined(pieces, bytes)))
  })
}

function joined(pieces: ReadonlyArray<Uint8Array>, bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}

/** Seconds or an HTTP date, in milliseconds from `now`; null when missing or invalid. */
function retryAfter(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function transientFault(reason: string, retryAfterMs: number | null = null): PageFault {
  return new PageFault({ reason, transient: true, retryAfterMs })
}

export function permanentFault(reason: string): PageFault {
  return new PageFault({ reason, transient: false, retryAfterMs: null })
}
