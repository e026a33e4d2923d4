/**
 * Markets that end soon: chosen from the market store, priced from their live books.
 *
 * @module
 */
import { Array, Clock, Context, Duration, Effect, Layer, Result } from "effect"
import { microstructure, type OrderBook } from "./domain/book.ts"
import type { TokenId } from "./domain/market.ts"
import { BelowThreshold } from "../core/domain/belowThreshold.ts"
import {
  type EndingMarket,
  type ResolvingQuery,
  type ResolvingRow,
  resolvingRows,
} from "./domain/resolving.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { MarketStore } from "./MarketStore.ts"
import { VenueClient } from "./VenueClient.ts"

export class Resolving extends Context.Service<Resolving, {
  /** Fails when no stored market matches the query. Makes no request to the venue. */
  readonly check: (query: ResolvingQuery) => Effect.Effect<void, BelowThreshold>
  /**
   * The nearest end first; never empty. When the venue is unavailable, rows have no microstructure and
   * their prices are those of the last tick.
   */
  readonly list: (query: ResolvingQuery) => Effect.Effect<
    Array.NonEmptyReadonlyArray<ResolvingRow>,
    BelowThreshold
  >
}>()("bellwether/markets/Resolving") {
  static readonly layer = Layer.effect(
    Resolving,
    Effect.gen(function* () {
      const store = yield* MarketStore
      const venue = yield* VenueClient

      const ending = Effect.fnUntraced(function* (query: ResolvingQuery, now: EpochMs) {
        const markets = yield* store.endingWithin(query, now)
        return markets.length === 0 ? yield* none : markets
      })

      const check = Effect.fn("Resolving.check")(function* (query: ResolvingQuery) {
        yield* ending(query, yield* Clock.currentTimeMillis)
      })

      const list = Effect.fn("Resolving.list")(function* (query: ResolvingQuery) {
        const now = yield* Clock.currentTimeMillis
        const markets = yield* ending(query, now)
        const books = yield* liveBooks(venue, markets)
        const live = markets.filter((market) => isLive(market, books))
        const last = yield* store.lastMids(
          live.map(({ id }) => id),
          { notBefore: now - freshMs, atOrBefore: now },
        )
        const rows = resolvingRows(live, (market) => {
          const book = books?.byToken.get(market.tokenIds[0])
          return {
            book: book === undefined ? null : microstructure(book),
            lastMid: last.get(market.id)?.mid,
          }
        }, now)
        return Array.isReadonlyArrayNonEmpty(rows) ? rows : yield* none
      })

      return Resolving.of({ check, list })
    }),
  )
}

/** The greatest age at which a market's last stored mid replaces a missing live book. */
const freshMs = hour
const booksTimeout = Duration.seconds(5)

const none = new BelowThreshold({
  message: "No known market with at least this liquidity ends within these hours",
})

interface Books {
  readonly byToken: ReadonlyMap<TokenId, OrderBook>
  /** Whether a token that is absent has no book at the venue. */
  readonly complete: boolean
}

/** The books of these markets' first outcomes; null when the venue is unavailable. */
const liveBooks = Effect.fnUntraced(function* (
  venue: VenueClient["Service"],
  markets: ReadonlyArray<EndingMarket>,
) {
  const request = venue.books(markets.map(({ tokenIds }) => tokenIds[0])).pipe(
    Effect.timeout(booksTimeout),
  )
  const answer = yield* Effect.result(request)
  if (Result.isFailure(answer)) return null
  const { rows, rejected } = answer.success
  const books: Books = {
    byToken: new Map(rows.map((book) => [book.tokenId, book])),
    complete: Object.keys(rejected).length === 0,
  }
  return books
})

/**
 * The store keeps markets that the venue no longer lists, as they were last seen. When all books are
 * known, a market without a book is one of them: it was decided before its scheduled end.
 */
function isLive({ tokenIds }: EndingMarket, books: Books | null): boolean {
  return books === null || !books.complete || books.byToken.has(tokenIds[0])
}
