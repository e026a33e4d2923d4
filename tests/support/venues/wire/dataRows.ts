/**
 * The simulated world in the Data API's format (version 2): trades, wallets' activity and
 * resolutions.
 *
 * @module
 */
import { type EpochMs, isoTime, second } from "../../../../src/core/domain/time.ts"
import type { Trade } from "../../../../src/markets/domain/market.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import type { WorldClock } from "./clock.ts"
import type { Activity } from "../../../../src/venues/simulated/wallets.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { hex, mix, uniform } from "../../../../src/venues/simulated/seed.ts"
import { type Json, payoutSource } from "./gamma.ts"

export function tradeRow(world: World, clock: WorldClock, fill: Trade): Json {
  const market = world.catalogue.byId(fill.marketId)
  if (market === undefined) throw new Error("A fill is of a market of the world")
  return {
    proxy_wallet: fill.wallet,
    side: fill.side.toUpperCase(),
    ...fillRow(clock, market, market.tokenIds[0] === fill.tokenId ? 0 : 1, fill),
    name: "",
    pseudonym: "",
  }
}

/** One activity row. Only its USD include fees. */
export function activityRow(clock: WorldClock, activity: Activity): Json {
  const { wallet, market, outcome, kind, size, price } = activity
  const fee = size * market.takerFeeRate * price * (1 - price)
  return {
    proxy_wallet: wallet.address,
    type: "TRADE",
    usdc_size: Math.round((size * price + (kind === "buy" ? fee : -fee)) * 1e6) / 1e6,
    side: kind.toUpperCase(),
    ...fillRow(clock, market, outcome, activity),
    name: wallet.userName,
    pseudonym: wallet.pseudonym,
  }
}

/** What the rows of trades and of activity share. */
function fillRow(
  clock: WorldClock,
  market: SimulatedMarket,
  outcome: 0 | 1,
  fill: Pick<Trade, "size" | "price" | "at" | "transaction">,
): Json {
  const bare = isBare(fill.size)
  return {
    token_id: market.tokenIds[outcome],
    condition_id: market.id,
    size: fill.size,
    price: fill.price,
    timestamp: Math.floor(clock.fromWorld(fill.at) / second),
    title: market.question,
    slug: market.slug,
    icon: "",
    event_slug: bare ? "" : market.eventSlug,
    outcome: market.outcomes[outcome],
    outcome_index: bare ? 999 : outcome,
    bio: "",
    profile_image: "",
    profile_image_optimized: "",
    transaction_hash: fill.transaction,
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
  if (at >= market.resolvedAt) {
    const changedAt = isoTime(clock.fromWorld(market.resolvedAt)).replace(".000Z", "Z")
    const payouts = world.truth.payouts(market)
    return {
      ...shared,
      status: "resolved",
      transaction_hash: "",
      log_index: "",
      last_update_timestamp: changedAt,
      ...(payouts === null || payoutSource(market) !== "oracle"
        ? {}
        : { payouts: payouts.map((share) => share * 1_000_000) }),
      resolution_source: "reported",
      was_arbitrated: false,
      resolved_block: 90_000_000 + market.key % 5_000_000,
      resolved_at: changedAt,
    }
  }
  const proposal = world.proposal(market, at)
  const disputed = proposal?.disputed === true
  const named = proposal === null ? null : market.end === "decided" ? 1 - proposal.outcome : 0.5
  return {
    ...shared,
    question_id: `0x${hex(mix(market.key, 202), 64)}`,
    status: proposal === null ? "initialized" : disputed ? "reproposed" : "proposed",
    ...(disputed ? { was_disputed: true } : {}),
    proposed_price: weiOf(disputed && named !== null ? 1 - named : named),
    reproposed_price: weiOf(disputed ? named : null),
    price: weiOf(null),
    transaction_hash: `0x${hex(mix(market.key, 203), 64)}`,
    log_index: String(uniform(mix(market.key, 204)) * 1_000 | 0),
    last_update_timestamp: String(
      Math.floor(clock.fromWorld(proposal?.proposedAt ?? market.opensAt) / second),
    ),
    ...(proposal === null ? {} : {
      expected_settlement_time: isoTime(clock.fromWorld(proposal.settlesAt ?? at)),
      settlement_time_basis: "managed_proposal_expiration",
    }),
  }
}

/** A price in the oracle's units of 1e-18; 69 means none. */
function weiOf(price: number | null): string {
  return price === null ? "69" : String(BigInt(Math.round(price * 100)) * 10n ** 16n)
}
