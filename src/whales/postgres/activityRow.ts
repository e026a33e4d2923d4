/**
 * Conversion of activity events to and from rows: short keys, and transactions as bytes.
 *
 * @module
 */
import type { ActivityEventKind, NumberedActivityEvent } from "../../markets/domain/activity.ts"
import { MarketId, TokenId } from "../../markets/domain/market.ts"

/** The key of an event without a token. */
export const noToken = 0

interface Keyed {
  readonly markets: ReadonlyMap<string, number>
  readonly tokens: ReadonlyMap<string, number>
}

/** A row of `json_to_recordset`. */
export function activityRow(event: NumberedActivityEvent, { markets, tokens }: Keyed) {
  return {
    market_id: markets.get(event.marketId),
    activity_at_ms: event.at,
    size: event.size,
    price: event.price,
    token_id: event.tokenId === null ? noToken : tokens.get(event.tokenId),
    kind: event.kind,
    occurrence: event.occurrence,
    transaction: `\\x${event.transaction.slice(2)}`,
  }
}

/** An activity event as a query returns it: an array, because its JSON is half as long. */
export type ActivityTuple = readonly [
  kind: ActivityEventKind,
  token: string | null,
  size: number,
  price: number,
  at: number,
  transaction: string,
  occurrence: number,
]

export function activityOf(
  wallet: string,
  marketId: string,
  tuple: ActivityTuple,
): NumberedActivityEvent {
  const [kind, token, size, price, at, transaction, occurrence] = tuple
  return {
    wallet,
    marketId: MarketId.make(marketId),
    kind,
    tokenId: token === null ? null : TokenId.make(token),
    size,
    price,
    at,
    transaction: `0x${transaction.slice(2)}`,
    occurrence,
  }
}
