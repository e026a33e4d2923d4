/**
 * The order book of one token, and the microstructure it shows.
 *
 * @module
 */
import { Schema } from "effect"
import type { TokenId } from "./market.ts"
import { type EpochMs, IsoTime } from "./time.ts"

/** One price level as the venue gave it, already numeric; order and soundness are not promised. */
export interface Level {
  readonly price: number
  /** Shares. */
  readonly size: number
}

export interface OrderBook {
  readonly tokenId: TokenId
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  readonly observedAt: EpochMs
}

const UsdAmount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** What an order book says about trading in it. Definitions at `microstructure`. */
export const Microstructure = Schema.Struct({
  bestBid: Price,
  bestAsk: Price,
  mid: Price,
  spread: Price,
  depthUsdWithin5c: Schema.Struct({ bid: UsdAmount, ask: UsdAmount, total: UsdAmount }),
  impactUsd: Schema.Struct({
    up1c: Schema.NullOr(UsdAmount),
    down1c: Schema.NullOr(UsdAmount),
    up5c: Schema.NullOr(UsdAmount),
    down5c: Schema.NullOr(UsdAmount),
  }),
  observedAt: IsoTime,
}).annotate({ identifier: "Microstructure" })
export type Microstructure = typeof Microstructure.Type

/** Why a book has no microstructure. */
export type BookFault = "empty_side" | "crossed" | "ghost"
