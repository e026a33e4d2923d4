/**
 * What /v1/track-record would say of the sample's wallets: computed by the rules that compute a real
 * one, from entries that add up to the sample's rows.
 *
 * @module
 */
import {
  addBandSums,
  bandEdges,
  bandOf,
  type BandSums,
  entrySums,
} from "../../whales/domain/oddsBands.ts"
import { noTotals, type WalletTotals } from "../../whales/domain/score.ts"
import { type Scorecard, scorecard } from "../../track-record/domain/scorecard.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { TrackedWallet } from "../../whales/domain/tracking.ts"
import type { WhaleRow } from "../../whales/domain/whale.ts"
import { sampleWhales } from "./sampleWhales.ts"

/** The scorecard of the sample's wallets and one whose history has not been read yet. */
export function sampleScorecard(computedAt: EpochMs): Scorecard {
  const judged = sampleWhales.map(({ wallet, pseudonym }) =>
    tracked(wallet, pseudonym, "whole", computedAt)
  )
  const unread = "0x000000000000000000000000000000000000feed"
  return scorecard({
    tracked: [...judged, tracked(unread, "Third Sample Wallet", "reading", computedAt)],
    totals: sampleWhales.map(totalsOf),
    whales: sampleWhales.map((row) => ({ computedAt, row })),
    verdicts: {
      mover_1h: { persisted: 31, reverted: 12, unknown: 1, open: 1 },
      mover_24h: { persisted: 22, reverted: 17, unknown: 1, open: 5 },
      predetermined: { correct: 6, wrong: 1, open: 3 },
    },
    now: computedAt,
  })
}

function tracked(
  wallet: string,
  name: string,
  history: TrackedWallet["history"],
  trackedAt: EpochMs,
): TrackedWallet {
  const read = { readFrom: null, readTo: null, acts: 0, markets: 0, bothSides: 0 }
  return { wallet, name, source: "volume", trackedAt, history, ...read }
}

/** Sums of entries of one stake, at the mean price of their band, that were won as often as the row says. */
function totalsOf({ oddsBands, stakeUsd, resolved }: WhaleRow): WalletTotals {
  const bands = noTotals.bands.map((none, at): BandSums => {
    const band = oddsBands.find(({ meanEntryPrice }) => bandOf(meanEntryPrice, bandEdges) === at)
    if (band === undefined) return none
    const wins = Math.round(band.winRate * band.entries)
    return Array.from(
      { length: band.entries },
      (_, n) => entrySums(band.meanEntryPrice, stakeUsd / resolved, n < wins ? 1 : 0, 0),
    ).reduce((sums, entry) => addBandSums(sums, entry, 1), none)
  })
  return { cancelled: 0, bands }
}
