/**
 * The report of a file of entries: labels from the first half of each wallet's time, and the
 * results of the second half, by label.
 *
 * @module
 */
import { type Judgement, judgementOf, labels } from "../../whales/domain/label.ts"
import {
  addBandSums,
  type BandSums,
  entrySums,
  noBandSums,
  roisOf,
} from "../../whales/domain/oddsBands.ts"
import {
  addReturns,
  eventReturns,
  noReturns,
  returnIntervals,
} from "../../whales/domain/returns.ts"
import { add, clusterNumbers, clusterSums, type Estimate, estimate } from "./clustered.ts"
import { intervalPlot, type PlotRow } from "./intervalPlot.ts"
import { textTable } from "./textTable.ts"
import type { HalfRecord, PaidEntry, WalletHalves } from "./walletHalves.ts"

type Half = keyof WalletHalves
const halves: ReadonlyArray<Half> = ["first", "second"]

/** Wallets with one label. */
interface Group {
  readonly name: string
  readonly wallets: ReadonlyArray<WalletHalves>
}

/** The figures of a group in one half. */
interface Figures {
  readonly wallets: number
  readonly entries: number
  readonly edge: Estimate | null
  readonly follow: Interval
  readonly fade: Interval
  readonly effectiveEntries: number
}

interface Interval {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** What the report is written from. */
interface WhaleScores {
  readonly wallets: number
  readonly judged: number
  readonly groups: ReadonlyArray<{ readonly name: string } & Readonly<Record<Half, Figures>>>
  /** Of each wallet's edge in the two halves; null with fewer than four wallets. */
  readonly correlation: (Interval & { readonly wallets: number }) | null
}

const labelNames = ["follow", "fade", "neutral"] as const

/** The scores of all wallets of a file. */
export function whaleScores(wallets: ReadonlyMap<string, WalletHalves>): WhaleScores {
  const judged = new Map<string, Judgement>()
  for (const [wallet, { first }] of wallets) {
    const judgement = judgementOf(first.sums)
    if (judgement !== null) judged.set(wallet, judgement)
  }
  const given = labels(judged)
  const withLabel = (label: string) =>
    [...given].filter(([, of]) => of === label).flatMap(([name]) => wallets.get(name) ?? [])
  const groups: ReadonlyArray<Group> = [
    ...labelNames.map((label) => ({ name: `label ${label}`, wallets: withLabel(label) })),
    { name: "judged", wallets: [...judged.keys()].flatMap((name) => wallets.get(name) ?? []) },
    { name: "all wallets", wallets: [...wallets.values()] },
  ]
  const figures = (wallets: Group["wallets"], of: (half: HalfRecord) => Entries) => ({
    first: figuresOf(wallets.map(({ first }) => of(first))),
    second: figuresOf(wallets.map(({ second }) => of(second))),
  })
  return {
    wallets: wallets.size,
    judged: judged.size,
    groups: [
      ...groups.map(({ name, wallets }) => ({
        name,
        ...figures(wallets, ({ entries }) => entries),
      })),
      withoutFade("sweeps, apart", figures([...wallets.values()], ({ sweeps }) => sweeps)),
    ],
    correlation: splitHalfCorrelation([...wallets.values()]),
  }
}

/** A sweep cannot be faded at 1 minus its price. */
function withoutFade(name: string, { first, second }: Readonly<Record<Half, Figures>>) {
  const fade = interval(null, null, null)
  return { name, first: { ...first, fade }, second: { ...second, fade } }
}

type Entries = ReadonlyArray<PaidEntry>

/** Entries of one event, of all wallets, are one cluster. */
function figuresOf(wallets: ReadonlyArray<Entries>): Figures {
  const numberOf = clusterNumbers()
  const edges = clusterSums()
  const events = new Map<number, BandSums>()
  for (const entries of wallets) {
    for (const { event, price, openingPrice, stakeUsd, paid } of entries) {
      const cluster = numberOf(event)
      add(edges, cluster, paid - openingPrice)
      const sums = entrySums(price, stakeUsd, paid, 0)
      events.set(cluster, addBandSums(events.get(cluster) ?? noBandSums, sums, 1))
    }
  }
  const all = [...events.values()]
  const whole = all.reduce((sum, event) => addBandSums(sum, event, 1), noBandSums)
  const returns = all.reduce((sum, event) => addReturns(sum, eventReturns(event), 1), noReturns)
  const rois = roisOf(whole)
  const intervals = returnIntervals(returns)
  return {
    wallets: wallets.filter((entries) => entries.length > 0).length,
    entries: whole.entries,
    edge: estimate(edges),
    follow: interval(rois.followRoi, intervals.followRoiLow, intervals.followRoiHigh),
    fade: interval(rois.fadeRoi, intervals.fadeRoiLow, intervals.fadeRoiHigh),
    effectiveEntries: intervals.effectiveEntries,
  }
}

const interval = (value: number | null, low: number | null, high: number | null): Interval => ({
  ...{ value: value ?? NaN, low: low ?? NaN, high: high ?? NaN },
})

/** A wallet's edge says little with fewer entries in a half. */
const halfEntriesMin = 15

/**
 * Pearson's correlation of the mean edges of the two halves over wallets, with Fisher's interval
 * (z = atanh r, standard error 1 / sqrt(n - 3)).
 */
function splitHalfCorrelation(wallets: ReadonlyArray<WalletHalves>) {
  const pairs = wallets
    .filter((wallet) => halves.every((half) => wallet[half].entries.length >= halfEntriesMin))
    .map(({ first, second }) => [meanEdge(first.entries), meanEdge(second.entries)] as const)
  const n = pairs.length
  if (n < 4) return null
  const [x, y] = [0, 1].map((i) => pairs.reduce((sum, pair) => sum + (pair[i] ?? 0), 0) / n)
  let [xx, xy, yy] = [0, 0, 0]
  for (const [a, b] of pairs) {
    xx += (a - (x ?? 0)) ** 2
    xy += (a - (x ?? 0)) * (b - (y ?? 0))
    yy += (b - (y ?? 0)) ** 2
  }
  if (!(xx > 0 && yy > 0)) return null
  const value = Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)))
  const [centre, reach] = [Math.atanh(value), 1.96 / Math.sqrt(n - 3)]
  return { value, low: Math.tanh(centre - reach), high: Math.tanh(centre + reach), wallets: n }
}

