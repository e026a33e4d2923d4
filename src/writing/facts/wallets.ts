/**
 * Facts about tracked wallets: what a labelled one bought, its record at such prices, and what a copy
 * costs now.
 *
 * @module
 */
import { z95 } from "../../core/domain/student.ts"
import { complement } from "../../markets/domain/quote.ts"
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
  part,
  price,
  rounded,
  unnamed,
  usd,
  word,
} from "./fact.ts"

/** What is read of a wallet's record: its edge with a 95 % interval, and its entries by price. */
export interface WalletRecord {
  readonly resolved: number
  readonly meanEntryPrice: number
  readonly edgeLow: number
  readonly edgeHigh: number
  readonly oddsBands: ReadonlyArray<{
    readonly from: number
    readonly to: number
    readonly entries: number
    readonly meanEntryPrice: number
    readonly winRate: number
  }>
}

/** An entry of a wallet whose record luck does not explain. */
export interface LabelledEntry {
  readonly label: "follow" | "fade"
  readonly outcome: 0 | 1
  /** Mean price of its buys, USD a share of `outcome`. */
  readonly price: number
  /** Null where it could not be read. */
  readonly record: WalletRecord | null
}

/** A position that a tracked wallet opened. */
export interface WalletPosition {
  readonly wallet: string
  readonly name: string
  readonly outcome: 0 | 1
  /** Mean price of its buys, USD a share of `outcome`. */
  readonly price: number
  readonly stakeUsd: number
  readonly firstFillAt: EpochMs
}

/** Of a wallet whose record luck does not explain. */
export interface LabelledPosition extends WalletPosition, LabelledEntry {}

/**
 * How far the true edges of labelled wallets are assumed to spread around 0, USD a share: public audits
 * found no group of wallets that beats its own prices, so most of a large edge is luck.
 */
const walletEdgeSpread = 0.03

/**
 * A wallet's entries at prices like this one, and its edge there in USD a share, negative for a bad
 * record: wins minus the price paid, shrunk towards 0 by the ratio of `walletEdgeSpread`^2 to the sum of
 * that and its own variance (the mean of a normal posterior). Null without such entries.
 */
function bandOf({ price, record }: LabelledEntry) {
  const band = record?.oddsBands.find(({ from, to }) => from <= price && (price < to || to === 1))
  if (band === undefined || record === null) return null
  const { edgeLow, edgeHigh, meanEntryPrice, resolved } = record
  // Entries of one event are dependent: the error of the whole record says by how much.
  const fair = meanEntryPrice * (1 - meanEntryPrice) / resolved
  const dependence = Math.max(1, ((edgeHigh - edgeLow) / (2 * z95)) ** 2 / fair)
  const variance = band.meanEntryPrice * (1 - band.meanEntryPrice) / band.entries * dependence
  const kept = walletEdgeSpread ** 2 / (walletEdgeSpread ** 2 + variance)
  const edge = (band.winRate - band.meanEntryPrice) * kept
  return { ...band, edge, error: walletEdgeSpread * Math.sqrt(1 - kept) }
}

/** What the label points to: the wallet's own outcome, or the other one for a fade. */
export function favouredBy({ outcome, label }: LabelledEntry): 0 | 1 {
  return label === "follow" ? outcome : outcome === 0 ? 1 : 0
}

/**
 * What is left of the edge to a buyer of the favoured outcome at `price`, USD a share, at least 0, with
 * its standard error: less what the price moved since the entry, because either way the market learned
 * what the wallet did not know. Nothing outside the prices that the record is of.
 */
export function edgeLeftAt(entry: LabelledEntry, price: number) {
  const sign = entry.label === "follow" ? 1 : -1
  const band = bandOf(entry)
  const own = sign === 1 ? price : complement(price)
  if (band === null || own < band.from || own >= band.to) return { edge: 0, error: 0 }
  return { edge: Math.max(0, sign * band.edge - Math.abs(own - entry.price)), error: band.error }
}

/** `Keen-Glacier (follow: a winning record) bought Yes at 0.646 for $3,419, 6 days ago.` */
export function positionFact(about: About, position: LabelledPosition, now: EpochMs): NewFact {
  return factOf(
    "whale",
    position.wallet,
    phrase`${walletOf(position)} (${word("label", position.label)}: a ${
      position.label === "follow" ? "winning" : "losing"
    } record) bought ${outcomeOf(about, position.outcome)} at ${
      price("entryPrice", position.price)
    } for ${usd("stake", position.stakeUsd)}, ${duration("age", now - position.firstFillAt)} ago.`,
  )
}

