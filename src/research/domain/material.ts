/**
 * The input of a research report: the data about one market, and what could not be read.
 *
 * @module
 */
import type { Clause } from "../../markets/domain/clause.ts"
import type { Level, Microstructure } from "../../markets/domain/book.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { Market, SeriesPoint } from "../../markets/domain/market.ts"
import type { Quote } from "../../markets/domain/quote.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import type { Estimate } from "../../writing/domain/estimate.ts"
import type { MarketMove } from "../../writing/facts/moves.ts"
import type { WalletsRead } from "../../writing/facts/wallets.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"

/** Stories about a market, the best match first. */
export interface RelatedNews {
  readonly stories: ReadonlyArray<RelatedStory>
  /** The number of sources; 0 means that news is off. */
  readonly sources: number
  /** The number of sources that answered recently. */
  readonly answered: number
}

interface SiblingMarket {
  readonly market: Market
  /** Null when no recent price is known. */
  readonly quote: Quote | null
  /** Null when no outcome is proposed, or it is not known which. */
  readonly proposal: Proposal | null
  /** Null or absent where they were not read. */
  readonly rules?: string | null
}

/** Other live markets of the same event. */
export interface Siblings {
  readonly markets: ReadonlyArray<SiblingMarket>
  /** Whether all live markets of the event were read. */
  readonly complete: boolean
}

/** A valid order book of the first outcome. */
interface ReadBook {
  readonly microstructure: Microstructure
  /** The best prices with the shares at them. */
  readonly quote: Quote
  /** What is offered of each outcome. */
  readonly offers: readonly [ReadonlyArray<Level>, ReadonlyArray<Level>]
}

export interface ReportMaterial {
  readonly market: Market
  /** The last seven days, hourly, ascending. */
  readonly priceAction: readonly [SeriesPoint, ...ReadonlyArray<SeriesPoint>]
  /** The points that `priceAction` was made of; empty when the venue gave it. Ascending. */
  readonly ticks: ReadonlyArray<SeriesPoint>
  /** Null when there is no valid book. */
  readonly book: ReadBook | null
  /** The move that the feed published lately, which a digest states too; null or absent for none. */
  readonly published?: MarketMove | null
  /** The largest stakes first, at most `entriesReadMax`. */
  readonly entries: ReadonlyArray<OpenEntry>
  readonly walletsRead: WalletsRead
  /** Null when it could not be read. */
  readonly news: RelatedNews | null
  /** Null when no outcome is proposed, or it is not known which. */
  readonly proposal: Proposal | null
  /** Whether the listing is recent, so that a market without a proposal has none. */
  readonly isListingRead: boolean
  /** Null when they could not be read. */
  readonly siblings: Siblings | null
  /** The market's rules: untrusted text. Null when there are none, or they could not be read. */
  readonly rules: string | null
  /** The parts of the rules that are known for certain. */
  readonly clause: Clause | null
  /** The stated number, computed from the rest; null until then. */
  readonly estimate: Estimate | null
  readonly now: EpochMs
}

/** How far back a report looks. */
export const priceActionMs = 7 * day

/** Entries, stories and siblings in a report; a buyer would not read more. */
export const entriesReadMax = 50
export const storiesReadMax = 10
export const siblingsReadMax = 64

/** Whether anything can still be traded. */
export const isLive = ({ market: { status } }: ReportMaterial): boolean =>
  status === "open" || status === "proposed"

type Priced = Pick<ReportMaterial, "priceAction" | "book">

/** The current price: the mid of the book, else the last known price. */
export function priceOf({ priceAction, book }: Priced): SeriesPoint {
  const last = priceAction.at(-1) ?? priceAction[0]
  if (book === null) return last
  const { observedAt, mid } = book.microstructure
  return { at: Date.parse(observedAt), mid }
}
