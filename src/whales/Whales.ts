/**
 * One whale tick: reads the activity of tracked wallets, publishes entries, updates calibrations.
 *
 * It has seven stages, each with a time limit. Entries are published before resolutions are counted, and
 * each carries the newest calibration from before its first fill. So no published figure of an entry
 * depends on its market's result. The next tick continues unfinished work, also after a crash.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Result } from "effect"
import { whaleJob } from "../core/domain/freshness.ts"
import { day, type EpochMs, hour, second } from "../core/domain/time.ts"
import { type RunStage, runTick, tally, type TickReport } from "../core/stages.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { VenueClient, type VenueUnavailable } from "../markets/VenueClient.ts"
import { Calibration, type LabelCounts } from "./Calibration.ts"
import { isFarm } from "./domain/entry.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import {
  type EntryServices,
  publishEntries,
  type PublishingTerms,
  recomputeEntries,
} from "./entryPublishing.ts"
import { EntryStore } from "./EntryStore.ts"
import { WalletHistory } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"
import { WhaleMarketStore } from "./WhaleMarketStore.ts"

/** Wallets read in one tick, beginning with the one whose last attempt is the oldest. */
const walletsMax = 2_000
const readConcurrency = 4

/** An entry is published until its last fill is older than an hour and older than six ticks. */
const freshMs = hour
const freshTicks = 6

/** The stages `entries` and `counting` stop after this time or this share of a tick, if shorter. */
const backlogMs = 80 * second
const backlogShare = 0.25

/** In five minutes `reading` reads a thousand wallets at the limit of 40 requests in ten seconds. */
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

/** The counts of one tick. Mutable, so that an interrupted stage reports what it did. */
interface Progress {
  /** Wallets read, of `walletsToRead`. */
  wallets: number
  walletsToRead: number
  /** New activity events. */
  activityAdded: number
  /** Positions whose entries were recomputed. */
  recomputed: number
  /** Markets whose resolution is new or changed. */
  resolved: number
  /** Wallets whose record was computed again. */
  counted: number
  /** Judged wallets by label; null when that stage failed. */
  labels: LabelCounts | null
  /** Stages that stopped before the end of their backlog. */
  readonly behind: Array<Stage>
  readonly items: Array<string>
  readonly rejected: Record<string, number>
}

/** The result of one tick. */
export interface WhaleReport
  extends TickReport<Stage>, Readonly<Omit<Progress, keyof TickReport<Stage>>> {}

/** The least share of the wallets of a good tick that were read. */
const readShareMin = 0.9

/**
 * Whether entries, records and labels are current after this tick. A few wallets may be unavailable, and
 * the next tick continues with those that this one did not reach.
 */
export function isGoodWhaleTick({ failed, wallets, walletsToRead }: WhaleReport): boolean {
  return failed.every((stage) => stage === "reading") &&
    (failed.length === 0 || (walletsToRead > 0 && wallets >= readShareMin * walletsToRead))
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
  /** When this process last tried to read each wallet. */
  readonly triedAt: Map<string, EpochMs>
}

export class Whales extends Context.Service<Whales, {
  /** Runs all stages once. Never fails: the report contains the failures. */
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
          triedAt: new Map<string, EpochMs>(),
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
  const progress: Progress = {
    wallets: 0,
    walletsToRead: 0,
    activityAdded: 0,
    recomputed: 0,
    resolved: 0,
    counted: 0,
    labels: null,
    behind: [],
    items: [],
    rejected: {},
  }
  const terms: PublishingTerms = {
    stakeMinUsd: options.stakeMinUsd,
    notBefore: slot - Math.max(freshMs, freshTicks * tickIntervalMs),
  }
  const backlog = Effect.fnUntraced(function* (
    stage: RunStage<Stage>,
    name: Stage,
    work: (until: EpochMs) => Effect.Effect<boolean>,
  ) {
    const limitMs = Math.min(backlogMs, backlogShare * tickIntervalMs)
    const until = (yield* Clock.currentTimeMillis) + limitMs
    const finished = yield* stage(name, work(until), true)
    if (!finished) progress.behind.push(name)
  })
  return yield* runTick(
    { name: whaleJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      yield* stage("reading", readWallets(services, progress), undefined)
      yield* stage("facts", readFacts(services, slot, progress), undefined)
      yield* backlog(
        stage,
        "entries",
        (until) => recomputeEntries(services, terms, until, progress),
      )
      yield* stage("items", publishEntries(services, terms, progress), undefined)
      const reading = readResolutions(services, slot, tickIntervalMs, progress)
      yield* stage("resolutions", reading, undefined)
      yield* backlog(stage, "counting", (until) => calibration.count(until, progress))
      progress.labels = yield* stage("judging", calibration.judge, null)
    }),
  )
})

