/**
 * Reads the activity of each wallet: backwards page by page, and forwards in windows up to now.
 *
 * Activity and the range it completes, `[readFrom, readTo]`, are saved in one transaction, so reading
 * continues there after a crash. The range never has a gap.
 *
 * Activity is read in whole seconds. The oldest second of a page may continue on the next page, so the
 * next request ends at that second, inclusive. So overlapping pages neither duplicate nor lose a row, and
 * the rows of a transaction are numbered together.
 *
 * @module
 */
import { Clock, Context, Effect, Equal, Layer } from "effect"
import { type EpochMs, minute, second } from "../core/domain/time.ts"
import { type Rejections, tally } from "../core/stages.ts"
import {
  activityEventKey,
  type NumberedActivityEvent,
  startReading,
  wholeSeconds,
} from "../markets/domain/activity.ts"
import { VenueClient, VenueUnavailable, type WalletSource } from "../markets/VenueClient.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
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
/** Pages of new activity that one call reads; the next call continues. */
export const forwardPagesMax = 100

/** Pages of one second; a wallet with more activity in a second is truncated. */
export const secondPagesMax = 20
/** Readings of such a second, until two in a row are equal: new rows shift its pages. */
const readingsMax = 4
/** Pages of one window of new activity; a window with more is read in halves, the older first. */
const windowPagesMax = 30

/** The result of reading a wallet. */
interface WalletRead {
  /** Its state after the reading. */
  readonly wallet: TrackedWallet
  /** New activity events. */
  readonly added: number
  readonly pages: number
  /** Rows that are not activity events, by reason; a row that was read twice counts twice. */
  readonly rejected: Rejections
}

export class WalletHistory extends Context.Service<WalletHistory, {
  /**
   * Reads and saves the next older page, or the newest page if none was read yet. Does nothing unless
   * the history is `reading`. It becomes `whole` when the venue has nothing older, and `truncated` when
   * the venue returns no more or the limit is reached. Changes nothing when the venue is unavailable.
   */
  readonly readBack: (wallet: TrackedWallet) => Effect.Effect<WalletRead, VenueUnavailable>
  /**
   * Reads the wallet's activity up to `now` in windows, oldest first, and saves each window. Stops
   * before `now` after `forwardPagesMax` pages. A second that cannot be read makes the history
   * `truncated`. If no page was read yet, it reads the newest page only.
   */
  readonly readForward: (
    wallet: TrackedWallet,
    now: EpochMs,
  ) => Effect.Effect<WalletRead, VenueUnavailable>
}>()("bellwether/whales/WalletHistory") {
  static readonly layer = Layer.effect(
    WalletHistory,
    Effect.gen(function* () {
      const { wallets } = yield* VenueClient
      const store = yield* WalletStore
      const services = { source: wallets ?? anonymousSource, store }
      return WalletHistory.of({
        readBack: (wallet) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => readBack(services, wallet, now)),
        readForward: (wallet, now) =>
          wallet.readTo === null
            ? readBack(services, wallet, now)
            : readForward(services, wallet, wallet.readTo, now),
      })
    }),
  )
}

interface Services {
  readonly source: WalletSource
  readonly store: WalletStore["Service"]
}

/** All activity of a wallet from `from` to the end of the requested range. */
interface ActivitySpan {
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  readonly from: EpochMs
  /** `all`: the range is complete. `cut`: the range has older activity that cannot be read. */
  readonly end: "more" | "all" | "cut"
  readonly pages: number
  readonly rejected: Rejections
}

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

const noWallets = new VenueUnavailable({
  operation: "wallets",
  reason: "the venue's trades are anonymous",
})
const anonymousSource: WalletSource = {
  categories: ["overall"],
  leaderboard: () => Effect.fail(noWallets),
  activity: () => Effect.fail(noWallets),
}

const readBack = Effect.fn("WalletHistory.readBack")(function* (
  { source, store }: Services,
  wallet: TrackedWallet,
  now: EpochMs,
) {
  if (wallet.history !== "reading") return noPagesRead(wallet)
  const to = wallet.readFrom === null ? wholeSecond(now) : wallet.readFrom - 1
  if (wallet.activityCount >= activityEventsMax) {
    return yield* saveOlder(
      store,
      wallet,
      { ...emptySpan(to), end: "cut" },
      wallet.readTo ?? to + 1,
    )
  }
  const span = to < historyFrom
    ? { ...emptySpan(to), end: "all" as const }
    : yield* readSeconds(source, wallet.wallet, { from: historyFrom, to })
  return yield* saveOlder(store, wallet, span, wallet.readTo ?? Math.max(to, span.from))
})

const readForward = Effect.fn("WalletHistory.readForward")(function* (
  { source, store }: Services,
  wallet: TrackedWallet,
  readTo: EpochMs,
  now: EpochMs,
) {
  const to = wholeSecond(now)
  let read = noPagesRead(wallet)
  let from = wholeSecond(Math.max(readTo - overlapMs, historyFrom))
  let width = Math.max(0, to - from)
  // Continues beyond the page limit until `readTo` moves, so that every call makes progress.
  while (from <= to && (read.pages < forwardPagesMax || read.wallet.readTo === readTo)) {
    const window = { from, to: Math.min(to, from + width) }
    const span = yield* readWindow(source, wallet.wallet, window)
    const narrower = narrowerWidth(window, span)
    if (narrower !== null) {
      read = addRead(read, { ...span, added: 0, wallet: read.wallet })
      width = narrower
      continue
    }
    // An unreadable window is skipped up to `overlapMs` before now, so that new entries are published.
    const isReadable = span.end === "all" || span.from <= window.to
    const reached = isReadable ? window.to : Math.max(window.to, to - overlapMs)
    const update = {
      wallet: wallet.wallet,
      activity: span.activity,
      readFrom: read.wallet.readFrom ?? from,
      readTo: Math.max(reached, readTo),
      history: span.end === "all" ? read.wallet.history : "truncated" as const,
    }
    read = addRead(read, { ...span, ...yield* saveUpdate(store, read.wallet, update) })
    from = reached + second
    if (2 * span.pages <= windowPagesMax) width = Math.max(second, 2 * width)
  }
  return read
})

