/**
 * The table of what is sold: one row a paid route. Every document and challenge is made from it.
 *
 * @module
 */
import { atomic, type AtomicAmount } from "../../core/domain/money.ts"
import { tableRowsMax } from "../../whales/domain/whale.ts"

/** `compute-first`: work, then settle. `settle-early`: settle, then work, refund if it fails. */
export type SettlementOrder = "compute-first" | "settle-early"

/** One query parameter, as documents show it. Decoding is the route's own. */
export interface Parameter {
  readonly name: string
  readonly type: "integer" | "number" | "string"
  readonly description: string
  readonly required?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
  readonly values?: ReadonlyArray<string>
  /** What a string has to match, as JSON Schema spells it. */
  readonly pattern?: string
  /** A value that shows what is meant, where there is no default. */
  readonly example?: string | number
}

export interface Product {
  readonly id: string
  /** A few words, as a list shows them. */
  readonly title: string
  readonly path: `/v1/${string}`
  readonly price: AtomicAmount
  readonly order: SettlementOrder
  /** One sentence, under 450 characters: what the buyer gets. */
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<Parameter>
}

export const products = {
  latest: {
    id: "latest",
    title: "The newest item",
    path: "/v1/latest",
    price: atomic("0.01"),
    order: "compute-first",
    description: "The newest item of the signal feed, with the evidence behind it.",
    tags: ["prediction-markets", "signals"],
    parameters: [],
  },
  signal: {
    id: "signal",
    title: "One item",
    path: "/v1/signal",
    price: atomic("0.01"),
    order: "compute-first",
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
  },
  signals: {
    id: "signals",
    title: "Items after an index",
    path: "/v1/signals",
    price: atomic("0.03"),
    order: "compute-first",
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
        values: ["mover", "whale_entry", "predetermined"],
      },
    ],
  },
  digest: {
    id: "digest",
    title: "The newest digest",
    path: "/v1/digest",
    price: atomic("0.10"),
    order: "compute-first",
    description:
      "The newest Intelligence Digest, written every 4 hours from numbered facts: what " +
      "repriced, whale flows with their labels, predetermined outcomes, news, what ends soon. Each " +
      "paragraph names its facts. Never older than 4 hours and 20 minutes: without one nothing is " +
      "charged.",
    tags: ["prediction-markets", "digest"],
    parameters: [],
  },
  digest_history: {
    id: "digest_history",
    title: "The digests of the last days",
    path: "/v1/digest/history",
    price: atomic("0.05"),
    order: "compute-first",
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
  },
  resolving: {
    id: "resolving",
    title: "Markets that end soon",
    path: "/v1/resolving",
    price: atomic("0.02"),
    order: "settle-early",
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
      },
    ],
  },
  whales: {
    id: "whales",
    title: "The whale calibration table",
    path: "/v1/whales",
    price: atomic("0.05"),
    order: "settle-early",
    description:
      "The calibration of every tracked wallet with at least 30 resolved entries in 10 events, held " +
      "to resolution: win rate, edge, returns of following and of fading it, by odds band; the " +
      `${tableRowsMax} largest stakes. Most are neutral: /v1/track-record, free, says why. Without ` +
      "such a wallet it costs nothing; a call that fails after payment is refunded.",
    tags: ["prediction-markets", "whales"],
    parameters: [],
  },
  research: {
    id: "research",
    title: "A report on one market",
    path: "/v1/research",
    price: atomic("1.00"),
    order: "settle-early",
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
  },
} as const satisfies Readonly<Record<string, Product>>

export type ProductId = keyof typeof products
