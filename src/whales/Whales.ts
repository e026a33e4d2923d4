/**
 * One tick of whales: what tracked wallets did in, published entries and calibrations out.
 *
 * Seven stages, each with its time limit. Entries are made and published before resolutions are counted,
 * and each carries the calibration that stood before its first fill: nothing an entry is published with
 * can know how its market ended. Whatever a stage leaves, or a crash, is found by the next tick.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Result } from "effect"
import { type EpochMs, hour, second } from "../core/domain/time.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { VenueClient, type VenueUnavailable } from "../markets/VenueClient.ts"
import { Calibration, type LabelCounts } from "./Calibration.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import {
  type EntryServices,
  publishEntries,
  recomputeEntries,
  type Terms,
} from "./entryPublishing.ts"
import { EntryStore } from "./EntryStore.ts"
import { readFacts, readResolutions } from "./marketResolutions.ts"
import { WalletHistory } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"
import { WhaleMarketStore } from "./WhaleMarketStore.ts"

/** Wallets read in one tick, those not tried for longest first, and how many at once. */
const walletsMax = 2_000
const readConcurrency = 4

/** An entry is published while its last fill is no older than the longer of these. */
const freshMs = hour
const freshTicks = 6

/** Entries and counting stop to take up more of a backlog after this, or this share of a tick. */
const backlogMs = 80 * second
const backlogShare = 0.25

/** Reading: a thousand wallets, at the 40 requests in ten seconds that the venue is asked. */
const stageLimits = {
  reading: Duration.minutes(5),
  facts: Duration.minutes(1),
  entries: Duration.minutes(2),
  items: Duration.seconds(30),
  resolutions: Duration.minutes(2),
  counting: Duration.minutes(2),
  judging: Duration.minutes(1),
} as const
type Stage = keyof typeof stageLimits

