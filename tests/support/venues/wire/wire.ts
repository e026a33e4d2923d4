/**
 * The simulated world over HTTP, in the venue's wire format: one server for Gamma, the CLOB and the
 * Data API, so that the real venue's adapter can run against it.
 *
 * @module
 */
import { Clock, Effect, FiberSet, type Scope } from "effect"
import type { EpochMs } from "../../../../src/core/domain/time.ts"
import {
  type VenueOptions,
  type World,
  type WorldClock,
  worldClock,
} from "../../../../src/venues/simulated/world.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { mix } from "../../../../src/venues/simulated/seed.ts"
import { clobBook, clobHistory, clobMarket } from "./clob.ts"
import { dataAnswer } from "./data.ts"
import { type FaultPlan, noFaults, type Route } from "./faults.ts"
import { gammaMarket, type Json } from "./gamma.ts"

export interface WireOptions extends VenueOptions {
  readonly faults?: FaultPlan
  /** The delay of a slow response. */
  readonly slowMs?: number
  /** How long the first page of a wallet's activity is cached. */
  readonly cachedMs?: number
  /** Rows of a wallet's activity that cursors can reach. */
  readonly depthMax?: number
}

/** The exchange's market pages, by market id. */
const marketPath = "/markets/0x"

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Answers one request, and counts the requests of each route for the fault plan. */
type Wire = (request: Request) => Effect.Effect<Response>

const slowMsDefault = 2_000
const depthMaxDefault = 20_000
const pageRowsMax = 100
const pageRowsDefault = 20
const booksMax = 500

export function wire(world: World, options: WireOptions = {}): Wire {
  const { faults = noFaults, slowMs = slowMsDefault, cachedMs = 0 } = options
  const { depthMax = depthMaxDefault, retentionDays = null } = options
  const clock = worldClock(world, options)
  const requestCounts = new Map<Route, number>()
  return Effect.fnUntraced(function* (request: Request) {
    const url = new URL(request.url)
    const route = routeOf(url.pathname)
    if (route === null) return respond({ status: 404, body: { error: "not found" } })
    const nth = requestCounts.get(route) ?? 0
    requestCounts.set(route, nth + 1)
    const fault = faults(route, nth)
    if (fault === "error") return new Response("Internal Server Error", { status: 500 })
    if (fault === "rate_limited") {
      return new Response('{"error":"too many requests"}', {
        status: 429,
        headers: { "retry-after": "1" },
      })
    }
    if (fault === "slow") yield* Effect.sleep(slowMs)
    const sent = yield* Effect.promise(() => request.text())
    const now = clock.toWorld(yield* Clock.currentTimeMillis)
    const back = fault === "duplicate_page" ? 1 : 0
    const answer = route === "markets"
      ? listing(
        world,
        clock,
        url.searchParams,
        now,
        back,
        (market) => gammaMarket(world, clock, market, now),
      )
      : route === "market"
      ? single(
        world.catalogue.byId(url.pathname.slice(marketPath.length - 2)),
        now,
        (market) => clobMarket(world, clock, market, now),
      )
      : route === "books" || route === "book"
      ? books(route, url, sent, (tokenId) => clobBook(world, clock, tokenId, now))
      : route === "prices_history"
      ? clobHistory(world, clock, url.searchParams, now)
      : dataAnswer(world, clock, route, url.searchParams, now, {
        back,
        cachedMs,
        depthMax,
        retentionDays,
      })
    if (fault === "reordered") return respond({ ...answer, body: reordered(answer.body, nth) })
    if (fault === "bad_rows") return respond({ ...answer, body: withBadRows(answer.body) })
    return fault === "truncated" ? respond(answer, 0.5) : respond(answer)
  })
}

/** Listens on a loopback port until the scope closes; returns the base URL of all three APIs. */
export const serveWire = Effect.fnUntraced(function* (
  world: World,
  options: WireOptions = {},
): Effect.fn.Return<string, never, Scope.Scope> {
  const handle = wire(world, options)
  const run = yield* FiberSet.makeRuntimePromise<never, Response, never>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request) => run(handle(request)),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})

function routeOf(path: string): Route | null {
  if (path === "/markets/keyset") return "markets"
  if (path.startsWith(marketPath)) return "market"
  if (path === "/books" || path === "/book") return path === "/books" ? "books" : "book"
  if (path === "/prices-history") return "prices_history"
  const data = /^\/v2\/(trades|resolutions|activity|leaderboard)$/.exec(path)?.[1]
  return data === undefined ? null : data as Route
}

