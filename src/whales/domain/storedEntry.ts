/**
 * An entry as it is stored: with its wallet's calibration from before the entry, and whether it was
 * published.
 *
 * Entries are recomputed when an activity event is added. The event may be older than known ones, so an
 * entry may become longer or shorter, split in two, merge with another or disappear. A published entry
 * stays published.
 *
 * @module
 */
import { type Entry, isHedge, isNearCertain } from "./entry.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { FrozenCalibration } from "../../feed/domain/item.ts"
import type { CalibratedWhale } from "./whale.ts"

export interface StoredEntry extends Entry {
  /**
   * The time of its first fill when the entry was first stored. Together with wallet, market and outcome
   * it identifies the entry in the feed, also when an earlier fill is found later.
   */
  readonly openedAt: EpochMs
  /** The wallet's newest calibration before the entry; null when there was none. */
  readonly calibration: FrozenCalibration | null
  /** Whether it was published in the feed; it is published at most once. */
  readonly emitted: boolean
}

/** An entry in a market that has not ended, even if it was sold, with facts about its wallet. */
export interface OpenEntry extends Pick<Entry, "outcome" | "price" | "stakeUsd" | "firstFillAt"> {
  readonly wallet: string
  readonly name: string
  /** A market maker's entries express no opinion. */
  readonly marketMaker: boolean
  /** The current one; null when the wallet has none. */
  readonly calibration: CalibratedWhale | null
}

/**
 * Carries the stored state of a position's entries over to its recomputed entries. `calibrationBefore`
 * returns the wallet's newest calibration computed before an instant.
 *
 * A recomputed entry that overlaps an emitted one of its outcome counts as published. An emitted entry
 * that is no longer part of one entry is also stored as fully hedged: its buys turned out to close
 * another position, and without this record they could be published again.
 *
 * An entry continues the stored one that was opened within it: it keeps its `openedAt`, and its calibration
 * unless a fill from before that is found.
 */
export function carryOver(
  stored: ReadonlyArray<StoredEntry>,
  recomputed: ReadonlyArray<Entry>,
  calibrationBefore: (instant: EpochMs) => FrozenCalibration | null,
): ReadonlyArray<StoredEntry> {
  const opened = new Map(stored.map((one) => [`${one.outcome} ${one.openedAt}`, one]))
  const published = stored.filter(({ emitted }) => emitted)
  const carried = recomputed.map((entry): StoredEntry => {
    // Nearly all entries begin where they were opened: thousands are not compared with each other.
    const one = opened.get(`${entry.outcome} ${entry.firstFillAt}`) ??
      stored.find(({ outcome, openedAt }) =>
        outcome === entry.outcome && entry.firstFillAt <= openedAt && openedAt <= entry.lastFillAt
      )
    return {
      ...entry,
      openedAt: one?.openedAt ?? entry.firstFillAt,
      calibration: one !== undefined && isBefore(one.calibration, entry)
        ? one.calibration
        : calibrationBefore(entry.firstFillAt),
      emitted: published.some((other) => overlaps(entry, other)),
    }
  })
  const gone = published.filter((one) => !carried.some((entry) => covers(entry, one)))
  return [...carried, ...gone.map((one) => ({ ...one, hedgedShares: one.shares }))]
    .sort((a, b) => a.openedAt - b.openedAt || a.outcome - b.outcome)
}

type Span = Pick<Entry, "outcome" | "firstFillAt" | "lastFillAt">

function overlaps(a: Span, b: Span): boolean {
  return a.outcome === b.outcome && a.firstFillAt <= b.lastFillAt && b.firstFillAt <= a.lastFillAt
}

function covers(whole: Span, part: Span): boolean {
  return whole.outcome === part.outcome && whole.firstFillAt <= part.firstFillAt &&
    part.lastFillAt <= whole.lastFillAt
}

function isBefore(calibration: FrozenCalibration | null, entry: Entry): boolean {
  return calibration === null || Date.parse(calibration.computedAt) < entry.firstFillAt
}

/** The conditions for publishing an entry in the feed. */
export interface FeedTerms {
  readonly stakeMinUsd: number
  /** An entry whose last buy is older is not published. */
  readonly notBefore: EpochMs
  /** Whether the wallet makes markets. */
  readonly marketMaker: boolean
}

/** Whether an entry must be published in the feed. */
export function isDue(entry: StoredEntry, terms: FeedTerms): boolean {
  return !entry.emitted &&
    !terms.marketMaker &&
    entry.stakeUsd >= terms.stakeMinUsd &&
    entry.lastFillAt >= terms.notBefore &&
    !isHedge(entry) &&
    !isNearCertain(entry)
}
