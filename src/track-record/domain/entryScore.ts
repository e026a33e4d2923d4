/**
 * The score of published whale entries: what a follower would have got at the price that was offered,
 * and how the market's price moved afterwards.
 *
 * An entry counts from the side that its label recommends: the other side for `fade`, else the side that
 * the wallet bought. Entries of one event are not independent, so every interval is clustered by event.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { described } from "../../core/domain/fields.ts"
import { Count } from "../../core/domain/number.ts"
import type { FeedItem } from "../../feed/domain/item.ts"
import { microstructure, type OrderBook } from "../../markets/domain/book.ts"
import { complement, offersOf } from "../../markets/domain/quote.ts"
import { averagePriceOf } from "../../markets/domain/tradeCosts.ts"
import type { Market } from "../../markets/domain/market.ts"
import {
  addClusters,
  clusteredMean,
  clusterOf,
  type ClusterSums,
  noClusters,
} from "../../core/domain/clusteredMean.ts"
import { type EpochMs, minute } from "../../core/domain/time.ts"
import { skillFields } from "../../whales/domain/skill.ts"
import { type TableRow, WhaleRow } from "../../whales/domain/whale.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"
import { themeOf } from "../../whales/domain/theme.ts"

/** When the book is read: minutes after publication. */
export const delaysMinutes = [1, 60] as const
/** The stake whose price is computed from the book, USD, fee not included. */
const readingUsd = 100

/** A reading later than this after its time is missed: it would be the price of another delay. */
export const readingLateMsMax = 2 * minute

/** With fewer independent events nothing is published: an interval from so few is hardly reliable. */
export const scoredEventsMin = 10

/** The newest published entries, over which figures are computed. */
export const scoredEntriesMax = 20_000

export const entryLabels = ["follow", "fade", "neutral", "none"] as const
export type EntryLabel = (typeof entryLabels)[number]

/** A published whale entry, as it was published. */
export interface PublishedEntry {
  readonly feedIndex: number
  readonly wallet: string
  /** Entries with the same key are not independent. */
  readonly eventKey: string
  /** `none`: it was published without a calibration. */
  readonly label: EntryLabel
  readonly entryPrice: number
  /** The best ask of the bought outcome and of the other one; null without a book. */
  readonly asks: readonly [number, number] | null
  /** The venue's taker rate. */
  readonly feeRate: number
}

type WhaleEntryItem = Extract<FeedItem, { type: "whale_entry" }>

/** 0 or 1: the outcome that was bought, or that is predetermined. */
export function namedOutcome(
  { data }: Exclude<FeedItem, { type: "mover" }>,
  market: Market | null,
): 0 | 1 {
  return data.outcome === (data.market.outcomes ?? market?.outcomes)?.[0] ? 0 : 1
}

/** What is stored of an item to score it; `market` is null when it is no longer stored. */
export function publishedEntry(item: WhaleEntryItem, market: Market | null): PublishedEntry {
  const { wallet, calibration, entryPrice, microstructure: book } = item.data
  return {
    feedIndex: item.feedIndex,
    wallet,
    eventKey: market === null ? item.data.market.slug : themeOf(market),
    label: calibration?.label ?? "none",
    entryPrice,
    asks: book === null ? null : [book.bestAsk, complement(book.bestBid)],
    feeRate: market?.takerFeeRate ?? 0,
  }
}

/** A reading of the book that is due. */
export interface DueReading {
  readonly feedIndex: number
  readonly delayMinutes: number
  readonly marketId: Market["id"] | null
  /** The outcome that the wallet bought. */
  readonly outcome: 0 | 1
  readonly dueAt: EpochMs
}

/** What a reading found. `missed`: it was too late. `no_book`: the market had no valid book. */
export type ReadingResult =
  | { readonly state: "missed" | "no_book" }
  | {
    readonly state: "read"
    /**
     * The mean price of the stake on the bought outcome and on the other one; null: the book had too
     * few shares.
     */
    readonly prices: readonly [bought: number | null, other: number | null]
  }

/** The result of a reading at `readAt`; `book` is of the market's first outcome. */
export function readingOf(
  { outcome, dueAt }: Pick<DueReading, "outcome" | "dueAt">,
  book: OrderBook | undefined,
  readAt: EpochMs,
): ReadingResult {
  if (readAt - dueAt > readingLateMsMax) return { state: "missed" }
  if (book === undefined) return { state: "no_book" }
  const read = microstructure(book)
  if (Result.isFailure(read) && read.failure !== "empty_side") return { state: "no_book" }
  const offers = offersOf(book)
  return {
    state: "read",
    prices: [
      averagePriceOf(offers[outcome], readingUsd),
      averagePriceOf(offers[outcome === 0 ? 1 : 0], readingUsd),
    ],
  }
}

