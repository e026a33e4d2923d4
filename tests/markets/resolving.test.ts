/**
 * `Resolving` equals a brute-force filter over generated markets, books, series and queries, on every
 * store.
 *
 * The filter is written from the specification, in whole numbers; it shares only `expectedResolution`
 * with the service, which has laws of its own.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { layer as markets } from "../../src/markets/postgres/marketStore.ts"
import { mix, uniform } from "../../src/venues/simulated/seed.ts"
import {
  type ExpectedResolution,
  expectedResolution,
} from "../../src/markets/domain/expectedResolution.ts"
import type { Proposal } from "../../src/markets/domain/proposal.ts"
import type { OrderBook } from "../../src/markets/domain/book.ts"
import type { Market } from "../../src/markets/domain/market.ts"
import type { ResolvingRow } from "../../src/markets/domain/resolving.ts"
import { MarketStore, type MidPoint } from "../../src/markets/MarketStore.ts"
import { Resolving } from "../../src/markets/Resolving.ts"
import { VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { now } from "../support/movers/market.ts"
import { resolvingCandidates } from "../support/markets/resolvingCandidates.ts"
import { endingMarket } from "../support/products.ts"
import { onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const hourMs = 3_600_000
const statuses = ["open", "open", "open", "proposed", "resolved", "closed"] as const
const signs = [
  ...[null, null, null, null, null, null],
  ...["recurrence", "slug", "tags", "price_stream"] as const,
] as const
const floors = [1_000, 5_000, 5_000.5, 20_000] as const
const amounts = [0, 999.999999, 1_000, 4_999.99, 5_000, 5_000.5, 20_000, 1_234_567.89] as const
/** Horizons of queries in hours; markets end near them. */
const horizons = [1, 2, 23, 24, 71, 72] as const
const venues = ["up", "up", "up", "partial", "down", "silent"] as const
type VenueState = (typeof venues)[number]

/** A generated market. Prices are in ten-thousandths, mids in halves of them. */
interface Known {
  readonly market: Market
  readonly proposal: Proposal | null
  readonly book: "none" | "one_sided" | "as drawn"
  readonly bid: number
  readonly ask: number
  /** Minutes since the last point of its series; null without one. */
  readonly seen: number | null
  readonly lastMid: number
}

/** Random draws from one seed. */
function dice(seed: number) {
  let count = 0
  const next = () => uniform(mix(seed, count++))
  return {
    chance: (share: number) => next() < share,
    int: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    one: <A>(of: readonly [A, ...ReadonlyArray<A>]): A =>
      of[Math.floor(next() * of.length)] ?? of[0],
  }
}
type Dice = ReturnType<typeof dice>

