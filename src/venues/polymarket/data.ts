/**
 * The Data API, the venue's record of who traded what: the trades of a market, the activity of a
 * wallet, and the leaderboards.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { type EpochMs, second } from "../../core/domain/time.ts"
import type { ActivityPage, ActivityRow, Decoded, WalletSource } from "../../markets/VenueClient.ts"
import type { ActivityEventKind } from "../../markets/domain/activity.ts"
import { MarketId, TokenId, type Trade } from "../../markets/domain/market.ts"
import { type RequestLimits, type Route, validMarketIds } from "./requests.ts"
import {
  address,
  conditionId,
  decodeRows,
  hash,
  id,
  instant,
  list,
  merge,
  number,
  object,
  text,
} from "./wire.ts"
import type { Board, LeaderboardRow } from "../../markets/domain/leaderboard.ts"

/** Reads pages from the newest fill back, until a fill is older than `since` or a limit is reached. */
export function trades({ send, url }: Route, limits: RequestLimits) {
  return Effect.fn("polymarket.trades")(function* (marketId: MarketId, since: EpochMs) {
    if (validMarketIds([marketId]).length === 0) return { rows: [], rejected: {} }
    const found: Array<Decoded<Trade>> = []
    const query = {
      condition: marketId,
      taker_only: "false",
      limit: Math.min(limits.tradeRows, limits.tradesMax),
    }
    let count = 0
    yield* readPages(send, "trades", `${url}/trades`, query, limits.tradePagesMax, (rows) => {
      const decoded = decodeTrades(rows, marketId)
      found.push(decoded)
      count += rows.length
      return count >= limits.tradesMax || decoded.rows.some(({ at }) => at < since)
    })
    const all = merge(found)
    const recent = all.rows.filter(({ at }) => at >= since).sort((a, b) => b.at - a.at)
    return { rows: recent.slice(0, limits.tradesMax), rejected: all.rejected }
  })
}

/** Why a row of trades is rejected. */
type TradeRejection =
  | "undecodable"
  | "missing_id"
  | "missing_token"
  | "missing_time"
  | "bad_side"
  | "bad_price"
  | "bad_size"

/**
 * One fill, with the field names of API version 2 or 1. Identical rows are common and are separate
 * fills (a transaction may contain many), so they are not deduplicated.
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

/** Decodes rows of trades. When `marketId` is given, rows of other markets are rejected. */
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

/** One page in the envelope of API version 2. */
interface DataPage {
  readonly rows: ReadonlyArray<unknown>
  /** The cursor of the next page; null at the end. */
  readonly next: string | null
  /** Whether the venue has more rows, with or without a cursor to them. */
  readonly more: boolean
}

/** Null when the body is not a page. */
export function dataPage(value: unknown): DataPage | null {
  const body = object(value)
  if (body === null || !Array.isArray(body["data"])) return null
  const pagination = object(body["pagination"])
  const cursor = pagination?.["next_cursor"]
  const more = pagination?.["has_more"]
  const next = typeof cursor === "string" && cursor !== "" && more !== false ? cursor : null
  return { rows: list(body["data"]), next, more: next !== null || more === true }
}

function sideOf(value: unknown): Trade["side"] | null {
  const side = typeof value === "string" ? value.toLowerCase() : ""
  return side === "buy" || side === "sell" ? side : null
}

/** Why an activity row is rejected. */
type ActivityRejection =
  | "undecodable"
  | "other_type"
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

