/**
 * The public HTTP API as one Layer: its paths, their rate limits, and the listener.
 *
 * @module
 */
import { Cause, Clock, Context, type Duration, Effect, Layer, Random, Record } from "effect"
import { HttpRouter } from "effect/http"
import { freeRows } from "../catalog/domain/freeRow.ts"
import { pageRows } from "../catalog/domain/pageRow.ts"
import { products } from "../catalog/domain/product.ts"
import { resend } from "../catalog/domain/refusal.ts"
import { version } from "../core/domain/version.ts"
import type { TestTrigger } from "../core/testCall.ts"
import type { VenueMode } from "../catalog/domain/freeRow.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import type { Digest } from "../digest/Digest.ts"
import type { Feed } from "../feed/Feed.ts"
import type { FeedChain } from "../feed/FeedChain.ts"
import type { PublishedMarkets } from "../feed/PublishedMarkets.ts"
import type { Freshness } from "../core/Freshness.ts"
import type { PaymentHealth } from "../payments/PaymentHealth.ts"
import type { Payments } from "../payments/Payments.ts"
import type { StoreClock } from "../core/StoreClock.ts"
import type { RateLimits } from "../core/RateLimits.ts"
import type { Research } from "../research/Research.ts"
import type { Resolving } from "../markets/Resolving.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import type { Status } from "../status/Status.ts"
import type { Outcomes } from "../track-record/Outcomes.ts"
import type { TrackRecord } from "../track-record/TrackRecord.ts"
import type { Calibration } from "../whales/Calibration.ts"
import { a2aPath, a2aRoute } from "./a2a/a2a.ts"
import { agentCardAnswer, documents, dynamicDocuments } from "./documents/documents.ts"
import { familyAnswer, type ProductFamily } from "./documents/family.ts"
import { paths } from "./documents/addresses.ts"
import { makeAnswerLog } from "./server/answerLog.ts"
import { makeBodyReader } from "./server/bodyReader.ts"
import { type EdgeRoute, makeEdge } from "./server/edge.ts"
import { refusalResponse } from "./server/errors.ts"
import { legacyPrefix, legacyRoute } from "./free/legacy.ts"
import {
  clientKeys,
  handshakeBudget,
  makeLimiter,
  type RateBudget,
  type RateLimiter,
} from "./server/limits.ts"
import { mcpRoute } from "./mcp/mcp.ts"
import { loggedCheckout } from "./paywall/loggedCheckout.ts"
import { makePaymentLookup, type PaymentLookup, paymentsPrefix } from "./paywall/paymentStatus.ts"
import { makeOffers, type Offers } from "./paywall/offers.ts"
import { makePaywall } from "./paywall/paywall.ts"
import { edgeRoutes, freeRoutes } from "./routes.ts"
import { type Checkouts, makeCheckouts } from "./handlers.ts"
import { observeRequests, type RouteNames } from "./server/requestMetrics.ts"
import { type CannotListen, listen, type Peer, toWebHandler } from "./server/server.ts"
import type { SkillPorts } from "./skills.ts"
import { makeLookups } from "./free/lookups.ts"
import { makePageData } from "./free/pageData.ts"
import { makeSnapshot } from "./free/snapshot.ts"
import type { DocsOptions } from "./pages/docs.ts"
import { errorPages } from "./pages/errorPage.ts"
import { makeMarketData } from "./free/marketData.ts"
import { marketRoutes } from "./pages/marketRoutes.ts"
import { marketsPrefix } from "./pages/paths.ts"
import { pages } from "./pages/pages.ts"
import type { Site } from "./pages/site.ts"
import { termsAnswers } from "./free/terms.ts"

