/**
 * Invented rows in Polymarket's wire format, and an HTTP client with scripted responses.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { RequestLimits } from "../../../src/venues/polymarket/requests.ts"
import { refusalOf } from "./requestRules.ts"

/** The time of the invented rows. */
export const recordedAt = Date.parse("2026-11-20T12:00:00.000Z")

type Fields = Readonly<Record<string, unknown>>

/** Token ids are decimal numbers of about 77 digits; these contain the market's number. */
export function tokenId(market: number, outcome: 0 | 1): string {
  return `${outcome + 1}${String(market).padStart(12, "0")}`.padEnd(77, "7")
}

export function conditionId(market: number): string {
  return `0x${market.toString(16).padStart(64, "0")}`
}

/** The listing's row of a live, binary, ordinary market. */
export function gammaRow(market = 1, fields: Fields = {}): Fields {
  return {
    id: String(500_000 + market),
    question: `Will lighthouse ${market} be lit in December?`,
    conditionId: conditionId(market),
    slug: `will-lighthouse-${market}-be-lit-in-december`,
    resolutionSource: "",
    endDate: "2026-12-31T12:00:00Z",
    startDate: "2026-10-01T09:00:00.123456Z",
    description: "Resolves to Yes if the keeper says so.",
    outcomes: '["Yes", "No"]',
    outcomePrices: '["0.42", "0.58"]',
    volume: "123456.789",
    volumeNum: 123456.789,
    liquidity: "9876.5",
    liquidityNum: 9876.5,
    volume24hr: 4321.5,
    active: true,
    closed: false,
    archived: false,
    acceptingOrders: true,
    enableOrderBook: true,
    updatedAt: "2026-11-20T11:59:30.5Z",
    questionID: `0x${"ab".repeat(32)}`,
    clobTokenIds: JSON.stringify([tokenId(market, 0), tokenId(market, 1)]),
    bestBid: 0.41,
    bestAsk: 0.43,
    spread: 0.02,
    lastTradePrice: 0.42,
    oneHourPriceChange: -0.01,
    umaResolutionStatuses: "[]",
    negRisk: false,
    feeType: "culture_fees",
    feesEnabled: true,
    feeSchedule: { exponent: 1, rate: 0.05, takerOnly: true, rebateRate: 0.25 },
    events: [{
      id: "90001",
      slug: "which-lighthouses-in-december",
      title: "Which lighthouses in December?",
      series: [],
    }],
    ...fields,
  }
}

export function bookRow(market = 1, fields: Fields = {}): Fields {
  return {
    market: conditionId(market),
    asset_id: tokenId(market, 0),
    timestamp: String(recordedAt - 1_500),
    hash: "00112233445566778899aabbccddeeff00112233",
    bids: [{ price: "0.39", size: "800" }, { price: "0.41", size: "250.5" }],
    asks: [{ price: "0.46", size: "900" }, { price: "0.43", size: "300" }],
    min_order_size: "5",
    tick_size: "0.01",
    neg_risk: false,
    last_trade_price: "0.42",
    ...fields,
  }
}

export function tradeRow(market = 1, fields: Fields = {}): Fields {
  return {
    proxy_wallet: "0x00000000000000000000000000000000000000aa",
    side: "BUY",
    token_id: tokenId(market, 0),
    condition_id: conditionId(market),
    size: 120.5,
    price: 0.42,
    timestamp: recordedAt / 1_000 - 60,
    title: "Will lighthouse 1 be lit in December?",
    slug: "will-lighthouse-1-be-lit-in-december",
    icon: "",
    event_slug: "",
    outcome: "Yes",
    outcome_index: 999,
    name: "keeper",
    pseudonym: "Steady-Lantern",
    bio: "",
    profile_image: "",
    profile_image_optimized: "",
    transaction_hash: `0x${"cd".repeat(32)}`,
    ...fields,
  }
}

/** A wallet's activity row in the Data API: a purchase, unless `fields` changes it. */
export function activityRow(market = 1, fields: Fields = {}): Fields {
  return { ...tradeRow(market), type: "TRADE", usdc_size: 51.2, ...fields }
}

/** The oracle's record of a market that its first outcome won. */
export function recordRow(market = 1, fields: Fields = {}): Fields {
  return {
    condition_id: conditionId(market),
    status: "resolved",
    extended_review: false,
    was_disputed: false,
    new_version_q: false,
    transaction_hash: "",
    log_index: "",
    last_update_timestamp: "2026-11-10T21:19:19Z",
    payouts: [1_000_000, 0],
    resolution_source: "reported",
    was_arbitrated: false,
    resolved_block: 93_522_484,
    resolved_at: "2026-11-10T21:19:19Z",
    ...fields,
  }
}

/** A wallet's row on a leaderboard. */
export function leaderboardRow(rank = 1, fields: Fields = {}): Fields {
  return {
    rank,
    user_id: `0x${String(rank).padStart(40, "0")}`,
    pnl: 2_492.8,
    volume: 12_942.5,
    user_name: "keeper",
    profile_image: "",
    x_username: "",
    verified: false,
    ...fields,
  }
}

/** A closed market's page at the exchange; `winner` is the token that won. */
export function pageRow(market = 1, winner: string | null = null, fields: Fields = {}): Fields {
  const token = (outcome: 0 | 1) => ({
    outcome: outcome === 0 ? "Yes" : "No",
    price: 0,
    token_id: tokenId(market, outcome),
    winner: tokenId(market, outcome) === winner,
  })
  return {
    condition_id: conditionId(market),
    closed: true,
    is_50_50_outcome: false,
    tokens: [token(0), token(1)],
    ...fields,
  }
}

/** Rates so high that a test never waits for its slot. */
export const unpaced: RequestLimits["perTenSeconds"] = {
  listing: 10_000,
  books: 10_000,
  history: 10_000,
  trades: 10_000,
  activity: 10_000,
  leaderboard: 10_000,
  resolutions: 10_000,
  facts: 10_000,
  page: 10_000,
}

/**
 * An HTTP client whose responses come from `answer`; `body` is the request's body. A request that the
 * venue would refuse gets status 400.
 */
export function scriptedClient(
  answer: (url: URL, body: string) => Response | Effect.Effect<Response>,
): HttpClient.HttpClient {
  return HttpClient.make((request, url) => {
    const answered = Effect.suspend(() => {
      const bytes = request.body._tag === "Uint8Array" ? request.body.body : undefined
      const sent = new TextDecoder().decode(bytes)
      const refusal = refusalOf(request.method, url, sent)
      if (refusal !== null) return Effect.succeed(new Response(refusal, { status: 400 }))
      const response = answer(url, sent)
      return Effect.isEffect(response) ? response : Effect.succeed(response)
    })
    return Effect.map(
      answered,
      (response) => HttpClientResponse.fromWeb(request, response),
    )
  })
}
