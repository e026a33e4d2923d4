/**
 * The laws of every venue adapter about the past: facts of markets, how they ended, and wallets'
 * activity.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type ActivityEvent, wholeSeconds } from "../../src/markets/domain/activity.ts"
import { type MarketFacts, MarketId } from "../../src/markets/domain/market.ts"
import { day, minute, second } from "../../src/core/domain/time.ts"
import { boardPeriods } from "../../src/markets/domain/leaderboard.ts"
import { type ActivityPage, VenueClient, type WalletSource } from "../../src/markets/VenueClient.ts"
import { assertRejections, assertThat, type Laws, samples, sweep, within } from "./venue.laws.ts"

/** The facts of a market that do not change between two requests. */
const stableFacts = (
  { id, slug, question, eventSlug, url, category, outcomes, tokenIds, takerFeeRate }: MarketFacts,
) =>
  JSON.stringify([id, slug, question, eventSlug, url, category, outcomes, tokenIds, takerFeeRate])

const unknownMarket = MarketId.make(`0x${"f".repeat(64)}`)

const knownFacts = Effect.gen(function* () {
  const { facts } = yield* VenueClient
  const listed = (yield* sweep).slice(0, samples)
  const { rows, rejected } = yield* facts([...listed.map(({ id }) => id), unknownMarket])
  assertRejections(rejected)
  assertThat(new Set(rows.map(({ id }) => id)).size === rows.length, "each market once")
  for (const row of rows) {
    const market = listed.find(({ id }) => id === row.id)
    assertThat(market !== undefined && stableFacts(row) === stableFacts(market), "facts as listed")
  }
  const still = new Set((yield* sweep).map(({ id }) => id))
  const missing = listed.filter(({ id }) => still.has(id) && !rows.some((row) => row.id === id))
  assertThat(missing.length === 0, "a listed market has facts")
  assertThat((yield* facts([])).rows.length === 0, "an empty request returns no rows")
})

const stableResolutions = Effect.gen(function* () {
  const { resolutions } = yield* VenueClient
  const listed = yield* sweep
  const open = listed.filter(({ status }) => status === "open").slice(0, samples)
  const requested = [
    ...new Set([...yield* marketsOfWallets, ...open.map(({ id }) => id), unknownMarket]),
  ]
  const { rows, rejected } = yield* resolutions(requested)
  const now = yield* Clock.currentTimeMillis
  assertRejections(rejected)
  assertThat(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const row of rows) {
    assertThat(
      requested.includes(row.marketId) && row.marketId !== unknownMarket,
      "only requested markets",
    )
    assertThat(
      row.resolvedAt === null || within(row.resolvedAt, 1, now + minute),
      "a time in the past",
    )
    if (row.state !== "paid") continue
    const [first, second] = row.payouts
    assertThat(within(first, 0, 1) && within(second, 0, 1), "a share pays 0 to 1 dollar")
    assertThat(
      Math.abs(first + second - 1) < 1e-9,
      "one share of each outcome pays 1 dollar together",
    )
  }
  const ended = new Set(rows.map(({ marketId }) => marketId))
  const stillOpen = (yield* sweep).filter(({ id, status }) => status === "open" && ended.has(id))
  assertThat(stillOpen.length === 0, "an open market has not ended")
  const again = new Map((yield* resolutions(requested)).rows.map((row) => [row.marketId, row]))
  assertThat(
    rows.every((row) => JSON.stringify(again.get(row.marketId)) === JSON.stringify(row)),
    "a resolution does not change",
  )
  assertThat((yield* resolutions([])).rows.length === 0, "an empty request returns no rows")
})

const validBoards = Effect.gen(function* () {
  const { wallets } = yield* VenueClient
  if (wallets === null) return
  const { categories } = wallets
  assertThat(categories[0] === "overall", "overall is the first category")
  assertThat(new Set(categories).size === categories.length, "each category once")
  for (const period of boardPeriods) {
    for (const by of ["volume", "profit"] as const) {
      const { rows, rejected } = yield* wallets.leaderboard({ period, category: "overall", by }, 12)
      assertRejections(rejected)
      assertThat(within(rows.length, 1, 12), "1 to 12 wallets")
      assertThat(new Set(rows.map(({ wallet }) => wallet)).size === rows.length, "each wallet once")
      assertThat(
        rows.every(({ rank }, at) => rank >= (rows[at - 1]?.rank ?? 0)),
        "in order of rank",
      )
      assertThat(rows.every(({ wallet }) => wallet === wallet.toLowerCase()), "in lower case")
    }
  }
})

