/**
 * A row of a price file, as `docs/markets.md` describes it.
 *
 * @module
 */
import { Result } from "effect"
import { isPrice } from "../../markets/domain/book.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { numberOf, type RawRow, textOf, timeOf } from "./tableText.ts"

/** One observation of a market's first outcome. Null: the file does not say. */
export interface PriceRow {
  readonly market: string
  /** Markets of one event are one independent observation; without an event the market is its own. */
  readonly event: string
  readonly at: EpochMs
  /** Null only in a row that has nothing but a resolution. */
  readonly mid: number | null
  readonly spread: number | null
  readonly depthUsd: number | null
  /** Traded so far; without that column the volume of 24 hours, which is at most as much. */
  readonly volumeUsd: number | null
  /** The scheduled end. */
  readonly endsAt: EpochMs | null
  /** What a share of the first outcome was paid, known from this row's time on. */
  readonly resolution: number | null
}

/** What a price file must have; each entry names alternatives. */
export const priceColumns = [["market"], ["time"], ["mid", "bid"], ["mid", "ask"]] as const

/** Why a row is not used. */
type PriceRowFault = "no_market" | "bad_time" | "bad_price" | "crossed" | "bad_number"

/** Reads a row. Bid and ask, when both are there, replace `mid`. */
export function priceRow(raw: RawRow): Result.Result<PriceRow, PriceRowFault> {
  const market = textOf(raw["market"])
  if (market === null) return Result.fail("no_market")
  const at = timeOf(raw["time"])
  if (at === null || !Number.isFinite(at)) return Result.fail("bad_time")
  const [bid, ask] = [numberOf(raw["bid"]), numberOf(raw["ask"])]
  const resolution = numberOf(raw["resolution"])
  const quoted = bid !== null && ask !== null
  const mid = quoted ? (bid + ask) / 2 : numberOf(raw["mid"])
  if (mid === null && resolution === null) return Result.fail("bad_price")
  const prices = [mid, resolution, ...quoted ? [bid, ask] : []]
  if (!prices.every((price) => price === null || isPrice(price))) return Result.fail("bad_price")
  if (quoted && bid >= ask) return Result.fail("crossed")

  const depthUsd = numberOf(raw["depthUsd"])
  const volumeUsd = numberOf(raw["volumeUsd"]) ?? numberOf(raw["volume24hUsd"])
  const endsAt = timeOf(raw["endTime"])
  const numbers = [depthUsd, volumeUsd, endsAt]
  if (!numbers.every((value) => value === null || Number.isFinite(value))) {
    return Result.fail("bad_number")
  }
  const event = textOf(raw["event"]) ?? market
  const spread = quoted ? ask - bid : null
  return Result.succeed({
    ...{ market, event, at, mid, spread, depthUsd, volumeUsd, endsAt, resolution },
  })
}
