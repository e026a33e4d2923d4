/**
 * What a research report is made from: all that is known of one market, and what could not be read.
 *
 * @module
 */
import type { Microstructure } from "../../markets/domain/book.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { Market, SeriesPoint } from "../../markets/domain/market.ts"
import { isDeep, isNarrow, volumeUsdMin } from "../../markets/domain/quality.ts"
import type { Headline } from "../../news/domain/headline.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { name, type Statement } from "../../writing/domain/statement.ts"
import type { OpenEntry } from "../../whales/domain/storedEntry.ts"

/** Headlines about a market, the closest first, and of how many sources. */
export interface RelatedNews {
  readonly headlines: ReadonlyArray<Headline>
  /** How many sources there are; 0 means that news is off. */
  readonly sources: number
  /** How many of them were heard lately. */
  readonly answered: number
}

export interface ReportMaterial {
  readonly market: Market
  /** Of the last seven days, hourly, ascending. */
  readonly priceAction: readonly [SeriesPoint, ...ReadonlyArray<SeriesPoint>]
  /** Null when there is no sound book. */
  readonly microstructure: Microstructure | null
  /** The largest stakes first, at most `entriesReadMax`; null when they could not be read. */
  readonly entries: ReadonlyArray<OpenEntry> | null
  /** Null when it could not be read. */
  readonly news: RelatedNews | null
  /** Null when no outcome is proposed, or nobody says which. */
  readonly proposal: Proposal | null
  readonly now: EpochMs
}

/** Entries and headlines that a report is given; more would not be read by whoever buys it. */
export const entriesReadMax = 50
export const headlinesReadMax = 10

/** The price that a report speaks of: that of the book, or the last one there was. */
export function priceOf({ priceAction, microstructure }: ReportMaterial): SeriesPoint {
  const last = priceAction.at(-1) ?? priceAction[0]
  if (microstructure === null) return last
  return { at: Date.parse(microstructure.observedAt), mid: microstructure.mid }
}

/** An outcome as facts call it. */
export function outcomeName({ market }: ReportMaterial, outcome: 0 | 1): Statement {
  return name(market.outcomes[outcome])
}

/** How a market does by each measure of the gate that movers pass. */
interface Gate {
  readonly volume: boolean
  readonly depth: boolean
  readonly spread: boolean
}

/** Below the gate a price says little. Without a sound book neither depth nor spread passes. */
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
