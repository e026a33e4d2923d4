/**
 * The requests for activity, leaderboards, facts and resolutions: pages, batches and fallbacks.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { defaultLimits } from "../../../src/venues/polymarket/requests.ts"
import { MarketId } from "../../../src/markets/domain/market.ts"
import { day, second } from "../../../src/core/domain/time.ts"
import type { Board } from "../../../src/markets/domain/leaderboard.ts"
import type {
  VenueClient,
  VenueUnavailable,
  WalletSource,
} from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"
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
import { equal, reason, withVenueAt } from "../../support/venues/scriptedVenue.ts"

type Answer = (url: URL) => Response

const withVenue = withVenueAt(recordedAt)

const param = (name: string) => (url: URL) => url.searchParams.getAll(name).join()

function wallets(
  use: (source: WalletSource) => Effect.Effect<unknown, VenueUnavailable>,
): (venue: VenueClient["Service"]) => Effect.Effect<unknown, VenueUnavailable> {
  return ({ wallets }) => wallets === null ? Effect.die("There are no wallets") : use(wallets)
}

const wallet = "0x00000000000000000000000000000000000000aa"
const range = { from: recordedAt - day, to: recordedAt }

const page = (data: ReadonlyArray<unknown>, next: string | null = null, more = next !== null) =>
  Response.json({
    data,
    pagination: { limit: 2, offset: 0, has_more: more, next_cursor: next },
  })

const activity = (within = range) => wallets((source) => source.activity(wallet, within))

test("activity() requests whole seconds of the range, both ends included, newest first", () =>
  Effect.gen(function* () {
    const from = recordedAt - 2_500
    const { requested } = yield* withVenue(
      () => page([]),
      activity({ from, to: from + 2_400 }),
    )
    const seconds = recordedAt / second
    equal(requested.map(String), [
      `http://data/v2/activity?user=${wallet}&start=${seconds - 2}&end=${seconds - 1}` +
      `&sort_direction=DESC&limit=${defaultLimits.activityRows}`,
    ])
    const all = yield* withVenue(() => page([]), activity({ from: 0, to: recordedAt }))
    equal(all.requested.map(param("start")), ["1"])
    const none = yield* withVenue(() => page([]), activity({ from, to: from + 100 }))
    equal([none.requested.length, reason(none.result)], [0, "none"])
  }))

test("activity() retries a page without pagination, and one of several without a time", () =>
  Effect.gen(function* () {
    const silent = yield* withVenue(() => Response.json({ data: [activityRow()] }), activity())
    equal(reason(silent.result), "unexpected response shape")
    equal(silent.requested.length, defaultLimits.attemptsMax)
    const timeless = yield* withVenue(() => page([{ type: "TRADE" }], "next"), activity())
    equal(reason(timeless.result), "unexpected response shape")
  }))

test("activity() says whether the venue has more, with or without a cursor", () =>
  Effect.gen(function* () {
    const more = (result: Result.Result<unknown, VenueUnavailable>) =>
      (Result.getOrThrow(result) as { more: unknown }).more
    equal(more((yield* withVenue(() => page([activityRow()], "next"), activity())).result), true)
    equal(more((yield* withVenue(() => page([], null, true), activity())).result), true)
    equal(more((yield* withVenue(() => page([activityRow()]), activity())).result), false)
  }))

const board: Board = { period: "month", category: "sports", by: "profit" }

/** A leaderboard with two rows a page, without end. */
const boards: Answer = (url) => {
  const at = Number(url.searchParams.get("cursor") ?? 0)
  return page([leaderboardRow(2 * at + 1), leaderboardRow(2 * at + 2)], String(at + 1))
}

test("leaderboard() follows the cursor until there are enough wallets", () =>
  Effect.gen(function* () {
    const { result, requested } = yield* withVenue(
      boards,
      wallets((of) => of.leaderboard(board, 5)),
    )
    const { rows } = Result.getOrThrow(result) as { rows: ReadonlyArray<{ rank: number }> }
    equal(rows.map(({ rank }) => rank), [1, 2, 3, 4, 5])
    equal(requested.map(param("cursor")), ["", "1", "2"])
    const [first] = requested
    equal(first?.search, "?time_period=month&category=sports&sort_by=PNL&limit=5")
  }))

test("leaderboard() reads a bounded number of pages, and fails on a cursor loop", () =>
  Effect.gen(function* () {
    const few = { boardPagesMax: 3 }
    const same: Answer = (url) =>
      page([leaderboardRow(1)], String(Number(url.searchParams.get("cursor") ?? 0) + 1))
    const short = yield* withVenue(same, wallets((of) => of.leaderboard(board, 9)), few)
    equal([reason(short.result), short.requested.length], ["none", 3])
    const circle = () => page([leaderboardRow(1)], "1")
    const round = yield* withVenue(circle, wallets((of) => of.leaderboard(board, 9)))
    equal(reason(round.result), "unexpected response shape")
  }))

