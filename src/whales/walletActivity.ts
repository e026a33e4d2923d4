/**
 * Reads a range of a wallet's acts in whole seconds.
 *
 * The oldest second of a page may go on behind it, so the next question asks again up to and including
 * that second; overlaps of pages thus can neither double nor lose an act, and whoever numbers the acts
 * of a transaction sees all of it.
 *
 * @module
 */
import { Effect, Equal } from "effect"
import { actKey, type NumberedAct, startReading, wholeSeconds } from "../markets/domain/activity.ts"
import { type EpochMs, second } from "../core/domain/time.ts"
import { type Rejections, tally } from "../core/Tick.ts"
import { VenueUnavailable, type WalletSource } from "../markets/VenueClient.ts"

/** Pages that one second may fill; a wallet with more in a second is truncated. */
export const secondPagesMax = 20
/** How often such a second is read for two readings alike: rows that come in shift its pages. */
const readingsMax = 4
/** Pages one window of new acts may have; one with more is read in halves, the older first. */
export const windowPagesMax = 30

/** Acts of a wallet: all of them from `from` to where it was asked to. */
export interface Stretch {
  readonly acts: ReadonlyArray<NumberedAct>
  readonly from: EpochMs
  /** `all`: the range is read. `cut`: there is more of it that cannot be read. */
  readonly end: "more" | "all" | "cut"
  readonly pages: number
  readonly rejected: Rejections
}

export interface Range {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** A whole range, newest first, in so many pages; `more` when they were too few. */
export const readWindow = Effect.fnUntraced(function* (
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
export const readSeconds = Effect.fnUntraced(function* (
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

/** Nothing read yet of what lies up to an instant. */
export function empty(to: EpochMs): Omit<Stretch, "end"> {
  return { acts: [], from: to + 1, pages: 0, rejected: {} }
}

/** What a reading holds from an instant on, whatever order it came in. */
function keysFrom({ acts }: Stretch, from: EpochMs): ReadonlyArray<string> {
  return acts.filter(({ at }) => at >= from).map(actKey).sort()
}

/** Two counts of reasons as one. */
export function sum(a: Rejections, b: Rejections): Rejections {
  const both = { ...a }
  tally(both, b)
  return both
}

/** The instant that a second begins at. */
export function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / second) * second
}
