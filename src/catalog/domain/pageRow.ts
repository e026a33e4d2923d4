/**
 * The table of page data: what a page shows beyond the free rows, as JSON. A row is an operation of
 * /openapi.json under the budget of pages. It is no skill: an agent buys the same from a product.
 *
 * @module
 */
import { Schema } from "effect"
import { described, marketName, success } from "../../core/domain/fields.ts"
import { Price } from "../../core/domain/number.ts"
import { IsoTime, isoTime, minute } from "../../core/domain/time.ts"
import { Digest, digestEvery, digestRetention } from "../../digest/domain/digest.ts"
import { StatusReport } from "../../status/domain/status.ts"
import { Outcome } from "../../track-record/domain/outcomes.ts"
import { FeedItem, FeedType, feedTypes, MarketRef, moveFields } from "../../feed/domain/item.ts"
import {
  dayPointsMax,
  freeAfterMs,
  pathDays,
  pathPointsMax,
  recentMax,
} from "../../feed/domain/publishedMarket.ts"
import { sampleAt, sampleBody, sampleOutcomes, sampleStatus } from "./sample.ts"

/** One path with the data of pages. */
interface PageRow {
  readonly id: string
  /** A few words, for lists. */
  readonly title: string
  /** A template has its parameter in braces: `/markets/{slug}.json`. */
  readonly path: `/${string}.json`
  readonly description: string
  /** The parameter of a template. */
  readonly parameter?: {
    readonly name: string
    readonly description: string
    readonly example: string
  }
  /** The body of a 200. */
  readonly body: Schema.Codec<unknown, unknown>
  /** The example answer in documents. */
  readonly sample: unknown
}

/** Checks at compile time that the sample matches the row's body. */
const row = <const Row extends PageRow>(
  row: Row & { readonly sample: Row["body"]["Type"] },
): Row => row

/** The number of digests that are kept. */
const digestsMax = digestRetention / digestEvery

/** What is free to know of an item. */
const heading = {
  feedIndex: FeedItem.members[0].fields.feedIndex,
  type: FeedType,
}
const createdAt = described(IsoTime, "When the item was published")

const PathPoint = Schema.Struct({
  at: described(IsoTime, "When the mid was read"),
  mid: described(Price, "Mid of the outcome, USD per share"),
}).annotate({ identifier: "PathPoint" })

const { feedItems } = sampleBody
const [{ feedIndex, type, data: { market, outcome } }] = feedItems
const samplePath = [0.41, 0.44, 0.52].map((mid, n) => ({
  at: isoTime(sampleAt - (20 - 10 * n) * minute),
  mid,
}))

