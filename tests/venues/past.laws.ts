/**
 * What every venue promises of the past, whichever adapter is behind it: what is known of markets that
 * are over, how they ended, and what wallets did.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { ActivityEvent } from "../../src/markets/domain/activity.ts"
import { type MarketFacts, MarketId } from "../../src/markets/domain/market.ts"
import { day, minute, second } from "../../src/core/domain/time.ts"
import { boardPeriods } from "../../src/markets/domain/leaderboard.ts"
import { type ActivityPage, VenueClient, type WalletSource } from "../../src/markets/VenueClient.ts"
import { hold, holdCounted, type Laws, samples, sweep, within } from "./venue.laws.ts"

/** What is as true of a market a moment later. */
const lastingFacts = (
  { id, slug, question, eventSlug, url, category, outcomes, tokenIds, takerFeeRate }: MarketFacts,
) =>
  JSON.stringify([id, slug, question, eventSlug, url, category, outcomes, tokenIds, takerFeeRate])

const unknownMarket = MarketId.make(`0x${"f".repeat(64)}`)

const knownFacts = Effect.gen(function* () {
  const { facts } = yield* VenueClient
  const listed = (yield* sweep).slice(0, samples)
  const { rows, rejected } = yield* facts([...listed.map(({ id }) => id), unknownMarket])
  holdCounted(rejected)
  hold(new Set(rows.map(({ id }) => id)).size === rows.length, "each market once")
  for (const row of rows) {
    const market = listed.find(({ id }) => id === row.id)
    hold(market !== undefined && lastingFacts(row) === lastingFacts(market), "facts as listed")
  }
  const still = new Set((yield* sweep).map(({ id }) => id))
  const missing = listed.filter(({ id }) => still.has(id) && !rows.some((row) => row.id === id))
  hold(missing.length === 0, "a listed market is known")
  hold((yield* facts([])).rows.length === 0, "nothing asked, nothing given")
})

const heldResolutions = Effect.gen(function* () {
  const { resolutions } = yield* VenueClient
  const listed = yield* sweep
  const open = listed.filter(({ status }) => status === "open").slice(0, samples)
  const asked = [
    ...new Set([...yield* marketsOfWallets, ...open.map(({ id }) => id), unknownMarket]),
  ]
  const { rows, rejected } = yield* resolutions(asked)
  const now = yield* Clock.currentTimeMillis
  holdCounted(rejected)
  hold(new Set(rows.map(({ marketId }) => marketId)).size === rows.length, "each market once")
  for (const row of rows) {
    hold(asked.includes(row.marketId) && row.marketId !== unknownMarket, "only what was asked for")
    hold(row.resolvedAt === null || within(row.resolvedAt, 1, now + minute), "a time gone by")
    if (row.state !== "paid") continue
    const [first, second] = row.payouts
    hold(within(first, 0, 1) && within(second, 0, 1), "a share pays a part of a dollar")
    hold(Math.abs(first + second - 1) < 1e-9, "a share of each pays a dollar")
  }
  const ended = new Set(rows.map(({ marketId }) => marketId))
  const stillOpen = (yield* sweep).filter(({ id, status }) => status === "open" && ended.has(id))
  hold(stillOpen.length === 0, "an open market has not ended")
  const again = new Map((yield* resolutions(asked)).rows.map((row) => [row.marketId, row]))
  hold(
    rows.every((row) => JSON.stringify(again.get(row.marketId)) === JSON.stringify(row)),
    "a market that ended stays ended the same way",
  )
  hold((yield* resolutions([])).rows.length === 0, "nothing asked, nothing given")
})

