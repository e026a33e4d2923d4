/**
 * The Data API, the venue's tape: its trades, decoded.
 *
 * @module
 */
import { Result } from "effect"
import { MarketId, TokenId, type Trade } from "../../markets/domain/market.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { Decoded } from "../../markets/VenueClient.ts"
import { decodeRows } from "./decoded.ts"
import { conditionId, id, instant, list, number, object, text } from "./wire.ts"

/** Why a row of the tape is no fill. */
type TradeRejection =
  | "undecodable"
  | "missing_id"
  | "missing_token"
  | "missing_time"
  | "bad_side"
  | "bad_price"
  | "bad_size"

/**
 * One fill, in the second version's spelling or the first's. Identical rows are common and real (a
 * transaction may hold many fills), so nothing is merged here.
 */
export function decodeTrade(value: unknown): Result.Result<Trade, TradeRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const marketId = conditionId(row["condition_id"] ?? row["conditionId"])
  if (marketId === null) return Result.fail("missing_id")
  const tokenId = id(row["token_id"] ?? row["asset"])
  if (tokenId === null) return Result.fail("missing_token")
  const at = instant(row["timestamp"])
  if (at === null) return Result.fail("missing_time")
  const side = sideOf(row["side"])
  if (side === null) return Result.fail("bad_side")
  const price = number(row["price"])
  if (price === null || price < 0 || price > 1) return Result.fail("bad_price")
  const size = number(row["size"])
  if (size === null || size <= 0) return Result.fail("bad_size")
  return Result.succeed({
    marketId: MarketId.make(marketId),
    tokenId: TokenId.make(tokenId),
    side,
    price,
    size,
    at,
    wallet: text(row["proxy_wallet"] ?? row["proxyWallet"]).toLowerCase(),
    transaction: text(row["transaction_hash"] ?? row["transactionHash"]),
  })
}

/** Decodes rows of the tape; those of other markets than `marketId`, when given, are rejected. */
export function decodeTrades(
  rows: ReadonlyArray<unknown>,
  marketId: MarketId | null,
): Decoded<Trade> {
  return decodeRows(rows, (row): Result.Result<Trade, string> => {
    const decoded = decodeTrade(row)
    return Result.isFailure(decoded) || marketId === null || decoded.success.marketId === marketId
      ? decoded
      : Result.fail("other_market")
  })
}

/** One page of the second version's envelope. */
export interface DataPage {
  readonly rows: ReadonlyArray<unknown>
  /** Continues; null at the end. */
  readonly next: string | null
  /** Whether the venue says that there is more, and gives no way to it. */
  readonly cut: boolean
}

/** Null when it is not one. */
export function dataPage(value: unknown): DataPage | null {
  const body = object(value)
  if (body === null || !Array.isArray(body["data"])) return null
  const pagination = object(body["pagination"])
  const cursor = pagination?.["next_cursor"]
  const more = pagination?.["has_more"]
  const next = typeof cursor === "string" && cursor !== "" && more !== false ? cursor : null
  return { rows: list(body["data"]), next, cut: next === null && more === true }
}

/** The oldest instant on a page, or null when it shows none. */
export function oldest(trades: ReadonlyArray<Trade>): EpochMs | null {
  return trades.reduce<EpochMs | null>(
    (least, { at }) => least === null || at < least ? at : least,
    null,
  )
}

/** What a trade's row calls its side. */
export function sideOf(value: unknown): Trade["side"] | null {
  const side = typeof value === "string" ? value.toLowerCase() : ""
  return side === "buy" || side === "sell" ? side : null
}
