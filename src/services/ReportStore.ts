/**
 * The port through which replicas share research reports: one row a market, made by one caller at a
 * time under a lease, read by all.
 *
 * @module
 */
import { Context, type Duration, type Effect } from "effect"
import type { MarketId } from "../domain/market.ts"
import type { Report } from "../domain/research.ts"
import type { EpochMs } from "../domain/time.ts"

/** A report, and when it was made (on the store's clock). */
export interface MadeReport {
  readonly generatedAt: EpochMs
  readonly report: Report
}

/** Where the report on a market stands. `generation` numbers the makings of it. */
export type ReportState =
  | ({ readonly state: "made"; readonly generation: number } & MadeReport)
  /** This caller makes it. */
  | { readonly state: "ours"; readonly generation: number }
  /** Another caller is making it. */
  | { readonly state: "making"; readonly generation: number }

export class ReportStore extends Context.Service<ReportStore, {
  /**
   * The report, if it is no older than `ageMax`; else whose turn it is to make it. The turn of a maker
   * that is silent for longer than `lease` goes to the next who asks.
   */
  readonly begin: (
    marketId: MarketId,
    options: { readonly ageMax: Duration.Duration; readonly lease: Duration.Duration },
  ) => Effect.Effect<ReportState>
  /** What became of a generation; `lost` when its maker is silent or another has begun. */
  readonly ended: (
    marketId: MarketId,
    generation: number,
  ) => Effect.Effect<
    ({ readonly state: "made" } & MadeReport) | { readonly state: "making" | "failed" | "lost" }
  >
  /** Stores what was made, or that it could not be; null, or false, when the turn was lost. */
  readonly finish: (
    marketId: MarketId,
    generation: number,
    report: Report,
  ) => Effect.Effect<EpochMs | null>
  readonly fail: (marketId: MarketId, generation: number) => Effect.Effect<boolean>
  /** Forgets reports that were made before `before`; returns how many went. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/services/ReportStore") {}
