/**
 * The store of markets with activity of tracked wallets: their facts, and how they ended.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketFacts, MarketId } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"

/** An ended market with entries of tracked wallets. */
interface EndedMarket {
  readonly market: MarketFacts
  readonly resolution: Resolution
  /** When it was resolved, or when that was first known if the venue gave no time. */
  readonly endedAt: EpochMs
  /** Wallets with entries in it, and the total cost of those entries; includes hedges. */
  readonly wallets: number
  readonly stakeUsd: number
}

export class WhaleMarketStore extends Context.Service<WhaleMarketStore, {
  /** Markets with activity whose facts are unknown and were last requested before `requestedBefore`. */
  readonly unknownMarkets: (
    limit: number,
    requestedBefore: EpochMs,
  ) => Effect.Effect<ReadonlyArray<MarketId>>
  /**
   * Saves facts, and that these and `requested` were requested. The first facts decide a market's event,
   * its fee and when it is due; later ones do not change them, because records depend on all three.
   */
  readonly saveFacts: (
    facts: ReadonlyArray<MarketFacts>,
    requested: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<void>
  /**
   * Markets with entries to check, the longest unchecked first: those that have not ended and were last
   * checked before `checkedBefore` (before `ending.checkedBefore` if their scheduled end is in
   * `[ending.from, ending.to]`), and those that ended after `endedAfter` and were last checked before
   * `recheckedBefore`.
   */
  readonly unresolved: (query: {
    readonly limit: number
    readonly checkedBefore: EpochMs
    readonly ending: {
      readonly from: EpochMs
      readonly to: EpochMs
      readonly checkedBefore: EpochMs
    }
    readonly endedAfter: EpochMs
    readonly recheckedBefore: EpochMs
  }) => Effect.Effect<ReadonlyArray<MarketId>>
  /**
   * Saves how markets ended, and that these and `checked` were checked. Every wallet with entries in a
   * market becomes uncounted when its resolution is new or changed, or only its time. A market that has
   * ended and is not among the resolutions stays ended. Returns how many were new or changed.
   */
  readonly saveResolutions: (
    resolutions: ReadonlyArray<Resolution>,
    checked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /**
   * Markets with entries that ended at or after `endedFrom`, and whose resolution was first stored, or
   * last changed, in `[changed.from, changed.to)`: the largest total stake first.
   */
  readonly ended: (query: {
    readonly endedFrom: EpochMs
    readonly changed: { readonly from: EpochMs; readonly to: EpochMs }
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<EndedMarket>>
}>()("bellwether/whales/WhaleMarketStore") {}
