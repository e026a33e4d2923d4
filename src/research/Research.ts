/**
 * The research report on one market: facts from memory, venue and news, words by a narrator, and
 * nothing in them that is not among the facts.
 *
 * A report is kept for half an hour and shared, in its making too, by all replicas.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { Market } from "../markets/domain/market.ts"
import { MarketAmbiguous, MarketNotFound, type VenueFailed } from "./domain/report.ts"
import { reportBrief } from "./domain/facts.ts"
import { templateReport } from "./domain/template.ts"
import { reportComplaints } from "./domain/text.ts"
import { reportOf } from "./domain/research.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { ReportNarrator } from "./ReportNarrator.ts"
import { News } from "../news/News.ts"
import { readMaterial, type ReportPorts, step } from "./reading.ts"
import { ReportStore } from "./ReportStore.ts"
import { type SharedReport, sharedReports } from "./sharedReports.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { EntryStore } from "../whales/EntryStore.ts"
import { writeChecked } from "../writing/writing.ts"

export class Research extends Context.Service<Research, {
  /** Fails when the slug is no market's, nor an event's with one live market: no venue is asked. */
  readonly check: (slug: string) => Effect.Effect<void, MarketNotFound | MarketAmbiguous>
  /**
   * The report, within a minute. Fails with `VenueFailed` when no price or no book can be had; that is
   * told to all who waited for it, and not remembered.
   */
  readonly report: (
    slug: string,
  ) => Effect.Effect<SharedReport, MarketNotFound | MarketAmbiguous | VenueFailed>
  /** Forgets reports that nobody is given any more; returns how many went. */
  readonly prune: Effect.Effect<number>
}>()("bellwether/research/Research") {
  static readonly layer = Layer.effect(
    Research,
    Effect.gen(function* () {
      const markets = yield* MarketStore
      const reports = yield* ReportStore
      const narrator = yield* ReportNarrator
      const ports: ReportPorts = {
        markets,
        venue: yield* VenueClient,
        whales: yield* EntryStore,
        news: yield* News,
      }
      const shared = yield* sharedReports(
        reports,
        (market, deadline) => make(ports, narrator, market, deadline),
      )

      const find = Effect.fn("Research.find")(function* (slug: string) {
        const market = yield* markets.bySlug(slug)
        if (Option.isSome(market)) return market.value
        const ofEvent = yield* markets.liveOfEvent(slug, ambiguousMax)
        const [only, ...others] = ofEvent
        if (only === undefined) return yield* new MarketNotFound({ slug })
        if (others.length === 0) return only
        return yield* new MarketAmbiguous({ slug, markets: ofEvent.map((market) => market.slug) })
      })

      return Research.of({
        check: (slug) => Effect.asVoid(find(slug)),
        report: (slug) => Effect.flatMap(find(slug), shared),
        prune: Effect.gen(function* () {
          return yield* reports.prune((yield* Clock.currentTimeMillis) - rowsKeptMs)
        }),
      })
    }),
  )
}

/** Markets of an event that are named to a caller who has to choose. */
const ambiguousMax = 50
/** How long rows of reports are kept: many times as long as a report is given, to be looked into. */
const rowsKeptMs = Duration.toMillis(Duration.days(1))
/** How long all drafts of a narrator may take; after that the template stands. */
const draftsTime = Duration.seconds(35)
/** What has to be left when the drafts are done: to store the report, and the answer made of it. */
const leftForStoring = Duration.seconds(4)

const make = Effect.fn("Research.make")(function* (
  ports: ReportPorts,
  narrator: ReportNarrator["Service"],
  market: Market,
  deadline: number,
) {
  const material = yield* readMaterial(ports, market)
  const brief = reportBrief(material)
  const left = deadline - Duration.toMillis(leftForStoring) - (yield* Clock.currentTimeMillis)
  const draft = yield* step(
    market.slug,
    `draft by ${narrator.name}`,
    writeChecked({
      text: "report",
      narrator: narrator.name,
      requestDraft: (complaints) => narrator.write(brief, complaints),
      complaints: (draft) => reportComplaints(draft, brief),
      template: templateReport(brief),
      within: Duration.min(draftsTime, Duration.millis(Math.max(0, left))),
    }),
  )
  return reportOf(material, brief, draft)
})
