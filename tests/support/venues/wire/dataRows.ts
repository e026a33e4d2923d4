/**
 * The simulated world in the Data API's format (version 2): trades, wallets' activity and
 * resolutions.
 *
 * @module
 */
import { type EpochMs, isoTime, second } from "../../../../src/core/domain/time.ts"
import type { World, WorldClock } from "../../../../src/venues/simulated/world.ts"
import type { Activity, ActivityKind } from "../../../../src/venues/simulated/activity.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { hex, mix, uniform } from "../../../../src/venues/simulated/seed.ts"
import type { Fill } from "../../../../src/venues/simulated/tape.ts"
import type { Wallet } from "../../../../src/venues/simulated/wallets.ts"
import type { Json } from "./gamma.ts"

/** The wallets with names, by address; noise traders have none. */
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

/** The venue's activity types. */
const types: { readonly [K in ActivityKind]: string } = {
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

export function typeOf(activity: Activity): string {
  return types[activity.kind]
}

/** One activity row. Only the USD of a taker's trade include fees. */
export function activityRow(clock: WorldClock, activity: Activity): Json {
  const { wallet, market, outcome, kind } = activity
  const trades = kind === "buy" || kind === "sell"
  const bare = outcome === null || isBare(activity.size)
  const rate = trades && activity.role === "taker" ? market?.takerFeeRate ?? 0 : 0
  const fee = activity.size * rate * activity.price * (1 - activity.price)
  return {
    proxy_wallet: wallet.address,
    timestamp: Math.floor(clock.fromWorld(activity.at) / second),
    condition_id: market?.id ?? "",
    type: typeOf(activity),
    size: activity.size,
    usdc_size: Math.round((activity.usd + (kind === "buy" ? fee : -fee)) * 1e6) / 1e6,
    transaction_hash: activity.transaction,
    price: activity.price,
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

/** The venue sends some rows without event and outcome index. */
function isBare(size: number): boolean {
  return size % 1 < 0.2
}

/** The oracle's record of a market. Resolved and unresolved rows have different time formats. */
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
  const { publishedAt, settledAt, source } = world.ending(market)
  const payouts = world.publishedPayouts(market, at)
  if (payouts !== undefined) {
    const changedAt = isoTime(clock.fromWorld(at >= settledAt ? settledAt : publishedAt))
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

/** A price in the oracle's units of 1e-18; 69 means none. */
function weiOf(price: number | null): string {
  return price === null ? "69" : String(BigInt(Math.round(price * 100)) * 10n ** 16n)
}