export const pageRows = {
  recent: row({
    id: "recent",
    title: "What the newest items are about",
    path: "/signals.json",
    description:
      `Type, market and time of the newest ${recentMax} items older than ${
        freeAfterMs / minute
      } minutes, ` +
      "and the last 24 hours of the prices in /v1/pulse. /v1/signals sells every item at once.",
    body: Schema.Struct({
      success,
      items: Schema.Array(Schema.Struct({ ...heading, ...marketName, createdAt }))
        .check(Schema.isMaxLength(recentMax)).annotate({ description: "The newest first" }),
      pulsePaths: Schema.Array(Schema.Struct({
        slug: marketName.slug,
        outcome: moveFields.outcome,
        path: Schema.Array(PathPoint).check(Schema.isMaxLength(dayPointsMax)).annotate({
          description:
            `The last 24 hours, oldest first; at most ${dayPointsMax} of the stored mids`,
        }),
      })).check(Schema.isMaxLength(3)).annotate({
        description: "Price paths of the markets in /v1/pulse",
      }),
    }).annotate({ identifier: "RecentItems" }),
    sample: {
      success: true,
      items: feedItems.toReversed().map(({ feedIndex, type, createdAt, data: { market } }) => ({
        feedIndex,
        type,
        slug: market.slug,
        question: market.question,
        createdAt,
      })),
      pulsePaths: [{ slug: market.slug, outcome, path: samplePath }],
    },
  }),
  opened: row({
    id: "opened",
    title: "Items of yesterday, opened",
    path: "/opened.json",
    description:
      "Of each type the newest item that is more than a day old, whole, and what became of it: what a " +
      "cent buys at /v1/signal. They are not chosen by their outcome.",
    body: Schema.Struct({
      success,
      items: Schema.Array(Schema.Struct({
        item: FeedItem,
        outcome: Schema.NullOr(Outcome).annotate({ description: "Null while it is not scored" }),
      })).check(Schema.isMaxLength(feedTypes.length)).annotate({
        description: "At most one of each type; none while no item is so old",
      }),
    }).annotate({ identifier: "OpenedItems" }),
    sample: {
      success: true,
      items: feedItems.slice(0, 1).map((item) => ({ item, outcome: sampleOutcomes[0] ?? null })),
    },
  }),
  market: row({
    id: "market",
    title: "A published market",
    path: "/markets/{slug}.json",
    description:
      `The public facts of a market that the feed has published, its price path of ${pathDays} days, and ` +
      `what was published about it ${freeAfterMs / minute} minutes ago or earlier. ` +
      "/v1/research sells a report on it.",
    parameter: {
      name: "slug",
      description: "The market's name in addresses, upper or lower case",
      example: market.slug,
    },
    body: Schema.Struct({
      success,
      ...marketName,
      outcomes: MarketRef.fields.outcomes,
      url: MarketRef.fields.url,
      category: MarketRef.fields.category,
      eventEndDate: MarketRef.fields.eventEndDate,
      status: described(
        Schema.NullOr(Schema.Literals(["open", "proposed", "resolved", "closed"])),
        "As last listed. proposed: an outcome was proposed and can be disputed; resolved: paid out; " +
          "closed: no trades, not paid out. null if it is not stored",
      ),
      outcome: moveFields.outcome,
      bestBid: described(
        Schema.NullOr(Price),
        "As last listed, USD per share; null without a book",
      ),
      bestAsk: described(
        Schema.NullOr(Price),
        "As last listed, USD per share; null without a book",
      ),
      volumeUsd: MarketRef.fields.volumeUsd,
      volume24hUsd: described(
        Schema.NullOr(Schema.Finite),
        "The same of the last 24 hours, USD; null if not known",
      ),
      liquidityUsd: MarketRef.fields.liquidityUsd,
      path: Schema.Array(PathPoint).check(Schema.isMaxLength(pathPointsMax)).annotate({
        description:
          `The last ${pathDays} days, oldest first; at most ${pathPointsMax} of the stored mids`,
      }),
      items: Schema.Array(Schema.Struct({ ...heading, createdAt }))
        .check(Schema.isMaxLength(recentMax)).annotate({
          description: `Its newest items, newest first, at most ${recentMax}`,
        }),
    }).annotate({ identifier: "PublishedMarket" }),
    sample: {
      success: true,
      slug: market.slug,
      question: market.question,
      outcomes: market.outcomes,
      url: market.url,
      category: market.category,
      eventEndDate: market.eventEndDate,
      status: "open",
      outcome,
      bestBid: 0.51,
      bestAsk: 0.53,
      volumeUsd: market.volumeUsd,
      volume24hUsd: 42_000,
      liquidityUsd: market.liquidityUsd,
      path: samplePath,
      items: [{ feedIndex, type, createdAt: feedItems[0].createdAt }],
    },
  }),
  digests: row({
    id: "digests",
    title: "Titles of digests",
    path: "/digest.json",
    description:
      "Titles and times of the digests of the last week. /v1/digest sells the newest one, " +
      "/v1/digest/history the summaries.",
    body: Schema.Struct({
      success,
      digests: Schema.Array(Schema.Struct({
        title: Digest.fields.title,
        createdAt: described(IsoTime, "When it was written"),
      })).check(Schema.isMaxLength(digestsMax)).annotate({
        description: "The newest first; without those below the threshold of a sale",
      }),
    }).annotate({ identifier: "DigestTitles" }),
    sample: {
      success: true,
      digests: [{ title: sampleBody.digest.title, createdAt: sampleBody.digest.createdAt }],
    },
  }),
  status: row({
    id: "status",
    title: "How the service ran",
    path: "/status.json",
    description:
      "The planned runs of each part of the service on each of the last 7 days; incidents; how old " +
      "the inputs of paid answers may be, and are; paid answers and refunds of the last 24 hours.",
    body: StatusReport,
    sample: sampleStatus(sampleAt),
  }),
} as const satisfies Readonly<Record<string, PageRow>>

export type PageId = keyof typeof pageRows
/** The rows with one body; the others have a body for each value of their parameter. */
export type SinglePageId = Exclude<PageId, "market">
