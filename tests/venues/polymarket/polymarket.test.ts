/**
 * The decoders of the listing, books, price histories and trades.
 *
 * @module
 */
import { Arbitrary, Result, Schema } from "effect"
import { decodeBook, decodeHistory } from "../../../src/venues/polymarket/clob.ts"
import { decodeTrade, decodeTrades } from "../../../src/venues/polymarket/data.ts"
import { decodeMarket, decodeMarkets } from "../../../src/venues/polymarket/gamma.ts"
import { instant, text, textCharsMax } from "../../../src/venues/polymarket/wire.ts"
import { type Market, MarketId } from "../../../src/markets/domain/market.ts"
import { day } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import {
  bookRow,
  conditionId,
  gammaRow,
  recordedAt,
  tokenId,
  tradeRow,
} from "../../support/venues/polymarket.ts"
import { equal } from "../../support/venues/scriptedVenue.ts"

function market(fields: Readonly<Record<string, unknown>>): Market {
  return Result.getOrThrow(decodeMarket(gammaRow(1, fields)))
}

function rejection(fields: Readonly<Record<string, unknown>>): string {
  const decoded = decodeMarket(gammaRow(1, fields))
  return Result.isFailure(decoded) ? decoded.failure : "none"
}

const anyJson = Arbitrary.schema(Schema.Json)

law(
  "the decoders never throw and never lose count, whatever the row",
  Arbitrary.array(anyJson),
  (rows) => {
    const markets = decodeMarkets(rows)
    const trades = decodeTrades(rows, null)
    rows.forEach((row) => decodeBook(row, recordedAt))
    rows.forEach((row) => decodeHistory(row))
    for (const { rows: decodedRows, rejected } of [markets, trades]) {
      equal(decodedRows.length + Object.values(rejected).reduce((a, b) => a + b, 0), rows.length)
    }
  },
)

const anyDamage = Arbitrary.array(
  Arbitrary.all([Arbitrary.schema(Schema.Literals(Object.keys(gammaRow()))), anyJson]),
)

law(
  "decodeMarket() turns a damaged row into a valid market, or rejects it",
  anyDamage,
  (damage) => {
    const decoded = decodeMarket(gammaRow(1, Object.fromEntries(damage)))
    if (Result.isFailure(decoded)) return true
    const { listed, volumeUsd, liquidityUsd, takerFeeRate, tokenIds, question } = decoded.success
    return volumeUsd >= 0 && liquidityUsd >= 0 &&
      (takerFeeRate === null || (takerFeeRate >= 0 && takerFeeRate <= 1)) &&
      tokenIds[0] !== tokenIds[1] && question.length > 0 && question.length <= textCharsMax &&
      (listed === null || (listed.bestBid < listed.bestAsk && listed.bestBid >= 0))
  },
)

law(
  "text() returns no hidden characters and is bounded",
  Arbitrary.schema(Schema.String),
  (value) => {
    const cleaned = text(`${value}\u202e\u0007\u{e0041}\u200b${value}`.repeat(3))
    return cleaned.length <= textCharsMax && cleaned.isWellFormed() && cleaned === text(cleaned) &&
      !/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u.test(cleaned)
  },
)

Deno.test("decodeMarket() rejects a row whose slug and id are both no slug", () => {
  equal(rejection({ slug: "no slug", conditionId: "#1" }), "bad_slug")
  equal(market({ slug: "no slug" }).slug, conditionId(1))
})

Deno.test("decodeMarket() reads an ordinary row", () => {
  equal(market({}), {
    id: conditionId(1),
    slug: "will-lighthouse-1-be-lit-in-december",
    question: "Will lighthouse 1 be lit in December?",
    eventSlug: "which-lighthouses-in-december",
    url: "https://polymarket.com/event/which-lighthouses-in-december/" +
      "will-lighthouse-1-be-lit-in-december",
    category: "Culture",
    outcomes: ["Yes", "No"],
    tokenIds: [tokenId(1, 0), tokenId(1, 1)],
    endsAt: Date.parse("2026-12-31T12:00:00Z"),
    createdAt: null,
    rulesDates: [],
    gameStartsAt: null,
    eventKey: "which-lighthouses-in-december",
    exclusive: false,
    takerFeeRate: 0.05,
    volumeUsd: 123456.789,
    volume24hUsd: 4321.5,
    liquidityUsd: 9876.5,
    status: "open",
    listed: { bestBid: 0.41, bestAsk: 0.43 },
    mechanical: null,
  })
})

