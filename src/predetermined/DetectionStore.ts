/**
 * The port to the memory of detections: about which evidence each market was last asked, what came of
 * it, and which markets were told.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** What is remembered of a market. */
export interface StoredDetection {
  /** Names the evidence of the last question that was put; null while none was. */
  readonly evidenceKey: string | null
  readonly consideredAt: EpochMs
  /** An item was told of it: it is never asked about again. */
  readonly told: boolean
}

/** What came of looking at a market. */
export interface DetectionRecord {
  readonly marketId: MarketId
  /** Null when no answer was had: what was remembered of an earlier one stays. */
  readonly evidenceKey: string | null
  /** `told`, or why there is no item: short and stable. */
  readonly verdict: string
}

export class DetectionStore extends Context.Service<DetectionStore, {
  /** Those of these markets that are remembered. One query for all. */
  readonly held: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyMap<MarketId, StoredDetection>>
  /** Of two about one market the later in the list stands; but what was told stays told. */
  readonly remember: (
    considered: ReadonlyArray<DetectionRecord>,
    at: EpochMs,
  ) => Effect.Effect<void>
  /** Forgets markets last looked at before `before`, but none that was told; returns how many went. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/predetermined/DetectionStore") {}
