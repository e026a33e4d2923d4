/**
 * Reads the past of every tracked wallet, to its beginning.
 *
 * Each page is saved with the marker of how far it reaches, so a run that ends early is gone on with
 * by the next. Several runs at once read some pages twice, and save them once.
 *
 * @module
 */
import { Cause, Clock, Context, type Duration, Effect, Layer, Schedule, Schema } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { shortAddress, type TrackedWallet } from "./domain/tracking.ts"
import { type Rejections, tally } from "../core/stages.ts"
import { VenueUnavailable } from "../markets/VenueClient.ts"
import { type Read, WalletHistory } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"

/** Wallets read at once; how fast is the adapter's to bound. */
const concurrency = 4
/** Pages of one wallet in one run: enough for all that is kept, in pages of 20. */
const walletPagesMax = 10_000

/** A wallet whose pages come to no end; the next run goes on with it. */
class TooManyPages
  extends Schema.TaggedError<TooManyPages>()("TooManyPages", { pages: Schema.Int }) {}

/** How far a run has come. Its counts only grow. */
export interface BackfillProgress {
  readonly startedAt: EpochMs
  readonly at: EpochMs
  /** Wallets whose past was not known to its beginning when the run began. */
  readonly wallets: number
  /** Of these, which the run has come to the end of, one way or another. */
  readonly whole: number
  readonly truncated: number
  /** Those whose past the venue did not give now; the next run goes on with them. */
  readonly failed: number
  /** Acts that were not known before. */
  readonly activityAdded: number
  readonly pages: number
  /** Rows that were no acts, by reason. */
  readonly rejected: Rejections
}

/** Who is told of a run, how often. */
export interface ProgressListener {
  readonly every: Duration.Duration
  readonly tell: (progress: BackfillProgress) => Effect.Effect<void>
}

export class Backfill extends Context.Service<Backfill, {
  /** Reads until nothing is left to read. A wallet that fails stops no other. */
  readonly run: (watcher: ProgressListener) => Effect.Effect<BackfillProgress>
}>()("bellwether/whales/Backfill") {
  static readonly layer = Layer.effect(
    Backfill,
    Effect.gen(function* () {
      const services = { history: yield* WalletHistory, store: yield* WalletStore }
      return Backfill.of({ run: (watcher) => run(services, watcher) })
    }),
  )
}

interface Services {
  readonly history: WalletHistory["Service"]
  readonly store: WalletStore["Service"]
}

/** The wallets a run has to do with. */
function unread(wallets: ReadonlyArray<TrackedWallet>): ReadonlyArray<TrackedWallet> {
  return wallets.filter(({ history }) => history === "reading")
}

/** What a run counts; it grows in place, since many fibers add to it. */
interface Counts {
  whole: number
  truncated: number
  failed: number
  activityAdded: number
  pages: number
  readonly rejected: Record<string, number>
}

const run = Effect.fn("Backfill.run")(function* (services: Services, watcher: ProgressListener) {
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
  const told = Effect.flatMap(progress, watcher.tell)
  yield* Effect.scoped(Effect.gen(function* () {
    yield* told.pipe(Effect.repeat(Schedule.spaced(watcher.every)), Effect.forkScoped)
    yield* Effect.forEach(wallets, ({ wallet }) => readOne(services, wallet, counts), {
      concurrency,
      discard: true,
    })
  }))
  return yield* progress
})

const readOne = (services: Services, wallet: string, counts: Counts) =>
  readPast(services, wallet, counts).pipe(
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

const readPast = Effect.fnUntraced(function* (
  { history, store }: Services,
  wallet: string,
  counts: Counts,
) {
  // Asked for now: another run may have come further since this one began.
  let known = (yield* store.tracked).find((tracked) => tracked.wallet === wallet)
  for (let pages = 0; known?.history === "reading" && pages < walletPagesMax;) {
    const read: Read = yield* history.readBack(known)
    known = read.wallet
    pages += read.pages
    counts.activityAdded += read.added
    counts.pages += read.pages
    tally(counts.rejected, read.rejected)
  }
  if (known?.history === "reading") return yield* new TooManyPages({ pages: walletPagesMax })
  counts[known?.history ?? "whole"]++
})
