/**
 * Permanent redirects from the predecessor's paths, with the same query. A table maps each path to
 * its successor; paths that are not in it share one.
 *
 * The caller's input becomes only the query of the redirect, never its path or host.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { type Answer, caching } from "../server/answer.ts"
import type { FreeRoute } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"

/** The prefix of the predecessor's paths. */
export const legacyPrefix = "/api"
/** The successor of a path that is not in the table. */
const defaultSuccessor: string = freeRows.index.path
/** When the predecessor's paths were deprecated, in Unix seconds. */
const deprecatedAt = 1_793_491_200

const rows: ReadonlyArray<{ readonly path: string }> = [
  ...Object.values(products),
  ...Object.values(freeRows),
]
/** Every path that may be a successor. */
const successors = [...rows.map(({ path }) => path), "/openapi.json"]

/** The predecessor used the same names under `/api/` instead of `/v1/`. */
export const legacyRoutes: ReadonlyMap<string, string> = new Map(
  successors.map((path) => [`${legacyPrefix}${path.replace(/^\/v1\//, "/")}`, path]),
)

/** The successor of a predecessor's path, given without its prefix. */
function successorOf(rest: string): string {
  return legacyRoutes.get(`${legacyPrefix}${rest.replace(/\/$/, "")}`) ?? defaultSuccessor
}

/** The redirect of a path, given the part after `/api`. */
export function legacyRoute(
  { publicBaseUrl, limiter }: { readonly publicBaseUrl: string; readonly limiter: RateLimiter },
) {
  return (rest: string, query: string): FreeRoute => {
    const successor = `${publicBaseUrl}${successorOf(rest)}`
    return { limiter, current: () => redirectTo(successor, query) }
  }
}

/** 308, with the Deprecation header of RFC 9745 and the Link of RFC 5829. */
function redirectTo(successor: string, query: string): Answer {
  const location = new URL(successor)
  // The setter escapes characters that are not allowed in a query, `#` included.
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
    ],
  }
}