/**
 * The narrower width in ms with which a window must be read again. Null when the span can be saved: it
 * is the whole window, or only the window's first second could not be read.
 */
function narrowerWidth({ from, to }: Range, span: ActivitySpan): number | null {
  if (span.end === "all") return null
  const half = wholeSecond((to - from) / 2)
  // The width that these pages covered: it fits unless the older part is denser.
  if (span.end === "more") return Math.max(0, Math.min(wholeSecond(to - span.from), half))
  const unreadable = wholeSecond(span.from - 1)
  if (unreadable <= from) return null
  return unreadable < to ? unreadable - second - from : half
}

/** Saves a span that ends where the wallet's known range begins. */
const saveOlder = Effect.fnUntraced(function* (
  store: WalletStore["Service"],
  wallet: TrackedWallet,
  span: ActivitySpan,
  readTo: EpochMs,
) {
  const { activity, from, end } = span
  const history = end === "all" ? "whole" : end === "cut" ? "truncated" : "reading"
  const saved = yield* saveUpdate(store, wallet, {
    wallet: wallet.wallet,
    activity,
    readFrom: from,
    readTo,
    history,
  })
  return addRead(noPagesRead(wallet), { ...span, ...saved })
})

const saveUpdate = Effect.fnUntraced(function* (
  store: WalletStore["Service"],
  wallet: TrackedWallet,
  { activity, ...state }: HistoryUpdate,
) {
  const { added } = yield* store.saveRead({ activity, ...state })
  return { added, wallet: { ...wallet, ...state, activityCount: wallet.activityCount + added } }
})

function noPagesRead(wallet: TrackedWallet): WalletRead {
  return { wallet, added: 0, pages: 0, rejected: {} }
}

function addRead(before: WalletRead, { wallet, added, pages, rejected }: WalletRead): WalletRead {
  return {
    wallet,
    added: before.added + added,
    pages: before.pages + pages,
    rejected: addRejections(before.rejected, rejected),
  }
}

/** Reads a whole range, newest first; `more` when it has more than `windowPagesMax` pages. */
const readWindow = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  { from, to }: Range,
) {
  let window: ActivitySpan = { ...emptySpan(to), end: "more" }
  while (window.end === "more" && window.pages < windowPagesMax) {
    const span = yield* readSeconds(source, wallet, { from, to: window.from - 1 })
    window = {
      ...span,
      activity: [...window.activity, ...span.activity],
      pages: window.pages + span.pages,
      rejected: addRejections(window.rejected, span.rejected),
    }
  }
  return window
})

/**
 * The newest whole seconds of a range, at least one. A second longer than a page is read until two
 * readings are equal.
 */
const readSeconds = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: Range,
) {
  let reading = yield* readPages(source, wallet, range)
  if (!reading.isPaged) return reading
  for (let count = 2; count <= readingsMax; count++) {
    const again = yield* readPages(source, wallet, range)
    const pages = reading.pages + again.pages
    const rejected = addRejections(reading.rejected, again.rejected)
    // Page lengths may differ between readings, so only the range of both is compared.
    const [less, more] = reading.from > again.from ? [reading, again] : [again, reading]
    const isEqual = Equal.equals(keysFrom(less, less.from), keysFrom(more, less.from))
    if (isEqual) return { ...less, pages, rejected }
    reading = { ...again, pages, rejected }
  }
  return yield* new VenueUnavailable({ operation: "activity", reason: "a second keeps changing" })
})

/** Reads pages of a range, newest first, until at least one second is complete. */
const readPages = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: Range,
) {
  const rejected: Record<string, number> = {}
  let reading = startReading(range.from, range.to)
  for (let pages = 1; pages <= secondPagesMax; pages++) {
    const page = yield* source.activity(wallet, range, reading.cursor)
    tally(rejected, page.rejected)
    const { activity, readFrom, remaining, truncated } = wholeSeconds(reading, page)
    const span = { activity, from: readFrom, pages, isPaged: pages > 1, rejected }
    if (remaining === null) return { ...span, end: truncated ? "cut" as const : "all" as const }
    if (remaining.cursor === null) return { ...span, end: "more" as const }
    reading = remaining
  }
  const nothingRead = { ...emptySpan(range.to), pages: secondPagesMax, rejected }
  return { ...nothingRead, isPaged: false, end: "cut" as const }
})

/** The empty span of a range that ends at `to`. */
function emptySpan(to: EpochMs): Omit<ActivitySpan, "end"> {
  return { activity: [], from: to + 1, pages: 0, rejected: {} }
}

/** The keys of a span's events at or after `from`, sorted, so that two readings can be compared. */
function keysFrom({ activity }: ActivitySpan, from: EpochMs): ReadonlyArray<string> {
  return activity.filter(({ at }) => at >= from).map(activityEventKey).sort()
}

function addRejections(a: Rejections, b: Rejections): Rejections {
  const both = { ...a }
  tally(both, b)
  return both
}

/** Rounds down to a whole second. */
function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / second) * second
}
