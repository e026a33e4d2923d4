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
import { clusteredMean, type ClusterSums } from "../../core/domain/clusteredMean.ts"
import { type EpochMs, minute } from "../../core/domain/time.ts"
import { skillFields, type TableRow, WhaleRow } from "../../whales/domain/whale.ts"
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

/** The newest published entries, over which figures are computed: a query of about half a second. */
export const scoredEntriesMax = 20_000

export const entryLabels = ["follow", "fade", "neutral", "none"] as const
export type EntryLabel = (typeof entryLabels)[number]

/** The later prices that an entry is compared with, by the kind of the check. */
const closings = { whale_1h: "after1h", whale_24h: "after24h", whale_close: "last" } as const
export const closingKinds = ["whale_1h", "whale_24h", "whale_close"] as const
type ClosingKind = (typeof closingKinds)[number]
/** The later price in a wallet's row. */
export const walletClosing = "whale_24h"

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

/** 0 or 1: which outcome was bought. */
export function boughtOutcome({ data }: WhaleEntryItem, market: Market | null): 0 | 1 {
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
    readonly readAt: EpochMs
    /** Of the first outcome; null when a side of the book was empty. */
    readonly mid: number | null
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
    readAt,
    mid: Result.isSuccess(read) ? read.success.mid : null,
    prices: [
      averagePriceOf(offers[outcome], readingUsd),
      averagePriceOf(offers[outcome === 0 ? 1 : 0], readingUsd),
    ],
  }
}

/**
 * The figures of one label. The names of counts and sums are those of `metrics`; a missing one is 0.
 */
export interface EntryTotals {
  readonly counts: Readonly<Record<string, number>>
  readonly sums: Readonly<Record<string, ClusterSums>>
}

/** The names under which counts and sums are stored. */
export const metrics = {
  published: "published",
  withoutBook: "without_book",
  verdict: (kind: string, verdict: string) => `${kind}_${verdict}`,
  reading: (delay: number, state: string) => `reading_${delay}_${state}`,
  unfillable: (delay: number) => `unfillable_${delay}`,
  atAsk: "at_ask",
  fromEntry: (kind: string) => `${kind}_from_entry`,
  fromAsk: (kind: string) => `${kind}_from_ask`,
  fromBook: (delay: number) => `book_${delay}`,
} as const

/** A mean with its 95 % interval. */
interface Mean {
  readonly value: number
  readonly low: number
  readonly high: number
}

/**
 * The mean of all values, clustered by event; null below `scoredEventsMin` events. `floor` is the least
 * possible value.
 */
export function meanOf(sums: ClusterSums | undefined, floor: number): Mean | null {
  if (sums === undefined || sums.clusters < scoredEventsMin) return null
  const found = clusteredMean(sums)
  return found === null ? null : {
    value: roundRate(found.mean),
    low: roundRate(Math.max(floor, found.low)),
    high: roundRate(found.high),
  }
}

const interval = {
  value: described(Schema.Finite, "The mean, in the unit of the field that has it"),
  low: described(Schema.Finite, "Lower end of its 95 % interval, in the same unit"),
  high: described(Schema.Finite, "Upper end of its 95 % interval, in the same unit"),
}
const Interval = Schema.NullOr(Schema.Struct(interval).annotate({ identifier: "Interval" }))
const events = Count.annotate({ description: "Independent events among them" })
const fewEvents = `Null with fewer than ${scoredEventsMin} independent events`

const ClosingLine = Schema.Struct({
  entries: Count.annotate({ description: "Entries whose later price is known" }),
  events,
  unknown: Count.annotate({ description: "Entries whose later price is not known" }),
  fromEntryPrice: described(
    Interval,
    "Later price minus the entry price, USD per share. " + fewEvents,
  ),
  fromAsk: described(
    Interval,
    "Later price minus the ask published with the item, USD per share; entries with a book only. " +
      fewEvents,
  ),
}).annotate({ identifier: "ClosingLine" })

