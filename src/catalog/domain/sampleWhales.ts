/**
 * The wallets of /v1/sample: made up, and made to agree with themselves. Bands add up to the whole, a
 * rate lies in its interval, the edge is what was won beyond the price paid.
 *
 * @module
 */
import type { FrozenCalibration } from "../../feed/domain/item.ts"
import { ruleVersion } from "../../whales/domain/label.ts"
import type { WhaleRow } from "../../whales/domain/whale.ts"

/** Two wallets, the larger stake first: as most are, and as few are. */
export const sampleWhales: readonly [WhaleRow, WhaleRow] = [
  {
    pseudonym: "Sample Wallet",
    wallet: "0x000000000000000000000000000000000000dead",
    resolved: 164,
    winRate: 0.628,
    fadeRoi: -0.053,
    label: "neutral",
    source: "volume",
    marketMaker: false,
    events: 97,
    winRateLow: 0.5519,
    winRateHigh: 0.6983,
    mirrorRoi: 0.0336,
    meanEntryPrice: 0.6104,
    edge: 0.0177,
    edgeLow: -0.0745,
    edgeHigh: 0.1098,
    stakeUsd: 960_000,
    openEntries: 11,
    oddsBands: [
      {
        ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 41, meanEntryPrice: 0.38 },
        ...{ winRate: 0.4146, winRateLow: 0.2776, winRateHigh: 0.5663 },
        ...{ followRoi: 0.0911, fadeRoi: -0.0559 },
      },
      {
        ...{ band: "0.50-0.75", from: 0.5, to: 0.75, entries: 86, meanEntryPrice: 0.63 },
        ...{ winRate: 0.6395, winRateLow: 0.5341, winRateHigh: 0.733 },
        ...{ followRoi: 0.0151, fadeRoi: -0.0258 },
      },
      {
        ...{ band: "0.75-0.90", from: 0.75, to: 0.9, entries: 37, meanEntryPrice: 0.82 },
        ...{ winRate: 0.8378, winRateLow: 0.6886, winRateHigh: 0.9235 },
        ...{ followRoi: 0.0218, fadeRoi: -0.0991 },
      },
    ],
  },
  {
    pseudonym: "Second Sample Wallet",
    wallet: "0x000000000000000000000000000000000000beef",
    resolved: 412,
    winRate: 0.682,
    fadeRoi: -0.2799,
    label: "follow",
    source: "volume",
    marketMaker: false,
    events: 361,
    winRateLow: 0.6356,
    winRateHigh: 0.7251,
    mirrorRoi: 0.161,
    meanEntryPrice: 0.589,
    edge: 0.0931,
    edgeLow: 0.0454,
    edgeHigh: 0.1407,
    stakeUsd: 410_000,
    openEntries: 7,
    oddsBands: [
      {
        ...{ band: "0.25-0.50", from: 0.25, to: 0.5, entries: 120, meanEntryPrice: 0.39 },
        ...{ winRate: 0.4833, winRateLow: 0.3958, winRateHigh: 0.5719 },
        ...{ followRoi: 0.2393, fadeRoi: -0.153 },
      },
      {
        ...{ band: "0.50-0.75", from: 0.5, to: 0.75, entries: 214, meanEntryPrice: 0.62 },
        ...{ winRate: 0.715, winRateLow: 0.6511, winRateHigh: 0.7712 },
        ...{ followRoi: 0.1532, fadeRoi: -0.2499 },
      },
      {
        ...{ band: "0.75-0.90", from: 0.75, to: 0.9, entries: 78, meanEntryPrice: 0.81 },
        ...{ winRate: 0.8974, winRateLow: 0.8105, winRateHigh: 0.9471 },
        ...{ followRoi: 0.1079, fadeRoi: -0.4602 },
      },
    ],
  },
]

/** The second wallet's calibration as it was frozen onto an entry that began after `computedAt`. */
export function sampleCalibration(computedAt: string): FrozenCalibration {
  const { label, resolved, winRate, meanEntryPrice, fadeRoi, ...row } = sampleWhales[1]
  const { edge, edgeLow, edgeHigh, mirrorRoi } = row
  const edges = { edge, edgeLow, edgeHigh }
  const rois = { followRoi: mirrorRoi, fadeRoi }
  return { label, resolved, winRate, meanEntryPrice, ...edges, ...rois, computedAt, ruleVersion }
}
