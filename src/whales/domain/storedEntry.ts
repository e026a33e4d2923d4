/**
 * An entry as it is remembered: what was known of its wallet before it, and whether it was published.
 *
 * Entries are made anew whenever an act turns up, perhaps one from before others: it may move an
 * entry's ends, part it in two, join it with another or show that it never was one. What was said of
 * an entry stays said.
 *
 * @module
 */
import { type Entry, isHedge, isSweep } from "./entry.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { FrozenCalibration } from "../../feed/domain/item.ts"
import type { CalibratedWhale } from "./whale.ts"

export interface StoredEntry extends Entry {
  /**
   * When its first fill was when it was first seen: with wallet, market and outcome its name for
   * ever, whatever earlier fill turns up later.
   */
  readonly openedAt: EpochMs
  /** The wallet's calibration as it stood before the entry; null when there was none. */
  readonly calibration: FrozenCalibration | null
  /** Whether it was published: the feed has carried it, and never does again. */
  readonly emitted: boolean
}

/** An entry in a market that has not ended, sold since or not, and what is known of its wallet. */
export interface OpenEntry extends Pick<Entry, "outcome" | "price" | "stakeUsd" | "firstFillAt"> {
  readonly wallet: string
  readonly name: string
  /** Whether the wallet makes markets: its entries are its trade, not its view. */
  readonly marketMaker: boolean
  /** As it stands now; null when the wallet has none. */
  readonly calibration: CalibratedWhale | null
}

/**
 * The entries of a position made anew, each with what is remembered of it. `calibrationBefore` gives
 * the wallet's newest calibration that was computed before an instant.
 *
 * An entry found is one held when both are of one outcome and their times overlap: the unchanged one,
 * else one around the fill that the held one is named after, else any. Where several held became one,
 * an emitted one gives its name, else the first. What overlaps an emitted entry has been published.
 *
 * An emitted entry that is found no more, or not in all of its time, stays as one wholly given up
 * (beside what is left of it): those buys turned out to close another position, and were they
 * forgotten they could be published again.
 *
 * A calibration stays with its entry, unless that is not published yet and an earlier fill turned up than
 * the calibration was computed: then an older one takes its place.
 */
export function carryOver(
  held: ReadonlyArray<StoredEntry>,
  found: ReadonlyArray<Entry>,
  calibrationBefore: (instant: EpochMs) => FrozenCalibration | null,
): ReadonlyArray<StoredEntry> {
  const within = overlapping(found)
  const published = new Set(held.filter(({ emitted }) => emitted).flatMap(within))
  const successors = matchSuccessors(held, within)
  const heldOn = new Set(successors.values())
  const names = new Set(held.filter((one) => one.emitted || heldOn.has(one)).map(nameOf))
  const carried = found.map((entry): StoredEntry => {
    const one = successors.get(entry)
    const stays = one !== undefined && (one.emitted || isBefore(one.calibration, entry))
    return {
      ...entry,
      openedAt: one?.openedAt ?? newName(entry.outcome, entry.firstFillAt, names),
      calibration: stays ? one.calibration : calibrationBefore(entry.firstFillAt),
      emitted: published.has(entry),
    }
  })
  const gone = held.filter((one) => one.emitted && !heldOn.has(one))
  const shrunk = [...successors]
    .filter(([entry, one]) => one.emitted && !covers({ ...one, ...entry }, one))
    .map(([, one]) => ({ ...one, openedAt: newName(one.outcome, one.lastFillAt, names) }))
  return [...carried, ...[...gone, ...shrunk].map((one) => ({ ...one, hedgedShares: one.shares }))]
    .sort((a, b) => a.openedAt - b.openedAt || a.outcome - b.outcome)
}

/** What decides, besides the entry itself, whether the feed carries it. */
export interface FeedTerms {
  readonly stakeMinUsd: number
  /** An entry whose last buy is older is no news. */
  readonly notBefore: EpochMs
  /** Whether its wallet makes markets. */
  readonly marketMaker: boolean
}

/** Whether an entry has to be published in the feed. */
export function isDue(entry: StoredEntry, terms: FeedTerms): boolean {
  return !entry.emitted &&
    !terms.marketMaker &&
    entry.stakeUsd >= terms.stakeMinUsd &&
    entry.lastFillAt >= terms.notBefore &&
    !isHedge(entry) &&
    !isSweep(entry)
}

/** The held entry that each entry found goes on with, where there is one. */
function matchSuccessors(
  held: ReadonlyArray<StoredEntry>,
  within: (one: StoredEntry) => ReadonlyArray<Entry>,
): ReadonlyMap<Entry, StoredEntry> {
  const successors = new Map<Entry, StoredEntry>()
  const inTurn = held.toSorted((a, b) =>
    Number(b.emitted) - Number(a.emitted) || a.openedAt - b.openedAt
  )
  const heldOn = new Set<StoredEntry>()
  for (const fits of [isUnchanged, isAroundName, () => true]) {
    for (const one of inTurn.filter((one) => !heldOn.has(one))) {
      const successor = within(one).find((entry) => !successors.has(entry) && fits(one, entry))
      if (successor === undefined) continue
      successors.set(successor, one)
      heldOn.add(one)
    }
  }
  return successors
}

function isUnchanged(one: StoredEntry, entry: Entry): boolean {
  return one.firstFillAt === entry.firstFillAt && one.lastFillAt === entry.lastFillAt &&
    one.shares === entry.shares && one.hedgedShares === entry.hedgedShares
}

function isAroundName({ openedAt }: StoredEntry, entry: Entry): boolean {
  return entry.firstFillAt <= openedAt && openedAt <= entry.lastFillAt
}

/**
 * Finds the entries that overlap a held one, the first one first. Those of one outcome do not overlap
 * one another, so both their ends are in order.
 */
function overlapping(
  found: ReadonlyArray<Entry>,
): (one: StoredEntry) => ReadonlyArray<Entry> {
  const sides = ([0, 1] as const).map((side) =>
    found.filter(({ outcome }) => outcome === side).sort((a, b) => a.firstFillAt - b.firstFillAt)
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
    let past = low
    while ((entries[past]?.firstFillAt ?? Infinity) <= to) past += 1
    return entries.slice(low, past)
  }
}

/** The fill an entry is named after is part of its time, even when it turned out to be no buy. */
function timeOf({ openedAt, firstFillAt, lastFillAt }: StoredEntry) {
  return { from: Math.min(openedAt, firstFillAt), to: Math.max(openedAt, lastFillAt) }
}

function covers(whole: StoredEntry, part: StoredEntry): boolean {
  return timeOf(whole).from <= timeOf(part).from && timeOf(part).to <= timeOf(whole).to
}

function isBefore(calibration: FrozenCalibration | null, entry: Entry): boolean {
  return calibration === null || Date.parse(calibration.computedAt) < entry.firstFillAt
}

function nameOf({ outcome, openedAt }: Pick<StoredEntry, "outcome" | "openedAt">): string {
  return `${outcome} ${openedAt}`
}

/** This instant, or the next whose name is not taken; `names` takes it. */
function newName(outcome: 0 | 1, instant: EpochMs, names: Set<string>): EpochMs {
  let openedAt = instant
  while (names.has(nameOf({ outcome, openedAt }))) openedAt += 1
  names.add(nameOf({ outcome, openedAt }))
  return openedAt
}
