/**
 * The adapter against the simulated world over a socket: it reads the world's data exactly, despite
 * faults.
 *
 * @module
 */
import { Clock, Effect, type Scope, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { layer as polymarket } from "../../../src/venues/polymarket/venue.ts"
import { type Fault, type FaultPlan, faults, noFaults } from "../../support/venues/wire/faults.ts"
import { serveWire } from "../../support/venues/wire/wire.ts"
import { makeWorld, type World } from "../../../src/venues/simulated/world.ts"
import type { Market } from "../../../src/markets/domain/market.ts"
import { day, minute, second } from "../../../src/core/domain/time.ts"
import { VenueClient, type VenueUnavailable } from "../../../src/markets/VenueClient.ts"
import { liveTest, startingAt } from "../../support/effect.ts"
import { recordedAt, unpaced } from "../../support/venues/polymarket.ts"

const limits = {
  perTenSeconds: unpaced,
  pageRows: 40,
  retryDelayMs: 2,
  retryAfterMsMax: 5,
  timeoutMs: 250,
  bookBatch: 50,
}

const slots = 130

function equal(actual: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: got ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
}

/** Runs `use` on the adapter over a world; the clock starts at `recordedAt`. */
function overSocket<A>(
  plan: FaultPlan,
  use: (world: World) => Effect.Effect<A, VenueUnavailable, VenueClient>,
): Effect.Effect<A, VenueUnavailable, Scope.Scope> {
  const used = Effect.gen(function* () {
    const origin = yield* Clock.currentTimeMillis
    const world = makeWorld({ seed: 23, markets: slots, origin })
    const url = yield* serveWire(world, { faults: plan, slowMs: 350 })
    const venue = polymarket({ gammaUrl: url, clobUrl: url, dataUrl: `${url}/v2`, limits })
    return yield* use(world).pipe(Effect.provide(venue), Effect.provide(FetchHttpClient.layer))
  })
  return startingAt(recordedAt, used)
}

/** The fields of a market that do not change within a second. */
function stableFields(market: Market) {
  const { id, slug, question, eventSlug, url, outcomes, tokenIds, takerFeeRate } = market
  const endsAt = market.endsAt === null ? null : Math.floor(market.endsAt / second)
  const mechanical = market.mechanical !== null
  return {
    id,
    slug,
    question,
    eventSlug,
    url,
    outcomes,
    tokenIds,
    takerFeeRate,
    endsAt,
    mechanical,
  }
}

const worldNow = (world: World) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => new Map(world.list(now, 0, slots).map((market) => [market.id, market])),
  )

/** Checks that a market live before and after the sweep is in it, and no other is. */
const listsTheWorld = Effect.fnUntraced(function* (world: World) {
  const { listMarkets } = yield* VenueClient
  const before = yield* worldNow(world)
  const pages = yield* Stream.runCollect(listMarkets)
  const after = yield* worldNow(world)
  const listed = new Map(pages.flatMap(({ rows }) => rows).map((market) => [market.id, market]))
  for (const [id, market] of before) {
    const found = listed.get(id)
    if (!after.has(id)) continue
    if (found === undefined) throw new Error(`${market.slug} is missing`)
    equal(stableFields(found), stableFields(market), market.slug)
  }
  const unknown = [...listed.keys()].filter((id) => !before.has(id) && !after.has(id))
  equal(unknown, [], "unknown markets")
  return pages
})

/** The fault twice for every page, so each page is requested three times. */
const twice = (fault: Fault): FaultPlan => (_, nth) => nth % 3 < 2 ? fault : null

for (const fault of faults) {
  liveTest(
    `listMarkets returns the world's markets over a socket despite ${fault}`,
    () => overSocket(twice(fault), listsTheWorld),
  )
}

liveTest("listMarkets counts invalid rows, and nothing else", () =>
  Effect.gen(function* () {
    const valid = yield* overSocket(noFaults, listsTheWorld)
    const damaged = yield* overSocket(() => "bad_rows", listsTheWorld)
    const pages = Math.ceil(slots / limits.pageRows)
    const counts = (all: typeof valid) => all.map(({ rejected }) => rejected)
    equal(counts(valid).filter((rejected) => Object.keys(rejected).length > 0), [], "valid")
    const bad = { undecodable: 2, missing_id: 2 }
    // The pass by volume has as many pages, each with invalid rows.
    equal(counts(damaged), Array.from({ length: 2 * pages }, () => bad), "damaged")
  }))

liveTest(
  "overdue and undated markets are found by volume, and only they are",
  () =>
    overSocket(noFaults, (world) =>
      Effect.gen(function* () {
        const listed = yield* listsTheWorld(world)
        const markets = listed.flatMap(({ rows }) => rows)
        const now = yield* Clock.currentTimeMillis
        const isHidden = ({ endsAt }: Market) => endsAt === null || endsAt < now - 30 * day
        const kinds = [({ endsAt }: Market) => endsAt === null, isHidden].map((is) =>
          markets.filter(is).length
        )
        equal(kinds.every((count) => count > 0 && count < slots), true, `${kinds}`)
        equal(markets.length, slots, "each market once")
        const pages = Math.ceil(slots / limits.pageRows)
        const first = listed.slice(0, pages).flatMap(({ rows }) => rows)
        equal([first.filter(isHidden), markets.length - first.length], [[], kinds[1]], "passes")
      })),
)

for (const fault of ["error", "truncated", "reordered"] as const) {
  liveTest(
    `books() returns the world's books despite ${fault}`,
    () =>
      overSocket(twice(fault), (world) =>
        Effect.gen(function* () {
          const { books } = yield* VenueClient
          const before = yield* worldNow(world)
          const tokens = [...before.values()].map(({ tokenIds }) => tokenIds[0])
          const { rows } = yield* books(tokens)
          const after = yield* Clock.currentTimeMillis
          for (const book of rows) {
            const truth = world.book(book.tokenId, book.observedAt)
            const level = ({ price, size }: { price: number; size: number }) => `${price}x${size}`
            const levels = (
              of: typeof book | undefined,
            ) => [of?.bids.map(level).sort(), of?.asks.map(level).sort()]
            equal(levels(book), levels(truth), book.tokenId)
          }
          const missing = tokens.filter((token) =>
            world.book(token, after) !== undefined && !rows.some(({ tokenId }) => tokenId === token)
          )
          equal(missing, [], "books missing")
        })),
  )
}

liveTest(
  "trades() returns the world's fills, in order, despite errors",
  () =>
    overSocket(twice("error"), (world) =>
      Effect.gen(function* () {
        const { trades } = yield* VenueClient
        const now = yield* Clock.currentTimeMillis
        const since = Math.floor((now - 60 * minute) / second) * second
        let compared = 0
        for (const { id } of world.list(now, 0, 8)) {
          const market = world.catalogue.byId(id)
          if (market === undefined) continue
          const { rows, rejected } = yield* trades(id, since)
          const fill = (
            { tokenId, side, price, size, at }: Omit<typeof rows[number], "marketId">,
          ) => `${tokenId} ${side} ${price} ${size} ${Math.floor(at / second)}`
          const truth = world.trades(market, { from: since, to: now }, 1_000).map(fill)
          const found = rows.filter(({ at }) => at < Math.floor(now / second) * second).map(fill)
          const expected = truth.filter((line) =>
            Number(line.split(" ").at(-1)) < Math.floor(now / second)
          )
          equal(found.sort(), expected.sort(), id)
          equal(rejected, {}, "rejected")
          compared += found.length
        }
        if (compared === 0) throw new Error("No fill was compared")
      })),
)
