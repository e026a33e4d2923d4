/**
 * The simulated world in the Data API's spelling (its second version): trades, wallets' activity,
 * resolutions and positions.
 *
 * @module
 */
import { day, type EpochMs, isoTime, second } from "../../../../src/core/domain/time.ts"
import { exact, midOf } from "../../../../src/venues/simulated/books.ts"
import type { WorldClock } from "../../../../src/venues/simulated/clock.ts"
import type { Deed, DeedKind } from "../../../../src/venues/simulated/deeds.ts"
import { heldAfter, lotsPerShare, type Plan } from "../../../../src/venues/simulated/episodes.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/lives.ts"
import { hex, mix, uniform } from "../../../../src/venues/simulated/seed.ts"
import type { Fill } from "../../../../src/venues/simulated/tape.ts"
import type { Wallet } from "../../../../src/venues/simulated/wallets.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import { eventId, type Json } from "./gamma.ts"

/** A tape row's names: known wallets have them, strangers a pair of words at most. */
export type WalletBook = ReadonlyMap<string, Wallet>

export function tradeRow(
  world: World,
  clock: WorldClock,
  names: WalletBook,
  fill: Fill,
): Json {
  const market = world.catalogue.byId(fill.marketId)
  const outcome = market?.tokenIds[0] === fill.tokenId ? 0 : 1
  const wallet = names.get(fill.wallet)
  const bare = isBare(fill.size)
  return {
    proxy_wallet: fill.wallet,
    side: fill.side.toUpperCase(),
    token_id: fill.tokenId,
    condition_id: fill.marketId,
    size: fill.size,
    price: fill.price,
    timestamp: Math.floor(clock.fromWorld(fill.at) / second),
    title: market?.question ?? "",
    slug: market?.slug ?? "",
    icon: "",
    event_slug: bare ? "" : market?.eventSlug ?? "",
    outcome: market?.outcomes[outcome] ?? "",
    outcome_index: bare ? 999 : outcome,
    name: wallet?.userName ?? "",
    pseudonym: wallet?.pseudonym ?? "",
    bio: "",
    profile_image: "",
    profile_image_optimized: "",
    transaction_hash: fill.transaction,
  }
}

/** The venue's words for what is no trade. */
const types: { readonly [K in DeedKind]: string } = {
  buy: "TRADE",
  sell: "TRADE",
  split: "SPLIT",
  merge: "MERGE",
  redeem: "REDEEM",
  convert: "CONVERSION",
  reward: "REWARD",
  deposit: "DEPOSIT",
  maker_rebate: "MAKER_REBATE",
}

/** Which of the venue's types a row is of. */
export function typeOf(deed: Deed): string {
  return types[deed.kind]
}

/** One row of what a wallet did. Fees are in the USD of a taker's trade, and nowhere else. */
export function activityRow(clock: WorldClock, deed: Deed): Json {
  const { wallet, market, outcome, kind } = deed
  const trades = kind === "buy" || kind === "sell"
  const bare = outcome === null || isBare(deed.size)
  const rate = trades && deed.role === "taker" ? market?.takerFeeRate ?? 0 : 0
  const fee = deed.size * rate * deed.price * (1 - deed.price)
  return {
    proxy_wallet: wallet.address,
    timestamp: Math.floor(clock.fromWorld(deed.at) / second),
    condition_id: market?.id ?? "",
    type: typeOf(deed),
    size: deed.size,
    usdc_size: Math.round((deed.usd + (kind === "buy" ? fee : -fee)) * 1e6) / 1e6,
    transaction_hash: deed.transaction,
    price: deed.price,
    token_id: outcome === null ? "" : market?.tokenIds[outcome] ?? "",
    side: trades ? kind.toUpperCase() : "",
    outcome_index: bare ? 999 : outcome,
    title: market?.question ?? "",
    slug: market?.slug ?? "",
    icon: "",
    event_slug: bare ? "" : market?.eventSlug ?? "",
    outcome: outcome === null ? "" : market?.outcomes[outcome] ?? "",
    name: wallet.userName,
    pseudonym: wallet.pseudonym,
    bio: "",
    profile_image: "",
    profile_image_optimized: "",
  }
}

/** The venue leaves some rows without their event and outcome number. */
function isBare(size: number): boolean {
  return size % 1 < 0.2
}

/** What the oracle says of a market. Its two kinds of row spell times in two ways. */
export function resolutionRow(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): Json {
  const shared = {
    condition_id: market.id,
    extended_review: false,
    was_disputed: false,
    new_version_q: false,
  }
  const { toldAt, settledAt, source } = world.ending(market)
  const payouts = world.told(market, at)
  if (payouts !== undefined) {
    const changedAt = isoTime(clock.fromWorld(at >= settledAt ? settledAt : toldAt))
      .replace(".000Z", "Z")
    return {
      ...shared,
      status: "resolved",
      transaction_hash: "",
      log_index: "",
      last_update_timestamp: changedAt,
      ...(payouts === null || source !== "oracle"
        ? {}
        : { payouts: payouts.map((share) => share * 1_000_000) }),
      resolution_source: "reported",
      was_arbitrated: false,
      resolved_block: 90_000_000 + market.key % 5_000_000,
      resolved_at: changedAt,
    }
  }
  const proposal = world.proposal(market, at)
  return {
    ...shared,
    question_id: `0x${hex(mix(market.key, 202), 64)}`,
    status: proposal?.status ?? "initialized",
    ...(proposal === null || proposal.status === "proposed" ? {} : { was_disputed: true }),
    proposed_price: weiOf(proposal?.first ?? null),
    reproposed_price: weiOf(proposal?.second ?? null),
    price: weiOf(null),
    transaction_hash: `0x${hex(mix(market.key, 203), 64)}`,
    log_index: String(uniform(mix(market.key, 204)) * 1_000 | 0),
    last_update_timestamp: String(
      Math.floor(clock.fromWorld(proposal?.changedAt ?? market.opensAt) / second),
    ),
    ...(proposal === null || proposal.settlesAt === null ? {} : {
      expected_settlement_time: isoTime(clock.fromWorld(proposal.settlesAt)),
      settlement_time_basis: proposal.status === "disputed"
        ? "dvm_round_estimate"
        : "managed_proposal_expiration",
    }),
  }
}

/** A price in the oracle's units of 1e-18; 69 of them for none. */
function weiOf(price: number | null): string {
  return price === null ? "69" : String(BigInt(Math.round(price * 100)) * 10n ** 16n)
}

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
