/**
 * The simulated world in Gamma's format: numbers and arrays as strings, missing fields.
 *
 * @module
 */
import { day, type EpochMs, hour, isoTime } from "../../../../src/core/domain/time.ts"
import { midOf, roundPrice } from "../../../../src/venues/simulated/books.ts"
import type { World } from "../../../../src/venues/simulated/world.ts"
import type { WorldClock } from "./clock.ts"
import type { SimulatedMarket } from "../../../../src/venues/simulated/catalogue.ts"
import { rulesOf } from "../../../../src/venues/simulated/endings.ts"
import { hex, mix, pick, uniform } from "../../../../src/venues/simulated/seed.ts"

export type Json = { readonly [key: string]: unknown }

/** One row of the listing. */
export function gammaMarket(
  world: World,
  clock: WorldClock,
  market: SimulatedMarket,
  at: EpochMs,
): Json {
  const { id, slug, key } = market
  const listed = world.listed(market, at)
  const numbers = numbersOf(world, market, at)
  const closed = at >= market.resolvedAt
  const iso = (instant: EpochMs) => isoTime(clock.fromWorld(instant)).replace(".000Z", "Z")
  const missing = (chance: number, salt: number) => uniform(mix(key, 200 + salt)) < chance
  const fee = listed.takerFeeRate ?? 0
  return {
    id: gammaId(market),
    question: market.question,
    conditionId: id,
    slug,
    resolutionSource: "",
    ...(market.listedEndsAt === null ? {} : { endDate: iso(market.listedEndsAt) }),
    startDate: isoTime(clock.fromWorld(market.opensAt + 1_234)),
    image: "https://example.invalid/market.png",
    icon: "https://example.invalid/market.png",
    description: rulesOf(market),
    outcomes: JSON.stringify(market.outcomes),
    outcomePrices: JSON.stringify(pricesOf(world, market, at).map(String)),
    volume: String(listed.volumeUsd),
    liquidity: String(listed.liquidityUsd),
    active: true,
    closed,
    ...(closed ? { closedTime: spaced(iso(market.resolvedAt)) } : {}),
    ...(listed.gameStartsAt === null
      ? {}
      : { gameStartTime: spaced(iso(listed.gameStartsAt)), sportsMarketType: "moneyline" }),
    marketMakerAddress: "",
    createdAt: isoTime(clock.fromWorld(market.opensAt)),
    updatedAt: isoTime(clock.fromWorld(at)),
    new: false,
    featured: false,
    archived: false,
    resolvedBy: missing(0.2, 0) ? "" : `0x${hex(mix(key, 201), 40)}`,
    restricted: true,
    groupItemThreshold: "0",
    questionID: missing(0.05, 1) ? "" : `0x${hex(mix(key, 202), 64)}`,
    enableOrderBook: true,
    orderPriceMinTickSize: numbers.tick,
    orderMinSize: 5,
    ...(missing(0.1, 2) ? {} : { volumeNum: listed.volumeUsd }),
    ...(missing(0.1, 2) ? {} : { liquidityNum: listed.liquidityUsd }),
    hasReviewedDates: true,
    [missing(0.05, 3) ? "volume24hrClob" : "volume24hr"]: listed.volume24hUsd,
    clobTokenIds: JSON.stringify(market.tokenIds),
    makerBaseFee: 1000,
    takerBaseFee: 1000,
    acceptingOrders: !closed,
    negRisk: market.rivals > 0,
    category: null,
    events: [eventOf(market, listed.volumeUsd, closed, iso)],
    ready: false,
    funded: false,
    cyom: false,
    approved: true,
    rewardsMinSize: 50,
    rewardsMaxSpread: 4.5,
    ...(missing(0.38, 4) || numbers.hourChange === null
      ? {}
      : { oneHourPriceChange: numbers.hourChange }),
    ...(missing(0.15, 5) || numbers.dayChange === null
      ? {}
      : { oneDayPriceChange: numbers.dayChange }),
    ...(numbers.lastPrice === null ? {} : { lastTradePrice: numbers.lastPrice }),
    ...(listed.listed === null || closed
      ? { bestAsk: numbers.lastPrice ?? 1 }
      : { ...listed.listed, spread: roundPrice(listed.listed.bestAsk - listed.listed.bestBid) }),
    ...statusOf(market, at),
    rfqEnabled: false,
    feesEnabled: fee > 0,
    feeType: fee > 0 ? `${market.category.toLowerCase()}_fees` : null,
    ...(fee > 0
      ? { feeSchedule: { exponent: 1, rate: fee, takerOnly: true, rebateRate: 0.25 } }
      : {}),
  }
}

