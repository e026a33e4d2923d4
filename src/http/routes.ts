/**
 * The table of all paths and their routes.
 *
 * @module
 */
import { Record } from "effect"
import { freeRows } from "../catalog/domain/freeRow.ts"
import { pageRows } from "../catalog/domain/pageRow.ts"
import { type Product, products } from "../catalog/domain/product.ts"
import { sampleBody } from "../catalog/domain/sample.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import type { Documents } from "./documents/documents.ts"
import { type Answer, answer, varyingByAccept } from "./server/answer.ts"
import { challengeFor } from "./paywall/paywall.ts"
import { madeOfOffer, type Offers } from "./paywall/offers.ts"
import type { EdgeRoute, RouteResult } from "./server/edge.ts"
import type { RateLimiter } from "./server/limits.ts"
import type { WebHandler } from "./server/server.ts"
import type { FreeRoutes } from "./skills.ts"
import type { LookupRoutes } from "./free/lookups.ts"
import type { PageDataRoutes } from "./free/pageData.ts"
import type { Snapshot } from "./free/snapshot.ts"

/** The free rows of the interface. They share one rate limit over HTTP, /a2a and /mcp. */
export function freeRoutes({ limiter, snapshot, lookups, fixed }: {
  readonly limiter: RateLimiter
  readonly snapshot: Snapshot
  readonly lookups: LookupRoutes
  readonly fixed: { readonly terms: Answer; readonly termsText: Answer; readonly family: Answer }
}): FreeRoutes {
  const polledRoute = (
    current: () => ReturnType<NonNullable<EdgeRoute["current"]>>,
  ): EdgeRoute => ({
    limiter,
    current,
    paid: null,
  })
  const fixedRoute = (answer: Answer) => polledRoute(() => answer)
  return {
    index: polledRoute(snapshot.index),
    pulse: polledRoute(snapshot.pulse),
    digest_brief: polledRoute(snapshot.digestBrief),
    track_record: polledRoute(snapshot.trackRecord),
    sample: fixedRoute(answer({ body: JSON.stringify(sampleBody), cache: "document" })),
    feed_heads: polledRoute(snapshot.feedHeads),
    ...lookups,
    health: { ...polledRoute(snapshot.health), withoutStore: snapshot.down },
    terms: fixedRoute(fixed.terms),
    terms_text: fixedRoute(fixed.termsText),
    family: fixedRoute(fixed.family),
  }
}

/** All routes, by path. */
export function edgeRoutes(
  { free, documents, dynamic, limiter, terms, offers, paid, pageData, pages, agents }: {
    readonly free: FreeRoutes
    readonly documents: Documents
    /** Documents that depend on the query or the time. */
    readonly dynamic: ReadonlyMap<string, (url: string) => RouteResult>
    /** The rate limit of documents and of unpaid probes. */
    readonly limiter: RateLimiter
    readonly terms: PaymentTerms
    readonly offers: Offers
    readonly paid: WebHandler
    readonly pageData: PageDataRoutes
    /** The pages for people. One on the path of another answer is for clients that prefer HTML. */
    readonly pages: ReadonlyMap<string, EdgeRoute>
    /** The routes of /a2a and /mcp. */
    readonly agents: ReadonlyMap<string, EdgeRoute>
  },
): ReadonlyMap<string, EdgeRoute> {
  const routes = new Map<string, EdgeRoute>()
  for (const { id, path } of Object.values(freeRows)) routes.set(path, free[id])
  for (const [id, route] of Record.toEntries(pageData)) routes.set(pageRows[id].path, route)
  for (const [path, document] of documents) {
    routes.set(path, { limiter, current: dynamic.get(path) ?? document, paid: null })
  }
  for (const product of Object.values(products)) {
    const current = unpaidAnswer(product, terms, offers, false)
    const version1 = unpaidAnswer(product, terms, offers, true)
    routes.set(product.path, { limiter, current, version1, paid })
  }
  for (const [path, route] of agents) routes.set(path, route)
  for (const [path, page] of pages) {
    const other = routes.get(path)
    routes.set(path, other === undefined ? page : { ...varied(other), page: varied(page) })
  }
  return routes
}

/** A route whose path answers something else to another `Accept`. */
function varied(route: EdgeRoute): EdgeRoute {
  const { current, version1 } = route
  const withVary = (result: RouteResult) =>
    result !== null && "bytes" in result ? varyingByAccept(result) : result
  return {
    ...route,
    current: current && ((url, headers) => {
      const result = current(url, headers)
      return result instanceof Promise ? result.then(withVary) : withVary(result)
    }),
    ...(version1 === undefined ? {} : { version1: () => varyingByAccept(version1()) }),
  }
}

/** The 402 of a product for a request without a payment. */
function unpaidAnswer(
  product: Product,
  terms: PaymentTerms,
  offers: Offers,
  version1: boolean,
): () => Answer {
  return madeOfOffer(offers, product, (offer) => {
    const { status, headers, body } = challengeFor(product, terms, { version1, offer })
    return answer({
      status,
      body: new TextDecoder().decode(body),
      cache: "none",
      headers: [["payment-required", headers["payment-required"] ?? ""]],
    })
  })
}
