/**
 * The contract: every path, what it takes and what it answers, as data.
 *
 * With its bodies it imports the domain only, so that a client can import it. /openapi.json is made
 * from it, and the tests hold every served answer to it.
 *
 * @module
 */
import { Context, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { FeedType } from "../../feed/domain/item.ts"
import { Slug } from "../../markets/domain/market.ts"
import { PaymentId, paymentIdFormula } from "../../payments/domain/payment.ts"
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import {
  ChallengeBody,
  ChallengeV1Body,
  DigestBody,
  DigestBriefBody,
  DigestHistoryBody,
  ErrorBody,
  FamilyBody,
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

/** What documents say of a row. */
const described = ({ title, description }: FreeRow | Product) =>
  Context.make(OpenApi.Summary, title).pipe(Context.add(OpenApi.Description, description))

const error = (status: number) => ErrorBody.pipe(HttpApiSchema.status(status))
const freeErrors = [error(429), error(503)] as const
const paidErrors = [
  ChallengeBody.pipe(HttpApiSchema.status(402)),
  ChallengeV1Body.pipe(HttpApiSchema.status(402)),
  ...[400, 404, 409, 410, 429, 431, 500, 502, 503, 504].map(error),
]
const settleEarlyErrors = [...paidErrors, error(422)]

const free = HttpApiGroup.make("free").add(
  HttpApiEndpoint.get("getIndex", freeRows.index.path, {
    success: FeedIndexBody,
    error: freeErrors,
  })
    .annotateMerge(described(freeRows.index)),
  HttpApiEndpoint.get("getPulse", freeRows.pulse.path, { success: PulseBody, error: freeErrors })
    .annotateMerge(described(freeRows.pulse)),
  HttpApiEndpoint.get("getDigestBrief", freeRows.digest_brief.path, {
    success: DigestBriefBody,
    error: [error(404), ...freeErrors],
  })
    .annotateMerge(described(freeRows.digest_brief)),
  HttpApiEndpoint.get("getTrackRecord", freeRows.track_record.path, {
    success: TrackRecordBody,
    error: freeErrors,
  })
    .annotateMerge(described(freeRows.track_record)),
  HttpApiEndpoint.get("getSample", freeRows.sample.path, { success: SampleBody, error: freeErrors })
    .annotateMerge(described(freeRows.sample)),
  HttpApiEndpoint.get("getHealth", freeRows.health.path, {
    success: HealthBody,
    error: [...freeErrors, HealthBody.pipe(HttpApiSchema.status(503))],
  })
    .annotateMerge(described(freeRows.health)),
  HttpApiEndpoint.get("getFamily", freeRows.family.path, {
    success: FamilyBody,
    error: freeErrors,
  })
    .annotateMerge(described(freeRows.family)),
  HttpApiEndpoint.get("getTermsText", freeRows.terms_text.path, {
    success: Schema.String.pipe(HttpApiSchema.asText()),
    error: freeErrors,
  })
    .annotateMerge(described(freeRows.terms_text)),
  HttpApiEndpoint.get("getTerms", freeRows.terms.path, { success: TermsBody, error: freeErrors })
    .annotateMerge(described(freeRows.terms)),
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
        `${paymentIdFormula}.`,
    ),
)

const Integer = Schema.FiniteFromString.check(Schema.isInt())

const paid = HttpApiGroup.make("paid").add(
  HttpApiEndpoint.get("getLatest", products.latest.path, { success: SignalBody, error: paidErrors })
    .annotateMerge(described(products.latest)),
  HttpApiEndpoint.get("getSignal", products.signal.path, {
    query: { index: Schema.optionalKey(Integer) },
    success: SignalBody,
    error: paidErrors,
  })
    .annotateMerge(described(products.signal)),
  HttpApiEndpoint.get("getSignals", products.signals.path, {
    query: {
      since: Schema.optionalKey(Integer),
      count: Schema.optionalKey(Integer),
      type: Schema.optionalKey(FeedType),
    },
    success: SignalsBody,
    error: paidErrors,
  })
    .annotateMerge(described(products.signals)),
  HttpApiEndpoint.get("getDigest", products.digest.path, { success: DigestBody, error: paidErrors })
    .annotateMerge(described(products.digest)),
  HttpApiEndpoint.get("getDigestHistory", products.digest_history.path, {
    query: { hours: Schema.optionalKey(Integer), limit: Schema.optionalKey(Integer) },
    success: DigestHistoryBody,
    error: paidErrors,
  })
    .annotateMerge(described(products.digest_history)),
  HttpApiEndpoint.get("getResolving", products.resolving.path, {
    query: {
      withinHours: Schema.optionalKey(Integer),
      minLiquidity: Schema.optionalKey(Schema.FiniteFromString),
      includeNoise: Schema.optionalKey(Schema.Literals(["0", "1"])),
    },
    success: ResolvingBody,
    error: settleEarlyErrors,
  })
    .annotateMerge(described(products.resolving)),
  HttpApiEndpoint.get("getWhales", products.whales.path, {
    success: WhalesBody,
    error: settleEarlyErrors,
  })
    .annotateMerge(described(products.whales)),
  HttpApiEndpoint.get("getResearch", products.research.path, {
    query: { market: Slug },
    success: ResearchBody,
    error: settleEarlyErrors,
  })
    .annotateMerge(described(products.research)),
)

/** Everything the service answers, but documents about itself. */
export const api = HttpApi.make("bellwether").add(free).add(payments).add(paid)
