/**
 * What a wallet did in one market, as the venue tells it, and what identifies each act.
 *
 * Rows alike in every field are common and real, so an act is known by its fields and its number
 * among the like of its transaction. That number can only be given by whoever sees the transaction
 * whole. A transaction has one timestamp, so whoever has read a second to its end has seen whole
 * every transaction in it: `wholeSeconds` takes acts by whole seconds only, wherever pages end.
 *
 * @module
 */
import type { MarketId, TokenId } from "./market.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/**
 * `split` turns USD into a share of each outcome, `merge` does the reverse, `redeem` takes the payout
 * of a resolved market, `convert` exchanges shares for those of sibling markets. What moves no shares
 * between a wallet and a market (rewards, deposits, migrations) is no act.
 */
export type ActivityEventKind = "buy" | "sell" | "split" | "merge" | "redeem" | "convert"

export interface ActivityEvent {
  /** Lower case. */
  readonly wallet: string
  readonly marketId: MarketId
  readonly kind: ActivityEventKind
  /** Whose shares moved; null in a split, a merge and a redemption, and where the venue names none. */
  readonly tokenId: TokenId | null
  /** Shares. */
  readonly size: number
  /** Price of `tokenId` in USD a share, fees not included; 0 for what is no trade. */
  readonly price: number
  /** Whole seconds: all acts of one transaction have the same. */
  readonly at: EpochMs
  readonly transaction: string
}

/** An act that is told from the others alike. */
export interface NumberedActivityEvent extends ActivityEvent {
  /** From 0, among the acts of this wallet and transaction that are alike in every field. */
  readonly occurrence: number
}

/** How far reading a range of a wallet's acts, newest first, has come: what to ask for next. */
interface Reading {
  /** Both ends included, as the venue is asked. */
  readonly from: EpochMs
  readonly to: EpochMs
  /** Where to go on in this range; null asks for its first page. */
  readonly cursor: string | null
  /** The acts read so far of the second `to`, when it is longer than a page. */
  readonly begun: ReadonlyArray<ActivityEvent>
}

/** A page of a wallet's acts, newest first, as far as reading on depends on it. */
export interface ActivityEventPage {
  readonly rows: ReadonlyArray<{ readonly act: ActivityEvent }>
  /** The oldest instant among all rows of the page, acts or not; null for a page without rows. */
  readonly oldest: EpochMs | null
  /** Continues in the same range; null at its end. */
  readonly next: string | null
  /** Whether the range goes on beyond this page, and the venue gives no more of it; `next` is null. */
  readonly cut: boolean
}

/** What a page adds. */
interface WholeSeconds {
  readonly acts: ReadonlyArray<NumberedActivityEvent>
  /** From here up to where reading began, every act has been taken. */
  readonly readFrom: EpochMs
  /** What to ask for next; null once the whole range has been taken, or all of it that there is. */
  readonly rest: Reading | null
  /** Whether what lies before `readFrom` cannot be had, though the range goes on there. */
  readonly truncated: boolean
}

/** Reading `[from, to]` from its newest act. */
export function startReading(from: EpochMs, to: EpochMs): Reading {
  return { from, to, cursor: null, begun: [] }
}

/**
 * Takes what is whole of a page. Its oldest second may go on in the next page, so nothing of it is
 * taken: the range is asked for again up to and including that second. Only a second that fills a
 * whole page is followed by its cursor. A venue that goes only so deep into a range is asked for the
 * rest of it as a range of its own, so only a second too long for it ends reading. What is taken may
 * be taken again after a crash: the acts and their numbers are the same, so those saved are a set.
 *
 * Each step either lowers `to` or follows a cursor; the caller bounds how many it makes.
 */
export function wholeSeconds(reading: Reading, page: ActivityEventPage): WholeSeconds {
  const { from, to } = reading
  const { oldest, next, cut } = page
  const asked = page.rows.map(({ act }) => act).filter(({ at }) => from <= at && at <= to)
  const acts = [...reading.begun, ...asked]
  if ((next === null && !cut) || (oldest !== null && oldest < from)) {
    return { acts: numbered(acts), readFrom: from, rest: null, truncated: false }
  }
  if (oldest !== null && oldest < to) {
    return {
      acts: numbered(acts.filter(({ at }) => at > oldest)),
      readFrom: oldest + 1,
      rest: startReading(from, oldest),
      truncated: false,
    }
  }
  const rest = next === null ? null : { from, to, cursor: next, begun: acts }
  return { acts: [], readFrom: to + 1, rest, truncated: rest === null }
}

/** Numbers acts, in whatever order, that contain each of their transactions whole. */
export function numbered(acts: ReadonlyArray<ActivityEvent>): ReadonlyArray<NumberedActivityEvent> {
  const seen = new Map<string, number>()
  return acts.map((act) => {
    const key = likeness(act)
    const occurrence = seen.get(key) ?? 0
    seen.set(key, occurrence + 1)
    return { ...act, occurrence }
  })
}

/** What an act shares with none but itself. */
export function activityEventKey(act: NumberedActivityEvent): string {
  return `${likeness(act)} ${act.occurrence}`
}

/** What acts alike have in common; the time is left out, for their transaction has only one. */
function likeness(act: ActivityEvent): string {
  const { wallet, transaction, marketId, kind, tokenId, size, price } = act
  return [wallet, transaction, marketId, kind, tokenId ?? "", size, price].join(" ")
}

/** What brings shares comes before what takes them, so that nothing is sold before it is bought. */
const kindOrder: Readonly<Record<ActivityEventKind, number>> = {
  split: 0,
  buy: 1,
  sell: 2,
  merge: 3,
  convert: 4,
  redeem: 5,
}

/**
 * The one order in which acts are looked at, whatever order they were read in. Within a second the
 * venue tells no order, so this one is as good as any that sells nothing before it is bought.
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