Deno.test("decodeMarket() reads a fee of 0 only where the row says so", () => {
  const rateOf = (fields: Record<string, unknown>) => market(fields).takerFeeRate
  const schedule = { exponent: 1, rate: 0.05, takerOnly: true }
  equal(rateOf({ feeSchedule: JSON.stringify(schedule) }), 0.05)
  equal(rateOf({ feeSchedule: { rate: "0.07" } }), 0.07)
  equal(rateOf({ feeSchedule: null, feesEnabled: false }), 0)
  equal(rateOf({ feeSchedule: { rate: 0 } }), 0)
  const unknown: ReadonlyArray<unknown> = [
    ...[null, undefined, "", "{", "5%", [], { rate: 500 }, { rate: -1 }, { rate: null }],
    ...[{ ...schedule, exponent: 2 }, { ...schedule, exponent: "x" }, { exponent: 1 }],
  ]
  for (const feeSchedule of unknown) equal(rateOf({ feeSchedule }), null)
})

Deno.test("decodeMarket() reads the creation, and the dates of the rules of a question with a number", () => {
  const read = market({
    question: "Finch out by March 31?",
    createdAt: "2026-01-10T09:00:00.123456Z",
    description: "Resolves to Yes if Finch leaves by March 31, 2026, 11:59 PM ET.",
  })
  equal(read.createdAt, Date.parse("2026-01-10T09:00:00.123Z"))
  equal(read.rulesDates, [Date.UTC(2026, 2, 31)])
})

Deno.test("decodeMarket() needs only the essential fields", () => {
  const essential = ["conditionId", "slug", "question", "outcomes", "clobTokenIds"]
  const live = ["active", "acceptingOrders"]
  const bare = Object.fromEntries(
    Object.entries(gammaRow()).filter(([name]) => [...essential, ...live].includes(name)),
  )
  const decoded = Result.getOrThrow(decodeMarket(bare))
  equal([decoded.volumeUsd, decoded.listed, decoded.endsAt, decoded.category], [
    0,
    null,
    null,
    null,
  ])
  equal(decoded.eventSlug, decoded.slug)
})

Deno.test("decodeMarket() returns the first reason why a row is not a live market", () => {
  equal(rejection({ conditionId: "" }), "missing_id")
  equal(rejection({ question: "\u200b " }), "missing_question")
  equal(rejection({ outcomes: '["A", "B", "C"]' }), "not_binary")
  equal(rejection({ marketType: "scalar" }), "not_binary")
  equal(rejection({ clobTokenIds: "[]" }), "missing_tokens")
  equal(rejection({ clobTokenIds: '["7", "7"]' }), "missing_tokens")
  equal(rejection({ clobTokenIds: `[${tokenId(1, 0)}, ${tokenId(1, 1)}]` }), "missing_tokens")
  equal(rejection({ closed: true }), "closed")
  equal(rejection({ active: false }), "inactive")
  equal(rejection({ acceptingOrders: undefined }), "not_accepting_orders")
})

Deno.test("decodeMarket() calls a market live while it trades, whatever its scheduled end", () => {
  const overdue = { endDate: new Date(recordedAt - 400 * day).toISOString() }
  const noBook = { bestBid: 0, bestAsk: 1 }
  const silent = { ...noBook, volume24hr: 0 }
  for (const end of [{}, overdue, { endDate: undefined, endDateIso: undefined }]) {
    equal(rejection({ ...end, volume24hr: 0 }), "none")
    equal(rejection({ ...end, ...noBook, volume24hr: 0.01 }), "none")
    equal(rejection({ ...end, ...noBook, volume24hr: undefined, volume24hrClob: 3 }), "none")
    equal(rejection({ ...end, ...silent }), "not_traded")
    equal(rejection({ ...end, ...silent, bestAsk: 0.02 }), "not_traded")
    equal(rejection({ ...end, ...silent, bestBid: 0.98 }), "not_traded")
    equal(rejection({ ...end, ...silent, bestBid: 0.6, bestAsk: 0.4 }), "not_traded")
    equal(rejection({ ...end, ...noBook, volume24hr: undefined }), "not_traded")
    const unsaid = { volume24hr: undefined, bestBid: undefined, bestAsk: undefined }
    equal(rejection({ ...end, ...unsaid }), "none")
  }
})

const slugs = [
  "will-the-beacon-be-lit-by-june-30-2026-".padEnd(255, "699-664-723-485-"),
  "wta-frech-zvonare-2026-02-07-first-set-winner-Frech-vs-Zvonareva",
  "terry-stotts-next-lakers-head-coach-35w_",
  "will-the-new-empire-gross-between-57.5m-65m-opening-weekend",
  "7",
]

Deno.test("decodeMarket() keeps every slug of the venue as it is spelled", () => {
  for (const slug of slugs) {
    equal(market({ slug }).slug, slug)
    const ofEvent = market({ events: [{ slug }] })
    equal([ofEvent.eventSlug, ofEvent.eventKey], [slug, slug.toLowerCase()])
    equal(market({ slug, events: [] }).url, `https://polymarket.com/event/${slug}`)
  }
})

