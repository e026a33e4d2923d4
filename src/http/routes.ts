/**
 * The table of all paths and what answers them.
 *
 * @module
 */
import { Effect, Record } from "effect"
import type { ProductFamily } from "../catalog/domain/family.ts"
import { freeRows } from "../catalog/domain/freeRow.ts"
import { pageRows } from "../catalog/domain/pageRow.ts"
import { type Product, products } from "../catalog/domain/product.ts"
import { sampleBody } from "../catalog/domain/sample.ts"
import { paths } from "./documents/addresses.ts"
import type { Documents } from "./documents/documents.ts"
import { type packageAnswers, packagesPrefix } from "./documents/packages.ts"
import { legacyPrefix, type legacyRoute } from "./free/legacy.ts"
import type { LookupRoutes } from "./free/lookups.ts"
import type { PageDataRoutes } from "./free/pageData.ts"
import type { Snapshot } from "./free/snapshot.ts"
import type { Checkouts } from "./handlers.ts"
import type { marketRoutes } from "./pages/market.ts"
import { marketsPrefix } from "./pages/paths.ts"
import { paymentsPrefix } from "./paywall/paymentStatus.ts"
import { type Offers, type Paywall, requestsVersion1, unpaidAnswer } from "./paywall/paywall.ts"
import { limited, type Pending } from "./server/admission.ts"
import { type Answer, answer, varyingByAccept } from "./server/answer.ts"
import type { BodyReader } from "./server/bodyReader.ts"
import type { AsCall } from "./server/call.ts"
import { refuse, refused } from "./server/errors.ts"
import { byRequest, webOf } from "./server/inbound.ts"
import type { RateLimiter } from "./server/limits.ts"
import { prefersHtml } from "./server/mediaType.ts"
import {
  type AgentRoute,
  byRest,
  type FreeRoute,
  fromSource,
  type Handler,
  type Route,
  type RouteResult,
  type Source,
} from "./server/route.ts"
import { testHeaderFault } from "./server/testTriggers.ts"
import type { FreeRoutes } from "./skills.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"

/** The free rows of the interface. They share one rate limit over HTTP, /a2a and /mcp. */
export function freeRoutes({ limiter, snapshot, lookups, fixed }: {
  readonly limiter: RateLimiter
  readonly snapshot: Snapshot
  readonly lookups: LookupRoutes
  readonly fixed: {
    readonly terms: Answer
    readonly termsText: Answer
    readonly family: ProductFamily
  }
}): FreeRoutes {
  const polledRoute = (current: Source): FreeRoute => ({ limiter, current })
  const fixedRoute = (answer: Answer) => polledRoute(() => answer)
  const jsonRoute = (body: object) =>
    fixedRoute(answer({ body: JSON.stringify(body), cache: "document" }))
  return {
    index: polledRoute(snapshot.index),
    pulse: polledRoute(snapshot.pulse),
    digest_brief: polledRoute(snapshot.digestBrief),
    track_record: polledRoute(snapshot.trackRecord),
    sample: jsonRoute(sampleBody),
    feed_heads: polledRoute(snapshot.feedHeads),
    ...lookups,
    health: { ...polledRoute(snapshot.health), withoutStore: snapshot.down },
    terms: fixedRoute(fixed.terms),
    terms_text: fixedRoute(fixed.termsText),
    family: jsonRoute({ success: true, ...fixed.family }),
  }
}

interface RouteParts {
  readonly free: FreeRoutes
  readonly pageData: PageDataRoutes
  readonly documents: Documents
  readonly discovery: Source
  /** The pages for people. One on the path of another answer is for clients that prefer HTML. */
  readonly pages: ReadonlyMap<string, FreeRoute>
  readonly market: ReturnType<typeof marketRoutes>
  readonly legacy: ReturnType<typeof legacyRoute>
  readonly payment: (id: string) => Handler
  readonly packageAnswer: ReturnType<typeof packageAnswers>
  readonly agents: Readonly<Record<string, AgentRoute>>
  readonly paywall: Paywall
  readonly checkouts: Checkouts
  readonly terms: PaymentTerms
  readonly offers: Offers
  /** The rate limit of documents and of payments. */
  readonly limiter: RateLimiter
  /** That of unpaid calls of paid paths. */
  readonly unpaidLimiter: RateLimiter
  readonly pending: Pending
  readonly readBody: BodyReader
  readonly asCall: AsCall
  /** The names of the test triggers; absent with real payments. */
  readonly testTriggers?: ReadonlyArray<string> | undefined
}

