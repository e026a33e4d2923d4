/**
 * The bodies of every answer, as data.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { Digest } from "../../digest/domain/digest.ts"
import { FeedItem, FeedType, MoveWindow } from "../../feed/domain/item.ts"
import { PaymentState } from "../../payments/domain/payment.ts"
import { ParameterFault, RefusalCode } from "../../catalog/domain/refusal.ts"
import { Receipt, RefundNotice } from "../../payments/domain/failedSale.ts"
import { Report } from "../../research/domain/research.ts"
import { ResolvingRow } from "../../markets/domain/resolving.ts"
import { Scorecard } from "../../track-record/domain/scorecard.ts"
import { IsoTime } from "../../core/domain/time.ts"
import { WhaleRow } from "../../whales/domain/whale.ts"

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

export const DigestBriefBody = Schema.Struct({
  success,
  data: Digest.mapFields(Struct.pick(["title", "summary", "sourcesUsed", "createdAt"])),
}).annotate({ identifier: "DigestBrief" })

export const TrackRecordBody = Schema.Struct({ success, ...Scorecard.fields })
  .annotate({ identifier: "TrackRecord" })

const researchFields = {
  cached: Schema.Boolean.annotate({ description: "Made for an earlier call, within 30 minutes" }),
  generatedAt: IsoTime,
  data: Report,
  disclaimer: Schema.String,
}

export const SampleBody = Schema.Struct({
  success,
  _notice: Schema.Struct({ type: Schema.Literal("static_sample"), message: Schema.String }),
  feedItems: Schema.Array(FeedItem),
  whales: Schema.Array(WhaleRow),
  digest: Digest,
  resolving: Schema.Array(ResolvingRow),
  research: Schema.Struct(researchFields),
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

export const FamilyBody = Schema.Struct({
  success,
  family: Schema.String,
  products: Schema.Array(Schema.Struct({
    slug: Schema.String,
    name: Schema.String,
    api: Schema.String.annotate({ description: "The address of its API" }),
    mcp: Schema.NullOr(Schema.String).annotate({
      description: "Its MCP package, where it has one",
    }),
  })),
}).annotate({ identifier: "Family" })

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

export const DigestBody = Schema.Struct({ success, data: Digest, charged })
  .annotate({ identifier: "Digest" })

export const DigestHistoryBody = Schema.Struct({
  success,
  count: Count,
  hours: Count,
  data: Schema.Array(Digest.mapFields(Struct.pick(["id", "title", "summary", "createdAt"]))),
  charged,
}).annotate({ identifier: "DigestHistory" })

export const ResolvingBody = Schema.Struct({
  success,
  count: Count,
  filters: Schema.Struct({
    withinHours: Count,
    minLiquidity: Schema.Finite,
    includeNoise: Schema.Boolean,
  }),
  data: Schema.NonEmptyArray(ResolvingRow),
}).annotate({ identifier: "Resolving" })

export const WhalesBody = Schema.Struct({
  success,
  computedAt: IsoTime,
  data: Schema.Struct({
    wallets: Schema.NonEmptyArray(WhaleRow),
    omitted: Count.annotate({
      description: "Wallets with a row that found no place in the answer: the smallest stakes",
    }),
  }),
}).annotate({ identifier: "Whales" })

export const ResearchBody = Schema.Struct({ success, ...researchFields })
  .annotate({ identifier: "Research" })

const Hex = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]+$/))

export const PaymentBody = Schema.Struct({
  success,
  paymentId: Hex,
  state: PaymentState,
  product: Schema.NullOr(Schema.String).annotate({
    description: "What was paid for; null for a transfer that asked for nothing",
  }),
  amountUsd: Schema.String,
  payer: Hex,
  transaction: Schema.NullOr(Hex).annotate({ description: "Where the chain shows the payment" }),
  refund: Schema.NullOr(Schema.Struct({
    state: Schema.Literals(["queued", "signed", "broadcast", "confirmed", "cancelled", "stuck"]),
    transaction: Schema.NullOr(Schema.String),
    amountUsd: Schema.String,
    to: Hex,
  })),
}).annotate({ identifier: "Payment" })

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
}).annotate({ identifier: "PaymentChallenge" })

/** The 402 of x402 version 1, for a buyer who asks for it. */
export const ChallengeV1Body = Schema.Struct({
  x402Version: Schema.Literal(1),
  error: Schema.String,
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: Schema.Literal("exact"),
    network: Schema.String,
    maxAmountRequired: Schema.String,
    resource: Schema.String,
    description: Schema.String,
    mimeType: Schema.Literal("application/json"),
    payTo: Schema.String,
    maxTimeoutSeconds: Count,
    asset: Schema.String,
    extra: Schema.Struct({ name: Schema.String, version: Schema.String }),
  })),
}).annotate({ identifier: "PaymentRequiredV1" })
