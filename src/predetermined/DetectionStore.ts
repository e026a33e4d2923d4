/**
 * The port to the markets with a published predetermined item.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import type { EpochMs } from "../core/domain/time.ts"

export class DetectionStore extends Context.Service<DetectionStore, {
  /** Which of these markets have an item; also after their item was pruned from the feed. */
  readonly published: (marketIds: ReadonlyArray<MarketId>) => Effect.Effect<ReadonlySet<MarketId>>
  /** Any number; a known one is ignored. */
  readonly add: (marketIds: ReadonlyArray<MarketId>, at: EpochMs) => Effect.Effect<void>
}>()("bellwether/predetermined/DetectionStore") {}
