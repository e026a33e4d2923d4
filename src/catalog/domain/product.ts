/**
 * The table of products: one row per paid route. The route, the types of its handler, its
 * challenge, its operation in /openapi.json, its /mcp tool, its /a2a skill and its examples are all
 * generated from the row. How to add one: `docs/architecture.md`, "Adding a paid product".
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { described, disclaimer, success } from "../../core/domain/fields.ts"
import { Count } from "../../core/domain/number.ts"
import { BelowThreshold } from "../../core/domain/belowThreshold.ts"
import { Digest, DigestStale } from "../../digest/domain/digest.ts"
import { DataStale } from "../../core/domain/freshness.ts"
import {
  FeedAsOf,
  FeedItem,
  FeedStatus,
  FeedType,
  SignalNotFound,
  WhaleLabel,
} from "../../feed/domain/item.ts"
import { ResolvingRow, resolvingRowsMax } from "../../markets/domain/resolving.ts"
import {
  LookupsExhausted,
  MarketAmbiguous,
  MarketNotFound,
  VenueFailed,
} from "../../research/domain/report.ts"
import { Report } from "../../research/domain/research.ts"
import { tableRowsMax } from "../../whales/domain/whale.ts"
import { ScoredWhaleRow } from "../../track-record/domain/entryScore.ts"
import type { AtomicAmount } from "../../core/domain/money.ts"
import { IsoTime } from "../../core/domain/time.ts"
import type { TextTable } from "./compactText.ts"
import { integerParameter, numberParameter, type Parameter, textParameter } from "./parameter.ts"
import type { ProductError } from "./refusal.ts"
import { prices } from "./prices.ts"
import {
  type ShelfLife,
  shelfLifeFields,
  untilDigest,
  untilItem,
  untilReport,
  untilTick,
} from "./shelfLife.ts"
import samples from "./samples.json" with { type: "json" }

/**
 * `compute-first`: compute, then settle. `settle-early`: settle, then compute, and refund if that
 * fails.
 */
export type SettlementOrder = "compute-first" | "settle-early"

/**
 * The size of an answer, in bytes: of half of the answers, and of 99 of 100 (docs/benchmarks.md). A
 * token is about 3 bytes.
 */
interface AnswerBytes {
  readonly p50: number
  readonly p99: number
}

export interface Product {
  readonly id: string
  /** A few words, for lists. */
  readonly title: string
  readonly path: `/v1/${string}`
  readonly price: AtomicAmount
  readonly settlementOrder: SettlementOrder
  /** What the buyer gets, in under 450 characters. */
  readonly description: string
  /** When to call it, and what to call instead. */
  readonly use: string
  readonly answerBytes: AnswerBytes
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
  /** The errors of its computation. */
  readonly errors: ReadonlyArray<
    Schema.Codec<ProductError, unknown> & { readonly identifier: string }
  >
  /** How long its answer holds, and the free call that shows whether it has changed. */
  readonly shelfLife: ShelfLife
  /**
   * The body of a 200. The checkout adds `success`, `validUntil`, `next`, and `charged` on
   * compute-first products.
   */
  readonly body: Schema.Codec<unknown, unknown>
  /** The example answer in documents. */
  readonly sample: object
  /** How the text of a long answer is shown to a model; absent where it is the JSON itself. */
  readonly table?: TextTable
}

const charged = Schema.Boolean.annotate({
  description: "False: not worth its price; nothing was taken",
})
const answered = { success, ...shelfLifeFields }
const SignalBody = Schema.Struct({
  ...answered,
  status: Schema.optionalKey(
    described(FeedStatus, "As in /v1/index; absent when an index was requested"),
  ),
  asOf: Schema.optionalKey(FeedAsOf),
  data: FeedItem,
  charged,
}).annotate({ identifier: "Signal" })

/** The free call that shows whether the feed has a newer item. */
const feedIndexCall = {
  path: "/v1/index",
  price: 0,
  reason: "A higher `index` means newer items.",
}
/** The free call that shows whether there is a newer digest. */
const digestBriefCall = {
  path: "/v1/digest/brief",
  price: 0,
  reason: "A later `data.createdAt` means a newer digest.",
}

/** The age of what an answer rests on. */
const asOf = (description: string) => IsoTime.annotate({ description })

