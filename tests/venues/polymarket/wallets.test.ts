/**
 * The decoders of wallets' activity, leaderboards and resolutions.
 *
 * @module
 */
import { Arbitrary, Result, Schema } from "effect"
import {
  activityPage,
  dataPage,
  decodeActivity,
  decodeLeaderboardRow,
  firstByRank,
} from "../../../src/venues/polymarket/data.ts"
import { payoutsFromPage } from "../../../src/venues/polymarket/clob.ts"
import { conditionId as readConditionId, decodeRows } from "../../../src/venues/polymarket/wire.ts"
import {
  decodeFacts,
  decodeListedResolution,
  decodeMarket,
} from "../../../src/venues/polymarket/gamma.ts"
import {
  decodeRecord,
  type FallbackPayouts,
  payoutDelayMsMax,
  recordsById,
  resolutionOf,
} from "../../../src/venues/polymarket/oracle.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { day, second } from "../../../src/core/domain/time.ts"
import { law } from "../../support/effect.ts"
import {
  activityRow,
  conditionId,
  gammaRow,
  leaderboardRow,
  pageRow,
  recordedAt,
  recordRow,
  tokenId,
} from "../../support/venues/polymarket.ts"
import { equal } from "../../support/venues/scriptedVenue.ts"

type Fields = Readonly<Record<string, unknown>>

/** The decoded value, or the rejection. */
function outcome<A>(decoded: Result.Result<A, string>): A | string {
  return Result.isSuccess(decoded) ? decoded.success : decoded.failure
}

const decodedRow = (fields: Fields) =>
  Result.map(decodeActivity(activityRow(1, fields)), ({ event }) => event)

const anyJson = Arbitrary.schema(Schema.Json)

law(
  "the decoders of wallets and resolutions never throw and never lose count",
  Arbitrary.array(anyJson),
  (rows) => {
    for (const decode of [decodeActivity, decodeLeaderboardRow, decodeRecord, decodeFacts]) {
      const { rows: decodedRows, rejected } = decodeRows<unknown>(rows, decode)
      equal(decodedRows.length + Object.values(rejected).reduce((a, b) => a + b, 0), rows.length)
    }
    for (const row of rows) {
      decodeListedResolution(row)
      payoutsFromPage(row, null)
      dataPage(row)
    }
  },
)

const damage = (row: Fields) =>
  Arbitrary.array(Arbitrary.all([Arbitrary.schema(Schema.Literals(Object.keys(row))), anyJson]))

law(
  "decodeActivity() turns a damaged row into a valid event, or rejects it",
  damage(activityRow()),
  (how) => {
    const decoded = decodedRow(Object.fromEntries(how))
    if (Result.isFailure(decoded)) return true
    const { wallet, size, price, at, kind, tokenId } = decoded.success
    const trade = kind === "buy" || kind === "sell"
    return /^0x[0-9a-f]{40}$/.test(wallet) && at % second === 0 && price >= 0 && price <= 1 &&
      (trade ? tokenId !== null && size > 0 : price === 0 && size >= 0)
  },
)

law(
  "decodeRecord() reads valid payouts from a damaged record, or none",
  damage(recordRow()),
  (how) => {
    const decoded = decodeRecord(recordRow(1, Object.fromEntries(how)))
    if (Result.isFailure(decoded) || decoded.success.state !== "paid") return true
    const [first, second] = decoded.success.payouts
    return first >= 0 && second >= 0 && Math.abs(first + second - 1) < 1e-9
  },
)

Deno.test("decodeActivity() reads a fill with its price without fees", () => {
  equal(outcome(decodeActivity(activityRow(1, { transaction_hash: `0x${"CD".repeat(32)}` }))), {
    event: {
      wallet: "0x00000000000000000000000000000000000000aa",
      marketId: conditionId(1),
      kind: "buy",
      tokenId: tokenId(1, 0),
      size: 120.5,
      price: 0.42,
      at: recordedAt - 60 * second,
      transaction: `0x${"cd".repeat(32)}`,
    },
    userName: "keeper",
    pseudonym: "Steady-Lantern",
  })
})

