/**
 * What wallets hold in a simulated world, in the Data API's spelling: a row for each token they bought.
 *
 * @module
 */
import { day, type EpochMs, isoTime, second } from "../../core/domain/time.ts"
import { exact, midOf } from "./books.ts"
import type { WorldClock } from "./clock.ts"
import { heldAfter, lotsPerShare, type Plan } from "./episodes.ts"
import { eventId, type Json } from "./gammaWire.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

/** Positions opened longer ago are not shown. */
const reachMs = 60 * day

/** What each filter lets through; what is redeemable was not handed in, mostly as it paid nothing. */
const statusesOf: { readonly [filter: string]: ReadonlyArray<unknown> } = {
  OPEN: ["OPEN", "REDEEMABLE"],
  REDEEMABLE: ["REDEEMABLE"],
  REDEEMABLE_LOST: ["REDEEMABLE"],
  CLOSED: ["CLOSED"],
}

export function positions(
  world: World,
  clock: WorldClock,
  query: URLSearchParams,
  wallet: Wallet | undefined,
  at: EpochMs,
): ReadonlyArray<Json> {
  if (wallet === undefined) return []
  const rows = world.truth.plans(wallet, { from: at - reachMs, to: at })
    .flatMap((plan) =>
      ([0, 1] as const).flatMap((outcome) => position(world, clock, plan, outcome, at))
    )
  const wanted = statusesOf[query.get("status") ?? ""]
  return wanted === undefined ? rows : rows.filter((row) => wanted.includes(row["status"]))
}

function position(
  world: World,
  clock: WorldClock,
  { wallet, market, moves, redemption }: Plan,
  outcome: 0 | 1,
  at: EpochMs,
): ReadonlyArray<Json> {
  const bought = moves.filter((move) =>
    move.kind === "buy" && move.outcome === outcome && move.at <= at
  )
  const [newest] = bought.toReversed()
  if (newest === undefined) return []
  const shares = bought.reduce((sum, { lots }) => sum + lots, 0) / lotsPerShare
  const cost = bought.reduce((sum, { lots, price }) => sum + lots * price, 0) / lotsPerShare
  const over = redemption !== null && redemption.at <= at
  const held = over ? 0 : (heldAfter(moves, at)[outcome] ?? 0) / lotsPerShare
  const paid = world.told(market, at)
  const price = paid === undefined ? priceOf(world, market, outcome, at) : paid?.[outcome] ?? 0
  const gain = shares * price - cost
  const seconds = (instant: EpochMs) => Math.floor(clock.fromWorld(instant) / second)
  return [{
    proxy_wallet: wallet.address,
    token_id: market.tokenIds[outcome],
    condition_id: market.id,
    current_size: held,
    avg_price: Math.round(cost / shares * 1e4) / 1e4,
    entry_cost_usdc: held === 0 ? 0 : cost,
    entry_fees_usdc: 0,
    total_cost_usdc: cost,
    current_price: price,
    current_value: held * price,
    total_size: shares,
    realized_pnl: held === 0 ? gain : 0,
    unrealized_pnl: held === 0 ? 0 : gain,
    total_pnl: gain,
    percent_pnl: percent(gain, cost),
    percent_realized_pnl: held === 0 ? percent(gain, cost) : 0,
    status: held === 0 ? "CLOSED" : paid === undefined ? "OPEN" : "REDEEMABLE",
    redeemable: held > 0 && paid !== undefined,
    mergeable: false,
    negative_risk: false,
    archived: false,
    title: market.question,
    slug: market.slug,
    icon: "",
    event_id: eventId(market),
    event_slug: market.eventSlug,
    outcome: market.outcomes[outcome],
    outcome_index: outcome,
    opposite_outcome: market.outcomes[1 - outcome],
    opposite_token_id: market.tokenIds[1 - outcome],
    end_date: isoTime(clock.fromWorld(market.endsAt)).slice(0, 10),
    first_entry_at: seconds(Math.min(...bought.map((move) => move.at))),
    last_event_at: seconds(over ? redemption.at : newest.at),
    name: wallet.userName,
    profile_image: "",
    verified: false,
  }]
}

function priceOf(world: World, market: Plan["market"], outcome: 0 | 1, at: EpochMs): number {
  const quote = world.quote(market, Math.min(at, market.resolvedAt - 1))
  const first = quote === null ? 0.5 : midOf(quote)
  return outcome === 0 ? first : exact(1 - first)
}

function percent(part: number, whole: number): number {
  return Math.round(part / whole * 1e6) / 1e4
}
