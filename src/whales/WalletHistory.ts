/**
 * Reads the activity of each wallet: backwards page by page, and forwards up to now.
 *
 * Activity and the range it completes, `[readFrom, readTo]`, are saved in one transaction, so reading
 * continues there after a crash. The range never has a gap.
 *
 * Activity is read in whole seconds. The oldest second of a page may continue beyond it, so the next
 * request ends at that second, inclusive. So overlapping pages neither duplicate nor lose a row, and the
 * rows of a transaction are numbered together. A second with more rows than a page cannot be read: the
 * history is then `truncated`.
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Layer } from "effect"
import { type EpochMs, minute, second } from "../core/domain/time.ts"
import { type Rejections, tally } from "../core/stages.ts"
import { type NumberedActivityEvent, wholeSeconds } from "../markets/domain/activity.ts"
import { VenueClient, VenueUnavailable, type WalletSource } from "../markets/VenueClient.ts"
import { isFarm } from "./domain/entry.ts"
import { shortAddress, type TrackedWallet } from "./domain/tracking.ts"
import { type HistoryUpdate, WalletStore } from "./WalletStore.ts"

/** The start of every history: no venue is older. */
export const historyFrom: EpochMs = Date.UTC(2020, 0, 1)
/** The history of a wallet with more activity events is truncated. */
export const activityEventsMax = 200_000
/**
 * New activity is read from this long before the newest known: the venue's first page may be 300 s old,
 * and a row is indexed some time after its event.
 */
const overlapMs = 15 * minute
/** Pages of new activity; a wallet with more since the last reading is truncated. */
export const forwardPagesMax = 100

/** Wallets whose history is read concurrently; the venue adapter limits the request rate. */
const concurrency = 4

/** The counts of reading histories. Mutable, because several fibers add to it. */
interface HistoryCounts {
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

/** The result of reading a wallet. */
interface WalletRead {
  /** Its state after the reading. */
  readonly wallet: TrackedWallet
  /** New activity events. */
  readonly added: number
  /** Rows that are not activity events, by reason; a row that was read twice counts twice. */
  readonly rejected: Rejections
}

export class WalletHistory extends Context.Service<WalletHistory, {
  /**
   * Reads and saves the next older page, or the newest page if none was read yet. Does nothing unless
   * the history is `reading`. It becomes `whole` when the venue has nothing older, and `truncated` at a
   * second that cannot be read or at the limit. Changes nothing when the venue is unavailable.
   */
  readonly readBack: (wallet: TrackedWallet) => Effect.Effect<WalletRead, VenueUnavailable>
  /**
   * Reads and saves the wallet's activity up to `now`. What cannot be read, a second or all before the
   * last `forwardPagesMax` pages, is skipped and makes the history `truncated`. If no page was read yet,
   * it reads the newest page only.
   */
  readonly readForward: (
    wallet: TrackedWallet,
    now: EpochMs,
  ) => Effect.Effect<WalletRead, VenueUnavailable>
  /**
   * Reads incomplete histories back until all are complete or until this instant. A wallet that fails
   * does not stop the others. Concurrent runs may read a page twice, but its events are saved once.
   */
  readonly readHistories: (
    until: EpochMs,
  ) => Effect.Effect<Readonly<HistoryCounts> & { readonly wallets: number }>
}>()("bellwether/whales/WalletHistory") {
  static readonly layer = Layer.effect(
    WalletHistory,
    Effect.gen(function* () {
      const { wallets } = yield* VenueClient
      const store = yield* WalletStore
      const activity = wallets?.activity ?? (() => Effect.fail(noWallets))
      const services = { activity, store }
      return WalletHistory.of({
        readBack: (wallet) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => readBack(services, wallet, now)),
        readForward: (wallet, now) =>
          wallet.readTo === null
            ? readBack(services, wallet, now)
            : readForward(services, wallet, wallet.readTo, now),
        readHistories: (until) => readHistories(services, until),
      })
    }),
  )
}

interface Services {
  readonly activity: WalletSource["activity"]
  readonly store: WalletStore["Service"]
}