const unusable = ["", "Not A Slug", "-a", "../etc", "a/b", "ä", "a".repeat(256), 7, null, undefined]

Deno.test("decodeMarket() drops no market for its name: its id is its slug", () => {
  const event = "which-lighthouses-in-december"
  for (const slug of unusable) {
    const named = market({ slug })
    equal([named.slug, named.eventSlug], [conditionId(1), event])
    equal(named.url, `https://polymarket.com/event/${event}`)
    const alone = market({ slug, events: [{ slug }] })
    equal([alone.slug, alone.eventSlug], [conditionId(1), conditionId(1)])
    equal(alone.url, "https://polymarket.com")
  }
  const event7 = market({ slug: "A-b", events: [{ slug: "not a slug" }] })
  equal([event7.slug, event7.eventSlug], ["A-b", "A-b"])
})

law(
  "any slug that fits the pattern comes back unchanged, and a market has one in any case",
  Arbitrary.all([
    Arbitrary.schema(Schema.String),
    Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/))),
  ]),
  ([any, fitting]) =>
    market({ slug: fitting }).slug === fitting &&
    (market({ slug: any }).slug === any || market({ slug: any }).slug === conditionId(1)),
)

Deno.test("decodeMarket() reads the start of a game only of a market about a game", () => {
  const start = { gameStartTime: "2026-02-07 18:00:00+00" }
  const game = Date.parse("2026-02-07T18:00:00Z")
  equal(market(start).gameStartsAt, null)
  equal(market({ ...start, sportsMarketType: "moneyline" }).gameStartsAt, game)
  equal(market({ ...start, secondsDelay: 3 }).gameStartsAt, game)
  equal(market({ ...start, feeType: "sports_fees_v2" }).gameStartsAt, game)
  equal(
    market({ ...start, events: [{ slug: "lighthouses", gameId: 90113693 }] }).gameStartsAt,
    game,
  )
  equal(market({ gameStartTime: "soon", sportsMarketType: "moneyline" }).gameStartsAt, null)
})

Deno.test("decodeMarket() gives the parts of one game one key", () => {
  const keyOf = (event: Readonly<Record<string, unknown>>, row = {}) =>
    market({ events: [event], ...row }).eventKey
  const slug = "uel-qar-csk1-2026-07-23"
  const main = { id: "714547", slug, gameId: 90113693 }
  const part = { id: "714692", parentEventId: 714547 }
  equal(keyOf(main), slug)
  // Half of the parts have no id of the game, and the venue adds names of parts.
  equal(keyOf({ ...part, slug: `${slug}-more-markets`, gameId: 90113693 }), slug)
  equal(keyOf({ ...part, slug: `${slug}-more-markets` }), slug)
  equal(keyOf({ ...part, slug: `${slug}-a-part-of-next-year` }), slug)
  equal(keyOf({ slug: `${slug}-exact-score` }), slug)
  // The row of one map of a match has the map's id.
  const match = { id: "715089", slug: "cs2-m8-pain-2026-07-23" }
  equal(keyOf(match, { gameId: "223471" }), match.slug)
  // Without a date the id of the main event decides.
  equal(keyOf({ ...main, slug: "final-of-the-cup" }), "event:714547")
  equal(keyOf({ ...part, slug: "cup-final-props" }), "event:714547")
  equal(market({ events: [] }).eventKey, "will-lighthouse-1-be-lit-in-december")
})

Deno.test("decodeMarket() gives the prices of coins in one window one key", () => {
  const btc = { slug: "btc-updown-5m-1773307200", endDate: "2026-12-12T09:25:00Z", events: [] }
  const eth = { slug: "eth-updown-15m-1773307500", endDate: "2026-12-12T09:45:00Z", events: [] }
  equal(market(btc).eventKey, "window:crypto:2026-12-12t09")
  equal(market(eth).eventKey, "window:crypto:2026-12-12t09")
  equal(market({ ...eth, endDate: "2026-12-12T10:00:00Z" }).eventKey, "window:crypto:2026-12-12t09")
  equal(market({ ...eth, endDate: undefined }).eventKey, "eth-updown-15m-1773307500")
  const strike = { slug: "will-bitcoin-hit-150k-in-december", endDate: "2027-01-01T05:00:00Z" }
  equal(market(strike).eventKey, "window:crypto:2027-01-01")
})