const meanEdge = (entries: Entries) =>
  entries.reduce((sum, { paid, openingPrice }) => sum + paid - openingPrice, 0) / entries.length

const percent = (value: number) => (100 * value).toFixed(1)
const range = ({ low, high }: { readonly low: number; readonly high: number }) =>
  Number.isFinite(low) && Number.isFinite(high) ? `${percent(low)} to ${percent(high)}` : "-"

/** The tables as text: one for each half. */
export function whaleTable({ wallets, judged, groups, correlation }: WhaleScores): string {
  const header = ["", "wallets", "entries", "events", "worth", "edge, cents"]
    .concat(["95 %", "follow ROI, %", "95 %", "fade ROI, %", "95 %"])
  const rowOf = (name: string, of: Figures): ReadonlyArray<string> => {
    const { edge, follow, fade, effectiveEntries } = of
    if (edge === null) return [name, `${of.wallets}`, "0", "0", ...Array(7).fill("-")]
    const [entries, events] = [`${edge.n}`, `${edge.clusters}`]
    const returned = [follow, fade].flatMap((roi) =>
      Number.isFinite(roi.value) ? [percent(roi.value), range(roi)] : ["-", "-"]
    )
    const worth = effectiveEntries.toFixed(0)
    return [
      name,
      `${of.wallets}`,
      entries,
      events,
      worth,
      percent(edge.mean),
      range(edge),
      ...returned,
    ]
  }
  const table = (half: Half) =>
    textTable(header, groups.map((group) => rowOf(group.name, group[half])))
  const line = correlation === null
    ? "split-half correlation of edge: too few wallets"
    : `split-half correlation of edge: ${correlation.value.toFixed(3)} ` +
      `(${correlation.low.toFixed(2)} to ${
        correlation.high.toFixed(2)
      }), ${correlation.wallets} wallets`
  return [
    `${wallets} wallets, ${judged} with enough entries in the first half to be judged`,
    ...["", "First half (in sample: the labels were given by it)", table("first")],
    ...["", "Second half (out of sample)", table("second")],
    ...["", line],
  ].join("\n")
}

/** The edges in and out of sample, and the return of following out of sample. */
export function whalePlot({ groups }: WhaleScores, source: string): string {
  const panel = (title: string, of: (group: WhaleScores["groups"][number]) => Interval) => ({
    title,
    rows: groups.map((group): PlotRow => ({ name: group.name, ...of(group), baseline: 0 })),
  })
  const edgeOf = (edge: Estimate | null): Interval =>
    edge === null
      ? interval(null, null, null)
      : { value: 100 * edge.mean, low: 100 * edge.low, high: 100 * edge.high }
  const roiOf = ({ value, low, high }: Interval) => ({
    ...{ value: 100 * value, low: 100 * low, high: 100 * high },
  })
  return intervalPlot(
    `Whale labels over ${source}`,
    "95 % intervals, clustered by event; vertical marks: 0",
    [
      panel("edge in sample, cents", ({ first }) => edgeOf(first.edge)),
      panel("edge out of sample, cents", ({ second }) => edgeOf(second.edge)),
      panel("follow ROI out of sample, %", ({ second }) => roiOf(second.follow)),
    ],
  )
}
