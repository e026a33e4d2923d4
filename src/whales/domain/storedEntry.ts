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
   * it identifies the entry for ever, also when an earlier fill is found later.
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
 * A stored entry and a recomputed one match when they have the same outcome and their times overlap.
 * The match with the unchanged entry is preferred, then with one that contains the stored `openedAt`,
 * then with any. When several stored entries became one, it keeps the `openedAt` of an emitted one, or
 * of the first if none was emitted. A recomputed entry that overlaps an emitted one counts as published.
 *
 * An emitted entry that disappears or becomes shorter is also stored as fully hedged. Its buys turned out
 * to close another position; without this record they could be published again.
 *
 * An entry keeps its calibration, with one exception: when it is not published yet and a fill from before
 * the calibration is found, it gets an older calibration.
 */
export function carryOver(
  stored: ReadonlyArray<StoredEntry>,
  recomputed: ReadonlyArray<Entry>,
  calibrationBefore: (instant: EpochMs) => FrozenCalibration | null,
): ReadonlyArray<StoredEntry> {
  const overlaps = overlapsIn(recomputed)
  const published = new Set(stored.filter(({ emitted }) => emitted).flatMap(overlaps))
  const predecessors = matchPredecessors(stored, overlaps)
  const matched = new Set(predecessors.values())
  const keys = new Set(stored.filter((one) => one.emitted || matched.has(one)).map(keyOf))
  const carried = recomputed.map((entry): StoredEntry => {
    const one = predecessors.get(entry)
    const isKept = one !== undefined && (one.emitted || isBefore(one.calibration, entry))
    return {
      ...entry,
      openedAt: one?.openedAt ?? newOpenedAt(entry.outcome, entry.firstFillAt, keys),
      calibration: isKept ? one.calibration : calibrationBefore(entry.firstFillAt),
      emitted: published.has(entry),
    }
  })
  const disappeared = stored.filter((one) => one.emitted && !matched.has(one))
  const shortened = [...predecessors]
    .filter(([entry, one]) => one.emitted && !covers({ ...one, ...entry }, one))
    .map(([, one]) => ({ ...one, openedAt: newOpenedAt(one.outcome, one.lastFillAt, keys) }))
  const hedged = [...disappeared, ...shortened].map((one) => ({ ...one, hedgedShares: one.shares }))
  return [...carried, ...hedged]
    .sort((a, b) => a.openedAt - b.openedAt || a.outcome - b.outcome)
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

/** The stored entry that each recomputed entry continues, if there is one. */
function matchPredecessors(
  stored: ReadonlyArray<StoredEntry>,
  overlaps: (one: StoredEntry) => ReadonlyArray<Entry>,
): ReadonlyMap<Entry, StoredEntry> {
  const predecessors = new Map<Entry, StoredEntry>()
  const emittedFirst = stored.toSorted((a, b) =>
    Number(b.emitted) - Number(a.emitted) || a.openedAt - b.openedAt
  )
  const matched = new Set<StoredEntry>()
  for (const fits of [isUnchanged, containsOpenedAt, () => true]) {
    for (const one of emittedFirst.filter((one) => !matched.has(one))) {
      const successor = overlaps(one).find((entry) => !predecessors.has(entry) && fits(one, entry))
      if (successor === undefined) continue
      predecessors.set(successor, one)
      matched.add(one)
    }
  }
  return predecessors
}

function isUnchanged(one: StoredEntry, entry: Entry): boolean {
  return one.firstFillAt === entry.firstFillAt && one.lastFillAt === entry.lastFillAt &&
    one.shares === entry.shares && one.hedgedShares === entry.hedgedShares
}

function containsOpenedAt({ openedAt }: StoredEntry, entry: Entry): boolean {
  return entry.firstFillAt <= openedAt && openedAt <= entry.lastFillAt
}

/**
 * Finds the entries that overlap a stored one, oldest first. Entries of one outcome do not overlap each
 * other, so both their starts and their ends are sorted.
 */
function overlapsIn(
  recomputed: ReadonlyArray<Entry>,
): (one: StoredEntry) => ReadonlyArray<Entry> {
  const sides = ([0, 1] as const).map((side) =>
    recomputed.filter(({ outcome }) => outcome === side).sort((a, b) =>
      a.firstFillAt - b.firstFillAt
    )
  )
  return (one) => {
    const entries = sides[one.outcome] ?? []
    const { from, to } = timeOf(one)
    let low = 0
    for (let high = entries.length; low < high;) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.lastFillAt ?? to) < from) low = middle + 1
      else high = middle
    }
    let end = low
    while ((entries[end]?.firstFillAt ?? Infinity) <= to) end += 1
    return entries.slice(low, end)
  }
}

/** Includes `openedAt`, even when the fill at that time turned out not to be a buy. */
function timeOf({ openedAt, firstFillAt, lastFillAt }: StoredEntry) {
  return { from: Math.min(openedAt, firstFillAt), to: Math.max(openedAt, lastFillAt) }
}

function covers(whole: StoredEntry, part: StoredEntry): boolean {
  return timeOf(whole).from <= timeOf(part).from && timeOf(part).to <= timeOf(whole).to
}

function isBefore(calibration: FrozenCalibration | null, entry: Entry): boolean {
  return calibration === null || Date.parse(calibration.computedAt) < entry.firstFillAt
}

function keyOf({ outcome, openedAt }: Pick<StoredEntry, "outcome" | "openedAt">): string {
  return `${outcome} ${openedAt}`
}

/** This instant, or the next one whose key is not in `keys`; adds the key. */
function newOpenedAt(outcome: 0 | 1, instant: EpochMs, keys: Set<string>): EpochMs {
  let openedAt = instant
  while (keys.has(keyOf({ outcome, openedAt }))) openedAt += 1
  keys.add(keyOf({ outcome, openedAt }))
  return openedAt
}
