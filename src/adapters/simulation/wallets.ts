/**
 * Wallets of known skill: who they are, and every entry they make.
 *
 * A wallet that enters at price q is right with probability q + edge. It is told the outcome by the
 * world and uses it just that often, so that its edge at the prices it paid is exact on average and
 * its picks look like anybody's.
 *
 * @module
 */
import type { MarketId, TokenId } from "../../domain/market.ts"
import { day, type EpochMs, minute, second } from "../../domain/time.ts"
import { exact, type Quote } from "./books.ts"
import type { Catalogue } from "./catalogue.ts"
import type { SimulatedMarket } from "./lives.ts"
import { gaussian, hex, type Key, mix, pick, uniform } from "./seed.ts"
import type { Fill } from "./tape.ts"

export type Habit = "bettor" | "market_maker" | "hedger" | "sweeper"

/** Wallets alike. */
export interface WalletGroup {
  readonly count: number
  readonly habit: Habit
  /** Points of probability above the price paid: 0.08 is eight points; negative loses. */
  readonly edge: number
  readonly entriesPerDay: number
  /** Entry prices stay within these. */
  readonly prices: readonly [number, number]
  /** Chance that an entry goes into the market of the one before it. */
  readonly repeatShare: number
  readonly medianStakeUsd: number
}

export interface Wallet {
  readonly number: number
  readonly address: string
  readonly pseudonym: string
  /** A leaderboard name: sometimes none, sometimes the address with a number after it. */
  readonly userName: string
  readonly group: WalletGroup
}

/** One purchase by a wallet, of one or more fills, held to resolution. */
export interface PlannedEntry {
  readonly wallet: Wallet
  readonly market: SimulatedMarket
  readonly outcome: 0 | 1
  readonly price: number
  readonly at: EpochMs
  readonly fills: ReadonlyArray<Fill>
}

/** What wallets see of the world, and what only the world knows. */
export interface WalletView {
  readonly catalogue: Catalogue
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
}

export const defaultGroups: ReadonlyArray<WalletGroup> = [
  group("bettor", 12, 0.08, [0.2, 0.8], 3),
  group("bettor", 50, 0, [0.05, 0.93], 3),
  group("bettor", 14, -0.06, [0.2, 0.8], 3),
  { ...group("bettor", 10, 0, [0.1, 0.9], 4), repeatShare: 0.6 },
  { ...group("market_maker", 6, 0, [0.05, 0.95], 60), medianStakeUsd: 150 },
  group("hedger", 6, 0, [0.2, 0.8], 4),
  group("sweeper", 4, 0, [0.95, 0.999], 12),
]

const adjectives = "Brisk Calm Dusty Early Fabled Gentle Hollow Idle Jolly Keen Lucid Mellow".split(
  " ",
)
const nouns = "Anchor Barrel Comet Dune Ember Falcon Glacier Harbor Island Jetty Kettle Lantern"
  .split(" ")
/** Seats a wallet looks at before it lets a chance pass. */
const looks = 12

export function makeWallets(seed: number, groups: ReadonlyArray<WalletGroup>): Array<Wallet> {
  const wallets: Array<Wallet> = []
  for (const members of groups) {
    for (let i = 0; i < members.count; i++) {
      const number = wallets.length
      const key = mix(mix(0xa11e7, seed), number)
      const address = `0x${hex(key, 40)}`
      const pseudonym = `${pick(mix(key, 11), words(adjectives))}-${
        pick(mix(key, 12), words(nouns))
      }`
      const name = uniform(mix(key, 13))
      const userName = name < 0.2
        ? ""
        : name < 0.4
        ? `${address}-17${number}`
        : `${pseudonym}${number}`
      wallets.push({ number, address, pseudonym, userName, group: members })
    }
  }
  return wallets
}

/** Which chance to enter of `wallet` falls into an instant. */
export function chanceAt(wallet: Wallet, at: EpochMs): number {
  return Math.floor(at / chanceMs(wallet))
}

