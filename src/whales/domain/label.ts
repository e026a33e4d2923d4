/**
 * Why a wallet is labelled `follow`, `fade` or `neutral`: the whole rule.
 *
 * A wallet is judged when its whole history is read (`CalibrationStore.counted`) and it
 * has at least 30 counted resolved entries in at least 10 events. Before that it has no label and no
 * row. A judged wallet is `neutral` unless three conditions are true:
 *
 * 1. The 95 % interval of its mean edge, payout minus price, is above 0 for `follow` and below 0 for
 *    `fade` (`mayBeLabelled`).
 * 2. Its record is proven: the cash of a gambler who copied it, or bet against it (`evidence.ts`), is
 *    so large that the closed e-BH procedure at 0.05 over all judged wallets selects it
 *    (`closedEBH.ts`). This is valid at every check, however often the labels are read.
 * 3. Following, or fading, would have been profitable after the venue's fees.
 *
 * @module
 */
import type { WhaleLabel } from "../../feed/domain/item.ts"
import type { Rates } from "./rates.ts"
import { discoveries } from "./closedEBH.ts"
import type { Evidence } from "./evidence.ts"

/** Identifies the rule behind a label; changes with every change of the rule. */
export const ruleVersion = "fair-prices-cash-4"

/** The figures that decide a label. */
export interface Judgement
  extends Pick<Rates, "edge" | "edgeLow" | "edgeHigh" | "followRoi" | "fadeRoi"> {
  readonly evidence: Evidence
}

/** A wallet with fewer resolved entries has no row. */
export const resolvedEntriesMin = 30
/** Entries of one event are not independent, so events have a minimum too. */
export const eventsMin = 10

/** Whether a wallet has enough entries and events to be judged. */
export function isJudged({ resolved, events }: Pick<Rates, "resolved" | "events">): boolean {
  return resolved >= resolvedEntriesMin && events >= eventsMin
}

/** Whether the interval of its edge excludes 0; else its evidence counts as none at all. */
export function mayBeLabelled({ edgeLow, edgeHigh }: Pick<Rates, "edgeLow" | "edgeHigh">): boolean {
  return edgeLow > 0 || edgeHigh < 0
}

type Label = typeof WhaleLabel.Type

/** The largest expected share of labelled wallets that are labelled by chance. */
const falseDiscoveryRateMax = 0.05

/** The label of each judged wallet. */
export function labels(judged: ReadonlyMap<string, Judgement>): ReadonlyMap<string, Label> {
  const provenMin = evidenceMinOf([...judged.values()])
  return new Map([...judged].map(([wallet, judgement]) => {
    const isProven = logOf(judgement) >= provenMin
    return [wallet, isProven ? labelOf(judgement) : "neutral"]
  }))
}

/** ln of the e-value against fair prices in either direction, with half of the capital on each. */
function logOf(judgement: Judgement): number {
  const { follow, fade } = judgement.evidence
  return mayBeLabelled(judgement) ? Math.log((follow + fade) / 2) : -Infinity
}

/** The evidence from which a wallet is proven: the least among the discoveries. */
function evidenceMinOf(all: ReadonlyArray<Judgement>): number {
  const descending = all.map(logOf).sort((a, b) => b - a)
  return descending[discoveries(descending, falseDiscoveryRateMax) - 1] ?? Infinity
}

/** The label of a record that chance does not explain. */
function labelOf({ evidence, edge, followRoi, fadeRoi }: Judgement): Label {
  const isFollow = evidence.follow > evidence.fade
  if (isFollow && edge > 0 && followRoi > 0) return "follow"
  return !isFollow && edge < 0 && fadeRoi !== null && fadeRoi > 0 ? "fade" : "neutral"
}
