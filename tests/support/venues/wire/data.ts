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

/** Rows in one page, at most, and the largest offset in a cursor. */
const rowsMax = 1_000
const rowsDefault = 100
const offsetMax = 20_000
const conditionsMax = 20
/** How far back a wallet's activity goes without a `start`. */
const activityReach = 60 * day

/** Server behaviour that does not depend on the request. */
interface DataBehaviour {
  /** 1 for a page that partly repeats the previous one, otherwise 0. */
  readonly back: number
  /** How long the first page of a wallet's activity is cached. */
  readonly cachedMs: number
  /** Rows of a wallet's activity that cursors can reach. */
  readonly depthMax: number
  /** Older activity is not available. */
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
  if (query.has("offset")) return badRequest("offset is not supported")
  const page = route === "activity" ? pageOf(new URLSearchParams(), now) : pageOf(query, now)
  if (page === null) return badRequest("invalid cursor")
  switch (route) {
    case "trades":
      return trades(world, clock, query, page)
    case "activity":
      return activity(world, clock, query, now, behaviour)
    case "leaderboard":
      return paged(leaderboard(world, query, page.asOf), page)
    case "resolutions": {
      const markets = conditionsOf(world, query)
      if (markets.length > conditionsMax) return badRequest("at most 20 conditions")
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
  const takersOnly = query.get("taker_only") !== "false"
  const needed = page.offset + page.limit + 1
  const wallet = walletOf(world, query)
  const range = { from: page.asOf - activityReach, to: page.asOf }
  // At most every other row is a maker's, so twice as many rows contain enough takers, duplicates too.
  const fills: ReadonlyArray<Fill> = wallet === undefined
    ? conditionsOf(world, query)
      .flatMap((market) => world.trades(market, range, takersOnly ? 2 * needed : needed))
      .sort((a, b) => b.at - a.at)
    : world.activity(wallet, range, Infinity).flatMap(fillOf)
  const names = namesOf(world)
  const rows = fills
    .filter(({ role }) => !takersOnly || role === "taker")
    .map((fill) => tradeRow(world, clock, names, fill))
  return paged(rows, page)
}

/** The rows of a leaderboard; an unknown category has none. */
function leaderboard(world: World, query: URLSearchParams, at: EpochMs): ReadonlyArray<Json> {
  const name = query.get("time_period") ?? "day"
  const period = boardPeriods.find((known) => known === name) ?? "day"
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

/** A wallet's activity, by default without deposits; cursors deeper than `depthMax` are rejected. */
function activity(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
  behaviour: DataBehaviour,
): Answer {
  const wallet = walletOf(world, query)
  const limit = limitOf(query)
  const cursor = query.get("cursor") ?? ""
  const after = cursor === "" ? null : parseCursor(cursor)
  if (cursor !== "" && (after === null || after.depth > behaviour.depthMax)) {
    return badRequest("invalid cursor")
  }
  const asOf = cursor === "" ? now - now % Math.max(1, behaviour.cachedMs) : now
  const start = Number(query.get("start")) * second
  const end = Number(query.get("end")) * second
  // A page that repeats rows of the previous page starts half a page early.
  const early = after === null ? 0 : Math.min(after.depth, Math.floor(behaviour.back * limit / 2))
  const found = wallet === undefined ? noRows : activityRows(world, clock, {
    wallet,
    from: start > 0 ? start : clock.fromWorld(now - activityReach),
    to: end > 0 ? end : clock.fromWorld(now),
    after: early === 0 ? after : null,
    limit: early === 0 ? limit : (after?.depth ?? 0) - early + limit,
    now: asOf,
    retentionDays: behaviour.retentionDays,
  })
  const types = query.getAll("type").flatMap((value) => value.toUpperCase().split(","))
  const isIncluded = (activity: Activity) =>
    types.length > 0 ? types.includes(typeOf(activity)) : activity.kind !== "deposit"
  const depth = (after?.depth ?? 0) - early + limit
  return {
    status: 200,
    body: {
      data: found.rows.slice(early === 0 ? 0 : depth - limit).flatMap(({ activity }) =>
        isIncluded(activity) ? [activityRow(clock, activity)] : []
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

const noRows: ActivityRows = { rows: [], next: null, cut: false }

function parseCursor(cursor: string): (ActivityCursor & { readonly depth: number }) | null {
  const text = /^eyJ0cyI6[A-Za-z0-9+/]+=*$/.test(cursor) ? atob(cursor) : ""
  const [, ts, sq, d] = /^\{"ts":(\d{1,12}),"sq":(\d{1,9}),"d":(\d{1,9})\}$/.exec(text) ?? []
  return ts === undefined ? null : { at: Number(ts) * second, rows: Number(sq), depth: Number(d) }
}

function conditionsOf(world: World, query: URLSearchParams) {
  return query.getAll("condition")
    .flatMap((value) => value.split(","))
    .flatMap((id) => world.catalogue.byId(id) ?? [])
}

function walletOf(world: World, query: URLSearchParams): Wallet | undefined {
  const user = query.get("user")?.toLowerCase()
  return world.wallets.find(({ address }) => address === user)
}

function namesOf(world: World): WalletBook {
  return new Map(world.wallets.map((wallet) => [wallet.address, wallet]))
}

function badRequest(error: string): Answer {
  return { status: 400, body: { error, code: "bad_request", retryable: false } }
}
