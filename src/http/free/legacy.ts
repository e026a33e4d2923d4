/**
 * Permanent redirects from the predecessor's paths, with the same query: each to the path of the same
 * name, any other to the index.
 *
 * The caller's input becomes only the query of the redirect, never its path or host.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { caching } from "../server/answer.ts"
import { type FreeRoute, ready } from "../server/route.ts"
import type { RateLimiter } from "../server/limits.ts"

/** The prefix of the predecessor's paths. */
export const legacyPrefix = "/api"
/** When they were deprecated, in Unix seconds. */
const deprecatedAt = 1_793_491_200

/** The predecessor used the same names under `/api/` (and `/api/v1/`) instead of `/v1/`. */
export const legacyRoutes: ReadonlyMap<string, string> = new Map(
  [...Object.values(products), ...Object.values(freeRows), { path: "/openapi.json" }]
    .map(({ path }) => [`${legacyPrefix}${path.replace(/^\/v1\//, "/")}`, path]),
)

/** The redirect of a path, given the part after `/api`: 308, with the headers of RFC 9745 and 5829. */
export const legacyRoute =
  ({ publicBaseUrl, limiter }: { readonly publicBaseUrl: string; readonly limiter: RateLimiter }) =>
  (rest: string, query: string): FreeRoute => {
    const path = legacyRoutes.get(`${legacyPrefix}${rest.replace(/^\/v1(?=\/)|\/$/g, "")}`)
    const successor = `${publicBaseUrl}${path ?? freeRows.index.path}`
    const location = new URL(successor)
    // The setter escapes characters that are not allowed in a query, `#` included.
    location.search = query
    return {
      limiter,
      current: ready(() => ({
        status: 308,
        bytes: new Uint8Array(),
        etag: null,
        isCompressible: false,
        headers: [
          ["location", location.href],
          ["deprecation", `@${deprecatedAt}`],
          ["link", `<${successor}>; rel="successor-version"`],
          ["cache-control", caching.document],
        ],
      })),
    }
  }
