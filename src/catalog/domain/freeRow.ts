/**
 * The table of free paths: one row per path under the free rate limit. Its skill, its MCP tool, its
 * operation in /openapi.json and its examples are generated from the row, as for a product.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { Count, Price } from "../../core/domain/number.ts"
import { Digest } from "../../digest/domain/digest.ts"
import {
  FeedAsOf,
  FeedItem,
  FeedStatus,
  FeedType,
  feedTypes,
  MoveWindow,
} from "../../feed/domain/item.ts"
import { strongestMoves } from "../../feed/domain/pulse.ts"
import { ResolvingRow } from "../../markets/domain/resolving.ts"
import { Scorecard } from "../../track-record/domain/scorecard.ts"
import { ScoredWhaleRow } from "../../track-record/domain/entryScore.ts"
import { IsoTime, isoTime } from "../../core/domain/time.ts"
import { products, researchFields } from "./product.ts"
import { sampleAt, sampleBody, sampleScorecard } from "./sample.ts"

/** One free path. */
export interface FreeRow {
  readonly id: string
  /** A few words, for lists. */
  readonly title: string
  readonly path: `/${string}`
  /** What the caller gets and what it is for. */
  readonly description: string
  readonly tags: ReadonlyArray<string>
  /** The body of a 200. */
  readonly body: Schema.Codec<unknown, unknown>
  /** A row with format `text` is for people and is not a skill. */
  readonly format: "json" | "text"
  /** An error status in addition to those of every free path. */
  readonly ownError?: 404
  /**
   * The example answer in documents, for a service at this address; absent where the real answer is
   * used.
   */
  readonly sample?: (publicBaseUrl: string) => unknown
}

/** Checks at compile time that the sample matches the row's body. */
const row = <const Row extends FreeRow>(
  row: Row & { readonly sample?: (publicBaseUrl: string) => Row["body"]["Type"] },
): Row => row

/** The source of the market data: a simulated market, recorded pages, or the venue itself. */
export const VenueMode = Schema.Literals(["simulated", "replay", "polymarket"])
export type VenueMode = typeof VenueMode.Type

const success = Schema.Literal(true)

const at = isoTime(sampleAt)
const asOfTicks = Schema.NullOr(IsoTime).annotate({
  description: "When the venue was last read in full; null if that is not known",
})
const { feedItems: [mover, , predetermined], digest } = sampleBody

