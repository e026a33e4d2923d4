/**
 * The whale view of a report: the tracked money by outcome, the wallets with a record worth reading,
 * and what was bought before and after the step.
 *
 * @module
 */
import {
  cents,
  count,
  duration,
  type Line,
  line,
  named,
  price,
  rate,
  roundTo,
  usd,
  word,
} from "./lines.ts"
import { entriesReadMax, outcomeName, priceOfOutcome, type ReportMaterial } from "./material.ts"
import { movementOf } from "./movement.ts"
import { listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import { quoteOfOutcome } from "../../markets/domain/quote.ts"
import { copyCostOf } from "../../markets/domain/tradeCosts.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"
import { resolvedEntriesMin } from "../../whales/domain/label.ts"
import type { WhaleRow } from "../../whales/domain/whale.ts"

/** Labelled wallets with sentences of their own: those with the largest stakes. */
const labelledMax = 2

/** The entries of wallets that take a view: a market maker's are none. */
export function directional(entries: ReadonlyArray<OpenEntry>): ReadonlyArray<OpenEntry> {
  return entries.filter(({ marketMaker }) => !marketMaker)
}

/** In the order of the text; never empty. */
export function whaleLines(material: ReportMaterial): readonly [Line, ...ReadonlyArray<Line>] {
  const { entries, market } = material
  const details = { subject: market.slug }
  if (entries === null) {
    return [line("coverage", phrase`The entries of tracked wallets could not be read.`, {
      ...details,
      negative: true,
    })]
  }
  const own = directional(entries)
  const makers = entries.length - own.length
  if (own.length === 0) {
    const some = count("evidence", makers, "entry by a market maker", "entries by market makers")
    return [line(
      "whale",
      makers === 0
        ? phrase`No tracked wallet is known to have an open entry in this market.`
        : phrase`Tracked wallets have only ${some} in this market: they trade without a view on the outcome.`,
      { ...details, negative: true },
    )]
  }
  const labelled = labelledEntries(own)
  return [
    sidesLine(material, own, entries.length),
    ...costLines(material, own),
    ...timingLines(material, own),
    ...labelled.slice(0, labelledMax).flatMap((entry) => labelledLines(material, entry)),
    ...moreLabelledLines(material, labelled.slice(labelledMax)),
    ...restLines(material, own, labelled),
    line("method", phrase`Sales are not tracked.`, details),
  ]
}

/** Money, entries and mean price of one side. */
interface Side {
  readonly outcome: 0 | 1
  readonly entries: ReadonlyArray<OpenEntry>
  readonly stakeUsd: number
}

function sidesOf(own: ReadonlyArray<OpenEntry>): readonly [Side, Side] {
  const side = (outcome: 0 | 1): Side => {
    const entries = own.filter((entry) => entry.outcome === outcome)
    return { outcome, entries, stakeUsd: stakeOf(entries) }
  }
  return [side(0), side(1)]
}

function stakeOf(entries: ReadonlyArray<OpenEntry>): number {
  return entries.reduce((sum, { stakeUsd }) => sum + stakeUsd, 0)
}

/** The side with more tracked money, and its share; null without any money. */
export function mainSide(
  own: ReadonlyArray<OpenEntry>,
): { readonly side: Side; readonly other: Side; readonly share: number } | null {
  const [first, second] = sidesOf(own)
  const total = first.stakeUsd + second.stakeUsd
  if (!(total > 0)) return null
  const [side, other] = first.stakeUsd >= second.stakeUsd ? [first, second] : [second, first]
  return { side, other, share: side.stakeUsd / total }
}

/** Up to this share on the larger side, the money is called split. */
const splitMax = 0.55

function sidesLine(
  material: ReportMaterial,
  own: ReadonlyArray<OpenEntry>,
  read: number,
): Line {
  const least = read < entriesReadMax ? phrase`` : phrase` (the largest only)`
  const details = { subject: material.market.slug }
  const main = mainSide(own)
  if (main === null) {
    return line(
      "whale",
      phrase`Tracked wallets have ${
        count("evidence", own.length, "entry", "entries")
      } in this market, of hardly any money.`,
      details,
    )
  }
  const { side, other, share } = main
  const on = outcomeName(material, side.outcome, "outcome")
  const stake = usd("stake", side.stakeUsd)
  const entries = count("evidence", side.entries.length, "entry", "entries")
  return line(
    "whale",
    other.entries.length === 0
      ? phrase`All tracked money${least} is on ${on}: ${stake} in ${entries}.`
      : share < splitMax
      ? phrase`The tracked money${least} is split: ${stake} in ${entries} on ${on}, ${
        usd("stake2", other.stakeUsd)
      } in ${count("evidence2", other.entries.length, "entry", "entries")} on ${
        outcomeName(material, other.outcome, "outcome2")
      }.`
      : phrase`Of the tracked money${least}, ${
        rate("share", roundTo(share, 100))
      } is on ${on}: ${stake} in ${entries}, against ${usd("stake2", other.stakeUsd)} in ${
        count("evidence2", other.entries.length, "entry", "entries")
      } on ${outcomeName(material, other.outcome, "outcome2")}.`,
    details,
  )
}

/** The mean price that the larger side paid, and what its outcome costs now. */
function costLines(
  material: ReportMaterial,
  own: ReadonlyArray<OpenEntry>,
): ReadonlyArray<Line> {
  const main = mainSide(own)
  if (main === null || main.side.entries.length < 1) return []
  const { side: { outcome, entries, stakeUsd } } = main
  const shares = entries.reduce((sum, { stakeUsd, price }) => sum + stakeUsd / price, 0)
  if (!(shares > 0) || !Number.isFinite(shares)) return []
  const paid = stakeUsd / shares
  const difference = priceOfOutcome(material, outcome) - paid
  const by = Math.abs(difference) / paid
  const verb = `${difference >= 0 ? "gain" : "lose"}${entries.length > 1 ? "" : "s"}`
  return [line(
    "whale",
    phrase`${entries.length > 1 ? "Those" : "The wallet"} on ${
      outcomeName(material, outcome, "outcome")
    } paid ${price("entryPrice", roundTo(paid, 1_000))}${
      entries.length > 1 ? " on average" : ""
    } and ${verb} ${rate("return", roundTo(by, 100))} at the price now.`,
    { subject: material.market.slug },
  )]
}

type Label = "follow" | "fade"

export interface Labelled {
  readonly entry: OpenEntry
  readonly row: WhaleRow
  readonly label: Label
}

/** The first entry of each wallet to follow or to fade, in the order of the entries. */
export function labelledEntries(own: ReadonlyArray<OpenEntry>): ReadonlyArray<Labelled> {
  const wallets = new Map<string, Labelled>()
  for (const entry of own) {
    const row = entry.calibration?.row
    if (row === undefined || row.resolved < resolvedEntriesMin) continue
    const { label } = row
    if (label === "neutral" || wallets.has(entry.wallet)) continue
    wallets.set(entry.wallet, { entry, row, label })
  }
  return [...wallets.values()]
}

function labelledLines(material: ReportMaterial, labelled: Labelled): ReadonlyArray<Line> {
  const { entry, row } = labelled
  const details = { subject: entry.wallet }
  const who = named("wallet", entry.name)
  const bought = phrase`${who} (${word("label", `proven ${labelled.label}`)}) bought ${
    outcomeName(material, entry.outcome, "outcome")
  } at ${price("entryPrice", entry.price)} for ${usd("stake", entry.stakeUsd)}, ${
    duration("age", material.now - entry.firstFillAt)
  } ago`
  const record = phrase`${who} won ${rate("winRate", row.winRate)} of ${
    count("resolved", row.resolved, "earlier entry", "earlier entries")
  } bought at a mean price of ${
    price("meanEntryPrice", roundTo(row.meanEntryPrice, 100))
  }: its edge is ${signedCents("edge", row.edge)} a share (likely between ${
    signedCents("edgeLow", row.edgeLow)
  } and ${signedCents("edgeHigh", row.edgeHigh)}).`
  return [
    line("whale", phrase`${bought}${copyWords(material, labelled)}.`, details),
    line("whale", record, details),
  ]
}

/** Labelled wallets without sentences of their own. */
function moreLabelledLines(
  material: ReportMaterial,
  more: ReadonlyArray<Labelled>,
): ReadonlyArray<Line> {
  if (more.length === 0) return []
  const names = more.slice(0, namedMax).map(({ entry, label }, n) =>
    phrase`${named(`wallet${n + 1}`, entry.name)} (${label} on ${
      outcomeName(material, entry.outcome, `outcome${n + 1}`)
    })`
  )
  const others = more.length - names.length
  const rest = others > 0 ? [...names, count("others", others, "more wallet")] : names
  return [line("whale", phrase`Also labelled: ${listed(rest)}.`, {
    subject: material.market.slug,
  })]
}

/** Labelled wallets that are named in one sentence. */
const namedMax = 3

/** A signed difference: the spelling of a change has no sign. */
function signedCents(slot: string, of: number): Statement {
  const rounded = roundTo(of, 1_000)
  return rounded < 0 ? phrase`minus ${cents(slot, rounded)}` : cents(slot, rounded)
}

/** The purchase that a label points to: the entry's own outcome, or the other one for a fade. */
export function favouredBy({ entry, label }: Labelled): 0 | 1 {
  return label === "follow" ? entry.outcome : entry.outcome === 0 ? 1 : 0
}

/** What the label's edge leaves to a buyer at the ask, after the fee; null when that is not known. */
export function edgeLeftOf(
  { quote, market }: ReportMaterial,
  labelled: Labelled,
): number | null {
  const { entry, row, label } = labelled
  if (quote === null) return null
  const [entryPrice, edge] = label === "follow"
    ? [entry.price, row.edge]
    : [1 - entry.price, -row.edge]
  return copyCostOf({
    ...{ entryPrice, edge, takerFeeRate: market.takerFeeRate },
    quote: quoteOfOutcome(quote, favouredBy(labelled)),
  })?.edgeLeft ?? null
}

/** What a copy of the entry costs now, and how much of the wallet's edge is left. */
function copyWords(material: ReportMaterial, labelled: Labelled): Statement {
  const { entry, row, label } = labelled
  const quote = material.quote
  const copy = quote === null ? null : copyCostOf({
    entryPrice: entry.price,
    edge: row.edge,
    quote: quoteOfOutcome(quote, entry.outcome),
    takerFeeRate: material.market.takerFeeRate,
  })
  if (copy === null) return phrase``
  const ask = price("ask", copy.ask)
  const difference = copy.difference === 0
    ? phrase`the price it paid`
    : phrase`${cents("difference", copy.difference)} ${
      copy.difference > 0 ? "more" : "less"
    } than it paid`
  if (label === "fade") return phrase`; its outcome now costs ${ask}, ${difference}`
  const left = copy.edgeLeft
  if (left === null) return phrase`; the ask is now ${ask}, ${difference}`
  return copy.difference < 0
    ? phrase`; the ask is now ${ask}, ${difference}`
    : left > 0
    ? phrase`; the ask is now ${ask}, ${difference}, which leaves ${
      cents("edgeLeft", left)
    } of its edge after the fee`
    : phrase`; the ask is now ${ask}, ${difference}, which leaves nothing of its edge`
}

/** The wallets without a label, in one sentence. */
function restLines(
  material: ReportMaterial,
  own: ReadonlyArray<OpenEntry>,
  labelled: ReadonlyArray<Labelled>,
): ReadonlyArray<Line> {
  const stated = new Set(labelled.map(({ entry }) => entry.wallet))
  const rest = own.filter(({ wallet }) => !stated.has(wallet))
  if (rest.length === 0) return []
  const wallets = new Set(rest.map(({ wallet }) => wallet)).size
  const judged = rest.filter(({ calibration }) =>
    (calibration?.row.resolved ?? 0) >= resolvedEntriesMin
  )
  const details = { subject: material.market.slug, negative: true }
  const all = count("wallets", wallets, "wallet")
  const largest = rest[0]
  const biggest = largest === undefined || wallets < 2
    ? phrase``
    : phrase`; the largest is ${named("wallet", largest.name)} with ${
      usd("stake", largest.stakeUsd)
    } on ${outcomeName(material, largest.outcome, "outcome")} at ${
      price("entryPrice", largest.price)
    }`
  if (labelled.length > 0) {
    return [line(
      "whale",
      wallets === 1
        ? phrase`The other wallet, ${named("wallet", largest?.name ?? "")}, has no label: its ${
          usd("stake", stakeOf(rest))
        } say little.`
        : phrase`The other ${all} have no label, so their side says little${biggest}.`,
      details,
    )]
  }
  const neutral = new Set(judged.map(({ wallet }) => wallet)).size
  const why = neutral === 0
    ? phrase`has enough ended entries to be judged`
    : neutral === wallets
    ? phrase`has a record that luck does not explain`
    : phrase`has a label: ${
      count("neutral", neutral, "record", "records")
    } can be luck, the rest are too short`
  return [line(
    "whale",
    wallets === 1
      ? phrase`The only wallet, ${
        named("wallet", largest?.name ?? "")
      }, has no label: the money says little about the outcome.`
      : phrase`${
        wallets === 2 ? "Neither" : "None"
      } of the ${all} ${why}, so this money says little about the outcome${biggest}.`,
    details,
  )]
}

/** What was bought before and after the step that the thesis states. */
function timingLines(
  material: ReportMaterial,
  own: ReadonlyArray<OpenEntry>,
): ReadonlyArray<Line> {
  const { step } = movementOf(material)
  if (step === null) return []
  const after = own.filter(({ firstFillAt }) => firstFillAt >= step.to.at)
  const before = own.filter(({ firstFillAt }) => firstFillAt < step.to.at)
  const details = { subject: material.market.slug }
  if (after.length === 0) {
    return [line(
      "whale",
      phrase`Tracked wallets bought nothing since the step ${
        duration("age", material.now - step.to.at)
      } ago.`,
      { ...details, negative: true },
    )]
  }
  const sides = sidesOf(after).filter(({ entries }) => entries.length > 0)
    .map(({ outcome, stakeUsd }, n) =>
      phrase`${usd(n === 0 ? "stake" : "stake2", stakeUsd)} on ${
        outcomeName(material, outcome, n === 0 ? "outcome" : "outcome2")
      }`
    )
  return [line(
    "whale",
    before.length === 0
      ? phrase`All of that money came after the step.`
      : phrase`After the step they bought ${listed(sides)}; before it, ${
        usd("before", stakeOf(before))
      } in all.`,
    details,
  )]
}