Deno.test("decodeMarket() reads exclusivity from the row's negRisk, and volume of 24 hours", () => {
  equal(market({ negRisk: true }).exclusive, true)
  const event = { slug: "lighthouses", negRisk: true, enableNegRisk: true, negRiskAugmented: true }
  equal(market({ negRisk: false, events: [event] }).exclusive, false)
  equal(market({ volume24hr: undefined, volume24hrClob: "7.5" }).volume24hUsd, 7.5)
  equal(market({ volume24hr: undefined }).volume24hUsd, null)
  equal(market({ volume24hr: 0 }).volume24hUsd, 0)
})

Deno.test("decodeMarket() reads the status from the singular field only", () => {
  equal(market({ umaResolutionStatuses: '["proposed", "disputed"]' }).status, "open")
  equal(market({ umaResolutionStatus: "proposed" }).status, "proposed")
  equal(market({ umaResolutionStatus: "disputed" }).status, "proposed")
  equal(market({ umaResolutionStatus: "resolved" }).status, "resolved")
})

Deno.test("decodeMarket() lists no prices when a side is missing or they cross", () => {
  equal(market({ bestBid: undefined }).listed, null)
  equal(market({ bestBid: 0.6, bestAsk: 0.5 }).listed, null)
  equal(market({ bestBid: "0.5", bestAsk: "0.51" }).listed, { bestBid: 0.5, bestAsk: 0.51 })
})

Deno.test("decodeMarket() finds the category in the row, the tags, or the fee table", () => {
  const tags = [{ label: "Hide From New", slug: "hide-from-new" }, {
    label: "Politics",
    slug: "politics",
  }]
  equal(market({ category: "Crypto", tags }).category, "Crypto")
  equal(market({ category: null, tags }).category, "Politics")
  equal(market({ category: "", events: [{ slug: "e", tags }] }).category, "Politics")
  equal(market({ feeType: "sports_fees_v2" }).category, "Sports")
  equal(market({ feeType: "finance_prices_fees" }).category, "Finance")
  equal(market({ feeType: null }).category, null)
})

Deno.test("decodeBook() keeps every numeric level and the venue's timestamp", () => {
  const bids = [{ price: "0.4", size: 10 }, { price: "x", size: "1" }, null]
  const asks = [{ price: 0.6, size: "20" }, { price: "0.5", size: "" }]
  const book = Result.getOrThrow(decodeBook(bookRow(1, { bids, asks }), recordedAt))
  equal([book.bids, book.asks], [[{ price: 0.4, size: 10 }], [{ price: 0.6, size: 20 }]])
  equal(book.observedAt, recordedAt - 1_500)
})

Deno.test("decodeBook() never dates a book later than it was received", () => {
  const timestamp = String(recordedAt + day)
  equal(Result.getOrThrow(decodeBook(bookRow(1, { timestamp }), recordedAt)).observedAt, recordedAt)
})

Deno.test("decodeHistory() returns no points for a null history, and null for any other shape", () => {
  equal(decodeHistory({ history: null }), [])
  equal(decodeHistory({ history: [{ t: 1_795_176_000, p: "0.5" }, { t: "", p: 2 }] }), [
    { at: 1_795_176_000_000, price: 0.5 },
  ])
  // The Data API's format, as in recorded pages.
  equal([decodeHistory({ error: "no" }), decodeHistory([]), decodeHistory(null)], [
    null,
    null,
    null,
  ])
})

Deno.test("decodeTrade() reads the field names of both API versions", () => {
  const row = tradeRow()
  const old = {
    proxyWallet: row["proxy_wallet"],
    side: "BUY",
    asset: row["token_id"],
    conditionId: row["condition_id"],
    size: "120.5",
    price: "0.42",
    timestamp: row["timestamp"],
    transactionHash: row["transaction_hash"],
  }
  equal(Result.getOrThrow(decodeTrade(old)), Result.getOrThrow(decodeTrade(row)))
})

Deno.test("decodeTrades() keeps identical fills and rejects other markets", () => {
  const rows = [tradeRow(1), tradeRow(1), tradeRow(2), tradeRow(1, { side: "MERGE" })]
  const { rows: decodedRows, rejected } = decodeTrades(rows, MarketId.make(conditionId(1)))
  equal([decodedRows.length, rejected], [2, { other_market: 1, bad_side: 1 }])
})

Deno.test("instant() reads every time format of the venue", () => {
  const at = Date.parse("2026-04-05T15:10:00Z")
  equal(
    ["2026-04-05 15:10:00+00", "2026-04-05T15:10:00.000Z", at, at / 1_000, String(at)].map(instant),
    [
      at,
      at,
      at,
      at,
      at,
    ],
  )
  equal(["", null, "soon", -5, 1e300, {}].map(instant), [null, null, null, null, null, null])
  const outOfRange = [8.64e15, "+010000-01-01T00:00:00Z", "-000001-01-01T00:00:00Z"]
  equal([...outOfRange, "0001-01-01T00:00:00Z"].map(instant), [null, null, null, null])
})
