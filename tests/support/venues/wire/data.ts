/**
 * The routes of the simulated Data API: their parameters, pages and limits.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../../../src/core/domain/time.ts"
import {
  type ActivityCursor,
  type ActivityRows,
  activityRows,
  boardOf,
} from "../../../../src/venues/simulated/walletSource.ts"
import type { World, WorldClock } from "../../../../src/venues/simulated/world.ts"
import { type Activity, fillOf } from "../../../../src/venues/simulated/activity.ts"
import type { Fill } from "../../../../src/venues/simulated/tape.ts"
import type { Wallet } from "../../../../src/venues/simulated/wallets.ts"
import { boardPeriods } from "../../../../src/markets/domain/leaderboard.ts"
import { activityRow, resolutionRow, tradeRow, typeOf, type WalletBook } from "./dataRows.ts"
import type { Route } from "./faults.ts"
import type { Json } from "./gamma.ts"

interface Answer {
  readonly status: number
  readonly body: Json
}

/** Rows in one page, at most; and the farthest page a cursor leads to. */
const rowsMax = 1_000
const rowsDefault = 100
const offsetMax = 20_000
const conditionsMax = 20
/** How far back a wallet's activity goes when no start is given. */
const activityReach = 60 * day

/** How the Data API answers besides of what it is asked. */
interface Ways {
  /** Pages that a page begins too early: 1 for one that repeats the one before, in part. */
  readonly back: number
  /** The first page of a wallet's activity stands for so long. */
  readonly cachedMs: number
  /** A wallet's activity can be followed so many rows deep. */
  readonly depthMax: number
  /** Older activity is not kept. */
  readonly retentionDays: number | null
}

export function dataAnswer(
  world: World,
  clock: WorldClock,
  route: Route,
  query: URLSearchParams,
  now: EpochMs,
  ways: Ways,
): Answer {
  if (query.has("offset")) return refuse("offset is not supported")
  const page = route === "activity" ? pageOf(new URLSearchParams(), now) : pageOf(query, now)
  if (page === null) return refuse("invalid cursor")
  switch (route) {
    case "trades":
      return trades(world, clock, query, page)
    case "activity":
      return activity(world, clock, query, now, ways)
    case "leaderboard":
      return paged(leaderboard(world, query, page.asOf), page)
    case "resolutions": {
      const markets = conditionsOf(world, query)
      if (markets.length > conditionsMax) return refuse("at most 20 conditions")
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
  /** All pages of one question show the world at the first one's time. */
  readonly asOf: EpochMs
}

function limitOf(query: URLSearchParams): number {
  const asked = Math.floor(Number(query.get("limit") ?? rowsDefault))
  return Math.min(rowsMax, Math.max(1, asked || rowsDefault))
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

/** Cuts a page out of `rows`, of which there may be one more than the page needs. */
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
  const takersOnly = query.get("taker_only") !== "false"
  const wanted = page.offset + page.limit + 1
  const wallet = walletOf(world, query)
  const range = { from: page.asOf - activityReach, to: page.asOf }
  // Makers print at most every other row, so twice as many rows hold enough takers, and repeats.
  const fills: ReadonlyArray<Fill> = wallet === undefined
    ? conditionsOf(world, query)
      .flatMap((market) => world.trades(market, range, takersOnly ? 2 * wanted : wanted))
      .sort((a, b) => b.at - a.at)
    : world.activity(wallet, range, Infinity).flatMap(fillOf)
  const names = namesOf(world)
  const rows = fills
    .filter(({ role }) => !takersOnly || role === "taker")
    .map((fill) => tradeRow(world, clock, names, fill))
  return paged(rows, page)
}

/** Boards, marked over a period with a beginning; an unknown category has no rows. */
function leaderboard(world: World, query: URLSearchParams, at: EpochMs): ReadonlyArray<Json> {
  const asked = query.get("time_period") ?? "day"
  const period = boardPeriods.find((known) => known === asked) ?? "day"
  const by = query.get("sort_by") === "VOLUME" ? "volume" : "profit"
  return boardOf(world, period, query.get("category") ?? "overall", by, at)
    .map(({ wallet, pnl, volume }, index) => ({
      rank: index + 1,
      user_id: wallet.address,
      pnl: Math.round(pnl * 1e6) / 1e6,
      volume: Math.round(volume * 1e6) / 1e6,
      user_name: wallet.userName,
      profile_image: "",
      x_username: "",
      verified: false,
    }))
}

/** What a wallet did, by default what it did in markets; its cursors end at a depth. */
function activity(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
  ways: Ways,
): Answer {
  const wallet = walletOf(world, query)
  const limit = limitOf(query)
  const cursor = query.get("cursor") ?? ""
  const after = cursor === "" ? null : markOf(cursor)
  if (cursor !== "" && (after === null || after.depth > ways.depthMax)) {
    return refuse("invalid cursor")
  }
  const asOf = cursor === "" ? now - now % Math.max(1, ways.cachedMs) : now
  const start = Number(query.get("start")) * second
  const end = Number(query.get("end")) * second
  // A page that repeats rows of the one before it begins half a page early.
  const early = after === null ? 0 : Math.min(after.depth, Math.floor(ways.back * limit / 2))
  const found = wallet === undefined ? nothing : activityRows(world, clock, {
    wallet,
    from: start > 0 ? start : clock.fromWorld(now - activityReach),
    to: end > 0 ? end : clock.fromWorld(now),
    after: early === 0 ? after : null,
    limit: early === 0 ? limit : (after?.depth ?? 0) - early + limit,
    now: asOf,
    retentionDays: ways.retentionDays,
  })
  const wanted = query.getAll("type").flatMap((given) => given.toUpperCase().split(","))
  const shown = (activity: Activity) =>
    wanted.length > 0 ? wanted.includes(typeOf(activity)) : activity.kind !== "deposit"
  const depth = (after?.depth ?? 0) - early + limit
  return {
    status: 200,
    body: {
      data: found.rows.slice(early === 0 ? 0 : depth - limit).flatMap(({ activity }) =>
        shown(activity) ? [activityRow(clock, activity)] : []
      ),
      pagination: {
        limit,
        offset: 0,
        has_more: found.next !== null || found.cut,
        next_cursor: found.next === null
          ? null
          : btoa(JSON.stringify({ ts: found.next.at / second, sq: found.next.rows, d: depth })),
      },
    },
  }
}

const nothing: ActivityRows = { rows: [], next: null, cut: false }

function markOf(cursor: string): (ActivityCursor & { readonly depth: number }) | null {
  const text = /^eyJ0cyI6[A-Za-z0-9+/]+=*$/.test(cursor) ? atob(cursor) : ""
  const [, ts, sq, d] = /^\{"ts":(\d{1,12}),"sq":(\d{1,9}),"d":(\d{1,9})\}$/.exec(text) ?? []
  return ts === undefined ? null : { at: Number(ts) * second, rows: Number(sq), depth: Number(d) }
}

function conditionsOf(world: World, query: URLSearchParams) {
  return query.getAll("condition")
    .flatMap((given) => given.split(","))
    .flatMap((id) => world.catalogue.byId(id) ?? [])
}

function walletOf(world: World, query: URLSearchParams): Wallet | undefined {
  const user = query.get("user")?.toLowerCase()
  return world.wallets.find(({ address }) => address === user)
}

function namesOf(world: World): WalletBook {
  return new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
}

function refuse(error: string): Answer {
  return { status: 400, body: { error, code: "bad_request", retryable: false } }
}
