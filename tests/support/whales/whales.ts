/**
 * Tracked wallets with known entries and outcomes, calibrated by the domain's rules.
 *
 * @module
 */
import { type Rates, ratesOf } from "../../../src/whales/domain/rates.ts"
import { sumsOf, type WalletSums } from "../../../src/whales/domain/score.ts"
import type { TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import { type CalibratedWhale, whaleRow } from "../../../src/whales/domain/whale.ts"
import type { WhaleLabel } from "../../../src/feed/domain/item.ts"
import { trackedWallet } from "./entries.ts"
import { entry } from "./records.ts"

/** One entry in a market and event of its own. */
export interface KnownEntry {
  /** USD a share, in (0, 1). */
  readonly price: number
  readonly stakeUsd: number
  /** Null: the market was cancelled. */
  readonly won: boolean | null
}

export interface KnownWallet {
  readonly wallet: string
  readonly history: TrackedWallet["history"]
  readonly label: typeof WhaleLabel.Type
  readonly computedAt: number
  readonly entries: ReadonlyArray<KnownEntry>
}

const feeRate = 0.02

export function sumsOfKnown(entries: ReadonlyArray<KnownEntry>): WalletSums {
  return sumsOf(entries.map(({ price, stakeUsd, won }) => [{
    entries: [entry({ price, stakeUsd })],
    payouts: won === null ? null : won ? [1, 0] : [0, 1],
    feeRate,
  }]))
}

/** The contents of a store with these wallets: only wallets with a whole history count. */
export function storeOf(wallets: ReadonlyArray<KnownWallet>) {
  const whole = wallets.filter(({ history }) => history === "whole")
  return {
    tracked: wallets.map(({ wallet, history }) => trackedWallet({ wallet, name: wallet, history })),
    sums: whole.map(({ entries }) => sumsOfKnown(entries)),
    whales: whole.flatMap((known) => {
      const rates = ratesOf(sumsOfKnown(known.entries))
      return rates === null ? [] : [calibratedWhale(known, rates)]
    }),
  }
}

const facts = { source: "volume", marketMaker: false, openEntries: 7 } as const

function calibratedWhale(
  { wallet, label, computedAt }: KnownWallet,
  rates: Rates,
): CalibratedWhale {
  return { computedAt, row: whaleRow(wallet, rates, label, { pseudonym: wallet, ...facts }) }
}

/** Wallets that won these numbers of 40 entries at even odds, calibrated on 21 November 2026. */
export const wonOf40 = (wins: ReadonlyArray<number>): ReadonlyArray<KnownWallet> =>
  wins.map((won, n) => ({
    wallet: `0x${`${n}`.padStart(40, "a")}`,
    history: "whole",
    label: "neutral",
    computedAt: Date.parse("2026-11-21T09:00:00.000Z"),
    entries: Array.from({ length: 40 }, (_, i) => ({ price: 0.5, stakeUsd: 100, won: i < won })),
  }))
