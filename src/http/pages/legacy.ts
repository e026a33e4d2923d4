/**
 * What the predecessor's paths answer: where to go instead, for good, with the same query.
 *
 * Only the table names where; what the caller wrote becomes a query there and nothing else.
 *
 * @module
 */
import { deprecatedAt, type LegacyRoutes, successorOf } from "../../catalog/domain/legacyRoute.ts"
import { type Answer, caching, commonHeaders } from "../server/answer.ts"
import type { EdgeRoute } from "../server/edge.ts"
import type { Limiter } from "../server/limits.ts"

interface LegacyOptions {
  readonly routes: LegacyRoutes
  readonly publicBaseUrl: string
  readonly limiter: Limiter
}

/** The route of a path by what follows `/api`; of `/apis`, which never was one, there is none. */
export function legacyRoute({ routes, publicBaseUrl, limiter }: LegacyOptions) {
  return (rest: string, query: string): EdgeRoute | undefined => {
    if (rest !== "" && !rest.startsWith("/")) return undefined
    const successor = `${publicBaseUrl}${successorOf(routes, rest)}`
    return { limiter, current: () => moved(successor, query), paid: null }
  }
}

/** 308, as RFC 9745 and RFC 5829 have an old address say where it went. */
function moved(successor: string, query: string): Answer {
  const location = new URL(successor)
  // The setter escapes what has no place in a query, a `#` too.
  location.search = query
  return {
    status: 308,
    bytes: new Uint8Array(),
    etag: null,
    headers: [
      ["location", location.href],
      ["deprecation", `@${deprecatedAt}`],
      ["link", `<${successor}>; rel="successor-version"`],
      ["cache-control", caching.document],
      ...commonHeaders,
    ],
  }
}
