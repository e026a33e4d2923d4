/**
 * Reads the whole history of every tracked wallet.
 *
 * Each page is saved together with the range it completes, so the next run continues where the last one
 * stopped. Concurrent runs may read a page twice, but its events are saved once.
 *
 * @module
 */
import { Cause, Clock, Context, type Duration, Effect, Layer, Schedule, Schema } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { shortAddress, type TrackedWallet } from "./domain/tracking.ts"
import { type Rejections, tally } from "../core/stages.ts"
import { VenueUnavailable } from "../markets/VenueClient.ts"
import { WalletHistory, type WalletRead } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"

/** Wallets read concurrently; the venue adapter limits the request rate. */
const concurrency = 4
/** Pages of one wallet in one run: enough for `activityEventsMax` events in pages of 20. */
const walletPagesMax = 10_000

/** A wallet has more pages than one run reads; the next run continues with it. */
class TooManyPages
  extends Schema.TaggedError<TooManyPages>()("TooManyPages", { pages: Schema.Int }) {}

/** The progress of a run. Its counts only grow. */
export interface BackfillProgress {
  readonly startedAt: EpochMs
  readonly at: EpochMs
  /** Wallets whose history was incomplete when the run began. */
  readonly wallets: number
  /** Wallets of this run whose history became `whole`, and those whose history became `truncated`. */
  readonly whole: number
  readonly truncated: number
  /** Wallets whose history could not be read now; the next run continues with them. */
  readonly failed: number
  /** New activity events. */
  readonly activityAdded: number
  readonly pages: number
  /** Rows that are not activity events, by reason. */
  readonly rejected: Rejections
}

export interface ProgressListener {
  readonly every: Duration.Duration
  readonly onProgress: (progress: BackfillProgress) => Effect.Effect<void>
}

export class Backfill extends Context.Service<Backfill, {
  /** Reads every incomplete history. A wallet that fails does not stop the others. */
  readonly run: (listener: ProgressListener) => Effect.Effect<BackfillProgress>
}>()("bellwether/whales/Backfill") {
  static readonly layer = Layer.effect(
    Backfill,
    Effect.gen(function* () {
      const services = { history: yield* WalletHistory, store: yield* WalletStore }
      return Backfill.of({ run: (listener) => run(services, listener) })
    }),
  )
}

interface Services {
  readonly history: WalletHistory["Service"]
  readonly store: WalletStore["Service"]
}

function unread(wallets: ReadonlyArray<TrackedWallet>): ReadonlyArray<TrackedWallet> {
  return wallets.filter(({ history }) => history === "reading")
}

/** Mutable, because several fibers add to it. */
interface Counts {
  whole: number
  truncated: number
  failed: number
  activityAdded: number
  pages: number
  readonly rejected: Record<string, number>
}

const run = Effect.fn("Backfill.run")(function* (services: Services, listener: ProgressListener) {
  const startedAt = yield* Clock.currentTimeMillis
  const wallets = unread(yield* services.store.tracked)
  const counts: Counts = {
    whole: 0,
    truncated: 0,
    failed: 0,
    activityAdded: 0,
    pages: 0,
    rejected: {},
  }
  const progress = Effect.map(Clock.currentTimeMillis, (at): BackfillProgress => ({
    ...counts,
    rejected: { ...counts.rejected },
    startedAt,
    at,
    wallets: wallets.length,
  }))
  const notify = Effect.flatMap(progress, listener.onProgress)
  yield* Effect.scoped(Effect.gen(function* () {
    yield* notify.pipe(Effect.repeat(Schedule.spaced(listener.every)), Effect.forkScoped)
    yield* Effect.forEach(wallets, ({ wallet }) => readOne(services, wallet, counts), {
      concurrency,
      discard: true,
    })
  }))
  return yield* progress
})

const readOne = (services: Services, wallet: string, counts: Counts) =>
  readHistory(services, wallet, counts).pipe(
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      counts.failed++
      const error = Cause.squash(cause)
      return Effect.logWarning(
        `Cannot read the history of ${shortAddress(wallet)}`,
        error instanceof VenueUnavailable ? error.reason : cause,
      )
    }),
  )

const readHistory = Effect.fnUntraced(function* (
  { history, store }: Services,
  wallet: string,
  counts: Counts,
) {
  // Read again, because another run may have read more since this one began.
  let tracked = (yield* store.tracked).find((one) => one.wallet === wallet)
  for (let pages = 0; tracked?.history === "reading" && pages < walletPagesMax;) {
    const read: WalletRead = yield* history.readBack(tracked)
    tracked = read.wallet
    pages += read.pages
    counts.activityAdded += read.added
    counts.pages += read.pages
    tally(counts.rejected, read.rejected)
  }
  if (tracked?.history === "reading") return yield* new TooManyPages({ pages: walletPagesMax })
  counts[tracked?.history ?? "whole"]++
})