/** A page of the listing. Its cursor encodes the next slot; `back` serves an earlier page. */
function listing(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
  back: number,
  row: (market: SimulatedMarket) => Json,
): Answer {
  if (query.has("offset")) return { status: 422, body: { error: "offset is not supported" } }
  const requested = Number(query.get("limit") ?? pageRowsDefault)
  const limit = Math.min(pageRowsMax, Math.max(1, Math.floor(requested) || pageRowsDefault))
  const ids = query.getAll("condition_ids").flatMap((value) => value.split(","))
  if (ids.length > 0) {
    return {
      status: 200,
      body: { markets: marketsById(world, ids, query, now).slice(0, limit).map(row) },
    }
  }
  const from = slotOf(query.get("after_cursor"))
  if (from === null) return { status: 422, body: { error: "invalid cursor" } }
  const start = Math.max(0, from - back * limit)
  const generationsBack = query.get("closed") === "true" ? 1 : 0
  const endsFrom = Date.parse(query.get("end_date_min") ?? "")
  const markets: Array<Json> = []
  const end = Math.min(world.catalogue.slots, start + limit)
  for (let slot = start; slot < end; slot++) {
    const live = world.catalogue.at(slot, now)
    const market = generationsBack === 0
      ? live
      : world.catalogue.generation(slot, live.generation - 1)
    // A missing or invalid date is NaN, which filters nothing.
    if (!(clock.fromWorld(market.endsAt) < endsFrom)) markets.push(row(market))
  }
  const next = from + limit
  return {
    status: 200,
    body: next < world.catalogue.slots ? { markets, next_cursor: cursorOf(next) } : { markets },
  }
}

/** The markets with these ids that are closed, or open, as the query selects. */
function marketsById(
  world: World,
  ids: ReadonlyArray<string>,
  query: URLSearchParams,
  now: EpochMs,
): ReadonlyArray<SimulatedMarket> {
  const closed = query.get("closed") === "true"
  return [...new Set(ids)].flatMap((id) => {
    const market = world.catalogue.byId(id)
    const isListed = market !== undefined && market.opensAt <= now
    return isListed && market.resolvedAt <= now === closed ? [market] : []
  })
}

function cursorOf(slot: number): string {
  return btoa(JSON.stringify({ slot }))
}

function slotOf(cursor: string | null): number | null {
  if (cursor === null) return 0
  const digits = /^eyJzbG90Ij[A-Za-z0-9+/]+=*$/.test(cursor)
    ? /^\{"slot":(\d{1,8})\}$/.exec(atob(cursor))?.[1]
    : undefined
  return digits === undefined ? null : Number(digits)
}

function single(
  market: SimulatedMarket | undefined,
  now: EpochMs,
  row: (market: SimulatedMarket) => Json,
): Answer {
  return market === undefined || market.opensAt > now
    ? { status: 404, body: { type: "not found error", error: "not found" } }
    : { status: 200, body: row(market) }
}

function books(
  route: "books" | "book",
  url: URL,
  sent: string,
  book: (tokenId: string) => Json | null,
): Answer {
  if (route === "book") {
    const found = book(url.searchParams.get("token_id") ?? "")
    return found === null
      ? { status: 404, body: { error: "No orderbook exists for the requested token id" } }
      : { status: 200, body: found }
  }
  const tokenIds = tokensIn(sent)
  if (tokenIds === null || tokenIds.length > booksMax) {
    return { status: 400, body: { error: "Invalid payload" } }
  }
  return { status: 200, body: tokenIds.map(book).filter((found) => found !== null) }
}

function tokensIn(sent: string): ReadonlyArray<string> | null {
  try {
    const rows: unknown = JSON.parse(sent)
    if (!Array.isArray(rows)) return null
    return rows.map((row: { token_id?: unknown } | null) => String(row?.token_id))
  } catch {
    return null
  }
}

function respond(answer: Answer, share = 1): Response {
  const text = JSON.stringify(answer.body)
  return new Response(text.slice(0, Math.ceil(text.length * share)), {
    status: answer.status,
    headers: { "content-type": "application/json" },
  })
}

/** Shuffles every list in the body, nested ones too, except lists of numbers. */
function reordered(value: unknown, salt: number): unknown {
  if (Array.isArray(value)) {
    if (value.every((part) => typeof part === "number")) return value
    return value
      .map((part, index) => ({ part: reordered(part, salt), place: mix(salt, index) }))
      .sort((a, b) => a.place - b.place)
      .map(({ part }) => part)
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, reordered(part, salt)]),
  )
}

/** Adds invalid rows to every list in the body. */
function withBadRows(body: unknown): unknown {
  const bad = [null, 7, {}, { conditionId: "", outcomes: "[", price: "many" }]
  if (Array.isArray(body)) return [...bad, ...body]
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, part]) => [
      name,
      Array.isArray(part) ? [...bad, ...part] : part,
    ]),
  )
}
