/**
 * What is known of each wallet's past and present: read page by page into the past, and in windows
 * towards now.
 *
 * What was read is saved in one transaction with the markers of how far it reaches, so a crash
 * anywhere is gone on from there. Between the markers there is never a gap.
 *
 * Activity is read in whole seconds. The oldest second of a page may go on behind it, so the next request
 * asks again up to and including that second: overlaps of pages can neither double nor lose a row, and
 * whoever numbers the rows of a transaction sees all of it.
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

/** No venue is older: where every history begins. */
export const historyFrom: EpochMs = Date.UTC(2020, 0, 1)
/** A wallet that did more than this is not kept whole: its history is truncated. */
export const activityEventsMax = 200_000
/**
 * What is new is asked from so long before the newest known: the venue shows a first page up to 300 s
 * old, and indexes a row some time after it happened.
 */
const overlapMs = 15 * minute
/** Pages of new activity after which the rest is left for the next time. */
export const forwardPagesMax = 100

/** Pages that one second may fill; a wallet with more in a second is truncated. */
export const secondPagesMax = 20
/** How often such a second is read for two readings alike: rows that come in shift its pages. */
const readingsMax = 4
/** Pages one window of new activity may have; one with more is read in halves, the older first. */
const windowPagesMax = 30

/** What one reading of a wallet brought. */
export interface Read {
  /** As it stands now. */
  readonly wallet: TrackedWallet
  /** Acts that were not known before. */
  readonly added: number
  readonly pages: number
  /** Rows that are no activity, by reason; a row that was shown twice counts twice. */
  readonly rejected: Rejections
}

