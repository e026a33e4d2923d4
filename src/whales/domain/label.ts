/**
 * Why a wallet is labelled `follow`, `fade` or `neutral`: the whole rule.
 *
 * A wallet is judged when its whole history is read (the query of `postgres/countingStore.ts`) and it
 * has at least 30 counted resolved entries in at least 10 events (`judgementOf`). Before that it has no
 * label and no row. A judged wallet is `neutral` unless three conditions are true:
 *
 * 1. Its record is proven: the wealth of a gambler who copied it, or bet against it
 *    (`evidence.ts`), is so large that the closed e-BH procedure at 0.05 over all judged
 *    wallets selects it (`closedEBH.ts`). This is valid at every check, however often
 *    the labels are read.
 * 2. The mean edge, payout minus price, is above 0 for `follow` and below 0 for `fade`.
 * 3. Following, or fading, would have been profitable after the venue's fees (`labelOf`).
 *
 * @module
 */
import type { WhaleLabel } from "../../feed/domain/item.ts"
import { edgeOf, wholeOf } from "./rates.ts"
import type { WalletSums } from "./score.ts"
import { discoveries } from "./closedEBH.ts"
import { logEvidenceOf } from "./evidence.ts"
import { roisOf } from "./oddsBands.ts"

/** Identifies the rule behind a label; changes with every change of the rule. */
export const ruleVersion = "fair-prices-ebh-3"

/** The figures that decide a label. */
export interface Judgement {
  /** ln of the e-values against fair prices: wealth 1 is 0. */
  readonly evidence: { readonly follow: number; readonly fade: number }
  /** Mean of payout minus price, USD a share, in [-1, 1]. */
  readonly edge: number
  /** Return on a dollar after fees; 0 is break-even. */
  readonly followRoi: number
  /** Null when no entry had a tradeable other side. */
  readonly fadeRoi: number | null
}

/** A wallet with fewer resolved entries has no row. */
export const resolvedEntriesMin = 30
/** Entries of one event are not independent, so events have a minimum too. */
export const eventsMin = 10

/**
 * The judgement of a wallet; null below `resolvedEntriesMin` counted entries or `eventsMin` events.
 */
export function judgementOf(sums: WalletSums): Judgement | null {
  const whole = wholeOf(sums.totals.bands)
  if (whole.entries < resolvedEntriesMin || sums.edges.clusters < eventsMin) return null
  const { edge } = edgeOf(sums.edges)
  return { evidence: logEvidenceOf(sums.evidence), edge, ...roisOf(whole) }
}

type Label = typeof WhaleLabel.Type

/** The largest expected share of labelled wallets that are labelled by chance. */
export const falseDiscoveryRateMax = 0.05

/** The label of each judged wallet. */
export function labels(judged: ReadonlyMap<string, Judgement>): ReadonlyMap<string, Label> {
  const provenMin = evidenceMinOf([...judged.values()])
  return new Map([...judged].map(([wallet, judgement]) => {
    const { evidence: { follow, fade }, edge } = judgement
    const isProven = evidenceOf(judgement) >= provenMin && (follow > fade) === (edge > 0)
    return [wallet, isProven ? labelOf(judgement) : "neutral"]
  }))
}

/** ln of the e-value against fair prices in either direction, with half of the capital on each. */
function evidenceOf({ evidence: { follow, fade } }: Judgement): number {
  const [least, most] = follow < fade ? [follow, fade] : [fade, follow]
  return most + Math.log1p(Math.exp(least - most)) - Math.LN2
}

/** The evidence from which a wallet is proven: the least among the discoveries. */
function evidenceMinOf(all: ReadonlyArray<Judgement>): number {
  const descending = all.map(evidenceOf).sort((a, b) => b - a)
  return descending[discoveries(descending, falseDiscoveryRateMax) - 1] ?? Infinity
}

/** The label of a record that chance does not explain. */
function labelOf({ edge, followRoi, fadeRoi }: Judgement): Label {
  if (edge > 0 && followRoi > 0) return "follow"
  return edge < 0 && fadeRoi !== null && fadeRoi > 0 ? "fade" : "neutral"
}