/** A published entry with what is known of it. */
export interface ScoredEntry extends PublishedEntry {
  /** How its market ended; null while it is open. */
  readonly result: "paid" | "cancelled" | null
  /** What a share of the bought outcome paid, USD; null unless paid. */
  readonly payout: number | null
  /** The price of the bought outcome a day after publication; null before it is judged. */
  readonly later: number | "unknown" | null
  /** The books that were read; of the others no price is known. */
  readonly readings: ReadonlyArray<{
    readonly delayMinutes: number
    readonly prices: Extract<ReadingResult, { state: "read" }>["prices"]
  }>
}

/** An entry from one side: its prices are those of the outcome that is bought. */
interface Side {
  readonly entry: ScoredEntry
  readonly price: number
  readonly ask: number | null
  readonly payout: number | null
  readonly later: number | null
  readonly bookPrice: (delayMinutes: number) => number | null
}

function sideOf(entry: ScoredEntry, isOther: boolean): Side {
  const flip = (price: number) => isOther ? 1 - price : price
  const n = isOther ? 1 : 0
  const { entryPrice, asks, payout, later, readings } = entry
  return {
    entry,
    price: flip(entryPrice),
    ask: asks?.[n] ?? null,
    payout: payout === null ? null : flip(payout),
    later: typeof later === "number" ? flip(later) : null,
    bookPrice: (delay) =>
      readings.find(({ delayMinutes }) => delayMinutes === delay)?.prices[n] ?? null,
  }
}

interface Observation {
  readonly eventKey: string
  readonly value: number
  /** Its deviation under a fair price; 0 where it is not known. */
  readonly fair: number
}

function sumsOf(observations: ReadonlyArray<Observation>): ClusterSums {
  const total = (of: ReadonlyArray<Observation>, name: "value" | "fair") =>
    of.reduce((sum, one) => sum + one[name], 0)
  return [...Map.groupBy(observations, ({ eventKey }) => eventKey).values()]
    .map((of) => clusterOf(of.length, total(of, "value"), total(of, "fair")))
    .reduce(addClusters, noClusters)
}

/**
 * The cost of a share with the venue's taker fee: fee = shares x rate x p x (1 - p). At a mean price over
 * several levels it is at least the sum over the levels, because p (1 - p) is concave.
 */
export function costOf(price: number, feeRate: number): number {
  return price + feeRate * price * (1 - price)
}

/** The returns per USD of buying at these prices, held to the payout. */
function returnsAt(sides: ReadonlyArray<Side>, priceOf: (side: Side) => number | null) {
  return sumsOf(sides.flatMap((side) => {
    const [price, { payout, entry: { eventKey, feeRate } }] = [priceOf(side), side]
    if (price === null || payout === null) return []
    const cost = costOf(price, feeRate)
    return [{ eventKey, value: payout / cost - 1, fair: Math.sqrt(price * (1 - price)) / cost }]
  }))
}

/** The changes from the entry price to the price a day after publication. */
function changesToLater(sides: ReadonlyArray<Side>) {
  return sumsOf(
    sides.flatMap(({ price, later, entry: { eventKey } }) =>
      later === null ? [] : [{ eventKey, value: later - price, fair: 0 }]
    ),
  )
}

/** With fewer events than this a figure is null. */
const fewEvents = `Null with fewer than ${scoredEventsMin} independent events`

/** A mean over entries, with its 95 % interval. */
const Figure = Schema.NullOr(
  Schema.Struct({
    value: described(Schema.Finite, "The mean, in the unit of the field that has it"),
    low: described(Schema.Finite, "Lower end of its 95 % interval, in the same unit"),
    high: described(Schema.Finite, "Upper end of its 95 % interval, in the same unit"),
    entries: described(Count, "Entries that it was computed from"),
    events: Count.annotate({ description: "Independent events among them" }),
  }).annotate({ identifier: "EntryFigure" }),
)

/**
 * The mean of all values, clustered by event; null below `scoredEventsMin` events. No return is below
 * minus the stake, and no price moves by more than a dollar.
 */
export function figureOf(sums: ClusterSums): typeof Figure.Type {
  const found = sums.clusters < scoredEventsMin ? null : clusteredMean(sums)
  return found === null ? null : {
    value: roundRate(found.mean),
    low: roundRate(Math.max(-1, found.low)),
    high: roundRate(found.high),
    entries: sums.n,
    events: sums.clusters,
  }
}

const copiedText = (when: string) =>
  `What a copier gets: return per USD on equal stakes of ${readingUsd} USD on its ` +
  `published entries, at the asks in the book ${when} publication plus the fee, held to resolution. ${fewEvents}`

