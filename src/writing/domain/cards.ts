/**
 * Decision cards: what a reader can act on, each a few facts about one market, ranked by its value in
 * USD. A digest is the best cards of its window, a report the cards of one market; titles and summaries
 * are the first sentences of the best ones.
 *
 * @module
 */
import type { NewFact } from "../facts/fact.ts"

/** What a card is about; of equal values the earlier kind comes first. */
const cardKinds = ["contradiction", "proposal", "report", "wallet", "move", "price"] as const
type CardKind = typeof cardKinds[number]

export interface Card {
  readonly kind: CardKind
  /** The slug of the market. */
  readonly market: string
  /** USD that the evidence is worth at the quotes now; see `valueOf`. At least 0. */
  readonly valueUsd: number
  /** Each is a sentence of the template, the first one names the market and can stand alone. */
  readonly facts: readonly [NewFact, ...ReadonlyArray<NewFact>]
}

/** The best first. Deterministic: ties by kind, then by slug. */
export function ranked<C extends Pick<Card, "kind" | "market" | "valueUsd">>(
  cards: ReadonlyArray<C>,
): ReadonlyArray<C> {
  return cards.toSorted((a, b) =>
    b.valueUsd - a.valueUsd || cardKinds.indexOf(a.kind) - cardKinds.indexOf(b.kind) ||
    (a.market < b.market ? -1 : a.market > b.market ? 1 : 0)
  )
}

/** A pair of prices that gains more than this is rather stale or of other rules, USD a share. */
export const pairGainMax = 0.3

/** The most that a reader is taken to trade: more would count the depth of a book as evidence. */
const tradeUsdMax = 1_000

/**
 * What an edge is worth: the gain of buying as much as is offered, at most `tradeUsdMax`. 0 without an
 * edge, or where nothing can be bought.
 */
export function valueOf(
  { edge, ask, offeredUsd }: {
    /** Expected gain, USD a share after fees. */
    readonly edge: number
    readonly ask: number | null
    readonly offeredUsd: number
  },
): number {
  if (ask === null || !(ask > 0) || !(edge > 0)) return 0
  return edge / ask * Math.min(tradeUsdMax, Math.max(0, offeredUsd))
}

/**
 * What a move or an event without a measured edge is worth: a named share of what the price may change.
 * Small, so that whatever can be traded at a gain comes first.
 */
export function attentionOf(
  { change, share, offeredUsd }: {
    readonly change: number
    readonly share: number
    readonly offeredUsd: number
  },
): number {
  return Math.abs(change) * share * Math.min(tradeUsdMax, Math.max(0, offeredUsd))
}
