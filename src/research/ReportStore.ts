/**
 * The port through which replicas share research reports: one is made by one caller at a time, under
 * a lease on the store's clock, and read by all.
 *
 * @module
 */
import { Context, type Duration, type Effect } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import type { Report } from "./domain/research.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** A report, and when it was made (on the store's clock). */
export interface StoredReport {
  readonly generatedAt: EpochMs
  readonly report: Report
}

/** Where the report on a market stands. `generation` numbers the makings of it, upwards from 1. */
export type ReportState =
  | ({ readonly state: "made"; readonly generation: number } & StoredReport)
  /** This caller makes it. */
  | { readonly state: "ours"; readonly generation: number }
  /** Another caller is making it. */
  | { readonly state: "making"; readonly generation: number }

/** What became of a generation. */
export type GenerationState =
  | ({ readonly state: "made" } & StoredReport)
  | { readonly state: "making" | "failed" | "lost" }

export class ReportStore extends Context.Service<ReportStore, {
  /**
   * The newest generation's report, if it is younger than `ageMax`; else whose turn it is to make it.
   * The turn of a maker that is silent for longer than its lease goes to the next who asks. Of any
   * number who ask at once one is told `ours`.
   */
  readonly begin: (
    marketId: MarketId,
    options: { readonly ageMax: Duration.Duration; readonly lease: Duration.Duration },
  ) => Effect.Effect<ReportState>
  /**
   * What became of a generation, also after others have begun; `lost` when its maker is silent, or it
   * is forgotten.
   */
  readonly ended: (marketId: MarketId, generation: number) => Effect.Effect<GenerationState>
  /** Prolongs the lease of a generation; false when the turn is another's by now. */
  readonly renew: (
    marketId: MarketId,
    generation: number,
    lease: Duration.Duration,
  ) => Effect.Effect<boolean>
  /**
   * Stores what was made, and tells when; null when the turn is another's by now. A lease that ran out
   * unseen takes nothing away.
   */
  readonly finish: (
    marketId: MarketId,
    generation: number,
    report: Report,
  ) => Effect.Effect<EpochMs | null>
  /** Stores that it could not be made; false when the turn is another's by now. */
  readonly fail: (marketId: MarketId, generation: number) => Effect.Effect<boolean>
  /**
   * Forgets generations that began before `before`, but for those being made; returns how many went.
   * Where none is left, numbers begin anew.
   */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/research/ReportStore") {}
