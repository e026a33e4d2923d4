/**
 * Writes the research report on one market: facts from the stores, the venue and the news, a page of
 * sentences that state them, and the claims of a narrator where they are grounded.
 *
 * A report is cached for half an hour. Replicas share it, also while it is being written.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { Market } from "../markets/domain/market.ts"
import type { BelowThreshold } from "../core/domain/belowThreshold.ts"
import type { DataStale } from "../core/domain/freshness.ts"
import { Freshness } from "../core/Freshness.ts"
import {
  type LookupsExhausted,
  MarketAmbiguous,
  type MarketNotFound,
  type VenueFailed,
} from "./domain/report.ts"
import { reportPage, slotsOf } from "./domain/page.ts"
import { reportOf } from "./domain/research.ts"
import { keptFor, keptReads } from "./keptReads.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { News } from "../news/News.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { ReportMaterial } from "./domain/material.ts"
import { optional, readMaterial, type ReportPorts, walletsRead } from "./reading.ts"
import { ReportStore } from "./ReportStore.ts"
import { reportAgeMax, type SharedReport, sharedReports } from "./sharedReports.ts"
import { ScoreStore } from "../track-record/ScoreStore.ts"
import { TrackRecord } from "../track-record/TrackRecord.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { venueLookup } from "./venueLookup.ts"
import { EntryStore } from "../whales/EntryStore.ts"
import { WalletStore } from "../whales/WalletStore.ts"
import { Narrator } from "../writing/Narrator.ts"
import { writePage } from "../writing/writing.ts"

/** Why the market of a slug is not known. */
type UnknownMarket = MarketNotFound | MarketAmbiguous | VenueFailed | LookupsExhausted

export class Research extends Context.Service<Research, {
  /**
   * Fails where a report would fail: unless the slug is that of a market, or of an event with one live
   * market, the tracked wallets were read, and prices and book can be read. What it read is kept for the
   * report. Does not ask the venue about a known market whose report is in the store.
   */
  readonly check: (slug: string) => Effect.Effect<void, UnknownMarket | BelowThreshold | DataStale>
  /**
   * The report, within a minute. Fails with `VenueFailed` when the price or the book cannot be read,
   * with `BelowThreshold` when neither is recent, and with `DataStale` without the wallets. The failure
   * reaches every caller that waits on this replica, and is not cached.
   */
  readonly report: (
    slug: string,
  ) => Effect.Effect<SharedReport, UnknownMarket | BelowThreshold | DataStale>
  /** Deletes old reports; returns the number deleted. */
  readonly prune: Effect.Effect<number>
}>()("bellwether/research/Research") {
  static readonly layer = Layer.effect(
    Research,
    Effect.gen(function* () {
      const markets = yield* MarketStore
      const reports = yield* ReportStore
      const narrator = yield* Narrator
      const ports: ReportPorts = {
        markets,
        venue: yield* VenueClient,
        whales: yield* EntryStore,
        wallets: yield* WalletStore,
        news: yield* News,
        freshness: yield* Freshness,
        feed: yield* FeedStore,
        trackRecord: yield* TrackRecord,
      }
      const scores = yield* ScoreStore
      const lookUp = venueLookup(ports)
      const kept = keptReads(ports)
      const shared = yield* sharedReports(
        reports,
        (market, deadline) => make(ports, scores, narrator, market, kept.read(market), deadline),
      )

      const find = Effect.fn("Research.find")(function* (slug: string) {
        const market = yield* markets.bySlug(slug)
        if (Option.isSome(market)) return market.value
        const stored = yield* markets.liveOfEvent(slug, ambiguousMax)
        const ofEvent = stored.length > 0 ? stored : yield* lookUp(slug)
        const [only, ...others] = ofEvent
        if (only === undefined) return yield* Effect.die("a lookup returned no market")
        if (others.length === 0) return only
        return yield* new MarketAmbiguous({
          slug,
          markets: ofEvent.slice(0, ambiguousMax).map((market) => market.slug),
        })
      })

      return Research.of({
        check: Effect.fnUntraced(function* (slug) {
          const market = yield* find(slug)
          yield* walletsRead(ports)
          if (yield* reports.isMade(market.id, { ageMax: reportAgeMax, later: keptFor })) return
          yield* kept.check(market)
        }),
        report: (slug) => Effect.flatMap(find(slug), shared),
        prune: Effect.gen(function* () {
          return yield* reports.prune((yield* Clock.currentTimeMillis) - rowRetentionMs)
        }),
      })
    }),
  )
}

/** Markets listed in `MarketAmbiguous`. */
const ambiguousMax = 50
/** Rows outlive the cache, so that operators can inspect them. */
const rowRetentionMs = Duration.toMillis(Duration.days(1))
/** Time limit of the narrator; of a report that was slow to read, what is left before `storingTime`. */
const writingTime = Duration.seconds(53)
/** Time reserved after the writing, to store the report and to answer. */
const storingTime = Duration.seconds(4)

const task =
  `You improve a research report on one market of a prediction market. Its reader, a person or a program, has paid for it and may hold a position: be exact, calm and short. "thesis": what can be decided and with which figures, then what the price did, what came first, and what contradicts it. "whales": what tracked wallets bought, and what their records are worth. "risk": a risk of this market. "bottomLine": what to believe and what to watch; never advise a trade. At most 90 words in the thesis and in the whales, 40 in the others, and fewer where the facts say little.`

const make = Effect.fn("Research.make")(function* (
  ports: ReportPorts,
  scores: ScoreStore["Service"],
  narrator: Narrator["Service"],
  market: Market,
  readingRequired: ReturnType<ReturnType<typeof keptReads>["read"]>,
  deadline: number,
) {
  const material = yield* readMaterial(ports, market, readingRequired)
  const page = reportPage(material)
  const left = deadline - Duration.toMillis(storingTime) - (yield* Clock.currentTimeMillis)
  const written = yield* writePage(narrator, {
    use: "report",
    task,
    facts: page.facts,
    slots: slotsOf(page),
    within: Duration.min(writingTime, Duration.millis(Math.max(0, left))),
  })
  if (yield* storeEstimate(scores, material)) return reportOf(material, page, written)
  const unstored = { ...material, estimate: null }
  return reportOf(unstored, reportPage(unstored), { slots: [], narrator: "template" })
})

/** Time limit of storing the estimate. */
const storeTime = Duration.seconds(2)

/** Stores the estimate, so that it is scored a day later; false when it cannot in time, so it must not be stated. */
const storeEstimate = Effect.fnUntraced(function* (
  scores: ScoreStore["Service"],
  { estimate, market, now }: ReportMaterial,
) {
  if (estimate === null) return true
  const { mid, probability, dayLow: low, dayHigh: high } = estimate
  const store = scores.addForecasts([{
    kind: "price",
    marketId: market.id,
    eventKey: market.eventKey,
    madeAt: now,
    probability,
    baseline: mid,
    // Such an interval is not judged.
    low: low ?? 0,
    high: high ?? 1,
  }])
  return (yield* optional(market.slug, "its estimate, not stored", store, storeTime)) !== null
})