/** Ends near the horizons, prices near the convergence limits; a few sets have hundreds of markets. */
function marketsOf(draw: Dice): ReadonlyArray<Known> {
  const many = draw.chance(0.1)
  const count = many ? draw.int(200, 900) : draw.int(1, 40)
  return Array.from({ length: count }, (_, n): Known => {
    const edge = draw.one([0, ...horizons]) * hourMs + draw.int(-1, 1)
    const anywhere = draw.int(-hourMs, 75 * hourMs)
    const overdue = -draw.int(1, 40 * 24) * hourMs
    const ends = now + (many || draw.chance(0.5) ? anywhere : draw.chance(0.2) ? overdue : edge)
    const around = draw.one([1_000, 9_000]) + draw.int(-2, 2)
    const wide = draw.int(1, 40)
    const [bid, ask] = draw.chance(0.3)
      ? [around - wide, around + wide]
      : draw.chance(0.1)
      ? [100, 9_900 + draw.int(-801, -799)]
      : [draw.int(1, 9_999), draw.int(1, 9_999)]
    const id = draw.int(1_000, 9_999) * 1_000 + n
    const market = endingMarket(id, now, {
      outcomes: [`Side market-${id}`, "Other side"],
      gameStartsAt: draw.chance(0.7) ? null : now + draw.int(-30 * hourMs, 72 * hourMs),
      endsAt: draw.chance(0.05) ? null : draw.chance(0.2) ? now + 5 * hourMs : ends,
      liquidityUsd: many && draw.chance(0.9) ? 30_000 : draw.one(amounts),
      status: many && draw.chance(0.8) ? "open" : draw.one(statuses),
      mechanical: many && draw.chance(0.7) ? null : draw.one(signs),
      listed: draw.chance(0.5) && bid < ask
        ? { bestBid: bid / 10_000, bestAsk: ask / 10_000 }
        : null,
    })
    const proposedAt = now - draw.int(0, 5 * hourMs)
    return {
      market,
      proposal: market.status !== "proposed" || draw.chance(0.2) ? null : {
        ...{ marketId: market.id, outcome: 0, proposedAt, disputed: draw.chance(0.2) },
        settlesAt: draw.chance(0.5) ? null : proposedAt + 2 * hourMs,
      },
      book: draw.one(["none", "one_sided", ...Array<"as drawn">(6).fill("as drawn")]),
      bid,
      ask,
      seen: draw.chance(0.3) ? null : draw.one([-2, 0, 59, 60, 61, draw.int(-2, 70)]),
      lastMid: draw.chance(0.3)
        ? draw.one([1_999, 2_000, 2_001, 17_999, 18_000, 18_001])
        : draw.int(0, 20_000),
    }
  })
}

function bookOf({ market, book, bid, ask }: Known): OrderBook | null {
  if (book === "none") return null
  return {
    tokenId: market.tokenIds[0],
    bids: book === "one_sided" ? [] : [{ price: bid / 10_000, size: 10 }],
    asks: [{ price: 1, size: 5 }, { price: ask / 10_000, size: 10 }],
    observedAt: now - 1_000,
  }
}

/** The last point, and one half a minute earlier. */
function seriesOf({ market, seen, lastMid }: Known): ReadonlyArray<MidPoint> {
  if (seen === null) return []
  const at = now - seen * 60_000
  const marketId = market.id
  return [{ marketId, at: at - 30_000, mid: 0.123 }, { marketId, at, mid: lastMid / 20_000 }]
}

interface Query {
  readonly withinHours: number
  readonly minLiquidity: number
  readonly includeNoise: boolean
}

/** One row according to the specification. */
interface Expected {
  readonly slug: string
  readonly question: string
  readonly outcome: string
  readonly eventEndDate: string | null
  readonly hoursRemaining: number | null
  readonly expectedResolution: ResolvingRow["expectedResolution"]
  readonly overdue: boolean
  readonly hoursOverdue: number | null
  readonly yesMid: number
  readonly convergence: "contested" | "converged"
  readonly liquidityUsd: number
  /** Bid and ask of the valid book; null without one, undefined after the ten nearest. */
  readonly book: readonly [number, number] | null | undefined
}

interface Ranked {
  readonly known: Known
  readonly mid: number | null
  readonly expected: ExpectedResolution
}

/** Ranks markets by their expected resolution, at most 400; `mid` in half ten-thousandths. */
function ranked(
  markets: ReadonlyArray<{ readonly known: Known; readonly mid: number | null }>,
  proposalOf: (known: Known) => Proposal | null,
  isSelected: (found: ExpectedResolution, known: Known) => boolean,
): ReadonlyArray<Ranked> {
  return markets
    .flatMap(({ known, mid }) => {
      const evidence = { market: known.market, mid: mid === null ? null : mid / 20_000 }
      const proposal = proposalOf(known)
      const expected = expectedResolution({ ...evidence, proposal }, now)
      return expected !== null && isSelected(expected, known) ? [{ known, mid, expected }] : []
    })
    .toSorted((a, b) =>
      a.expected.at - b.expected.at || (a.known.market.slug < b.known.market.slug ? -1 : 1)
    )
    .slice(0, 400)
}

