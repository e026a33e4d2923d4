/**
 * Finds live markets whose outcome is already known, and publishes them as predetermined items. It
 * loads the input of the pure rules (`domain/predetermined.ts`), cheapest first.
 *
 * An item is appended to the feed before its market is stored as published. After a crash between the
 * two the feed skips the item, because its dedupe key names the market. A market whose proposal is not
 * available waits for the next tick, because no item may contradict the venue. A tick continues without
 * the news.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { Proposal } from "../markets/domain/proposal.ts"
import type { MarketId } from "../markets/domain/market.ts"
import { predeterminedItem } from "./domain/predetermined.ts"
import { predeterminedJob } from "../core/domain/freshness.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { ContestedRecord } from "./ContestedRecord.ts"
import { DetectionStore } from "./DetectionStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { News } from "../news/News.ts"
import { NewsReader } from "../news/NewsReader.ts"
import {
  decidedMarkets,
  type DetectionProgress,
  type DetectionServices,
  findCandidates,
  type OpenDecided,
  openMarkets,
  readProposals,
  storiesByMarket,
  withOpenPrice,
} from "./candidates.ts"
import { runTick, type TickReport } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

const stageLimits = {
  markets: Duration.seconds(30),
  /** Longer than the model is waited for. */
  news: Duration.minutes(4),
  proposals: Duration.minutes(1),
  candidates: Duration.seconds(10),
  books: Duration.seconds(30),
  publishing: Duration.seconds(30),
} as const
type Stage = keyof typeof stageLimits

/** The counts of one tick. */
interface PredeterminedReport extends TickReport<Stage> {
  /** Live markets with a recent, open price. */
  readonly markets: number
  /** Those whose outcome is known. */
  readonly known: number
}

export class Predetermined extends Context.Service<Predetermined, {
  /** Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<PredeterminedReport>
}>()("bellwether/predetermined/Predetermined") {
  static readonly layer = (options: { readonly tick: Duration.Duration }) =>
    Layer.effect(
      Predetermined,
      Effect.gen(function* () {
        const services = {
          venue: yield* VenueClient,
          markets: yield* MarketStore,
          feed: yield* FeedStore,
          news: yield* News,
          reader: yield* NewsReader,
          detections: yield* DetectionStore,
          record: yield* ContestedRecord,
        }
        const tickIntervalMs = Duration.toMillis(options.tick)
        return Predetermined.of({ tick: (slot) => tick(services, slot, tickIntervalMs) })
      }),
    )
}

const tick = Effect.fn("Predetermined.tick")(function* (
  services: DetectionServices,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  const progress: DetectionProgress = { markets: 0, known: 0, items: [], rejected: {} }
  const ticks = Math.floor(slot / tickIntervalMs)
  return yield* runTick(
    { name: predeterminedJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      const opening = openMarkets(services, slot, tickIntervalMs, progress)
      const markets = yield* stage("markets", opening, [])
      const stories = yield* stage("news", storiesByMarket(services, markets, slot), new Map())
      const finding = findCandidates(services, markets, stories, slot, ticks)
      const candidates = yield* stage("candidates", finding, [])
      const proposals = new Map<MarketId, Proposal | null>()
      yield* stage("proposals", readProposals(services, candidates, proposals, progress), undefined)
      const now = yield* Clock.currentTimeMillis
      const decided = decidedMarkets(candidates, stories, proposals, now, progress)
      const open = yield* stage("books", withOpenPrice(services, decided, ticks, progress), [])
      yield* stage("publishing", publish(services, open, progress), undefined)
    }),
  )
})

const publish = Effect.fnUntraced(function* (
  { feed, detections, record, reader }: DetectionServices,
  open: ReadonlyArray<OpenDecided>,
  progress: DetectionProgress,
) {
  if (open.length === 0) return
  const now = yield* Clock.currentTimeMillis
  const contested = yield* record.read
  const items = open.map((one) =>
    predeterminedItem({
      ...one,
      detector: one.known.kind === "evidence" ? reader.name ?? "rules" : "rules",
      record: contested,
    }, now)
  )
  const added = yield* feed.append(items)
  progress.items.push(...added.map(({ title }) => title))
  yield* detections.add(open.map(({ market }) => market.id), now)
})
