/**
 * Reads the text of a source's page over HTTP, only from the host in the settings.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { FetchHttpClient, type HttpClient, HttpClientRequest } from "effect/http"
import {
  type HttpFault,
  permanentFault,
  readAnswer,
  retrying,
  statusFault,
} from "../../core/httpReading.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { Limits } from "./limits.ts"
import { decodeText } from "./rows.ts"

interface PageRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Runs before each attempt, if given. */
  readonly waitForTurn?: Effect.Effect<void>
}

/** Reads pages of one source; no request is sent before its Retry-After has passed. */
type ReadPage = (page: PageRequest) => Effect.Effect<string, HttpFault>

export function pageReader(client: HttpClient.HttpClient, limits: Limits): ReadPage {
  let restUntil: EpochMs = 0
  const rest = Effect.fnUntraced(function* ({ retryAfterMs }: HttpFault) {
    if (retryAfterMs === null) return 0
    restUntil = (yield* Clock.currentTimeMillis) + Math.min(retryAfterMs, limits.restMsMax)
    return retryAfterMs > limits.retryAfterWaitMsMax ? Infinity : retryAfterMs
  })
  return (request) => {
    const attempt = Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) < restUntil) {
        return yield* permanentFault("Retry-After has not passed")
      }
      yield* request.waitForTurn ?? Effect.void
      return yield* fetchPage(client, request, limits)
    })
    return retrying(attempt, limits, rest)
  }
}

/** Follows redirects within the same origin. */
const fetchPage = Effect.fnUntraced(
  function* (client: HttpClient.HttpClient, request: PageRequest, limits: Limits) {
    let url = new URL(request.url)
    for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
      const answer = yield* readAnswer(
        client,
        HttpClientRequest.get(url.href, { headers: request.headers }),
        limits,
      ).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, {
          redirect: "manual",
          credentials: "omit",
        }),
      )
      const { status, headers, body } = answer
      if (status === 200) return decodeText(body, headers["content-type"] ?? "")
      const { location } = headers
      if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
        return yield* statusFault(answer)
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
