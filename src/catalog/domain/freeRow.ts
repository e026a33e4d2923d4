/**
 * The table of free paths: one row per path under the free rate limit. Its skill, its MCP tool, its
 * operation in /openapi.json and its examples are generated from the row, as for a product.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { described, marketName, success, text } from "../../core/domain/fields.ts"
import { Count, Price } from "../../core/domain/number.ts"
import { Digest } from "../../digest/domain/digest.ts"
import { ChainHead, ChainLink, dailyHeadsMax } from "../../feed/domain/chain.ts"
import {
  FeedAsOf,
  FeedItem,
  FeedStatus,
  FeedType,
  MarketRef,
  moveFields,
} from "../../feed/domain/item.ts"
import { ResolvingRow } from "../../markets/domain/resolving.ts"
import { Scorecard } from "../../track-record/domain/scorecard.ts"
import { Outcome, outcomeDelayMs, outcomesMax } from "../../track-record/domain/outcomes.ts"
import { ScoredWhaleRow } from "../../track-record/domain/entryScore.ts"
import { hour, IsoTime } from "../../core/domain/time.ts"
import { ProductFamily } from "./family.ts"
import { integerParameter, type Parameter } from "./parameter.ts"
import { researchFields } from "./product.ts"
import samples from "./samples.json" with { type: "json" }

/** One free path. */
export interface FreeRow {
  readonly id: string
  /** A few words, for lists. */
  readonly title: string
  readonly path: `/${string}`
  /** What the caller gets. */
  readonly description: string
  /** When to call it, and what to call instead. */
  readonly use: string
  readonly tags: ReadonlyArray<string>
  /** The query parameters; absent where there are none. */
  readonly parameters?: ReadonlyArray<Parameter>
  /** The body of a 200. */
  readonly body: Schema.Codec<unknown, unknown>
  /** Set where the body is a text for people; such a row is no skill. */
  readonly isText?: true
  /** Whether what is asked for may not exist: then it is 404. */
  readonly mayLack?: true
  /** Whether a 503 may have this body too, which says what is down. */
  readonly downBody?: true
  /** The example answer in documents, or what stands there in its place. */
  readonly sample: object | string
}

/** The source of the market data: a simulated market, or the venue itself. */
export const VenueMode = Schema.Literals(["simulated", "polymarket"]).annotate({
  description: "simulated: an invented market; polymarket: the venue itself",
})
export type VenueMode = typeof VenueMode.Type

const asOfTicks = Schema.NullOr(IsoTime).annotate({
  description: "When the venue was last read in full; null if that is not known",
})

