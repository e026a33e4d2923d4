/**
 * The routes of the simulated Data API: their parameters, pages and limits.
 *
 * @module
 */
import { day, type EpochMs, hour, isoTime, minute, second } from "../../domain/time.ts"
import {
  activityRows,
  priceOf,
  resolutionRow,
  standing,
  tradeRow,
  type WalletBook,
} from "./dataWire.ts"
import type { Route } from "./faults.ts"
import { eventId, type Json } from "./gammaWire.ts"
import type { Fill } from "./tape.ts"
import type { WorldClock } from "./clock.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

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

export function dataAnswer(
  world: World,
  clock: WorldClock,
  route: Route,
  query: URLSearchParams,
  now: EpochMs,
): Answer {
  if (query.has("offset")) return refuse("offset is not supported")
  const page = pageOf(query, now)
  if (page === null) return refuse("invalid cursor")
  switch (route) {
    case "trades":
      return trades(world, clock, query, page)
    case "activity": {
      const wallet = walletOf(world, query)
      if (wallet === undefined) return paged([], page)
      const start = Number(query.get("start")) * second
      const from = start > 0 ? clock.toWorld(start) : page.asOf - activityReach
      const rows = activityRows(world, clock, namesOf(world), wallet, { from, to: page.asOf })
      return paged(rows, page)
    }
    case "positions":
      return positions(world, clock, query, page)
    case "leaderboard":
      return paged(leaderboard(world, query, page.asOf), page)
    case "resolutions": {
      const markets = conditionsOf(world, query)
      if (markets.length > conditionsMax) return refuse("at most 20 conditions")
      const rows = markets.map((market) => resolutionRow(world, clock, market, now))
      return { status: 200, body: { data: rows } }
    }
    case "prices_history":
      return history(world, clock, query, page)
    case "status":
      return { status: 200, body: { data: status(clock.fromWorld(now)) } }
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

function pageOf(query: URLSearchParams, now: EpochMs): Page | null {
  const asked = Math.floor(Number(query.get("limit") ?? rowsDefault))
  const limit = Math.min(rowsMax, Math.max(1, asked || rowsDefault))
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
    : world.fillsOf(wallet, range, wanted)
  const names = namesOf(world)
  const rows = fills
    .filter(({ role }) => !takersOnly || role === "taker")
    .map((fill) => tradeRow(world, clock, names, fill))
  return paged(rows, page)
}

/** Points as Data v2 spells them, a page at a time, oldest first. */
function history(world: World, clock: WorldClock, query: URLSearchParams, page: Page): Answer {
  const start = Number(query.get("start")) * second
  const end = Number(query.get("end") ?? clock.fromWorld(page.asOf) / second) * second
  if (!(start > 0) || end - start > 15 * day + minute) return refuse("interval is too long")
  const bucket = Math.max(60, Number(query.get("bucket_seconds")) || 60)
  const range = { from: clock.toWorld(start), to: Math.min(page.asOf, clock.toWorld(end)) }
  const points = world.history(query.get("token_id") ?? "", range, bucket * second * clock.speed)
  return paged(
    points.map(({ at, price }) => ({
      timestamp: Math.floor(clock.fromWorld(at) / second),
      price,
      resolution_seconds: bucket,
    })),
    page,
  )
}

const spans: { readonly [period: string]: number } = {
  day,
  week: 7 * day,
  month: 30 * day,
  all: 60 * day,
}

function leaderboard(world: World, query: URLSearchParams, at: EpochMs): ReadonlyArray<Json> {
  const span = spans[query.get("time_period") ?? "day"] ?? day
  const byVolume = query.get("sort_by") === "VOLUME"
  return world.wallets
    .map((wallet) => standing(world, wallet, at - span, at))
    .sort((a, b) => byVolume ? b.volume - a.volume : b.pnl - a.pnl)
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

/** What each filter lets through: winners are redeemed at once, so what is redeemable has lost. */
const statusesOf: { readonly [filter: string]: ReadonlyArray<unknown> } = {
  OPEN: ["OPEN", "REDEEMABLE"],
  REDEEMABLE: ["REDEEMABLE"],
  REDEEMABLE_LOST: ["REDEEMABLE"],
  MERGEABLE: [],
  CLOSED: ["CLOSED"],
}

/** A wallet's shares by token, of what it bought within the reach of its activity. */
function positions(world: World, clock: WorldClock, query: URLSearchParams, page: Page): Answer {
  const wallet = walletOf(world, query)
  if (wallet === undefined) return paged([], page)
  const range = { from: page.asOf - activityReach, to: page.asOf }
  const byToken = new Map<string, Array<Fill>>()
  for (const fill of world.fillsOf(wallet, range, Infinity)) {
    const known = byToken.get(fill.tokenId)
    if (known === undefined) byToken.set(fill.tokenId, [fill])
    else known.push(fill)
  }
  const rows = [...byToken.values()].map((fills) =>
    position(world, clock, wallet, fills, page.asOf)
  )
  const wanted = statusesOf[query.get("status") ?? ""]
  return paged(
    wanted === undefined ? rows : rows.filter((row) => wanted.includes(row["status"])),
    page,
  )
}

function position(
  world: World,
  clock: WorldClock,
  wallet: Wallet,
  fills: ReadonlyArray<Fill>,
  at: EpochMs,
): Json {
  const [newest] = fills
  const market = newest === undefined ? undefined : world.catalogue.byId(newest.marketId)
  if (newest === undefined || market === undefined) return {}
  const outcome = market.tokenIds[0] === newest.tokenId ? 0 : 1
  const shares = fills.reduce((sum, { size }) => sum + size, 0)
  const cost = fills.reduce((sum, { size, price }) => sum + size * price, 0)
  const price = priceOf(world, newest, at)
  const resolved = at >= market.resolvedAt
  const open = !resolved || price === 0
  const seconds = (instant: EpochMs) => Math.floor(clock.fromWorld(instant) / second)
  return {
    proxy_wallet: wallet.address,
    token_id: newest.tokenId,
    condition_id: market.id,
    current_size: open ? shares : 0,
    avg_price: Math.round(cost / shares * 1e4) / 1e4,
    entry_cost_usdc: open ? cost : 0,
    entry_fees_usdc: 0,
    total_cost_usdc: cost,
    current_price: price,
    current_value: open ? shares * price : 0,
    total_size: shares,
    realized_pnl: open ? 0 : shares * price - cost,
    unrealized_pnl: open ? shares * price - cost : 0,
    total_pnl: shares * price - cost,
    percent_pnl: percent(shares * price - cost, cost),
    percent_realized_pnl: open ? 0 : percent(shares * price - cost, cost),
    status: resolved ? (price === 0 ? "REDEEMABLE" : "CLOSED") : "OPEN",
    redeemable: resolved && price === 0,
    mergeable: false,
    negative_risk: false,
    archived: false,
    title: market.question,
    slug: market.slug,
    icon: "",
    event_id: eventId(market),
    event_slug: market.eventSlug,
    outcome: market.outcomes[outcome],
    outcome_index: outcome,
    opposite_outcome: market.outcomes[1 - outcome],
    opposite_token_id: market.tokenIds[1 - outcome],
    end_date: isoTime(clock.fromWorld(market.endsAt)).slice(0, 10),
    first_entry_at: seconds(Math.min(...fills.map((fill) => fill.at))),
    last_event_at: seconds(resolved && !open ? market.resolvedAt : newest.at),
    name: wallet.userName,
    profile_image: "",
    verified: false,
  }
}

function percent(part: number, whole: number): number {
  return Math.round(part / whole * 1e6) / 1e4
}

function status(now: EpochMs): Json {
  return {
    computed_at: isoTime(now),
    age_seconds: 4,
    serving: {
      lag_seconds: 4,
      worst: "activity_feed",
      mechanisms: [{ name: "activity_feed", age_seconds: 4 }],
    },
    ingestion: { cursors: 1, network: "simulated", max_synced_block: Math.floor(now / hour) },
  }
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