const listedOf = ({ market, bid, ask }: Known) => market.listed === null ? null : bid + ask

const within = ({ withinHours }: Query) => ({ at }: ExpectedResolution, { market }: Known) => {
  const ahead = (market.endsAt ?? 0) - now
  return at - now <= withinHours * hourMs || ahead > 0 && ahead <= withinHours * hourMs
}

/** The markets whose books are read, ranked by what the store knows. */
function matching(all: ReadonlyArray<Known>, query: Query): ReadonlyArray<Known> {
  const byId = new Map(all.map((known) => [known.market.id, known]))
  const candidates = resolvingCandidates(all.map(({ market }) => market), query, now)
    .flatMap(({ id }) => byId.get(id) ?? [])
    .map((known) => ({ known, mid: listedOf(known) }))
  return ranked(
    candidates,
    () => null,
    (found, known) => within(query)(found, known) || known.market.status === "proposed",
  ).map(({ known }) => known)
}

/** The price of a book in half ten-thousandths; a side that is left alone counts beyond 3 and 97. */
function priceOfBook(book: OrderBook | null, { bid, ask }: Known): number | null {
  if (book === null) return null
  if (book.bids.length === 0) return ask <= 300 ? ask : null
  return bid < ask && ask - bid <= 9_000 ? bid + ask : null
}

function expected(
  all: ReadonlyArray<Known>,
  query: Query,
  venue: VenueState,
): ReadonlyArray<Expected> {
  const isUp = venue === "up" || venue === "partial"
  const live = matching(all, query).flatMap((known) => {
    const { market, seen } = known
    const book = isUp ? bookOf(known) : null
    if (venue === "up" && book === null) return []
    const fresh = seen === null || seen > 60 ? null : seen >= 0 ? known.lastMid : null
    const mid = priceOfBook(book, known) ?? fresh ??
      (market.listed === null ? null : listedOf(known))
    return [{ known, mid }]
  })
  const proposals = (known: Known) => isUp ? known.proposal : null
  const priced = ranked(live, proposals, within(query))
    .flatMap(({ mid, ...rest }) => mid === null ? [] : [{ ...rest, mid }])
  return priced.slice(0, 200).map(({ known, mid, expected }, n): Expected => {
    const { market, bid, ask } = known
    const proposal = proposals(known)
    const hours = (ms: number) => Math.floor((ms + 18_000) / 36_000) / 100
    const { at, probability24h, basis, scheduledAt } = expected
    const isValid = isUp && known.book === "as drawn" && bid < ask && ask - bid <= 9_000
    const overdue = scheduledAt !== null && scheduledAt < now
    return {
      slug: market.slug,
      question: market.question,
      outcome: `Side ${market.slug}`,
      eventEndDate: market.endsAt === null ? null : new Date(market.endsAt).toISOString(),
      hoursRemaining: market.endsAt === null ? null : hours(Math.max(0, market.endsAt - now)),
      expectedResolution: {
        at: new Date(at).toISOString(),
        hoursRemaining: hours(at - now),
        probability24h: Math.round(probability24h * 1_000) / 1_000,
        basis,
        proposed: proposal === null ? null : market.outcomes[proposal.outcome],
      },
      overdue,
      hoursOverdue: overdue ? hours(now - scheduledAt) : null,
      yesMid: mid / 20_000,
      convergence: mid <= 2_000 || mid >= 18_000 ? "converged" : "contested",
      liquidityUsd: market.liquidityUsd,
      book: n < 10 ? (isValid ? [bid / 10_000, ask / 10_000] : null) : undefined,
    }
  })
}

function comparable({ microstructure, ...row }: ResolvingRow): Expected {
  return {
    ...row,
    book: microstructure === undefined
      ? undefined
      : microstructure && [microstructure.bestBid, microstructure.bestAsk],
  }
}

