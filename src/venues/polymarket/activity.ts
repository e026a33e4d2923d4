/**
 * What a wallet did, as the Data API tells it: acts, and rows that move no shares of a market.
 *
 * @module
 */
import { Result } from "effect"
import type { ActKind } from "../../markets/domain/activity.ts"
import { MarketId, TokenId } from "../../markets/domain/market.ts"
import { type EpochMs, second } from "../../core/domain/time.ts"
import type { ActivityPage, ActivityRow } from "../../markets/VenueClient.ts"
import { type DataPage, sideOf } from "./data.ts"
import { decodeRows } from "./decoded.ts"
import { address, conditionId, id, instant, number, object, text } from "./wire.ts"

/** Why a row is no act of the wallet in a market of ours. */
type ActivityRejection =
  | "undecodable"
  | "no_act"
  | "unknown_type"
  | "combo"
  | "missing_wallet"
  | "missing_id"
  | "missing_token"
  | "missing_time"
  | "missing_transaction"
  | "bad_side"
  | "bad_price"
  | "bad_size"

/** What moves no shares between the wallet and a market. */
const noActs: ReadonlySet<string> = new Set([
  "MIGRATION",
  "REWARD",
  "MAKER_REBATE",
  "TAKER_REBATE",
  "REFERRAL_REWARD",
  "YIELD",
  "DEPOSIT",
  "WITHDRAWAL",
  "TIP",
])

const kinds: ReadonlyMap<string, ActKind | "trade"> = new Map([
  ["TRADE", "trade"],
  ["SPLIT", "split"],
  ["MERGE", "merge"],
  ["REDEEM", "redeem"],
  ["CONVERSION", "convert"],
])

/**
 * What is of both outcomes. Its rows mostly name no token, but may come to: then the same deed, read
 * again, would be another.
 */
const ofBoth: ReadonlySet<ActKind> = new Set(["split", "merge", "redeem"])

/** The identity of a bet on several markets at once, which is none of them. */
const comboId = /^0x03[0-9a-f]{60}$/

/**
 * One row. A trade's price is the row's own: `usdc_size` has the fees in it. Rows that the venue has
 * not enriched yet (an outcome numbered 999, no event) are as good as others.
 */
export function decodeActivity(value: unknown): Result.Result<ActivityRow, ActivityRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const type = text(row["type"]).toUpperCase()
  if (noActs.has(type)) return Result.fail("no_act")
  const known = kinds.get(type)
  if (known === undefined) return Result.fail("unknown_type")
  const wallet = address(row["proxy_wallet"] ?? row["proxyWallet"])
  if (wallet === null) return Result.fail("missing_wallet")
  const marketId = conditionId(row["condition_id"] ?? row["conditionId"])
  if (marketId === null) return Result.fail("missing_id")
  if (row["is_combo"] === true || comboId.test(marketId)) return Result.fail("combo")
  const at = instant(row["timestamp"])
  if (at === null) return Result.fail("missing_time")
  const transaction = id(row["transaction_hash"] ?? row["transactionHash"])
  if (transaction === null) return Result.fail("missing_transaction")
  const kind = known === "trade" ? sideOf(row["side"]) : known
  if (kind === null) return Result.fail("bad_side")
  const token = id(row["token_id"] ?? row["asset"])
  if (known === "trade" && token === null) return Result.fail("missing_token")
  const price = known === "trade" ? number(row["price"]) : 0
  if (price === null || price < 0 || price > 1) return Result.fail("bad_price")
  const size = number(row["size"])
  // The redemption of shares that paid nothing may tell none.
  if (size === null || size < 0 || (size === 0 && kind !== "redeem")) return Result.fail("bad_size")
  return Result.succeed({
    act: {
      wallet,
      marketId: MarketId.make(marketId),
      kind,
      tokenId: token === null || ofBoth.has(kind) ? null : TokenId.make(token),
      size,
      price,
      at: Math.floor(at / second) * second,
      transaction: transaction.toLowerCase(),
    },
    userName: text(row["name"]),
    pseudonym: text(row["pseudonym"]),
  })
}

/** A page of what `wallet` did, newest first; rows of others, or outside of the range, are rejected. */
export function activityPage(
  page: DataPage,
  wallet: string,
  range: { readonly from: EpochMs; readonly to: EpochMs },
): ActivityPage {
  const { rows, rejected } = decodeRows(
    page.rows,
    (row): Result.Result<ActivityRow, string> => {
      const decoded = decodeActivity(row)
      if (Result.isFailure(decoded)) return decoded
      const { act } = decoded.success
      if (act.wallet !== wallet) return Result.fail("other_wallet")
      return act.at < range.from || act.at > range.to ? Result.fail("out_of_range") : decoded
    },
  )
  return {
    rows: rows.toSorted((a, b) => b.act.at - a.act.at),
    rejected,
    oldest: oldestOf(page.rows),
    next: page.next,
    cut: page.cut,
  }
}

/** Of all rows with a readable time, whatever else is wrong with them. */
function oldestOf(rows: ReadonlyArray<unknown>): EpochMs | null {
  return rows.reduce<EpochMs | null>((least, row) => {
    const at = instant(object(row)?.["timestamp"])
    return at === null || (least !== null && least <= at) ? least : Math.floor(at / second) * second
  }, null)
}
