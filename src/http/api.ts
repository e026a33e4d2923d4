/**
 * The contract: every path, what it takes and what it answers, as data.
 *
 * Imports the domain only, so that a client can import it. /openapi.json is made from it, and the
 * tests hold every served answer to it.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { FeedItem, FeedType, MoveWindow } from "../domain/feed.ts"
import { products } from "../domain/product.ts"
import { ParameterFault, Receipt, RefundNotice, RefusalCode } from "../domain/refusal.ts"
import { IsoTime } from "../domain/time.ts"

const success = Schema.Literal(true)
const Status = Schema.Literals(["live", "stale"])
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

export const FeedIndexBody = Schema.Struct({
  success,
  status: Status,
  index: Count,
  lastUpdated: Schema.NullOr(IsoTime),
  totalToday: Count,
  todayByType: Schema.Struct({ mover: Count, whale_entry: Count, predetermined: Count }),
  feedTypes: Schema.Array(FeedType),
  digest: Schema.NullOr(Schema.Struct({ latestAt: IsoTime, title: Schema.String })),
}).annotate({ identifier: "FeedIndex" })

export const PulseBody = Schema.Struct({
  success,
  status: Status,
  topMovers24h: Schema.Array(Schema.Struct({
    question: Schema.String,
    window: MoveWindow,
    priceStart: Price,
    priceNow: Price,
    delta: Schema.Finite,
    liquidityUsd: Schema.Finite,
  })).check(Schema.isMaxLength(3)),
  digestTitle: Schema.NullOr(Schema.String),
  digestAt: Schema.NullOr(IsoTime),
  _upgrade: Schema.Struct({ fullFeed: Schema.String, digest: Schema.String }),
}).annotate({ identifier: "Pulse" })

export const SampleBody = Schema.Struct({
  success,
  _notice: Schema.Struct({ type: Schema.Literal("static_sample"), message: Schema.String }),
  feedItems: Schema.Array(FeedItem),
  whales: Schema.Array(Schema.Json),
  digest: Schema.Json,
  resolving: Schema.Array(Schema.Json),
  research: Schema.Json,
}).annotate({ identifier: "Sample" })

/** Where the observations come from: a made-up market, recorded pages, or the venue itself. */
export const VenueMode = Schema.Literals(["simulated", "replay", "polymarket"])
export type VenueMode = typeof VenueMode.Type

export const HealthBody = Schema.Struct({
  success: Schema.Boolean,
  status: Schema.Literals(["live", "degraded", "down"]),
  version: Schema.String,
  paymentMode: Schema.Literals(["live", "simulated"]),
  venue: Schema.Struct({ mode: VenueMode }),
  network: Schema.String,
  feed: Schema.Struct({
    index: Schema.NullOr(Count),
    lastUpdated: Schema.NullOr(IsoTime),
    stale: Schema.Boolean,
  }),
  digest: Schema.Struct({ latestAt: Schema.NullOr(IsoTime), stale: Schema.Boolean }),
  checks: Schema.Struct({ store: Schema.String, venue: Schema.String, payments: Schema.String }),
}).annotate({ identifier: "Health" })

export const TermsBody = Schema.Struct({
  success,
  version: Schema.String,
  effectiveDate: Schema.String,
  textUrl: Schema.String,
  textSha256: Schema.String,
  provider: Schema.String,
  acceptance: Schema.String,
  payment: Schema.Struct({
    protocol: Schema.Literal("x402"),
    x402Version: Schema.Literal(2),
    settlement: Schema.String,
    refunds: Schema.String,
    currency: Schema.String,
  }),
  use: Schema.String,
  disclaimers: Schema.Array(Schema.String),
  dataSources: Schema.Array(Schema.String),
  summary: Schema.String,
}).annotate({ identifier: "Terms" })

const charged = Schema.Boolean.annotate({
  description: "False when the answer was not worth its price: then nothing was taken",
})

export const SignalBody = Schema.Struct({
  success,
  status: Schema.optionalKey(Status),
  data: FeedItem,
  charged,
}).annotate({ identifier: "Signal" })

export const SignalsBody = Schema.Struct({
  success,
  count: Count,
  filters: Schema.Struct({
    since: Schema.NullOr(Count),
    count: Count,
    type: Schema.Literals(["all", ...FeedType.literals]),
  }),
  data: Schema.Array(FeedItem),
  charged,
}).annotate({ identifier: "Signals" })

