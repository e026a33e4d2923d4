/**
 * Why a wallet is labelled `follow`, `fade` or `neutral`: the whole rule.
 *
 * A wallet is judged when its whole history is read (the query of `postgres/countingStore.ts`) and it
 * has at least 30 counted resolved entries in at least 10 events (`judgementOf`). Before that it has no
 * label and no row. A judged wallet is `neutral` unless three conditions are true:
 *
 * 1. The record is significant. The p-value is the probability, if prices are fair, of a record at least
 *    as far from the prices paid (`significance/nullModel.ts`). It is 1 when the edge with hedges and the
 *    edge without them have different signs. It must pass the Benjamini-Hochberg correction over all
 *    judged wallets, so the same record may be labelled on one day and neutral on another (`labels`).
 * 2. The mean edge, payout minus price, is above 0 for `follow` and below 0 for `fade`.
 * 3. Following, or fading, would have been profitable after the venue's fees (`labelOf`).
 *
 * @module
 */
import type { WhaleLabel } from "../../feed/domain/item.ts"
import { edgeOf, wholeOf } from "./rates.ts"
import type { WalletSums } from "./score.ts"
import { meanOf } from "./significance/cumulants.ts"
import { pValueOf } from "./significance/nullModel.ts"
import { roisOf } from "./oddsBands.ts"

/** Identifies the rule behind a label; changes with every change of the rule. */
export const ruleVersion = "fair-prices-bh-1"

/** The figures that decide a label. Stored as JSON. */
export interface Judgement {
  /** Two-sided, under fair prices. */
  readonly pValue: number
  /** Mean of payout minus price, USD a share, in [-1, 1]. */
  readonly edge: number
  /** Return on a dollar after fees; 0 is break-even. */
  readonly followRoi: number
  readonly fadeRoi: number
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
  if (whole.entries < resolvedEntriesMin || sums.events < eventsMin) return null
  const { edge } = edgeOf(sums, whole)
  const sameSign = (sums.fair.observed - meanOf(sums.fair.cumulants)) * edge > 0
  return { pValue: sameSign ? pValueOf(sums.fair) : 1, edge, ...roisOf(whole) }
}

type Label = typeof WhaleLabel.Type

/** The largest expected share of significant records that are due to chance. */
const falseDiscoveryRateMax = 0.05

/**
 * The label of each judged wallet: Benjamini-Hochberg at 0.05 over all of them (Controlling the false
 * discovery rate, Journal of the Royal Statistical Society B 57, 1995).
 */
export function labels(judged: ReadonlyMap<string, Judgement>): ReadonlyMap<string, Label> {
  const ascending = [...judged.values()].map(({ pValue }) => pValue).sort((a, b) => a - b)
  const last = ascending.findLastIndex((p, i) =>
    p <= falseDiscoveryRateMax * (i + 1) / ascending.length
  )
  const pValueMax = ascending[last] ?? -1
  return new Map([...judged].map(([wallet, judgement]) => [wallet, labelOf(judgement, pValueMax)]))
}

function labelOf({ pValue, edge, followRoi, fadeRoi }: Judgement, pValueMax: number): Label {
  if (pValue > pValueMax) return "neutral"
  if (edge > 0 && followRoi > 0) return "follow"
  return edge < 0 && fadeRoi > 0 ? "fade" : "neutral"
}
