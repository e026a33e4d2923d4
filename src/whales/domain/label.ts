/**
 * Why a wallet is labelled `follow`, `fade` or `neutral`: the whole rule.
 *
 * A wallet has no label, nor a row, while its history is not wholly read (the query of
 * `postgres/countingStore.ts`), and under 30 counted resolved entries or 10 events (`judgementOf`). Any
 * other is `neutral` unless three things are true:
 *
 * 1. Luck is ruled out. The p-value says how often fair prices would bring a record as far from what was
 *    paid (`significance/nullModel.ts`); it is 1 when the edge has another sign once hedges are counted.
 *    It has to survive Benjamini and Hochberg's correction over all judged wallets, so the same record may
 *    be labelled on one day and neutral on another (`labels`).
 * 2. The mean edge, payout less price, has a sign: above 0 for `follow`, below 0 for `fade`.
 * 3. Following, or fading, would have paid after the venue's fees (`labelOf`).
 *
 * @module
 */
import type { WhaleLabel } from "../../feed/domain/item.ts"
import { edgeOf, wholeOf } from "./rates.ts"
import type { WalletSums } from "./score.ts"
import { meanOf } from "./significance/cumulants.ts"
import { pValueOf } from "./significance/nullModel.ts"
import { roisOf } from "./oddsBands.ts"
import { resolvedEntriesMin } from "./whale.ts"

/** Names the rule behind a label; a rule that decides otherwise has another name. */
export const ruleVersion = "fair-prices-bh-1"

/** What a label is decided by. Plain JSON. */
export interface Judgement {
  /** Two-sided, under fair prices. */
  readonly pValue: number
  readonly edge: number
  readonly followRoi: number
  readonly fadeRoi: number
}

/** Fewer events say too little of a wallet, however many entries they hold. */
export const eventsMin = 10

/**
 * Null under 30 counted resolved entries or 10 events. When the record with hedges has another sign than
 * the one without, the p-value is 1.
 */
export function judgementOf(sums: WalletSums): Judgement | null {
  const whole = wholeOf(sums.totals.bands)
  if (whole.entries < resolvedEntriesMin || sums.events < eventsMin) return null
  const { edge } = edgeOf(sums, whole)
  const agree = (sums.fair.observed - meanOf(sums.fair.cumulants)) * edge > 0
  return { pValue: agree ? pValueOf(sums.fair) : 1, edge, ...roisOf(whole) }
}

type Label = typeof WhaleLabel.Type

/** Among the labelled wallets, the share that may be labelled by chance. */
const falseShareMax = 0.05

/**
 * The label of each judged wallet: Benjamini-Hochberg at 0.05 over all of them (Controlling the false
 * discovery rate, Journal of the Royal Statistical Society B 57, 1995).
 */
export function labels(judged: ReadonlyMap<string, Judgement>): ReadonlyMap<string, Label> {
  const rising = [...judged.values()].map(({ pValue }) => pValue).sort((a, b) => a - b)
  const last = rising.findLastIndex((p, i) => p <= falseShareMax * (i + 1) / rising.length)
  const limit = rising[last] ?? -1
  return new Map([...judged].map(([wallet, judgement]) => [wallet, labelOf(judgement, limit)]))
}

function labelOf({ pValue, edge, followRoi, fadeRoi }: Judgement, limit: number): Label {
  if (pValue > limit) return "neutral"
  if (edge > 0 && followRoi > 0) return "follow"
  return edge < 0 && fadeRoi > 0 ? "fade" : "neutral"
}
