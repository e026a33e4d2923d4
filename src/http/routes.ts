/**
 * Every path there is, and what stands behind it.
 *
 * @module
 */
import { freeRows } from "../catalog/domain/freeRow.ts"
import { type Product, products } from "../catalog/domain/product.ts"
import { sampleBody } from "../catalog/domain/sample.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import { type Answer, answer } from "./server/answer.ts"
import { challengeFor } from "./paywall/paywall.ts"
import type { EdgeRoute, RouteResult } from "./server/edge.ts"
import type { RateLimiter } from "./server/limits.ts"
import type { WebHandler } from "./server/server.ts"
import type { FreeRoutes } from "./skills.ts"
import type { Snapshot } from "./pages/snapshot.ts"

/** The free rows of the interface: one budget, whoever asks and how. */
export function freeRoutes({ limiter, snapshot, fixed }: {
  readonly limiter: RateLimiter
  readonly snapshot: Snapshot
  readonly fixed: { readonly terms: Answer; readonly termsText: Answer; readonly family: Answer }
}): FreeRoutes {
  const polled = (current: () => ReturnType<NonNullable<EdgeRoute["current"]>>): EdgeRoute => ({
    limiter,
    current,
    paid: null,
  })
  const always = (made: Answer) => polled(() => made)
  return {
    index: polled(snapshot.index),
    pulse: polled(snapshot.pulse),
    digest_brief: polled(snapshot.digestBrief),
    track_record: polled(snapshot.trackRecord),
    sample: always(answer({ body: JSON.stringify(sampleBody), cache: "document" })),
    health: { ...polled(snapshot.health), withoutStore: snapshot.down },
    terms: always(fixed.terms),
    terms_text: always(fixed.termsText),
    family: always(fixed.family),
  }
}

/** The routes of the whole face, by path. */
export function edgeRoutes({ free, documents, asked, limiter, terms, paid, agents }: {
  readonly free: FreeRoutes
  readonly documents: ReadonlyMap<string, Answer>
  /** Those of the documents that differ by what is asked, or when. */
  readonly asked: ReadonlyMap<string, (url: string) => RouteResult>
  /** The budget of documents and of unpaid probes. */
  readonly limiter: RateLimiter
  readonly terms: PaymentTerms
  readonly paid: WebHandler
  /** The paths that agents post to. */
  readonly agents: ReadonlyMap<string, EdgeRoute>
}): ReadonlyMap<string, EdgeRoute> {
  const routes = new Map<string, EdgeRoute>()
  for (const { id, path } of Object.values(freeRows)) routes.set(path, free[id])
  for (const [path, made] of documents) {
    routes.set(path, { limiter, current: asked.get(path) ?? (() => made), paid: null })
  }
  for (const product of Object.values(products)) {
    const unpaid = unpaidAnswer(product, terms, false)
    const version1 = unpaidAnswer(product, terms, true)
    routes.set(product.path, { limiter, current: () => unpaid, version1, paid })
  }
  for (const [path, route] of agents) routes.set(path, route)
  return routes
}

/** The 402 of a product to everybody who shows no payment. */
function unpaidAnswer(product: Product, terms: PaymentTerms, version1: boolean): Answer {
  const { status, headers, body } = challengeFor(product, terms, { version1 })
  return answer({
    status,
    body: new TextDecoder().decode(body),
    cache: "none",
    headers: [["payment-required", headers["payment-required"] ?? ""]],
  })
}