const soundBoards = Effect.gen(function* () {
  const { wallets } = yield* VenueClient
  if (wallets === null) return
  const { categories } = wallets
  hold(categories[0] === "overall", "the board of all comes first")
  hold(new Set(categories).size === categories.length, "each category once")
  for (const period of boardPeriods) {
    for (const by of ["volume", "profit"] as const) {
      const { rows, rejected } = yield* wallets.leaderboard({ period, category: "overall", by }, 12)
      holdCounted(rejected)
      hold(within(rows.length, 1, 12), "some wallets, and no more than asked for")
      hold(new Set(rows.map(({ wallet }) => wallet)).size === rows.length, "each wallet once")
      hold(rows.every(({ rank }, at) => rank >= (rows[at - 1]?.rank ?? 0)), "in order of rank")
      hold(rows.every(({ wallet }) => wallet === wallet.toLowerCase()), "in lower case")
    }
  }
})

/** The acts of a range, page after page, those alike once: a page may repeat rows of another. */
const readAll = Effect.fnUntraced(function* (
  source: WalletSource,
  wallet: string,
  range: { readonly from: number; readonly to: number },
) {
  const acts = new Set<string>()
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const found: ActivityPage = yield* source.activity(wallet, range, cursor)
    holdPage(found, wallet, range)
    for (const { event } of found.rows) acts.add(JSON.stringify(event))
    if (found.next === null) return [...acts].sort()
    cursor = found.next
  }
  return yield* Effect.die(`More than ${pagesMax} pages`)
})

const pagesMax = 200

function holdPage(
  { rows, rejected, oldest, next, cut }: ActivityPage,
  wallet: string,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  holdCounted(rejected)
  hold(!cut || next === null, "what is cut off does not go on")
  rows.forEach(({ event }, at) => {
    hold(event.wallet === wallet, "acts of the wallet")
    hold(within(event.at, from, to) && event.at % second === 0, "whole seconds of the range")
    hold(event.at <= (rows[at - 1]?.event.at ?? Infinity), "newest first")
    hold(oldest !== null && oldest <= event.at, "nothing older than the oldest")
    const trade = event.kind === "buy" || event.kind === "sell"
    hold(within(event.price, 0, 1) && (trade || event.price === 0), "a trade has a price")
    hold(event.size >= 0 && (!trade || event.tokenId !== null), "a trade has a token")
    hold(event.transaction !== "", "a transaction")
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

/** Markets that wallets acted in over ten days, many of them over. */
const marketsOfWallets = Effect.gen(function* () {
  const { source, found, now } = yield* busyWallets
  const markets = new Set<MarketId>()
  for (const wallet of source === null ? [] : found) {
    const range = { from: now - 10 * day, to: now }
    const page = yield* source?.activity(wallet, range, null) ?? Effect.die("no source")
    for (const { event } of page.rows.slice(-40)) markets.add(event.marketId)
  }
  return markets
})

/** What a range holds is what its two parts hold, wherever it is cut, and each instant by itself. */
const wholeActivity = Effect.gen(function* () {
  const { source, found, now } = yield* busyWallets
  if (source === null) return
  let acts = 0
  for (const wallet of found) {
    const range = { from: now - 12 * day, to: now - minute }
    const whole = yield* readAll(source, wallet, range)
    acts += whole.length
    const times = whole.map((act) => (JSON.parse(act) as ActivityEvent).at).sort((a, b) => a - b)
    const middle = times[times.length >> 1] ?? range.from
    const parts = [
      ...yield* readAll(source, wallet, { from: range.from, to: middle - second }),
      ...yield* readAll(source, wallet, { from: middle, to: middle }),
      ...yield* readAll(source, wallet, { from: middle + second, to: range.to }),
    ].sort()
    hold(JSON.stringify(parts) === JSON.stringify(whole), `parts of what ${wallet} did`)
  }
  hold(acts > 0, "somebody did something")
  const nobody = yield* source.activity(`0x${"0".repeat(40)}`, { from: 0, to: now }, null)
  hold(nobody.rows.length === 0 && nobody.next === null, "nothing of a wallet without acts")
})

export const pastLaws: Laws = {
  "facts() knows each listed market, as it is listed": knownFacts,
  "resolutions() gives ends that do not change, and none of open markets": heldResolutions,
  "leaderboard() gives wallets by rank, each once": soundBoards,
  "activity() of a range is that of its parts, page by page": wholeActivity,
}
