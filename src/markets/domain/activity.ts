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
  /** Its hash: `0x` and 64 hexadecimal digits in lower case. */
  readonly transaction: string
}

/** An activity event with its number among equal events, which makes it unique. */
export interface NumberedActivityEvent extends ActivityEvent {
  /** From 0, among the events of this wallet and transaction that are equal in every field. */
  readonly occurrence: number
}

/** The parts of an activity page that decide what is read next; newest first. */
export interface ActivityEventPage {
  readonly rows: ReadonlyArray<{ readonly event: ActivityEvent }>
  /** The oldest instant among all rows, valid or not; null for a page without rows. */
  readonly oldest: EpochMs | null
  /** Whether the range has older rows than these. */
  readonly more: boolean
}

/** The whole seconds of a page. */
interface WholeSeconds {
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  /** Every event of the range from here on has been taken. */
  readonly from: EpochMs
  /**
   * `all`: the range is finished. `more`: it continues before `from`. `cut`: it continues, but the venue
   * returns no more of it, or its last second has more rows than a page.
   */
  readonly end: "all" | "more" | "cut"
}

/**
 * Takes the whole seconds of a page of `[from, to]` (inclusive). Its oldest second may continue beyond the
 * page, so that second is not taken: the next request ends at it, inclusive. After a crash a second may
 * be taken again: its events have the same numbers, so saving them again adds nothing.
 *
 * A request that ends with `more` lowers `to` by at least a second; the caller limits their number.
 */
export function wholeSeconds(
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
  { rows, oldest, more }: ActivityEventPage,
): WholeSeconds {
  const activity = rows.map(({ event }) => event).filter(({ at }) => from <= at && at <= to)
  if (!more || (oldest !== null && oldest < from)) {
    return { activity: numberOccurrences(activity), from, end: "all" }
  }
  if (oldest === null || oldest >= to) return { activity: [], from: to + 1, end: "cut" }
  const whole = activity.filter(({ at }) => at > oldest)
  return { activity: numberOccurrences(whole), from: oldest + 1, end: "more" }
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

const byText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0