/** Its name without the address, which the fact is about. */
const walletOf = ({ name }: LabelledPosition) => named("wallet", name.replace(/ \(0x[^)]*\)$/, ""))

/** A smaller edge is none, USD a share. */
const edgeMin = 0.0005

/**
 * `Keen-Glacier won 150 of 166 earlier settled entries at 0.50 to 0.75, for 0.607 on average; by that alone, less luck, the price since and the fee, a buyer of Yes at 0.65 gains 1.9 cents a share.`
 * Of what its label points to, `cost` is the price with the fee. Null without such entries.
 */
export function walletRecordFact(
  about: About,
  position: LabelledPosition,
  { ask, breakEven: cost }: { readonly ask: number | null; readonly breakEven: number | null },
  mid: number,
): NewFact | null {
  const band = bandOf(position)
  if (band === null) return null
  const side = outcomeOf(unnamed(about), favouredBy(position))
  const { edge } = edgeLeftAt(position, mid)
  const left = edge + mid - (cost ?? mid)
  const fee = cost === null ? " and the price since" : ", the price since and the fee"
  const asked = ask === null || cost === null ? phrase`` : phrase` at ${price("ask", ask)}`
  return factOf(
    "record",
    position.wallet,
    phrase`${walletOf(position)} won ${part("won", band.winRate * band.entries)} ${
      count("reference", band.entries, "earlier settled entry", "earlier settled entries")
    } at ${price("bandLow", band.from)} to ${price("bandHigh", band.to)}, for ${
      rounded("meanPrice", band.meanEntryPrice)
    } on average; by that alone, less luck${fee}, a buyer of ${side}${asked} gains ${
      left < edgeMin ? "nothing" : phrase`${cents("edge", left)} a share`
    }.`,
  )
}

/** From so many wallets without a label, with this share of their stakes on one side, they say something. */
const telling = { wallets: 3, share: 0.75 } as const

/** One line for the wallets without a label; null without any, or where they say nothing. */
export function otherWalletsFact(
  about: About,
  others: ReadonlyArray<Pick<WalletPosition, "wallet" | "outcome" | "stakeUsd">>,
  isComplete: boolean,
  isAlways = false,
): NewFact | null {
  const wallets = new Set(others.map(({ wallet }) => wallet)).size
  const stakes = ([0, 1] as const).map((side) =>
    others.filter(({ outcome }) => outcome === side).reduce((sum, it) => sum + it.stakeUsd, 0)
  )
  const all = stakes.reduce((sum, stake) => sum + stake, 0)
  const isTelling = wallets >= telling.wallets && Math.max(...stakes) >= telling.share * all
  if (wallets === 0 || !isAlways && !isTelling) return null
  const sides = ([0, 1] as const).filter((outcome) => (stakes[outcome] ?? 0) > 0).map((outcome) => {
    const side = outcomeOf(unnamed(about), outcome, `outcome${outcome + 1}`)
    return phrase`${usd(`stake${outcome + 1}`, stakes[outcome] ?? 0)} of ${side}`
  })
  const counted = phrase`${isComplete ? "" : "The largest "}${
    count(
      "wallets",
      wallets,
      "tracked wallet without a label holds",
      "tracked wallets without a label hold",
    )
  }`
  const held = all === 0 ? "hardly anything" : listed(sides)
  return factOf("whale", about.slug, phrase`${counted} ${held}, at cost.`)
}

/** How many of the tracked wallets have been read. */
export interface WalletsRead {
  readonly tracked: number
  readonly read: number
}

/** Only of the wallets that were read. `isMade`: market makers have positions. */
export function noWalletFact(
  about: About,
  { tracked, read }: WalletsRead,
  isMade: boolean,
): NewFact {
  return factOf(
    "whale",
    about.slug,
    tracked === 0
      ? phrase`No wallet is tracked.`
      : isMade
      ? phrase`The tracked wallets with the largest stakes here are market makers.`
      : phrase`Of ${count("wallets", read, "tracked wallet")} none opened a position here${
        read < tracked
          ? phrase`; ${
            count("unread", tracked - read, "more has not been read", "more have not been read")
          }`
          : phrase``
      }.`,
  )
}