const markets = (...numbers: ReadonlyArray<number>) =>
  numbers.map((number) => MarketId.make(conditionId(number)))

/** A listing of fifty markets; the even ones are closed. */
const listing =
  (fields: (market: number) => Readonly<Record<string, unknown>>): Answer => (url) => {
    const closed = url.searchParams.get("closed") === "true"
    const rows = url.searchParams.getAll("condition_ids").map(Number)
      .filter((market) => market < 50 && (market % 2 === 0) === closed)
    return Response.json({ markets: rows.map((market) => gammaRow(market, fields(market))) })
  }

test("facts() reads closed markets, then open ones, in batches", () =>
  Effect.gen(function* () {
    const answer = listing((market) => ({ closed: market % 2 === 0 }))
    const requested = [...markets(1, 2, 3, 3, 4, 99), MarketId.make("0xnone")]
    const found = yield* withVenue(answer, ({ facts }) => facts(requested), { factsBatch: 3 })
    const { rows, rejected } = Result.getOrThrow(found.result)
    equal([rows.map(({ id }) => Number(id)), rejected], [[2, 4, 1, 3], {}])
    equal(
      found.requested.map((
        url,
      ) => [param("closed")(url), url.searchParams.getAll("condition_ids").length]),
      [
        ["true", 3],
        ["true", 2],
        ["false", 3],
      ],
    )
  }))

test("facts() counts invalid rows and rows it did not request", () =>
  Effect.gen(function* () {
    const answer: Answer = () =>
      Response.json({ markets: [gammaRow(7), gammaRow(1, { outcomes: '["A","B","C"]' }), null] })
    const { result } = yield* withVenue(answer, ({ facts }) => facts(markets(1)))
    const twice = { not_requested: 2, not_binary: 2, undecodable: 2 }
    equal(Result.getOrThrow(result), { rows: [], rejected: twice })
  }))

/** What the oracle, the listing and the exchange's page return for a market. */
interface MarketData {
  readonly record?: Readonly<Record<string, unknown>>
  readonly listed?: Readonly<Record<string, unknown>>
  readonly page?: Readonly<Record<string, unknown>> | number
}

/** The markets that a request names: at the Data API one value, at Gamma repeated keys. */
const idsOf = ({ host, searchParams }: URL) =>
  host === "data"
    ? searchParams.get("condition")?.split(",") ?? []
    : searchParams.getAll("condition_ids")

const venue = (published: (market: number) => MarketData): Answer => (url) => {
  if (url.host === "clob") {
    const found = published(Number(url.pathname.slice("/markets/".length))).page ?? 404
    return typeof found === "number" ? new Response("{}", { status: found }) : Response.json(found)
  }
  const ids = idsOf(url).map(Number)
  return url.host === "data"
    ? Response.json({ data: ids.flatMap((id) => published(id).record ?? []) })
    : Response.json({ markets: ids.flatMap((id) => published(id).listed ?? []) })
}

const noPayouts = { payouts: undefined }
const closed = (market: number, outcomePrices: string) =>
  gammaRow(market, { closed: true, outcomePrices, closedTime: "2026-11-09 10:00:00+00" })

test("resolutions() requests the listing and pages only for markets without a payout", () =>
  Effect.gen(function* () {
    const of: { readonly [market: number]: MarketData } = {
      1: { record: recordRow(1) },
      2: { record: recordRow(2, { status: "proposed", payouts: undefined }) },
      3: { record: recordRow(3, noPayouts), listed: closed(3, '["0","1"]') },
      4: {
        record: recordRow(4, noPayouts),
        listed: closed(4, '["0","0"]'),
        page: pageRow(4, tokenId(4, 1)),
      },
      5: { listed: closed(5, '["1","0"]') },
      6: { listed: gammaRow(6), page: pageRow(6, tokenId(6, 0)) },
      7: { record: recordRow(7, noPayouts), listed: closed(7, '["0","0"]'), page: pageRow(7) },
      8: {},
    }
    const { result, requested } = yield* withVenue(
      venue((market) => of[market] ?? {}),
      ({ resolutions }) => resolutions(markets(1, 2, 3, 4, 5, 6, 7, 8, 1)),
    )
    const { rows, rejected } = Result.getOrThrow(result)
    equal(
      rows.map((row) => [
        Number(row.marketId),
        row.state === "paid" ? row.payouts : row.state,
      ]),
      [
        [1, [1, 0]],
        [3, [0, 1]],
        [4, [0, 1]],
        [5, [1, 0]],
        [7, "cancelled"],
      ],
    )
    equal(rejected, {})
    const numbers = (url: URL) => idsOf(url).map(Number).join()
    const [data, gamma, ...pages] = requested
    equal(data === undefined ? "" : numbers(data), "1,2,3,4,5,6,7,8")
    equal(gamma === undefined ? "" : numbers(gamma), "3,4,5,6,7,8")
    equal(pages.map((url) => Number(url.pathname.slice("/markets/".length))), [4, 7])
  }))