Deno.test("decodeActivity() reads each kind of event, with a token only when it is of one outcome", () => {
  const bare = { price: 0.7, token_id: "", side: "", outcome_index: 999, event_slug: "" }
  const read = (type: string, fields: Fields) => {
    const decoded = outcome(decodedRow({ type, ...fields }))
    return typeof decoded === "string" ? decoded : [decoded.kind, decoded.tokenId, decoded.price]
  }
  equal(read("TRADE", { side: "SELL" }), ["sell", tokenId(1, 0), 0.42])
  equal(read("SPLIT", bare), ["split", null, 0])
  equal(read("MERGE", bare), ["merge", null, 0])
  equal(read("REDEEM", bare), ["redeem", null, 0])
  equal(read("REDEEM", { side: "" }), ["redeem", null, 0])
  equal(read("REDEEM", { ...bare, size: 0 }), ["redeem", null, 0])
  equal(read("CONVERSION", bare), ["convert", null, 0])
  equal(read("CONVERSION", { side: "" }), ["convert", tokenId(1, 0), 0])
})

Deno.test("decodeActivity() returns the first reason why a row is rejected", () => {
  const reason = (fields: Fields) => outcome(decodedRow(fields))
  for (const type of ["MIGRATION", "REWARD", "MAKER_REBATE", "YIELD", "DEPOSIT", "TIP"]) {
    equal(reason({ type, condition_id: "" }), "other_type")
  }
  equal(reason({ type: "LEASE" }), "unknown_type")
  equal(reason({ type: undefined }), "unknown_type")
  equal(reason({ proxy_wallet: "keeper" }), "missing_wallet")
  equal(reason({ condition_id: "" }), "missing_id")
  equal(reason({ is_combo: true }), "combo")
  equal(reason({ condition_id: `0x03${"1".repeat(60)}` }), "combo")
  equal(reason({ timestamp: 0 }), "missing_time")
  equal(reason({ transaction_hash: "" }), "missing_transaction")
  equal(reason({ transaction_hash: "0xab" }), "missing_transaction")
  equal(reason({ side: "" }), "bad_side")
  equal(reason({ token_id: "" }), "missing_token")
  equal(reason({ price: 1.01 }), "bad_price")
  equal(reason({ size: 0 }), "bad_size")
  equal(reason({ type: "MERGE", size: 0 }), "bad_size")
})

Deno.test("activityPage() returns the wallet's events newest first, and the oldest time of all rows", () => {
  const at = (seconds: number, fields: Fields = {}) =>
    activityRow(1, { timestamp: recordedAt / second - seconds, ...fields })
  const rows = [
    at(5),
    at(3),
    at(3),
    at(9, { type: "REWARD" }),
    at(4, { user: 1, proxy_wallet: `0x${"b".repeat(40)}` }),
    at(20),
    at(99),
  ]
  const page = activityPage(
    { rows: [...rows, null, 7], next: "x", more: true },
    "0x00000000000000000000000000000000000000aa",
    { from: recordedAt - 20 * second, to: recordedAt },
  )
  equal(page.rows.map(({ event }) => (recordedAt - event.at) / second), [3, 3, 5, 20])
  equal(page.rejected, { other_type: 1, other_wallet: 1, out_of_range: 1, undecodable: 2 })
  equal([page.oldest, page.more], [recordedAt - 99 * second, true])
})

Deno.test("dataPage() distinguishes the end of the data from rows without a cursor", () => {
  const page = (pagination: unknown) => dataPage({ data: [], pagination })
  equal(page({ has_more: true, next_cursor: "x" }), { rows: [], next: "x", more: true })
  equal(page({ has_more: false, next_cursor: null }), { rows: [], next: null, more: false })
  equal(page({ has_more: false, next_cursor: "x" }), { rows: [], next: null, more: false })
  equal(page({ has_more: true, next_cursor: null }), { rows: [], next: null, more: true })
  equal([dataPage({ error: "no" }), dataPage([])], [null, null])
})

Deno.test("conditionId() normalizes every format of an id", () => {
  const long = `0x01${"aB".repeat(29)}cd00`
  equal(readConditionId(long), long.toLowerCase())
  equal(readConditionId(long.slice(0, -2)), long.toLowerCase())
  equal(readConditionId(`0x03${"ab".repeat(30)}`), `0x03${"ab".repeat(30)}`)
  equal([readConditionId(""), readConditionId(null), readConditionId("0xnone")], [
    null,
    null,
    "0xnone",
  ])
})