export const freeRows = {
  index: row({
    id: "index",
    title: "Feed index",
    path: "/v1/index",
    description:
      "The newest feed index. Poll it about every 10 minutes; when `index` has increased, buy " +
      "/v1/signals with `since`. `status` is `starting` until the first update, and `stale` when " +
      "updates are late.",
    tags: ["prediction-markets", "signals"],
    format: "json",
    body: Schema.Struct({
      success,
      status: FeedStatus,
      index: Count,
      lastUpdated: Schema.NullOr(IsoTime),
      asOf: FeedAsOf,
      totalToday: Count,
      todayByType: Schema.Struct({ mover: Count, whale_entry: Count, predetermined: Count }),
      feedTypes: Schema.Array(FeedType),
      digest: Schema.NullOr(Schema.Struct({ latestAt: IsoTime, title: Schema.String })),
    }).annotate({ identifier: "FeedIndex" }),
    sample: () => ({
      success: true,
      status: "live",
      index: predetermined.feedIndex,
      lastUpdated: at,
      asOf: { mover: at, whale_entry: at, predetermined: at },
      totalToday: sampleBody.feedItems.length,
      todayByType: { mover: 1, whale_entry: 1, predetermined: 1 },
      feedTypes,
      digest: { latestAt: digest.createdAt, title: digest.title },
    }),
  }),
  pulse: row({
    id: "pulse",
    title: "The three strongest moves of the day",
    path: "/v1/pulse",
    description:
      "The strongest moves of the last 24 hours that passed the noise filters of the feed.",
    tags: ["prediction-markets", "signals"],
    format: "json",
    body: Schema.Struct({
      success,
      status: FeedStatus,
      asOf: asOfTicks,
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
    }).annotate({ identifier: "Pulse" }),
    sample: (publicBaseUrl) => ({
      success: true,
      status: "live",
      asOf: at,
      topMovers24h: strongestMoves([mover], 3),
      digestTitle: digest.title,
      digestAt: digest.createdAt,
      _upgrade: {
        fullFeed: publicBaseUrl + products.signals.path,
        digest: publicBaseUrl + products.digest.path,
      },
    }),
  }),
  digest_brief: row({
    id: "digest_brief",
    title: "Digest teaser",
    path: "/v1/digest/brief",
    description:
      "Title, summary and sources of the newest digest. /v1/digest sells its analysis. A digest is " +
      "written every 4 hours. Returns 404 until the first one is written.",
    tags: ["prediction-markets", "digest"],
    format: "json",
    body: Schema.Struct({
      success,
      data: Digest.mapFields(Struct.pick(["title", "summary", "sourcesUsed", "createdAt"])),
    }).annotate({ identifier: "DigestBrief" }),
    ownError: 404,
    sample: () => ({
      success: true,
      data: Struct.pick(digest, ["title", "summary", "sourcesUsed", "createdAt"]),
    }),
  }),
  track_record: row({
    id: "track_record",
    title: "Track record of tracked wallets",
    path: "/v1/track-record",
    description:
      "The scorecard behind /v1/whales: the results of all tracked wallets, including losing and " +
      "neutral ones, as if each entry was held to resolution. It is not a trader's profit or loss: " +
      "exits are not tracked.",
    tags: ["prediction-markets", "whales"],
    format: "json",
    body: Schema.Struct({ success, ...Scorecard.fields })
      .annotate({ identifier: "TrackRecord" }),
    sample: () => ({ success: true, ...sampleScorecard(sampleAt) }),
  }),
  sample: row({
    id: "sample",
    title: "Static samples of paid answers",
    path: "/v1/sample",
    description: "Invented values in the shapes of the paid answers, labelled as samples.",
    tags: ["service"],
    format: "json",
    body: Schema.Struct({
      success,
      _notice: Schema.Struct({ type: Schema.Literal("static_sample"), message: Schema.String }),
      feedItems: Schema.Array(FeedItem),
      whales: Schema.Array(ScoredWhaleRow),
      digest: Digest,
      resolving: Schema.Array(ResolvingRow),
      research: Schema.Struct(researchFields),
    }).annotate({ identifier: "Sample" }),
    sample: () => sampleBody,
  }),
  health: row({
    id: "health",
    title: "Liveness and payment mode",
    path: "/health",
    description:
      "Whether the service is starting, live, degraded or down, and whether payments are simulated.",
    tags: ["service"],
    format: "json",
    body: Schema.Struct({
      success: Schema.Boolean,
      status: Schema.Literals(["live", "degraded", "down", "starting"]),
      version: Schema.String,
      paymentMode: Schema.Literals(["live", "simulated"]),
      venue: Schema.Struct({ mode: VenueMode }),
      network: Schema.String,
      feed: Schema.Struct({
        index: Schema.NullOr(Count),
        lastUpdated: Schema.NullOr(IsoTime),
        stale: Schema.Boolean,
        asOf: Schema.NullOr(FeedAsOf),
      }),
      digest: Schema.Struct({ latestAt: Schema.NullOr(IsoTime), stale: Schema.Boolean }),
      checks: Schema.Struct({
        store: Schema.String,
        venue: Schema.String,
        wallets: Schema.String.annotate({
          description:
            "`ok` while tracked wallets are read often enough for whale entries; else `stale`",
        }),
        payments: Schema.String,
      }),
      payments: Schema.Struct({
        reasons: Schema.Array(Schema.String).annotate({
          description: "Why `checks.payments` is not `ok`, the worst first; empty when it is",
        }),
      }),
    }).annotate({ identifier: "Health" }),
    sample: () => ({
      success: true,
      status: "live",
      version: "1.0.0",
      paymentMode: "live",
      venue: { mode: "polymarket" },
      network: "eip155:8453",
      feed: {
        ...{ index: predetermined.feedIndex, lastUpdated: at, stale: false },
        asOf: { mover: at, whale_entry: at, predetermined: at },
      },
      digest: { latestAt: digest.createdAt, stale: false },
      checks: { store: "ok", venue: "ok", wallets: "ok", payments: "ok" },
      payments: { reasons: [] },
    }),
  }),
  terms: row({
    id: "terms",
    title: "Terms of service, as JSON",
    path: "/terms.json",
    description: "The terms that you accept by paying for a call, with the SHA-256 of their text.",
    tags: ["service"],
    format: "json",
    body: Schema.Struct({
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
    }).annotate({ identifier: "Terms" }),
  }),
  terms_text: row({
    id: "terms_text",
    title: "Terms of service, as text",
    path: "/terms.txt",
    description: "The terms that you accept by paying for a call.",
    tags: ["service"],
    format: "text",
    body: Schema.String,
  }),
  family: row({
    id: "family",
    title: "Sibling products",
    path: "/.well-known/family",
    description: "The products of the same family, with their addresses.",
    tags: ["service"],
    format: "json",
    body: Schema.Struct({
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
    }).annotate({ identifier: "Family" }),
    sample: () => ({
      success: true,
      family: "sample",
      products: [{ slug: "sample", name: "Sample", api: "https://sample.example", mcp: null }],
    }),
  }),
} as const satisfies Readonly<Record<string, FreeRow>>

export type FreeId = keyof typeof freeRows