/** Activity types that move no shares between the wallet and a market. */
const nonTradingTypes: ReadonlySet<string> = new Set([
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

const kinds: ReadonlyMap<string, ActivityEventKind | "trade"> = new Map([
  ["TRADE", "trade"],
  ["SPLIT", "split"],
  ["MERGE", "merge"],
  ["REDEEM", "redeem"],
  ["CONVERSION", "convert"],
])

/**
 * Kinds that affect both outcomes. Most of their rows name no token, but the venue may add one later.
 * It is ignored, because the same event read twice must keep the same identity.
 */
const pairKinds: ReadonlySet<ActivityEventKind> = new Set(["split", "merge", "redeem"])

/** The condition id of a combo: a bet on several markets at once, which is not itself a market. */
const comboId = /^0x03[0-9a-f]{60}$/

/**
 * One row. The price is read from the row, never computed from `usdc_size`, which includes fees. Rows
 * that the venue has not enriched yet (outcome index 999, no event) are valid.
 */
export function decodeActivity(value: unknown): Result.Result<ActivityRow, ActivityRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const type = text(row["type"]).toUpperCase()
  if (nonTradingTypes.has(type)) return Result.fail("other_type")
  const known = kinds.get(type)
  if (known === undefined) return Result.fail("unknown_type")
  const wallet = address(row["proxy_wallet"] ?? row["proxyWallet"])
  if (wallet === null) return Result.fail("missing_wallet")
  const marketId = conditionId(row["condition_id"] ?? row["conditionId"])
  if (marketId === null) return Result.fail("missing_id")
  if (row["is_combo"] === true || comboId.test(marketId)) return Result.fail("combo")
  const at = instant(row["timestamp"])
  if (at === null) return Result.fail("missing_time")
  const transaction = hash(row["transaction_hash"] ?? row["transactionHash"])
  if (transaction === null) return Result.fail("missing_transaction")
  const kind = known === "trade" ? sideOf(row["side"]) : known
  if (kind === null) return Result.fail("bad_side")
  const token = id(row["token_id"] ?? row["asset"])
  if (known === "trade" && token === null) return Result.fail("missing_token")
  const price = known === "trade" ? number(row["price"]) : 0
  if (price === null || price < 0 || price > 1) return Result.fail("bad_price")
  const size = number(row["size"])
  // A redemption of shares that paid nothing may have size 0.
  if (size === null || size < 0 || (size === 0 && kind !== "redeem")) return Result.fail("bad_size")
  return Result.succeed({
    event: {
      wallet,
      marketId: MarketId.make(marketId),
      kind,
      tokenId: token === null || pairKinds.has(kind) ? null : TokenId.make(token),
      size,
      price,
      at: Math.floor(at / second) * second,
      transaction,
    },
    userName: text(row["name"]),
    pseudonym: text(row["pseudonym"]),
  })
}

/** A page of activity, newest first. Rows of other wallets or outside the range are rejected. */
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
      const { event } = decoded.success
      if (event.wallet !== wallet) return Result.fail("other_wallet")
      return event.at < range.from || event.at > range.to ? Result.fail("out_of_range") : decoded
    },
  )
  return {
    rows: rows.toSorted((a, b) => b.event.at - a.event.at),
    rejected,
    oldest: oldestOf(page.rows),
    more: page.more,
  }
}

/** The oldest readable time among all rows, rejected rows included. */
function oldestOf(rows: ReadonlyArray<unknown>): EpochMs | null {
  return rows.reduce<EpochMs | null>((least, row) => {
    const at = instant(object(row)?.["timestamp"])
    return at === null || (least !== null && least <= at) ? least : Math.floor(at / second) * second
  }, null)
}

/**
 * The categories that have their own leaderboard. `overall` comes from a recorded cursor of API
 * version 2, which writes categories in lower case. The others are documented for version 1 (in
 * capitals) and inferred for version 2.
 */
const categories = [
  "overall",
  "politics",
  "sports",
  "crypto",
  "culture",
  "mentions",
  "weather",
  "economics",
  "tech",
  "finance",
] as const

/** The venue's `sort_by` values. */
const sortedBy: { readonly [by in Board["by"]]: string } = {
  volume: "VOLUME",
  profit: "PNL",
}

/** Why a row of a leaderboard is rejected. */
type LeaderboardRejection = "undecodable" | "missing_wallet" | "missing_rank"

/** One row, with the field names of API version 2 or 1. Tied wallets have the same rank. */
export function decodeLeaderboardRow(
  value: unknown,
): Result.Result<LeaderboardRow, LeaderboardRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const wallet = address(row["user_id"] ?? row["proxy_wallet"] ?? row["proxyWallet"])
  if (wallet === null) return Result.fail("missing_wallet")
  const rank = number(row["rank"])
  if (rank === null || rank < 0 || !Number.isInteger(rank)) return Result.fail("missing_rank")
  return Result.succeed({ wallet, rank, userName: text(row["user_name"] ?? row["userName"]) })
}