/** What copying published entries returns, by the delay of the copier. */
export const copiedFields = {
  copiedRoi1m: Figure.annotate({ description: copiedText("a minute after") }),
  copiedRoi60m: Figure.annotate({ description: copiedText("an hour after") }),
}

/** What is known of published entries, of a wallet or of a label. */
const scoreFields = {
  ...copiedFields,
  closingLine: Figure.annotate({
    description:
      "Mean price a day after publication (after the resolution: the payout) minus entry price of its published entries, USD per share. " +
      fewEvents,
  }),
}
export type WalletScore = Schema.Struct.Type<typeof scoreFields>

const LabelScore = Schema.Struct({
  published: described(Count, "Published entries with this label"),
  withoutBook: Count.annotate({
    description: "Published without an order book: what a follower could have paid is unknown",
  }),
  cancelled: Count.annotate({ description: "In cancelled markets; no result" }),
  resolved: Count.annotate({ description: "With a book, in markets that paid out" }),
  events: Count.annotate({ description: "Independent events among these" }),
  roiAtAsk: Figure.annotate({
    description:
      "Return per USD on equal stakes at the published ask plus the taker fee, held to resolution. " +
      fewEvents,
  }),
  ...scoreFields,
}).annotate({ identifier: "EntryScore" })

/** The score of published entries by label, on the wire. */
export const EntryScores = Schema.Struct({
  follow: LabelScore.annotateKey({ description: "Entries of wallets to follow" }),
  fade: LabelScore.annotateKey({ description: "As bought on the other side, at its own ask" }),
  neutral: LabelScore.annotateKey({ description: "Entries of neutral wallets" }),
  none: LabelScore.annotateKey({ description: "Published without a calibration" }),
}).annotate({
  description:
    `The newest ${scoredEntriesMax} published whale entries by their label, from the side that it ` +
    "recommends (`neutral` and `none`: the wallet's side). Intervals are 95 %, clustered by event. " +
    "Without skill a return is about minus the fee and half of the spread",
})

/** Each label's entries from the side that it recommends. */
function entryScores(entries: ReadonlyArray<ScoredEntry>): typeof EntryScores.Type {
  const of = (label: EntryLabel) =>
    labelScore(
      entries.filter((one) => one.label === label).map((one) => sideOf(one, label === "fade")),
    )
  return { follow: of("follow"), fade: of("fade"), neutral: of("neutral"), none: of("none") }
}

function labelScore(sides: ReadonlyArray<Side>): typeof LabelScore.Type {
  const atAsk = returnsAt(sides, ({ ask }) => ask)
  return {
    published: sides.length,
    withoutBook: sides.filter(({ entry }) => entry.asks === null).length,
    cancelled: sides.filter(({ entry }) => entry.result === "cancelled").length,
    resolved: atAsk.n,
    events: atAsk.clusters,
    roiAtAsk: figureOf(atAsk),
    ...scoreOf(sides),
  }
}

function scoreOf(sides: ReadonlyArray<Side>): WalletScore {
  return { ...copiedScore(sides), closingLine: figureOf(changesToLater(sides)) }
}

function copiedScore(sides: ReadonlyArray<Side>) {
  const [first, second] = delaysMinutes
  const after = (delay: number) => figureOf(returnsAt(sides, ({ bookPrice }) => bookPrice(delay)))
  return { copiedRoi1m: after(first), copiedRoi60m: after(second) }
}

/** A row of /v1/whales: a wallet's calibration, and the score of its published entries. */
export const ScoredWhaleRow = Schema.Struct({
  ...WhaleRow.fields,
  ...skillFields,
  ...scoreFields,
})
  .annotate({ identifier: "Whale" })
type ScoredWhaleRow = typeof ScoredWhaleRow.Type

const noScore: WalletScore = { copiedRoi1m: null, copiedRoi60m: null, closingLine: null }

export function scoredRow(row: TableRow, score: WalletScore = noScore): ScoredWhaleRow {
  return { ...row, ...score }
}

/** The scores of published entries. */
export interface EntrySummary {
  readonly byLabel: typeof EntryScores.Type
  /** What copying returned, over all entries. */
  readonly copied: ReturnType<typeof copiedScore>
  /** The score of each wallet with a published entry. */
  readonly wallets: ReadonlyMap<string, WalletScore>
}

export function entrySummary(entries: ReadonlyArray<ScoredEntry>): EntrySummary {
  const bought = entries.map((entry) => sideOf(entry, false))
  const byWallet = Map.groupBy(bought, ({ entry }) => entry.wallet)
  return {
    byLabel: entryScores(entries),
    copied: copiedScore(bought),
    wallets: new Map([...byWallet].map(([wallet, sides]) => [wallet, scoreOf(sides)])),
  }
}
