/**
 * The answers an agent reads, as far as it reads them. A field it does not know is no matter; an item
 * of a kind it does not know is told by its title.
 *
 * @module
 */
import { Schema } from "effect"

const Market = Schema.Struct({ slug: Schema.String })
const Book = Schema.Struct({
  spread: Schema.Finite,
  depthUsdWithin5c: Schema.Struct({ total: Schema.Finite }),
})

const Mover = Schema.Struct({
  type: Schema.Literal("mover"),
  data: Schema.Struct({
    market: Market,
    window: Schema.String,
    priceStart: Schema.Finite,
    priceNow: Schema.Finite,
    delta: Schema.Finite,
    zScore: Schema.Finite,
    confirmedBy: Schema.String,
    microstructure: Book,
  }),
})

const WhaleEntry = Schema.Struct({
  type: Schema.Literal("whale_entry"),
  data: Schema.Struct({
    market: Market,
    pseudonym: Schema.String,
    outcome: Schema.String,
    entryPrice: Schema.Finite,
    stakeUsd: Schema.Finite,
    calibration: Schema.NullOr(Schema.Struct({
      label: Schema.String,
      resolved: Schema.Int,
      winRate: Schema.Finite,
      edge: Schema.Finite,
    })),
  }),
})

const Predetermined = Schema.Struct({
  type: Schema.Literal("predetermined"),
  data: Schema.Struct({
    market: Market,
    outcome: Schema.String,
    statement: Schema.String,
    confidence: Schema.String,
    marketPrice: Schema.Finite,
    evidence: Schema.Array(Schema.Struct({ title: Schema.String, source: Schema.String })),
  }),
})

const shared = { feedIndex: Schema.Int, title: Schema.String }

export const Item = Schema.Union([
  Schema.Struct({ ...shared, ...Mover.fields }),
  Schema.Struct({ ...shared, ...WhaleEntry.fields }),
  Schema.Struct({ ...shared, ...Predetermined.fields }),
  Schema.Struct({ ...shared, type: Schema.String }),
])
export type Item = typeof Item.Type

export const Index = Schema.Struct({
  status: Schema.String,
  index: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  totalToday: Schema.Int,
  digest: Schema.NullOr(Schema.Struct({ latestAt: Schema.String, title: Schema.String })),
})
export type Index = typeof Index.Type

export const Items = Schema.Struct({ data: Schema.Array(Item) })

export const Digest = Schema.Struct({
  data: Schema.Struct({
    title: Schema.String,
    summary: Schema.String,
    fullAnalysis: Schema.String,
    createdAt: Schema.String,
  }),
})
export type Digest = typeof Digest.Type

export const Report = Schema.Struct({
  cached: Schema.Boolean,
  data: Schema.Struct({
    market: Schema.Struct({ question: Schema.String }),
    analysis: Schema.Struct({
      thesis: Schema.String,
      confidence: Schema.String,
      bottomLine: Schema.String,
    }),
  }),
})
export type Report = typeof Report.Type

/** How the payments are made: real money, or play money. */
export const Health = Schema.Struct({ paymentMode: Schema.String })
