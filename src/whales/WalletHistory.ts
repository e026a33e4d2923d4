/**
 * What is known of each wallet's past and present: read page by page into the past, and in windows
 * towards now.
 *
 * What was read is saved in one transaction with the markers of how far it reaches, so a crash
 * anywhere is gone on from there. Between the markers there is never a gap.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type EpochMs, minute, second } from "../core/domain/time.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import type { Rejections } from "../core/Tick.ts"
import { VenueClient, VenueUnavailable, type WalletSource } from "../markets/VenueClient.ts"
import {
  empty,
  type Range,
  readSeconds,
  readWindow,
  type Stretch,
  sum,
  wholeSecond,
  windowPagesMax,
} from "./walletActivity.ts"
import { type ReadStretch, WhaleStore } from "./WhaleStore.ts"

/** No venue is older: where every history begins. */
export const historyFrom: EpochMs = Date.UTC(2020, 0, 1)
/** A wallet that did more than this is not kept whole: its history is truncated. */
export const actsMax = 200_000
/**
 * What is new is asked from so long before the newest known: the venue shows a first page up to 300 s
 * old, and indexes a row some time after it happened.
 */
const overlapMs = 15 * minute
/** Pages of new acts after which the rest is left for the next time. */
export const forwardPagesMax = 100

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
}>()("bellwether/whales/WalletHistory") {
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
    const narrower = narrowed(window, found)
    if (narrower !== null) {
      read = add(read, { ...found, added: 0, wallet: read.wallet })
      width = narrower
      continue
    }
    // A venue that gives nothing here will give nothing for a while: what happens now can be told.
    const given = found.end === "all" || found.from <= window.to
    const reached = given ? window.to : Math.max(window.to, to - overlapMs)
    const stretch = {
      wallet: wallet.wallet,
      acts: found.acts,
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

function add(before: Read, { wallet, added, pages, rejected }: Read): Read {
  return {
    wallet,
    added: before.added + added,
    pages: before.pages + pages,
    rejected: sum(before.rejected, rejected),
  }
}
