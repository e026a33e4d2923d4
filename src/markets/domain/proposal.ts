/**
 * How an open market will be decided: its rules, and its proposed outcome.
 *
 * @module
 */
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { MarketId } from "./market.ts"

/** An outcome proposed at the venue, which can be disputed until it settles. */
export interface Proposal {
  readonly marketId: MarketId
  readonly outcome: 0 | 1
  readonly proposedAt: EpochMs
  /** When it becomes final unless disputed; null when the venue does not publish it. */
  readonly settlesAt: EpochMs | null
  readonly disputed: boolean
}

/**
 * The oracle's challenge window where the venue states none: a proposal without a dispute is final
 * after it.
 */
export const challengeWindowMs = 2 * hour

/** What the words about a proposal depend on. */
type ProposalState = Pick<Proposal, "proposedAt" | "disputed">

/**
 * The state of a proposal in plain words, to follow "is": `proposed, undisputed for 26 hours`, or
 * `proposed, and disputed`. Every product uses these words.
 */
export function proposalWords(proposal: ProposalState, now: EpochMs): string {
  return proposal.disputed
    ? "proposed, and disputed"
    : `proposed, undisputed for ${proposalAge(proposal, now)}`
}

/** Above this, the age of a proposal is given in days. */
const ageHoursMax = 2 * day

/** The figure in `proposalWords`: `45 minutes`, `26 hours` or `3 days`, rounded down. */
export function proposalAge({ proposedAt }: Pick<Proposal, "proposedAt">, now: EpochMs): string {
  const ageMs = Math.max(0, now - proposedAt)
  const [unitMs, unit] = unitOf(ageMs)
  const count = Math.floor(ageMs / unitMs)
  return count === 0 ? "less than a minute" : `${count} ${unit}${count === 1 ? "" : "s"}`
}

function unitOf(ageMs: number): readonly [number, string] {
  if (ageMs < hour) return [minute, "minute"]
  return ageMs < ageHoursMax ? [hour, "hour"] : [day, "day"]
}

/** In characters; a longer text is cut. */
export const rulesLengthMax = 4_000

/** The rules of a market: untrusted text, cut to `rulesLengthMax`. */
export interface MarketRules {
  readonly marketId: MarketId
  readonly text: string
}