export interface HttpServiceOptions {
  /** The commit of this release; null where it is not known. */
  readonly commit: string | null
  readonly terms: PaymentTerms
  readonly paymentMode: "live" | "simulated"
  /** How long an answer waits for its buyer before it is refunded. */
  readonly answerSeconds: number
  readonly venueMode: VenueMode
  /** The test triggers of simulated payments; absent with real ones. */
  readonly testTriggers?: ReadonlyArray<TestTrigger>
  /** The catalog of sibling products. */
  readonly family: ProductFamily
  /** Where to report security problems: a `mailto:` or `https:` address. */
  readonly contact: string
  /** How many proxies in front append to X-Forwarded-For. */
  readonly trustedProxyHops: number
  readonly limits: {
    readonly free: RateBudget
    readonly documents: RateBudget
    readonly pages: RateBudget
    readonly invalidPayments: RateBudget
  }
}

/** The public API, before it listens. */
interface HttpService {
  readonly handle: (request: Request, peer: Peer) => Response | Promise<Response>
  /** Recomputes the free bodies; run it after each tick and each new digest. */
  readonly refresh: Effect.Effect<void>
}

/** Builds the public API. Its free bodies are refreshed until the scope closes. */
export const makeHttpService = Effect.fnUntraced(function* (options: HttpServiceOptions) {
  const identity = identityOf(options)
  const snapshot = yield* makeSnapshot(identity)
  const limiter = yield* makeLimiter("documents", options.limits.documents)
  const handshakes = yield* makeLimiter("handshakes", handshakeBudget(options.limits.documents))
  const invalidPayments = options.limits.invalidPayments === "off"
    ? null
    : { name: "invalid_payments", ...options.limits.invalidPayments }
  const log = yield* makeAnswerLog
  const limited = yield* makeCheckouts({
    terms: options.terms,
    invalidPayments: yield* makeLimiter("invalid_payments", options.limits.invalidPayments),
  })
  const checkouts = Record.map(limited, (checkout) => loggedCheckout(checkout, log))
  const offers = yield* makeOffers(options.terms)
  const paid = yield* paidHandler(options.terms, offers, checkouts)
  const { text, json } = termsAnswers({ publicBaseUrl: identity.publicBaseUrl, ...options })
  const freeLimiter = yield* makeLimiter("free", options.limits.free)
  const skills: SkillPorts = {
    free: freeRoutes({
      ...{ limiter: freeLimiter, snapshot, lookups: yield* makeLookups(freeLimiter) },
      fixed: { terms: json, termsText: text, family: familyAnswer(options.family) },
    }),
    checkouts,
    documents: limiter,
    terms: options.terms,
    offers,
  }
  const { keys } = yield* SigningKey
  const ofService = documents({ ...options, version, keys })
  const docs = { ...options, version, documents: ofService }
  const people = yield* pageRoutes(docs, { ...identity, contact: options.contact }, skills)
  const clock = yield* Clock.Clock
  const prefix = (yield* Random.nextIntBetween(36 ** 5, 36 ** 6)).toString(36)
  let count = 0
  const routes = edgeRoutes({
    free: skills.free,
    documents: ofService,
    dynamic: dynamicDocuments({ ...options, version, keys }, () => clock.currentTimeMillisUnsafe()),
    limiter,
    terms: options.terms,
    offers,
    paid,
    ...people.routes,
    agents: new Map([
      [a2aPath, yield* a2aRoute({ skills, card: agentCardAnswer({ ...options, version }) })],
      [paths.mcp, yield* mcpRoute({ skills, handshakes, version })],
    ]),
  })
  const service: HttpService = {
    handle: makeEdge({
      routes,
      prefixRoutes: new Map([
        [paymentsPrefix, paymentRoute(yield* makePaymentLookup, limiter)],
        [marketsPrefix, people.marketRoute],
        [legacyPrefix, legacyRoute({ ...identity, limiter })],
      ]),
      readBody: yield* makeBodyReader,
      trustedProxyHops: options.trustedProxyHops,
      invalidPayments,
      testTriggers: options.testTriggers?.map(({ name }) => name),
      log,
      ...(yield* observeRequests(routeNames(routes))),
      errorPage: people.errorPage,
      nextId: () => `${prefix}-${(++count).toString(36).padStart(6, "0")}`,
    }),
    refresh: Effect.andThen(snapshot.refresh, people.refresh),
  }
  return service
})

