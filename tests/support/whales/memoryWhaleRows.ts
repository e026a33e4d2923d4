/**
 * What a `WhaleStore` in memory holds of wallets, positions and markets.
 *
 * @module
 */
import type { NumberedAct } from "../../../src/markets/domain/activity.ts"
import type { Judgement } from "../../../src/whales/domain/calibration.ts"
import type { MarketFacts, MarketId } from "../../../src/markets/domain/market.ts"
import type { Resolution } from "../../../src/markets/domain/resolution.ts"
import type { MarketScore, WalletSums } from "../../../src/whales/domain/score.ts"
import type { TrackedWallet } from "../../../src/whales/domain/tracking.ts"
import type { MadePosition } from "../../../src/whales/WhaleStore.ts"

export type Wallet = Omit<TrackedWallet, "acts" | "markets" | "bothSides"> & {
  readonly version: number
  readonly sums: WalletSums | null
  readonly judgement: Judgement | null
}

export interface Position {
  readonly wallet: string
  readonly marketId: MarketId
  readonly acts: ReadonlyMap<string, NumberedAct>
  readonly actsVersion: number
  readonly madeVersion: number
  readonly made: Pick<MadePosition, "entries" | "boughtBoth" | "due">
  readonly stale: { readonly actedAt: number } | null
  readonly uncounted: { readonly since: number; readonly version: number } | null
  readonly score: MarketScore | null
}

export interface MarketState {
  readonly facts: MarketFacts | null
  readonly event: string | null
  readonly factsAskedAt: number
  readonly askedAt: number
  readonly resolution: Resolution | null
  readonly endedAt: number
  /** When how it ended was last news. */
  readonly toldAt: number
}

const never = -Infinity

export const unknown: MarketState = {
  facts: null,
  event: null,
  factsAskedAt: never,
  askedAt: never,
  resolution: null,
  endedAt: never,
  toldAt: never,
}

export const untold = {
  history: "reading",
  readFrom: null,
  readTo: null,
  version: 0,
  sums: null,
  judgement: null,
} as const

export const fresh = (wallet: string, marketId: MarketId): Position => ({
  wallet,
  marketId,
  acts: new Map(),
  actsVersion: 0,
  madeVersion: 0,
  made: { entries: [], boughtBoth: false, due: false },
  stale: null,
  uncounted: null,
  score: null,
})