/** The first `limit` wallets by rank, each once, at its best rank. */
export function firstByRank(
  rows: ReadonlyArray<LeaderboardRow>,
  limit: number,
): ReadonlyArray<LeaderboardRow> {
  const best = new Map<string, LeaderboardRow>()
  for (const row of rows.toSorted((a, b) => a.rank - b.rank)) {
    if (!best.has(row.wallet)) best.set(row.wallet, row)
  }
  return [...best.values()].slice(0, limit)
}

export function walletSource(
  routes: { readonly activity: Route; readonly leaderboard: Route },
  limits: RequestLimits,
): WalletSource {
  return {
    categories,
    leaderboard: leaderboard(routes.leaderboard, limits),
    activity: activity(routes.activity, limits),
  }
}

/** Reads pages in order of rank until there are `limit` wallets. */
function leaderboard({ send, url }: Route, limits: RequestLimits) {
  return Effect.fn("polymarket.leaderboard")(function* (board: Board, limit: number) {
    const pages: Array<Decoded<LeaderboardRow>> = []
    const found = () => firstByRank(pages.flatMap(({ rows }) => rows), limit)
    const query = {
      time_period: board.period,
      category: board.category,
      sort_by: sortedBy[board.by],
      limit: Math.min(limit, limits.boardRows),
    }
    const name = "leaderboard"
    yield* readPages(send, name, `${url}/${name}`, query, limits.boardPagesMax, (rows) => {
      pages.push(decodeRows(rows, decodeLeaderboardRow))
      return found().length >= limit
    })
    return { rows: found(), rejected: merge(pages).rejected }
  })
}

/** The smallest `start` of a request, in epoch seconds; a range from 0 starts here. */
const firstSecond = 1

/**
 * One page. Unlike `/trades`, this route returns maker and taker fills by default; it omits deposits
 * and withdrawals unless the request includes them. A page without pagination is a fault, because it
 * would look like the last page, and so is one of several without a time.
 */
function activity({ send, url }: Route, limits: RequestLimits) {
  return Effect.fn("polymarket.activity")(function* (
    wallet: string,
    range: { readonly from: EpochMs; readonly to: EpochMs },
  ) {
    const start = Math.max(firstSecond, Math.ceil(range.from / second))
    const end = Math.floor(range.to / second)
    if (end < start) return emptyPage
    const request = HttpClientRequest.get(`${url}/activity`, {
      urlParams: {
        user: wallet,
        start,
        end,
        sort_direction: "DESC",
        limit: limits.activityRows,
      },
    })
    const read = (body: unknown) => {
      const page = object(object(body)?.["pagination"]) === null ? null : dataPage(body)
      const isFault = page !== null && page.more && page.rows.length > 0 &&
        oldestOf(page.rows) === null
      return isFault ? null : page
    }
    return yield* send("activity", request, read).pipe(
      Effect.map((page) => activityPage(page, wallet.toLowerCase(), range)),
    )
  })
}

const emptyPage: ActivityPage = { rows: [], rejected: {}, oldest: null, more: false }

/** Reads pages until the last one, at most `pagesMax`, or until `take` has enough. */
const readPages = Effect.fnUntraced(function* (
  send: Route["send"],
  operation: string,
  url: string,
  query: Readonly<Record<string, string | number>>,
  pagesMax: number,
  take: (rows: ReadonlyArray<unknown>) => boolean,
) {
  const followed = new Set<string>()
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const urlParams: typeof query = { ...query, ...(cursor === null ? {} : { cursor }) }
    const request = HttpClientRequest.get(url, { urlParams })
    const { rows, next }: DataPage = yield* send(operation, request, pageWithoutLoop(followed))
    if (take(rows) || next === null) return
    followed.add(next)
    cursor = next
  }
})

/** Reads a page; null when its next cursor was already followed, which would loop. */
function pageWithoutLoop(followed: ReadonlySet<string>): (body: unknown) => DataPage | null {
  return (body) => {
    const page = dataPage(body)
    return page !== null && page.next !== null && followed.has(page.next) ? null : page
  }
}
