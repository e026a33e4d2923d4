/**
 * Wallets of known skill: their names, which of them trade in which markets, and what they do there.
 *
 * A wallet that enters at price q wins with probability q + edge. To reach that, it chooses the side with
 * the help of the hidden outcome, exactly as often as needed. So the edge at the prices paid is exact on
 * average, and the choices look like those of any other wallet. What it does depends only on wallet and
 * market: one entry, which it holds.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import { type Quote, roundPrice } from "./books.ts"
import type { Catalogue, SimulatedMarket } from "./catalogue.ts"
import { makeMemo } from "./memo.ts"
import type { WalletGroup, WorldOptions } from "./options.ts"
import { between, gaussian, hex, type Key, mix, pick, uniform } from "./seed.ts"
import { wordOf } from "./words.ts"

export interface Wallet {
  readonly number: number
  /** The key of all draws about the wallet. */
  readonly key: Key
  /** Lower case. */
  readonly address: string
  readonly pseudonym: string
  /** The leaderboard name: may be empty, or the address followed by a number. */
  readonly userName: string
  readonly group: WalletGroup
}

export function makeWallets(
  seed: number,
  groups: ReadonlyArray<WalletGroup>,
): ReadonlyArray<Wallet> {
  const members = groups.flatMap((group) => Array.from({ length: group.count }, () => group))
  return members.map((group, number) => {
    const key = mix(mix(0xa11e7, seed), number)
    const address = `0x${hex(key, 40)}`
    const pseudonym = `${wordOf(mix(key, 11), "adjectives")}-${wordOf(mix(key, 12), "nouns")}`
    const userName = pick(mix(key, 13), ["", `${address}-17${number}`, `${pseudonym}${number}`])
    return { number, key: mix(key, 14), address, pseudonym, userName, group }
  })
}

/** The wallets of every leaderboard: the more skilled first, or those of the larger stakes. */
export function rankedWallets(
  wallets: ReadonlyArray<Wallet>,
  by: "profit" | "volume",
): ReadonlyArray<Wallet> {
  const volume = ({ entriesPerDay, medianStakeUsd }: WalletGroup) => entriesPerDay * medianStakeUsd
  return wallets.toSorted(({ group: a }, { group: b }) =>
    by === "volume" ? volume(b) - volume(a) : b.edge - a.edge
  )
}

/** One row of a wallet's activity. */
export interface Activity {
  readonly kind: "buy" | "sell"
  readonly wallet: Wallet
  readonly market: SimulatedMarket
  readonly outcome: 0 | 1
  /** Shares. */
  readonly size: number
  readonly price: number
  readonly at: EpochMs
  readonly transaction: string
}

/** The parts of the world that planning needs, hidden ones included. */
interface WalletView {
  readonly quote: (market: SimulatedMarket, at: EpochMs) => Quote | null
  readonly probability: (market: SimulatedMarket, at: EpochMs) => number
  readonly payouts: (market: SimulatedMarket) => readonly [number, number] | null
}

/** What a wallet does in `[from, to]`, newest first. */
type ActivityLog = (
  wallet: Wallet,
  range: { readonly from: EpochMs; readonly to: EpochMs },
) => ReadonlyArray<Activity>

export function makeActivityLog(
  options: WorldOptions,
  catalogue: Catalogue,
  view: WalletView,
  wallets: ReadonlyArray<Wallet>,
): ActivityLog {
  const beganAt = options.origin - options.walletDays * day
  let opened: ReturnType<typeof openingsOf> | null = null
  const cached = makeMemo<ReadonlyArray<Activity>>()

  const takesPart = (wallet: Wallet, market: SimulatedMarket): boolean => {
    const { key, group } = wallet
    const enteredAt = entryTimeOf(wallet, market)
    if (enteredAt < beganAt || (group.daily === true && !market.daily)) return false
    if (group.edge === 0 && enteredAt >= options.livelyFrom) return true
    // Counted at the first use: that makes every market, and the service's start does not need it.
    opened ??= openingsOf(options, catalogue)
    const openedPerDay = group.daily === true ? opened.daily : opened.all
    return uniform(mix(mix(key, market.key), 8)) * openedPerDay < group.entriesPerDay
  }
  const entriesIn = (market: SimulatedMarket): ReadonlyArray<Activity> =>
    cached(
      market.number,
      () =>
        wallets.flatMap((wallet) => takesPart(wallet, market) ? entryOf(view, wallet, market) : []),
    )

  return (wallet, { from, to }) => {
    const found: Array<Activity> = []
    for (let slot = 0; slot < catalogue.slots; slot++) {
      const last = catalogue.at(slot, to).generation
      const first = catalogue.at(slot, Math.max(from, beganAt)).generation
      for (let n = first; n <= last; n++) {
        const rows = entriesIn(catalogue.generation(slot, n))
        found.push(...rows.filter((row) => row.wallet === wallet && row.at >= from && row.at <= to))
      }
    }
    return found.sort((a, b) => b.at - a.at)
  }
}

