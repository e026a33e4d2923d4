/**
 * What the predecessor's paths answer: where to go instead, for good, with the same query. A table
 * names where each went; one successor is for all that are not in it.
 *
 * Only the table names where; what the caller wrote becomes a query there and nothing else.
 *
 * @module
 */
import { Schema } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { type Answer, caching, commonHeaders } from "../server/answer.ts"
import type { EdgeRoute } from "../server/edge.ts"
import type { RateLimiter } from "../server/limits.ts"

/** What the predecessor's paths begin with. */
export const legacyPrefix = "/api"
/** The successor of a path that has none of its own: where an agent finds out what there is. */
const successorOfAll: string = freeRows.index.path
/** Most entries of a table. */
const legacyRoutesMax = 1_000
/** When the predecessor's paths were deprecated, in seconds: the day this interface took over. */
const deprecatedAt = 1_793_491_200

const rows: ReadonlyArray<{ readonly path: string }> = [
  ...Object.values(products),
  ...Object.values(freeRows),
]
/** Every path that may be a successor. */
const successors = [...rows.map(({ path }) => path), "/openapi.json"]

/** Successors by the predecessor's path. */
export type LegacyRoutes = ReadonlyMap<string, string>

const legacyPath = /^\/api(\/[A-Za-z0-9_.-]{1,100}){1,10}$/

/** A table, as a file has it. */
export const LegacyRoutes = Schema.Record(Schema.String, Schema.Literals(successors)).check(
  Schema.makeFilter((routes) => {
    const wrong = Object.keys(routes).find((path) => !legacyPath.test(path))
    return wrong === undefined
      ? undefined
      : { path: [wrong], issue: "Expected a path beneath /api/, without a query" }
  }),
  Schema.isMaxProperties(legacyRoutesMax, { expected: `at most ${legacyRoutesMax} routes` }),
)

/** The predecessor called what it had as we do, beneath `/api/` instead of `/v1/`. */
export const defaultLegacyRoutes: LegacyRoutes = new Map(
  successors.map((path) => [`${legacyPrefix}${path.replace(/^\/v1\//, "/")}`, path]),
)

/** Where a path of the predecessor went, by what follows its prefix. */
function successorOf(routes: LegacyRoutes, rest: string): string {
  return routes.get(`${legacyPrefix}${rest.replace(/\/$/, "")}`) ?? successorOfAll
}

interface LegacyOptions {
  readonly routes: LegacyRoutes
  readonly publicBaseUrl: string
  readonly limiter: RateLimiter
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
