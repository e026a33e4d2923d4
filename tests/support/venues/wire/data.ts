/**
 * The routes of the simulated Data API: their parameters, pages and limits.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../../../src/core/domain/time.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import type { WorldClock } from "./clock.ts"
import {
  type Activity,
  rankedWallets,
  type Wallet,
} from "../../../../src/venues/simulated/wallets.ts"
import { activityRow, resolutionRow, tradeRow } from "./dataRows.ts"
import type { Route } from "./faults.ts"
import type { Json } from "./gamma.ts"

interface Answer {
  readonly status: number
  readonly body: Json
}

/** Rows in one page, at most, and the largest offset in a cursor. */
const rowsMax = 1_000
const rowsDefault = 100
const offsetMax = 20_000
/** How far back a wallet's activity goes without a `start`. */
const activityReach = 60 * day

/** Server behaviour that does not depend on the request. */
interface DataBehaviour {
  /** Older activity is not available; null for no limit. */
  readonly retentionDays: number | null
}

export function dataAnswer(
  world: World,
  clock: WorldClock,
  route: Route,
  query: URLSearchParams,
  now: EpochMs,
  behaviour: DataBehaviour,
): Answer {
  const page = route === "activity" ? pageOf(new URLSearchParams(), now) : pageOf(query, now)
  if (page === null) return badRequest("invalid cursor")
  switch (route) {
    case "trades":
      return trades(world, clock, query, page)
    case "activity":
      return activity(world, clock, query, now, behaviour)
    case "leaderboard":
      return paged(leaderboard(world, query), page)
    case "resolutions": {
      const markets = conditionsOf(world, query)
      const rows = markets.map((market) => resolutionRow(world, clock, market, now))
      return { status: 200, body: { data: rows } }
    }
    default:
      return { status: 404, body: { error: "not found", code: "not_found", retryable: false } }
  }
}

interface Page {
  readonly limit: number
  readonly offset: number
  /** All pages of one query are as of the first page's time. */
  readonly asOf: EpochMs
}

function limitOf(query: URLSearchParams): number {
  const limit = Math.floor(Number(query.get("limit") ?? rowsDefault))
  return Math.min(rowsMax, Math.max(1, limit || rowsDefault))
}

function pageOf(query: URLSearchParams, now: EpochMs): Page | null {
  const limit = limitOf(query)
  const cursor = query.get("cursor")
  if (cursor === null || cursor === "") return { limit, offset: 0, asOf: now }
  const [, offset, asOf] = /^o(\d{1,6})t(\d{1,16})$/.exec(cursor) ?? []
  return offset === undefined || asOf === undefined || Number(offset) > offsetMax
    ? null
    : { limit, offset: Number(offset), asOf: Number(asOf) }
}

/** Cuts a page out of `rows`; a row after the page means that there are more. */
function paged(rows: ReadonlyArray<Json>, page: Page): Answer {
  const end = page.offset + page.limit
  const more = rows.length > end && end <= offsetMax
  return {
    status: 200,
    body: {
      data: rows.slice(page.offset, end),
      pagination: {
        limit: page.limit,
        offset: 0,
        has_more: more,
        next_cursor: more ? `o${end}t${page.asOf}` : null,
      },
    },
  }
}

function trades(world: World, clock: WorldClock, query: URLSearchParams, page: Page): Answer {
  const needed = page.offset + page.limit + 1
  const range = { from: page.asOf - activityReach, to: page.asOf }
  const rows = conditionsOf(world, query)
    .flatMap((market) => world.trades(market, range, needed))
    .sort((a, b) => b.at - a.at)
    .map((fill) => tradeRow(world, clock, fill))
  return paged(rows, page)
}

/** The rows of a leaderboard. */
function leaderboard(world: World, query: URLSearchParams): ReadonlyArray<Json> {
  return rankedWallets(world.wallets, query.get("sort_by") === "VOLUME" ? "volume" : "profit")
    .map(({ address, userName }, index) => ({
      rank: index + 1,
      user_id: address,
      pnl: 1_000 - index,
      volume: 5_000,
      user_name: userName,
      profile_image: "",
      x_username: "",
      verified: false,
    }))
}

/** A page of a wallet's activity, which is of trades only; this stand-in follows no cursor. */
function activity(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
  { retentionDays }: DataBehaviour,
): Answer {
  const wallet = walletOf(world, query)
  const limit = limitOf(query)
  if (query.has("cursor")) return badRequest("invalid cursor")
  const start = Number(query.get("start")) * second
  const end = Number(query.get("end")) * second
  const found = wallet === undefined ? noRows : activityRows(world, clock, {
    wallet,
    from: start > 0 ? start : clock.fromWorld(now - activityReach),
    to: end > 0 ? end : clock.fromWorld(now),
    limit,
    now,
    retentionDays,
  })
  return {
    status: 200,
    body: {
      data: found.rows.map((row) => activityRow(clock, row)),
      pagination: {
        limit,
        offset: 0,
        has_more: found.more,
        next_cursor: found.more && found.rows.length > 0 ? "next" : null,
      },
    },
  }
}

interface ActivityQuery {
  readonly wallet: Wallet
  /** Clock time, both ends included. */
  readonly from: EpochMs
  readonly to: EpochMs
  readonly limit: number
  /** World time; nothing later has happened. */
  readonly now: EpochMs
  /** Older rows are not available; null for no limit. */
  readonly retentionDays: number | null
}

/** `more`: the range has older rows, available or not. */
function activityRows(
  world: World,
  clock: WorldClock,
  { wallet, from, to, limit, now, retentionDays }: ActivityQuery,
): { readonly rows: ReadonlyArray<Activity>; readonly more: boolean } {
  const oldest = retentionDays === null ? -Infinity : now - retentionDays * day
  // A row's time is rounded down to its second, so the last second is read completely.
  const first = clock.toWorld(Math.ceil(from / second) * second)
  const last = Math.min(now, clock.toWorld(Math.floor(to / second) * second + second))
  const found = world.activity(wallet, { from: Math.max(oldest, first), to: last })
    .filter((activity) => {
      const at = Math.floor(clock.fromWorld(activity.at) / second) * second
      return at >= from && at <= to
    })
  const hasOlder = first < oldest &&
    world.activity(wallet, { from: first, to: oldest - 1 }).length > 0
  return { rows: found.slice(0, limit), more: found.length > limit || hasOlder }
}

const noRows = { rows: [], more: false }

function conditionsOf(world: World, query: URLSearchParams) {
  return (query.get("condition") ?? "").split(",")
    .flatMap((id) => world.catalogue.byId(id) ?? [])
}

function walletOf(world: World, query: URLSearchParams): Wallet | undefined {
  const user = query.get("user")?.toLowerCase()
  return world.wallets.find(({ address }) => address === user)
}

function badRequest(error: string): Answer {
  return { status: 400, body: { error, code: "bad_request", retryable: false } }
}
