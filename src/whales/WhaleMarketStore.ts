/**
 * The store of the markets that tracked wallets act in: their facts, and how they ended.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketFacts, MarketId } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"

/** A market that ended with entries of tracked wallets in it. */
interface EndedMarket {
  readonly market: MarketFacts
  readonly resolution: Resolution
  /** When it was resolved, or first known to be where no time was given. */
  readonly endedAt: EpochMs
  /** How many wallets entered it, hedges too, and what their entries cost together. */
  readonly wallets: number
  readonly stakeUsd: number
}

export class WhaleMarketStore extends Context.Service<WhaleMarketStore, {
  /** Markets with activity, of which the facts are not known and were not asked since `askedBefore`. */
  readonly unknownMarkets: (
    limit: number,
    askedBefore: EpochMs,
  ) => Effect.Effect<ReadonlyArray<MarketId>>
  /** Saves facts, and that `asked` were asked for. */
  readonly saveFacts: (
    facts: ReadonlyArray<MarketFacts>,
    asked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<void>
  /**
   * Markets with entries to ask about: those that have not ended and were not asked since
   * `askedBefore` (or, where their scheduled end lies in `[ending.from, ending.to]`, since
   * `ending.askedBefore`), then those that ended after `endedAfter` and were not asked since
   * `askedAgainBefore`; the longest unasked first. An eighth of the limit is for those that ended,
   * and they come first: without it a venue's corrected resolutions would wait for a backlog to end.
   */
  readonly unresolved: (query: {
    readonly limit: number
    readonly askedBefore: EpochMs
    readonly ending: {
      readonly from: EpochMs
      readonly to: EpochMs
      readonly askedBefore: EpochMs
    }
    readonly endedAfter: EpochMs
    readonly askedAgainBefore: EpochMs
  }) => Effect.Effect<ReadonlyArray<MarketId>>
  /**
   * Saves how markets ended, and that `asked` were asked. Where that is news, or another word than
   * before, every position in the market that has entries or is counted becomes uncounted. A market
   * once ended that is not among the resolutions stays ended. Returns how many were news.
   */
  readonly saveResolutions: (
    resolutions: ReadonlyArray<Resolution>,
    asked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /**
   * Markets with entries that ended at or after `endedFrom`, and of which that was news, for the first
   * time or as another word than before, in `[told.from, told.to)`: those with the most staked first.
   */
  readonly ended: (query: {
    readonly endedFrom: EpochMs
    readonly told: { readonly from: EpochMs; readonly to: EpochMs }
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<EndedMarket>>
}>()("bellwether/whales/WhaleMarketStore") {}