/** The entry a wallet makes at its `index`-th chance; a hedger's second leg belongs to the first. */
export function entryAt(
  seed: number,
  view: WalletView,
  wallet: Wallet,
  index: number,
): PlannedEntry | null {
  const key = mix(mix(mix(0xe27, seed), wallet.number), index)
  const length = chanceMs(wallet)
  const at = Math.floor((index + uniform(mix(key, 1))) * length / second) * second
  const repeats = uniform(mix(key, 2)) < wallet.group.repeatShare
  const aim = repeats ? mix(mix(mix(0xe27, seed), wallet.number), Math.floor(index / 4)) : key
  for (let look = 0; look < looks; look++) {
    const seat = Math.floor(uniform(mix(aim, 20 + look)) * view.catalogue.seats)
    const market = view.catalogue.at(seat, at)
    if (market.kind === "mechanical" || market.bookHabit !== "sound") continue
    const quote = view.quote(market, at)
    if (quote === null || quote.fault !== "none" || quote.dislocated) continue
    const outcome = choose(view, wallet, market, quote, at, mix(key, 3))
    if (outcome === null) continue
    const price = costOf(quote, outcome)
    return {
      wallet,
      market,
      outcome,
      price,
      at,
      fills: fillsOf(wallet, market, quote, outcome, key, at),
    }
  }
  return null
}

function chanceMs(wallet: Wallet): number {
  return Math.max(minute, day / wallet.group.entriesPerDay)
}

/** Which outcome to buy, or null when neither is at a price the wallet pays. */
function choose(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
  quote: Quote,
  at: EpochMs,
  key: Key,
): 0 | 1 | null {
  const [low, high] = wallet.group.prices
  const fits = (outcome: 0 | 1) => costOf(quote, outcome) >= low && costOf(quote, outcome) <= high
  if (wallet.group.habit === "sweeper") {
    const favourite = costOf(quote, 0) > 0.5 ? 0 : 1
    return fits(favourite) ? favourite : null
  }
  if (!fits(0) || !fits(1) || at >= market.closesAt) return null
  const truth = view.probability(market, at)
  const spread = costOf(quote, 0) + costOf(quote, 1) - 1
  const edge = wallet.group.edge + spread / 2
  const payout = view.payouts(market)?.[0] ?? 0.5
  const lean = payout === 1 ? edge / (2 * truth) : payout === 0 ? -edge / (2 * (1 - truth)) : 0
  return uniform(key) < 0.5 + lean ? 0 : 1
}

/** What a share of an outcome costs a taker. */
function costOf(quote: Quote, outcome: 0 | 1): number {
  return outcome === 0
    ? quote.askTicks / quote.ticksPerUsd
    : exact(1 - quote.bidTicks / quote.ticksPerUsd)
}

/** One to four fills at one price; some are alike in every field, as they are on the chain. */
function fillsOf(
  wallet: Wallet,
  market: SimulatedMarket,
  quote: Quote,
  outcome: 0 | 1,
  key: Key,
  at: EpochMs,
): ReadonlyArray<Fill> {
  const legs = wallet.group.habit === "hedger" || wallet.group.habit === "market_maker" ? 2 : 1
  const stakeUsd = wallet.group.medianStakeUsd * Math.exp(0.9 * gaussian(mix(key, 40)))
  const pieces = 1 + mix(key, 41) % 4
  const trades: Array<Fill> = []
  for (let leg = 0; leg < legs; leg++) {
    const token: 0 | 1 = leg === 0 ? outcome : outcome === 0 ? 1 : 0
    const price = costOf(quote, token)
    const stake = leg === 0 ? stakeUsd : stakeUsd / costOf(quote, outcome) * price
    const size = Math.max(5, Math.round(stake / price / pieces * 100) / 100)
    const alike = uniform(mix(key, 42)) < 0.4
    for (let piece = 0; piece < pieces; piece++) {
      trades.push(fill(market.id, market.tokenIds[token], wallet.address, {
        price,
        size,
        at: at + (alike ? 0 : piece * 2 * second) + leg * 4 * minute,
        transaction: `0x${hex(mix(mix(key, 50 + leg), alike ? 0 : piece), 64)}`,
      }))
    }
  }
  return trades
}

function fill(
  marketId: MarketId,
  tokenId: TokenId,
  wallet: string,
  rest: Pick<Fill, "price" | "size" | "at" | "transaction">,
): Fill {
  return { marketId, tokenId, side: "buy", role: "taker", wallet, ...rest }
}

function group(
  habit: Habit,
  count: number,
  edge: number,
  prices: readonly [number, number],
  entriesPerDay: number,
): WalletGroup {
  return { habit, count, edge, prices, entriesPerDay, repeatShare: 0, medianStakeUsd: 700 }
}

function words(list: ReadonlyArray<string>): readonly [string, ...ReadonlyArray<string>] {
  const [first = "Plain", ...rest] = list
  return [first, ...rest]
}
