/**
 * The sums of published whale entries, computed from every value by definition.
 *
 * @module
 */
import type { MarketId } from "../../../src/markets/domain/market.ts"
import type { ClusterSums } from "../../../src/core/domain/clusteredMean.ts"
import { minute } from "../../../src/core/domain/time.ts"
import {
  delaysMinutes,
  type DueReading,
  type EntryLabel,
  type EntryTotals,
  type PublishedEntry,
  type ReadingResult,
} from "../../../src/track-record/domain/entryScore.ts"
import type { CheckVerdict, ScoreCheck } from "../../../src/track-record/domain/selfScore.ts"

/** The cost of a share bought at `price`, with the venue's taker fee. */
export function costOf(price: number, feeRate: number): number {
  return price + feeRate * price * (1 - price)
}

export interface StoredReading extends DueReading {
  result: ReadingResult | null
}

/** The readings of an entry that was published with this check and label. */
export function readingsOf(
  check: ScoreCheck & { readonly outcome: 0 | 1 },
  label: EntryLabel,
): Array<StoredReading> {
  const other = check.outcome === 0 ? 1 : 0
  return delaysMinutes.map((delayMinutes) => ({
    feedIndex: check.feedIndex,
    delayMinutes,
    marketId: check.marketId as MarketId | null,
    outcome: label === "fade" ? other : check.outcome,
    dueAt: check.at + delayMinutes * minute,
    result: null,
  }))
}

/** The verdict and value of one check of an entry. */
export interface CheckResult {
  readonly kind: ScoreCheck["kind"]
  readonly verdict: CheckVerdict | null
  readonly value: number | null
}

/** One published entry with everything that is known of it. */
export interface ScoredEntry {
  readonly entry: PublishedEntry
  readonly checks: ReadonlyArray<CheckResult>
  readonly readings: ReadonlyArray<StoredReading>
}

interface Observation {
  readonly metric: string
  readonly eventKey: string
  readonly value: number
  readonly fair: number
}

/** The values of one entry, from the other side if `faded`. */
function observationsOf(
  { entry, checks, readings }: ScoredEntry,
  faded: boolean,
): Array<Observation> {
  const { eventKey, feeRate } = entry
  const price = faded ? 1 - entry.entryPrice : entry.entryPrice
  const ask = entry.asks?.[faded ? 1 : 0] ?? null
  const sideOf = (value: number) => faded ? 1 - value : value
  const paid = checks.find(({ kind }) => kind === "whale_entry")?.value ?? null
  const made: Array<Observation> = []
  const hold = (metric: string, at: number | null | undefined) => {
    if (paid === null || typeof at !== "number") return
    const cost = costOf(at, feeRate)
    const fair = Math.sqrt(at * (1 - at)) / cost
    made.push({ metric, eventKey, value: sideOf(paid) / cost - 1, fair })
  }
  hold("at_ask", ask)
  for (const { delayMinutes, result } of readings) {
    if (result?.state !== "read") continue
    hold(`book_${delayMinutes}`, result.prices[faded ? 1 : 0])
  }
  for (const { kind, value } of checks) {
    if (kind === "whale_entry" || value === null) continue
    made.push({
      ...{ metric: `${kind}_from_entry`, eventKey, value: sideOf(value) - price, fair: 0 },
    })
    if (ask === null) continue
    made.push({ metric: `${kind}_from_ask`, eventKey, value: sideOf(value) - ask, fair: 0 })
  }
  return made
}

/** The sums of values by metric. */
function clusterSums(observations: ReadonlyArray<Observation>): Record<string, ClusterSums> {
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)
  return Object.fromEntries(
    [...Map.groupBy(observations, ({ metric }) => metric)].map(([metric, of]) => {
      const events = [...Map.groupBy(of, ({ eventKey }) => eventKey).values()].map((one) => ({
        n: one.length,
        s: sum(one.map(({ value }) => value)),
        f: sum(one.map(({ fair }) => fair)),
      }))
      return [metric, {
        clusters: events.length,
        n: of.length,
        s: sum(events.map(({ s }) => s)),
        nn: sum(events.map(({ n }) => n * n)),
        ns: sum(events.map(({ s, n }) => s * n)),
        ss: sum(events.map(({ s }) => s * s)),
        ff: sum(events.map(({ f }) => f * f)),
      }]
    }),
  )
}

/** What `ScoreStore.entryTotals` returns. */
export function storedTotalsOf(entries: ReadonlyArray<ScoredEntry>) {
  const all = entries.map(({ entry, ...rest }) => ({ ...rest, entry: { ...entry, wallet: "all" } }))
  return { byLabel: totalsOf(entries), copied: walletSumsOf(all).get("all") ?? {} }
}

/** The totals by label, from the side that the label recommends. */
export function totalsOf(
  entries: ReadonlyArray<ScoredEntry>,
): ReadonlyMap<EntryLabel, EntryTotals> {
  return new Map(
    [...Map.groupBy(entries, ({ entry }) => entry.label)].map(([label, of]) => {
      const counts: Record<string, number> = {}
      const count = (name: string) => counts[name] = (counts[name] ?? 0) + 1
      for (const { entry, checks, readings } of of) {
        count("published")
        if (entry.asks === null) count("without_book")
        for (const { kind, verdict } of checks) if (verdict !== null) count(`${kind}_${verdict}`)
        for (const { delayMinutes, result } of readings) {
          count(`reading_${delayMinutes}_${result?.state ?? "due"}`)
          if (result?.state !== "read") continue
          if (result.prices[label === "fade" ? 1 : 0] === null) count(`unfillable_${delayMinutes}`)
        }
      }
      const made = of.flatMap((one) => observationsOf(one, label === "fade"))
      return [label, { counts, sums: clusterSums(made) }]
    }),
  )
}

/** The sums by wallet, from the side that it bought. */
export function walletSumsOf(
  entries: ReadonlyArray<ScoredEntry>,
): ReadonlyMap<string, EntryTotals["sums"]> {
  const byWallet = [...Map.groupBy(entries, ({ entry }) => entry.wallet)].map((
    [wallet, of],
  ): [string, EntryTotals["sums"]] => [
    wallet,
    clusterSums(
      of.flatMap((one) => observationsOf(one, false)).filter(({ metric }) =>
        metric.startsWith("book_") || metric === "whale_24h_from_entry"
      ),
    ),
  ])
  return new Map(byWallet.filter(([, sums]) => Object.keys(sums).length > 0))
}