test("resolutions() counts records it did not request, and invalid ones", () =>
  Effect.gen(function* () {
    const answer: Answer = () => Response.json({ data: [recordRow(1), recordRow(9), {}, 7] })
    const { result } = yield* withVenue(answer, ({ resolutions }) => resolutions(markets(1)))
    const { rows, rejected } = Result.getOrThrow(result)
    equal([rows.length, rejected], [1, { not_requested: 1, missing_id: 1, undecodable: 1 }])
  }))

test("resolutions() cancels no market because of a failed request, and loses only its markets", () =>
  Effect.gen(function* () {
    const published = venue((market) => ({
      record: recordRow(market, market === 1 ? {} : noPayouts),
      listed: closed(market, '["0","0"]'),
      page: 500,
    }))
    const pages = yield* withVenue(published, ({ resolutions }) => resolutions(markets(1, 2, 3)))
    const one = Result.getOrThrow(pages.result)
    equal([one.rows.map(({ marketId }) => Number(marketId)), one.rejected], [[1], {
      unavailable: 2,
    }])
    const listingDown: Answer = (url) =>
      url.host === "gamma" ? new Response(null, { status: 503 }) : published(url)
    const listed = Result.getOrThrow(
      (yield* withVenue(listingDown, ({ resolutions }) => resolutions(markets(1, 2)))).result,
    )
    equal([listed.rows.length, listed.rejected], [1, { unavailable: 1 }])
    const oracleDown: Answer = (url) =>
      url.host === "data" ? new Response(null, { status: 500 }) : published(url)
    equal(
      reason((yield* withVenue(oracleDown, ({ resolutions }) => resolutions(markets(1)))).result),
      "status 500",
    )
  }))

test("resolutions() reads a bounded number of fallback payouts, and counts the rest", () =>
  Effect.gen(function* () {
    const published = venue((market) => ({
      record: recordRow(market, noPayouts),
      listed: closed(market, '["0","0"]'),
      page: pageRow(market, tokenId(market, 0)),
    }))
    const { result, requested } = yield* withVenue(
      published,
      ({ resolutions }) => resolutions(markets(1, 2, 3, 4, 5, 6, 7, 8, 9)),
      { listedResolutionsMax: 8, resolutionPagesMax: 3, resolutionBatch: 2 },
    )
    const { rows, rejected } = Result.getOrThrow(result)
    equal([rows.map(({ marketId }) => Number(marketId)), rejected], [[1, 2, 3], { postponed: 6 }])
    const count = (host: string) => requested.filter((url) => url.host === host).length
    equal([count("data"), count("gamma"), count("clob")], [5, 1, 3])
    const listing = requested.find(({ host }) => host === "gamma")
    equal(listing?.searchParams.getAll("condition_ids").length, 8)
  }))

test("each route keeps its own pace, a fifth of the venue's limit", () =>
  Effect.gen(function* () {
    const pace = defaultLimits.perTenSeconds
    equal(pace.activity, 200 / 5)
    equal(pace.activity + pace.leaderboard + pace.resolutions + pace.trades <= 800 / 5, true)
    equal(pace.facts + pace.listing <= 900 / 5, true)
    const tenTimes =
      (use: (venue: VenueClient["Service"]) => Effect.Effect<unknown, VenueUnavailable>) =>
      (venue: VenueClient["Service"]) =>
        Effect.forEach(Array.from({ length: 10 }), () => use(venue), { concurrency: "unbounded" })
    const spacing = Effect.fnUntraced(function* (
      answer: Answer,
      use: (venue: VenueClient["Service"]) => Effect.Effect<unknown, VenueUnavailable>,
    ) {
      const { requested, times } = yield* withVenue(answer, tenTimes(use))
      const [, second = 0] = times
      equal([requested.length, (times.at(-1) ?? 0) - second], [10, 8 * (second - (times[0] ?? 0))])
      return second - (times[0] ?? 0)
    })
    equal(
      [
        yield* spacing(() => page([]), activity()),
        yield* spacing(() => page([]), wallets((of) => of.leaderboard(board, 1))),
        yield* spacing(
          () => Response.json({ data: [recordRow()] }),
          ({ resolutions }) => resolutions(markets(1)),
        ),
        yield* spacing(
          () => Response.json({ markets: [gammaRow()] }),
          ({ facts }) => facts(markets(1)),
        ),
      ],
      [pace.activity, pace.leaderboard, pace.resolutions, pace.facts].map((turns) =>
        Math.ceil(10_000 / turns)
      ),
    )
  }))
