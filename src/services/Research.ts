/**
 * The research report on one market: facts from memory and venue, words by the domain's rules.
 *
 * A report is kept for half an hour, and concurrent calls for one market share one making of it.
 *
 * @module
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Layer, Option, Result } from "effect"
import { microstructure } from "../domain/book.ts"
import type { Market, SeriesPoint } from "../domain/market.ts"
import { MarketAmbiguous, MarketNotFound, VenueFailed } from "../domain/refusal.ts"
import { priceActionMs, type Report, reportOf, resampleHourly } from "../domain/research.ts"
import { type EpochMs, hour } from "../domain/time.ts"
import { MarketStore } from "./MarketStore.ts"
import { VenueClient, type VenueUnavailable } from "./VenueClient.ts"

export interface Researched {
  /** Whether the report was made for an earlier call. */
  readonly cached: boolean
  readonly generatedAt: EpochMs
  readonly report: Report
}

export class Research extends Context.Service<Research, {
  /** Fails when the slug is no market's, nor an event's with one live market: no venue is asked. */
  readonly check: (slug: string) => Effect.Effect<void, MarketNotFound | MarketAmbiguous>
  /** Fails with `VenueFailed` when no price or no book can be had; that is not remembered. */
  readonly report: (
    slug: string,
  ) => Effect.Effect<Researched, MarketNotFound | MarketAmbiguous | VenueFailed>
}>()("bellwether/services/Research") {
  static readonly layer = Layer.effect(
    Research,
    Effect.gen(function* () {
      const store = yield* MarketStore
      const venue = yield* VenueClient
      const reports = yield* Cache.makeWith(
        (slug: string) => make(store, venue, slug),
        {
          capacity: reportsMax,
          timeToLive: (exit) => Exit.isSuccess(exit) ? reportKept : Duration.zero,
        },
      )

      const find = Effect.fn("Research.find")(function* (slug: string) {
        const market = yield* store.bySlug(slug)
        if (Option.isSome(market)) return market.value
        const markets = yield* store.liveOfEvent(slug, ambiguousMax)
        const [only, ...others] = markets
        if (only === undefined) return yield* new MarketNotFound({ slug })
        if (others.length === 0) return only
        return yield* new MarketAmbiguous({ slug, markets: markets.map((market) => market.slug) })
      })

      const report = Effect.fn("Research.report")(function* (slug: string) {
        const market = yield* find(slug)
        const held = Option.isSome(yield* Cache.getSuccess(reports, market.slug))
        const made = yield* Cache.get(reports, market.slug)
        return { ...made, cached: held }
      })

      return Research.of({ check: (slug) => Effect.asVoid(find(slug)), report })
    }),
  )
}

/** How long a report is given again, and how many are kept. */
const reportKept = Duration.minutes(30)
const reportsMax = 500
/** Markets of an event that are named to a caller who has to choose. */
const ambiguousMax = 50
/** How long the venue may take over one question. */
const venueTime = Duration.seconds(20)
/** A series with fewer hourly points is too short to speak of: the venue is asked for its history. */
const hoursMin = 24

type Store = MarketStore["Service"]
type Venue = VenueClient["Service"]

const make = Effect.fnUntraced(function* (store: Store, venue: Venue, slug: string) {
  const market = yield* Effect.flatMap(
    store.bySlug(slug),
    (found) => Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(noPrices),
  )
  const now = yield* Clock.currentTimeMillis
  const [[first, ...rest], book] = yield* Effect.all(
    [priceAction(store, venue, market, now), liveBook(venue, market)],
    { concurrency: 2 },
  )
  if (first === undefined) return yield* noPrices
  const facts = { market, priceAction: [first, ...rest] as const, microstructure: book, now }
  return { generatedAt: now, report: reportOf(facts) }
})

const noPrices = new VenueFailed({ message: "No prices of this market can be had" })

/** Our own series, where it is long enough; else the longer of ours and the venue's. */
const priceAction = Effect.fnUntraced(function* (
  store: Store,
  venue: Venue,
  market: Market,
  now: EpochMs,
) {
  const from = now - priceActionMs
  const own = resampleHourly(yield* store.series(market.id, { from, to: now }))
  if (own.length >= hoursMin) return own
  const history = yield* asked(
    venue.priceHistory(market.tokenIds[0], { from, to: now, stepMs: hour }),
  )
  const theirs = resampleHourly(history.map(({ at, price }): SeriesPoint => ({ at, mid: price })))
  return theirs.length > own.length ? theirs : own
})

/** What the book shows; null when there is none, or none that is sound. */
const liveBook = Effect.fnUntraced(function* (venue: Venue, { tokenIds: [token] }: Market) {
  const { rows } = yield* asked(venue.books([token]))
  const book = rows.find(({ tokenId }) => tokenId === token)
  return book === undefined ? null : Result.getOrElse(microstructure(book), () => null)
})

const asked = <A>(question: Effect.Effect<A, VenueUnavailable>) =>
  question.pipe(
    Effect.timeout(venueTime),
    Effect.mapError(() => new VenueFailed({ message: "The venue did not answer" })),
  )
