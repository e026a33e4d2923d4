/**
 * Facts about tracked wallets: what a labelled one bought, its record at such prices, and what a copy
 * costs now.
 *
 * @module
 */
import { copyCostOf } from "../../markets/domain/tradeCosts.ts"
import { complement, type Quote, quoteOfOutcome } from "../../markets/domain/quote.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { listed, phrase } from "../domain/statement.ts"
import {
  type About,
  cents,
  count,
  duration,
  factOf,
  named,
  type NewFact,
  outcomeOf,
  price,
  rate,
  signedCents,
  usd,
  word,
} from "./fact.ts"

/** A wallet's resolved entries at the prices of one band. */
export interface BandRecord {
  readonly from: number
  readonly to: number
  readonly entries: number
  readonly meanEntryPrice: number
  readonly winRate: number
}

/** A position that a tracked wallet opened. */
interface WalletPosition {
  readonly wallet: string
  readonly name: string
  readonly outcome: 0 | 1
  /** Mean price of its buys, USD a share of `outcome`. */
  readonly price: number
  readonly stakeUsd: number
  readonly firstFillAt: EpochMs
}

/** Of a wallet whose record luck does not explain. */
export interface LabelledPosition extends WalletPosition {
  readonly label: "follow" | "fade"
  /** Of all prices; empty where the wallet has none. */
  readonly bands: ReadonlyArray<BandRecord>
}

/** A band's edge counts as that of so many more entries without an edge. */
const priorEntries = 100

/** The entries at prices like this one; null without any. */
function bandAt({ bands, price }: LabelledPosition): BandRecord | null {
  return bands.find(({ from, to }) => from <= price && (price < to || to === 1 && price <= 1)) ??
    null
}

/** USD a share: wins minus the price paid in the band, shrunk towards 0; negative for a bad record. */
function shrunkEdge({ entries, winRate, meanEntryPrice }: BandRecord): number {
  return (winRate - meanEntryPrice) * entries / (entries + priorEntries)
}

/** What the label points to: the purchase of the wallet's own outcome, or of the other one for a fade. */
export function favouredBy({ outcome, label }: LabelledPosition): 0 | 1 {
  return label === "follow" ? outcome : outcome === 0 ? 1 : 0
}

/** What the shrunk edge leaves to a buyer at the ask, after the fee; null when that is not known. */
export function edgeLeftOf(
  position: LabelledPosition,
  quote: Quote | null,
  takerFeeRate: number | null,
): { readonly ask: number; readonly edgeLeft: number } | null {
  const band = bandAt(position)
  if (quote === null || band === null) return null
  const isFollow = position.label === "follow"
  const copy = copyCostOf({
    entryPrice: isFollow ? position.price : complement(position.price),
    edge: isFollow ? shrunkEdge(band) : -shrunkEdge(band),
    quote: quoteOfOutcome(quote, favouredBy(position)),
    takerFeeRate,
  })
  return copy === null || copy.edgeLeft === null ? null : { ask: copy.ask, edgeLeft: copy.edgeLeft }
}

/** `Keen-Glacier (follow) bought Yes at 0.646 for $3,419, 6 days ago.` */
export function positionFact(about: About, position: LabelledPosition, now: EpochMs): NewFact {
  return factOf(
    "whale",
    position.wallet,
    phrase`${named("wallet", position.name)} (${word("label", position.label)}) bought ${
      outcomeOf(about, position.outcome)
    } at ${price("entryPrice", position.price)} for ${usd("stake", position.stakeUsd)}, ${
      duration("age", now - position.firstFillAt)
    } ago.`,
  )
}

/** Its record at such prices, and what is left of it at the ask. */
export function walletRecordFacts(
  about: About,
  position: LabelledPosition,
  copy: ReturnType<typeof edgeLeftOf>,
): ReadonlyArray<NewFact> {
  const band = bandAt(position)
  if (band === null) return []
  const won = factOf(
    "record",
    position.wallet,
    phrase`${named("wallet", position.name)} won ${rate("winRate", band.winRate)} of ${
      count("reference", band.entries, "earlier entry", "earlier entries")
    } at ${price("from", band.from)} to ${price("to", band.to)}: an edge of ${
      signedCents("edge", shrunkEdge(band))
    } a share, shrunk for luck.`,
  )
  if (copy === null) return [won]
  const side = outcomeOf({ ...about, isNamed: false }, favouredBy(position))
  return [
    won,
    factOf(
      "whale",
      position.wallet,
      copy.edgeLeft > 0
        ? phrase`${side} at the ask of ${price("ask", copy.ask)} leaves ${
          cents("edgeLeft", copy.edgeLeft)
        } of it after the fee.`
        : phrase`${side} at the ask of ${price("ask", copy.ask)} leaves nothing of it.`,
    ),
  ]
}

/** One line for the wallets without a label; null without any. */
export function otherWalletsFact(
  about: About,
  others: ReadonlyArray<Pick<WalletPosition, "wallet" | "outcome" | "stakeUsd">>,
  isComplete: boolean,
): NewFact | null {
  const wallets = new Set(others.map(({ wallet }) => wallet)).size
  if (wallets === 0) return null
  const sides = ([0, 1] as const).flatMap((outcome) => {
    const stake = others.filter((one) => one.outcome === outcome)
      .reduce((sum, { stakeUsd }) => sum + stakeUsd, 0)
    return stake > 0
      ? [
        phrase`${usd(`stake${outcome + 1}`, stake)} of ${
          outcomeOf({ ...about, isNamed: false }, outcome, `outcome${outcome + 1}`)
        }`,
      ]
      : []
  })
  const all = count("wallets", wallets, "tracked wallet")
  return factOf(
    "whale",
    about.slug,
    sides.length === 0
      ? phrase`${all} without a label bought hardly anything.`
      : phrase`${all} without a label${isComplete ? "" : ", the largest,"} bought ${
        listed(sides)
      }.`,
  )
}

/** Labelled wallets without facts of their own; null for none. */
export function moreLabelledFact(about: About, wallets: number): NewFact | null {
  if (wallets === 0) return null
  const more = count("labelled", wallets, "more labelled wallet")
  return factOf("whale", about.slug, phrase`${more} bought here.`)
}

/** No other tracked wallet bought. */
export function marketMakersFact(about: About): NewFact {
  return factOf(
    "whale",
    about.slug,
    phrase`The tracked wallets with the largest stakes here are market makers.`,
  )
}

/** How many of the tracked wallets have been read. */
export interface WalletsRead {
  readonly tracked: number
  readonly read: number
}

/** Only of the wallets that were read. */
export function noWalletFact(about: About, { tracked, read }: WalletsRead): NewFact {
  return factOf(
    "whale",
    about.slug,
    tracked === 0
      ? phrase`No wallet is tracked.`
      : phrase`Of ${count("wallets", read, "tracked wallet")} none opened a position here${
        read < tracked
          ? phrase`; ${
            count("unread", tracked - read, "more has not been read", "more have not been read")
          }`
          : phrase``
      }.`,
  )
}
