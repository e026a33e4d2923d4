/**
 * Activity of wallets as rows: short keys, and transactions as the bytes they are.
 *
 * @module
 */
import type { ActKind, NumberedAct } from "../../markets/domain/activity.ts"
import { MarketId, TokenId } from "../../markets/domain/market.ts"

/** The key of no token. */
export const noToken = 0

export interface Keyed {
  readonly markets: ReadonlyMap<string, number>
  readonly tokens: ReadonlyMap<string, number>
}

/** A row of `json_to_recordset`. */
export function activityRow(act: NumberedAct, { markets, tokens }: Keyed) {
  return {
    market_id: markets.get(act.marketId),
    activity_at_ms: act.at,
    size: act.size,
    price: act.price,
    token_id: act.tokenId === null ? noToken : tokens.get(act.tokenId),
    kind: act.kind,
    occurrence: act.occurrence,
    transaction: `\\x${transactionHex(act.transaction)}`,
  }
}

/** One activity as a statement returns it: an array, for its JSON is half as long. */
export type ActivityTuple = readonly [
  kind: ActKind,
  token: string | null,
  size: number,
  price: number,
  at: number,
  transaction: string,
  occurrence: number,
]

export function activityOf(wallet: string, marketId: string, tuple: ActivityTuple): NumberedAct {
  const [kind, token, size, price, at, transaction, occurrence] = tuple
  return {
    wallet,
    marketId: MarketId.make(marketId),
    kind,
    tokenId: token === null ? null : TokenId.make(token),
    size,
    price,
    at,
    transaction: transactionOf(transaction),
    occurrence,
  }
}

const hashBytes = 32
const hash = /^0x[0-9a-f]{64}$/

/**
 * The bytes of a hash; any other text in UTF-8 without NUL, after a zero byte where it would be as
 * long as a hash.
 */
function transactionHex(transaction: string): string {
  if (hash.test(transaction)) return transaction.slice(2)
  const bytes = new TextEncoder().encode(transaction.replaceAll("\0", ""))
  return bytes.length === hashBytes ? `00${bytes.toHex()}` : bytes.toHex()
}

function transactionOf(hex: string): string {
  const digits = hex.slice(2)
  if (digits.length === 2 * hashBytes) return `0x${digits}`
  const bytes = Uint8Array.fromHex(digits)
  return new TextDecoder().decode(bytes[0] === 0 ? bytes.subarray(1) : bytes)
}
