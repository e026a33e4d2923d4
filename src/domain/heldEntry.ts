/**
 * An entry as it is remembered: what was known of its wallet before it, and whether it was told.
 *
 * Entries are made anew whenever an act turns up, perhaps one from before others: it may move an
 * entry's ends, part it in two, join it with another or show that it never was one. What was said of
 * an entry stays said.
 *
 * @module
 */
import { type Entry, isHedge, isSweep } from "./entry.ts"
import type { EpochMs } from "./time.ts"
import type { FrozenCalibration } from "./whale.ts"

export interface HeldEntry extends Entry {
  /**
   * When its first fill was when it was first seen: with wallet, market and outcome its name for
   * ever, whatever earlier fill turns up later.
   */
  readonly openedAt: EpochMs
  /** The wallet's calibration as it stood before the entry; null when there was none. */
  readonly calibration: FrozenCalibration | null
  /** Whether the feed has carried it. */
  readonly emitted: boolean
}

/**
 * The entries of a position made anew, each with what is remembered of it. `calibrationBefore` gives
 * the wallet's newest calibration that was computed before an instant.
 *
 * An entry found is one held when both are of one outcome and their times overlap. Where several held
 * became one, an emitted one gives its name, else the first; where one became several, the one around
 * the fill it is named after takes its name, else the first. What overlaps an emitted entry has been
 * told. An emitted entry that is found no more stays as one wholly given up: its buys turned out to
 * close another position, and were it forgotten it could be told again.
 *
 * A calibration stays with its entry, unless that is not told yet and an earlier fill turned up than
 * the calibration was computed: then an older one takes its place.
 */
export function carryOver(
  held: ReadonlyArray<HeldEntry>,
  found: ReadonlyArray<Entry>,
  calibrationBefore: (instant: EpochMs) => FrozenCalibration | null,
): ReadonlyArray<HeldEntry> {
  const heirs = heirsOf(held, found)
  const heldOn = new Set(heirs.values())
  const gone = held.filter((one) => one.emitted && !heldOn.has(one))
  const names = new Set([...heldOn, ...gone].map(nameOf))
  const carried = found.map((entry): HeldEntry => {
    const one = heirs.get(entry)
    const emitted = held.some((other) => other.emitted && overlap(other, entry))
    const stays = one !== undefined && (one.emitted || isBefore(one.calibration, entry))
    return {
      ...entry,
      openedAt: one?.openedAt ?? newName(entry, names),
      calibration: stays ? one.calibration : calibrationBefore(entry.firstFillAt),
      emitted,
    }
  })
  return [...carried, ...gone.map((one) => ({ ...one, hedgedShares: one.shares }))]
    .sort((a, b) => a.openedAt - b.openedAt || a.outcome - b.outcome)
}

/** What decides, besides the entry itself, whether the feed carries it. */
export interface Telling {
  readonly stakeMinUsd: number
  /** An entry whose last buy is older is no news. */
  readonly notBefore: EpochMs
  /** Whether its wallet makes markets. */
  readonly marketMaker: boolean
}

/** Whether an entry has to be told in the feed. */
export function isDue(entry: HeldEntry, telling: Telling): boolean {
  return !entry.emitted &&
    !telling.marketMaker &&
    entry.stakeUsd >= telling.stakeMinUsd &&
    entry.lastFillAt >= telling.notBefore &&
    !isHedge(entry) &&
    !isSweep(entry)
}

/** The held entry that each entry found goes on with, where there is one. */
function heirsOf(
  held: ReadonlyArray<HeldEntry>,
  found: ReadonlyArray<Entry>,
): ReadonlyMap<Entry, HeldEntry> {
  const heirs = new Map<Entry, HeldEntry>()
  const inTurn = held.toSorted((a, b) =>
    Number(b.emitted) - Number(a.emitted) || a.openedAt - b.openedAt
  )
  for (const one of inTurn) {
    const free = found.filter((entry) => !heirs.has(entry) && overlap(one, entry))
    const heir = free.find((entry) => isWithin(one.openedAt, entry)) ?? free[0]
    if (heir !== undefined) heirs.set(heir, one)
  }
  return heirs
}

/** The fill an entry is named after is part of its time, even when it turned out to be no buy. */
function overlap(held: HeldEntry, entry: Entry): boolean {
  return held.outcome === entry.outcome &&
    Math.min(held.openedAt, held.firstFillAt) <= entry.lastFillAt &&
    entry.firstFillAt <= Math.max(held.openedAt, held.lastFillAt)
}

function isWithin(instant: EpochMs, entry: Entry): boolean {
  return entry.firstFillAt <= instant && instant <= entry.lastFillAt
}

function isBefore(calibration: FrozenCalibration | null, entry: Entry): boolean {
  return calibration === null || Date.parse(calibration.computedAt) < entry.firstFillAt
}

function nameOf(entry: { readonly outcome: 0 | 1; readonly openedAt: EpochMs }): string {
  return `${entry.outcome} ${entry.openedAt}`
}

/** Its first fill, or the next instant whose name is not taken; `names` takes it. */
function newName({ outcome, firstFillAt }: Entry, names: Set<string>): EpochMs {
  let openedAt = firstFillAt
  while (names.has(nameOf({ outcome, openedAt }))) openedAt += 1
  names.add(nameOf({ outcome, openedAt }))
  return openedAt
}
