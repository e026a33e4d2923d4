/**
 * The port to the memory of tracked wallets: what they did, their entries, how those ended, and what
 * that says of each.
 *
 * A position is one wallet in one market. What changes a position's acts makes it stale: its entries
 * have to be made anew. What changes its entries once its market has ended, or how the market ended,
 * makes it uncounted: its wallet's sums have to be moved. Both marks are made in the transaction that
 * makes the change and carry its number, so whoever works a position off takes only the mark it saw,
 * and a crash anywhere leaves it for the next.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { NumberedAct } from "../markets/domain/activity.ts"
import type { Judgement } from "./domain/calibration.ts"
import type { HeldEntry } from "./domain/heldEntry.ts"
import type { MarketFacts, MarketId } from "../markets/domain/market.ts"
import type { OpenEntry } from "./domain/entry.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import type { MarketScore, WalletSums, WalletTotals } from "./domain/score.ts"
import type { EpochMs } from "../core/domain/time.ts"
import type { HistoryState, TrackedWallet, TrackingSource } from "./domain/tracking.ts"
import type { CalibratedWhale } from "./domain/whale.ts"

/** A stretch of a wallet's acts, read without a gap, and what is known of its history with it. */
export interface ReadStretch {
  readonly wallet: string
  readonly acts: ReadonlyArray<NumberedAct>
  /** The stretch everything is known of from now on, the one known before included. */
  readonly readFrom: EpochMs
  readonly readTo: EpochMs
  readonly history: HistoryState
}

/** A position whose acts changed since its entries were made. */
export interface StalePosition {
  readonly wallet: string
  readonly market: MarketFacts
  /** Which change of its acts this is. */
  readonly version: number
  readonly acts: ReadonlyArray<NumberedAct>
  readonly entries: ReadonlyArray<HeldEntry>
}

/** A position with an entry that waits to be told in the feed. */
export interface DuePosition extends Omit<StalePosition, "acts"> {
  readonly boughtBoth: boolean
}

export interface MadePosition {
  readonly wallet: string
  readonly marketId: MarketId
  readonly version: number
  readonly entries: ReadonlyArray<HeldEntry>
  readonly boughtBoth: boolean
  /** Whether one of the entries waits to be told in the feed. */
  readonly due: boolean
}

/** One wallet in one event, some of whose markets have to be counted anew. */
export interface UncountedEvent {
  readonly wallet: string
  /** Entries opened before this do not count; null when all do. */
  readonly countFrom: EpochMs | null
  /** Every position of the wallet in the event that is counted or has to be. */
  readonly positions: ReadonlyArray<{
    readonly marketId: MarketId
    readonly version: number
    readonly feeRate: number
    readonly entries: ReadonlyArray<HeldEntry>
    readonly resolution: Resolution | null
    /** What its wallet's sums hold of it; null when nothing. */
    readonly counted: MarketScore | null
    /** False for a sibling that stands as it is. */
    readonly changed: boolean
  }>
}

/** The sums of a wallet as they were read; null while none of its positions is counted. */
export interface HeldSums {
  /** Which change of them this is: 0 before the first. */
  readonly version: number
  readonly sums: WalletSums | null
}

/** What the sums of a wallet become. */
export interface CountedWallet {
  readonly wallet: string
  /** Of the sums that were moved: others may have moved them since. */
  readonly version: number
  readonly sums: WalletSums
  readonly judgement: Judgement | null
}

/** What becomes of a position that was counted. */
export interface CountedPosition {
  readonly wallet: string
  readonly marketId: MarketId
  readonly version: number
  readonly score: MarketScore | null
}

/** One wallet's part in the judgement of all. */
interface JudgedWallet {
  readonly wallet: string
  readonly judgement: Judgement | null
}

/** A market that ended with entries of tracked wallets in it. */
interface EndedMarket {
  readonly market: MarketFacts
  readonly resolution: Resolution
  /** When it was resolved, or first told to be where no time was given. */
  readonly endedAt: EpochMs
  /** How many wallets entered it, hedges too, and what their entries cost together. */
  readonly wallets: number
  readonly stakeUsd: number
}