const venueOf = (all: ReadonlyArray<Known>, state: VenueState) =>
  Layer.mock(VenueClient, {
    wallets: null,
    proposals: (ids) => {
      if (state !== "up" && state !== "partial") {
        return Effect.fail(new VenueUnavailable({ operation: "proposals", reason: "down" }))
      }
      ok(ids.length <= 200, "too many proposals requested")
      const rows = all.flatMap(({ proposal }) => proposal ?? []).filter(({ marketId }) =>
        ids.includes(marketId)
      )
      return Effect.succeed({ rows, rejected: {} })
    },
    books: (tokenIds) => {
      if (state === "silent") {
        // Yields until the caller waits, then moves the clock past its timeout.
        return Effect.repeat(Effect.yieldNow, { times: 20 }).pipe(
          Effect.andThen(TestClock.adjust("6 seconds")),
          Effect.andThen(Effect.never),
        )
      }
      if (state === "down") {
        return Effect.fail(new VenueUnavailable({ operation: "books", reason: "down" }))
      }
      const requested = new Set(tokenIds)
      ok(requested.size === tokenIds.length && requested.size <= 400, "too many tokens requested")
      const rows = all.flatMap((known) => bookOf(known) ?? []).filter(({ tokenId }) =>
        requested.has(tokenId)
      )
      return Effect.succeed({ rows, rejected: state === "partial" ? { unavailable: 1 } : {} })
    },
  })

const setsFull = 520
const sets = sized({ short: 60, full: setsFull })
const queriesPerSet = 6

onEveryStore("Resolving", (law) => {
  law(
    "list() equals a brute-force filter, and check() fails when it is empty",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      // How often each case occurred.
      const seen = { queries: 0, empty: 0, full: 0, noise: 0, withoutBook: 0, rows: 0, down: 0 }
      for (let seed = 1; seed <= sets; seed++) {
        const draw = dice(mix(seed, 0x4e501))
        const all = marketsOf(draw)
        yield* sql`TRUNCATE market, market_quote, mid_series, mid_hour`
        const store = yield* MarketStore
        yield* store.save(all.map(({ market }) => market), now)
        yield* store.appendMids(all.flatMap(seriesOf))
        for (let count = 0; count < queriesPerSet; count++) {
          const query = {
            withinHours: draw.chance(0.7) ? draw.one(horizons) : draw.int(1, 72),
            minLiquidity: draw.chance(0.8) ? draw.one(floors) : draw.int(1_000, 50_000),
            includeNoise: draw.chance(0.5),
          }
          const state = draw.one(venues)
          yield* TestClock.setTime(now)
          const answer = yield* Effect.gen(function* () {
            const resolving = yield* Resolving
            const checked = yield* Effect.result(resolving.check(query))
            strictEqual(Result.isSuccess(checked), matching(all, query).length > 0)
            return yield* Effect.result(resolving.list(query))
          }).pipe(Effect.provide(Resolving.layer.pipe(Layer.provide(venueOf(all, state)))))
          const rows = Result.isSuccess(answer) ? answer.success.map(comparable) : []
          equal(rows, expected(all, query, state), `set ${seed}, ${JSON.stringify(query)}`)
          if (Result.isFailure(answer)) strictEqual(answer.failure._tag, "BelowThreshold")
          seen.queries++
          if (rows.length === 0) seen.empty++
          if (rows.length === 200) seen.full++
          if (query.includeNoise && rows.length > 0) seen.noise++
          if (rows.some(({ book }) => book === null)) seen.withoutBook++
          if (state === "down" || state === "silent") seen.down++
          seen.rows += rows.length
        }
      }
      const counts = JSON.stringify(seen)
      const share = sets / setsFull
      ok(seen.queries === sets * queriesPerSet && seen.full > 20 * share, counts)
      ok(seen.rows > 15_000 * share, counts)
      ok(Math.min(seen.noise, seen.withoutBook, seen.down) > 300 * share, counts)
      ok(seen.empty > 100 * share && seen.empty < seen.queries / 2, counts)
    }).pipe(Effect.provide(markets), Effect.provide(TestClock.layer())),
  )
})
