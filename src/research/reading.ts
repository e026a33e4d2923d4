/**
 * What a research report is made from, read for one market: prices and book must be had, all else may
 * be missing, and is then said to be.
 *
 * Each step leaves a line in the log: the market, the step, how long it took.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit, Result } from "effect"
import { microstructure } from "../markets/domain/book.ts"
import type { Proposal } from "../markets/domain/proposal.ts"
import type { Market, SeriesPoint, Slug } from "../markets/domain/market.ts"
import { VenueFailed } from "./domain/report.ts"
import {
  entriesReadMax,
  headlinesReadMax,
  type RelatedNews,
  type ReportMaterial,
} from "./domain/material.ts"
import { priceActionMs, resampleHourly } from "./domain/research.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import type { MarketStore } from "../markets/MarketStore.ts"
import type { News } from "../news/News.ts"
import type { VenueClient, VenueUnavailable } from "../markets/VenueClient.ts"
import type { EntryStore } from "../whales/EntryStore.ts"
import type { OpenEntry } from "../whales/domain/storedEntry.ts"

/** How long the venue may take over one question; all of them are asked at once. */
const venueTime = Duration.seconds(14)
/** How long our own store may take over what a report can do without. */
const memoryTime = Duration.seconds(5)
/** A series with fewer hourly points is too short to speak of: the venue is asked for its history. */
const hoursMin = 24

export interface ReportPorts {
  readonly markets: MarketStore["Service"]
  readonly venue: VenueClient["Service"]
  readonly whales: EntryStore["Service"]
  readonly news: News["Service"]
}

/** Everything at once; fails when no price is known, or the venue does not answer. */
export const readMaterial = Effect.fnUntraced(function* (ports: ReportPorts, market: Market) {
  const now = yield* Clock.currentTimeMillis
  const { slug } = market
  const [[first, ...rest], book, entries, news, proposal] = yield* Effect.all([
    step(slug, "prices", priceAction(ports, market, now)),
    step(slug, "book", liveBook(ports, market)),
    step(slug, "wallets", entriesIn(ports, market)),
    step(slug, "news", relatedNews(ports, market, now)),
    step(slug, "proposal", proposalOf(ports, market)),
  ], { concurrency: "unbounded" })
  if (first === undefined) return yield* noPrices
  const material: ReportMaterial = {
    ...{ market, now, entries, news, proposal },
    priceAction: [first, ...rest],
    microstructure: book,
  }
  return material
})

/** Runs a step of a report, and says how it went and how long it took. */
export const step = <A, E, R>(slug: Slug, name: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    return yield* Effect.onExit(work, (exit) =>
      Effect.flatMap(Clock.currentTimeMillis, (ended) => {
        const how = Exit.isSuccess(exit) ? "done" : "failed"
        return Effect.logInfo(
          `Research of ${slug}: ${name} ${how} after ${(ended - started) / 1_000} s`,
        )
      }))
  })

const noPrices = new VenueFailed({ message: "No prices of this market can be had" })

/** Our own series, where it is long enough; else the longer of ours and the venue's. */
const priceAction = Effect.fnUntraced(function* (
  { markets, venue }: ReportPorts,
  market: Market,
  now: EpochMs,
) {
  const from = now - priceActionMs
  const own = resampleHourly(yield* markets.series(market.id, { from, to: now }))
  if (own.length >= hoursMin) return own
  const history = yield* asked(
    venue.priceHistory(market.tokenIds[0], { from, to: now, stepMs: hour }),
  )
  const theirs = resampleHourly(history.map(({ at, price }): SeriesPoint => ({ at, mid: price })))
  return theirs.length > own.length ? theirs : own
})

/** What the book shows; null when there is none, or none that is sound. */
const liveBook = Effect.fnUntraced(function* (
  { venue }: ReportPorts,
  { tokenIds: [token] }: Market,
) {
  const { rows } = yield* asked(venue.books([token]))
  const book = rows.find(({ tokenId }) => tokenId === token)
  return book === undefined ? null : Result.getOrElse(microstructure(book), () => null)
})

const asked = <A>(question: Effect.Effect<A, VenueUnavailable>) =>
  question.pipe(
    Effect.timeout(venueTime),
    Effect.mapError(() => new VenueFailed({ message: "The venue did not answer" })),
  )

const entriesIn = ({ whales }: ReportPorts, { id, slug }: Market) =>
  optional<ReadonlyArray<OpenEntry>>(slug, "wallets", whales.entriesIn(id, entriesReadMax))

const relatedNews = ({ news }: ReportPorts, market: Market, now: EpochMs) =>
  optional<RelatedNews>(
    market.slug,
    "news",
    Effect.map(
      news.relatedTo(market, now - priceActionMs, headlinesReadMax),
      ({ headlines, coverage: { sources, answered } }) => ({ headlines, sources, answered }),
    ),
  )

/** Only a market that has one is asked about. */
const proposalOf = ({ venue }: ReportPorts, { id, slug, status }: Market) =>
  status !== "proposed" ? Effect.succeed(null) : optional<Proposal | null>(
    slug,
    "proposal",
    Effect.map(
      venue.proposals([id]),
      ({ rows }) => rows.find(({ marketId }) => marketId === id) ?? null,
    ),
  )

/** Null instead of whatever goes wrong: the report says what it was made without. */
const optional = <A>(slug: Slug, what: string, work: Effect.Effect<A, unknown>) =>
  work.pipe(
    Effect.timeout(memoryTime),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Research of ${slug} is made without ${what}`, cause), null)
    ),
  )