/** The state of a payment by its id, with the receipt for the key it was bought with. */
const paymentRoute = (lookup: PaymentLookup, limiter: RateLimiter) => (id: string): EdgeRoute => ({
  limiter,
  current: (_, headers) => lookup(id, headers?.get("idempotency-key") ?? null),
  paid: null,
})

/** What the free bodies say about the service. */
function identityOf({ terms, commit, paymentMode, venueMode }: HttpServiceOptions) {
  const { publicBaseUrl, chainId } = terms
  const network = `eip155:${chainId}`
  return { publicBaseUrl, version, commit, paymentMode, venueMode, network }
}

/** The pages and their data, which share one rate limit. */
const pageRoutes = Effect.fnUntraced(
  function* (
    docs: HttpServiceOptions & DocsOptions,
    site: Site,
    { free, offers }: Pick<SkillPorts, "free" | "offers">,
  ) {
    const limiter = yield* makeLimiter("pages", docs.limits.pages)
    const { routes: pageData, refresh } = yield* makePageData(limiter)
    const { answerOf, clear } = yield* makeMarketData
    return {
      routes: {
        pageData,
        pages: pages({ site, limiter, terms: docs.terms, offers, free, data: pageData, docs }),
      },
      marketRoute: marketRoutes({ site, limiter, answerOf }),
      errorPage: errorPages(site),
      refresh: Effect.andThen(clear, refresh),
    }
  },
)

/** The running public API: its address, and how to refresh its free bodies. */
export class Served extends Context.Service<Served, {
  readonly address: Deno.NetAddr
  readonly refresh: Effect.Effect<void>
}>()("bellwether/http/Served") {}

interface ServeOptions extends HttpServiceOptions {
  readonly hostname: string
  /** 0 means any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

/** Serves the public API until the Layer is released. */
export const layer = (
  options: ServeOptions,
): Layer.Layer<
  Served,
  CannotListen,
  | Digest
  | Feed
  | FeedChain
  | Freshness
  | Outcomes
  | PaymentHealth
  | Payments
  | PublishedMarkets
  | RateLimits
  | Research
  | Resolving
  | SigningKey
  | Status
  | StoreClock
  | TrackRecord
  | Calibration
> =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { handle, refresh } = yield* makeHttpService(options)
      const address = yield* listen(options, handle)
      return { address, refresh }
    }),
  )

/** The names of routes in metrics: those of the catalog, of the agents' endpoints and of prefixes. */
const routeNames = (routes: RouteNames["routes"]): RouteNames => ({
  named: [
    ...[...Object.values(freeRows), ...Object.values(pageRows), ...Object.values(products)]
      .map(({ path }) => path),
    a2aPath,
    paths.mcp,
  ],
  prefixes: {
    [paymentsPrefix]: `${paymentsPrefix}{paymentId}`,
    [marketsPrefix]: `${marketsPrefix}{slug}`,
    [legacyPrefix]: `${legacyPrefix}/{path}`,
  },
  routes,
})

const paidHandler = Effect.fnUntraced(function* (
  terms: PaymentTerms,
  offers: Offers,
  checkouts: Checkouts,
) {
  const paywall = yield* makePaywall({
    terms,
    offers,
    clientOf: (request) =>
      request.remoteAddress._tag === "Some"
        ? clientKeys(request.remoteAddress.value)
        : { client: "unknown", site: null },
  })
  const routes = Layer.effectDiscard(Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    for (const checkout of Object.values(checkouts)) {
      yield* router.add("GET", checkout.product.path, paywall(checkout))
    }
  }))
  const app = yield* HttpRouter.toHttpEffect(routes)
  const withFallback = Effect.catchCause(app, (cause) =>
    // A disconnected client is not a failure.
    Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.andThen(
      Effect.logError("Cannot answer a paid request", cause),
      // The payment may have been taken, so `charged` is null.
      refusalResponse({
        code: "internal_error",
        message: "The service failed to answer",
        hint: `It is not known whether the payment was taken: ${resend}.`,
        charged: null,
      }),
    ))
  return yield* toWebHandler(withFallback, { gzip: true })
})