/** The distinct events of a range, read by whole seconds. */
const readAll = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: { readonly from: number; readonly to: number },
) {
  const activity = new Set<string>()
  let to = range.to
  for (let count = 0; count < pagesMax; count++) {
    const page = yield* source.activity(wallet, { ...range, to })
    assertPage(page, wallet, { ...range, to })
    const taken = wholeSeconds({ ...range, to }, page)
    for (const event of taken.activity) activity.add(JSON.stringify(event))
    assertThat(taken.end !== "cut", "a page is longer than a second")
    if (taken.end === "all") return [...activity].sort()
    to = taken.from - 1
  }
  return yield* Effect.die(`More than ${pagesMax} pages`)
})

const pagesMax = 200

function assertPage(
  { rows, rejected, oldest }: ActivityPage,
  wallet: string,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  assertRejections(rejected)
  rows.forEach(({ event }, at) => {
    assertThat(event.wallet === wallet, "events of the wallet")
    assertThat(within(event.at, from, to) && event.at % second === 0, "whole seconds of the range")
    assertThat(event.at <= (rows[at - 1]?.event.at ?? Infinity), "newest first")
    assertThat(oldest !== null && oldest <= event.at, "no row is older than the oldest")
    const trade = event.kind === "buy" || event.kind === "sell"
    assertThat(within(event.price, 0, 1) && (trade || event.price === 0), "a trade has a price")
    assertThat(event.size >= 0 && (!trade || event.tokenId !== null), "a trade has a token")
    assertThat(event.transaction !== "", "a transaction")
  })
}

/** The first wallets of the week by volume, and the present second. */
const busyWallets = Effect.gen(function* () {
  const { wallets } = yield* VenueClient
  const now = Math.floor((yield* Clock.currentTimeMillis) / second) * second
  if (wallets === null) return { source: null, found: [], now }
  const board = { period: "week", category: "overall", by: "volume" } as const
  const { rows } = yield* wallets.leaderboard(board, 3)
  return { source: wallets, found: rows.map(({ wallet }) => wallet), now }
})

/** Markets in which wallets were active over ten days; many of them have ended. */
const marketsOfWallets = Effect.gen(function* () {
  const { source, found, now } = yield* busyWallets
  const markets = new Set<MarketId>()
  for (const wallet of source === null ? [] : found) {
    const range = { from: now - 10 * day, to: now }
    const page = yield* source?.activity(wallet, range) ?? Effect.die("no source")
    for (const { event } of page.rows.slice(-40)) markets.add(event.marketId)
  }
  return markets
})

/** The activity of a range is that of its parts: before an instant, at it, and after it. */
const completeActivity = Effect.gen(function* () {
  const { source, found, now } = yield* busyWallets
  if (source === null) return
  let activity = 0
  for (const wallet of found) {
    const range = { from: now - 12 * day, to: now - minute }
    const whole = yield* readAll(source, wallet, range)
    activity += whole.length
    const times = whole.map((act) => (JSON.parse(act) as ActivityEvent).at).sort((a, b) => a - b)
    const middle = times[times.length >> 1] ?? range.from
    const parts = [
      ...yield* readAll(source, wallet, { from: range.from, to: middle - second }),
      ...yield* readAll(source, wallet, { from: middle, to: middle }),
      ...yield* readAll(source, wallet, { from: middle + second, to: range.to }),
    ].sort()
    assertThat(
      JSON.stringify(parts) === JSON.stringify(whole),
      `the parts of ${wallet}'s activity are the whole`,
    )
  }
  assertThat(activity > 0, "some wallet has activity")
  const unknown = yield* source.activity(`0x${"0".repeat(40)}`, { from: 0, to: now })
  assertThat(
    unknown.rows.length === 0 && !unknown.more,
    "an unknown wallet has no activity",
  )
})

export const pastLaws: Laws = {
  "facts() returns each listed market as listed": knownFacts,
  "resolutions() returns ends that do not change, and none of open markets": stableResolutions,
  "leaderboard() returns wallets by rank, each once": validBoards,
  "activity() of a range equals that of its parts": completeActivity,
}
