/**
 * The facts of a digest about entries of tracked wallets, the records of these wallets, and the prices
 * since.
 *
 * @module
 */
import {
  cents,
  count,
  factOf,
  labelValue,
  marketValue,
  type NewDigestFact,
  price,
  rate,
  time,
  usd,
  type Values,
  word,
} from "./factBuilders.ts"
import type { DigestMaterial, WhaleEntryItem } from "./material.ts"
import { priceDifference, quoteOfOutcome } from "../../markets/domain/quote.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Entries with a fact of their own: more than fit on a page. */
const entriesMax = 10
/** Markets with a fact about their flow. */
const flowsMax = 3
/** A single entry is not a flow: it has a fact of its own. */
const flowMin = 2

/** The entries, those of wallets with a proven record first; the records; the totals and flows. */
export function whaleFacts(material: DigestMaterial): ReadonlyArray<NewDigestFact> {
  const { coverage, until, whaleEntries } = material
  if (whaleEntries.length === 0) return coverage.walletsTracked === 0 ? [] : [noEntry]
  const described = describedEntries(material)
  return [
    ...totalFacts(whaleEntries),
    ...flowFacts(whaleEntries),
    ...described.map((entry) => entryFact(entry, until)),
    ...recordFacts(described),
    ...described.flatMap((entry) => sinceFact(entry, material)),
  ]
}

const parts = { kind: "whale_entry", section: "whales" } as const

const noEntry = factOf(
  { ...parts, topic: "absence", negative: true },
  {},
  () => "No tracked wallet opened a position.",
)

/** The entries with a fact of their own: those of labelled wallets first, then by stake. */
export function describedEntries(
  { whaleEntries }: DigestMaterial,
): ReadonlyArray<WhaleEntryItem> {
  return whaleEntries.toSorted((a, b) => labelRank(a) - labelRank(b) || byStake(a, b))
    .slice(0, entriesMax)
}

/** A proven record, a neutral one, none. */
function labelRank({ data }: WhaleEntryItem): number {
  return data.calibration === null ? 2 : data.calibration.label === "neutral" ? 1 : 0
}

function byStake(a: WhaleEntryItem, b: WhaleEntryItem): number {
  return b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex
}

/** The totals of the wallets without a record, and whether any wallet has a proven one. */
function totalFacts(entries: ReadonlyArray<WhaleEntryItem>): ReadonlyArray<NewDigestFact> {
  const unknown = entries.filter((entry) => labelRank(entry) === 2)
  const values = {
    wallets: count(new Set(unknown.map(({ data }) => data.wallet)).size, "tracked wallet"),
    stake: usd(stakeOf(unknown)),
    resolved: count(unknown.length, "entry", "entries"),
  }
  const hasProven = entries.some((entry) => labelRank(entry) === 0)
  return [
    ...unknown.length === 0 ? [] : [
      factOf(
        { ...parts, topic: "entries" },
        values,
        (spell) =>
          spell`Without a record long enough for a label, ${"wallets"} put ${"stake"} into ${"resolved"}.`,
      ),
    ],
    ...hasProven ? [] : [
      factOf(
        { ...parts, topic: "absence", negative: true },
        {},
        () => "No entry came from a wallet labelled follow or fade.",
      ),
    ],
  ]
}

/** The markets with several entries, the largest sums first. */
function flowFacts(entries: ReadonlyArray<WhaleEntryItem>): ReadonlyArray<NewDigestFact> {
  const markets = Map.groupBy(entries.toSorted(byStake), ({ data }) => data.market.slug)
  return [...markets]
    .filter(([, of]) => of.length >= flowMin)
    .sort(bySum)
    .slice(0, flowsMax)
    .flatMap(([, of]) => flowFact(of))
}

type Group = readonly [string, ReadonlyArray<WhaleEntryItem>]

function bySum([a, ofA]: Group, [b, ofB]: Group): number {
  return stakeOf(ofB) - stakeOf(ofA) || (a < b ? -1 : 1)
}

function flowFact(entries: ReadonlyArray<WhaleEntryItem>): ReadonlyArray<NewDigestFact> {
  const [newest] = entries.toSorted((a, b) => b.feedIndex - a.feedIndex)
  const [first, second] = [...Map.groupBy(entries, ({ data }) => data.outcome)].sort(bySum)
  if (newest === undefined || first === undefined) return []
  const side = ([outcome, of]: Group, number: "" | "2"): Values => ({
    [`outcome${number}`]: labelValue(outcome),
    [`stake${number}`]: usd(stakeOf(of)),
    [`resolved${number}`]: count(of.length, "entry", "entries"),
  })
  const values = {
    market: marketValue(newest.data.market),
    ...side(first, ""),
    ...second === undefined ? {} : side(second, "2"),
  }
  return [
    factOf(
      { ...parts, topic: "flow", subject: newest.data.market.slug },
      values,
      (spell) =>
        `${spell`Tracked wallets put ${"stake"} on ${"outcome"} in ${"market"} with ${"resolved"}`}${
          second === undefined ? "" : spell`, and ${"stake2"} on ${"outcome2"} with ${"resolved2"}`
        }.`,
    ),
  ]
}

