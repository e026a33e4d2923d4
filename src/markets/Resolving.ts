/**
 * Markets that are expected to resolve soon: chosen from the market store, priced from their live
 * books, ranked by the expected resolution.
 *
 * @module
 */
import { Array, Clock, Context, Duration, Effect, Layer } from "effect"
import type { Market } from "./domain/market.ts"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import {
  type ExpectedMarket,
  priceOf,
  type ResolvingQuery,
  type ResolvingRow,
  resolvingRows,
  soonestMarkets,
} from "./domain/resolving.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { MarketStore } from "./MarketStore.ts"
import { VenueClient, type VenueUnavailable } from "./VenueClient.ts"

export class Resolving extends Context.Service<Resolving, {
  /** Fails when no stored market matches the query. Makes no request to the venue. */
  readonly check: (query: ResolvingQuery) => Effect.Effect<void, BelowThreshold>
  /**
   * The soonest first; never empty. When the venue is unavailable, rows have no microstructure, their
   * prices are those of the last tick, and of a proposal only its existence is known.
   */
  readonly list: (query: ResolvingQuery) => Effect.Effect<
    Array.NonEmptyReadonlyArray<ResolvingRow>,
    BelowThreshold
  >
  /** The markets of `list`, with or without a price; may be empty. */
  readonly expected: (query: ResolvingQuery) => Effect.Effect<ReadonlyArray<ExpectedMarket>>
}>()("bellwether/markets/Resolving") {
  static readonly layer = Layer.effect(
    Resolving,
    Effect.gen(function* () {
      const ports = { store: yield* MarketStore, venue: yield* VenueClient }

      const check = Effect.fn("Resolving.check")(function* (query: ResolvingQuery) {
        const found = yield* candidates(ports, query, yield* Clock.currentTimeMillis)
        if (found.length === 0) return yield* none
      })

      const list = Effect.fn("Resolving.list")(function* (query: ResolvingQuery) {
        const now = yield* Clock.currentTimeMillis
        const { soonest, books } = yield* read(ports, query, now)
        const rows = resolvingRows(
          soonest,
          ({ tokenIds }) => books?.byToken.get(tokenIds[0]),
          now,
        )
        return Array.isReadonlyArrayNonEmpty(rows) ? rows : yield* none
      })

      const expected = Effect.fn("Resolving.expected")(function* (query: ResolvingQuery) {
        const now = yield* Clock.currentTimeMillis
        return (yield* read(ports, query, now)).soonest
      })

      return Resolving.of({ check, list, expected })
    }),
  )
}

interface Ports {
  readonly store: MarketStore["Service"]
  readonly venue: VenueClient["Service"]
}

/**
 * The markets whose price and proposal are read. When a proposal settles is not known before: such
 * markets are ranked by their state, and none is left out.
 */
const candidates = Effect.fnUntraced(function* (
  { store }: Ports,
  query: ResolvingQuery,
  now: EpochMs,
) {
  const markets = yield* store.resolvingCandidates(query, now)
  const listed = (market: Market) => ({
    mid: priceOf(market, undefined, undefined),
    proposal: null,
  })
  return soonestMarkets(markets, listed, query, now, isProposed)
})

const isProposed = ({ status }: Market): boolean => status === "proposed"

/** The markets of the answer, with what was read about them. */
const read = Effect.fnUntraced(function* (ports: Ports, query: ResolvingQuery, now: EpochMs) {
  const markets = (yield* candidates(ports, query, now)).map(({ market }) => market)
  if (markets.length === 0) return { soonest: [], books: null }
  const [books, proposals] = yield* Effect.all([
    liveBooks(ports.venue, markets),
    knownProposals(ports.venue, markets),
  ], { concurrency: 2 })
  const live = markets.filter((market) => isLive(market, books))
  const last = yield* ports.store.lastMids(
    live.map(({ id }) => id),
    { notBefore: now - freshMs, atOrBefore: now },
  )
  const soonest = soonestMarkets(
    live,
    (market) => ({
      mid: priceOf(market, books?.byToken.get(market.tokenIds[0]), last.get(market.id)?.mid),
      proposal: proposals.get(market.id) ?? null,
    }),
    query,
    now,
  )
  return { soonest, books }
})

/** The greatest age at which a market's last stored mid replaces a missing live book. */
const freshMs = hour
const venueTimeout = Duration.seconds(5)
/** Markets whose proposals are requested for one answer: two requests of the adapter. */
const proposalsMax = 200

const none = new BelowThreshold({
  message:
    "No known market with at least this liquidity ends, or is expected to resolve, within these hours",
})

/** The venue's answer; null when it has none in time. */
const inTime = <A>(request: Effect.Effect<A, VenueUnavailable>) =>
  request.pipe(Effect.timeout(venueTimeout), Effect.catch(() => Effect.succeed(null)))

/**
 * The books of these markets' first outcomes, and whether a token that is absent has no book at the
 * venue; null when the venue is unavailable.
 */
const liveBooks = (venue: VenueClient["Service"], markets: ReadonlyArray<Market>) =>
  Effect.map(
    inTime(venue.books(markets.map(({ tokenIds }) => tokenIds[0]))),
    (answer) =>
      answer === null ? null : {
        byToken: new Map(answer.rows.map((book) => [book.tokenId, book])),
        complete: Object.keys(answer.rejected).length === 0,
      },
  )
type Books = Effect.Success<ReturnType<typeof liveBooks>>

/** The proposals of the markets in that state; none when the venue is unavailable. */
const knownProposals = Effect.fnUntraced(function* (
  venue: VenueClient["Service"],
  markets: ReadonlyArray<Market>,
) {
  const ids = markets.flatMap(({ id, status }) => status === "proposed" ? [id] : [])
  const answer = ids.length === 0
    ? null
    : yield* inTime(venue.proposals(ids.slice(0, proposalsMax)))
  return new Map(answer?.rows.map((proposal) => [proposal.marketId, proposal]))
})

/**
 * The store keeps markets that the venue no longer lists, as they were last seen. When all books are
 * known, a market without a book is one of them: it was decided before its scheduled end.
 */
function isLive({ tokenIds }: Market, books: Books): boolean {
  return books === null || !books.complete || books.byToken.has(tokenIds[0])
}
