/**
 * Reads what a wallet did, so that each act is known once, whatever the pages look like.
 *
 * Only whole seconds are taken. The oldest second of a page may go on behind it, so the next question
 * asks again up to and including that second; overlaps of pages thus can neither double nor lose an
 * act, and whoever numbers the acts of a transaction sees all of it. What was read is saved with the
 * marker of how far it reaches, so that a crash anywhere is gone on from there.
 *
 * @module
 */
import { Clock, Context, Effect, Equal, Layer } from "effect"
import { actKey, type NumberedAct, startReading, wholeSeconds } from "../domain/act.ts"
import { type EpochMs, minute, second } from "../domain/time.ts"
import type { TrackedWallet } from "../domain/tracking.ts"
import { type Rejections, tally } from "./Tick.ts"
import { VenueClient, VenueUnavailable, type WalletSource } from "./VenueClient.ts"
import { type ReadStretch, WhaleStore } from "./WhaleStore.ts"

/** No venue is older: where every history begins. */
export const historyFrom: EpochMs = Date.UTC(2020, 0, 1)
/** A wallet that did more than this is not kept whole: its history is truncated. */
export const actsMax = 200_000
/** Pages that one second may fill; a wallet with more in a second is truncated. */
export const secondPagesMax = 20
/** How often such a second is read for two readings alike: rows that come in shift its pages. */
const readingsMax = 4
/**
 * What is new is asked from so long before the newest known: the venue shows a first page up to 300 s
 * old, and indexes a row some time after it happened.
 */
export const overlapMs = 15 * minute
/** Pages one window of new acts may have; one with more is read in halves, the older first. */
export const windowPagesMax = 10
/** Pages of new acts after which the rest is left for the next time. */
export const forwardPagesMax = 40

/** What one reading of a wallet brought. */
export interface Read {
  /** As it stands now. */
  readonly wallet: TrackedWallet
  /** Acts that were not known before. */
  readonly added: number
  readonly pages: number
  /** Rows that are no acts, by reason; a row that was shown twice counts twice. */
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
}>()("bellwether/services/WalletHistory") {
  static readonly layer = Layer.effect(
    WalletHistory,
    Effect.gen(function* () {
      const { wallets } = yield* VenueClient
      const store = yield* WhaleStore
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
  readonly store: WhaleStore["Service"]
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
  if (wallet.acts >= actsMax) {
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
    if (found.end !== "all" && window.to > from) {
      read = add(read, { ...found, added: 0, wallet: read.wallet })
      // As long as what so many pages have shown, if the rest is as dense.
      const shown = window.to - found.from
      width = wholeSecond(Math.max(0, Math.min(shown, (window.to - from) / 2)))
      continue
    }
    // With a second that does not fit the history has a hole. What happens now can still be told.
    const fits = found.end === "all"
    const reached = fits ? window.to : Math.max(window.to, to - overlapMs)
    const stretch = {
      wallet: wallet.wallet,
      acts: fits ? found.acts : [],
      readFrom: read.wallet.readFrom ?? from,
      readTo: Math.max(reached, readTo),
      history: fits ? read.wallet.history : "truncated" as const,
    }
    read = add(read, { ...found, ...yield* saveStretch(store, read.wallet, stretch) })
    from = reached + second
    width = Math.max(second, 2 * width)
  }
  return read
})

/** Acts of a wallet: all of them from `from` to where it was asked to. */
interface Stretch {
  readonly acts: ReadonlyArray<NumberedAct>
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
      acts: [...window.acts, ...stretch.acts],
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
    const { acts, readFrom, rest, truncated } = wholeSeconds(reading, page)
    const found = { acts, from: readFrom, pages, chained: pages > 1, rejected }
    if (rest === null) return { ...found, end: truncated ? "cut" as const : "all" as const }
    if (rest.cursor === null) return { ...found, end: "more" as const }
    reading = rest
  }
  const found = { ...empty(range.to), pages: secondPagesMax, rejected }
  return { ...found, chained: false, end: "cut" as const }
})

/** Remembers a stretch that ends where the wallet's known one begins. */
const save = Effect.fnUntraced(function* (
  store: WhaleStore["Service"],
  wallet: TrackedWallet,
  stretch: Stretch,
  readTo: EpochMs,
) {
  const { acts, from, end } = stretch
  const history = end === "all" ? "whole" : end === "cut" ? "truncated" : "reading"
  const saved = yield* saveStretch(store, wallet, {
    wallet: wallet.wallet,
    acts,
    readFrom: from,
    readTo,
    history,
  })
  return add(nothing(wallet), { ...stretch, ...saved })
})

const saveStretch = Effect.fnUntraced(function* (
  store: WhaleStore["Service"],
  wallet: TrackedWallet,
  { acts, ...markers }: ReadStretch,
) {
  const { added } = yield* store.saveRead({ acts, ...markers })
  return { added, wallet: { ...wallet, ...markers, acts: wallet.acts + added } }
})

function nothing(wallet: TrackedWallet): Read {
  return { wallet, added: 0, pages: 0, rejected: {} }
}

function empty(to: EpochMs): Omit<Stretch, "end"> {
  return { acts: [], from: to + 1, pages: 0, rejected: {} }
}

function add(before: Read, { wallet, added, pages, rejected }: Read): Read {
  return {
    wallet,
    added: before.added + added,
    pages: before.pages + pages,
    rejected: sum(before.rejected, rejected),
  }
}

function sum(a: Rejections, b: Rejections): Rejections {
  const both = { ...a }
  tally(both, b)
  return both
}

/** What a reading holds from an instant on, whatever order it came in. */
function keysFrom({ acts }: Stretch, from: EpochMs): ReadonlyArray<string> {
  return acts.filter(({ at }) => at >= from).map(actKey).sort()
}

function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / second) * second
}
