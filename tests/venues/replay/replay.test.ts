/**
 * The replay venue: which recordings are read from a folder, and as of when they are decoded.
 *
 * @module
 */
import { Effect, Result, Stream } from "effect"
import { recordedEnds } from "../../../src/venues/replay/recordings.ts"
import { layer, read } from "../../../src/venues/replay/venue.ts"
import { MarketId, TokenId } from "../../../src/markets/domain/market.ts"
import { day, hour, minute } from "../../../src/core/domain/time.ts"
import { VenueClient } from "../../../src/markets/VenueClient.ts"
import { liveTest } from "../../support/effect.ts"
import { hasRecordings, recordingsDir, registerSkipped } from "../../support/venues/oracle.ts"
import {
  activityRow,
  conditionId,
  gammaRow,
  recordedAt,
  tokenId,
} from "../../support/venues/polymarket.ts"

const fixtures = new URL("../../../fixtures/replay", import.meta.url).pathname

function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`got ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
  }
}

/** The number of decoded rows, and of rejected rows by reason, over all pages. */
function sum(
  parts: ReadonlyArray<{
    readonly rows: ReadonlyArray<unknown>
    readonly rejected: Readonly<Record<string, number>>
  }>,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { decoded: 0 }
  for (const { rows, rejected } of parts) {
    for (const [name, count] of [["decoded", rows.length] as const, ...Object.entries(rejected)]) {
      counts[name] = (counts[name] ?? 0) + count
    }
  }
  return Object.fromEntries(Object.entries(counts).sort())
}

const withReplay = <A, E>(
  dir: string,
  use: (venue: VenueClient["Service"]) => Effect.Effect<A, E>,
  asOf?: number,
) =>
  Effect.flatMap(VenueClient, use).pipe(
    Effect.provide(layer(asOf === undefined ? { dir } : { dir, asOf })),
  )

liveTest(
  "listMarkets decodes every recorded row, or counts its rejection",
  () =>
    Effect.gen(function* () {
      const pages = yield* withReplay(fixtures, ({ listMarkets }) => Stream.runCollect(listMarkets))
      equal(sum(pages), {
        closed: 2,
        decoded: 6,
        missing_id: 1,
        not_accepting_orders: 1,
        not_binary: 1,
        not_traded: 1,
      })
    }),
)

liveTest(
  "listMarkets accepts a byte-order mark, and counts a truncated file",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.promise(() => Deno.makeTempDir())
      const whole = JSON.stringify({ markets: [gammaRow(1)] })
      yield* Effect.promise(() => Deno.writeTextFile(`${dir}/whole.json`, `\ufeff${whole}`))
      yield* Effect.promise(() => Deno.writeTextFile(`${dir}/cut.json`, whole.slice(0, 99)))
      const pages = yield* withReplay(dir, ({ listMarkets }) => Stream.runCollect(listMarkets))
      equal(sum(pages), { decoded: 1, unreadable_file: 1 })
      yield* Effect.promise(() => Deno.remove(dir, { recursive: true }))
    }),
)

liveTest(
  "listMarkets assigns a market inside an event to that event",
  () =>
    Effect.gen(function* () {
      const pages = yield* withReplay(fixtures, ({ listMarkets }) => Stream.runCollect(listMarkets))
      const slugs = pages.flatMap(({ rows }) => rows).map(({ eventSlug }) => eventSlug)
      equal(slugs.includes("which-harbours-in-december"), true)
    }),
)

liveTest(
  "books() decodes a file as of its newest time, unless asOf is set",
  () =>
    Effect.gen(function* () {
      const observedAt = (asOf?: number) =>
        withReplay(fixtures, ({ books }) => books([TokenId.make(tokenId(2, 0))]), asOf).pipe(
          Effect.map(({ rows }) => rows.map(({ observedAt }) => observedAt)),
        )
      const early = recordedAt - day
      equal([yield* observedAt(), yield* observedAt(early)], [[recordedAt - 1_500], [early]])
    }),
)

liveTest(
  "books() returns the newest recording of a token, and nothing for an unknown one",
  () =>
    Effect.gen(function* () {
      const tokens = [tokenId(1, 0), tokenId(2, 0), tokenId(999, 0)].map((id) => TokenId.make(id))
      const { rows } = yield* withReplay(fixtures, ({ books }) => books(tokens))
      equal(rows.map(({ observedAt }) => observedAt), [
        recordedAt + 10 * minute,
        recordedAt - 1_500,
      ])
    }),
)

liveTest(
  "priceHistory() returns the history whose file name contains the token",
  () =>
    Effect.gen(function* () {
      const range = { from: recordedAt - day, to: recordedAt, stepMs: minute }
      const points = (token: string) =>
        withReplay(fixtures, ({ priceHistory }) => priceHistory(TokenId.make(token), range))
      equal([(yield* points(tokenId(1, 0))).length, (yield* points(tokenId(2, 0))).length], [24, 0])
    }),
)

const market = (number: number) => MarketId.make(conditionId(number))

liveTest(
  "facts() returns recorded markets, open or closed",
  () =>
    Effect.gen(function* () {
      const requested = [5, 1, 1, 0x15, 11, 999].map(market)
      const { rows } = yield* withReplay(fixtures, ({ facts }) => facts(requested))
      equal(rows.map(({ id }) => id), [5, 1, 0x15, 11].map(conditionId))
    }),
)

liveTest(
  "resolutions() returns recorded resolutions, and none of open markets",
  () =>
    Effect.gen(function* () {
      const { rows } = yield* withReplay(
        fixtures,
        ({ resolutions }) => resolutions([5, 5, 1, 2, 0x16, 999].map(market)),
      )
      equal(rows, [{
        marketId: conditionId(5),
        resolvedAt: Date.parse("2026-11-10T21:19:19Z"),
        source: "oracle",
        state: "paid",
        payouts: [1, 0],
      }])
    }),
)

liveTest(
  "proposals() and rules() return what is recorded, and no proposal of an ended market",
  () =>
    Effect.gen(function* () {
      const requested = [8, 8, 5, 2, 1, 999].map(market)
      const { rows } = yield* withReplay(fixtures, ({ proposals }) => proposals(requested))
      equal(rows, [{
        marketId: conditionId(8),
        outcome: 1,
        proposedAt: Date.parse("2026-11-20T11:30:00Z"),
        settlesAt: Date.parse("2026-11-20T13:30:00Z"),
        disputed: false,
      }])
      const rules = yield* withReplay(fixtures, ({ rules }) => rules(requested))
      equal(rules.rows.map(({ marketId }) => marketId), [8, 5, 2, 1].map(conditionId))
      equal(new Set(rules.rows.map(({ text }) => text)).size, 1)
    }),
)

const wallet = "0x00000000000000000000000000000000000000aa"
const other = "0x00000000000000000000000000000000000000bb"

liveTest(
  "wallets returns the recorded wallets, with their activity in the range",
  () =>
    Effect.gen(function* () {
      const board = { period: "all", category: "overall", by: "volume" } as const
      yield* withReplay(fixtures, ({ wallets }) =>
        Effect.gen(function* () {
          if (wallets === null) return yield* Effect.die("There are no wallets")
          const { rows } = yield* wallets.leaderboard(board, 10)
          equal(rows, [{ wallet, rank: 1, userName: "keeper" }])
          const read = (from: number, to: number) =>
            Effect.map(
              wallets.activity(wallet.toUpperCase().replace("0X", "0x"), { from, to }, null),
              ({ rows, oldest, next }) => [
                rows.map(({ event }) => event.kind).join(" "),
                oldest,
                next,
              ],
            )
          const all = yield* read(0, recordedAt)
          equal(all, ["buy buy sell split buy", recordedAt - 200 * hour, null])
          const some = yield* read(recordedAt - 2 * hour, recordedAt - 2 * hour)
          equal(some, ["sell", recordedAt - 2 * hour, null])
        }))
    }),
)

liveTest(
  "activity() returns each event of overlapping pages once; wallets is null without recordings of them",
  () =>
    Effect.gen(function* () {
      const dir = yield* Effect.promise(() => Deno.makeTempDir())
      const write = (file: string, body: unknown) =>
        Effect.promise(() => Deno.writeTextFile(`${dir}/${file}`, JSON.stringify(body)))
      yield* write("markets.json", { markets: [gammaRow(1)] })
      equal(yield* withReplay(dir, ({ wallets }) => Effect.succeed(wallets)), null)
      yield* write("whole.json", { data: [activityRow(), activityRow()] })
      yield* write("cut.json", { data: [activityRow()] })
      yield* write("z-cut.json", { data: [activityRow(), activityRow(1, { proxy_wallet: other })] })
      const found = yield* withReplay(dir, ({ wallets }) =>
        wallets === null ? Effect.succeed(0) : Effect.map(
          wallets.activity(wallet, { from: 0, to: recordedAt }, null),
          ({ rows }) =>
            rows.length,
        ))
      equal(found, 2)
      yield* Effect.promise(() =>
        Deno.remove(dir, { recursive: true })
      )
    }),
)

liveTest(
  "layer() fails with VenueUnavailable when the folder is missing",
  () =>
    Effect.gen(function* () {
      const missing = yield* Effect.result(withReplay(`${fixtures}/none`, () => Effect.void))
      equal(Result.isFailure(missing) && missing.failure.reason, "cannot read the folder")
    }),
)

/** For each recorded file, its rows by kind or rejection. Counted once by hand. */
const recordedCounts = {
  "polymarket-captures/clob_market_closed_binary_accepting_false.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/clob_market_closed_binary_accepting_true.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/clob_markets_page.json": {
    closed: 98,
    ends: 24,
    facts: 99,
    markets: 1,
    not_binary: 1,
  },
  "polymarket-captures/gamma_event.json": { facts: 2, markets: 2 },
  "polymarket-captures/gamma_market.json": { facts: 1, markets: 1 },
  "polymarket-captures/gamma_market_closed_binary_accepting_false.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/gamma_market_closed_binary_accepting_true.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/gamma_market_closed_nonbinary_legacy.json": { not_binary: 1 },
  "polymarket-captures/gamma_market_closed_zero_zero_legacy.json": { closed: 1, facts: 1 },
  "polymarket-captures/gamma_market_sports_market_map_handicap.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/gamma_market_sports_market_money_line.json": {
    closed: 1,
    ends: 1,
    facts: 1,
  },
  "polymarket-captures/gamma_tags.json": { unused: 5 },
  "polymarket-captures/it_book.json": { books: 1 },
  "polymarket-captures/it_trades.json": { trades: 4 },
  "polymarket-captures/it_ws_book.json": { books: 1 },
  "polymarket-captures/it_ws_last_trade_price.json": { unused: 1 },
  "polymarket-captures/it_ws_price_change.json": { unused: 1 },
  "polymarket-captures/it_ws_price_change_v2.json": { unused: 1 },
  "polymarket-captures/it_ws_tick_size_change.json": { unused: 1 },
  "polymarket-captures/ws_market_best_bid_ask_msg.json": { unused: 1 },
  "polymarket-captures/ws_market_new_market_msg.json": { unused: 1 },
  "polymarket-captures/ws_market_resolved_msg.json": { unused: 1 },
  "polymarket-data-v2/activity.json": { activity: 2 },
  "polymarket-data-v2/leaderboard.json": { standings: 2 },
  "polymarket-data-v2/positions.json": { unused: 1 },
  "polymarket-data-v2/positions_closed.json": { unused: 2 },
  "polymarket-data-v2/prices_history.json": { points: 2 },
  "polymarket-data-v2/resolutions.json": { ends: 1, records: 1 },
  "polymarket-data-v2/resolutions_pending.json": { records: 2 },
  "polymarket-data-v2/status.json": { unused: 1 },
  "polymarket-data-v2/trades.json": { trades: 2 },
  "radar/leaderboard.json": { standings: 10 },
  "radar/markets.json": { facts: 80, markets: 80 },
  "radar/wallet-alpha.json": { unused: 2 },
  "radar/whales.json": { missing_id: 3 },
} satisfies Readonly<Record<string, Readonly<Record<string, number>>>>

if (!hasRecordings) {
  registerSkipped("every real recording", "../shared/data is missing")
} else {
  liveTest(
    "read() decodes or counts every row of every real recording",
    () =>
      Effect.gen(function* () {
        const recordings = yield* read({ dir: recordingsDir })
        const found = recordings
          .filter(({ file }) => /^(polymarket|radar)/.test(file))
          .map(({ file, page }) => {
            if (page === null) return [file, { unreadable: 1 }] as const
            const { markets, facts, books, trades, activity, standings, records } = page
            const counts = {
              markets: markets.rows.length,
              facts: facts.rows.length,
              ends: recordedEnds([page], Infinity).size,
              books: books.rows.length,
              trades: trades.rows.length,
              activity: activity.rows.length,
              standings: standings.rows.length,
              records: records.rows.length,
              points: page.points.length,
              unused: page.unused,
              ...markets.rejected,
              ...books.rejected,
              ...trades.rejected,
              ...activity.rejected,
              ...standings.rejected,
              ...records.rejected,
            }
            return [
              file,
              Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0)),
            ] as const
          })
        const table = (rows: Iterable<readonly [string, Readonly<Record<string, number>>]>) =>
          [...rows].map(([file, counts]) =>
            `${file} ${JSON.stringify(Object.entries(counts).sort())}`
          )
        const expected = table(Object.entries(recordedCounts))
        const actual = table(found)
        equal(actual.filter((line) => !expected.includes(line)), [])
        equal(expected.filter((line) => !actual.includes(line)), [])
      }),
  )
}
