/**
 * An independent oracle for the figures and names of a digest: it collects every number, instant and text
 * of the material, counts and adds up, and formats numbers with Intl.
 *
 * @module
 */
import type { DigestMaterial, WhaleEntryItem } from "../../../src/digest/domain/material.ts"
import { safeName } from "../../../src/core/domain/untrusted.ts"

/** Whether a figure comes from the material. */
export type IsTraced = (figure: string) => boolean

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })

/** Figures of rules, which do not depend on the material. */
const rules = ["10,000 USD", "2,500 USD", "1 USD", "30 entries", "10 events", "1 hour", "24 hours"]

export function tracesOf(material: DigestMaterial): IsTraced {
  const leaves = leavesOf(material)
  const numbers = leaves.filter((it) => typeof it === "number")
  const instants = [
    ...numbers.filter((n) => n > 1e12),
    ...leaves.filter((it) => typeof it === "string")
      .filter((it) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(it)).map((it) => Date.parse(it)),
  ]
  const spelled = new Set<string>([
    ...rules,
    ...instants.flatMap(timesOf),
    ...[...numbers, ...sumsOf(material)].map((usd) => `${whole.format(usd)} USD`),
    ...material.movers.map(({ data }) =>
      `${
        data.zScore < 100 ? data.zScore.toFixed(1) : whole.format(data.zScore)
      } standard deviations`
    ),
    ...countsOf(material),
  ])
  const lengths = [material.from, material.coverage.venueReadAt ?? 0]
    .map((at) => material.until - at)
    .concat(material.upcoming.map(({ resolvesAt }) => resolvesAt - material.until))
  return (figure) =>
    spelled.has(figure) || isDuration(figure, lengths) || isDecimal(figure, numbers)
}

/** All primitive values inside a value. */
function leavesOf(value: unknown): ReadonlyArray<unknown> {
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [value]
}

function timesOf(at: number): ReadonlyArray<string> {
  const [date, time = ""] = new Date(at).toISOString().split("T")
  const clock = `${time.slice(0, 5)} UTC`
  return [clock, `${date} ${clock}`]
}

/** Whether it is one of the numbers with two to five decimals and no trailing zeros. The sign is ignored: the verb of a move states it. */
function isDecimal(figure: string, numbers: ReadonlyArray<number>): boolean {
  const bare = figure.replace(/^(\d\.\d{2,5}) USD$/, "$1")
  if (!/^-?\d\.\d{2,5}$/.test(bare) || /\.\d\d+0$/.test(bare) || bare === "-0.00") return false
  const near = bare.length > 6 + Number(bare.startsWith("-")) ? 0.000_000_1 : 0.000_050_1
  return numbers.some((n) => [n, Math.abs(n)].some((it) => Math.abs(it - Number(bare)) < near))
}

const units: Readonly<Record<string, number>> = { minute: 6e4, hour: 3.6e6, day: 8.64e7 }

function isDuration(figure: string, lengths: ReadonlyArray<number>): boolean {
  const [, n = "", unit = ""] = /^(\d+) (minute|hour|day)s?$/.exec(figure) ?? []
  const ms = units[unit] ?? 0
  return lengths.some((length) => Math.abs(Number(n) * ms - length) <= ms / 2)
}

export function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  let sum = 0
  for (const { data } of entries) sum += data.stakeUsd
  return sum
}

/** How many there are of each key. */
export function tally(keys: ReadonlyArray<unknown>): ReadonlyArray<number> {
  return [...new Set(keys)].map((key) => keys.filter((it) => it === key).length)
}

export const labelOf = ({ data }: WhaleEntryItem) => data.calibration?.label ?? "unlabelled"
const sideOf = ({ data }: WhaleEntryItem) => `${data.market.slug} ${data.outcome}`

/** Sums a digest may state: all stakes, those of a label, those on one outcome of a market. */
function sumsOf({ whaleEntries }: DigestMaterial): ReadonlyArray<number> {
  return [() => "all", labelOf, sideOf].flatMap((keyOf) =>
    [...new Set(whaleEntries.map(keyOf))].map((key) =>
      stakeOf(whaleEntries.filter((entry) => keyOf(entry) === key))
    )
  )
}

/** Counts a digest may state, with their nouns. */
function countsOf(material: DigestMaterial): ReadonlyArray<string> {
  const { coverage, headlines, movers, predetermined, resolutions, upcoming, whaleEntries } =
    material
  const entries = whaleEntries.map(({ data }) => data)
  const moverMarkets = new Set(movers.map(({ data }) => data.market.slug)).size
  const contestedMarkets = new Set(
    movers.filter(({ data }) => data.converged !== true).map(({ data }) => data.market.slug),
  ).size
  const paid = resolutions.filter(({ resolution }) => resolution.state === "paid").length
  const ups = movers.filter(({ data }) => data.priceNow >= data.priceStart).length
  const { answered = 0, sources = 0 } = coverage.news ?? {}
  const nouns: ReadonlyArray<readonly [string, string, ReadonlyArray<number>]> = [
    ["market", "markets", [
      ...[coverage.marketsWatched, moverMarkets, predetermined.length, upcoming.length],
      ...[paid, resolutions.length - paid],
    ]],
    ["move", "moves", [
      ...[movers.length, ups, movers.length - ups, movers.length - Math.min(10, contestedMarkets)],
      ...tally(movers.map(({ data }) => data.market.category)),
    ]],
    ["entry", "entries", [
      ...[entries.length, entries.length - 10, ...tally(whaleEntries.map(labelOf))],
      ...tally(whaleEntries.map(sideOf)),
      ...entries.map(({ calibration }) => calibration?.resolved ?? -1),
    ]],
    ["fill", "fills", entries.map(({ fills }) => fills)],
    ["wallet", "wallets", [coverage.walletsTracked]],
    ["tracked wallet", "tracked wallets", [new Set(entries.map(({ wallet }) => wallet)).size]],
    ["finding", "findings", [predetermined.length - 8]],
    ["end of a market", "ends of markets", [resolutions.length - 8]],
    ["expected resolution", "expected resolutions", [upcoming.length - 6]],
    ["headline", "headlines", [
      ...[headlines.length, headlines.length - 12],
      headlines.filter(({ markets }) => markets.length > 0).length,
    ]],
    ["publisher", "publishers", [new Set(headlines.map(({ source }) => source)).size]],
    ["news source", "news sources", [sources]],
    ["source", "sources", [sources - answered]],
    ["item", "items", [coverage.itemsUnread]],
    [
      "piece of evidence",
      "pieces of evidence",
      predetermined.map(({ data }) => data.evidence.length),
    ],
  ]
  return nouns.flatMap(([noun, nouns, counts]) =>
    counts.filter((n) => n >= 0).map((n) => `${whole.format(n)} ${n === 1 ? noun : nouns}`)
  )
}

/** Every text of the material as a digest may quote it, truncated to each of the name lengths. */
export function namesOf(material: DigestMaterial): ReadonlySet<string> {
  const texts = leavesOf(material).filter((it) => typeof it === "string")
  return new Set(texts.flatMap((text) => [50, 110, 140].map((max) => safeName(text, max))))
}
