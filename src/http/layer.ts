/**
 * The public HTTP API as one Layer: its paths, their rate limits, and the listener.
 *
 * @module
 */
import { Clock, Context, type Duration, Effect, Layer, Random } from "effect"
import { HttpRouter } from "effect/http"
import { version } from "../core/domain/version.ts"
import type { TestTrigger } from "../core/testCall.ts"
import type { ProductFamily } from "../catalog/domain/family.ts"
import type { VenueMode } from "../catalog/domain/freeRow.ts"
import type { PaymentTerms } from "../payments/domain/x402/terms.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import { a2aPath, a2aRoute } from "./a2a/a2a.ts"
import { discovery } from "./documents/catalog.ts"
import { documents } from "./documents/documents.ts"
import { paths } from "./documents/addresses.ts"
import { packageAnswers, type Packages } from "./documents/packages.ts"
import { makePending } from "./server/admission.ts"
import { makeAnswerLog } from "./server/answerLog.ts"
import { makeBodyReader } from "./server/bodyReader.ts"
import { makeAsCall } from "./server/call.ts"
import { legacyRoute } from "./free/legacy.ts"
import { makeLimiter, type RateBudget, unpaidBudget } from "./server/limits.ts"
import { aroundRouter } from "./server/middleware.ts"
import { mcpRoute } from "./mcp/mcp.ts"
import { makePaymentRoute } from "./paywall/paymentStatus.ts"
import { makeOffers, makePaywall } from "./paywall/paywall.ts"
import { freeRoutes, routesOf } from "./routes.ts"
import { makeCheckouts } from "./handlers.ts"
import { observeRequests } from "./server/requestMetrics.ts"
import { addRoute } from "./server/route.ts"
import { listen, toWebHandler, type WebHandler } from "./server/server.ts"
import type { SkillPorts } from "./skills.ts"
import { makeLookups } from "./free/lookups.ts"
import { makePageData } from "./free/pageData.ts"
import { makeSnapshot } from "./free/snapshot.ts"
import type { DocsOptions } from "./pages/docs.ts"
import { errorPages } from "./pages/refusals.ts"
import { makeMarketData } from "./free/marketData.ts"
import { marketRoutes } from "./pages/market.ts"
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
  /** How often the feed is updated. */
  readonly tickIntervalMs: number
  readonly venueMode: VenueMode
  /** The test triggers of simulated payments; absent with real ones. */
  readonly testTriggers?: ReadonlyArray<TestTrigger>
  /** The catalog of sibling products. */
  readonly family: ProductFamily
  /** What buyers install. */
  readonly packages: Packages
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
  readonly handle: WebHandler
  /** Recomputes the free bodies; run it after each tick and each new digest. */
  readonly refresh: Effect.Effect<void>
}

/** Builds the public API. Its free bodies are refreshed until the scope closes. */
export const makeHttpService = Effect.fnUntraced(function* (options: HttpServiceOptions) {
  const { terms, limits } = options
  const identity = identityOf(options)
  const snapshot = yield* makeSnapshot(identity)
  const limiter = yield* makeLimiter("documents", limits.documents)
  const log = yield* makeAnswerLog
  const checkouts = yield* makeCheckouts({
    terms,
    log,
    tickIntervalMs: options.tickIntervalMs,
    invalidPayments: yield* makeLimiter("invalid_payments", limits.invalidPayments),
  })
  const offers = yield* makeOffers(terms)
  const { text, json } = termsAnswers({ ...identity, ...options })
  const freeLimiter = yield* makeLimiter("free", limits.free)
  const free = freeRoutes({
    limiter: freeLimiter,
    snapshot,
    lookups: yield* makeLookups(freeLimiter),
    fixed: { terms: json, termsText: text, family: options.family },
  })
  const skills: SkillPorts = { free, checkouts, documents: limiter, terms, offers }
  const { keys } = yield* SigningKey
  const describing = { ...options, version, keys }
  const clock = yield* Clock.Clock
  const ofService = documents(describing, () => clock.currentTimeMillisUnsafe())
  const docs = { ...options, version, documents: ofService }
  const people = yield* pageRoutes(docs, { ...identity, contact: options.contact }, skills)
  const pending = makePending()
  const stdioPackage = options.packages.specs["bellwether-mcp"]
  const testTriggers = options.testTriggers?.map(({ name }) => name)
  const asCall = makeAsCall(log, pending, limits.invalidPayments)
  const routes = routesOf({
    ...people.routes,
    free,
    documents: ofService,
    discovery: discovery(describing),
    legacy: legacyRoute({ ...identity, limiter }),
    payment: yield* makePaymentRoute,
    packageAnswer: packageAnswers(options.packages),
    agents: {
      [a2aPath]: yield* a2aRoute({ skills }),
      [paths.mcp]: yield* mcpRoute({ skills, version, stdioPackage, documents: limits.documents }),
    },
    paywall: yield* makePaywall({ terms, offers, testTriggers, asCall }),
    checkouts,
    terms,
    offers,
    limiter,
    unpaidLimiter: yield* makeLimiter("unpaid", unpaidBudget(limits.documents)),
    readBody: makeBodyReader(),
    asCall,
    pending,
    testTriggers,
  })
  const { count, onUntrustedForward } = yield* observeRequests(pending)
  const router = yield* HttpRouter.toHttpEffect(
    Layer.effectDiscard(Effect.forEach(routes, addRoute)),
  )
  const service: HttpService = {
    handle: yield* toWebHandler(aroundRouter(router, log, people.errorPage), {
      trustedProxyHops: options.trustedProxyHops,
      onUntrustedForward,
      onAnswer: count,
      nextId: yield* makeRequestIds,
    }),
    refresh: Effect.andThen(snapshot.refresh, people.refresh),
  }
  return service
})

/** Ids of requests: a prefix of this process, and a number. */
const makeRequestIds = Effect.map(Random.nextIntBetween(36 ** 5, 36 ** 6), (start) => {
  const prefix = start.toString(36)
  let count = 0
  return () => `${prefix}-${(++count).toString(36).padStart(6, "0")}`
})

/** What the free bodies say about the service. */
function identityOf({ terms, commit, paymentMode, venueMode, packages }: HttpServiceOptions) {
  const { publicBaseUrl, chainId } = terms
  return { publicBaseUrl, version, commit, paymentMode, venueMode, chainId, packages }
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
        market: marketRoutes({ site, limiter, answerOf }),
      },
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
export const layer = (options: ServeOptions) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { handle, refresh } = yield* makeHttpService(options)
      const address = yield* listen(options, handle)
      return { address, refresh }
    }),
  )
