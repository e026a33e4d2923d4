/**
 * The simulated world in the Data API's spelling (its second version): trades, and what wallets did.
 *
 * @module
 */
import { day, type EpochMs, isoTime, second } from "../../domain/time.ts"
import { exact, midOf } from "./books.ts"
import type { Json } from "./gammaWire.ts"
import type { SimulatedMarket } from "./lives.ts"
import { hex, mix, uniform } from "./seed.ts"
import type { Fill } from "./tape.ts"
import type { WorldClock } from "./clock.ts"
import type { Wallet } from "./wallets.ts"
import type { World } from "./world.ts"

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
  // The venue leaves some rows without their event and outcome number.
  const bare = fill.size % 1 < 0.2
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

/** What a wallet did in `[from, to]`, newest first: its purchases, and its redemptions. */
export function activityRows(
  world: World,
  clock: WorldClock,
  names: WalletBook,
  wallet: Wallet,
  range: { readonly from: EpochMs; readonly to: EpochMs },
): ReadonlyArray<Json> {
  const fills = world.fillsOf(wallet, range, Infinity)
  const rows = fills.map((fill) => ({
    at: fill.at,
    row: {
      ...tradeRow(world, clock, names, fill),
      type: "TRADE",
      usdc_size: Math.round(fill.size * fill.price * 1e6) / 1e6,
    } as Json,
  }))
  // What is redeemed in the range was bought up to the longest life before it.
  const [, longestDays] = world.options.lifeDays
  const held = new Map<string, { shares: number; market: SimulatedMarket; paidOut: number }>()
  for (const entry of world.truth.entries(wallet, range.from - longestDays * day, range.to)) {
    const { market } = entry
    if (market.resolvedAt < range.from || market.resolvedAt > range.to) continue
    for (const fill of entry.fills) {
      const outcome = market.tokenIds[0] === fill.tokenId ? 0 : 1
      const known = held.get(market.id) ?? { shares: 0, market, paidOut: 0 }
      known.shares += fill.size
      known.paidOut += fill.size * (world.truth.payouts(market)?.[outcome] ?? 0)
      held.set(market.id, known)
    }
  }
  for (const { shares, market, paidOut } of held.values()) {
    if (paidOut > 0) rows.push({ at: market.resolvedAt, row: redemption(shares, paidOut, market) })
  }
  return rows.sort((a, b) => b.at - a.at).map(({ row }) => row)

  function redemption(shares: number, paidOut: number, market: SimulatedMarket): Json {
    return {
      proxy_wallet: wallet.address,
      timestamp: Math.floor(clock.fromWorld(market.resolvedAt) / second),
      condition_id: market.id,
      type: "REDEEM",
      size: Math.round(shares * 100) / 100,
      usdc_size: Math.round(paidOut * 100) / 100,
      transaction_hash: `0x${hex(mix(market.key, 400 + wallet.number), 64)}`,
      price: 0,
      token_id: "",
      side: "",
      outcome_index: 999,
      title: market.question,
      slug: market.slug,
      icon: "",
      event_slug: market.eventSlug,
      outcome: "",
      name: wallet.userName,
      pseudonym: wallet.pseudonym,
      bio: "",
      profile_image: "",
      profile_image_optimized: "",
    }
  }
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
  if (at >= market.resolvedAt) {
    const resolvedAt = isoTime(clock.fromWorld(market.resolvedAt)).replace(".000Z", "Z")
    const payouts = world.truth.payouts(market)
    return {
      ...shared,
      status: "resolved",
      transaction_hash: "",
      log_index: "",
      last_update_timestamp: resolvedAt,
      ...(payouts === null ? {} : { payouts: payouts.map((share) => share * 1_000_000) }),
      resolution_source: "reported",
      was_arbitrated: false,
      resolved_block: 90_000_000 + market.key % 5_000_000,
      resolved_at: resolvedAt,
    }
  }
  const proposed = at >= market.proposedAt
  const yes = world.truth.probability(market, market.closesAt)
  return {
    ...shared,
    question_id: `0x${hex(mix(market.key, 202), 64)}`,
    status: proposed ? "proposed" : "initialized",
    proposed_price: proposed ? String(BigInt(Math.round(yes * 2)) * 5n * 10n ** 17n) : "69",
    reproposed_price: "69",
    price: "69",
    transaction_hash: `0x${hex(mix(market.key, 203), 64)}`,
    log_index: String(uniform(mix(market.key, 204)) * 1_000 | 0),
    last_update_timestamp: String(
      Math.floor(clock.fromWorld(proposed ? market.proposedAt : market.opensAt) / second),
    ),
    ...(proposed
      ? {
        expected_settlement_time: isoTime(clock.fromWorld(market.resolvedAt)),
        settlement_time_basis: "managed_proposal_expiration",
      }
      : {}),
  }
}

/** Worth of everything a wallet bought in `[from, to]`, at `to`. */
export function standing(world: World, wallet: Wallet, from: EpochMs, to: EpochMs) {
  let pnl = 0
  let volume = 0
  for (const fill of world.fillsOf(wallet, { from, to }, Infinity)) {
    pnl += fill.size * (priceOf(world, fill, to) - fill.price)
    volume += fill.size
  }
  return { wallet, pnl, volume }
}

/** A token's price now, or what it paid. */
export function priceOf(world: World, fill: Fill, at: EpochMs): number {
  const market = world.catalogue.byId(fill.marketId)
  if (market === undefined) return 0
  const outcome = market.tokenIds[0] === fill.tokenId ? 0 : 1
  if (at >= market.resolvedAt) return world.truth.payouts(market)?.[outcome] ?? 0
  const quote = world.quote(market, at)
  const first = quote === null ? 0.5 : midOf(quote)
  return outcome === 0 ? first : exact(1 - first)
}