export class WalletHistory extends Context.Service<WalletHistory, {
  /**
   * Reads one page further into the past, or the first one, and saves it; nothing when the history is
   * not `reading` any more. It is `whole` when the venue has nothing older, and `truncated` when the
   * venue gives no more, or there is more than is kept. A venue that is unavailable changes nothing.
   */
  readonly readBack: (wallet: TrackedWallet) => Effect.Effect<Read, VenueUnavailable>
  /**
   * Reads what the wallet did until `now`, oldest first in windows, and saves each: there is never a
   * gap. Stops short of `now` after so many pages. A second that cannot be read makes the history
   * `truncated`. Of a wallet never read it reads the first page.
   */
  readonly readForward: (
    wallet: TrackedWallet,
    now: EpochMs,
  ) => Effect.Effect<Read, VenueUnavailable>
}>()("bellwether/whales/WalletHistory") {
  static readonly layer = Layer.effect(
    WalletHistory,
    Effect.gen(function* () {
      const { wallets } = yield* VenueClient
      const store = yield* WalletStore
      const services = { source: wallets ?? anonymous, store }
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

/** Acts of a wallet: all of them from `from` to where it was asked to. */
interface Stretch {
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  readonly from: EpochMs
  /** `all`: the range is read. `cut`: there is more of it that cannot be read. */
  readonly end: "more" | "all" | "cut"
  readonly pages: number
  readonly rejected: Rejections
}

interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

const noNames = new VenueUnavailable({ operation: "wallets", reason: "its trades are anonymous" })
const anonymous: WalletSource = {
  categories: ["overall"],
  leaderboard: () => Effect.fail(noNames),
  activity: () => Effect.fail(noNames),
}

const readBack = Effect.fn("WalletHistory.readBack")(function* (
  { source, store }: Services,
  wallet: TrackedWallet,
  now: EpochMs,
) {
  if (wallet.history !== "reading") return nothing(wallet)
  const to = wallet.readFrom === null ? wholeSecond(now) : wallet.readFrom - 1
  if (wallet.activityCount >= activityEventsMax) {
    return yield* save(store, wallet, { ...empty(to), end: "cut" }, wallet.readTo ?? to + 1)
  }
  const stretch = to < historyFrom
    ? { ...empty(to), end: "all" as const }
    : yield* readSeconds(source, wallet.wallet, { from: historyFrom, to })
  return yield* save(store, wallet, stretch, wallet.readTo ?? Math.max(to, stretch.from))
})

const readForward = Effect.fn("WalletHistory.readForward")(function* (
  { source, store }: Services,
  wallet: TrackedWallet,
  readTo: EpochMs,
  now: EpochMs,
) {
  const to = wholeSecond(now)
  let read = nothing(wallet)
  let from = wholeSecond(Math.max(readTo - overlapMs, historyFrom))
  let width = Math.max(0, to - from)
  // However much has to be read again, each time comes further than the one before.
  while (from <= to && (read.pages < forwardPagesMax || read.wallet.readTo === readTo)) {
    const window = { from, to: Math.min(to, from + width) }
    const found = yield* readWindow(source, wallet.wallet, window)
    const narrower = narrowed(window, found)
    if (narrower !== null) {
      read = add(read, { ...found, added: 0, wallet: read.wallet })
      width = narrower
      continue
    }
    // A venue that gives nothing here will give nothing for a while: what happens now can be published.
    const given = found.end === "all" || found.from <= window.to
    const reached = given ? window.to : Math.max(window.to, to - overlapMs)
    const stretch = {
      wallet: wallet.wallet,
      activity: found.activity,
      readFrom: read.wallet.readFrom ?? from,
      readTo: Math.max(reached, readTo),
      history: found.end === "all" ? read.wallet.history : "truncated" as const,
    }
    read = add(read, { ...found, ...yield* saveStretch(store, read.wallet, stretch) })
    from = reached + second
    if (2 * found.pages <= windowPagesMax) width = Math.max(second, 2 * width)
  }
  return read
})

/**
 * How much of a window's beginning to ask for instead, in ms; null when what was found of the window
 * can be saved: all of it, or all but its first second, which cannot be read.
 */
function narrowed({ from, to }: Range, found: Stretch): number | null {
  if (found.end === "all") return null
  const half = wholeSecond((to - from) / 2)
  // As long as what so many pages have shown, if the rest is as dense.
  if (found.end === "more") return Math.max(0, Math.min(wholeSecond(to - found.from), half))
  const unreadable = wholeSecond(found.from - 1)
  if (unreadable <= from) return null
  return unreadable < to ? unreadable - second - from : half
}

/** Remembers a stretch that ends where the wallet's known one begins. */
const save = Effect.fnUntraced(function* (
  store: WalletStore["Service"],
  wallet: TrackedWallet,
  stretch: Stretch,
  readTo: EpochMs,
) {
  const { activity, from, end } = stretch
  const history = end === "all" ? "whole" : end === "cut" ? "truncated" : "reading"
  const saved = yield* saveStretch(store, wallet, {
    wallet: wallet.wallet,
    activity,
    readFrom: from,
    readTo,
    history,
  })
  return add(nothing(wallet), { ...stretch, ...saved })
})

const saveStretch = Effect.fnUntraced(function* (
  store: WalletStore["Service"],
  wallet: TrackedWallet,
  { activity, ...markers }: HistoryUpdate,
) {
  const { added } = yield* store.saveRead({ activity, ...markers })
  return { added, wallet: { ...wallet, ...markers, activityCount: wallet.activityCount + added } }
})

function nothing(wallet: TrackedWallet): Read {
  return { wallet, added: 0, pages: 0, rejected: {} }
}

function add(before: Read, { wallet, added, pages, rejected }: Read): Read {
  return {
    wallet,
    added: before.added + added,
    pages: before.pages + pages,
    rejected: sum(before.rejected, rejected),
  }
}

/** A whole range, newest first, in so many pages; `more` when they were too few. */
const readWindow = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  { from, to }: Range,
) {
  let window: Stretch = { ...empty(to), end: "more" }
  while (window.end === "more" && window.pages < windowPagesMax) {
    const stretch = yield* readSeconds(source, wallet, { from, to: window.from - 1 })
    window = {
      ...stretch,
      activity: [...window.activity, ...stretch.activity],
      pages: window.pages + stretch.pages,
      rejected: sum(window.rejected, stretch.rejected),
    }
  }
  return window
})

/**
 * The newest whole seconds of a range, at least one. What takes more than a page is read until two
 * readings are alike.
 */
const readSeconds = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: Range,
) {
  let reading = yield* readPages(source, wallet, range)
  if (!reading.chained) return reading
  for (let count = 2; count <= readingsMax; count++) {
    const again = yield* readPages(source, wallet, range)
    const pages = reading.pages + again.pages
    const rejected = sum(reading.rejected, again.rejected)
    // Pages may be of another length by now: what both saw is what counts.
    const [less, more] = reading.from > again.from ? [reading, again] : [again, reading]
    const alike = Equal.equals(keysFrom(less, less.from), keysFrom(more, less.from))
    if (alike) return { ...less, pages, rejected }
    reading = { ...again, pages, rejected }
  }
  return yield* new VenueUnavailable({ operation: "activity", reason: "a second keeps changing" })
})

/** Pages of a range, from its newest on, until one shows that a second is over. */
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
    const found = { activity, from: readFrom, pages, chained: pages > 1, rejected }
    if (remaining === null) return { ...found, end: truncated ? "cut" as const : "all" as const }
    if (remaining.cursor === null) return { ...found, end: "more" as const }
    reading = remaining
  }
  const found = { ...empty(range.to), pages: secondPagesMax, rejected }
  return { ...found, chained: false, end: "cut" as const }
})

/** Nothing read yet of what lies up to an instant. */
function empty(to: EpochMs): Omit<Stretch, "end"> {
  return { activity: [], from: to + 1, pages: 0, rejected: {} }
}

/** What a reading holds from an instant on, whatever order it came in. */
function keysFrom({ activity }: Stretch, from: EpochMs): ReadonlyArray<string> {
  return activity.filter(({ at }) => at >= from).map(activityEventKey).sort()
}

/** Two counts of reasons as one. */
function sum(a: Rejections, b: Rejections): Rejections {
  const both = { ...a }
  tally(both, b)
  return both
}

/** The instant that a second begins at. */
function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / second) * second
}