function entryFact({ data }: WhaleEntryItem, until: EpochMs): NewDigestFact {
  const { market, outcome, stakeUsd, entryPrice, lastFillAt, wallet } = data
  const values = {
    wallet: labelValue(data.pseudonym, wallet),
    outcome: labelValue(outcome),
    market: marketValue(market),
    stake: usd(stakeUsd),
    entryPrice: price(entryPrice),
    at: time(Date.parse(lastFillAt), until),
    label: word(data.calibration?.label ?? "none"),
  }
  return factOf(
    { ...parts, topic: "entry", subject: wallet },
    values,
    (spell) =>
      spell`${"wallet"} put ${"stake"} on ${"outcome"} in ${"market"} at a mean price of ${"entryPrice"}, last at ${"at"}.`,
  )
}

/** What each label means. A neutral record may differ from the prices, but not after fees. */
const meanings = {
  follow: "luck hardly explains such good results",
  fade: "luck hardly explains such poor results",
  neutral: "not shown to differ from the prices paid",
} as const

const resultWord = (edge: number) => edge < 0 ? "a loss" : "a gain"

/** The record of each wallet, once: the one of its newest entry. */
function recordFacts(entries: ReadonlyArray<WhaleEntryItem>): ReadonlyArray<NewDigestFact> {
  const wallets = Map.groupBy(entries, ({ data }) => data.wallet)
  return [...wallets.values()].flatMap((of) => {
    const [newest] = of.toSorted((a, b) => b.feedIndex - a.feedIndex)
      .filter(({ data }) => data.calibration !== null)
    const calibration = newest?.data.calibration ?? null
    if (newest === undefined || calibration === null) return []
    const { edge, edgeHigh, edgeLow, label, meanEntryPrice, resolved, winRate } = calibration
    const values = {
      wallet: labelValue(newest.data.pseudonym, newest.data.wallet),
      label: word(label),
      meaning: word(meanings[label]),
      resolved: count(resolved, "resolved entry", "resolved entries"),
      winRate: rate(winRate),
      meanEntryPrice: price(meanEntryPrice),
      edge: cents(edge),
      edgeLow: cents(edgeLow),
      edgeHigh: cents(edgeHigh),
      result: word(resultWord(edge)),
      resultLow: word(resultWord(edgeLow)),
      resultHigh: word(resultWord(edgeHigh)),
    }
    return [
      factOf(
        { kind: "whale", topic: "calibration", section: "whales", subject: newest.data.wallet },
        values,
        (spell) =>
          spell`${"wallet"} is labelled ${"label"}: over ${"resolved"} it had a win rate of ${"winRate"} at a mean entry price of ${"meanEntryPrice"}, ${"result"} of ${"edge"} a share on average (from ${"resultLow"} of ${"edgeLow"} to ${"resultHigh"} of ${"edgeHigh"}); ${"meaning"}.`,
      ),
    ]
  })
}

/** The price of the bought outcome at the end of the window, against the entry. */
function sinceFact(
  { data }: WhaleEntryItem,
  { quoted }: DigestMaterial,
): ReadonlyArray<NewDigestFact> {
  const known = quoted.find((it) => it.market.slug === data.market.slug)
  const side = known?.market.outcomes.indexOf(data.outcome) ?? -1
  if (known === undefined || known.quote === null || side !== 0 && side !== 1) return []
  const { mid } = quoteOfOutcome(known.quote, side)
  const change = priceDifference(mid, data.entryPrice)
  const values = {
    wallet: labelValue(data.pseudonym, data.wallet),
    outcome: labelValue(data.outcome),
    market: marketValue(data.market),
    price: price(mid),
    entryPrice: price(data.entryPrice),
    change: cents(change),
  }
  return [
    factOf(
      {
        ...{ kind: "price", topic: "since", section: "whales", subject: data.wallet },
        direction: change >= 0 ? "up" : "down",
      },
      values,
      (spell) => {
        const start = spell`${"outcome"} in ${"market"} now trades at ${"price"},`
        const against = change === 0
          ? "the same as"
          : change > 0
          ? spell`${"change"} above`
          : spell`${"change"} below`
        return `${start} ${against}${spell` the ${"entryPrice"} that ${"wallet"} paid.`}`
      },
    ),
  ]
}

/** Sums in a fixed order, so that floating-point rounding does not depend on the input order. */
function stakeOf(entries: ReadonlyArray<WhaleEntryItem>): number {
  return entries.map(({ data }) => data.stakeUsd).sort((a, b) => a - b)
    .reduce((sum, usd) => sum + usd, 0)
}
