/**
 * The public HTTP API as one Layer: the table of all paths, their rate limits, and the listener.
 *
 * @module
 */
import { Clock, Context, type Duration, Effect, Layer, Record } from "effect"
import { HttpRouter } from "effect/http"
import { freeRows } from "../catalog/domain/freeRow.ts"
import { type Product, type ProductId, products } from "../catalog/domain/product.ts"
import { sampleBody } from "../catalog/domain/sample.ts"
import { publishDepth } from "../core/places.ts"
import { Payments } from "../payments/Payments.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import { a2aHandler, a2aPath } from "./a2a/a2a.ts"
import { marketsPrefix } from "./documents/addresses.ts"
import { documents } from "./documents/documents.ts"
import { packageAnswers, packagesPrefix } from "./documents/packages.ts"
import { legacyPrefix, legacyRoute } from "./free/legacy.ts"
import { makeLookups } from "./free/lookups.ts"
import { dataPaths, makePageData } from "./free/pageData.ts"
import { makeSnapshot, type Snapshot } from "./free/snapshot.ts"
import { termsAnswers } from "./free/terms.ts"
import { makeHandlers } from "./handlers.ts"
import { mcpHandler, mcpPath } from "./mcp/mcp.ts"
import { makeMarketRoutes } from "./pages/market.ts"
import { pages } from "./pages/pages.ts"
import { errorPages } from "./pages/refusals.ts"
import { type Checkouts, makeCheckout } from "./paywall/checkout.ts"
import { makePaymentRoute, paymentsPrefix } from "./paywall/paymentStatus.ts"
import {
  makeAsCall,
  makeOffers,
  makePaywall,
  requestsVersion1,
  testHeaderFault,
  unpaidAnswer,
} from "./paywall/paywall.ts"
import { type Answer, answer, prefersHtml } from "./server/answer.ts"
import { makeAnswerLog } from "./server/answerLog.ts"
import { refuse } from "./server/errors.ts"
import { asRpcRefusal } from "./server/jsonRpc.ts"
import { makeLimiter, unpaidBudget } from "./server/limits.ts"
import {
  addRoute,
  type AgentHandler,
  aroundRouter,
  byRequest,
  byRest,
  type FreeRoute,
  fromSource,
  type Handler,
  limited,
  makeBodyReader,
  makePending,
  ready,
  type Route,
  routerConfig,
  varyingByAccept,
  webOf,
} from "./server/route.ts"
import { listen, toWebHandler } from "./server/server.ts"
import type { Site } from "./site.ts"
import type { FreeRoutes, SkillPorts } from "./skills.ts"

/**
 * Builds the public API, before it listens. Its free bodies are refreshed until the scope closes; run
 * `refresh` after each tick and each new digest.
 */
export const makeHttpService = Effect.fnUntraced(function* (site: Site) {
  const parts = yield* makeParts(site)
  const { pending, log, errorPage, refresh } = parts
  yield* publishDepth("requests", pending)
  const routes = routesOf(parts)
  const router = yield* HttpRouter.toHttpEffect(
    Layer.effectDiscard(Effect.forEach(routes, addRoute)),
  ).pipe(Effect.provideService(HttpRouter.RouterConfig, routerConfig))
  const whole = routes.map(({ path }) => path).filter((path) => !/[:*]/.test(path))
  const app = aroundRouter(router, log, errorPage, whole)
  return { handle: yield* toWebHandler(app, site.trustedProxyHops), refresh }
})

/** What the routes are made of. */
const makeParts = Effect.fnUntraced(function* (site: Site) {
  const { terms, limits, packages, tickIntervalMs } = site
  const log = yield* makeAnswerLog
  const pending = makePending()
  const limiter = yield* makeLimiter("documents", limits.documents)
  const pageLimiter = yield* makeLimiter("pages", limits.pages)
  const invalidPayments = yield* makeLimiter("invalid_payments", limits.invalidPayments)
  const asCall = makeAsCall(log, pending)
  const offers = yield* makeOffers(terms)
  const snapshot = yield* makeSnapshot(site)
  const checkout = yield* makeCheckout({ terms, log, invalidPayments, tickIntervalMs })
  const handlers = yield* makeHandlers
  const checkoutOf = <Id extends ProductId>(id: Id) =>
    checkout<typeof products[Id]>(products[id], handlers[id])
  const skills: SkillPorts = {
    free: yield* freeRoutes(site, snapshot),
    checkouts: Record.map(products, (_, id) => checkoutOf(id)),
    documents: limiter,
    terms,
    offers,
    payments: yield* Payments,
  }
  const clock = yield* Clock.Clock
  const { keys } = yield* SigningKey
  const docs = documents(site, keys, () => clock.currentTimeMillisUnsafe())
  const data = yield* makePageData(pageLimiter)
  const market = yield* makeMarketRoutes(site, pageLimiter)
  const testTriggers = site.testTriggers?.map(({ name }) => name)
  return {
    ...skills,
    log,
    pending,
    asCall,
    limiter,
    unpaidLimiter: yield* makeLimiter("unpaid", unpaidBudget(limits.documents)),
    readBody: makeBodyReader(limiter),
    paywall: yield* makePaywall({ terms, offers, asCall, testTriggers }),
    testTriggers,
    docs,
    /** One on the path of another answer is for clients that prefer HTML. */
    pages: pages({
      site,
      limiter: pageLimiter,
      free: skills.free,
      docs,
      data: data.routes,
      offers,
    }),
    pageData: data.routes,
    market: market.routeOf,
    errorPage: errorPages(site),
    legacy: legacyRoute({ publicBaseUrl: terms.publicBaseUrl, limiter }),
    payment: yield* makePaymentRoute,
    packageAnswer: packageAnswers(packages),
    agents: {
      [a2aPath]: yield* a2aHandler(skills),
      [mcpPath]: yield* mcpHandler({ skills, site }),
    } as Readonly<Record<string, AgentHandler>>,
    /** Recomputes the free bodies. */
    refresh: Effect.all([snapshot.refresh, market.clear, data.refresh], { discard: true }),
  }
})
type Parts = Effect.Success<ReturnType<typeof makeParts>>