/** The fields of a report's answer, also used by /v1/sample. */
export const researchFields = {
  ...shelfLifeFields,
  cached: Schema.Boolean.annotate({
    description: "True when the report was made for an earlier call, at most 30 minutes ago",
  }),
  generatedAt: described(IsoTime, "When the report was written"),
  data: Report,
  disclaimer,
}

export const products = {
  latest: {
    id: "latest",
    title: "The newest item",
    path: "/v1/latest",
    price: prices.latest,
    settlementOrder: "compute-first",
    description: "The newest item of the signal feed, with its evidence.",
    use:
      "Use it to see one current item. It is charged each time, also for an item you have: to follow the " +
      "feed use /v1/signals with `since`.",
    answerBytes: { p50: 1_400, p99: 3_000 },
    tags: ["prediction-markets", "signals"],
    parameters: [],
    shelfLife: { next: feedIndexCall, until: untilItem },
    errors: [SignalNotFound, DataStale],
    body: SignalBody,
    sample: samples.latest,
  },
  signal: {
    id: "signal",
    title: "One item",
    path: "/v1/signal",
    price: prices.signal,
    settlementOrder: "compute-first",
    description: "One item of the signal feed by its index, or the newest item without an index.",
    use:
      "Use it for an item whose index you know, such as one that a text cites. For several items use " +
      "/v1/signals.",
    answerBytes: { p50: 1_400, p99: 3_000 },
    tags: ["prediction-markets", "signals"],
    parameters: [
      integerParameter("index", "Feed index of the item", { minimum: 0, example: 1 }),
    ],
    shelfLife: { next: feedIndexCall, until: untilItem },
    errors: [SignalNotFound, DataStale],
    body: SignalBody,
    sample: samples.signal,
  },
  signals: {
    id: "signals",
    title: "Items after an index",
    path: "/v1/signals",
    price: prices.signals,
    settlementOrder: "compute-first",
    description:
      "Up to 20 feed items after the last `feedIndex` you got, in order. Not charged when there is " +
      "nothing new. `asOf`: when each type was read.",
    use:
      "Use it when /v1/index has increased, with `since`; without `since` it returns the newest items. For " +
      "text to read use /v1/digest.",
    answerBytes: { p50: 14_000, p99: 30_000 },
    tags: ["prediction-markets", "signals"],
    parameters: [
      integerParameter("since", "Return items after this feed index: the last one you got", {
        minimum: 0,
        example: 1,
      }),
      integerParameter("count", "Maximum number of items", {
        minimum: 1,
        maximum: 20,
        default: 10,
      }),
      textParameter("type", "Only items of this type", { values: FeedType.literals }),
    ],
    shelfLife: { next: feedIndexCall, until: untilTick },
    errors: [DataStale],
    body: Schema.Struct({
      ...answered,
      count: described(Count, "Items in `data`"),
      filters: Schema.Struct({
        since: described(Schema.NullOr(Count), "The parameter; null when it was not given"),
        count: described(Count, "Most items in one answer"),
        type: described(
          Schema.Literals(["all", ...FeedType.literals]),
          "The only type of items, or all",
        ),
      }).annotate({ description: "The parameters, as they were applied" }),
      asOf: FeedAsOf,
      data: described(
        Schema.Array(FeedItem),
        "Items in ascending feedIndex: the first after `since`, without it the newest",
      ),
      charged,
    }).annotate({ identifier: "Signals" }),
    sample: samples.signals,
  },
  digest: {
    id: "digest",
    title: "The newest digest",
    path: "/v1/digest",
    price: prices.digest,
    settlementOrder: "compute-first",
    description:
      "The newest Intelligence Digest, written every 4 hours: markets that repriced, whale flows with " +
      "their labels, predetermined outcomes, news, and markets that end soon. Each paragraph cites " +
      "its facts. One older than 4 hours and 20 minutes is not sold.",
    use:
      "Use it for a briefing on the whole venue; /v1/digest/brief has its title. For one market use " +
      "/v1/research.",
    answerBytes: { p50: 12_000, p99: 20_000 },
    tags: ["prediction-markets", "digest"],
    parameters: [],
    shelfLife: {
      next: digestBriefCall,
      until: ({ data }: { readonly data: Digest }, { now }) => untilDigest(data.createdAt, now),
    },
    errors: [DigestStale],
    body: Schema.Struct({ ...answered, data: Digest, charged }).annotate({ identifier: "Digest" }),
    sample: samples.digest,
  },
  digest_history: {
    id: "digest_history",
    title: "Digest history",
    path: "/v1/digest/history",
    price: prices.digest_history,
    settlementOrder: "compute-first",
    description:
      "Title and summary of each digest of the last hours (up to 7 days), newest first. Not charged " +
      "when there is none.",
    use:
      "Use it to find out what earlier digests were about. It has no paragraphs and no facts; the newest " +
      "whole digest is /v1/digest.",
    answerBytes: { p50: 5_500, p99: 20_000 },
    tags: ["prediction-markets", "digest"],
    parameters: [
      integerParameter("hours", "Hours to look back", { minimum: 1, maximum: 168, default: 24 }),
      integerParameter("limit", "Maximum number of digests", {
        minimum: 1,
        maximum: 42,
        default: 6,
      }),
    ],
    shelfLife: {
      next: digestBriefCall,
      until: ({ data }: { readonly data: ReadonlyArray<Pick<Digest, "createdAt">> }, { now }) =>
        untilDigest(data[0]?.createdAt, now),
    },
    errors: [],
    body: Schema.Struct({
      ...answered,
      count: described(Count, "Digests in `data`"),
      hours: described(Count, "How many hours back it looked"),
      data: Schema.Array(Digest.mapFields(Struct.pick(["id", "title", "summary", "createdAt"])))
        .annotate({ description: "Digests of these hours, newest first" }),
      charged,
    }).annotate({ identifier: "DigestHistory" }),
    sample: samples.digest_history,
  },
  resolving: {
    id: "resolving",
    title: "Markets that resolve soon",
    path: "/v1/resolving",
    price: prices.resolving,
    settlementOrder: "settle-early",
    description:
      "Markets that end, or are expected to resolve, within the given hours, soonest first, " +
      "with expected resolution and price. Not charged when there is none. A call that fails after " +
      "payment is refunded.",
    use: "Use it to find markets whose money is free soon, or whose price is near 0 or 1. For " +
      "what moved use /v1/signals.",
    answerBytes: { p50: 20_500, p99: 30_000 },
    tags: ["prediction-markets", "resolution"],
    parameters: [
      integerParameter("withinHours", "Maximum hours until the end, or the expected resolution", {
        minimum: 1,
        maximum: 72,
        default: 24,
      }),
      numberParameter("minLiquidity", "Minimum liquidity in USD", {
        minimum: 1_000,
        default: 5_000,
      }),
      textParameter("includeNoise", "Include short-interval bets", {
        values: ["0", "1"],
        flag: true,
      }),
      integerParameter("limit", "Maximum number of rows", {
        minimum: 1,
        maximum: resolvingRowsMax,
        default: 50,
      }),
    ],
    shelfLife: {
      next: {
        path: "/v1/index",
        price: 0,
        reason: "A later `asOf.mover` means a newer listing.",
      },
      until: untilTick,
    },
    errors: [BelowThreshold, DataStale],
    body: Schema.Struct({
      ...answered,
      count: described(Count, "Rows in `data`"),
      omitted: described(Count, "Rows left out by `limit`: the latest"),
      asOf: asOf("When the venue's listing was last read in full; at most an hour ago"),
      filters: Schema.Struct({
        withinHours: described(Count, "Most hours until the end date or the expected resolution"),
        minLiquidity: described(Schema.Finite, "Least liquidity, USD"),
        includeNoise: described(Schema.Boolean, "Whether short-interval bets are included"),
        limit: described(Count, "Most rows"),
      }).annotate({ description: "The parameters, as they were applied" }),
      data: described(
        Schema.NonEmptyArray(ResolvingRow),
        "Markets, the soonest expected resolution first; never empty",
      ),
    }).annotate({ identifier: "Resolving" }),
    sample: samples.resolving,
    table: {
      columns: [
        ...["slug", "question", "eventEndDate", "hoursRemaining", "yesMid", "convergence"],
        "liquidityUsd",
      ],
    },
  },
  whales: {
    id: "whales",
    title: "The whale calibration table",
    path: "/v1/whales",
    price: prices.whales,
    settlementOrder: "settle-early",
    description: "Every tracked wallet with at least 30 resolved entries in 10 events, held " +
      "to resolution: win rate, edge, returns of following or fading it by odds band, and of its " +
      "published entries at the price offered. Most are neutral. Not charged when there is none. A " +
      "call that fails after payment is refunded.",
    use: "Use it to look up wallets before you follow or fade them; with `wallet` or `label` the " +
      "answer is short.",
    answerBytes: { p50: 132_000, p99: 850_000 },
    tags: ["prediction-markets", "whales"],
    parameters: [
      textParameter("label", "Only this label", { values: WhaleLabel.literals }),
      textParameter("wallet", "Only this wallet", {
        pattern: "^0x[0-9a-fA-F]{40}$",
        form: "0x and 40 hexadecimal digits",
      }),
      integerParameter("limit", "Maximum number of wallets; without it all", {
        minimum: 1,
        maximum: tableRowsMax,
      }),
    ],
    shelfLife: {
      next: {
        path: "/v1/track-record",
        price: 0,
        reason: "Another `coverage` means new results.",
      },
      until: untilTick,
    },
    errors: [BelowThreshold, DataStale],
    body: Schema.Struct({
      ...answered,
      computedAt: described(IsoTime, "When the newest row was computed"),
      asOf: asOf(
        "When activity, resolutions and calibrations were last brought up to date; at most 6 hours " +
          "ago",
      ),
      filters: Schema.Struct({
        label: described(
          Schema.Literals(["all", ...WhaleLabel.literals]),
          "The only label, or all",
        ),
        wallet: described(
          Schema.NullOr(Schema.String),
          "The parameter; null when it was not given",
        ),
        limit: described(Count, "Most wallets in the answer"),
      }).annotate({ description: "The parameters, as they were applied" }),
      data: Schema.Struct({
        wallets: described(
          Schema.NonEmptyArray(ScoredWhaleRow),
          "Tracked wallets that match the parameters, the largest stake first",
        ),
        omitted: Count.annotate({
          description: "Matching wallets left out because of the limit: the smallest stakes",
        }),
      }).annotate({ description: "Rows, and how many were left out" }),
    }).annotate({ identifier: "Whales" }),
    sample: samples.whales,
    table: {
      columns: [
        ...["wallet", "pseudonym", "label", "resolved", "events", "winRate", "edge", "edgeLow"],
        ...["edgeHigh", "mirrorRoi", "fadeRoi", "stakeUsd", "openEntries"],
      ],
      last: { column: "label", value: "neutral" },
      leftOut: "with the label neutral and the smallest stakes",
    },
  },
  research: {
    id: "research",
    title: "A report on one market",
    path: "/v1/research",
    price: prices.research,
    settlementOrder: "settle-early",
    description: 'A report on one market: thesis (mostly "no trade": no view beyond the market), ' +
      "whale view, risks, bottom line; probability, break-even, limit price and size of each side; " +
      "evidence: prices, order book, wallets, news. Cached 30 minutes. A call that fails after " +
      "payment is refunded.",
    use:
      "Use it before a decision. It may take a minute; /v1/signals and /v1/resolving find markets.",
    answerBytes: { p50: 14_000, p99: 25_000 },
    tags: ["prediction-markets", "research"],
    parameters: [
      textParameter(
        "market",
        "The market's slug, data.market.slug of an item, or the slug of an event with one live " +
          "market, upper or lower case; or the address of its page, data.market.url",
        {
          required: true,
          form: "a slug such as will-it-rain-in-may, or the venue's page address",
          slug: true,
          example: "sample-will-the-bridge-open-in-2027",
        },
      ),
    ],
    shelfLife: {
      next: {
        path: "/v1/index",
        price: 0,
        reason: "A higher `index` may be news of this market; /v1/signals costs less.",
      },
      until: untilReport,
    },
    errors: [
      MarketNotFound,
      MarketAmbiguous,
      BelowThreshold,
      DataStale,
      VenueFailed,
      LookupsExhausted,
    ],
    body: Schema.Struct({ success, ...researchFields }).annotate({ identifier: "Research" }),
    sample: samples.research,
  },
} as const satisfies Readonly<Record<string, Product>>

export type ProductId = keyof typeof products

/** When a row last changed, for catalogs. A test checks it against a hash of the rows. */
export const productsChangedAt = "2026-12-01T10:00:00.000Z"
