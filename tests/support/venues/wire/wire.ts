/**
 * The simulated world over HTTP, in the venue's wire format: one server for Gamma, the CLOB and the
 * Data API, so that the real venue's adapter can run against it.
 *
 * @module
 */
import { Clock, Effect, FiberSet, type Scope } from "effect"
import type { EpochMs } from "../../../../src/core/domain/time.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { mix } from "../../../../src/venues/simulated/seed.ts"
import { clobBook, clobHistory, clobMarket } from "./clob.ts"
import { type ClockOptions, type WorldClock, worldClock } from "./clock.ts"
import { dataAnswer } from "./data.ts"
import { type FaultPlan, noFaults, type Route } from "./faults.ts"
import { gammaMarket, type Json } from "./gamma.ts"
import { refusalOf } from "../requestRules.ts"

export interface WireOptions extends ClockOptions {
  readonly faults?: FaultPlan
  /** The delay of a slow response. */
  readonly slowMs?: number
  /** Activity older than this many days is not available; by default all is. */
  readonly retentionDays?: number
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
const pageRowsMax = 100
const pageRowsDefault = 20

export function wire(world: World, options: WireOptions = {}): Wire {
  const { faults = noFaults, slowMs = slowMsDefault, retentionDays = null } = options
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
    const refusal = refusalOf(request.method, url, sent)
    if (refusal !== null) return respond({ status: 400, body: { error: refusal } })
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
      : route === "events"
      ? events(
        listedNow(world, now).filter(({ eventSlug }) => eventSlug === url.searchParams.get("slug")),
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
      : dataAnswer(world, clock, route, url.searchParams, now, { retentionDays })
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
  if (path === "/events/keyset") return "events"
  if (path.startsWith(marketPath)) return "market"
  if (path === "/books" || path === "/book") return path === "/books" ? "books" : "book"
  if (path === "/prices-history") return "prices_history"
  const data = /^\/v2\/(trades|resolutions|activity|leaderboard)$/.exec(path)?.[1]
  return data === undefined ? null : data as Route
}

/**
 * A page of the listing: in the order of slots, or of the volume of the last 24 hours. Its cursor is
 * the place after its last market; `back` serves an earlier page.
 */
function listing(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
  back: number,
  row: (market: SimulatedMarket) => Json,
): Answer {
  const requested = Number(query.get("limit") ?? pageRowsDefault)
  const limit = Math.min(pageRowsMax, Math.max(1, Math.floor(requested) || pageRowsDefault))
  const ids = query.getAll("condition_ids")
  if (ids.length > 0) {
    return {
      status: 200,
      body: { markets: marketsById(world, ids, query, now).slice(0, limit).map(row) },
    }
  }
  const slug = query.get("slug")
  if (slug !== null) {
    const named = listedNow(world, now).filter((market) => market.slug === slug)
    return { status: 200, body: { markets: named.map(row) } }
  }
  const order = query.get("order")
  const after = placeOf(query.get("after_cursor"))
  if (after === null) return { status: 422, body: { error: "invalid cursor" } }
  const { slots } = world.catalogue
  const places = order === null ? null : placesByVolume(world, clock, query, now)
  const found = places === null
    ? after.slot + 1
    : places.findIndex((place) => byPlace(place, after) > 0)
  const from = found < 0 ? slots : found
  const start = Math.max(0, from - back * limit)
  const placeAt = (n: number): Place => places?.[n] ?? { sortKey: 0, slot: n }
  const page = Array.from({ length: Math.min(limit, slots - start) }, (_, n) => placeAt(start + n))
  const markets = page.map(({ slot }) => marketIn(world, slot, query, now))
    .filter(isRequested(clock, query)).map(row)
  return {
    status: 200,
    body: from + limit < slots
      ? { markets, next_cursor: cursorOf(placeAt(from + limit - 1)) }
      : { markets },
  }
}

/** Where a market stands in an order: by `sortKey`, then by slot. */
interface Place {
  readonly sortKey: number
  readonly slot: number
}

const byPlace = (a: Place, b: Place) => a.sortKey - b.sortKey || a.slot - b.slot

/** The market of a slot that is closed, or open, as the query selects. */
function marketIn(world: World, slot: number, query: URLSearchParams, now: EpochMs) {
  const live = world.catalogue.at(slot, now)
  return query.get("closed") === "true"
    ? world.catalogue.generation(slot, live.generation - 1)
    : live
}

/** Sorting tens of thousands of markets for each page is slow, so an order is used for a while. */
const orderAgeMsMax = 60_000
const orders = new WeakMap<World, { key: string; at: EpochMs; places: ReadonlyArray<Place> }>()

/** All markets by volume of 24 hours, in the query's direction. */
function placesByVolume(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  now: EpochMs,
): ReadonlyArray<Place> {
  const key = `${query.get("closed")} ${query.get("ascending")}`
  const at = clock.fromWorld(now)
  const known = orders.get(world)
  if (known?.key === key && Math.abs(at - known.at) < orderAgeMsMax) return known.places
  const sign = query.get("ascending") === "false" ? -1 : 1
  const places = Array.from({ length: world.catalogue.slots }, (_, slot): Place => {
    const { volume24hUsd } = world.listed(marketIn(world, slot, query, now), now)
    return { sortKey: sign * (volume24hUsd ?? 0), slot }
  }).sort(byPlace)
  orders.set(world, { key, at, places })
  return places
}

/** A missing or invalid bound filters nothing; a market without an end is in no range of ends. */
function isRequested(clock: WorldClock, query: URLSearchParams) {
  const least = Date.parse(query.get("end_date_min") ?? "")
  return ({ listedEndsAt }: SimulatedMarket) =>
    Number.isNaN(least) || listedEndsAt !== null && clock.fromWorld(listedEndsAt) >= least
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

/** The open markets. */
function listedNow(world: World, now: EpochMs): ReadonlyArray<SimulatedMarket> {
  return Array.from({ length: world.catalogue.slots }, (_, slot) => world.catalogue.at(slot, now))
    .filter(({ resolvedAt }) => resolvedAt > now)
}

/** The row of the event of these markets; its markets do not contain it. */
function events(
  markets: ReadonlyArray<SimulatedMarket>,
  row: (market: SimulatedMarket) => Json,
): Answer {
  const rows = markets.map(row)
  const [event] = rows.flatMap(({ events }) => events as ReadonlyArray<Json>)
  const ownMarkets = rows.map(({ events: _, ...rest }) => rest)
  const body = { events: event === undefined ? [] : [{ ...event, markets: ownMarkets }] }
  return { status: 200, body }
}

function cursorOf({ sortKey, slot }: Place): string {
  return btoa(JSON.stringify({ sortKey, slot }))
}

/** Before the first market when there is no cursor; null when the cursor is invalid. */
function placeOf(cursor: string | null): Place | null {
  if (cursor === null) return { sortKey: -Infinity, slot: -1 }
  const digits = /^eyJzb3J0S2V5Ij[A-Za-z0-9+/]+=*$/.test(cursor)
    ? /^\{"sortKey":(-?[\d.]{1,20}),"slot":(\d{1,8})\}$/.exec(atob(cursor))
    : null
  return digits === null ? null : { sortKey: Number(digits[1]), slot: Number(digits[2]) }
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
  const rows: ReadonlyArray<{ readonly token_id: string }> = JSON.parse(sent)
  return {
    status: 200,
    body: rows.map((row) => book(row.token_id)).filter((found) => found !== null),
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
