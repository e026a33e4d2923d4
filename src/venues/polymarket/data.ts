/**
 * The Data API, the venue's record of who traded what: the tape, what a wallet did, and the
 * leaderboards.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import { type EpochMs, second } from "../../core/domain/time.ts"
import type { ActivityPage, ActivityRow, Decoded, WalletSource } from "../../markets/VenueClient.ts"
import type { ActivityEventKind } from "../../markets/domain/activity.ts"
import { MarketId, TokenId, type Trade } from "../../markets/domain/market.ts"
import type { Limits, Route } from "./requests.ts"
import {
  address,
  conditionId,
  decodeRows,
  id,
  instant,
  list,
  merge,
  number,
  object,
  text,
} from "./wire.ts"
import type { Board, LeaderboardRow } from "../../markets/domain/leaderboard.ts"

/** Pages from the newest fill back, until one is older than `since` or there are enough. */
export function trades({ ask, url }: Route, limits: Limits) {
  return Effect.fn("polymarket.trades")(function* (marketId: MarketId, since: EpochMs) {
    const found: Array<Decoded<Trade>> = []
    const followed = new Set<string>()
    let cursor: string | null = null
    let count = 0
    for (let page = 0; page < limits.tradePagesMax && count < limits.tradesMax; page++) {
      const request: HttpClientRequest.HttpClientRequest = HttpClientRequest.get(
        `${url}/trades`,
        {
          urlParams: {
            condition: marketId,
            taker_only: "false",
            limit: Math.min(limits.tradeRows, limits.tradesMax),
            ...(cursor === null ? {} : { cursor }),
          },
        },
      )
      const { rows, next } = yield* ask("trades", request, unfollowed(followed))
      const decoded = decodeTrades(rows, marketId)
      found.push(decoded)
      count += rows.length
      const last = oldest(decoded.rows)
      if (next === null || (last !== null && last < since)) break
      followed.add(next)
      cursor = next
    }
    const all = merge(found)
    const recent = all.rows.filter(({ at }) => at >= since).sort((a, b) => b.at - a.at)
    return { rows: recent.slice(0, limits.tradesMax), rejected: all.rejected }
  })
}

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
interface DataPage {
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
function oldest(trades: ReadonlyArray<Trade>): EpochMs | null {
  return trades.reduce<EpochMs | null>(
    (least, { at }) => least === null || at < least ? at : least,
    null,
  )
}

/** What a trade's row calls its side. */
function sideOf(value: unknown): Trade["side"] | null {
  const side = typeof value === "string" ? value.toLowerCase() : ""
  return side === "buy" || side === "sell" ? side : null
}

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

const kinds: ReadonlyMap<string, ActivityEventKind | "trade"> = new Map([
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
const ofBoth: ReadonlySet<ActivityEventKind> = new Set(["split", "merge", "redeem"])

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
    event: {
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
      const { event } = decoded.success
      if (event.wallet !== wallet) return Result.fail("other_wallet")
      return event.at < range.from || event.at > range.to ? Result.fail("out_of_range") : decoded
    },
  )
  return {
    rows: rows.toSorted((a, b) => b.event.at - a.event.at),
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

/**
 * The categories with a board of their own. `overall` was seen in a recorded cursor of the second
 * version, which spells them in lower case; the others are those documented for the first version
 * (there in capitals) and inferred for the second.
 */
export const categories = [
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

/** What the venue calls a board's order. */
const sortedBy: { readonly [by in Board["by"]]: string } = {
  volume: "VOLUME",
  profit: "PNL",
}

/** Why a row of a board is no standing. */
type StandingRejection = "undecodable" | "missing_wallet" | "missing_rank"

/** One row, in the second version's spelling or the first's. Wallets that tie share a rank. */
export function decodeStanding(value: unknown): Result.Result<LeaderboardRow, StandingRejection> {
  const row = object(value)
  if (row === null) return Result.fail("undecodable")
  const wallet = address(row["user_id"] ?? row["proxy_wallet"] ?? row["proxyWallet"])
  if (wallet === null) return Result.fail("missing_wallet")
  const rank = number(row["rank"])
  if (rank === null || rank < 0 || !Number.isInteger(rank)) return Result.fail("missing_rank")
  return Result.succeed({ wallet, rank, userName: text(row["user_name"] ?? row["userName"]) })
}

/** The first `limit` of these wallets by rank, each once, at its best rank. */
export function firstByRank(
  standings: ReadonlyArray<LeaderboardRow>,
  limit: number,
): ReadonlyArray<LeaderboardRow> {
  const best = new Map<string, LeaderboardRow>()
  for (const standing of standings.toSorted((a, b) => a.rank - b.rank)) {
    if (!best.has(standing.wallet)) best.set(standing.wallet, standing)
  }
  return [...best.values()].slice(0, limit)
}

export function walletSource(
  routes: { readonly activity: Route; readonly leaderboard: Route },
  limits: Limits,
): WalletSource {
  return {
    categories,
    leaderboard: leaderboard(routes.leaderboard, limits),
    activity: activity(routes.activity, limits),
  }
}

/** Pages by rank, until there are enough wallets. */
function leaderboard({ ask, url }: Route, limits: Limits) {
  return Effect.fn("polymarket.leaderboard")(function* (board: Board, limit: number) {
    const pages: Array<Decoded<LeaderboardRow>> = []
    const followed = new Set<string>()
    const found = () => firstByRank(pages.flatMap(({ rows }) => rows), limit)
    let cursor: string | null = null
    for (let page = 0; page < limits.boardPagesMax && found().length < limit; page++) {
      const request: HttpClientRequest.HttpClientRequest = HttpClientRequest.get(
        `${url}/leaderboard`,
        {
          urlParams: {
            time_period: board.period,
            category: board.category,
            sort_by: sortedBy[board.by],
            limit: Math.min(limit, limits.boardRows),
            ...(cursor === null ? {} : { cursor }),
          },
        },
      )
      const { rows, next } = yield* ask("leaderboard", request, unfollowed(followed))
      pages.push(decodeRows(rows, decodeStanding))
      if (next === null) break
      followed.add(next)
      cursor = next
    }
    return { rows: found(), rejected: merge(pages).rejected }
  })
}

/** Nothing came before the venue: a range from the beginning of time starts a second after it. */
const firstSecond = 1

/**
 * One page. The route tells of maker and taker fills alike, unlike that of trades, and leaves
 * deposits and withdrawals out unless asked for them. A cursor it calls wrong is one too deep: it
 * gives no more of the range. A page without its pagination would pass for the last one, so it is a
 * fault, like one that leads to itself.
 */
function activity({ ask, url }: Route, limits: Limits) {
  return Effect.fn("polymarket.activity")(function* (
    wallet: string,
    range: { readonly from: EpochMs; readonly to: EpochMs },
    cursor: string | null,
  ) {
    const start = Math.max(firstSecond, Math.ceil(range.from / second))
    const end = Math.floor(range.to / second)
    if (end < start) return nothing
    const request = HttpClientRequest.get(`${url}/activity`, {
      urlParams: {
        user: wallet,
        start,
        end,
        sort_direction: "DESC",
        limit: limits.activityRows,
        ...(cursor === null ? {} : { cursor }),
      },
    })
    const followed = unfollowed(new Set(cursor === null ? [] : [cursor]))
    return yield* ask("activity", request, (body) => paginated(body) ? followed(body) : null).pipe(
      Effect.map((page) => activityPage(page, wallet.toLowerCase(), range)),
      Effect.catchIf(
        ({ reason }) => cursor !== null && reason === "status 400",
        () => Effect.succeed({ ...nothing, cut: true }),
      ),
    )
  })
}

const nothing: ActivityPage = { rows: [], rejected: {}, oldest: null, next: null, cut: false }

function paginated(body: unknown): boolean {
  return object(object(body)?.["pagination"]) !== null
}

/** Reads a page that does not lead back. */
function unfollowed(followed: ReadonlySet<string>): (body: unknown) => DataPage | null {
  return (body) => {
    const page = dataPage(body)
    return page !== null && page.next !== null && followed.has(page.next) ? null : page
  }
}