/** A time as the venue writes some of them: `2026-02-07 18:00:00+00`. */
const spaced = (iso: string) => iso.replace("T", " ").replace("Z", "+00")

/** Gamma's short id; it grows with the generation, unlike the condition id. */
function gammaId(market: SimulatedMarket): string {
  return String((market.generation + 10_000_000) * 10_000_000 + market.slot)
}

function eventId(market: SimulatedMarket): string {
  return String(100_000 + market.eventKey % 900_000)
}

function statusOf(market: SimulatedMarket, at: EpochMs): Json {
  if (at < market.proposedAt) return { umaResolutionStatuses: "[]" }
  if (at < market.resolvedAt) {
    return { umaResolutionStatus: "proposed", umaResolutionStatuses: '["proposed"]' }
  }
  return market.end === "cancelled"
    ? { umaResolutionStatus: "", umaResolutionStatuses: "[]" }
    : { umaResolutionStatus: "resolved", umaResolutionStatuses: '["proposed"]' }
}

/** Of a few markets the oracle's record never has the payouts, and of some of these the listing neither. */
export function payoutSource(market: SimulatedMarket): "oracle" | "listing" | "book" {
  const silent = market.end === "decided" && uniform(mix(market.key, 84)) < 0.1
  return silent ? pick(mix(market.key, 86), ["listing", "book"]) : "oracle"
}

/** Once it is paid out, the payouts; 0 and 0 when there are none or the listing does not have them. */
function pricesOf(world: World, market: SimulatedMarket, at: EpochMs): readonly [number, number] {
  if (at >= market.resolvedAt) {
    return payoutSource(market) === "book" ? [0, 0] : world.truth.payouts(market) ?? [0, 0]
  }
  const quote = world.quote(market, at)
  const price = quote === null ? 0.5 : midOf(quote)
  return [price, roundPrice(1 - price)]
}

function numbersOf(world: World, market: SimulatedMarket, at: EpochMs) {
  const priceAt = (instant: EpochMs) => {
    const quote = world.quote(market, instant)
    return quote === null ? null : midOf(quote)
  }
  const now = priceAt(Math.min(at, market.resolvedAt - 1))
  const change = (ago: number) => {
    const before = priceAt(at - ago)
    return now === null || before === null ? null : roundPrice(now - before)
  }
  const fine = world.quote(market, at)?.ticksPerUsd === 1_000
  return {
    tick: fine ? 0.001 : 0.01,
    lastPrice: now,
    hourChange: change(hour),
    dayChange: change(day),
  }
}

function eventOf(
  market: SimulatedMarket,
  volumeUsd: number,
  closed: boolean,
  iso: (at: EpochMs) => string,
): Json {
  return {
    id: eventId(market),
    ticker: market.eventSlug,
    slug: market.eventSlug,
    title: market.eventTitle,
    description: "",
    resolutionSource: "",
    startDate: iso(market.opensAt),
    ...(market.listedEndsAt === null ? {} : { endDate: iso(market.listedEndsAt) }),
    active: true,
    closed,
    archived: false,
    volume: volumeUsd,
    openInterest: 0,
    negRisk: market.rivals > 0,
    commentCount: 0,
    tags: tagsOf(market),
  }
}

function tagsOf(market: SimulatedMarket): ReadonlyArray<Json> {
  return ["All", market.category].map((label, index) => ({
    id: String(100 + index),
    label,
    slug: label.toLowerCase().replaceAll(" ", "-"),
  }))
}
