/**
 * The port through which replicas share research reports: one caller at a time writes a report, under a
 * lease on the store's clock, and all callers read it.
 *
 * @module
 */
import { Context, type Duration, type Effect } from "effect"
import type { MarketId } from "../markets/domain/market.ts"
import type { Report } from "./domain/research.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** A report, and when it was stored (on the store's clock). */
export interface StoredReport {
  readonly generatedAt: EpochMs
  readonly report: Report
}

/** The state of the report on a market. */
export type ReportState =
  | ({ readonly state: "made" } & StoredReport)
  /** This caller has the lease and must write it; `generation` counts the attempts, from 1. */
  | { readonly state: "acquired"; readonly generation: number }
  /** Another caller has the lease. */
  | { readonly state: "making" }

export class ReportStore extends Context.Service<ReportStore, {
  /**
   * The report of the newest generation, if it is younger than `ageMax` and still valid by its own
   * `decision.validUntil`; else the state of the lease. An expired lease goes to the next caller. Of any
   * number of concurrent callers one gets `acquired`.
   */
  readonly begin: (
    marketId: MarketId,
    options: { readonly ageMax: Duration.Duration; readonly lease: Duration.Duration },
  ) => Effect.Effect<ReportState>
  /** Whether `begin` with this `ageMax` would still give the stored report after `later`. */
  readonly isMade: (
    marketId: MarketId,
    options: { readonly ageMax: Duration.Duration; readonly later: Duration.Duration },
  ) => Effect.Effect<boolean>
  /** Extends the lease of a generation; false when another caller has taken over. */
  readonly renew: (
    marketId: MarketId,
    generation: number,
    lease: Duration.Duration,
  ) => Effect.Effect<boolean>
  /**
   * Ends a generation: stores its report, or with null that it failed, and returns the time. Null when
   * another caller has taken over. An expired lease alone does not prevent it.
   */
  readonly finish: (
    marketId: MarketId,
    generation: number,
    report: Report | null,
  ) => Effect.Effect<EpochMs | null>
  /**
   * Deletes generations that began before `before`, at most `pruneStepMs` after the oldest, except those
   * being written; returns the number deleted. If none is left, the numbers start again from 1.
   */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/research/ReportStore") {}