/** All routes. */
export function routesOf(parts: RouteParts): ReadonlyArray<Route> {
  const { free, pageData, documents, discovery, limiter, pages, agents } = parts
  const others = new Map<string, FreeRoute>([
    ...Object.values(freeRows).map(({ id, path }) => [path, free[id]] as const),
    ...Record.toEntries(pageData).map(([id, route]) => [pageRows[id].path, route] as const),
    ...[...documents].map(([path, document]) => [path, { limiter, current: document }] as const),
    ...[paths.discovery, paths.discoveryResources].map((path) =>
      [path, { limiter, current: discovery }] as const
    ),
  ])
  const named = new Set<string>(
    [...Object.values(freeRows), ...Object.values(pageRows)].map(({ path }) => path),
  )
  const served = new Set([...others.keys(), ...pages.keys(), ...Object.keys(agents)])
  for (const { path } of Object.values(products)) served.delete(path)
  return [
    ...[...served].map((path): Route => {
      const get = getOf(parts, others.get(path), pages.get(path))
      const post = agents[path]
      return {
        path: path as Route["path"],
        name: named.has(path) || post !== undefined ? path : "documents",
        ...(get === null ? {} : { get }),
        ...(post === undefined ? {} : { post: postOf(parts, post) }),
      }
    }),
    ...Record.toEntries(products).map(([id, product]) => productRoute(parts, id, product)),
    ...prefixRoutes(parts),
  ]
}

const limitedGet = ({ pending }: RouteParts, route: FreeRoute): Handler =>
  limited(pending, route.limiter, fromSource(route.current), route.withoutStore)

/** The GET of a path with a page, another answer, or both: then `Accept` selects. */
function getOf(
  parts: RouteParts,
  other: FreeRoute | undefined,
  page: FreeRoute | undefined,
): Handler | null {
  const only = other ?? page
  if (only === undefined) return null
  if (other === undefined || page === undefined) return limitedGet(parts, only)
  const forPeople = limitedGet(parts, varied(page))
  const forAgents = limitedGet(parts, varied(other))
  return byRequest((request) =>
    prefersHtml(webOf(request).headers.get("accept")) ? forPeople : forAgents
  )
}

function productRoute(parts: RouteParts, id: keyof Checkouts, product: Product): Route {
  const { unpaidLimiter, pages, paywall, checkouts } = parts
  const unpaid = (version1: boolean): FreeRoute => ({
    limiter: unpaidLimiter,
    current: unpaidAnswer(product, parts, version1),
  })
  const current = getOf(parts, unpaid(false), pages.get(product.path)) ?? Effect.die("no answer")
  // A client of x402 version 1 asks for a body that it can read.
  const version1 = limitedGet(parts, varied(unpaid(true)))
  const get = paywall(
    checkouts[id],
    byRequest((request) => {
      const { headers, url } = webOf(request)
      return requestsVersion1(headers.get("x-402-version"), url) ? version1 : current
    }),
  )
  return { path: product.path, name: product.path, get }
}

/** The routes whose path goes on after a prefix. */
function prefixRoutes(parts: RouteParts): ReadonlyArray<Route> {
  const { pending, limiter, payment, market, packageAnswer, legacy } = parts
  const get = (route: FreeRoute | null) => route === null ? null : limitedGet(parts, route)
  const under = (
    prefix: `/${string}`,
    rest: string,
    choose: Parameters<typeof byRest>[1],
  ): Route => ({ path: `${prefix}*`, name: prefix + rest, get: byRest(prefix, choose) })
  return [
    under(paymentsPrefix, "{paymentId}", (id) => limited(pending, limiter, payment(id))),
    under(marketsPrefix, "{slug}", (slug) => get(market(slug))),
    under(packagesPrefix, "{name}", (name) => {
      const found = packageAnswer(name)
      return get(found === null ? null : { limiter, current: () => found })
    }),
    under(legacyPrefix, "/{path}", (rest, query) => get(legacy(rest, query))),
  ]
}

/** The POST of a protocol. Every refusal on the way to its handler is in its format. */
function postOf(parts: RouteParts, { handle, refusal }: AgentRoute): Handler {
  const { limiter, readBody, asCall, testTriggers } = parts
  const read = readBody(limiter, (body) => asCall(handle(body)))
  return byRequest((request) => {
    const fault = testHeaderFault(webOf(request).headers, testTriggers)
    return fault === null ? read : refuse(fault)
  }).pipe(
    Effect.mapError((failure) =>
      failure._tag === "Refused" ? refused(refusal(failure.refusal), failure.fields) : failure
    ),
  )
}

/** A route whose path answers something else to another `Accept`. */
function varied(route: FreeRoute): FreeRoute {
  const withVary = (result: RouteResult) =>
    result !== null && "bytes" in result ? varyingByAccept(result) : result
  return {
    ...route,
    current: (url) => {
      const result = route.current(url)
      return result instanceof Promise ? result.then(withVary) : withVary(result)
    },
  }
}
