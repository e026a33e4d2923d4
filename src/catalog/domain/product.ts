/**
 * The table of what is sold: one row a paid route. Its route, the type of its handler's input and
 * answer, its challenge, its operation of /openapi.json, its tool of /mcp, its skill of /a2a and its
 * example in every document are made from the row. To add one: `docs/architecture.md`, "Adding a paid
 * product".
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { BelowThreshold } from "../../core/domain/belowThreshold.ts"
import { Digest, DigestStale } from "../../digest/domain/digest.ts"
import {
  DataStale,
  FeedItem,
  FeedStatus,
  FeedType,
  SignalNotFound,
} from "../../feed/domain/item.ts"
import { ResolvingRow } from "../../markets/domain/resolving.ts"
import { MarketAmbiguous, MarketNotFound, VenueFailed } from "../../research/domain/report.ts"
import { Report } from "../../research/domain/research.ts"
import { tableRowsMax, WhaleRow } from "../../whales/domain/whale.ts"
import type { AtomicAmount } from "../../core/domain/money.ts"
import { IsoTime } from "../../core/domain/time.ts"
import type { Parameter } from "./parameter.ts"
import type { ProductFact } from "./refusal.ts"
import { prices } from "./prices.ts"
import { sampleBody } from "./sample.ts"

/** `compute-first`: work, then settle. `settle-early`: settle, then work, refund if it fails. */
export type SettlementOrder = "compute-first" | "settle-early"

export interface Product {
  readonly id: string
  /** A few words, as a list shows them. */
  readonly title: string
  readonly path: `/v1/${string}`
  readonly price: AtomicAmount
  readonly settlementOrder: SettlementOrder
  /** One sentence, under 450 characters: what the buyer gets. */
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  /** The facts that leave it without an answer. */
  readonly errors: ReadonlyArray<Schema.Codec<ProductFact, unknown>>
  /** The body of a 200. The checkout adds `success`, and `charged` to what is computed first. */
  readonly body: Schema.Codec<unknown, unknown>
  /** The answer to the call that documents show, made of the sample's values. */
  readonly sample: object
}

/** The statuses of the errors a product may answer with, beside its 402: those of its sale are many. */
export function errorStatuses({ settlementOrder }: Product): ReadonlyArray<number> {
  const every = [400, 404, 409, 410, 429, 431, 500, 502, 503, 504]
  return settlementOrder === "settle-early" ? [...every, 422] : every
}

/** A row, whose sample has to be an answer of its own shape. */
const row = <const Row extends Product>(
  row: Row & { readonly sample: Row["body"]["Type"] },
): Row => row

const success = Schema.Literal(true)
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const charged = Schema.Boolean.annotate({
  description: "False when the answer was not worth its price: then nothing was taken",
})
const SignalBody = Schema.Struct({
  success,
  status: Schema.optionalKey(FeedStatus),
  data: FeedItem,
  charged,
}).annotate({ identifier: "Signal" })

const { feedItems: [mover, whaleEntry, predetermined], whales: sampleWhales, digest } = sampleBody

/** What a report is answered with; /v1/sample shows one as well. */
export const researchFields = {
  cached: Schema.Boolean.annotate({ description: "Made for an earlier call, within 30 minutes" }),
  generatedAt: IsoTime,
  data: Report,
  disclaimer: Schema.String,
}

