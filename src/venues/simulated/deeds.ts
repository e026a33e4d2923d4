/**
 * The rows that the venue shows of what wallets do: of their plans, and of money that comes and goes
 * without any market.
 *
 * @module
 */
import { day, type EpochMs, second } from "../../core/domain/time.ts"
import { lotsPerShare, type Plan, type PlannedMove, rowsOf } from "./episodes.ts"
import type { SimulatedMarket } from "./lives.ts"
import { hex, type Key, mix, pick, uniform } from "./seed.ts"
import type { Fill } from "./tape.ts"
import type { Wallet } from "./wallets.ts"

export type DeedKind = PlannedMove["kind"] | "redeem" | Windfall

/** Money that comes or goes without shares: no act. */
const windfalls = ["reward", "deposit", "maker_rebate"] as const
type Windfall = (typeof windfalls)[number]

/** One row of a wallet's activity. */
export interface Deed {
  readonly kind: DeedKind
  readonly wallet: Wallet
  readonly market: SimulatedMarket | null
  /** Null where the venue names no token, as in a split or a redemption. */
  readonly outcome: 0 | 1 | null
  /** Shares; of a windfall, USD. */
  readonly size: number
  readonly price: number
  readonly usd: number
  readonly role: "taker" | "maker"
  readonly at: EpochMs
  readonly transaction: string
}

/** Every row of a plan, oldest first. */
export function deedsOf(plan: Plan): ReadonlyArray<Deed> {
  const { wallet, market, key, redemption } = plan
  const deeds: Array<Deed> = []
  for (const [index, move] of plan.moves.entries()) {
    const trades = move.kind === "buy" || move.kind === "sell"
    for (const [piece, { at, lots }] of rowsOf(move).entries()) {
      const size = lots / lotsPerShare
      deeds.push({
        kind: move.kind,
        wallet,
        market,
        outcome: trades || move.kind === "convert" ? move.outcome : null,
        size,
        price: trades ? move.price : 0,
        usd: Math.round(size * (trades ? move.price : 1) * 1e6) / 1e6,
        role: move.role,
        at,
        transaction: transactionOf(mix(mix(key, 40 + index), move.alike ? 0 : piece)),
      })
    }
  }
  if (redemption !== null) {
    deeds.push({
      kind: "redeem",
      wallet,
      market,
      outcome: null,
      size: redemption.lots / lotsPerShare,
      price: 0,
      usd: redemption.usd,
      role: "taker",
      at: redemption.at,
      transaction: transactionOf(mix(key, 39)),
    })
  }
  return deeds
}

/** The tape's row of a deed, where it is a trade. */
export function fillOf(deed: Deed): ReadonlyArray<Fill> {
  const { kind, market, outcome, price, size, at, role, wallet, transaction } = deed
  if ((kind !== "buy" && kind !== "sell") || market === null || outcome === null) return []
  return [{
    ...{ marketId: market.id, tokenId: market.tokenIds[outcome], side: kind },
    ...{ price, size, at, role, wallet: wallet.address, transaction },
  }]
}

/** Share of a wallet's days on which money comes or goes; makers are paid on most days. */
const windfallShare = 0.05
const makersShare = 0.7

/** The rows of a wallet's day (a number of days since the epoch) that are about no market. */
export function windfallsOf(wallet: Wallet, date: number): ReadonlyArray<Deed> {
  const key = mix(mix(wallet.key, 41), date)
  const makes = wallet.group.habit === "market_maker" || wallet.group.habit === "interval_maker"
  if (uniform(key) >= (makes ? makersShare : windfallShare)) return []
  const usd = Math.round(uniform(mix(key, 1)) * 10_000) / 100
  return [{
    kind: makes ? "maker_rebate" : pick(mix(key, 2), windfalls),
    wallet,
    market: null,
    outcome: null,
    size: usd,
    price: 0,
    usd,
    role: "taker",
    at: date * day + Math.floor(uniform(mix(key, 3)) * day / second) * second,
    transaction: transactionOf(mix(key, 4)),
  }]
}

function transactionOf(key: Key): string {
  return `0x${hex(key, 64)}`
}
