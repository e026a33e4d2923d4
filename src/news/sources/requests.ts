/**
 * Reads the text of a source's page over HTTP, only from the address in the settings: a redirect is a
 * fault. A failed read is not repeated: the source is read again in a quarter of an hour, and its headlines
 * stay for hours.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import { type HttpFault, permanentFault, readAnswer, statusFault } from "../../core/httpReading.ts"
import { hour, leftMs } from "../../core/domain/time.ts"
import { decodeText } from "./rows.ts"

/**
 * Bytes of one answer after decompression. The largest of the default feeds has 400 KB, and is parsed in
 * 10 ms. It is parsed between two turns of the event loop: the slowest hostile answer of this size takes
 * a third of a second.
 */
const bodyBytesMax = 1024 * 1024
/** A longer Retry-After is shortened to this. */
const restMsMax = 6 * hour

interface ReaderOptions {
  readonly client: HttpClient.HttpClient
  readonly userAgent: string
  /** For one request, its body included. */
  readonly timeoutMs: number
}

/** The text at an address. */
export type ReadPage = (url: string, accept: string) => Effect.Effect<string, HttpFault>

/** Reads pages of one source; no request is sent before its Retry-After has passed. */
export function pageReader({ client, userAgent, timeoutMs }: ReaderOptions): ReadPage {
  let rest = { from: 0, forMs: 0 }
  return Effect.fnUntraced(function* (url: string, accept: string) {
    const now = yield* Clock.currentTimeMillis
    if (leftMs(rest.from, rest.forMs, now) > 0) {
      return yield* permanentFault("Retry-After has not passed")
    }
    const request = HttpClientRequest.get(url, { headers: { accept, "user-agent": userAgent } })
    const answer = yield* readAnswer(client, request, { timeoutMs, bodyBytesMax }).pipe(
      Effect.provideService(FetchHttpClient.RequestInit, {
        redirect: "manual",
        credentials: "omit",
      }),
    )
    const { status, headers, body } = answer
    if (status === 200) return decodeText(body, headers["content-type"] ?? "")
    return yield* Effect.tapError(statusFault(answer), ({ retryAfterMs }) =>
      Effect.sync(() => {
        rest = { from: now, forMs: Math.min(retryAfterMs ?? 0, restMsMax) }
      }))
  })
}
