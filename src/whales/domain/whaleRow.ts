/**
 * A wallet's row of the calibration table, and what of it an entry carries.
 *
 * @module
 */
import { type Judgement, ruleVersion } from "./label.ts"
import { type Rates } from "./rates.ts"
import { isMarketMaker } from "./entry.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { TrackedWallet } from "./tracking.ts"
import type { CalibratedWhale, WhaleRow } from "./whale.ts"
import type { FrozenCalibration } from "../../feed/domain/item.ts"

/** What a row says that is not in the wallet's figures: it may change without another calibration. */
type WhaleFacts = Pick<WhaleRow, "pseudonym" | "source" | "marketMaker" | "openEntries">

/** What is known of a wallet besides its figures. */
export function whaleFacts(tracked: TrackedWallet, openEntries: number): WhaleFacts {
  return {
    pseudonym: tracked.name,
    source: tracked.source,
    marketMaker: isMarketMaker(tracked),
    openEntries,
  }
}

/** The row of a wallet with these figures. */
export function whaleRow(
  wallet: string,
  rates: Rates,
  label: WhaleRow["label"],
  facts: WhaleFacts,
): WhaleRow {
  const { cancelled: _, followRoi, ...figures } = rates
  return { wallet, ...facts, ...figures, mirrorRoi: followRoi, label }
}

/** What an entry carries of its wallet's row, computed at `computedAt`. */
export function freeze({ row, computedAt }: CalibratedWhale): FrozenCalibration {
  const { label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh } = row
  return {
    ...{ label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh },
    followRoi: row.mirrorRoi,
    fadeRoi: row.fadeRoi,
    computedAt: isoTime(computedAt),
    ruleVersion,
  }
}

/**
 * What an entry that began at `at` is given: the newest of these calibrations that stood before it.
 * Null when none did: one computed later may hold what the entry's own market came to.
 */
export function calibrationBefore(
  held: ReadonlyArray<CalibratedWhale>,
  at: EpochMs,
): FrozenCalibration | null {
  const before = held.filter(({ computedAt }) => computedAt < at)
  const newest = before.toSorted((a, b) => b.computedAt - a.computedAt)[0]
  return newest === undefined ? null : freeze(newest)
}

/** Whether a row holds the figures its wallet's label is decided by now. */
export function saysStill(row: WhaleRow, { edge, followRoi, fadeRoi }: Judgement): boolean {
  return row.edge === edge && row.mirrorRoi === followRoi && row.fadeRoi === fadeRoi
}

/** What has to be written: rows that are new or say something else, and wallets without one. */
interface Rewritten {
  readonly changed: ReadonlyArray<CalibratedWhale>
  readonly gone: ReadonlyArray<string>
}

/**
 * The rows that change at `at`: those of wallets with new `rates`, and those whose label or facts are
 * others by now. `computedAt` moves with rates and label alone, for they are what an entry is given.
 */
export function rewritten(
  held: ReadonlyMap<string, CalibratedWhale>,
  labels: ReadonlyMap<string, WhaleRow["label"]>,
  rates: ReadonlyMap<string, Rates>,
  facts: ReadonlyMap<string, WhaleFacts>,
  at: EpochMs,
): Rewritten {
  const changed: Array<CalibratedWhale> = []
  for (const [wallet, label] of labels) {
    const before = held.get(wallet)
    const figures = rates.get(wallet)
    const known = facts.get(wallet)
    if (known === undefined) continue
    if (figures !== undefined) {
      changed.push({ computedAt: at, row: whaleRow(wallet, figures, label, known) })
    } else if (before !== undefined && !agree(before.row, { ...known, label })) {
      const computedAt = before.row.label === label ? before.computedAt : at
      changed.push({ computedAt, row: { ...before.row, ...known, label } })
    }
  }
  return { changed, gone: [...held.keys()].filter((wallet) => !labels.has(wallet)) }
}

function agree(row: WhaleRow, now: WhaleFacts & Pick<WhaleRow, "label">): boolean {
  return row.label === now.label && row.pseudonym === now.pseudonym &&
    row.source === now.source && row.marketMaker === now.marketMaker &&
    row.openEntries === now.openEntries
}
