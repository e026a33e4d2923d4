/**
 * The input of a research report: the data about one market, and what could not be read.
 *
 * @module
 */
import type { ProposalRecord } from "../../feed/domain/item.ts"
import type { Microstructure } from "../../markets/domain/book.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { Market, SeriesPoint } from "../../markets/domain/market.ts"
import { isDeep, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import { complement, type Quote } from "../../markets/domain/quote.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import type { Estimate } from "./estimate.ts"
import { named } from "./lines.ts"
import type { Statement } from "../../writing/domain/statement.ts"
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
}

/** Other live markets of the same event. */
export interface Siblings {
  readonly markets: ReadonlyArray<SiblingMarket>
  /** Whether all live markets of the event were read. */
  readonly complete: boolean
}

export interface ReportMaterial {
  readonly market: Market
  /** The last seven days, hourly, ascending. */
  readonly priceAction: readonly [SeriesPoint, ...ReadonlyArray<SeriesPoint>]
  /** The points that `priceAction` was made of; empty when the venue gave it. Ascending. */
  readonly ticks: ReadonlyArray<SeriesPoint>
  /** Null when there is no valid book. */
  readonly microstructure: Microstructure | null
  /** The best prices with the shares at them; null when there is no valid book. */
  readonly quote: Quote | null
  /** The largest stakes first, at most `entriesReadMax`; null when they could not be read. */
  readonly entries: ReadonlyArray<OpenEntry> | null
  /** Null when it could not be read. */
  readonly news: RelatedNews | null
  /** Null when no outcome is proposed, or it is not known which. */
  readonly proposal: Proposal | null
  /** Null when they could not be read. */
  readonly siblings: Siblings | null
  /** The market's rules: untrusted text. Null when there are none, or they could not be read. */
  readonly rules: string | null
  /** How often such proposals of our own were upheld; null while not known. */
  readonly proposalRecord: ProposalRecord | null
  /** The stated probability, computed from the rest; null until then. */
  readonly estimate: Estimate | null
  readonly now: EpochMs
}

/** Entries, stories and siblings in a report; a buyer would not read more. */
export const entriesReadMax = 50
export const storiesReadMax = 10
export const siblingsReadMax = 24

/** The current price: the mid of the book, else the last known price. */
export function priceOf({ priceAction, microstructure }: ReportMaterial): SeriesPoint {
  const last = priceAction.at(-1) ?? priceAction[0]
  if (microstructure === null) return last
  return { at: Date.parse(microstructure.observedAt), mid: microstructure.mid }
}

/** The current price of an outcome. */
export function priceOfOutcome(material: ReportMaterial, outcome: 0 | 1): number {
  const { mid } = priceOf(material)
  return outcome === 0 ? mid : complement(mid)
}

/** The name of an outcome. */
export function outcomeName({ market }: ReportMaterial, outcome: 0 | 1, slot: string): Statement {
  return named(slot, market.outcomes[outcome])
}

/** The quality gate of movers, by criterion. */
interface Gate {
  readonly volume: boolean
  readonly depth: boolean
  readonly spread: boolean
}

/** Without a valid book neither depth nor spread passes. */
export function gateOf({ market, microstructure }: ReportMaterial): Gate {
  return {
    volume: market.volumeUsd >= volumeUsdMin,
    depth: microstructure !== null && isDeep(microstructure),
    spread: microstructure !== null && isNarrow(microstructure),
  }
}

export function passesGate(material: ReportMaterial): boolean {
  const { volume, depth, spread } = gateOf(material)
  return volume && depth && spread
}