const noWallets = new VenueUnavailable({
  operation: "wallets",
  reason: "the venue's trades are anonymous",
})
const readBack = Effect.fn("WalletHistory.readBack")(function* (
  { activity: read, store }: Services,
  wallet: TrackedWallet,
  now: EpochMs,
) {
  if (wallet.history !== "reading") return { wallet, added: 0, rejected: {} }
  const to = wallet.readFrom === null ? wholeSecond(now) : wallet.readFrom - 1
  const isFull = wallet.activityCount >= activityEventsMax
  const page = isFull
    ? { activity: [], from: to + 1, end: "cut" as const, rejected: {} }
    : yield* readPage(read, wallet.wallet, { from: historyFrom, to })
  const saved = yield* save(store, wallet, {
    wallet: wallet.wallet,
    activity: page.activity,
    readFrom: page.from,
    readTo: wallet.readTo ?? Math.max(to, page.from),
    history: page.end === "all" ? "whole" : page.end === "cut" ? "truncated" : "reading",
  })
  return { ...saved, rejected: page.rejected }
})

const readHistories = Effect.fn("WalletHistory.readHistories")(
  function* (services: Services, until: EpochMs) {
    const wallets = (yield* services.store.tracked).filter((wallet) =>
      wallet.history === "reading" && !isFarm(wallet)
    )
    const counts: HistoryCounts = {
      ...{ whole: 0, truncated: 0, failed: 0, activityAdded: 0, rejected: {} },
    }
    const readOne = Effect.fnUntraced(function* (wallet: TrackedWallet) {
      let tracked = wallet
      for (let now = 0; tracked.history === "reading";) {
        if ((now = yield* Clock.currentTimeMillis) >= until) return
        const read = yield* readBack(services, tracked, now)
        tracked = read.wallet
        counts.activityAdded += read.added
        tally(counts.rejected, read.rejected)
      }
      counts[tracked.history]++
    })
    const skipFailed = (wallet: TrackedWallet) =>
      Effect.catchCause(readOne(wallet), (cause) => {
        if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
        counts.failed++
        const error = Cause.squash(cause)
        return Effect.logWarning(
          `Cannot read the history of ${shortAddress(wallet.wallet)}`,
          error instanceof VenueUnavailable ? error.reason : cause,
        )
      })
    yield* Effect.forEach(wallets, skipFailed, { concurrency, discard: true })
    return { wallets: wallets.length, ...counts }
  },
)

const readForward = Effect.fn("WalletHistory.readForward")(function* (
  { activity: read, store }: Services,
  wallet: TrackedWallet,
  readTo: EpochMs,
  now: EpochMs,
) {
  const from = wholeSecond(Math.max(readTo - overlapMs, historyFrom))
  const last = Math.max(wholeSecond(now), readTo)
  const activity: Array<NumberedActivityEvent> = []
  const rejected: Record<string, number> = {}
  let isComplete = true
  let to = last
  for (let pages = 1; to >= from; pages++) {
    const page = yield* readPage(read, wallet.wallet, { from, to })
    activity.push(...page.activity)
    tally(rejected, page.rejected)
    const isLast = pages === forwardPagesMax
    if (page.end === "cut" || (page.end === "more" && isLast)) isComplete = false
    if (page.end === "all" || isLast) break
    to = page.end === "cut" ? to - second : page.from - 1
  }
  const saved = yield* save(store, wallet, {
    wallet: wallet.wallet,
    activity,
    readFrom: wallet.readFrom ?? from,
    readTo: last,
    history: isComplete ? wallet.history : "truncated",
  })
  return { ...saved, rejected }
})

const readPage = (
  read: Services["activity"],
  wallet: string,
  range: { readonly from: EpochMs; readonly to: EpochMs },
) =>
  Effect.map(read(wallet, range), (page) => ({
    ...wholeSeconds(range, page),
    rejected: page.rejected,
  }))

/** Saves what was read; returns the wallet after it. */
const save = Effect.fnUntraced(function* (
  store: WalletStore["Service"],
  wallet: TrackedWallet,
  update: HistoryUpdate,
) {
  const { added } = yield* store.saveRead(update)
  const { activity: _, ...state } = update
  return { added, wallet: { ...wallet, ...state, activityCount: wallet.activityCount + added } }
})

/** Rounds down to a whole second. */
function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / second) * second
}
