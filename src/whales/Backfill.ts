/**
 * Reads the whole history of every tracked wallet.
 *
 * Each page is saved together with the range it completes, so the next run continues where the last one
 * stopped. Concurrent runs may read a page twice, but its events are saved once.
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { isFarm } from "./domain/entry.ts"
import { shortAddress, type TrackedWallet } from "./domain/tracking.ts"
import { tally } from "../core/stages.ts"
import { VenueUnavailable } from "../markets/VenueClient.ts"
import { WalletHistory } from "./WalletHistory.ts"
import { WalletStore } from "./WalletStore.ts"

/** Wallets read concurrently; the venue adapter limits the request rate. */
const concurrency = 4

/** The counts of one run. Mutable, because several fibers add to it. */
interface Counts {
  /** Wallets whose history is `whole` now, and those whose history is `truncated`. */
  whole: number
  truncated: number
  /** Wallets whose history could not be read now; the next run tries them again. */
  failed: number
  /** New activity events. */
  activityAdded: number
  /** Rows that are not activity events, by reason. */
  readonly rejected: Record<string, number>
}

interface BackfillReport extends Readonly<Counts> {
  /** Wallets whose history was incomplete when the run began. */
  readonly wallets: number
}

export class Backfill extends Context.Service<Backfill, {
  /**
   * Reads incomplete histories until all are complete or until this instant. A wallet that fails does not
   * stop the others.
   */
  readonly run: (until: EpochMs) => Effect.Effect<BackfillReport>
}>()("bellwether/whales/Backfill") {
  static readonly layer = Layer.effect(
    Backfill,
    Effect.gen(function* () {
      const services = { history: yield* WalletHistory, store: yield* WalletStore }
      return Backfill.of({ run: (until) => run(services, until) })
    }),
  )
}

interface Services {
  readonly history: WalletHistory["Service"]
  readonly store: WalletStore["Service"]
}

const run = Effect.fn("Backfill.run")(function* (services: Services, until: EpochMs) {
  const wallets = (yield* services.store.tracked).filter((wallet) =>
    wallet.history === "reading" && !isFarm(wallet)
  )
  const counts: Counts = { whole: 0, truncated: 0, failed: 0, activityAdded: 0, rejected: {} }
  yield* Effect.forEach(wallets, (wallet) => readOne(services, wallet, until, counts), {
    concurrency,
    discard: true,
  })
  return { wallets: wallets.length, ...counts } satisfies BackfillReport
})

const readOne = (services: Services, wallet: TrackedWallet, until: EpochMs, counts: Counts) =>
  readHistory(services, wallet, until, counts).pipe(
    Effect.catchCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      counts.failed++
      const error = Cause.squash(cause)
      return Effect.logWarning(
        `Cannot read the history of ${shortAddress(wallet.wallet)}`,
        error instanceof VenueUnavailable ? error.reason : cause,
      )
    }),
  )

const readHistory = Effect.fnUntraced(function* (
  { history }: Services,
  wallet: TrackedWallet,
  until: EpochMs,
  counts: Counts,
) {
  let tracked = wallet
  while (tracked.history === "reading" && (yield* Clock.currentTimeMillis) < until) {
    const read = yield* history.readBack(tracked)
    tracked = read.wallet
    counts.activityAdded += read.added
    tally(counts.rejected, read.rejected)
  }
  if (tracked.history !== "reading") counts[tracked.history]++
})