/** Markets that open in a day. */
function openingsOf({ origin }: WorldOptions, catalogue: Catalogue) {
  const live = Array.from({ length: catalogue.slots }, (_, slot) => catalogue.at(slot, origin))
  const perDay = (markets: ReadonlyArray<SimulatedMarket>) =>
    markets.reduce((sum, { opensAt, resolvedAt }) => sum + day / (resolvedAt - opensAt), 0)
  return { all: perDay(live), daily: perDay(live.filter(({ daily }) => daily)) }
}

/** Times a wallet tries to enter a market, and the fraction of the market's life between them. */
const attemptsMax = 4
const attemptSpacing = 0.07
/** An entry is at least this long before trading ends. */
const lastEntryMs = 30 * second
/** The smallest order. */
const sharesMin = 5

/** When a wallet that trades in a market tries to enter it for the first time. */
function entryTimeOf(wallet: Wallet, market: SimulatedMarket): EpochMs {
  const share = between(mix(mix(wallet.key, market.key), 1), 0, 0.9)
  return market.opensAt + share * (market.closesAt - lastEntryMs - market.opensAt)
}

/**
 * The purchase of a wallet in a market in which it trades; none when no price there is within its limits. Both outcomes must be within them: whether it enters must not depend on the side
 * that it chooses, which is drawn with the hidden outcome.
 */
function entryOf(
  view: WalletView,
  wallet: Wallet,
  market: SimulatedMarket,
): ReadonlyArray<Activity> {
  const until = market.closesAt - lastEntryMs
  const [low, high] = wallet.group.prices
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const later = attempt * attemptSpacing * (until - market.opensAt)
    const at = Math.ceil((entryTimeOf(wallet, market) + later) / second) * second
    const quote = at < until ? view.quote(market, at) : null
    if (quote === null) continue
    const isWithin = ([0, 1] as const).map((outcome) => costOf(quote, outcome))
      .every((cost) => cost >= low && cost <= high)
    if (!isWithin) continue
    const key = mix(wallet.key, market.key)
    const outcome = sideOf(view, wallet, market, at, quote)
    const price = costOf(quote, outcome)
    const stakeUsd = wallet.group.medianStakeUsd * Math.exp(0.9 * gaussian(mix(key, 20)))
    const size = Math.max(sharesMin, Math.round(stakeUsd / price * 10) / 10)
    const transaction = `0x${hex(mix(key, 23), 64)}`
    return [{ ...{ kind: "buy", wallet, market, outcome, price, size, at }, transaction }]
  }
  return []
}

/**
 * Draws the outcome that the wallet buys. Given all that it has seen, both are equally likely; the hidden
 * outcome biases the draw by exactly so much that the mean edge, at the prices paid, is the wallet's edge.
 */
function sideOf(
  view: WalletView,
  { key, group }: Wallet,
  market: SimulatedMarket,
  at: EpochMs,
  quote: Quote,
): 0 | 1 {
  const truth = view.probability(market, at)
  const edge = group.edge + (costOf(quote, 0) + costOf(quote, 1) - 1) / 2
  const payout = view.payouts(market)?.[0] ?? 0.5
  const bias = payout === 1 ? edge / (2 * truth) : payout === 0 ? -edge / (2 * (1 - truth)) : 0
  return uniform(mix(mix(key, market.key), 10)) < 0.5 + bias ? 0 : 1
}

/** The price at which an outcome is bought; it is sold at 1 minus the price of the other. */
export function costOf(quote: Quote, outcome: 0 | 1): number {
  return outcome === 0
    ? quote.askTicks / quote.ticksPerUsd
    : roundPrice(1 - quote.bidTicks / quote.ticksPerUsd)
}
