/**
 * Invented entries and wallets, publishable by default.
 *
 * @module
 */
import type { StoredEntry } from "../../../src/whales/domain/storedEntry.ts"
import { day, type EpochMs, hour, isoTime, minute } from "../../../src/core/domain/time.ts"
import type { TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import type { FrozenCalibration } from "../../../src/feed/domain/item.ts"
import { now } from "../movers/market.ts"

/** A publishable entry of two fills. */
export function storedEntry(fields: Partial<StoredEntry> = {}): StoredEntry {
  return {
    outcome: 0,
    price: 0.4,
    openingPrice: fields.price ?? 0.4,
    stakeUsd: 2_000,
    shares: 5_000,
    hedgedShares: 0,
    fills: 2,
    firstFillAt: now - 30 * minute,
    lastFillAt: now - 10 * minute,
    openedAt: now - 30 * minute,
    calibration: null,
    emitted: false,
    ...fields,
  }
}

/** A wallet with a whole history. */
export function trackedWallet(fields: Partial<TrackedWallet> = {}): TrackedWallet {
  return {
    wallet: "0xaaaa",
    name: "Scary-Barrel",
    source: "volume",
    trackedAt: now - 30 * day,
    history: "whole",
    readFrom: 0,
    readTo: now - hour,
    activityCount: 400,
    markets: 100,
    bothSides: 0,
    farmed: 0,
    ...fields,
  }
}

/** A neutral calibration. */
export function calibration(computedAt: EpochMs): FrozenCalibration {
  return {
    label: "neutral",
    resolved: 40,
    winRate: 0.5,
    meanEntryPrice: 0.5,
    edge: 0,
    edgeLow: -0.1,
    edgeHigh: 0.1,
    followRoi: 0,
    fadeRoi: 0,
    effectiveEntries: 40,
    computedAt: isoTime(computedAt),
    ruleVersion: "any",
  }
}