/**
 * Reads the new activity of every tracked wallet. A wallet that cannot be read does not stop the others;
 * the stage fails after the last wallet. The next tick starts with the wallets that this one did not
 * reach, however long a wallet takes.
 */
const readWallets = Effect.fnUntraced(function* (
  { wallets, history, triedAt }: WhaleServices,
  progress: Progress,
) {
  const tracked = (yield* wallets.tracked).filter((wallet) => !isFarm(wallet))
  const lastTried = ({ wallet, readTo }: TrackedWallet) => triedAt.get(wallet) ?? readTo ?? 0
  const longestWaiting = tracked.toSorted((a, b) => lastTried(a) - lastTried(b))
  const failures: Array<VenueUnavailable> = []
  const readOne = Effect.fnUntraced(function* (wallet: TrackedWallet) {
    const now = yield* Clock.currentTimeMillis
    triedAt.set(wallet.wallet, now)
    const read = yield* Effect.result(history.readForward(wallet, now))
    if (Result.isFailure(read)) {
      failures.push(read.failure)
      return tally(progress.rejected, { unavailable: 1 })
    }
    progress.wallets += 1
    progress.activityAdded += read.success.added
    tally(progress.rejected, read.success.rejected)
  })
  const chosen = longestWaiting.slice(0, walletsMax)
  progress.walletsToRead = chosen.length
  yield* Effect.forEach(chosen, readOne, {
    concurrency: readConcurrency,
    discard: true,
  })
  const [failure] = failures
  if (failure !== undefined) return yield* failure
})

/**
 * Markets checked in one tick. A market is checked until it has ended, and once a day for some days after
 * that, because the venue may correct a resolution.
 */
const marketsMax = 4_000

/** A market is checked at every tick for this long after its scheduled end, else less often. */
const endingMs = 7 * day
const checkEveryTicks = 6
/** An ended market is checked again for this long, at this interval. */
const recheckMs = 7 * day
const recheckEveryMs = day

/** Stores how markets ended. A batch that failed is requested again at the next tick. */
const readResolutions = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: WhaleServices,
  slot: EpochMs,
  tickIntervalMs: number,
  progress: Progress,
) {
  const markets = yield* whaleMarkets.unresolved({
    limit: marketsMax,
    checkedBefore: slot - checkEveryTicks * tickIntervalMs,
    ending: { from: slot - endingMs, to: slot, checkedBefore: slot },
    endedAfter: slot - recheckMs,
    recheckedBefore: slot - recheckEveryMs,
  })
  yield* requestInBatches(
    markets,
    progress.rejected,
    venue.resolutions,
    (rows, requested, at) =>
      Effect.map(whaleMarkets.saveResolutions(rows, requested, at), (changed) => {
        progress.resolved += changed
      }),
  )
})

/** Markets whose facts are requested in one tick. */
const unknownMax = 4_000
/** How often the facts of a market that the venue did not know are requested again. */
const unknownEveryMs = day

/** Stores the facts of markets with activity, which entries need. */
const readFacts = Effect.fnUntraced(function* (
  { venue, whaleMarkets }: WhaleServices,
  slot: EpochMs,
  { rejected }: Progress,
) {
  const markets = yield* whaleMarkets.unknownMarkets(unknownMax, slot - unknownEveryMs)
  yield* requestInBatches(markets, rejected, venue.facts, whaleMarkets.saveFacts)
})