/** The free rows of the interface. They share one rate limit over HTTP, /a2a and /mcp. */
const freeRoutes = Effect.fnUntraced(function* (
  site: Site,
  snapshot: Snapshot,
) {
  const limiter = yield* makeLimiter("free", site.limits.free)
  const route = (...current: Parameters<typeof ready>) => ({ limiter, current: ready(...current) })
  const fixed = (answer: Answer) => route(() => answer)
  const json = (body: object) => fixed(answer({ body: JSON.stringify(body), cache: "document" }))
  const terms = termsAnswers(site)
  const routes: FreeRoutes = {
    index: route(snapshot.index),
    pulse: route(snapshot.pulse),
    digest_brief: route(snapshot.digestBrief),
    track_record: route(snapshot.trackRecord),
    sample: json(sampleBody),
    feed_heads: route(snapshot.feedHeads),
    ...yield* makeLookups(limiter),
    health: { ...route(snapshot.health), withoutStore: snapshot.down },
    terms: fixed(terms.json),
    terms_text: fixed(terms.text),
    family: json({ success: true, ...site.family }),
  }
  return routes
})

/** All routes: each path, and what answers it. */
function routesOf(parts: Parts): ReadonlyArray<Route> {
  const { free, pageData, docs, limiter, pages, agents } = parts
  const others = new Map<string, FreeRoute>([
    ...Object.values(freeRows).map(({ id, path }) => [path, free[id]] as const),
    ...Record.toEntries(pageData).map(([id, route]) => [dataPaths[id], route] as const),
    ...[...docs].map(([path, document]) => [path, { limiter, current: ready(document) }] as const),
  ])
  const named = new Set<string>(
    [...Object.values(freeRows).map(({ path }) => path), ...Object.values(dataPaths)],
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

const limitedGet = (
  { pending }: Parts,
  { limiter, current, withoutStore }: FreeRoute,
  handler = fromSource(current),
): Handler => limited(pending, limiter, handler, withoutStore)

/** The same where the path answers something else to another `Accept`. */
const varyingGet = (parts: Parts, route: FreeRoute): Handler =>
  limitedGet(parts, route, Effect.map(fromSource(route.current), varyingByAccept))

/** The GET of a path with a page, another answer, or both: then `Accept` selects. */
function getOf(
  parts: Parts,
  other: FreeRoute | undefined,
  page: FreeRoute | undefined,
): Handler | null {
  const only = other ?? page
  if (only === undefined) return null
  if (other === undefined || page === undefined) return limitedGet(parts, only)
  const forPeople = varyingGet(parts, page)
  const forAgents = varyingGet(parts, other)
  return byRequest((request) =>
    prefersHtml(webOf(request).headers.get("accept")) ? forPeople : forAgents
  )
}

function productRoute(parts: Parts, id: keyof Checkouts, product: Product): Route {
  const { unpaidLimiter, pages, paywall, checkouts } = parts
  const unpaid = (version1: boolean): FreeRoute => ({
    limiter: unpaidLimiter,
    current: ready(unpaidAnswer(checkouts[id], parts, version1)),
  })
  const current = getOf(parts, unpaid(false), pages.get(product.path)) ?? Effect.die("no answer")
  // A client of x402 version 1 asks for a body that it can read.
  const version1 = varyingGet(parts, unpaid(true))
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
function prefixRoutes(parts: Parts): ReadonlyArray<Route> {
  const { pending, limiter, payment, market, packageAnswer, legacy } = parts
  const get = (route: FreeRoute | null) => route === null ? null : limitedGet(parts, route)
  const under = (
    prefix: `/${string}`,
    rest: string,
    choose: Parameters<typeof byRest>[1],
  ): Route => ({
    path: `${prefix}${rest.replace(/\{(\w+)\}/, ":$1")}`,
    name: prefix + rest,
    get: byRest(prefix, choose),
  })
  return [
    under(
      paymentsPrefix,
      "{paymentId}",
      (id) => id === "" ? null : limited(pending, limiter, payment(id)),
    ),
    under(marketsPrefix, "{slug}", (slug) => get(market(slug))),
    under(packagesPrefix, "{name}", (name) => get({ limiter, current: packageAnswer(name) })),
    under(legacyPrefix, "/*", (rest, query) => get(legacy(rest, query))),
  ]
}

/** The POST of a protocol. Every refusal on the way to its handler is JSON-RPC too. */
function postOf({ readBody, asCall, testTriggers }: Parts, handle: AgentHandler): Handler {
  const read = readBody((body) => asCall(handle(body)))
  return byRequest((request) => {
    const fault = testHeaderFault(webOf(request).headers, testTriggers)
    return fault === null ? read : refuse(fault)
  }).pipe(
    Effect.mapError((failure) => failure._tag === "Refused" ? asRpcRefusal(failure) : failure),
  )
}

/** The running public API: its address, and how to refresh its free bodies. */
export class Served extends Context.Service<Served, {
  readonly address: Deno.NetAddr
  readonly refresh: Effect.Effect<void>
}>()("bellwether/http/Served") {}

interface ServeOptions extends Site {
  readonly hostname: string
  /** 0 means any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

/** Serves the public API until the Layer is released. */
export const layer = (options: ServeOptions) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { handle, refresh } = yield* makeHttpService(options)
      const address = yield* listen(options, handle)
      return { address, refresh }
    }),
  )