export class WhaleStore extends Context.Service<WhaleStore, {
  /**
   * Tracks the wallets that are not tracked yet, and renames those that are. A wallet never loses its
   * place; one of a profit board that turns up on a volume board counts as found there from then on,
   * and its positions become uncounted. Returns how many are new.
   */
  readonly track: (
    wallets: ReadonlyArray<{
      readonly wallet: string
      readonly name: string
      readonly source: TrackingSource
    }>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /** Every tracked wallet, by address. */
  readonly tracked: Effect.Effect<ReadonlyArray<TrackedWallet>>
  /**
   * Adds acts (those already known change nothing) and moves the markers, in one transaction. Several
   * may read one wallet at once, each from what it knew: the markers only ever move apart, and neither
   * they nor the history move for a stretch that leaves a gap of a second or more to the one known; a
   * history goes from `reading` to `whole` to `truncated` and never back.
   */
  readonly saveRead: (read: ReadStretch) => Effect.Effect<{ readonly added: number }>

  /** Markets with acts, of which the facts are not known and were not asked since `askedBefore`. */
  readonly unknownMarkets: (
    limit: number,
    askedBefore: EpochMs,
  ) => Effect.Effect<ReadonlyArray<MarketId>>
  /** Remembers facts, and that `asked` were asked for. */
  readonly saveFacts: (
    facts: ReadonlyArray<MarketFacts>,
    asked: ReadonlyArray<MarketId>,
    at: EpochMs,
  ) => Effect.Effect<void>

  /** Stale positions whose market's facts are known, those of the newest acts first: the past can wait. */
  readonly stale: (limit: number) => Effect.Effect<ReadonlyArray<StalePosition>>
  /**
   * Remembers the entries of positions, and takes their mark unless their acts changed meanwhile. A
   * position in a market that ended, or that is counted, becomes uncounted when its entries changed.
   * Passed over is what was made of fewer acts than what is held, or in a market of unknown facts.
   */
  readonly saveMade: (positions: ReadonlyArray<MadePosition>) => Effect.Effect<void>
  /** Positions with an entry that waits to be told, as they stand now. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<DuePosition>>

  /**
   * Markets with entries to ask about: those that have not ended and were not asked since
   * `askedBefore` (or, where their scheduled end lies in `[ending.from, ending.to]`, since
   * `ending.askedBefore`), then those that ended after `endedAfter` and were not asked since
   * `askedAgainBefore`; the longest unasked first. An eighth of the limit is for those that ended,
   * and they come first: without it a venue's second thoughts would wait for a backlog to end.
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
   * Remembers how markets ended, and that `asked` were asked. Where that is news, or another word than
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

  /** Events with uncounted positions, oldest mark first, at most about `limit` positions. */
  readonly uncounted: (limit: number) => Effect.Effect<ReadonlyArray<UncountedEvent>>
  /** The sums of these wallets, each of which is there when it is tracked. */
  readonly sums: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, HeldSums>>
  /**
   * Moves the sums and judgements of wallets together with what was counted of their positions, all in
   * one transaction. Returns false, and changes nothing, when the version of a position, or of a
   * wallet's sums, is another by now.
   */
  readonly saveCounted: (
    positions: ReadonlyArray<CountedPosition>,
    wallets: ReadonlyArray<CountedWallet>,
  ) => Effect.Effect<boolean>

  /** Every wallet with counted positions; those with a truncated or unread history are absent. */
  readonly judged: Effect.Effect<ReadonlyArray<JudgedWallet>>
  /** What the same wallets' sums hold that adds up over wallets. */
  readonly totals: Effect.Effect<ReadonlyArray<WalletTotals>>
  /** Entries in markets that have not ended, by wallet (hedges too). */
  readonly openEntries: Effect.Effect<ReadonlyMap<string, number>>
  /**
   * Entries in one market, the largest stake first, at most `limit`: none once it has ended, no hedges,
   * and none of a wallet whose past is still being read.
   */
  readonly entriesIn: (
    marketId: MarketId,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<OpenEntry>>
  /** Every calibrated wallet, in no particular order; some have too few entries to be sold. */
  readonly calibrated: Effect.Effect<ReadonlyArray<CalibratedWhale>>
  /**
   * Another word after every `saveCounted` and `saveCalibrated` that changed anything, else the same:
   * what is shown of wallets is read anew when it has moved. Every replica asks once a second.
   */
  readonly calibrationVersion: Effect.Effect<string>
  /** As it stands, and as it stood before that: what an entry that began between the two is given. */
  readonly calibrations: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<CalibratedWhale>>>
  /**
   * Rewrites what changed and keeps what it replaces; `gone` have no calibration any more. A row
   * with the `computedAt` of the one held says the same of its wallet: it takes that one's place, and
   * what stood before both stays.
   */
  readonly saveCalibrated: (
    whales: ReadonlyArray<CalibratedWhale>,
    gone: ReadonlyArray<string>,
  ) => Effect.Effect<void>
}>()("bellwether/whales/WhaleStore") {}
