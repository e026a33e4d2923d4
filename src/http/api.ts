/**
 * The contract: every path, what it takes and what it answers, as data.
 *
 * With its bodies it imports the domain only, so that a client can import it. /openapi.json is made
 * from it, and the tests hold every served answer to it.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { FeedType } from "../domain/feed.ts"
import { Slug } from "../domain/market.ts"
import { PaymentId } from "../domain/payment.ts"
import { products } from "../domain/product.ts"
import {
  ChallengeBody,
  ChallengeV1Body,
  DigestBody,
  DigestBriefBody,
  DigestHistoryBody,
  ErrorBody,
  FeedIndexBody,
  HealthBody,
  PaymentBody,
  PulseBody,
  ResearchBody,
  ResolvingBody,
  SampleBody,
  SignalBody,
  SignalsBody,
  TermsBody,
  TrackRecordBody,
  WhalesBody,
} from "./bodies.ts"

const error = (status: number) => ErrorBody.pipe(HttpApiSchema.status(status))
const freeErrors = [error(429), error(503)] as const
const paidErrors = [
  ChallengeBody.pipe(HttpApiSchema.status(402)),
  ChallengeV1Body.pipe(HttpApiSchema.status(402)),
  ...[400, 404, 409, 410, 429, 431, 500, 502, 503, 504].map(error),
]
const settleEarlyErrors = [...paidErrors, error(422)]

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
  HttpApiEndpoint.get("getDigestBrief", "/v1/digest/brief", {
    success: DigestBriefBody,
    error: [error(404), ...freeErrors],
  })
    .annotate(OpenApi.Summary, "What the newest digest is about")
    .annotate(
      OpenApi.Description,
      "Title, summary and sources of the newest digest, whose analysis /v1/digest sells. A digest " +
        "appears every 4 hours; before the first there is none.",
    ),
  HttpApiEndpoint.get("getTrackRecord", "/v1/track-record", {
    success: TrackRecordBody,
    error: freeErrors,
  })
    .annotate(OpenApi.Summary, "How the entries of tracked wallets fared")
    .annotate(
      OpenApi.Description,
      "The scorecard behind /v1/whales: every counted entry of every tracked wallet, held to " +
        "resolution, the losing and the neutral ones too. Not anybody's profit or loss: exits are " +
        "not tracked.",
    ),
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

const payments = HttpApiGroup.make("payments").add(
  HttpApiEndpoint.get("getPayment", "/v1/payments/:paymentId", {
    params: { paymentId: PaymentId },
    success: PaymentBody,
    error: [error(400), error(404), ...freeErrors],
  })
    .annotate(OpenApi.Summary, "What became of a payment")
    .annotate(
      OpenApi.Description,
      "State, transaction and refund of a payment; never what it bought. The id is " +
        'keccak256(abi.encode("pay/v1", chainId, asset, from, nonce)).',
    ),
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
  HttpApiEndpoint.get("getDigest", products.digest.path, { success: DigestBody, error: paidErrors })
    .annotate(OpenApi.Summary, "The newest digest")
    .annotate(OpenApi.Description, products.digest.description),
  HttpApiEndpoint.get("getDigestHistory", products.digest_history.path, {
    query: { hours: Schema.optionalKey(Integer), limit: Schema.optionalKey(Integer) },
    success: DigestHistoryBody,
    error: paidErrors,
  })
    .annotate(OpenApi.Summary, "The digests of the last days")
    .annotate(OpenApi.Description, products.digest_history.description),
  HttpApiEndpoint.get("getResolving", products.resolving.path, {
    query: {
      withinHours: Schema.optionalKey(Integer),
      minLiquidity: Schema.optionalKey(Schema.FiniteFromString),
      includeNoise: Schema.optionalKey(Schema.Literals(["0", "1"])),
    },
    success: ResolvingBody,
    error: settleEarlyErrors,
  })
    .annotate(OpenApi.Summary, "Markets that end soon")
    .annotate(OpenApi.Description, products.resolving.description),
  HttpApiEndpoint.get("getWhales", products.whales.path, {
    success: WhalesBody,
    error: settleEarlyErrors,
  })
    .annotate(OpenApi.Summary, "The whale calibration table")
    .annotate(OpenApi.Description, products.whales.description),
  HttpApiEndpoint.get("getResearch", products.research.path, {
    query: { market: Slug },
    success: ResearchBody,
    error: settleEarlyErrors,
  })
    .annotate(OpenApi.Summary, "A report on one market")
    .annotate(OpenApi.Description, products.research.description),
)

/** Everything the service answers, but documents about itself. */
export const api = HttpApi.make("bellwether").add(free).add(payments).add(paid)