Deno.test("decodeLeaderboardRow() reads the field names of both API versions", () => {
  const old = { rank: "3", proxyWallet: `0x${"3".padStart(40, "0")}`, userName: "keeper", vol: 1 }
  equal(outcome(decodeLeaderboardRow(old)), outcome(decodeLeaderboardRow(leaderboardRow(3))))
  equal(outcome(decodeLeaderboardRow(leaderboardRow(3, { rank: null }))), "missing_rank")
  equal(outcome(decodeLeaderboardRow(leaderboardRow(3, { user_id: "" }))), "missing_wallet")
})

Deno.test("firstByRank() returns each wallet once, at its best rank", () => {
  const standings = [4, 1, 2, 1, 3].map((rank) =>
    Result.getOrThrow(decodeLeaderboardRow(leaderboardRow(rank)))
  )
  const again = Result.getOrThrow(decodeLeaderboardRow({ ...leaderboardRow(1), rank: 5 }))
  equal(firstByRank([again, ...standings], 9).map(({ rank }) => rank), [1, 2, 3, 4])
  equal(firstByRank(standings, 3).map(({ rank }) => rank), [1, 2, 3])
})

Deno.test("decodeFacts() reads the same facts of a closed market as decodeMarket() of an open one", () => {
  const open = Result.getOrThrow(decodeMarket(gammaRow()))
  const closed = decodeFacts(gammaRow(1, { closed: true, acceptingOrders: false }))
  equal({ ...open, ...Result.getOrThrow(closed) }, open)
  equal(outcome(decodeFacts(gammaRow(1, { outcomes: '["A", "B", "C"]' }))), "not_binary")
})

const id = MarketId.make(conditionId(1))

const record = (fields: Fields) => Result.getOrThrow(decodeRecord(recordRow(1, fields)))

Deno.test("decodeRecord() reads payouts only from `payouts`, as parts of a dollar", () => {
  const read = (fields: Fields) => {
    const found = record(fields)
    return found.state === "paid" ? found.payouts : found.state
  }
  equal(read({}), [1, 0])
  equal(read({ payouts: [500_000, 500_000] }), [0.5, 0.5])
  equal(read({ payouts: ["0", "1"] }), [0, 1])
  equal(read({ payouts: [250_000, 750_000] }), [0.25, 0.75])
  equal(read({ payouts: undefined, price: "69" }), "unpublished")
  equal(read({ payouts: [0, 0], price: "1000000000000000000" }), "unpublished")
  equal(read({ status: "proposed" }), "pending")
  equal(read({ status: "disputed", payouts: undefined, proposed_price: "69" }), "pending")
  equal(outcome(decodeRecord(recordRow(1, { payouts: [1, 0, 0] }))), "not_binary")
  equal(outcome(decodeRecord(recordRow(1, { payouts: [2, -1] }))), "bad_payouts")
  equal(outcome(decodeRecord(recordRow(1, { condition_id: "" }))), "missing_id")
})

Deno.test("decodeRecord() reads both time formats", () => {
  const at = Date.parse("2026-11-10T21:19:19Z")
  equal(record({}).changedAt, at)
  equal(
    record({ resolved_at: undefined, last_update_timestamp: String(at / second) }).changedAt,
    at,
  )
  equal(record({ resolved_at: "", last_update_timestamp: "" }).changedAt, null)
})

Deno.test("recordsById() keeps the newest of the records in the most final state", () => {
  const older = record({ payouts: [0, 1_000_000], resolved_at: "2026-11-09T00:00:00Z" })
  const rows = [record({}), older, record({ status: "posed" }), record({ payouts: undefined })]
  equal(recordsById(rows).get(id), record({}))
})

Deno.test("decodeListedResolution() reads payouts only from closed markets with prices 1 and 0", () => {
  const read = (fields: Fields) => {
    const closed = { closed: true, outcomePrices: '["0", "1"]', ...fields }
    return decodeListedResolution(gammaRow(1, closed))?.payouts
  }
  equal(read({}), [0, 1])
  equal(read({ outcomePrices: ["1", "0"], umaResolutionStatus: "settled" }), [1, 0])
  equal(read({ umaResolutionStatus: "resolved", umaResolutionStatuses: '["disputed"]' }), [0, 1])
  equal(read({ umaResolutionStatus: "proposed" }), undefined)
  equal(read({ closed: false }), undefined)
  equal(read({ outcomePrices: '["0", "0"]' }), null)
  equal(read({ outcomePrices: '["0.5", "0.5"]', umaResolutionStatus: "resolved" }), [0.5, 0.5])
  equal(read({ outcomePrices: '["0.5", "0.5"]' }), null)
  equal(read({ outcomePrices: '["0.9995", "0.0005"]' }), null)
  equal(read({ outcomePrices: '["1"]' }), null)
})