/** What one tick saw and did. */
export interface WhaleReport {
  readonly slot: EpochMs
  /** Wallets read, and acts of theirs that were not known before. */
  readonly wallets: number
  readonly activityAdded: number
  /** Positions whose entries were recomputed. */
  readonly made: number
  /** Titles of the items published. */
  readonly items: ReadonlyArray<string>
  /** Markets of which it was news how they ended. */
  readonly resolved: number
  /** Positions counted into their wallets' sums. */
  readonly counted: number
  /** Judged wallets by label; null when they could not be judged. */
  readonly labels: LabelCounts | null
  /** Stages that stopped before their backlog was worked off. */
  readonly behind: ReadonlyArray<Stage>
  /** Rows and entries that went no further, by reason. */
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

interface WhaleOptions {
  readonly tick: Duration.Duration
  /** An entry of a smaller stake is not published. */
  readonly stakeMinUsd: number
}

interface WhaleServices extends EntryServices {
  readonly whaleMarkets: WhaleMarketStore["Service"]
  readonly calibration: Calibration["Service"]
  readonly history: WalletHistory["Service"]
  /** When reading each wallet was last begun here, whatever came of it. */
  readonly tried: Map<string, EpochMs>
}

export class Whales extends Context.Service<Whales, {
  /** Reads the tracked wallets once. Never fails: what went wrong is in the report. */
  readonly tick: (slot: EpochMs) => Effect.Effect<WhaleReport>
}>()("bellwether/whales/Whales") {
  static readonly layer = (options: WhaleOptions) =>
    Layer.effect(
      Whales,
      Effect.gen(function* () {
        const services = {
          venue: yield* VenueClient,
          markets: yield* MarketStore,
          feed: yield* FeedStore,
          wallets: yield* WalletStore,
          entries: yield* EntryStore,
          whaleMarkets: yield* WhaleMarketStore,
          calibration: yield* Calibration,
          history: yield* WalletHistory,
          tried: new Map<string, EpochMs>(),
        }
        return Whales.of({ tick: (slot) => tick(services, options, slot) })
      }),
    )
}

const tick = Effect.fn("Whales.tick")(function* (
  services: WhaleServices,
  options: WhaleOptions,
  slot: EpochMs,
) {
  const { calibration } = services
  const tickIntervalMs = Duration.toMillis(options.tick)
  const started = yield* Clock.currentTimeMillis
  const done = makeProgress()
  const failed: Array<Stage> = []
  const behind: Array<Stage> = []
  const stage = stages("Whales", stageLimits, stageFailures, failed)
  const backlog = Effect.fnUntraced(function* (
    name: Stage,
    work: (until: EpochMs) => Effect.Effect<boolean>,
  ) {
    const until = (yield* Clock.currentTimeMillis) +
      Math.min(backlogMs, backlogShare * tickIntervalMs)
    const finished = yield* stage(name, work(until), true)
    if (!finished) behind.push(name)
  })
  const terms: Terms = {
    stakeMinUsd: options.stakeMinUsd,
    notBefore: slot - Math.max(freshMs, freshTicks * tickIntervalMs),
  }

  yield* stage("reading", readWallets(services, done), undefined)
  yield* stage("facts", readFacts(services, slot, done), undefined)
  yield* backlog("entries", (until) => recomputeEntries(services, terms, until, done))
  yield* stage("items", publishEntries(services, terms, done), undefined)
  yield* stage("resolutions", readResolutions(services, slot, tickIntervalMs, done), undefined)
  yield* backlog("counting", (until) => calibration.count(until, done))
  const labels = yield* stage("judging", calibration.judge, null)

  const report: WhaleReport = {
    slot,
    ...done,
    ...{ labels, behind, failed },
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

/** What was done so far; it grows in place, so that a stage cut short says what it did. */
interface Progress {
  wallets: number
  activityAdded: number
  made: number
  readonly items: Array<string>
  resolved: number
  counted: number
  readonly rejected: Record<string, number>
}

const makeProgress = (): Progress => ({
  ...{ wallets: 0, activityAdded: 0, made: 0, items: [], resolved: 0, counted: 0, rejected: {} },
})

/**
 * Reads what every tracked wallet did since it was last read. A wallet that cannot be read now costs
 * no other, and is reported when all have been asked. However long each such wallet takes, the next tick
 * goes on with those this one did not come to.
 */
const readWallets = Effect.fnUntraced(function* (
  { wallets, history, tried }: WhaleServices,
  done: Progress,
) {
  const tracked = yield* wallets.tracked
  const seen = ({ wallet, readTo }: TrackedWallet) => tried.get(wallet) ?? readTo ?? 0
  const longest = tracked.toSorted((a, b) => seen(a) - seen(b))
  const failures: Array<VenueUnavailable> = []
  const readOne = Effect.fnUntraced(function* (wallet: TrackedWallet) {
    const now = yield* Clock.currentTimeMillis
    tried.set(wallet.wallet, now)
    const read = yield* Effect.result(history.readForward(wallet, now))
    if (Result.isFailure(read)) {
      failures.push(read.failure)
      return tally(done.rejected, { unavailable: 1 })
    }
    done.wallets += 1
    done.activityAdded += read.success.added
    tally(done.rejected, read.success.rejected)
  })
  yield* Effect.forEach(longest.slice(0, walletsMax), readOne, {
    concurrency: readConcurrency,
    discard: true,
  })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})

const stageFailures = Metric.counter("whale_stage_failures_total", { incremental: true })
const rejections = Metric.counter("whale_rejections_total", { incremental: true })
const actsAdded = Metric.counter("whale_acts_total", { incremental: true })
const positionsRecomputed = Metric.counter("whale_positions_made_total", { incremental: true })
const itemsPublished = Metric.counter("whale_entries_total", { incremental: true })
const resolutionsRead = Metric.counter("whale_resolutions_total", { incremental: true })
const positionsCounted = Metric.counter("whale_positions_counted_total", { incremental: true })
const tickSeconds = Metric.gauge("whale_tick_seconds")
const walletsRead = Metric.gauge("whale_wallets_read")
const walletsLabelled = Metric.gauge("whale_wallets_labelled")

const measure = (report: WhaleReport) =>
  Effect.all([
    Metric.update(tickSeconds, report.seconds),
    Metric.update(walletsRead, report.wallets),
    Metric.update(actsAdded, report.activityAdded),
    Metric.update(positionsRecomputed, report.made),
    Metric.update(itemsPublished, report.items.length),
    Metric.update(resolutionsRead, report.resolved),
    Metric.update(positionsCounted, report.counted),
    ...Object.entries(report.labels ?? {}).map(([label, wallets]) =>
      Metric.update(walletsLabelled.pipe(Metric.withAttributes({ label })), wallets)
    ),
    ...Object.entries(report.rejected).map(([reason, count]) =>
      Metric.update(rejections.pipe(Metric.withAttributes({ reason })), count)
    ),
  ])