const LabelScore = Schema.Struct({
  published: described(Count, "Published entries with this label"),
  withoutBook: Count.annotate({
    description: "Published without an order book: what a follower could have paid is unknown",
  }),
  cancelled: Count.annotate({ description: "In cancelled markets; no result" }),
  resolved: Count.annotate({ description: "With a book, in markets that paid out" }),
  events,
  roiAtAsk: Interval.annotate({
    description:
      "Return per USD on equal stakes at the published ask plus the taker fee, held to resolution. " +
      fewEvents,
  }),
  closingLine: Schema.Struct({
    after1h: ClosingLine.annotateKey({ description: "An hour after publication" }),
    after24h: ClosingLine.annotateKey({ description: "A day after publication" }),
    last: ClosingLine.annotateKey({ description: "The last mid before the resolution" }),
  })
    .annotate({
      description:
        "Mean of a later price (after the resolution: the payout) minus the entry price, and minus the published ask, USD per share. " +
        fewEvents,
    }),
  byDelay: Schema.Array(Schema.Struct({
    delayMinutes: described(Count, "Minutes from publication to the reading of the book"),
    priced: Count.annotate({ description: "Entries for which the book had a price" }),
    unfillable: Count.annotate({ description: "The book was too thin for the stake" }),
    missed: Count.annotate({
      description: `The book was not read within ${readingLateMsMax / minute} minutes of its time`,
    }),
    withoutBook: described(Count, "The market had no valid book"),
    resolved: described(Count, "Priced entries in markets that paid out"),
    events,
    roi: described(Interval, "Return per USD at that price, after the fee. " + fewEvents),
  })).annotate({
    description:
      `The same return on a stake of ${readingUsd} USD at its mean price in the book at that time; only ` +
      "entries that could be filled",
  }),
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

/** Figures of all labels, from their totals. */
export function entryScores(
  totals: ReadonlyMap<EntryLabel, EntryTotals>,
): typeof EntryScores.Type {
  const of = (label: EntryLabel) => labelScore(totals.get(label) ?? { counts: {}, sums: {} })
  return { follow: of("follow"), fade: of("fade"), neutral: of("neutral"), none: of("none") }
}

/** No return is below minus the stake. */
const roiMin = -1

function labelScore({ counts, sums }: EntryTotals): typeof LabelScore.Type {
  const count = (name: string) => counts[name] ?? 0
  const size = (name: string) => ({
    entries: sums[name]?.n ?? 0,
    events: sums[name]?.clusters ?? 0,
  })
  const line = (kind: ClosingKind): typeof ClosingLine.Type => ({
    ...size(metrics.fromEntry(kind)),
    unknown: count(metrics.verdict(kind, "unknown")),
    fromEntryPrice: meanOf(sums[metrics.fromEntry(kind)], -1),
    fromAsk: meanOf(sums[metrics.fromAsk(kind)], -1),
  })
  const atAsk = size(metrics.atAsk)
  return {
    published: count(metrics.published),
    withoutBook: count(metrics.withoutBook),
    cancelled: count(metrics.verdict("whale_entry", "cancelled")),
    resolved: atAsk.entries,
    events: atAsk.events,
    roiAtAsk: meanOf(sums[metrics.atAsk], roiMin),
    closingLine: {
      [closings.whale_1h]: line("whale_1h"),
      [closings.whale_24h]: line("whale_24h"),
      [closings.whale_close]: line("whale_close"),
    },
    byDelay: delaysMinutes.map((delayMinutes) => {
      const known = size(metrics.fromBook(delayMinutes))
      const unfillable = count(metrics.unfillable(delayMinutes))
      const reading = (state: string) => count(metrics.reading(delayMinutes, state))
      return {
        delayMinutes,
        priced: reading("read") - unfillable,
        unfillable,
        missed: reading("missed"),
        withoutBook: reading("no_book"),
        resolved: known.entries,
        events: known.events,
        roi: meanOf(sums[metrics.fromBook(delayMinutes)], roiMin),
      }
    }),
  }
}

const WalletFigure = Schema.NullOr(
  Schema.Struct({
    ...interval,
    entries: described(Count, "Entries that it was computed from"),
    events,
  })
    .annotate({ identifier: "WalletFigure" }),
)

const copiedText = (when: string) =>
  `What a copier gets, and not mirrorRoi: return per USD on equal stakes of ${readingUsd} USD on its ` +
  `published entries, at the asks in the book ${when} publication plus the fee, held to resolution. ${fewEvents}`

/** What copying published entries on the wallet's side returns, by the delay of the copier. */
export const copiedFields = {
  copiedRoi1m: WalletFigure.annotate({ description: copiedText("a minute after") }),
  copiedRoi60m: WalletFigure.annotate({ description: copiedText("an hour after") }),
}

/** What is known of a wallet's published entries. */
const walletScoreFields = {
  ...copiedFields,
  closingLine: WalletFigure.annotate({
    description:
      "Mean price a day after publication minus entry price of its published entries, USD per share. " +
      fewEvents,
  }),
}
export type WalletScore = Schema.Struct.Type<typeof walletScoreFields>

/** A row of /v1/whales: a wallet's calibration, and the score of its published entries. */
export const ScoredWhaleRow = Schema.Struct({
  ...WhaleRow.fields,
  ...skillFields,
  ...walletScoreFields,
})
  .annotate({ identifier: "Whale" })
type ScoredWhaleRow = typeof ScoredWhaleRow.Type

const noScore: WalletScore = { copiedRoi1m: null, copiedRoi60m: null, closingLine: null }

export function scoredRow(row: TableRow, score: WalletScore = noScore): ScoredWhaleRow {
  return { ...row, ...score }
}

/** The figures of one wallet, from its sums. */
export function walletScore(sums: EntryTotals["sums"]): WalletScore {
  return {
    ...copiedScore(sums),
    closingLine: walletFigure(sums[metrics.fromEntry(walletClosing)], -1),
  }
}

/** What copying returned, from the sums of one wallet, or of all. */
export function copiedScore(sums: EntryTotals["sums"]) {
  const [first, second] = delaysMinutes
  return {
    copiedRoi1m: walletFigure(sums[metrics.fromBook(first)], roiMin),
    copiedRoi60m: walletFigure(sums[metrics.fromBook(second)], roiMin),
  }
}

function walletFigure(sums: ClusterSums | undefined, floor: number): typeof WalletFigure.Type {
  const mean = meanOf(sums, floor)
  return mean === null ? null : { ...mean, entries: sums?.n ?? 0, events: sums?.clusters ?? 0 }
}