export const ErrorBody = Schema.Struct({
  success: Schema.Literal(false),
  error: Schema.Struct({
    code: RefusalCode,
    message: Schema.String,
    status: Schema.Int,
    retryable: Schema.Boolean,
    charged: Schema.NullOr(Schema.Boolean),
    hint: Schema.optionalKey(Schema.String),
    retryAfterSeconds: Schema.optionalKey(Schema.Int),
    details: Schema.optionalKey(Schema.Array(ParameterFault)),
    allowed: Schema.optionalKey(Schema.Array(Schema.String)),
    receipt: Schema.optionalKey(Receipt),
    refund: Schema.optionalKey(RefundNotice),
    requestId: Schema.String,
  }),
}).annotate({ identifier: "Error" })

export const ChallengeBody = Schema.Struct({
  x402Version: Schema.Literal(2),
  error: Schema.String,
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: Schema.Literal("exact"),
    network: Schema.String,
    asset: Schema.Literal("USDC"),
    price: Schema.String,
    payTo: Schema.String,
    mimeType: Schema.Literal("application/json"),
  })),
  terms: Schema.String,
}).annotate({ identifier: "PaymentRequired" })

const error = (status: number) => ErrorBody.pipe(HttpApiSchema.status(status))
const freeErrors = [error(429), error(503)] as const
const paidErrors = [
  ChallengeBody.pipe(HttpApiSchema.status(402)),
  ...[400, 404, 409, 410, 429, 431, 500, 502, 503, 504].map(error),
]

const free = HttpApiGroup.make("free").add(
  HttpApiEndpoint.get("getIndex", "/v1/index", { success: FeedIndexBody, error: freeErrors })
    .annotate(OpenApi.Summary, "Where the feed stands")
    .annotate(
      OpenApi.Description,
      "Poll this about every 10 minutes; when `index` has moved, buy /v1/signals with `since`.",
    ),
  HttpApiEndpoint.get("getPulse", "/v1/pulse", { success: PulseBody, error: freeErrors })
    .annotate(OpenApi.Summary, "The three strongest moves of the day")
    .annotate(OpenApi.Description, "The strongest noise-filtered moves of the last 24 hours."),
  HttpApiEndpoint.get("getSample", "/v1/sample", { success: SampleBody, error: freeErrors })
    .annotate(OpenApi.Summary, "Static samples of paid answers")
    .annotate(OpenApi.Description, "Made-up values in the real shapes, labelled as such."),
  HttpApiEndpoint.get("getHealth", "/health", {
    success: HealthBody,
    error: [...freeErrors, HealthBody.pipe(HttpApiSchema.status(503))],
  })
    .annotate(OpenApi.Summary, "Liveness and payment mode")
    .annotate(OpenApi.Description, "Whether the service is live, degraded or down, and why."),
  HttpApiEndpoint.get("getTermsText", "/terms.txt", {
    success: Schema.String.pipe(HttpApiSchema.asText()),
    error: freeErrors,
  })
    .annotate(OpenApi.Summary, "Terms of service, as text")
    .annotate(OpenApi.Description, "The terms that paying for a call accepts."),
  HttpApiEndpoint.get("getTerms", "/terms.json", { success: TermsBody, error: freeErrors })
    .annotate(OpenApi.Summary, "Terms of service, as JSON")
    .annotate(OpenApi.Description, "The same terms, with the digest of the text."),
)

const Integer = Schema.FiniteFromString.check(Schema.isInt())

const paid = HttpApiGroup.make("paid").add(
  HttpApiEndpoint.get("getLatest", products.latest.path, { success: SignalBody, error: paidErrors })
    .annotate(OpenApi.Summary, "The newest item")
    .annotate(OpenApi.Description, products.latest.description),
  HttpApiEndpoint.get("getSignal", products.signal.path, {
    query: { index: Schema.optionalKey(Integer) },
    success: SignalBody,
    error: paidErrors,
  })
    .annotate(OpenApi.Summary, "One item")
    .annotate(OpenApi.Description, products.signal.description),
  HttpApiEndpoint.get("getSignals", products.signals.path, {
    query: {
      since: Schema.optionalKey(Integer),
      count: Schema.optionalKey(Integer),
      type: Schema.optionalKey(FeedType),
    },
    success: SignalsBody,
    error: paidErrors,
  })
    .annotate(OpenApi.Summary, "Items after an index")
    .annotate(OpenApi.Description, products.signals.description),
)

/** Everything the service answers, but documents about itself. */
export const api = HttpApi.make("bellwether").add(free).add(paid)
