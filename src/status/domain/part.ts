/**
 * The scheduled parts of the service whose runs are recorded.
 *
 * @module
 */
import { Schema } from "effect"
import { predeterminedJob, scoresJob, tickJob, whaleJob } from "../../core/domain/freshness.ts"
import { digestEvery } from "../../digest/domain/digest.ts"

export const parts = [tickJob, whaleJob, predeterminedJob, scoresJob, "digest"] as const
export const Part = Schema.Literals(parts)
export type Part = typeof Part.Type

export const partTitles: Readonly<Record<Part, string>> = {
  tick: "Market prices and movers",
  whales: "Tracked wallets",
  predetermined: "Predetermined outcomes",
  scores: "Scores of published items",
  digest: "Digests",
}

/** The planned time between two runs. */
export const everyMsOf = (part: Part, tickIntervalMs: number): number =>
  part === "digest" ? digestEvery : tickIntervalMs