export const products = {
  latest: row({
    id: "latest",
    title: "The newest item",
    path: "/v1/latest",
    price: prices.latest,
    settlementOrder: "compute-first",
    description: "The newest item of the signal feed, with the evidence behind it.",
    tags: ["prediction-markets", "signals"],
    parameters: [],
    errors: [SignalNotFound, DataStale],
    body: SignalBody,
    sample: { success: true, status: "live", data: predetermined, charged: true },
  }),
  signal: row({
    id: "signal",
    title: "One item",
    path: "/v1/signal",
    price: prices.signal,
    settlementOrder: "compute-first",
    description: "One item of the signal feed by its index; the newest when no index is given.",
    tags: ["prediction-markets", "signals"],
    parameters: [
      {
        name: "index",
        type: "integer",
        description: "Feed index of the item",
        minimum: 0,
        example: 1,
      },
    ],
    errors: [SignalNotFound, DataStale],
    body: SignalBody,
    sample: { success: true, data: mover, charged: true },
  }),
  signals: row({
    id: "signals",
    title: "Items after an index",
    path: "/v1/signals",
    price: prices.signals,
    settlementOrder: "compute-first",
    description:
      "Up to 20 feed items after an index you saw last, in order; nothing new costs nothing.",
    tags: ["prediction-markets", "signals"],
    parameters: [
      {
        name: "since",
        type: "integer",
        description: "The last feed index you saw",
        minimum: 0,
        example: 1,
      },
      {
        name: "count",
        type: "integer",
        description: "Most items to return",
        minimum: 1,
        maximum: 20,
        default: 10,
      },
      {
        name: "type",
        type: "string",
        description: "Only items of this type",
        values: FeedType.literals,
      },
    ],
    errors: [DataStale],
    body: Schema.Struct({
      success,
      count: Count,
      filters: Schema.Struct({
        since: Schema.NullOr(Count),
        count: Count,
        type: Schema.Literals(["all", ...FeedType.literals]),
      }),
      data: Schema.Array(FeedItem),
      charged,
    }).annotate({ identifier: "Signals" }),
    sample: {
      success: true,
      count: 2,
      filters: { since: mover.feedIndex, count: 10, type: "all" },
      data: [whaleEntry, predetermined],
      charged: true,
    },
  }),
  digest: row({
    id: "digest",
    title: "The newest digest",
    path: "/v1/digest",
    price: prices.digest,
    settlementOrder: "compute-first",
    description:
      "The newest Intelligence Digest, written every 4 hours from numbered facts: what " +
      "repriced, whale flows with their labels, predetermined outcomes, news, what ends soon. Each " +
      "paragraph names its facts. Never older than 4 hours and 20 minutes: without one nothing is " +
      "charged.",
    tags: ["prediction-markets", "digest"],
    parameters: [],
    errors: [DigestStale],
    body: Schema.Struct({ success, data: Digest, charged }).annotate({ identifier: "Digest" }),
    sample: { success: true, data: digest, charged: true },
  }),
  digest_history: row({
    id: "digest_history",
    title: "The digests of the last days",
    path: "/v1/digest/history",
    price: prices.digest_history,
    settlementOrder: "compute-first",
    description:
      "Title and summary of the digests of the last hours, up to 7 days, newest first; an empty " +
      "window costs nothing.",
    tags: ["prediction-markets", "digest"],
    parameters: [
      {
        name: "hours",
        type: "integer",
        description: "How far back, in hours",
        minimum: 1,
        maximum: 168,
        default: 24,
      },
      {
        name: "limit",
        type: "integer",
        description: "Most digests to return",
        minimum: 1,
        maximum: 42,
        default: 6,
      },
    ],
    errors: [],
    body: Schema.Struct({
      success,
      count: Count,
      hours: Count,
      data: Schema.Array(Digest.mapFields(Struct.pick(["id", "title", "summary", "createdAt"]))),
      charged,
    }).annotate({ identifier: "DigestHistory" }),
    sample: {
      success: true,
      count: 1,
      hours: 24,
      data: [Struct.pick(digest, ["id", "title", "summary", "createdAt"])],
      charged: true,
    },
  }),
  resolving: row({
    id: "resolving",
    title: "Markets that end soon",
    path: "/v1/resolving",
    price: prices.resolving,
    settlementOrder: "settle-early",
    description: "Markets that end within the horizon, the nearest first, at most 200: hours " +
      "remaining, mid, contested or converged, liquidity; live microstructure on the ten " +
      "nearest. An empty horizon costs nothing; a call that fails after payment is refunded.",
    tags: ["prediction-markets", "resolution"],
    parameters: [
      {
        name: "withinHours",
        type: "integer",
        description: "The horizon in hours",
        minimum: 1,
        maximum: 72,
        default: 24,
      },
      {
        name: "minLiquidity",
        type: "number",
        description: "Least liquidity in USD",
        minimum: 1_000,
        default: 5_000,
      },
      {
        name: "includeNoise",
        type: "string",
        description: "1 includes mechanical short-interval markets",
        values: ["0", "1"],
        flag: true,
      },
    ],
    errors: [BelowThreshold],
    body: Schema.Struct({
      success,
      count: Count,
      filters: Schema.Struct({
        withinHours: Count,
        minLiquidity: Schema.Finite,
        includeNoise: Schema.Boolean,
      }),
      data: Schema.NonEmptyArray(ResolvingRow),
    }).annotate({ identifier: "Resolving" }),
    sample: {
      success: true,
      count: 1,
      filters: { withinHours: 24, minLiquidity: 5_000, includeNoise: false },
      data: sampleBody.resolving,
    },
  }),
  whales: row({
    id: "whales",
    title: "The whale calibration table",
    path: "/v1/whales",
    price: prices.whales,
    settlementOrder: "settle-early",
    description:
      "The calibration of every tracked wallet with at least 30 resolved entries in 10 events, held " +
      "to resolution: win rate, edge, returns of following and of fading it, by odds band; the " +
      `${tableRowsMax} largest stakes. Most are neutral: /v1/track-record, free, says why. Without ` +
      "such a wallet it costs nothing; a call that fails after payment is refunded.",
    tags: ["prediction-markets", "whales"],
    parameters: [],
    errors: [BelowThreshold],
    body: Schema.Struct({
      success,
      computedAt: IsoTime,
      data: Schema.Struct({
        wallets: Schema.NonEmptyArray(WhaleRow),
        omitted: Count.annotate({
          description: "Wallets with a row that found no place in the answer: the smallest stakes",
        }),
      }),
    }).annotate({ identifier: "Whales" }),
    sample: {
      success: true,
      computedAt: sampleBody.research.generatedAt,
      data: { wallets: sampleWhales, omitted: 0 },
    },
  }),
  research: row({
    id: "research",
    title: "A report on one market",
    path: "/v1/research",
    price: prices.research,
    settlementOrder: "settle-early",
    description: "A report on one market: thesis, whale view, risks, confidence and bottom line, " +
      "with their evidence: 7 days of prices, the live order book, tracked wallets with their " +
      "record, related news. Kept for 30 minutes. " +
      "An unknown market costs nothing; a call that fails after payment is refunded.",
    tags: ["prediction-markets", "research"],
    parameters: [
      {
        name: "market",
        type: "string",
        description:
          "The market's slug: data.market.slug of a feed item, or its page's address; or that of an " +
          "event with one live market",
        required: true,
        pattern: "^[a-z0-9][a-z0-9-]{0,199}$",
        example: "sample-will-the-bridge-open-in-2027",
      },
    ],
    errors: [MarketNotFound, MarketAmbiguous, BelowThreshold, VenueFailed],
    body: Schema.Struct({ success, ...researchFields }).annotate({ identifier: "Research" }),
    sample: { success: true, ...sampleBody.research },
  }),
} as const satisfies Readonly<Record<string, Product>>

export type ProductId = keyof typeof products

/** When a row last changed, as catalogs say it: a test compares it with the rows. */
export const productsChangedAt = "2026-11-21T00:00:00.000Z"
