/**
 * One page of a source over HTTP: bounded, timed, asked again while that may help, and never from
 * another host than the one that settings name.
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

/** Why a page gave nothing, in a few words of ours. */
export class PageFault extends Schema.TaggedError<PageFault>()("PageFault", {
  reason: Schema.String,
  /** Whether asking again may help. */
  transient: Schema.Boolean,
  /** How long the source asked to be left alone. */
  retryAfterMs: Schema.NullOr(Schema.Finite),
}) {}

interface Page {
  /** `unchanged`: what we said we hold is still what there is. */
  readonly status: "new" | "unchanged"
  readonly body: Uint8Array
  readonly contentType: string
  readonly etag: string | null
  readonly lastModified: string | null
}

interface Asking {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Waits for a turn before each request. */
  readonly turn: Effect.Effect<void>
}

/** Reads pages of one source, which is left alone for as long as it asks to be. */
type ReadPage = (asking: Asking) => Effect.Effect<Page, PageFault>

/** As much of a refusal is read (and thrown away) to keep its connection. */
const refusalBytesMax = 64 * 1024
/** A header of ours that a source chose; longer ones are not repeated to it. */
const validatorLengthMax = 500

export function pages(client: HttpClient.HttpClient, limits: Limits): ReadPage {
  let quietUntil: EpochMs = 0
  return (asking) => {
    const attempt = (count: number): Effect.Effect<Page, PageFault> =>
      Effect.gen(function* () {
        if ((yield* Clock.currentTimeMillis) < quietUntil) {
          return yield* lasting("it asked to be left alone for longer")
        }
        yield* asking.turn
        return yield* follow(client, asking, limits).pipe(
          Effect.timeoutOrElse({
            duration: limits.timeout,
            orElse: () => Effect.fail(transient("no answer in time")),
          }),
        )
      }).pipe(Effect.catch((fault) => again(fault, count)))
    const again = Effect.fnUntraced(function* (fault: PageFault, count: number) {
      if (fault.retryAfterMs !== null) {
        const now = yield* Clock.currentTimeMillis
        quietUntil = now + Math.min(fault.retryAfterMs, limits.restMsMax)
      }
      const asked = fault.retryAfterMs ?? 0
      if (!fault.transient || count >= limits.attemptsMax || asked > limits.retryAfterWaitMsMax) {
        return yield* fault
      }
      // Half of the growing wait is certain and half random, so that replicas do not return together.
      const random = yield* Random.next
      const full = limits.retryDelayMs * 2 ** (count - 1)
      yield* Effect.sleep(Math.max(asked, full / 2 + random * full / 2))
      return yield* attempt(count + 1)
    })
    return attempt(1)
  }
}

/** The page, also where its host has put it elsewhere on itself. */
const follow = Effect.fnUntraced(
  function* (client: HttpClient.HttpClient, asking: Asking, limits: Limits) {
    let url = new URL(asking.url)
    for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
      const response = yield* client.execute(
        HttpClientRequest.get(url.href, { headers: asking.headers }),
      ).pipe(
        Effect.provideService(Http.TracerPropagationEnabled, false),
        Effect.provideService(FetchHttpClient.RequestInit, {
          redirect: "manual",
          credentials: "omit",
        }),
        Effect.mapError(() => transient("the connection broke")),
      )
      if (response.status === 200) return yield* pageOf(response, limits.bodyBytesMax)
      yield* Effect.ignore(bytesOf(response, refusalBytesMax))
      if (response.status === 304) return unchanged
      const location = response.headers["location"]
      if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) {
        return yield* refused(response)
      }
      const next = URL.parse(location, url)
      if (next === null || next.origin !== url.origin || next.username !== "") {
        return yield* lasting("a redirect to another host")
      }
      url = next
    }
    return yield* lasting("too many redirects")
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

const refused = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const now = yield* Clock.currentTimeMillis
  return yield* new PageFault({
    reason: `status ${response.status}`,
    transient: response.status >= 500 || [408, 425, 429].includes(response.status),
    retryAfterMs: retryAfter(response.headers["retry-after"], now),
  })
})

/** Read in pieces, so that an endless answer is cut off and never held. */
function bytesOf(
  response: HttpClientResponse.HttpClientResponse,
  bytesMax: number,
): Effect.Effect<Uint8Array, PageFault> {
  return Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let bytes = 0
    return Stream.runForEach(
      response.stream.pipe(Stream.mapError(() => transient("the connection broke"))),
      (piece) =>
        Effect.suspend(() => {
          bytes += piece.byteLength
          if (bytes > bytesMax) return Effect.fail(lasting("an answer too long"))
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

/** Seconds or an HTTP date; null when there is none to read. */
function retryAfter(header: string | undefined, now: EpochMs): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

function transient(reason: string, retryAfterMs: number | null = null): PageFault {
  return new PageFault({ reason, transient: true, retryAfterMs })
}

export function lasting(reason: string): PageFault {
  return new PageFault({ reason, transient: false, retryAfterMs: null })
}
