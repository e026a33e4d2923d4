/**
 * The port to the stored detections: for each market the evidence of its last question, the result, and
 * whether an item was published.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import type { EpochMs } from "../core/domain/time.ts"

export interface StoredDetection {
  /** Identifies the evidence of the last answered question; null before the first. */
  readonly evidenceKey: string | null
  readonly consideredAt: EpochMs
  /** The market has an item, so the detector is never asked about it again. */
  readonly published: boolean
}

/** The result of considering a market. */
export interface DetectionRecord {
  readonly marketId: MarketId
  /** Null without an answer: the stored key does not change. */
  readonly evidenceKey: string | null
  /** `published`, or why there is no item: short and stable. */
  readonly result: string
}

export class DetectionStore extends Context.Service<DetectionStore, {
  /** The stored detections of these markets, in one query. */
  readonly find: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyMap<MarketId, StoredDetection>>
  /** Of two records of one market the later one is stored; `published` is never reset. */
  readonly save: (records: ReadonlyArray<DetectionRecord>, at: EpochMs) => Effect.Effect<void>
  /** Deletes unpublished markets last considered before `before`; returns how many. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/predetermined/DetectionStore") {}
