/**
 * The table of what is sold: one row a paid route. Every document and challenge is made from it.
 *
 * @module
 */
import { atomic, type AtomicAmount } from "./money.ts"

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
}

export interface Product {
  readonly id: string
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
    path: "/v1/latest",
    price: atomic("0.01"),
    order: "compute-first",
    description: "The newest item of the signal feed, with the evidence behind it",
    tags: ["prediction-markets", "signals"],
    parameters: [],
  },
  signal: {
    id: "signal",
    path: "/v1/signal",
    price: atomic("0.01"),
    order: "compute-first",
    description: "One item of the signal feed by its index; the newest when no index is given",
    tags: ["prediction-markets", "signals"],
    parameters: [
      { name: "index", type: "integer", description: "Feed index of the item", minimum: 0 },
    ],
  },
  signals: {
    id: "signals",
    path: "/v1/signals",
    price: atomic("0.03"),
    order: "compute-first",
    description:
      "Up to 20 feed items after an index you saw last, in order; nothing new costs nothing",
    tags: ["prediction-markets", "signals"],
    parameters: [
      { name: "since", type: "integer", description: "The last feed index you saw", minimum: 0 },
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
} as const satisfies Readonly<Record<string, Product>>

export type ProductId = keyof typeof products