Deno.test("payoutsFromPage() finds the winner by its token, in any order of tokens", () => {
  const tokens = [tokenId(1, 0), tokenId(1, 1)] as const
  const page = pageRow(1, tokens[1])
  const reversed = { ...page, tokens: (page["tokens"] as ReadonlyArray<unknown>).toReversed() }
  equal([
    payoutsFromPage(page, null),
    payoutsFromPage(page, tokens),
    payoutsFromPage(reversed, tokens),
  ], [
    [0, 1],
    [0, 1],
    [0, 1],
  ])
  equal(payoutsFromPage(pageRow(), tokens), "none")
  equal(payoutsFromPage(pageRow(1, null, { is_50_50_outcome: true }), tokens), [0.5, 0.5])
  equal(payoutsFromPage({ ...page, closed: false }, tokens), "none")
  const both = tokens.map((token) => ({ token_id: token, winner: true }))
  equal(payoutsFromPage({ ...page, tokens: both }, tokens), "unread")
  equal(payoutsFromPage({ ...page, tokens: [null, ...both] }, tokens), "unread")
  equal(payoutsFromPage({ ...page, tokens: [both[0], {}] }, tokens), "unread")
  equal(payoutsFromPage(page, [tokenId(2, 0), tokenId(2, 1)]), "unread")
})

const nowhere: FallbackPayouts = {
  listed: { payouts: null, even: false, closedAt: 5 },
  page: "none",
}

Deno.test("resolutionOf() prefers the oracle, then the listing, then the page", () => {
  const ended = (of: ReturnType<typeof record> | null, words: FallbackPayouts) => {
    const found = resolutionOf(id, of, words, recordedAt)
    return found?.state === "paid" ? found.payouts : found
  }
  const unpublished = record({ payouts: undefined })
  const listed = { payouts: [0, 1], even: false, closedAt: 5 } as const
  equal(ended(record({}), { listed, page: [0, 1] }), [1, 0])
  equal(ended(unpublished, { listed, page: [1, 0] }), [0, 1])
  equal(ended(null, { listed, page: "unread" }), [0, 1])
  equal(ended(unpublished, { ...nowhere, page: [1, 0] }), [1, 0])
  equal(ended(record({ status: "disputed" }), { listed, page: [0, 1] }), null)
})

Deno.test("resolutionOf() pays half where the oracle decided and the prices are half each", () => {
  const listed = { payouts: null, even: true, closedAt: 5 } as const
  const even = (of: ReturnType<typeof record> | null, page: FallbackPayouts["page"] = "none") => {
    const found = resolutionOf(id, of, { listed, page }, recordedAt)
    return found?.state === "paid" ? found.payouts : found
  }
  equal(even(record({ payouts: undefined })), [0.5, 0.5])
  equal(even(record({ payouts: undefined }), [1, 0]), [1, 0])
  equal(even(record({ payouts: [500_000, 500_000] })), [0.5, 0.5])
  equal(even(record({ status: "proposed", payouts: undefined })), null)
  // Prices of half each alone may be those of a market that was closed without a decision.
  equal(even(null), null)
})

Deno.test("resolutionOf() cancels a market only a day after the oracle resolved it", () => {
  const ended = (of: ReturnType<typeof record> | null, words: FallbackPayouts, now = recordedAt) =>
    resolutionOf(id, of, words, now)?.state
  const unpublished = record({ payouts: undefined })
  const resolvedAt = unpublished.changedAt ?? 0
  equal(ended(unpublished, nowhere), "cancelled")
  equal(ended(unpublished, nowhere, resolvedAt + payoutDelayMsMax), "cancelled")
  equal(ended(unpublished, nowhere, resolvedAt + payoutDelayMsMax - 1), undefined)
  equal(
    ended(record({ payouts: undefined, resolved_at: "", last_update_timestamp: "" }), nowhere),
    undefined,
  )
  equal(ended(null, nowhere, recordedAt + 99 * day), undefined)
  equal(ended(unpublished, { ...nowhere, listed: null }), undefined)
  equal(ended(unpublished, { ...nowhere, page: "unread" }), undefined)
})
