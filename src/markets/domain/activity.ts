/**
 * A wallet's activity events, and what identifies each event.
 *
 * The venue often returns several rows that are equal in every field and are separate events. So an
 * event is identified by its fields and its number among the equal events of its transaction. Numbering
 * needs the whole transaction. A transaction has one timestamp, so a second that was read completely
 * contains only whole transactions: `wholeSeconds` takes whole seconds only, wherever a page ends.
 *
 * @module
 */
import type { MarketId, TokenId } from "./market.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/**
 * `split` turns USD into a share of each outcome, `merge` does the reverse, `redeem` takes the payout
 * of a resolved market, `convert` exchanges shares for those of sibling markets. A row that moves no
 * shares between a wallet and a market (a reward, a deposit, a migration) is not an activity event.
 */
export type ActivityEventKind = "buy" | "sell" | "split" | "merge" | "redeem" | "convert"

export interface ActivityEvent {
  /** Lower case. */
  readonly wallet: string
  readonly marketId: MarketId
  readonly kind: ActivityEventKind
  /** The token moved; null in a split, a merge and a redemption, and when the venue names none. */
  readonly tokenId: TokenId | null
  /** Shares. */
  readonly size: number
  /** Price of `tokenId` in USD a share, without fees; 0 unless the event is a trade. */
  readonly price: number
  /** Whole seconds; the same for all events of one transaction. */
  readonly at: EpochMs
  readonly transaction: string
}

/** An activity event with its number among equal events, which makes it unique. */
export interface NumberedActivityEvent extends ActivityEvent {
  /** From 0, among the events of this wallet and transaction that are equal in every field. */
  readonly occurrence: number
}

/** The next request in a range of a wallet's activity; the range is read newest first. */
interface Reading {
  /** Inclusive, like `to`. */
  readonly from: EpochMs
  readonly to: EpochMs
  /** Where to continue in this range; null requests its first page. */
  readonly cursor: string | null
  /** The events read so far of the second `to`, when it is longer than a page. */
  readonly partialSecond: ReadonlyArray<ActivityEvent>
}

/** The parts of an activity page that decide what is read next; newest first. */
export interface ActivityEventPage {
  readonly rows: ReadonlyArray<{ readonly event: ActivityEvent }>
  /** The oldest instant among all rows, valid or not; null for a page without rows. */
  readonly oldest: EpochMs | null
  /** The cursor of the next page of this range; null at its end. */
  readonly next: string | null
  /** Whether the range continues but the venue returns no more of it; then `next` is null. */
  readonly cut: boolean
}

interface WholeSeconds {
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  /** Every event from here up to the start of the reading has been taken. */
  readonly readFrom: EpochMs
  /** The next request; null when the range is finished, or when the venue returns no more of it. */
  readonly remaining: Reading | null
  /** Whether the range continues before `readFrom` but is not available. */
  readonly truncated: boolean
}

/** Starts to read `[from, to]` at its newest event. */
export function startReading(from: EpochMs, to: EpochMs): Reading {
  return { from, to, cursor: null, partialSecond: [] }
}

/**
 * Takes the whole seconds of a page. Its oldest second may continue on the next page, so that second
 * is not taken: the next request ends at it, inclusive. The cursor is followed only when one second
 * fills a whole page. When the venue limits the depth of a range, the remainder is requested as its
 * own range, so only a second longer than that depth ends the reading. After a crash a second may be
 * taken again: its events have the same numbers, so saving them again adds nothing.
 *
 * Each step either lowers `to` or follows a cursor; the caller limits the number of steps.
 */
export function wholeSeconds(reading: Reading, page: ActivityEventPage): WholeSeconds {
  const { from, to } = reading
  const { oldest, next, cut } = page
  const inRange = page.rows.map(({ event }) => event).filter(({ at }) => from <= at && at <= to)
  const activity = [...reading.partialSecond, ...inRange]
  if ((next === null && !cut) || (oldest !== null && oldest < from)) {
    return {
      activity: numberOccurrences(activity),
      readFrom: from,
      remaining: null,
      truncated: false,
    }
  }
  if (oldest !== null && oldest < to) {
    return {
      activity: numberOccurrences(activity.filter(({ at }) => at > oldest)),
      readFrom: oldest + 1,
      remaining: startReading(from, oldest),
      truncated: false,
    }
  }
  const remaining = next === null ? null : { from, to, cursor: next, partialSecond: activity }
  return { activity: [], readFrom: to + 1, remaining, truncated: remaining === null }
}

/** Numbers equal events. Accepts any order, but every transaction must be complete. */
export function numberOccurrences(
  activity: ReadonlyArray<ActivityEvent>,
): ReadonlyArray<NumberedActivityEvent> {
  const seen = new Map<string, number>()
  return activity.map((event) => {
    const key = contentKey(event)
    const occurrence = seen.get(key) ?? 0
    seen.set(key, occurrence + 1)
    return { ...event, occurrence }
  })
}

/** Unique to one event. */
export function activityEventKey(event: NumberedActivityEvent): string {
  return `${contentKey(event)} ${event.occurrence}`
}

/** The same for equal events. Omits the time, because a transaction has only one. */
function contentKey(event: ActivityEvent): string {
  const { wallet, transaction, marketId, kind, tokenId, size, price } = event
  return [wallet, transaction, marketId, kind, tokenId ?? "", size, price].join(" ")
}

/** Events that add shares sort before those that remove them, so no share is sold before its buy. */
const kindOrder: Readonly<Record<ActivityEventKind, number>> = {
  split: 0,
  buy: 1,
  sell: 2,
  merge: 3,
  convert: 4,
  redeem: 5,
}

/**
 * Orders events by time, independent of the reading order. The venue gives no order within a second:
 * `kindOrder` decides there, and the other fields make the order total.
 */
export function byTime(a: NumberedActivityEvent, b: NumberedActivityEvent): number {
  return a.at - b.at ||
    kindOrder[a.kind] - kindOrder[b.kind] ||
    byText(a.transaction, b.transaction) ||
    byText(a.tokenId ?? "", b.tokenId ?? "") ||
    a.price - b.price ||
    a.size - b.size ||
    a.occurrence - b.occurrence
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