export const freeRows = {
  index: {
    id: "index",
    title: "Feed index",
    path: "/v1/index",
    description:
      "The newest feed index. Poll it about every 10 minutes; when `index` has increased, buy " +
      "/v1/signals with `since`. `status` is `starting` until the first update, and `stale` when " +
      "updates are late.",
    use: "Use it to learn whether there is anything to buy. The items themselves are /v1/signals.",
    tags: ["prediction-markets", "signals"],
    body: Schema.Struct({
      success,
      status: FeedStatus,
      index: described(Count, "feedIndex of the newest item; 0 while the feed is empty"),
      lastUpdated: described(
        Schema.NullOr(IsoTime),
        "When the newest item was published; in an empty feed the last update, null before it",
      ),
      head: ChainHead,
      asOf: FeedAsOf,
      totalToday: described(Count, "Items published since 00:00 UTC"),
      todayByType: Schema.Struct({
        mover: described(Count, "Movers among them"),
        whale_entry: described(Count, "Whale entries among them"),
        predetermined: described(Count, "Predetermined items among them"),
      }).annotate({ description: "The same items by type" }),
      feedTypes: described(Schema.Array(FeedType), "All types of items"),
      digest: Schema.NullOr(Schema.Struct({
        latestAt: described(IsoTime, "When it was written"),
        title: Digest.fields.title,
      })).annotate({
        description: "The newest digest; null before the first, or when it cannot be read",
      }),
    }).annotate({ identifier: "FeedIndex" }),
    sample: samples.index,
  },
  pulse: {
    id: "pulse",
    title: "The three strongest moves of the day",
    path: "/v1/pulse",
    description:
      "The strongest moves of the last 24 hours that passed the noise filters of the feed.",
    use:
      "Use it for a first look at what moved. Order books, evidence and older moves are in /v1/signals.",
    tags: ["prediction-markets", "signals"],
    body: Schema.Struct({
      success,
      status: FeedStatus,
      asOf: asOfTicks,
      topMovers24h: Schema.Array(Schema.Struct({
        ...marketName,
        ...moveFields,
        priceNow: described(Price, "Mid at `asOf`, USD per share of `outcome`"),
        liquidityUsd: MarketRef.fields.liquidityUsd,
      })).check(Schema.isMaxLength(3)).annotate({
        description:
          "Up to 3 published moves of 24 hours, one per market: largest change until now first",
      }),
      digestTitle: described(
        Schema.NullOr(Schema.String),
        "Title of the newest digest; null before the first, or when it cannot be read",
      ),
      digestAt: described(
        Schema.NullOr(IsoTime),
        "When that digest was written; null before the first, or when it cannot be read",
      ),
      _upgrade: Schema.Struct({
        fullFeed: text("Address of /v1/signals"),
        digest: text("Address of /v1/digest"),
      }).annotate({ description: "The paid calls with more" }),
    }).annotate({ identifier: "Pulse" }),
    sample: samples.pulse,
  },
  digest_brief: {
    id: "digest_brief",
    title: "Digest teaser",
    path: "/v1/digest/brief",
    description:
      "Title, summary and sources of the newest digest. /v1/digest sells its analysis. A digest is " +
      "written every 4 hours. Returns 404 until the first one is written.",
    use: "Use it to decide whether to buy /v1/digest.",
    tags: ["prediction-markets", "digest"],
    mayLack: true,
    body: Schema.Struct({
      success,
      data: Digest.mapFields(Struct.pick(["title", "summary", "sourcesUsed", "createdAt"]))
        .annotate({ description: "The newest digest without its analysis" }),
    }).annotate({ identifier: "DigestBrief" }),
    sample: samples.digest_brief,
  },
  track_record: {
    id: "track_record",
    title: "Track record of tracked wallets",
    path: "/v1/track-record",
    description:
      "The scorecard behind /v1/whales: the results of all tracked wallets, including losing and " +
      "neutral ones, as if each entry was held to resolution. It is not a trader's profit or loss: " +
      "exits are not tracked.",
    use: "Use it to judge the service before you pay. Single wallets are in /v1/whales.",
    tags: ["prediction-markets", "whales"],
    body: Schema.Struct({ success, ...Scorecard.fields })
      .annotate({ identifier: "TrackRecord" }),
    sample: samples.track_record,
  },
  outcomes: {
    id: "outcomes",
    title: "What became of published items",
    path: "/v1/outcomes",
    description: "For each item of the feed that is older than " + outcomeDelayMs / hour +
      " hours, what became of " +
      "it: the price of a mover an hour and a day later, the payout and closing line value of a whale " +
      "entry, whether a predetermined outcome was paid. What is not known says so. The results of all " +
      "items are listed, good and bad; the item itself is in /v1/signal.",
    use:
      "Use it to score the service with items that you bought, without trusting /v1/track-record.",
    tags: ["prediction-markets", "signals"],
    parameters: [integerParameter(
      "since",
      `Only items after this feedIndex; the first ${outcomesMax} without it. An open result changes later: ` +
        "read from the same index again",
      { minimum: 0, example: 0 },
    )],
    body: Schema.Struct({
      success,
      since: described(Count, "The parameter; 0 without it"),
      count: described(Count, "Number of outcomes in this answer"),
      data: Schema.Array(Outcome).check(Schema.isMaxLength(outcomesMax)).annotate({
        description: "Ascending by feedIndex; the last one is the next `since`",
      }),
    }).annotate({ identifier: "Outcomes" }),
    sample: samples.outcomes,
  },
  feed_heads: {
    id: "feed_heads",
    title: "Daily heads of the feed",
    path: "/.well-known/feed-heads",
    description:
      "The head of the feed's chain of hashes now, and at the end of each UTC day, with a JWS of it " +
      "(Ed25519, key in /.well-known/jwks.json). The head of a day never changes. The newest " +
      `${dailyHeadsMax} days.`,
    use: "Use it to keep a copy: with it you can show that an item was changed, if one ever is.",
    tags: ["service"],
    body: Schema.Struct({
      success,
      head: ChainHead,
      days: Schema.Array(Schema.Struct({
        day: text("The UTC day, YYYY-MM-DD; all items of it are at or before `index`"),
        index: ChainHead.fields.index,
        hash: ChainHead.fields.hash,
        madeAt: described(IsoTime, "When it was made"),
        jws: text("Compact JWS; its payload has type, day, index and hash"),
      })).check(Schema.isMaxLength(dailyHeadsMax)).annotate({ description: "The newest first" }),
    }).annotate({ identifier: "FeedHeads" }),
    sample: samples.feed_heads,
  },
  feed_proof: {
    id: "feed_proof",
    title: "Proof that an item is in the feed",
    path: "/v1/feed/proof",
    description:
      "The hashes from the head of the feed's chain down to one item, at most three for each bit of the " +
      "index. With the item and its salt, which are sold, they prove that the item is as it was " +
      "published. Returns 404 for an item that is not kept.",
    use:
      "Use it to check an item that you bought against `head` in /v1/index. It says nothing of its content.",
    tags: ["service"],
    parameters: [
      integerParameter("index", "feedIndex of the item; the newest one without it", {
        minimum: 1,
        example: 1,
      }),
    ],
    mayLack: true,
    body: Schema.Struct({
      success,
      feedIndex: described(Count, "The item that was asked for"),
      head: ChainHead,
      path: Schema.Array(ChainLink).annotate({
        description:
          "The head's link first, the item's last. The hash of each is `previousHash` or `skipHash` of " +
          "the link before it",
      }),
    }).annotate({ identifier: "FeedProof" }),
    sample: samples.feed_proof,
  },
  sample: {
    id: "sample",
    title: "Static samples of paid answers",
    path: "/v1/sample",
    description: "Invented values in the shapes of the paid answers, labelled as samples.",
    use:
      "Use it to see the fields of an answer before you buy it. Its values are not real: do not act on them.",
    tags: ["prediction-markets", "samples"],
    body: Schema.Struct({
      success,
      _notice: Schema.Struct({
        type: described(Schema.Literal("static_sample"), "Marks a body with invented values"),
        message: text("The same as a sentence"),
      }).annotate({ description: "That the values are invented" }),
      feedItems: described(Schema.Array(FeedItem), "One item of each type, as in /v1/signals"),
      whales: described(Schema.Array(ScoredWhaleRow), "Rows as in /v1/whales"),
      digest: Digest.annotateKey({ description: "As `data` of /v1/digest" }),
      resolving: described(Schema.Array(ResolvingRow), "Rows as in /v1/resolving"),
      research: Schema.Struct(researchFields).annotate({ description: "As /v1/research" }),
    }).annotate({ identifier: "Sample" }),
    sample: "one item of each type, and the answers of the paid calls below.",
  },
  health: {
    id: "health",
    title: "Liveness and payment mode",
    path: "/health",
    description:
      "Whether the service is starting, live, degraded or down, and whether payments are simulated.",
    use: "Use it when answers are missing or late; it need not be called before other calls.",
    tags: ["service"],
    downBody: true,
    body: Schema.Struct({
      success: described(Schema.Boolean, "False when `status` is down"),
      status: described(
        Schema.Literals(["live", "degraded", "down", "starting"]),
        "live; degraded: a part below is late or fails; starting: no update yet; down: no store",
      ),
      version: text("The release that answers"),
      commit: described(
        Schema.NullOr(Schema.String),
        "Its commit, 7 to 12 hexadecimal digits; null when not known",
      ),
      paymentMode: described(
        Schema.Literals(["live", "simulated"]),
        "live: settled on `network`; simulated: checked, and no money moves",
      ),
      venue: Schema.Struct({ mode: VenueMode })
        .annotate({ description: "The source of the market data" }),
      network: text("The network of payments, as CAIP-2: eip155:8453 is Base"),
      feed: Schema.Struct({
        index: described(
          Schema.NullOr(Count),
          "feedIndex of the newest item; 0 in an empty feed, null when down",
        ),
        lastUpdated: described(
          Schema.NullOr(IsoTime),
          "As in /v1/index; null when down",
        ),
        stale: described(
          Schema.Boolean,
          "True when updates are late; false while the service starts",
        ),
        asOf: described(Schema.NullOr(FeedAsOf), "As in /v1/index; null when down"),
      }).annotate({ description: "How recent the items are" }),
      digest: Schema.Struct({
        latestAt: described(
          Schema.NullOr(IsoTime),
          "When the newest was written; null before the first, if unreadable, or when down",
        ),
        stale: described(Schema.Boolean, "True when none is recent enough to be sold"),
      }).annotate({ description: "How recent it is" }),
      checks: Schema.Struct({
        store: text("`ok`; `failing` when down"),
        venue: text("`ok`; `failing`: updates are late; `starting`; `unknown` when down"),
        wallets: Schema.String.annotate({
          description:
            "`ok`; `stale`: read too rarely for whale entries; `starting`; `unknown` when down",
        }),
        payments: text("`ok`, `degraded` or `failing`; `unknown` before it is observed"),
        clock: text(
          "`ok`; `failing`: it differs from the store's by over 5 s; `unknown` when down",
        ),
      }).annotate({ description: "The parts of the service" }),
      payments: Schema.Struct({
        reasons: Schema.Array(Schema.String).annotate({
          description: "Why `checks.payments` is not `ok`, the worst first; empty when it is",
        }),
        listing: described(
          Schema.NullOr(Schema.String),
          "What a catalogue said at the last sale: status and reason; null when nothing",
        ),
      }).annotate({ description: "More about `checks.payments`" }),
    }).annotate({ identifier: "Health" }),
    sample: samples.health,
  },
  terms: {
    id: "terms",
    title: "Terms of service, as JSON",
    path: "/terms.json",
    description: "The terms that you accept by paying for a call, with the SHA-256 of their text.",
    use: "Read them once, before the first payment.",
    tags: ["service"],
    body: Schema.Struct({
      success,
      version: text("Changes with each change of their text"),
      effectiveDate: text("The day from which they apply, YYYY-MM-DD"),
      textUrl: text("Address of /terms.txt"),
      textSha256: text("SHA-256 of /terms.txt, 64 hexadecimal digits"),
      provider: text("Who offers the service"),
      acceptance: text("How you accept the terms"),
      payment: Schema.Struct({
        protocol: described(Schema.Literal("x402"), "How payments are made"),
        x402Version: described(Schema.Literal(2), "Its version; no unit"),
        settlement: text("When a payment is taken"),
        refunds: text("When it is not taken, or returned"),
        currency: text("The token of payments"),
      }).annotate({ description: "When money is taken and returned" }),
      use: text("What you may do with answers"),
      disclaimers: described(Schema.Array(Schema.String), "What the service does not promise"),
      dataSources: described(Schema.Array(Schema.String), "Where the market data comes from"),
      summary: text("The terms in three sentences"),
    }).annotate({ identifier: "Terms" }),
    sample: "the terms.",
  },
  terms_text: {
    id: "terms_text",
    title: "Terms of service, as text",
    path: "/terms.txt",
    description: "The terms that you accept by paying for a call.",
    use: "Read them once, before the first payment.",
    tags: ["service"],
    isText: true,
    body: Schema.String,
    sample: "the terms.",
  },
  family: {
    id: "family",
    title: "Sibling products",
    path: "/.well-known/family",
    description: "The products of the same family, with their addresses.",
    use: "Use it to find related services; it says nothing about markets.",
    tags: ["service"],
    body: Schema.Struct({
      success,
      ...ProductFamily.fields,
    }).annotate({ identifier: "Family" }),
    sample: samples.family,
  },
} as const satisfies Readonly<Record<string, FreeRow>>

export type FreeId = keyof typeof freeRows
